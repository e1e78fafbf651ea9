//go:build tools

// Keeps the engine's command in this module's requirements; nothing here is compiled.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
