"""Finished builds are whole, found again, and made anew when what they came from changes."""

from pathlib import Path

import pytest

from lab.images import store


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODEWRIGHT_CACHE", str(tmp_path / "cache"))


def write(target: Path) -> None:
    (target / "content").write_text("whole")


def refuse(target: Path) -> None:
    message = f"nothing should be built in {target}"
    raise AssertionError(message)


def fail_half_way(target: Path) -> None:
    (target / "content").write_text("ha")
    raise KeyboardInterrupt


def test_second_call_builds_nothing() -> None:
    first = store.ensure("part", "abc", write)
    assert store.ensure("part", "abc", refuse) == first


def test_interrupted_build_is_not_taken_for_a_whole_one() -> None:
    with pytest.raises(KeyboardInterrupt):
        store.ensure("part", "abc", fail_half_way)
    assert not (store.folder() / "part-abc").exists()


def test_call_after_an_interrupted_one_starts_with_an_empty_folder() -> None:
    with pytest.raises(KeyboardInterrupt):
        store.ensure("part", "abc", fail_half_way)
    store.sweep()

    def build(target: Path) -> None:
        assert list(target.iterdir()) == []
        write(target)

    assert (store.ensure("part", "abc", build) / "content").read_text() == "whole"
    assert [path.name for path in store.folder().iterdir()] == ["part-abc"]


def test_sweep_keeps_what_is_finished() -> None:
    finished = store.ensure("part", "abc", write)
    store.sweep()
    assert (finished / "content").exists()


def test_another_key_leaves_the_earlier_result_alone() -> None:
    earlier = store.ensure("part", "abc", write)
    assert store.ensure("part", "def", write) != earlier
    assert earlier.is_dir()


def test_prune_keeps_of_each_name_what_was_asked_for_last() -> None:
    for key in ("abc", "def", "ghi"):
        store.ensure("part", key, write)
        store.ensure("other-part", key, write)
    store.ensure("part", "abc", refuse)
    assert store.prune({"part", "other-part"}, ()) == ["other-part-abc", "other-part-def", "part-def", "part-ghi"]
    assert sorted(path.name for path in store.folder().iterdir()) == ["other-part-ghi", "part-abc"]


def test_prune_takes_an_interrupted_build_for_none() -> None:
    store.ensure("part", "abc", write)
    with pytest.raises(KeyboardInterrupt):
        store.ensure("part", "def", fail_half_way)
    assert store.prune({"part"}, ()) == []
    assert [path.name for path in store.folder().iterdir()] == ["part-abc"]


def test_prune_keeps_what_is_in_use() -> None:
    for key in ("abc", "def", "ghi"):
        store.ensure("part", key, write)
    assert store.prune({"part"}, {"part-abc"}) == ["part-def"]


def test_prune_removes_what_no_recipe_names_any_more() -> None:
    store.ensure("part", "abc", write)
    store.ensure("forgotten", "abc", write)
    assert store.prune({"part"}, ()) == ["forgotten-abc"]


@pytest.mark.parametrize("change", ["content", "mode", "name", "link"])
def test_key_follows_what_a_tree_holds(tmp_path: Path, change: str) -> None:
    tree = tmp_path / "tree"
    (tree / "etc").mkdir(parents=True)
    file, link = tree / "etc/file", tree / "etc/link"
    file.write_text("one")
    link.symlink_to("file")
    before = store.key_of([tree])
    assert store.key_of([tree]) == before
    match change:
        case "content":
            file.write_text("two")
        case "mode":
            file.chmod(0o755)
        case "name":
            file.rename(tree / "etc/other")
        case "link":
            link.unlink()
            link.symlink_to("elsewhere")
    assert store.key_of([tree]) != before


def test_key_does_not_depend_on_where_the_project_lies(tmp_path: Path) -> None:
    keys = set()
    for place in ("here", "there"):
        (tmp_path / place / "files").mkdir(parents=True)
        (tmp_path / place / "files/a").write_text("same")
        keys.add(store.key_of([tmp_path / place / "files"]))
    assert len(keys) == 1
