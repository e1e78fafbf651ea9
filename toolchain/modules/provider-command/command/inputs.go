// Package command holds what local and remote commands have in common: their
// inputs and outputs, when which command runs, and how output is kept.
package command

import "github.com/pulumi/pulumi-go-provider/infer"

// Names of the variables that carry the last output into the next run.
const (
	PreviousStdout = "PULUMI_COMMAND_STDOUT"
	PreviousStderr = "PULUMI_COMMAND_STDERR"
)

// longestVariable is what Linux takes for one variable (MAX_ARG_STRLEN, 32
// pages), less room for its name. A longer one would keep the command from
// starting at all.
const longestVariable = 32*4096 - 64

// Steps are the command lines of a resource and what makes it a new one.
type Steps struct {
	Triggers *[]any  `pulumi:"triggers,optional" provider:"replaceOnChanges"`
	Create   *string `pulumi:"create,optional"`
	Update   *string `pulumi:"update,optional"`
	Delete   *string `pulumi:"delete,optional"`
}

// Annotate describes the fields in the schema.
func (s *Steps) Annotate(a infer.Annotator) {
	a.Describe(&s.Triggers, "The resource is replaced when any of these values changes.")
	a.Describe(&s.Create, "The command to run on create.")
	a.Describe(&s.Update, "The command to run on update; when empty, create runs again.")
	a.Describe(&s.Delete, "The command to run on delete.")
}

// OnUpdate is the command line for changed inputs, or nil when there is none.
func (s *Steps) OnUpdate() *string {
	if s.Update != nil {
		return s.Update
	}
	return s.Create
}

// Outputs are what a command printed, without its last line end.
type Outputs struct {
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// Annotate describes the fields in the schema.
func (o *Outputs) Annotate(a infer.Annotator) {
	a.Describe(&o.Stdout, "The standard output of the command's process")
	a.Describe(&o.Stderr, "The standard error of the command's process")
}

// Variables are the outputs as environment for the next run. Names of those
// that are too long for a variable are returned apart.
func (o *Outputs) Variables() (variables map[string]string, tooLong []string) {
	variables = map[string]string{}
	for name, value := range map[string]string{PreviousStdout: o.Stdout, PreviousStderr: o.Stderr} {
		switch {
		case value == "":
		case len(value) > longestVariable:
			tooLong = append(tooLong, name)
		default:
			variables[name] = value
		}
	}
	return variables, tooLong
}
