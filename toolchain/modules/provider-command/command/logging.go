package command

import "github.com/pulumi/pulumi-go-provider/infer"

// Values that the input `logging` may have. The type itself is declared in the
// packages local and remote, because its place names it in the schema.
const (
	LogStdout          = "stdout"
	LogStderr          = "stderr"
	LogStdoutAndStderr = "stdoutAndStderr"
	LogNone            = "none"
)

// LoggingValues lists the values for the schema of a logging type.
func LoggingValues[L ~string]() []infer.EnumValue[L] {
	return []infer.EnumValue[L]{
		{Name: LogStdout, Value: LogStdout, Description: "Capture stdout in logs but not stderr"},
		{Name: LogStderr, Value: LogStderr, Description: "Capture stderr in logs but not stdout"},
		{Name: LogStdoutAndStderr, Value: LogStdoutAndStderr, Description: "Capture stdout and stderr in logs"},
		{Name: LogNone, Value: LogNone, Description: "Capture no logs"},
	}
}

// Streams are those of a command's streams that go to the engine's log.
type Streams struct{ Stdout, Stderr bool }

// Logged reads a logging mode: both streams unless told otherwise.
func Logged[L ~string](mode *L) Streams {
	if mode == nil {
		return Streams{Stdout: true, Stderr: true}
	}
	return Streams{Stdout: *mode != LogStderr && *mode != LogNone, Stderr: *mode != LogStdout && *mode != LogNone}
}
