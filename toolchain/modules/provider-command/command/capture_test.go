package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func capture(streams Streams) (*Capture, *[]string) {
	captured, logged := NewCapture(context.Background(), streams), &[]string{}
	captured.log = func(line string) { *logged = append(*logged, line) }
	return captured, logged
}

func TestLinesAreLoggedWhole(t *testing.T) {
	captured, logged := capture(Streams{Stdout: true})
	for _, piece := range []string{"on", "e\r\ntwo\nth", "ree"} {
		_, _ = io.WriteString(captured.Stdout(), piece)
		_, _ = io.WriteString(captured.Stderr(), "unseen\n")
	}
	outputs := captured.Outputs()
	if wanted := []string{"one", "two", "three"}; !slices.Equal(*logged, wanted) {
		t.Errorf("logged %q, wanted %q", *logged, wanted)
	}
	if outputs.Stdout != "one\r\ntwo\nthree" || outputs.Stderr != "unseen\nunseen\nunseen" {
		t.Errorf("kept %q", outputs)
	}
}

func TestALineWithoutEndIsLoggedInPieces(t *testing.T) {
	captured, logged := capture(Streams{Stderr: true})
	_, _ = io.WriteString(captured.Stderr(), strings.Repeat("x", 2*longestLine+1))
	if len(*logged) != 2 {
		t.Errorf("logged %d pieces before the end", len(*logged))
	}
	if captured.Outputs(); len(*logged) != 3 {
		t.Errorf("logged %d pieces", len(*logged))
	}
}

func TestTailBeginsWithAWholeLine(t *testing.T) {
	captured, _ := capture(Streams{})
	for number := range 100_000 {
		_, _ = fmt.Fprintf(captured.Stdout(), "line %06d\n", number)
	}
	lines := strings.Split(strings.TrimSpace(captured.Tail()), "\n")
	if len(lines) < 2 || !strings.HasPrefix(lines[1], "line ") || lines[len(lines)-1] != "line 099999" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[:2], lines[len(lines)-1])
	}
	if len(captured.Tail()) > 2*longestTail+100 {
		t.Errorf("the tail has %d bytes", len(captured.Tail()))
	}
}

func TestOnlyWhatFitsIsPassedOn(t *testing.T) {
	outputs := Outputs{Stdout: strings.Repeat("x", longestVariable+1), Stderr: "y"}
	variables, tooLong := outputs.Variables()
	if len(variables) != 1 || variables[PreviousStderr] != "y" || !slices.Equal(tooLong, []string{PreviousStdout}) {
		t.Errorf("passed on %q, too long %q", variables, tooLong)
	}
}
