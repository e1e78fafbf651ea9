package local

import (
	"context"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// Run is the function command:local:run, which runs on every preview and up.
type Run struct{}

// Annotate describes the function in the schema.
func (r *Run) Annotate(a infer.Annotator) {
	a.Describe(&r, "A local command to be executed on every run of the program.")
}

// RunInputs are the arguments of the function.
type RunInputs struct {
	Settings
	Command string `pulumi:"command"`
}

// RunOutputs are the arguments and what came of them.
type RunOutputs struct {
	RunInputs
	Results
}

// Invoke runs the command.
func (*Run) Invoke(
	ctx context.Context, req infer.FunctionRequest[RunInputs],
) (infer.FunctionResponse[RunOutputs], error) {
	outputs := RunOutputs{RunInputs: req.Input}
	err := run(ctx, &req.Input.Command, &outputs.Settings, &outputs.Results)
	return infer.FunctionResponse[RunOutputs]{Output: outputs}, err
}
