package remote

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

var errRefused = errors.New("refused")

func TestRetryEndsAtItsLimit(t *testing.T) {
	for _, limit := range []int{0, 1, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			dials := 0
			_, err := retry(t.Context(), "Dial", limit, func() (int, error) { dials++; return 0, errRefused })
			if dials != limit+1 || !errors.Is(err, errRefused) {
				t.Errorf("limit %d: %d dials, %v", limit, dials, err)
			}
		})
	}
}

func TestRetryWaitsLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		last := time.Now()
		_, err := retry(t.Context(), "Dial", unlimited, func() (int, error) {
			waits, last = append(waits, time.Since(last)), time.Now()
			if len(waits) == 15 {
				return 1, nil
			}
			return 0, errRefused
		})
		if err != nil || waits[1] != 100*time.Millisecond || waits[2] != 150*time.Millisecond || waits[14] != longestWait {
			t.Errorf("%v, waited %v", err, waits)
		}
	})
}

func TestRetryEndsWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := retry(ctx, "Dial", unlimited, func() (int, error) { return 0, errRefused })
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestRetryEndsAtAFinalError(t *testing.T) {
	dials := 0
	_, err := retry(t.Context(), "Dial", unlimited, func() (int, error) { dials++; return 0, final{errRefused} })
	if dials != 1 || !errors.Is(err, errRefused) {
		t.Errorf("%d dials, %v", dials, err)
	}
}

// listen gives a port that accepts and says nothing.
func listen(t *testing.T) (*Endpoint, net.Listener) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	host, port := "127.0.0.1", float64(listener.Addr().(*net.TCPAddr).Port)
	return &Endpoint{Host: &host, Port: &port}, listener
}

func TestASilentServerIsNotWaitedFor(t *testing.T) {
	endpoint, _ := listen(t)
	limit := 1
	endpoint.PerDialTimeout = &limit
	config, closer, err := endpoint.clientConfig()
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	_, err = endpoint.connect(t.Context(), config, (&net.Dialer{}).DialContext)
	if err == nil || !strings.Contains(err.Error(), "no answer within 1s") {
		t.Errorf("got %v", err)
	}
}

// A server that shakes hands and then falls silent, as a machine does whose
// power went away.
func TestADeadConnectionIsClosed(t *testing.T) {
	keepaliveInterval = 20 * time.Millisecond
	defer func() { keepaliveInterval = 15 * time.Second }()
	endpoint, listener := listen(t)
	_, hostKey, _ := ed25519.GenerateKey(nil)
	signer, err := ssh.NewSignerFromKey(hostKey)
	if err != nil {
		t.Fatal(err)
	}
	server := &ssh.ServerConfig{NoClientAuth: true}
	server.AddHostKey(signer)
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _, _, _ = ssh.NewServerConn(conn, server) // whose requests nobody answers
		}
	}()

	pinned := string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	endpoint.HostKey = &pinned
	config, closer, err := endpoint.clientConfig()
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	client, err := endpoint.connect(t.Context(), config, (&net.Dialer{}).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() { gone <- client.Wait() }()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the connection is still open")
	}
}
