// Serves the OpenStack Terraform provider to the Pulumi engine as pulumi-openstack does.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"

	"nodewright/toolchain/provider-openstack/mapping"
)

// version is set by the build, so that nobody takes this plugin for the original.
var version = "0.0.0-dev"

func main() {
	schema := fmt.Sprintf(`{"name": "openstack", "version": %q}`, version)
	tfbridge.Main("openstack", version, mapping.Provider(version), []byte(schema))
}
