package mask

import (
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const (
	// Shorter values are ordinary words: masking "yes" would garble every
	// message and tell the secret at the same time.
	shortestSecret = 4
	shortestLine   = 8
	shortestWord   = 16
)

// credentials are always secret. The SDK marks the connection as a whole, and
// masking its host and user would make errors useless.
var credentials = []string{"password", "privateKey", "privateKeyPassword"}

// assignment is a line of a script that gives a variable whose name says that
// its value is secret.
var assignment = regexp.MustCompile(
	`(?m)^\s*(?:export\s+)?[A-Za-z_]*(?i:token|secret|passw|passphrase|key|ticket|credential)[A-Za-z_]*=(.*)$`)

// word is a piece of a compound value, as a token in a JSON document.
var word = regexp.MustCompile(`[A-Za-z0-9+/=_.-]+`)

// Collect returns what is secret in the inputs or the state of a command.
func Collect(properties ...property.Map) []string {
	var found []string
	for _, each := range properties {
		for name, value := range each.All {
			if name == "connection" {
				found = append(found, connection(value)...)
				continue
			}
			for _, secret := range leaves(value, false) {
				found = append(found, pieces(secret)...)
				if name == "stdin" {
					found = append(found, assigned(secret)...)
				}
			}
		}
	}
	return found
}

func connection(value property.Value) []string {
	if !value.IsMap() {
		return nil
	}
	var found []string
	for name, field := range value.AsMap().All {
		if name == "proxy" {
			found = append(found, connection(field)...)
			continue
		}
		for _, secret := range leaves(field, isCredential(name)) {
			found = append(found, pieces(secret)...)
		}
	}
	return found
}

func isCredential(name string) bool {
	for _, credential := range credentials {
		if name == credential {
			return true
		}
	}
	return false
}

// leaves returns all strings below value that are secret or lie in a secret.
func leaves(value property.Value, secret bool) []string {
	secret = secret || value.Secret()
	var found []string
	switch {
	case value.IsString():
		if secret {
			found = append(found, value.AsString())
		}
	case value.IsArray():
		for _, element := range value.AsArray().All {
			found = append(found, leaves(element, secret)...)
		}
	case value.IsMap():
		for _, element := range value.AsMap().All {
			found = append(found, leaves(element, secret)...)
		}
	}
	return found
}

// pieces are a value and, as output is read by lines, its lines.
func pieces(value string) []string {
	var found []string
	if trimmed := strings.TrimSpace(value); len(trimmed) >= shortestSecret {
		found = append(found, trimmed)
	}
	if lines := strings.Split(value, "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= shortestLine {
				found = append(found, line)
			}
		}
	}
	return found
}

// assigned are values that a secret script gives to variables with telling
// names, and the long words in them.
func assigned(script string) []string {
	var found []string
	for _, match := range assignment.FindAllStringSubmatch(script, -1) {
		value := strings.Trim(strings.TrimSpace(match[1]), `'"`)
		if len(value) >= shortestSecret {
			found = append(found, value)
		}
		for _, part := range word.FindAllString(value, -1) {
			if len(part) >= shortestWord {
				found = append(found, part)
			}
		}
	}
	return found
}
