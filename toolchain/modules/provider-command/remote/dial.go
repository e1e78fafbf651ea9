package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"golang.org/x/crypto/ssh"
)

// Waits between dials: 0.1 s, each half as long again, at most 5 s.
const (
	firstWait   = 100 * time.Millisecond
	waitGrowth  = 1.5
	longestWait = 5 * time.Second
)

// Keepalives find a machine that died without a word: without them a command
// on it would be waited for for ever.
var (
	keepaliveInterval = 15 * time.Second
	keepaliveMisses   = 3
)

// machine is an open connection, with the one to the bastion below it.
type machine struct {
	*ssh.Client
	proxy *ssh.Client
}

// Close ends both connections.
func (m *machine) Close() {
	_ = m.Client.Close()
	if m.proxy != nil {
		_ = m.proxy.Close()
	}
}

// dial connects to the server, through the bastion if there is one, and tries
// again as often as the inputs allow.
func (c *Connection) dial(ctx context.Context) (*machine, error) {
	config, agentTalk, err := c.clientConfig()
	if err != nil {
		return nil, err
	}
	defer agentTalk.Close()
	if c.Proxy == nil {
		client, err := retry(ctx, "Dial", c.errorLimit(), func() (*ssh.Client, error) {
			return c.connect(ctx, config, (&net.Dialer{}).DialContext)
		})
		if err != nil {
			return nil, err
		}
		return &machine{Client: client}, nil
	}

	bastion := bastion{endpoint: &c.Proxy.Endpoint}
	client, err := retry(ctx, "Dial from proxy", c.errorLimit(), func() (*ssh.Client, error) {
		if err := bastion.ensure(ctx); err != nil {
			return nil, err
		}
		client, err := c.connect(ctx, config, bastion.client.DialContext)
		if err != nil {
			return nil, fmt.Errorf("proxy: %w", err)
		}
		return client, nil
	})
	if err != nil {
		bastion.close()
		return nil, err
	}
	return &machine{Client: client, proxy: bastion.client}, nil
}

// bastion is dialled with limits of its own and again when it went away, as
// one that is rebooted does while we try for the machine behind it.
type bastion struct {
	endpoint *Endpoint
	client   *ssh.Client
	gone     chan struct{}
}

func (b *bastion) ensure(ctx context.Context) error {
	if b.client != nil {
		select {
		case <-b.gone:
			b.close()
		default:
			return nil
		}
	}
	config, agentTalk, err := b.endpoint.clientConfig()
	if err != nil {
		return final{fmt.Errorf("proxy: %w", err)}
	}
	defer agentTalk.Close()
	client, err := retry(ctx, "Dial proxy", b.endpoint.errorLimit(), func() (*ssh.Client, error) {
		return b.endpoint.connect(ctx, config, (&net.Dialer{}).DialContext)
	})
	if err != nil {
		return final{fmt.Errorf("proxy: %w", err)}
	}
	b.client, b.gone = client, make(chan struct{})
	go func(gone chan struct{}) {
		_ = client.Wait()
		close(gone)
	}(b.gone)
	return nil
}

func (b *bastion) close() {
	if b.client != nil {
		_ = b.client.Close()
		b.client = nil
	}
}

// connect makes one attempt. The time limit covers the handshake too: a server
// that accepts and then says nothing is as bad as one that does not accept.
func (e *Endpoint) connect(
	ctx context.Context, config *ssh.ClientConfig, dial func(ctx context.Context, network, address string) (net.Conn, error),
) (*ssh.Client, error) {
	if limit := e.dialTimeout(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit,
			fmt.Errorf("dial tcp %s: no answer within %s", e.address(), limit))
		defer cancel()
	}
	conn, err := dial(ctx, "tcp", e.address())
	if err != nil {
		return nil, inTime(ctx, err)
	}
	abort := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer abort()
	sshConn, channels, requests, err := ssh.NewClientConn(conn, e.address(), config)
	if err != nil {
		_ = conn.Close()
		return nil, inTime(ctx, e.explain(err))
	}
	client := ssh.NewClient(sshConn, channels, requests)
	go keepAlive(client)
	return client, nil
}

// inTime prefers the reason why the attempt was ended to what it then said.
func inTime(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// keepAlive closes a connection whose other end no longer answers.
func keepAlive(client *ssh.Client) {
	gone := make(chan struct{})
	go func() {
		_ = client.Wait()
		close(gone)
	}()
	for {
		select {
		case <-gone:
			return
		case <-time.After(keepaliveInterval):
		}
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _, _ = client.SendRequest("keepalive@openssh.com", true, nil)
		}()
		select {
		case <-answered:
		case <-time.After(keepaliveInterval * time.Duration(keepaliveMisses)):
			_ = client.Close()
			return
		}
	}
}

// final marks an error after which another attempt makes no sense.
type final struct{ error }

// Unwrap gives errors.Is a view of what happened.
func (f final) Unwrap() error { return f.error }

// retry calls attempt until it succeeds, limit errors were allowed and one more
// came, or the operation is cancelled.
func retry[T any](ctx context.Context, what string, limit int, attempt func() (T, error)) (T, error) {
	var none T
	shown := strconv.Itoa(limit)
	if limit == unlimited {
		shown = "inf"
	}
	wait := firstWait
	for errorCount := 1; ; errorCount++ {
		result, err := attempt()
		if err == nil {
			return result, nil
		}
		if ctx.Err() != nil {
			return none, fmt.Errorf("dialling was cancelled: %w", ctx.Err())
		}
		var last final
		if errors.As(err, &last) {
			return none, last.error
		}
		if limit > unlimited && errorCount > limit {
			return none, fmt.Errorf("after %d failed attempts: %w", limit, err)
		}
		p.GetLogger(ctx).InfoStatusf("%s %d/%s failed: retrying", what, errorCount, shown)
		select {
		case <-ctx.Done():
			return none, fmt.Errorf("dialling was cancelled: %w", ctx.Err())
		case <-time.After(wait):
		}
		wait = min(time.Duration(float64(wait)*waitGrowth), longestWait)
	}
}
