package main

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// unserved are the resources that the official plugin has for old programs
// only: CopyToRemote has taken the place of CopyFile.
var unserved = map[tokens.Type]bool{"command:remote:CopyFile": true}

// refuseUnserved answers for resources which only the official plugin has.
// Without it the engine would report an unknown resource type, and the user
// would look for the fault in the program. Check comes before every other
// operation on a resource that is still in the program; Delete is for one
// that the official plugin made and that has left the program since.
func refuseUnserved(provider p.Provider) p.Provider {
	check, remove := provider.Check, provider.Delete
	provider.Check = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		if err := refusal(req.Urn.Type()); err != nil {
			return p.CheckResponse{}, err
		}
		return check(ctx, req)
	}
	provider.Delete = func(ctx context.Context, req p.DeleteRequest) error {
		if unserved[req.Urn.Type()] {
			return nil // the original does nothing on delete either
		}
		return remove(ctx, req)
	}
	return provider
}

func refusal(token tokens.Type) error {
	if !unserved[token] {
		return nil
	}
	return fmt.Errorf("%s is not served by this stand-in (version %s): install the official plugin with "+
		"`pulumi plugin install resource command 1.2.1`", token, version)
}
