package remote

import (
	"context"

	"nodewright/provider-command/command"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// Logging says which of a command's streams go to the engine's log.
type Logging string

// Values lists the values for the schema.
func (Logging) Values() []infer.EnumValue[Logging] { return command.LoggingValues[Logging]() }

// Command is the resource command:remote:Command.
type Command struct{}

// Annotate describes the resource in the schema.
func (c *Command) Annotate(a infer.Annotator) {
	a.Describe(&c, "A command to run on a remote host. The connection is established via ssh.")
}

// CommandInputs are the inputs of a remote command.
type CommandInputs struct {
	command.Steps
	Stdin                  *string           `pulumi:"stdin,optional"`
	Logging                *Logging          `pulumi:"logging,optional"`
	Connection             *Connection       `pulumi:"connection" provider:"secret"`
	Environment            map[string]string `pulumi:"environment,optional"`
	AddPreviousOutputInEnv *bool             `pulumi:"addPreviousOutputInEnv,optional"`
}

// Annotate describes the fields in the schema.
func (i *CommandInputs) Annotate(a infer.Annotator) {
	a.Describe(&i.Stdin, "Pass a string to the command's process as standard in")
	a.Describe(&i.Logging, "Which of stdout and stderr are logged while the command runs. Defaults to both.")
	a.Describe(&i.Connection, "The parameters with which to connect to the remote host.")
	a.Describe(&i.Environment, "Additional environment variables; the SSH server must allow them with AcceptEnv.")
	a.Describe(&i.AddPreviousOutputInEnv, "If the previous output is set as "+
		command.PreviousStdout+" and "+command.PreviousStderr+".")
	a.SetDefault(&i.AddPreviousOutputInEnv, true)
}

// CommandState is what the engine keeps. Delete has only this: it connects as
// the last create or update did.
type CommandState struct {
	CommandInputs
	command.Outputs
}

// Create runs the create command, if there is one.
func (*Command) Create(
	ctx context.Context, req infer.CreateRequest[CommandInputs],
) (infer.CreateResponse[CommandState], error) {
	state := CommandState{CommandInputs: req.Inputs}
	return command.Create(req, &state, func() error { return state.run(ctx, state.Steps.Create) })
}

// Update runs the update command or, without one, the create command again.
func (*Command) Update(
	ctx context.Context, req infer.UpdateRequest[CommandInputs, CommandState],
) (infer.UpdateResponse[CommandState], error) {
	state := CommandState{CommandInputs: req.Inputs, Outputs: req.State.Outputs}
	return command.Update(req, &state, func() error { return state.run(ctx, state.OnUpdate()) })
}

// Delete runs the delete command, if there is one.
func (*Command) Delete(ctx context.Context, req infer.DeleteRequest[CommandState]) (infer.DeleteResponse, error) {
	state := req.State
	return infer.DeleteResponse{}, state.run(ctx, state.Steps.Delete)
}
