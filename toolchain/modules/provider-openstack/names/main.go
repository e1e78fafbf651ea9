// Prints every token that the plugin serves with the names of its inputs and outputs, for a comparison with the SDK.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"

	"nodewright/toolchain/provider-openstack/mapping"
)

// property is what must agree with the SDK: a list where it has one, a secret where it keeps one.
type property struct {
	List     bool                `json:"list"`
	Secret   bool                `json:"secret"`
	Required bool                `json:"required"`
	Fields   map[string]property `json:"fields,omitempty"`
}

func main() {
	provider := mapping.Provider("0.0.0")
	answer := map[string]map[string]property{}
	for name, info := range provider.Resources {
		answer[string(info.Tok)] = properties(provider.P.ResourcesMap().Get(name).Schema(), info.Fields)
	}
	for name, info := range provider.DataSources {
		answer[string(info.Tok)] = properties(provider.P.DataSourcesMap().Get(name).Schema(), info.Fields)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}

func properties(schema shim.SchemaMap, fields map[string]*tfbridge.SchemaInfo) map[string]property {
	found := map[string]property{}
	schema.Range(func(name string, value shim.Schema) bool {
		found[tfbridge.TerraformToPulumiNameV2(name, schema, fields)] = describe(value)
		return true
	})
	return found
}

func describe(value shim.Schema) property {
	list := value.Type() == shim.TypeList || value.Type() == shim.TypeSet
	described := property{
		List:     list && !tfbridge.IsMaxItemsOne(value, nil),
		Secret:   value.Sensitive(),
		Required: value.Required(),
	}
	if nested, ok := value.Elem().(shim.Resource); ok {
		described.Fields = properties(nested.Schema(), nil)
	}
	return described
}
