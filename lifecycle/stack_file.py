"""A stack's file, read and changed in place: comments, order and quotes stay as their author left them."""

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import ScalarString

from cluster.settings import ClusterSettings, SettingsError, load
from lifecycle.edits import Edit
from lifecycle.errors import Exit, LifecycleError

CLUSTER_KEY = "nodewright:cluster"
STACK_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9_.]*")
LONGEST_LINE = 4096


def stack_directory(project: Path) -> Path:
    """Find the folder of stack files that Pulumi.yaml names."""
    described = YAML(typ="safe").load((project / "Pulumi.yaml").read_text(encoding="utf-8"))
    return project / str(described.get("stackConfigDir") or described.get("config") or ".")


def stack_path(project: Path, stack: str) -> Path:
    """Give the path of a stack's file, whether it exists or not."""
    if not STACK_NAME.fullmatch(stack):
        raise LifecycleError(Exit.USAGE, f"finding stack {stack!r}: that is no stack name; use letters, digits, . _ -")
    return stack_directory(project) / f"Pulumi.{stack}.yaml"


def stack_names(project: Path) -> tuple[str, ...]:
    """Name every stack that has a file."""
    files = sorted(stack_directory(project).glob("Pulumi.*.yaml"))
    return tuple(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files)


class StackFile:
    """One stack's file as its author wrote it."""

    def __init__(self, path: Path, text: str) -> None:
        """Read the text; raise `LifecycleError` when it is no stack file."""
        self.path = path
        self._yaml = _round_trip(text)
        try:
            self._document = self._yaml.load(text)
            self._config: Mapping[str, Any] = self._document["config"]
            self._cluster = self._config[CLUSTER_KEY]
        except YAMLError as error:
            raise LifecycleError(Exit.USAGE, f"reading {path.name}: it is no YAML: {error}") from error
        except (KeyError, TypeError) as error:
            text = f"reading {path.name}: there is no {CLUSTER_KEY} under config; see docs/config.md"
            raise LifecycleError(Exit.USAGE, text) from error

    @classmethod
    def read(cls, project: Path, stack: str) -> "StackFile":
        """Read the file of a stack, or say which stacks there are."""
        path = stack_path(project, stack)
        try:
            return cls(path, path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            known = ", ".join(stack_names(project)) or "none"
            text = f"finding stack {stack}: there is no {path.name}; stacks with a file: {known}"
            raise LifecycleError(Exit.NO_STACK, text) from error

    @property
    def cloud(self) -> str | None:
        """The name in clouds.yaml of the cloud this stack uses, where it says one."""
        cloud = self._config.get("openstack:cloud")
        return str(cloud) if cloud else None

    def settings(self) -> ClusterSettings:
        """Check what the file says; raise `LifecycleError` with every fault."""
        try:
            return load(_plain(self._cluster))
        except SettingsError as error:
            raise LifecycleError(Exit.USAGE, str(error)) from error

    def apply(self, edits: Iterable[Edit]) -> "StackFile":
        """Give the file with these values changed; this one stays as it is."""
        changed = StackFile(self.path, self.text())
        for edit in edits:
            _put(changed._cluster, edit.path, edit.new)
        return changed

    def text(self) -> str:
        """Give the file as text."""
        stream = StringIO()
        self._yaml.dump(self._document, stream)
        return stream.getvalue()

    def write(self) -> None:
        """Put the file in place at once: a reader sees the old one or the new one, never half of one."""
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(self.text())
                stream.flush()
                os.fsync(stream.fileno())
            if self.path.exists():
                Path(name).chmod(self.path.stat().st_mode & 0o777)
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _round_trip(text: str) -> YAML:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = LONGEST_LINE
    yaml.explicit_start = text.startswith("---")
    # The author's own habit of indenting lists; ruamel has one for the whole file.
    if re.search(r"^( *)[^ #\n][^\n]*:[^\n]*\n(?: *#[^\n]*\n)*\1  - ", text, re.MULTILINE):
        yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _put(section: Any, path: tuple[str, ...], value: Any) -> None:
    """Set a value, making the sections on the way to it."""
    for key in path[:-1]:
        if section.get(key) is None:
            section[key] = {}
        section = section[key]
    key = path[-1]
    if isinstance(value, tuple):
        present = section.get(key)
        if isinstance(present, list):
            # In place, so that the list keeps its style and its comments.
            present[:] = [item for item in present if item in value]
            present.extend(item for item in value if item not in present)
            return
        value = _flow_list(value)
    elif isinstance(section.get(key), ScalarString):
        value = type(section[key])(value)
    section[key] = value


def _flow_list(values: Iterable[str]) -> Any:
    written = CommentedSeq(values)
    written.fa.set_flow_style()
    return written


def _plain(value: Any) -> Any:
    """Take the author's style off the values: what is left is what Pulumi hands to the program."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    for plain in (str, int, float):
        if isinstance(value, plain):
            return plain(value)
    return str(value)
