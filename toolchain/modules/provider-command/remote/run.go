package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"nodewright/provider-command/command"

	p "github.com/pulumi/pulumi-go-provider"
	"golang.org/x/crypto/ssh"
)

// run runs a command line on the machine, if there is one, and keeps what it printed.
func (s *CommandState) run(ctx context.Context, step *string) error {
	if step == nil {
		return nil
	}
	line := *step
	client, err := s.Connection.dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return fmt.Errorf("opening a session on %s: %w", s.Connection.address(), err)
	}
	defer session.Close()
	if err := s.setEnvironment(ctx, session); err != nil {
		return err
	}

	capture := command.NewCapture(ctx, command.Logged(s.Logging))
	session.Stdout, session.Stderr = capture.Stdout(), capture.Stderr()
	stdin, err := session.StdinPipe()
	if err != nil {
		return err
	}
	if err := session.Start(line); err != nil {
		return fmt.Errorf("starting %q on %s: %w", line, s.Connection.address(), err)
	}
	// Not by session.Stdin: the session would report a command that ends
	// without having read all of it as failed.
	go func() {
		_, _ = io.WriteString(stdin, orDefault(s.Stdin, ""))
		_ = stdin.Close()
	}()

	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = end(ctx, client, session, ended)
	}
	outputs := capture.Outputs()
	if err != nil {
		return fmt.Errorf("%w: running %q:\n%s", s.describe(err), line, capture.Tail())
	}
	s.Outputs = outputs
	return nil
}

// describe says what a missing exit status means: SSH only knows that the
// channel was closed.
func (s *CommandState) describe(err error) error {
	var missing *ssh.ExitMissingError
	if errors.As(err, &missing) {
		return fmt.Errorf("the connection to %s was lost before the command ended (%w)", s.Connection.address(), err)
	}
	return err
}

// setEnvironment sets variables by the protocol's own means, which a server
// takes only for names that its AcceptEnv allows.
func (s *CommandState) setEnvironment(ctx context.Context, session *ssh.Session) error {
	const advice = "allow it with AcceptEnv in sshd_config, or write it in the command itself (NAME=value command)"
	for _, name := range slices.Sorted(maps.Keys(s.Environment)) {
		if err := session.Setenv(name, s.Environment[name]); err != nil {
			return fmt.Errorf("setting environment variable %q: refused by the SSH server of %s; %s",
				name, s.Connection.address(), advice)
		}
	}
	if !orDefault(s.AddPreviousOutputInEnv, true) {
		return nil
	}
	// Nobody asked for these by name, so a refusal is no reason to fail.
	previous, tooLong := s.Variables()
	for _, name := range slices.Sorted(maps.Keys(previous)) {
		if err := session.Setenv(name, previous[name]); err != nil {
			p.GetLogger(ctx).Warningf("Unable to set %q: refused by the SSH server; %s", name, advice)
		}
	}
	for _, name := range tooLong {
		p.GetLogger(ctx).Warningf("Unable to set %q: the previous output is too long for a variable", name)
	}
	return nil
}
