package remote

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"
)

// How long a command may take to clean up after itself, and how long it may
// take to go when it has no choice.
const (
	termGrace = 5 * time.Second
	killGrace = 10 * time.Second
)

// signalGroups signals all processes of the command that runs on the same
// connection, once for each line that it reads. The server's own way to signal
// would reach only what the user may signal, which under sudo is sudo alone;
// the rest would stay, and stay unknown once its parent is gone. Sessions of
// one connection are children of the same server process and each leads a
// process group, so the groups are found before the first signal.
const signalGroups = `groups=
for pid in $(cat /proc/$PPID/task/*/children 2>/dev/null || pgrep -P $PPID); do
  [ "$pid" = $$ ] || groups="$groups -$pid"
done
[ "$groups" ] || exit 1
while read -r signal; do
  sudo -n kill -s "$signal" -- $groups 2>/dev/null || kill -s "$signal" -- $groups
done`

// end stops a running command because its operation was cancelled. Closing the
// connection would not do: a command that prints nothing never notices.
func end(ctx context.Context, client *machine, session *ssh.Session, ended <-chan error) error {
	defer client.Close()
	signals := make(chan ssh.Signal, 2)
	defer close(signals)
	go deliver(client, session, signals)
	for _, step := range []struct {
		signal ssh.Signal
		grace  time.Duration
	}{{ssh.SIGTERM, termGrace}, {ssh.SIGKILL, killGrace}} {
		signals <- step.signal
		select {
		case <-ended:
			return fmt.Errorf("the operation was cancelled and the command ended by SIG%s (%w)", step.signal, ctx.Err())
		case <-time.After(step.grace):
		}
	}
	return fmt.Errorf("the operation was cancelled; the command did not end and may still run (%w)", ctx.Err())
}

// deliver passes signals on through a second session. Where the server allows
// one session only, or has another shell, its own way must do.
func deliver(client *machine, session *ssh.Session, signals <-chan ssh.Signal) {
	stdin, err := startSignalling(client)
	if err == nil {
		defer stdin.Close()
	}
	for signal := range signals {
		if err == nil {
			_, err = fmt.Fprintln(stdin, signal)
		}
		if err != nil {
			_ = session.Signal(signal)
		}
	}
}

func startSignalling(client *machine) (io.WriteCloser, error) {
	second, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	stdin, err := second.StdinPipe()
	if err != nil {
		return nil, err
	}
	return stdin, second.Start(signalGroups)
}
