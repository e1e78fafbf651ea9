package command

import (
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Create gives a new resource its id and acts, unless this is a preview.
// What act writes into the state is what the engine keeps.
func Create[I, S any](
	req infer.CreateRequest[I], state *S, act func() error,
) (infer.CreateResponse[S], error) {
	id, err := resource.NewUniqueHex(req.Name, 8, 0)
	if err == nil && !req.DryRun {
		err = act()
	}
	return infer.CreateResponse[S]{ID: id, Output: *state}, err
}

// Update acts for changed inputs, unless this is a preview.
func Update[I, S any](
	req infer.UpdateRequest[I, S], state *S, act func() error,
) (infer.UpdateResponse[S], error) {
	var err error
	if !req.DryRun {
		err = act()
	}
	return infer.UpdateResponse[S]{Output: *state}, err
}
