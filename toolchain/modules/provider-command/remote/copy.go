package remote

import (
	"context"

	"nodewright/provider-command/command"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/infer/types"
)

// CopyToRemote is the resource command:remote:CopyToRemote. It has no Delete:
// what was copied stays.
type CopyToRemote struct{}

// Annotate describes the resource in the schema.
func (c *CopyToRemote) Annotate(a infer.Annotator) {
	a.Describe(&c, "Copy an asset or archive to a remote host.")
}

// CopyToRemoteInputs say what goes where. The engine keeps the hash of the
// source and not its content.
type CopyToRemoteInputs struct {
	Connection *Connection          `pulumi:"connection" provider:"secret"`
	Triggers   *[]any               `pulumi:"triggers,optional" provider:"replaceOnChanges"`
	Source     types.AssetOrArchive `pulumi:"source"`
	RemotePath string               `pulumi:"remotePath"`
}

// Annotate describes the fields in the schema.
func (i *CopyToRemoteInputs) Annotate(a infer.Annotator) {
	a.Describe(&i.Connection, "The parameters with which to connect to the remote host.")
	a.Describe(&i.Triggers, "Trigger replacements on changes to this input.")
	a.Describe(&i.Source, "A FileAsset, a StringAsset or a FileArchive; it is copied as it is, directories recursively.")
	a.Describe(&i.RemotePath, "The destination path on the remote host; a relative one is below the user's home. "+
		"Missing parent directories are made. Into a directory that exists the source is copied under its own name.")
}

// CopyToRemoteState is what the engine keeps.
type CopyToRemoteState struct{ CopyToRemoteInputs }

// Check refuses sources that are no file, text or directory of this machine.
func (*CopyToRemote) Check(
	ctx context.Context, req infer.CheckRequest,
) (infer.CheckResponse[CopyToRemoteInputs], error) {
	inputs, failures, err := infer.DefaultCheck[CopyToRemoteInputs](ctx, req.NewInputs)
	if err != nil {
		return infer.CheckResponse[CopyToRemoteInputs]{Inputs: inputs, Failures: failures}, err
	}
	asset, archive := inputs.Source.Asset, inputs.Source.Archive
	switch {
	case req.NewInputs.Get("source").HasComputed(): // not known before other resources are made
	case asset != nil && (asset.IsPath() || asset.IsText()):
	case archive != nil && archive.IsPath():
	default:
		failures = append(failures, p.CheckFailure{
			Property: "source", Reason: "it must be a FileAsset, a StringAsset or a FileArchive",
		})
	}
	return infer.CheckResponse[CopyToRemoteInputs]{Inputs: inputs, Failures: failures}, nil
}

// Create copies the source.
func (*CopyToRemote) Create(
	ctx context.Context, req infer.CreateRequest[CopyToRemoteInputs],
) (infer.CreateResponse[CopyToRemoteState], error) {
	state := CopyToRemoteState{req.Inputs}
	return command.Create(req, &state, func() error { return state.copy(ctx) })
}

// Update copies the source again when it, or where it goes, has changed. Other
// ways to the same machine are no reason.
func (*CopyToRemote) Update(
	ctx context.Context, req infer.UpdateRequest[CopyToRemoteInputs, CopyToRemoteState],
) (infer.UpdateResponse[CopyToRemoteState], error) {
	state := CopyToRemoteState{req.Inputs}
	return command.Update(req, &state, func() error {
		if state.hash() == req.State.hash() && state.RemotePath == req.State.RemotePath {
			return nil
		}
		return state.copy(ctx)
	})
}

func (i *CopyToRemoteInputs) hash() string {
	if i.Source.Archive != nil {
		return i.Source.Archive.Hash
	}
	return i.Source.Asset.Hash
}
