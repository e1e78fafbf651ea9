// Package udp stands in for flannel's UDP backend, which is C on amd64; a network that asks for it is refused by name.
package udp
