//go:build tools

// Keeps the plugin in this module's requirements; nothing here is compiled.
package tools

import _ "github.com/containernetworking/plugins/plugins/meta/flannel"
