"""Files that are copied over SFTP: whole or not at all, again when they change, to the right machine only."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from tests.toolchain.command_plugin.conftest import NewStack
from tests.toolchain.command_plugin.sshd import Keys, SshServer
from tests.toolchain.command_plugin.stack import PROGRAM

pytestmark = pytest.mark.engine

BIG_BYTES = 10_000_000
# More than arrives before a test can end it.
LONG_BYTES = 100_000_000
SLOW_SFTP = """\
import os, subprocess, time
with subprocess.Popen(["/usr/lib/openssh/sftp-server"], stdin=subprocess.PIPE) as server:
    while piece := os.read(0, 65536):
        server.stdin.write(piece)
        server.stdin.flush()
        time.sleep(0.05)
"""


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.tar"
    path.write_bytes(os.urandom(BIG_BYTES))
    return path


def test_a_large_file_arrives_whole_and_is_copied_again_only_when_it_changed(
    new_stack: NewStack, server: SshServer, keys: Keys, source: Path, tmp_path: Path
) -> None:
    stack = new_stack("copies")
    target = tmp_path / "made" / "on the way" / "target.tar"

    def declare(trigger: str = "machine-1", **connection: object) -> None:
        stack.copy(
            "copy",
            server.connection(**connection),
            file=str(source),
            remote_path=str(target),
            triggers=[trigger],
        )

    declare()
    first = stack.up()
    assert first.ok, first.output
    assert digest(target) == digest(source)
    assert [path.name for path in target.parent.iterdir()] == ["target.tar"]
    written = target.stat().st_mtime_ns

    declare()
    again = stack.up("--expect-no-changes")
    assert again.ok, again.output
    # Another way to the same machine is a change of the resource, but no reason to copy.
    declare(dialErrorLimit=3)
    moved = stack.up()
    assert moved.ok, moved.output
    assert target.stat().st_mtime_ns == written

    source.write_bytes(os.urandom(BIG_BYTES // 2))
    target.chmod(0o640)
    declare(dialErrorLimit=3)
    changed = stack.up()
    assert changed.ok, changed.output
    assert digest(target) == digest(source)
    assert target.stat().st_mode & 0o777 == 0o640

    target.unlink()
    declare("machine-2", dialErrorLimit=3)
    replaced = stack.up()
    assert replaced.ok, replaced.output
    assert digest(target) == digest(source)

    # The state has the hash alone, so what was copied may be gone when the resource goes.
    source.unlink()
    removed = stack.up()
    assert removed.ok, removed.output
    assert target.exists()
    assert keys.plain.read_text().splitlines()[2] not in stack.state()


def test_what_a_source_is_called_decides_where_it_goes(new_stack: NewStack, server: SshServer, tmp_path: Path) -> None:
    tree, there = tmp_path / "tree", tmp_path / "there"
    (tree / "below").mkdir(parents=True)
    (tree / "a").write_text("a")
    (tree / "below" / "b").write_text("b")
    there.mkdir()
    link, behind = tmp_path / "link", tmp_path / "behind"
    behind.write_text("old")
    link.symlink_to(behind)
    stack = new_stack("places")
    here = server.connection()
    stack.copy("into-directory", here, file=str(tree / "a"), remote_path=str(there))
    stack.copy("text", here, text="words", remote_path=str(there / "text"))
    stack.copy("through-link", here, text="new", remote_path=str(link))
    stack.copy("tree", here, directory=str(tree), remote_path=str(there))
    stack.copy("content", here, directory=f"{tree}/", remote_path=str(there / "content"))
    # A relative source is one of the program's.
    stack.copy("relative", here, file="Pulumi.yaml", remote_path=str(there / "relative"))
    done = stack.up()
    assert done.ok, done.output
    found = {str(path.relative_to(there)) for path in there.rglob("*") if path.is_file()}
    assert found == {"a", "text", "tree/a", "tree/below/b", "content/a", "content/below/b", "relative"}
    assert (there / "text").read_text() == "words"
    assert (link.is_symlink(), behind.read_text()) == (True, "new")
    assert (there / "relative").read_bytes() == (PROGRAM / "Pulumi.yaml").read_bytes()
    assert stack.preview_again().ok


def test_a_preview_copies_nothing_and_need_not_know_where_to(
    new_stack: NewStack, server: SshServer, tmp_path: Path
) -> None:
    stack = new_stack("previewed-copies")

    def declare() -> None:
        stack.local("place", create=f"printf {tmp_path}/target")
        stack.local("host", create="printf 127.0.0.1")
        machine = server.connection(host={"stdout of": "host"})
        stack.copy("copy", machine, text="words", remote_path={"stdout of": "place"})
        stack.copy("unknown-text", machine, text={"stdout of": "place"}, remote_path=f"{tmp_path}/text")

    declare()
    previewed = stack.preview()
    assert previewed.ok, previewed.output
    assert list(tmp_path.iterdir()) == []
    declare()
    done = stack.up()
    assert done.ok, done.output
    assert (tmp_path / "target").read_text() == "words"
    assert (tmp_path / "text").read_text() == f"{tmp_path}/target"


def test_what_cannot_be_copied_is_said_and_leaves_nothing(
    new_stack: NewStack, server: SshServer, keys: Keys, tmp_path: Path
) -> None:
    other = SshServer(tmp_path / "other", keys, sftp="")
    other.start()
    source, places = tmp_path / "source", tmp_path / "places"
    source.write_text("content")
    places.mkdir()
    (places / "file").write_text("in the way")
    try:
        stack = new_stack("refused-copies")
        here, few = server.connection(), {"dialErrorLimit": 1}
        wrong = server.connection(hostKey=other.host_key(), **few)
        stack.copy("wrong-key", wrong, file=str(source), remote_path=str(places / "wrong-key"))
        stack.copy("no-sftp", other.connection(**few), file=str(source), remote_path=str(places / "no-sftp"))
        stack.copy("no-directory", here, file=str(source), remote_path=str(places / "file" / "below"))
        stack.copy("text-on-directory", here, text="words", remote_path=str(places))
        stack.copy("url", here, url="http://127.0.0.1:1/", remote_path=str(places / "url"))
        refused = stack.up("--continue-on-error")
    finally:
        other.stop()
    assert not refused.ok
    assert "ssh: host key mismatch" in refused.output
    assert "Subsystem sftp internal-sftp" in refused.output
    assert f"making the directory of {places}/file/below" in refused.output
    assert f"{places} is there and no file" in refused.output
    assert keys.plain.read_text().splitlines()[2] not in refused.output
    assert stack.commands() == set()
    assert [path.name for path in places.iterdir()] == ["file"]


def test_a_cancelled_copy_ends_and_leaves_what_was_there(new_stack: NewStack, keys: Keys, tmp_path: Path) -> None:
    source, target, hangs = tmp_path / "long", tmp_path / "target", tmp_path / "hangs"
    source.touch()
    os.truncate(source, LONG_BYTES)
    target.write_text("old")
    part = tmp_path / ".target.part"
    program = tmp_path / "slow.py"
    program.write_text(SLOW_SFTP)
    slow = SshServer(tmp_path / "slow", keys, sftp=f"{sys.executable} {program}")
    silent = SshServer(tmp_path / "silent", keys, sftp=f"touch {hangs}; sleep 60")
    stack = new_stack("cancelled-copies")
    for name, server in (("slow", slow), ("silent", silent)):
        server.start()
        stack.copy(name, server.connection(), file=str(source), remote_path=str(target))
    try:
        ended = stack.cancelled_up(when=lambda: part.exists() and hangs.exists(), within_s=60)
    finally:
        slow.stop()
        silent.stop()
    assert not ended.ok
    assert ended.seconds < 30
    for server in (slow, silent):
        assert f"the copy to 127.0.0.1:{server.port} ended" in ended.output
    assert target.read_text() == "old"
    assert not part.exists()
