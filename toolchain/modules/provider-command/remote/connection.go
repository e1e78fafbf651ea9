// Package remote runs commands on another machine over SSH.
package remote

import (
	"net"
	"strconv"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	defaultUser           = "root"
	defaultPort           = 22
	defaultDialErrorLimit = 10
	defaultPerDialTimeout = 15
	unlimited             = -1
)

// Endpoint says how to reach one SSH server.
type Endpoint struct {
	User               *string  `pulumi:"user,optional"`
	Password           *string  `pulumi:"password,optional"`
	Host               *string  `pulumi:"host"`
	Port               *float64 `pulumi:"port,optional"`
	PrivateKey         *string  `pulumi:"privateKey,optional"`
	PrivateKeyPassword *string  `pulumi:"privateKeyPassword,optional"`
	AgentSocketPath    *string  `pulumi:"agentSocketPath,optional"`
	DialErrorLimit     *int     `pulumi:"dialErrorLimit,optional"`
	PerDialTimeout     *int     `pulumi:"perDialTimeout,optional"`
	HostKey            *string  `pulumi:"hostKey,optional"`
}

// Connection is the server on which a command runs.
type Connection struct {
	Endpoint
	Proxy *ProxyConnection `pulumi:"proxy,optional"`
}

// ProxyConnection is a bastion: the server through which the other is reached.
type ProxyConnection struct{ Endpoint }

// Annotate describes the type and its defaults in the schema.
func (c *Connection) Annotate(a infer.Annotator) {
	a.Describe(&c, "Instructions for how to connect to a remote endpoint.")
	a.Describe(&c.Proxy, "The connection settings for the bastion/proxy host.")
	c.annotate(a)
}

// Annotate describes the type and its defaults in the schema.
func (c *ProxyConnection) Annotate(a infer.Annotator) {
	a.Describe(&c, "Instructions for how to connect to a remote endpoint via a bastion host.")
	c.annotate(a)
}

func (e *Endpoint) annotate(a infer.Annotator) {
	a.Describe(&e.User, "The user that we should use for the connection.")
	a.SetDefault(&e.User, defaultUser)
	a.Describe(&e.Password, "The password we should use for the connection.")
	a.Describe(&e.Host, "The address of the resource to connect to.")
	a.Describe(&e.Port, "The port to connect to. Defaults to 22.")
	a.SetDefault(&e.Port, defaultPort)
	a.Describe(&e.PrivateKey, "The contents of an SSH key. This takes preference over the password if provided.")
	a.Describe(&e.PrivateKeyPassword, "The password to use in case the private key is encrypted.")
	a.Describe(&e.AgentSocketPath, "SSH agent socket path. Defaults to environment variable SSH_AUTH_SOCK if present.")
	a.Describe(&e.DialErrorLimit, "Max allowed errors on trying to dial the remote host. -1 is unlimited.")
	a.SetDefault(&e.DialErrorLimit, defaultDialErrorLimit)
	a.Describe(&e.PerDialTimeout, "Max number of seconds for each dial attempt. 0 implies no maximum.")
	a.SetDefault(&e.PerDialTimeout, defaultPerDialTimeout)
	a.Describe(&e.HostKey, "The expected host key. If not provided, any host key is accepted.")
}

func (e *Endpoint) address() string {
	return net.JoinHostPort(orDefault(e.Host, ""), strconv.Itoa(int(orDefault(e.Port, defaultPort))))
}

func (e *Endpoint) dialTimeout() time.Duration {
	return time.Duration(orDefault(e.PerDialTimeout, defaultPerDialTimeout)) * time.Second
}

func (e *Endpoint) errorLimit() int { return orDefault(e.DialErrorLimit, defaultDialErrorLimit) }

// orDefault reads an optional input. Defaults are filled in by the SDK and by
// the check of inputs, but a state written by hand may lack them.
func orDefault[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}
