package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

const agentVariable = "SSH_AUTH_SOCK"

// clientConfig says who we are to the server and which server we accept. The
// closer ends the talk with the SSH agent, which is needed only while dialling.
func (e *Endpoint) clientConfig() (*ssh.ClientConfig, io.Closer, error) {
	config := &ssh.ClientConfig{User: orDefault(e.User, defaultUser)}
	if err := e.expectHostKey(config); err != nil {
		return nil, nil, err
	}
	if e.PrivateKey != nil {
		signer, err := e.signer()
		if err != nil {
			return nil, nil, fmt.Errorf("reading the private key for %s: %w", e.address(), err)
		}
		config.Auth = append(config.Auth, ssh.PublicKeys(signer))
	}
	if e.Password != nil {
		config.Auth = append(config.Auth, ssh.Password(*e.Password), ssh.KeyboardInteractive(e.answer))
	}
	talk, err := e.dialAgent(len(config.Auth) > 0)
	if err != nil {
		return nil, nil, err
	}
	if talk == nil {
		return config, io.NopCloser(nil), nil
	}
	config.Auth = append(config.Auth, ssh.PublicKeysCallback(agent.NewClient(talk).Signers))
	return config, talk, nil
}

func (e *Endpoint) signer() (ssh.Signer, error) {
	if e.PrivateKeyPassword != nil {
		return ssh.ParsePrivateKeyWithPassphrase([]byte(*e.PrivateKey), []byte(*e.PrivateKeyPassword))
	}
	return ssh.ParsePrivateKey([]byte(*e.PrivateKey))
}

// answer gives the password to servers that ask for it as a question.
func (e *Endpoint) answer(_, _ string, questions []string, _ []bool) ([]string, error) {
	answers := make([]string, len(questions))
	for i := range answers {
		answers[i] = *e.Password
	}
	return answers, nil
}

// dialAgent connects to the agent that the inputs or else the environment name.
// One that only the environment names may be gone when there is another way in.
func (e *Endpoint) dialAgent(otherWayIn bool) (net.Conn, error) {
	path := orDefault(e.AgentSocketPath, os.Getenv(agentVariable))
	if path == "" {
		return nil, nil
	}
	talk, err := net.Dial("unix", path)
	if err != nil {
		if e.AgentSocketPath == nil && otherWayIn {
			return nil, nil
		}
		return nil, fmt.Errorf("connecting to the SSH agent: %w", err)
	}
	return talk, nil
}

// expectHostKey pins the server's key. Without a key to compare with, any
// server is accepted, as by the original.
func (e *Endpoint) expectHostKey(config *ssh.ClientConfig) error {
	if e.HostKey == nil {
		config.HostKeyCallback = ssh.InsecureIgnoreHostKey() //nolint:gosec // the original's documented default
		return nil
	}
	wanted, _, _, _, err := ssh.ParseAuthorizedKey([]byte(*e.HostKey))
	if err != nil {
		return fmt.Errorf("reading hostKey of %s: %w; it must look like \"ssh-ed25519 AAAA…\"", e.address(), err)
	}
	// A server with several keys would else choose another one than ours.
	config.HostKeyAlgorithms = algorithms(wanted.Type())
	config.HostKeyCallback = func(_ string, _ net.Addr, got ssh.PublicKey) error {
		if bytes.Equal(got.Marshal(), wanted.Marshal()) {
			return nil
		}
		return fmt.Errorf("ssh: host key mismatch: %s answers with %s, expected %s",
			e.address(), fingerprint(got), fingerprint(wanted))
	}
	return nil
}

// explain turns the refusal of a server that lacks the pinned key's type into
// what it means.
func (e *Endpoint) explain(err error) error {
	var negotiation *ssh.AlgorithmNegotiationError
	if e.HostKey == nil || !errors.As(err, &negotiation) {
		return err
	}
	wanted, _, _, _, parseErr := ssh.ParseAuthorizedKey([]byte(*e.HostKey))
	if parseErr != nil {
		return err
	}
	return fmt.Errorf("ssh: host key mismatch: %s has no key of the expected type, expected %s: %w",
		e.address(), fingerprint(wanted), err)
}

// algorithms are the signatures that a key of this type can make.
func algorithms(keyType string) []string {
	if keyType == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA}
	}
	return []string{keyType}
}

func fingerprint(key ssh.PublicKey) string {
	return key.Type() + " " + ssh.FingerprintSHA256(key)
}
