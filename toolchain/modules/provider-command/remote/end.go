package remote

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"
)

// How long a command may take to clean up after itself, and how long it may
// take to go when it has no choice.
const (
	termGrace = 5 * time.Second
	killGrace = 2 * time.Second
)

// signalCommand sends a signal to all processes of the command that runs on
// the same connection. The server can do so itself, but only with the user's
// rights, and not at all when it is an older one: a command under sudo would
// stay. Sessions of one connection are children of the same server process,
// and each leads a process group of its own.
const signalCommand = `for pid in $(cat /proc/$PPID/task/*/children 2>/dev/null || pgrep -P $PPID); do
  [ "$pid" = $$ ] || kill -%[1]s -- "-$pid" 2>/dev/null || sudo -n kill -%[1]s -- "-$pid"
done`

// end stops a running command because its operation was cancelled. Closing the
// connection would not do: a command that prints nothing never notices.
func end(ctx context.Context, client *machine, session *ssh.Session, ended <-chan error) error {
	defer client.Close()
	for _, step := range []struct {
		signal ssh.Signal
		grace  time.Duration
	}{{ssh.SIGTERM, termGrace}, {ssh.SIGKILL, killGrace}} {
		deadline := time.After(step.grace)
		go send(client, session, step.signal)
		select {
		case <-ended:
			return fmt.Errorf("the operation was cancelled and the command ended by SIG%s (%w)", step.signal, ctx.Err())
		case <-deadline:
		}
	}
	return fmt.Errorf("the operation was cancelled; the command did not end and may still run (%w)", ctx.Err())
}

func send(client *machine, session *ssh.Session, signal ssh.Signal) {
	_ = session.Signal(signal)
	second, err := client.NewSession()
	if err != nil {
		return // the server allows one session only: its own signal must do
	}
	defer second.Close()
	_ = second.Run(fmt.Sprintf(signalCommand, signal))
}
