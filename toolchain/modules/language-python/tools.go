//go:build tools

// Keeps the language host in this module's requirements; nothing here is compiled.
package tools

import _ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
