// Package mapping describes the OpenStack Terraform provider under the names that pulumi-openstack's SDKs use.
package mapping

import (
	"strings"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	sdkv2 "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/terraform-provider-openstack/terraform-provider-openstack/v3/openstack"
)

const maxNameLength = 255

// member is a name in one of the SDK's modules.
type member struct{ module, name string }

// token spells a member as the engine does: openstack:compute/instance:Instance.
func (m member) token() tokens.ModuleMember {
	file := strings.ToLower(m.name[:1]) + m.name[1:]
	return tokens.ModuleMember("openstack:" + m.module + "/" + file + ":" + m.name)
}

// fields holds the names that do not follow from Terraform's.
var fields = map[string]map[string]*tfbridge.SchemaInfo{
	"openstack_networking_subnet_v2": {"allocation_pool": {Name: "allocationPools"}},
}

// Provider returns what the bridge has to know; names that are in no table are not served.
func Provider(version string) tfbridge.ProviderInfo {
	provider := sdkv2.NewProvider(openstack.Provider())
	info := tfbridge.ProviderInfo{
		P:                       provider,
		Name:                    "openstack",
		Version:                 version,
		TFProviderModuleVersion: "v3",
		Resources:               map[string]*tfbridge.ResourceInfo{},
		DataSources:             map[string]*tfbridge.DataSourceInfo{},
	}
	provider.ResourcesMap().Range(func(name string, _ shim.Resource) bool {
		if known, ok := resources[name]; ok {
			info.Resources[name] = &tfbridge.ResourceInfo{Tok: tokens.Type(known.token()), Fields: fields[name]}
		} else {
			info.IgnoreMappings = append(info.IgnoreMappings, name)
		}
		return true
	})
	provider.DataSourcesMap().Range(func(name string, _ shim.Resource) bool {
		if known, ok := functions[name]; ok {
			info.DataSources[name] = &tfbridge.DataSourceInfo{Tok: known.token()}
		} else {
			info.IgnoreMappings = append(info.IgnoreMappings, name)
		}
		return true
	})
	info.SetAutonaming(maxNameLength, "-")
	return info
}
