package mask

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
)

// Wrap gives every operation that runs a command its masker, and masks the
// error that it ends with.
func Wrap(provider p.Provider) p.Provider {
	create, update, remove, invoke := provider.Create, provider.Update, provider.Delete, provider.Invoke
	provider.Create = func(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
		masker := New(Collect(req.Properties))
		response, err := create(with(ctx, masker), req)
		return response, masker.Error(err)
	}
	provider.Update = func(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
		masker := New(Collect(req.State, req.Inputs))
		response, err := update(with(ctx, masker), req)
		return response, masker.Error(err)
	}
	provider.Delete = func(ctx context.Context, req p.DeleteRequest) error {
		masker := New(Collect(req.Properties))
		return masker.Error(remove(with(ctx, masker), req))
	}
	provider.Invoke = func(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
		masker := New(Collect(req.Args))
		response, err := invoke(with(ctx, masker), req)
		return response, masker.Error(err)
	}
	return provider
}
