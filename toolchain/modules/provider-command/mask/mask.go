// Package mask keeps secret inputs out of errors and logs.
//
// A command may print anything, also what it was given. Which inputs are
// secret is known only in the engine's own property values, so they are
// collected at the edge, before they are decoded into plain strings.
package mask

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
)

// Placeholder stands where a secret was.
const Placeholder = "[secret]"

// Masker replaces a fixed set of secrets. The zero value changes nothing.
type Masker struct{ replacer *strings.Replacer }

// New makes a masker of the given secrets.
func New(secrets []string) Masker {
	wanted := map[string]bool{}
	for _, secret := range secrets {
		wanted[secret] = true
		// As it stands in a quoted command line.
		quoted := strconv.Quote(secret)
		wanted[quoted[1:len(quoted)-1]] = true
	}
	delete(wanted, "")
	if len(wanted) == 0 {
		return Masker{}
	}
	longestFirst := make([]string, 0, len(wanted))
	for secret := range wanted {
		longestFirst = append(longestFirst, secret)
	}
	slices.SortFunc(longestFirst, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(longestFirst))
	for _, secret := range longestFirst {
		pairs = append(pairs, secret, Placeholder)
	}
	return Masker{strings.NewReplacer(pairs...)}
}

// Apply returns text without the secrets.
func (m Masker) Apply(text string) string {
	if m.replacer == nil {
		return text
	}
	return m.replacer.Replace(text)
}

// Error returns err itself, or one with the same words less the secrets.
func (m Masker) Error(err error) error {
	if err == nil {
		return nil
	}
	if masked := m.Apply(err.Error()); masked != err.Error() {
		return maskedError(masked)
	}
	return err
}

// maskedError does not wrap its origin: unwrapping would show the secret.
type maskedError string

func (e maskedError) Error() string { return string(e) }

type contextKey struct{}

// From returns the masker of the operation that ctx belongs to.
func From(ctx context.Context) Masker {
	masker, _ := ctx.Value(contextKey{}).(Masker)
	return masker
}

func with(ctx context.Context, masker Masker) context.Context {
	return context.WithValue(ctx, contextKey{}, masker)
}
