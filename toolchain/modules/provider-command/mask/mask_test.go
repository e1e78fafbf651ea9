package mask

import (
	"errors"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

func text(value string) property.Value { return property.New(value) }

func secret(value string) property.Value { return property.New(value).WithSecret(true) }

func fields(values map[string]property.Value) property.Value { return property.New(values) }

func TestApply(t *testing.T) {
	key := "-----BEGIN KEY-----\nAAAABBBBCCCCDDDD\n-----END KEY-----\n"
	for name, test := range map[string]struct {
		inputs     map[string]property.Value
		in, wanted string
	}{
		"plain inputs are shown": {
			map[string]property.Value{"create": text("echo hello")}, "echo hello", "echo hello",
		},
		"a secret is hidden in the middle of a word": {
			map[string]property.Value{"environment": fields(map[string]property.Value{"A": secret("hunter2")})},
			"xhunter2x", "x[secret]x",
		},
		"a secret map hides its values": {
			map[string]property.Value{"environment": fields(map[string]property.Value{"A": text("hunter2")}).WithSecret(true)},
			"A is hunter2", "A is [secret]",
		},
		"a short secret is an ordinary word": {
			map[string]property.Value{"environment": fields(map[string]property.Value{"A": secret("yes")})}, "yes", "yes",
		},
		"the longest secret wins": {
			map[string]property.Value{"a": secret("pass"), "b": secret("password")}, "password", "[secret]",
		},
		"a secret is hidden in a quoted command": {
			map[string]property.Value{"create": secret("echo \"a\"\n")}, `running "echo \"a\"\n"`, `running "[secret]\n"`,
		},
		"a connection hides its credentials and shows where it goes": {
			map[string]property.Value{"connection": fields(map[string]property.Value{
				"host": text("10.0.0.1"), "user": text("debian"), "privateKey": text(key),
				"proxy": fields(map[string]property.Value{"host": text("bastion"), "password": text("hunter2")}),
			}).WithSecret(true)},
			"debian@10.0.0.1 by bastion: AAAABBBBCCCCDDDD hunter2", "debian@10.0.0.1 by bastion: [secret] [secret]",
		},
		"a secret script hides its lines and what its secret variables hold": {
			map[string]property.Value{"stdin": secret("export NODE_NAME=worker-0\n" +
				`export TICKET='{"token":"abcdef.0123456789abcdef"}'` + "\njoin_cluster --now\n")},
			"worker-0: bash: `join_cluster --now': token abcdef.0123456789abcdef",
			"worker-0: bash: `[secret]': token [secret]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			masker := New(Collect(property.NewMap(test.inputs)))
			if got := masker.Apply(test.in); got != test.wanted {
				t.Errorf("got %q, wanted %q", got, test.wanted)
			}
		})
	}
}

func TestErrorKeepsWhatItNeedNotChange(t *testing.T) {
	cause := errors.New("hunter2 is wrong")
	if New([]string{"hunter2"}).Error(cause).Error() != "[secret] is wrong" {
		t.Error("the secret is shown")
	}
	if errors.Is(New([]string{"hunter2"}).Error(cause), cause) {
		t.Error("the secret can be unwrapped")
	}
	if New([]string{"other"}).Error(cause) != cause { //nolint:errorlint // identity is the point
		t.Error("an error without a secret was changed")
	}
}
