//go:build tools

// Keeps the daemon in this module's requirements; nothing here is compiled.
package tools

import _ "github.com/flannel-io/flannel"
