package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// Extensions that OpenSSH has and the protocol itself has not.
const (
	atomicRename = "posix-rename@openssh.com"
	flush        = "fsync@openssh.com"
)

// copy brings the source to the machine.
func (i *CopyToRemoteInputs) copy(ctx context.Context) error {
	machine, err := i.Connection.dial(ctx)
	if err != nil {
		return err
	}
	defer machine.Close()
	// A cancelled copy ends at its next piece; this is for a server that takes none.
	defer context.AfterFunc(ctx, func() {
		time.Sleep(termGrace)
		machine.Close()
	})()
	err = i.send(ctx, machine.Client)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("the operation was cancelled and the copy to %s ended (%w)", i.Connection.address(), ctx.Err())
	default:
		return fmt.Errorf("copying to %s: %w", i.Connection.address(), err)
	}
}

// send copies by the rules of the original: a source that has a name goes into
// a directory that is there under this name, and a directory always does,
// unless its path ends with a slash.
func (i *CopyToRemoteInputs) send(ctx context.Context, connection *ssh.Client) error {
	client, err := sftp.NewClient(connection)
	if err != nil {
		return fmt.Errorf("opening SFTP: %w; sshd_config there needs a line like \"Subsystem sftp internal-sftp\"", err)
	}
	defer client.Close()
	to := transfer{ctx, client}
	if err := to.client.MkdirAll(path.Dir(i.RemotePath)); err != nil {
		return fmt.Errorf("making the directory of %s: %w", i.RemotePath, err)
	}
	if asset := i.Source.Asset; asset != nil && asset.IsText() {
		return to.write(strings.NewReader(asset.Text), i.RemotePath)
	}
	source := i.sourcePath()
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	target := i.RemotePath
	if info.IsDir() {
		if !strings.HasSuffix(source, "/") {
			target = path.Join(target, filepath.Base(source))
		}
		return to.directory(source, target)
	}
	there, err := to.stat(target)
	if err != nil {
		return err
	}
	if there != nil && there.IsDir() {
		target = path.Join(target, filepath.Base(source))
	}
	return to.file(source, target)
}

func (i *CopyToRemoteInputs) sourcePath() string {
	if i.Source.Archive != nil {
		return i.Source.Archive.Path
	}
	return i.Source.Asset.Path
}

// transfer writes on one machine.
type transfer struct {
	ctx    context.Context
	client *sftp.Client
}

// stat says what is there, or nil.
func (t transfer) stat(place string) (fs.FileInfo, error) {
	info, err := t.client.Stat(place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", place, err)
	}
	return info, nil
}

func (t transfer) directory(source, target string) error {
	return fs.WalkDir(os.DirFS(source), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place := path.Join(target, name)
		if !entry.IsDir() {
			return t.file(filepath.Join(source, name), place)
		}
		if err := t.client.MkdirAll(place); err != nil {
			return fmt.Errorf("making directory %s: %w", place, err)
		}
		return nil
	})
}

func (t transfer) file(source, target string) error {
	content, err := os.Open(source)
	if err != nil {
		return err
	}
	defer content.Close()
	return t.write(content, target)
}

// write puts content beside the target and then in its place, so that nobody
// takes half a file for a whole one.
func (t transfer) write(content io.Reader, target string) error {
	there, err := t.stat(target)
	if err != nil {
		return err
	}
	if there != nil {
		if !there.Mode().IsRegular() {
			return fmt.Errorf("%s is there and no file; give the path of a file", target)
		}
		// The file that a link leads to is meant, not the link.
		real, err := t.client.RealPath(target)
		if err != nil {
			return fmt.Errorf("finding %s: %w", target, err)
		}
		target = real
	}
	part := path.Join(path.Dir(target), "."+path.Base(target)+".part")
	_ = t.client.Remove(part) // of a copy that was cut off
	if err = t.fill(part, content, there); err == nil {
		err = t.rename(part, target)
	}
	if err != nil {
		_ = t.client.Remove(part)
		return fmt.Errorf("writing %s: %w", target, err)
	}
	return nil
}

// fill writes a new file, with the mode of the one whose place it takes.
func (t transfer) fill(place string, content io.Reader, instead fs.FileInfo) error {
	file, err := t.client.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = file.ReadFromWithConcurrency(untilCancelled{t.ctx, content}, 0)
	if err == nil && instead != nil {
		err = file.Chmod(instead.Mode().Perm())
	}
	if _, able := t.client.HasExtension(flush); able && err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func (t transfer) rename(from, to string) error {
	if _, able := t.client.HasExtension(atomicRename); able {
		return t.client.PosixRename(from, to)
	}
	// The protocol's own renaming refuses a target that is there.
	_ = t.client.Remove(to)
	return t.client.Rename(from, to)
}

// untilCancelled reads until the operation is cancelled.
type untilCancelled struct {
	ctx context.Context
	io.Reader
}

func (u untilCancelled) Read(buffer []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(buffer)
}
