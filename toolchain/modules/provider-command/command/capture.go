package command

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"

	"nodewright/provider-command/mask"

	p "github.com/pulumi/pulumi-go-provider"
)

// longestLine is where a log line without an end is cut, so that a command
// that never prints one cannot fill the memory of the log.
const longestLine = 32 << 10

// longestTail is how much output an error shows. The engine carries an error
// in a header, which must stay small; the end is where the cause stands.
const longestTail = 64 << 10

// Capture takes both streams of a running command: it keeps each as a whole
// and the end of both together, and passes finished lines on to a log.
type Capture struct {
	lock sync.Mutex // both streams are written at the same time
	log  func(line string)
	out  stream
	err  stream
	tail []byte
	cut  bool
}

type stream struct {
	whole  bytes.Buffer
	line   []byte
	logged bool
}

// NewCapture logs the wanted streams to the engine, with secrets masked.
func NewCapture(ctx context.Context, logged Streams) *Capture {
	logger, masker := p.GetLogger(ctx), mask.From(ctx)
	capture := &Capture{log: func(line string) {
		// The engine takes no more messages for a cancelled operation.
		if ctx.Err() == nil {
			logger.InfoStatus(masker.Apply(line))
		}
	}}
	capture.out.logged, capture.err.logged = logged.Stdout, logged.Stderr
	return capture
}

// Stdout is where the command's standard output goes.
func (c *Capture) Stdout() io.Writer { return sink{c, &c.out} }

// Stderr is where the command's standard error goes.
func (c *Capture) Stderr() io.Writer { return sink{c, &c.err} }

// Outputs ends the log and returns both streams. The engine's protocol takes
// UTF-8 only: other bytes become the replacement character instead of losing
// the result of a command that has already run.
func (c *Capture) Outputs() Outputs {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, s := range []*stream{&c.out, &c.err} {
		if len(s.line) > 0 {
			c.log(text(s.line))
			s.line = nil
		}
	}
	return Outputs{
		Stdout: strings.TrimSuffix(text(c.out.whole.Bytes()), "\n"),
		Stderr: strings.TrimSuffix(text(c.err.whole.Bytes()), "\n"),
	}
}

// Tail is the end of what the command printed, for an error message.
func (c *Capture) Tail() string {
	c.lock.Lock()
	defer c.lock.Unlock()
	tail := c.tail
	if !c.cut {
		return text(tail)
	}
	// Start at a whole line: a secret cut in two could not be masked.
	if end := bytes.IndexByte(tail, '\n'); end >= 0 {
		tail = tail[end+1:]
	} else {
		tail = nil
	}
	return "[only the end of the output is shown]\n" + text(tail)
}

type sink struct {
	capture *Capture
	stream  *stream
}

func (s sink) Write(data []byte) (int, error) {
	c := s.capture
	c.lock.Lock()
	defer c.lock.Unlock()
	s.stream.whole.Write(data)
	c.tail = append(c.tail, data...)
	if len(c.tail) > 2*longestTail {
		c.tail = append([]byte(nil), c.tail[len(c.tail)-longestTail:]...)
		c.cut = true
	}
	if s.stream.logged {
		s.stream.line = append(s.stream.line, data...)
		for c.logLine(s.stream) {
		}
	}
	return len(data), nil
}

// logLine logs the first finished line, if there is one.
func (c *Capture) logLine(s *stream) bool {
	end := bytes.IndexByte(s.line, '\n')
	switch {
	case end >= 0 && end <= longestLine:
		c.log(text(bytes.TrimSuffix(s.line[:end], []byte("\r"))))
		s.line = s.line[end+1:]
	case len(s.line) > longestLine:
		c.log(text(s.line[:longestLine]))
		s.line = s.line[longestLine:]
	default:
		return false
	}
	return true
}

func text(data []byte) string { return strings.ToValidUTF8(string(data), "\uFFFD") }
