package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"nodewright/provider-command/command"

	p "github.com/pulumi/pulumi-go-provider"
)

// termGrace is how long a cancelled command may take to clean up.
const termGrace = 5 * time.Second

// run runs a command line, if there is one, and fills in its results.
func run(ctx context.Context, step *string, settings *Settings, results *Results) error {
	if step == nil {
		return nil
	}
	line := *step
	arguments := settings.Interpreter
	if len(arguments) == 0 {
		arguments = []string{"/bin/sh", "-c"}
	}
	capture := command.NewCapture(ctx, command.Logged(settings.Logging))
	process := exec.CommandContext(ctx, arguments[0], append(arguments[1:len(arguments):len(arguments)], line)...)
	process.Stdout, process.Stderr = capture.Stdout(), capture.Stderr()
	if settings.Dir != nil {
		// Else the system would say that the interpreter does not exist.
		if _, err := os.Stat(*settings.Dir); err != nil {
			return fmt.Errorf("running %q in dir: %w", line, err)
		}
		process.Dir = *settings.Dir
	}
	process.Env = settings.environment(ctx, results)
	if settings.Stdin != nil {
		process.Stdin = strings.NewReader(*settings.Stdin)
	}
	endWholeGroup(process)

	err := process.Run()
	outputs := capture.Outputs()
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("the operation was cancelled and the command ended (%w)", ctx.Err())
		}
		return fmt.Errorf("%w: running %q:\n%s", err, line, capture.Tail())
	}
	results.Outputs = outputs
	return results.collectFiles(settings)
}

func (s *Settings) environment(ctx context.Context, previous *Results) []string {
	environment := os.Environ()
	for name, value := range s.Environment {
		environment = append(environment, name+"="+value)
	}
	if s.AddPreviousOutputInEnv != nil && !*s.AddPreviousOutputInEnv {
		return environment
	}
	variables, tooLong := previous.Variables()
	for name, value := range variables {
		environment = append(environment, name+"="+value)
	}
	for _, name := range tooLong {
		p.GetLogger(ctx).Warningf("Unable to set %q: the previous output is too long for a variable", name)
	}
	return environment
}

// endWholeGroup makes a cancelled command take its children with it: a shell
// that is killed alone leaves them behind.
func endWholeGroup(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	process.Cancel = func() error {
		group := -process.Process.Pid
		time.AfterFunc(termGrace, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
		return syscall.Kill(group, syscall.SIGTERM)
	}
	// A child that left the group may hold the output open.
	process.WaitDelay = termGrace + time.Second
}
