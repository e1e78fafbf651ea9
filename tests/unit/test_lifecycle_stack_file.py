"""A stack file is changed where it must be, and nowhere else."""

from pathlib import Path

import pytest

from lifecycle.edits import Edit
from lifecycle.errors import Exit, LifecycleError
from lifecycle.stack_file import StackFile, stack_names, stack_path

STACKS = Path(__file__).parents[2] / "stacks"
TEXT = """\
# Ours.
encryptionsalt: v1:abc=
config:
  openstack:cloud: 'lab'   # in clouds.yaml
  nodewright:secret:
    secure: v1:x:y=
  nodewright:cluster:
    name: "demo"
    # The version we tested.
    kubernetes: {version: "1.34.3", pod-cidr: 10.244.0.0/16}  # all nodes
    network: {cidr: 10.20.0.0/24, external: public}

    control-plane: {count: 1, image: node, flavor: m1.medium, volume-gib: 4}
    workers:
      worker:
        count: 2  # enough for now
        image: node
        flavor: m1.large
        taints:
          - a=b:NoSchedule # keep out
"""


def edited(*edits: tuple[tuple[str, ...], object]) -> str:
    file = StackFile(Path("Pulumi.demo.yaml"), TEXT)
    return file.apply(Edit(path=path, old=None, new=new) for path, new in edits).text()


@pytest.mark.parametrize("path", sorted(STACKS.glob("*.yaml")), ids=lambda path: path.name)
def test_a_file_that_nobody_changes_stays_as_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if "nodewright:cluster" in text:
        assert StackFile(path, text).text() == text


def test_only_the_changed_value_differs() -> None:
    assert edited((("workers", "worker", "count"), 4)) == TEXT.replace("count: 2  # enough", "count: 4  # enough")


def test_quotes_stay() -> None:
    assert edited((("kubernetes", "version"), "1.34.5")) == TEXT.replace('"1.34.3"', '"1.34.5"')


def test_a_new_section_is_made_where_none_was() -> None:
    text = edited((("workers", "worker", "heal", "worker-1"), 1))
    assert "heal:\n          worker-1: 1\n" in text
    assert all(line in text.splitlines() for line in TEXT.splitlines())


def test_a_list_is_made_and_then_extended() -> None:
    path = ("workers", "worker", "without")
    file = StackFile(Path("Pulumi.demo.yaml"), edited((path, ("worker-1",))))
    assert "without: [worker-1]" in file.text()
    longer = file.apply([Edit(path=path, old=("worker-1",), new=("worker-1", "worker-0"))])
    assert longer.settings().workers["worker"].without == ("worker-1", "worker-0")


def test_applying_leaves_the_file_itself_alone() -> None:
    file = StackFile(Path("Pulumi.demo.yaml"), TEXT)
    file.apply([Edit(path=("name",), old="demo", new="other")])
    assert file.text() == TEXT


def test_writing_replaces_the_file_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.demo.yaml"
    path.write_text(TEXT, encoding="utf-8")
    path.chmod(0o640)
    StackFile(path, TEXT).apply([Edit(path=("generation",), old=0, new=1)]).write()
    assert "generation: 1" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["Pulumi.demo.yaml"]


def test_the_cloud_is_read_from_the_file() -> None:
    assert StackFile(Path("x"), TEXT).cloud == "lab"


@pytest.mark.parametrize("text", ["config: {}", "- a", "", "config:\n  a: b"])
def test_a_file_without_a_cluster_is_refused(text: str) -> None:
    with pytest.raises(LifecycleError, match="there is no nodewright:cluster"):
        StackFile(Path("Pulumi.demo.yaml"), text)


def test_a_file_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(LifecycleError, match="no YAML"):
        StackFile(Path("Pulumi.demo.yaml"), "config: [")


def test_every_fault_of_the_settings_is_said_at_once() -> None:
    text = TEXT.replace("count: 2", "count: -2").replace("10.20.0.0/24", "10.20.0.5/24")
    with pytest.raises(LifecycleError, match=r"2 faults") as raised:
        StackFile(Path("Pulumi.demo.yaml"), text).settings()
    assert raised.value.code is Exit.USAGE


def test_stacks_are_named_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: x\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.one.yaml").write_text(TEXT)
    (tmp_path / "stacks" / "two.example.yaml").write_text(TEXT)
    assert stack_names(tmp_path) == ("one",)
    with pytest.raises(LifecycleError, match="stacks with a file: one") as raised:
        StackFile.read(tmp_path, "two")
    assert raised.value.code is Exit.NO_STACK


@pytest.mark.parametrize("name", ["../x", "", "a/b", "-x"])
def test_a_stack_name_never_leaves_its_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: x\n")
    with pytest.raises(LifecycleError, match="no stack name"):
        stack_path(tmp_path, name)
