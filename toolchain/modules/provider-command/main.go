// Program pulumi-resource-command stands in for Pulumi's own command plugin on
// machines that cannot download it. It serves the schema of SDK 1.2.1, so a
// program does not notice which of the two it talks to.
package main

import (
	"context"
	"fmt"
	"os"

	"nodewright/provider-command/local"
	"nodewright/provider-command/mask"
	"nodewright/provider-command/remote"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
)

// version is set by the linker. Its build part keeps anyone from taking this
// plugin for the original.
var version = "1.2.1+nodewright"

func main() {
	if err := newProvider().Run(context.Background(), "command", version); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newProvider() p.Provider {
	served := infer.Provider(infer.Options{
		Metadata: schema.Metadata{
			DisplayName: "Command",
			Description: "Nodewright's stand-in for Pulumi's command provider.",
			License:     "Apache-2.0",
			Publisher:   "Nodewright",
		},
		Resources: []infer.InferredResource{
			infer.Resource(&local.Command{}),
			infer.Resource(&remote.Command{}),
			infer.Resource(&remote.CopyToRemote{}),
		},
		Functions: []infer.InferredFunction{
			infer.Function(&local.Run{}),
		},
	})
	return refuseUnserved(mask.Wrap(served))
}
