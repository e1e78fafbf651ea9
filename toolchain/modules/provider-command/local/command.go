// Package local runs commands on the machine that the engine runs on.
package local

import (
	"context"

	"nodewright/provider-command/command"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/infer/types"
)

// Logging says which of a command's streams go to the engine's log.
type Logging string

// Values lists the values for the schema.
func (Logging) Values() []infer.EnumValue[Logging] { return command.LoggingValues[Logging]() }

// Settings are the inputs that the resource and the function share.
type Settings struct {
	Interpreter            []string          `pulumi:"interpreter,optional"`
	Dir                    *string           `pulumi:"dir,optional"`
	Environment            map[string]string `pulumi:"environment,optional"`
	Stdin                  *string           `pulumi:"stdin,optional"`
	Logging                *Logging          `pulumi:"logging,optional"`
	AssetPaths             []string          `pulumi:"assetPaths,optional"`
	ArchivePaths           []string          `pulumi:"archivePaths,optional"`
	AddPreviousOutputInEnv *bool             `pulumi:"addPreviousOutputInEnv,optional"`
}

// Annotate describes the fields in the schema.
func (s *Settings) Annotate(a infer.Annotator) {
	a.Describe(&s.Interpreter, "The program and arguments to run the command. Defaults to /bin/sh -c.")
	a.Describe(&s.Dir, "The directory to run the command in; it must exist.")
	a.Describe(&s.Environment, "Additional environment variables available to the command's process.")
	a.Describe(&s.Stdin, "Pass a string to the command's process as standard in")
	a.Describe(&s.Logging, "Which of stdout and stderr are logged while the command runs. Defaults to both.")
	a.Describe(&s.AssetPaths, "Path globs of files to return as assets; a leading ! excludes.")
	a.Describe(&s.ArchivePaths, "Path globs of files to return as one archive; a leading ! excludes.")
	a.Describe(&s.AddPreviousOutputInEnv, "If the previous output is set as "+
		command.PreviousStdout+" and "+command.PreviousStderr+".")
	a.SetDefault(&s.AddPreviousOutputInEnv, true)
}

// Results are what a command printed and the files that were asked for. A
// function may not use the plain types of assets, so these are unions.
type Results struct {
	command.Outputs
	Assets  *map[string]types.AssetOrArchive `pulumi:"assets,optional"`
	Archive *types.AssetOrArchive            `pulumi:"archive,optional"`
}

// Command is the resource command:local:Command.
type Command struct{}

// Annotate describes the resource in the schema.
func (c *Command) Annotate(a infer.Annotator) {
	a.Describe(&c, "A local command to be executed.")
}

// CommandInputs are the inputs of a local command.
type CommandInputs struct {
	command.Steps
	Settings
}

// CommandState is what the engine keeps.
type CommandState struct {
	CommandInputs
	Results
}

// Create runs the create command, if there is one.
func (*Command) Create(
	ctx context.Context, req infer.CreateRequest[CommandInputs],
) (infer.CreateResponse[CommandState], error) {
	state := CommandState{CommandInputs: req.Inputs}
	return command.Create(req, &state, func() error { return run(ctx, state.Steps.Create, &state.Settings, &state.Results) })
}

// Update runs the update command or, without one, the create command again.
func (*Command) Update(
	ctx context.Context, req infer.UpdateRequest[CommandInputs, CommandState],
) (infer.UpdateResponse[CommandState], error) {
	state := CommandState{CommandInputs: req.Inputs, Results: req.State.Results}
	return command.Update(req, &state, func() error { return run(ctx, state.OnUpdate(), &state.Settings, &state.Results) })
}

// Delete runs the delete command, if there is one.
func (*Command) Delete(ctx context.Context, req infer.DeleteRequest[CommandState]) (infer.DeleteResponse, error) {
	state := req.State
	return infer.DeleteResponse{}, run(ctx, state.Steps.Delete, &state.Settings, &state.Results)
}
