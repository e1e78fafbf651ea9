"""Data outlives the storage machine, and nobody takes it away from who uses it."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import openstack
import pytest

from tests.lab.conftest import Lab
from tests.lab.data_cluster import DataCluster
from tests.lab.kubeadm_by_hand import wait_for
from tests.lab.lab_stack import Run
from tests.lab.storage_pods import claim, pod

pytestmark = [pytest.mark.lab, pytest.mark.long]

CLAIM = "data"
WRITER = "writer"
PAYLOAD = "/volume/nfs/shared/payload"
BEATS = "/volume/nfs/shared/beats"


@pytest.fixture(scope="module")
def writer(data_cluster: DataCluster) -> Iterator[DataCluster]:
    """A pod that writes the time to a volume five times a second, and a file beside it whose sum is known."""
    data_cluster.apply(claim(CLAIM, "shared"), pod(WRITER, CLAIM, "write-loop", "/data/beats"))
    data_cluster.wait_for_pods(WRITER)
    data_cluster.run_on("storage", f"head -c 5M /dev/urandom | sudo tee {PAYLOAD} >/dev/null && sync")
    yield data_cluster
    data_cluster.kubectl("delete", "pod", WRITER, "--ignore-not-found", "--timeout=90s")
    data_cluster.kubectl("delete", "pvc", CLAIM, "--ignore-not-found", "--timeout=90s")


def checksum(cluster: DataCluster) -> str:
    return cluster.run_on("storage", f"sha256sum <{PAYLOAD}").split()[0]


def beats(cluster: DataCluster) -> list[datetime]:
    lines = cluster.run_on("storage", f"cat {BEATS}").split()
    return [datetime.fromisoformat(line[:26].rstrip("Z")) for line in lines]


def identity(cluster: DataCluster) -> str:
    """The pod itself: another uid is another pod, a restart another container."""
    wanted = "{.metadata.uid} {.status.containerStatuses[0].restartCount}"
    return cluster.kubectl("get", "pod", WRITER, f"--output=jsonpath={wanted}")


def phase(cluster: DataCluster) -> str:
    return cluster.kubectl("get", "pvc", CLAIM, "--output=jsonpath={.status.phase}")


def longest_gap_s(cluster: DataCluster) -> float:
    times = beats(cluster)
    return max((after - before).total_seconds() for before, after in zip(times, times[1:], strict=False))


def wait_until_it_writes_again(cluster: DataCluster) -> None:
    seen = len(beats(cluster))
    wait_for(90, "the pod to write again", lambda: len(beats(cluster)) > seen + 3)


def test_a_pod_writes_to_a_volume_of_the_storage_machine(writer: DataCluster) -> None:
    wait_until_it_writes_again(writer)
    assert phase(writer) == "Bound"


def test_a_second_up_changes_nothing(writer: DataCluster) -> None:
    run = writer.up("--expect-no-changes")
    assert run.ok, run.output


def test_nodes_mount_what_manifests_say(writer: DataCluster) -> None:
    writer.apply(claim("archive", "archive", "500Mi"), pod("archivist", "archive", "put", "/data/note", "kept"))
    wait_for(
        90, "the note", lambda: writer.run_on("storage", "cat /volume/nfs/archive/note", check=False).strip() == "kept"
    )
    writer.kubectl("delete", "pod/archivist", "pvc/archive", "--timeout=90s")


@pytest.mark.parametrize("dead", [False, True], ids=["alive", "killed"])
def test_heal_keeps_data_claims_and_pods(writer: DataCluster, lab: Lab, dead: bool) -> None:
    before, who, server = checksum(writer), identity(writer), writer.server_id("storage")
    address = writer.outputs()["nodes"]["storage"]["address"]
    if dead:
        lab("fault", "kill", server)
    number = writer.settings["storage"].get("heal", {}).get("storage", 0) + 1
    writer.change({"storage.heal": {"storage": number}})
    began = time.monotonic()
    run = writer.must_up()
    print(f"\nheal of the storage machine ({'killed' if dead else 'alive'}): {time.monotonic() - began:.1f} s")
    assert writer.server_id("storage") != server
    assert writer.outputs()["nodes"]["storage"]["address"] == address
    assert not run.touched("storage-guard", "PersistentVolume", "worker-0", "storage-data ")
    wait_until_it_writes_again(writer)
    print(f"longest pause of the writing pod: {longest_gap_s(writer):.1f} s")
    assert phase(writer) == "Bound"
    assert checksum(writer) == before
    assert identity(writer) == who


def test_exports_are_back_after_a_reboot(writer: DataCluster, cloud: openstack.connection.Connection) -> None:
    cloud.compute.reboot_server(writer.server_id("storage"), "SOFT")
    time.sleep(3)
    wait_for(
        120,
        "the machine",
        lambda: "active" in writer.run_on("storage", "systemctl is-active nfs-ganesha", check=False).split(),
    )
    wait_until_it_writes_again(writer)


def refused(cluster: DataCluster, changes: dict[str, Any], *words: str) -> str:
    """Make a change that must be refused, take it back, and see that nothing was touched."""
    old = {path: cluster.settings["storage"].get(path.removeprefix("storage.")) for path in changes}
    server = cluster.server_id("storage")
    cluster.change(changes)
    run = cluster.up()
    cluster.change(old)
    assert not run.ok, run.output
    assert not run.steps, run.output
    for word in words:
        assert word in run.output, f"{word!r} is not said in\n{run.output}"
    assert cluster.server_id("storage") == server
    assert phase(cluster) == "Bound"
    return run.output


SHARED = {"name": "shared", "size-gib": 1, "path": "/volume/nfs/shared", "storage-class": "nfs"}
USED_BY = ("PersistentVolume shared", "claim default/data", "pods: writer", "nothing of it was changed")


def test_an_export_in_use_is_not_taken_away(writer: DataCluster) -> None:
    other = {
        "storage.exports": [{"directory": "/volume/other", "to": "10.30.0.0/24"}],
        "storage.persistent-volumes": [],
    }
    refused(writer, other, *USED_BY)


def test_a_persistent_volume_in_use_is_not_moved_or_removed(writer: DataCluster) -> None:
    refused(writer, {"storage.persistent-volumes": ["manifests/storage/example.yaml"]}, *USED_BY, "would be removed")
    moved = [{**SHARED, "path": "/volume/nfs/moved"}, "manifests/storage/example.yaml"]
    refused(writer, {"storage.persistent-volumes": moved}, *USED_BY)


def test_a_heal_that_would_replace_a_volume_in_use_is_refused(writer: DataCluster) -> None:
    number = writer.settings["storage"].get("heal", {}).get("storage", 0) + 1
    another = {
        "storage.heal": {"storage": number},
        "storage.volumes": [{"name": "fresh", "size-gib": 1, "mount-to": "/volume"}],
    }
    refused(writer, another, *USED_BY, "would lie on volume fresh; the data is on data")


def test_storage_in_use_is_not_removed_as_a_whole(writer: DataCluster) -> None:
    storage = writer.settings["storage"]
    writer.change({"storage": None})
    run = writer.up()
    writer.change({"storage": storage})
    assert not run.ok
    assert all(word in run.output for word in USED_BY), run.output
    assert not [step for step in run.steps if step.startswith("deleted")]
    writer.must_up()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nfs: {server: nas, path: /volume/nfs/x}", "names the server 'nas'; write storage"),
        ("nfs: {server: storage, path: /elsewhere}", "which is not exported"),
        ("nfs: {server: storage, path: /volume/nfs/x", "is no YAML (line"),
    ],
    ids=["server", "path", "yaml"],
)
def test_a_faulty_manifest_changes_nothing(writer: DataCluster, text: str, said: str) -> None:
    manifest = writer.write_manifest(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: faulty}\n"
        f"spec:\n  capacity: {{storage: 1Gi}}\n  accessModes: [ReadWriteMany]\n  {text}\n"
    )
    output = refused(writer, {"storage.persistent-volumes": [SHARED, manifest, "manifests/storage/example.yaml"]}, said)
    assert "nothing was changed" in output


def test_a_name_given_twice_changes_nothing(writer: DataCluster) -> None:
    twice = {"storage.persistent-volumes": [SHARED, SHARED, "manifests/storage/example.yaml"]}
    refused(writer, twice, "is shared, a PersistentVolume that", "nothing was changed")


EXPORT = {"directory": "/volume/nfs", "to": "10.30.0.0/24"}
EXTRA = {"directory": "/volume/extra", "to": "10.30.0.0/24"}


def by_hand(cluster: DataCluster) -> dict[str, Any]:
    """A PersistentVolume that somebody made without telling the stack."""
    address = cluster.outputs()["nodes"]["storage"]["address"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "by-hand"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "nfs",
            "nfs": {"server": address, "path": EXTRA["directory"]},
        },
    }


def test_data_of_a_volume_made_by_hand_is_given_up_only_when_allowed(writer: DataCluster) -> None:
    who = identity(writer)
    writer.change({"storage.exports": [EXPORT, EXTRA]})
    writer.must_up()
    writer.apply(by_hand(writer), claim("by-hand", "by-hand"))
    phase_of = ("get", "pvc", "by-hand", "--output=jsonpath={.status.phase}")
    wait_for(60, "the claim to be bound", lambda: writer.kubectl(*phase_of) == "Bound")
    lost = "PersistentVolume by-hand (/volume/extra): its directory would not be exported any more"
    refused(writer, {"storage.exports": [EXPORT]}, lost, "claim default/by-hand", "set storage.allow-data-loss to true")
    writer.change({"storage.exports": [EXPORT], "storage.allow-data-loss": True})
    run = writer.must_up()
    writer.change({"storage.allow-data-loss": None})
    assert lost in run.output
    assert "storage.allow-data-loss is set: going on" in run.output
    assert "updated storage-configure" in run.steps
    writer.kubectl("delete", "pvc/by-hand", "pv/by-hand", "--timeout=90s")
    wait_until_it_writes_again(writer)
    assert identity(writer) == who


def test_volumes_not_in_use_are_removed_and_registered_again(writer: DataCluster) -> None:
    """One that was used is free for a new claim then, and what it held is still there."""
    writer.change({"storage.persistent-volumes": [SHARED]})
    run = writer.must_up()
    assert run.touched("persistent-volumes-archive", "persistent-volumes-scratch")
    assert writer.kubectl("get", "pv", "--output=name").split() == ["persistentvolume/shared"]
    writer.change({"storage.persistent-volumes": [SHARED, "manifests/storage/example.yaml"]})
    writer.must_up()
    phase_of = ("get", "pv", "archive", "--output=jsonpath={.status.phase}")
    wait_for(60, "the volume to be free", lambda: writer.kubectl(*phase_of) == "Available")
    assert writer.run_on("storage", "cat /volume/nfs/archive/note").strip() == "kept"


def size_gib(cluster: DataCluster) -> int:
    return int(cluster.settings["storage"]["volumes"][0]["size-gib"])


def of_size(gib: int) -> dict[str, Any]:
    return {"storage.volumes": [{"name": "data", "size-gib": gib, "mount-to": "/volume"}]}


def grow(cluster: DataCluster, **heal: int) -> Run:
    cluster.change(of_size(size_gib(cluster) + 1))
    if heal:
        cluster.change({"storage.heal": heal})
    run = cluster.must_up()
    assert "updated storage-data" in run.steps
    return run


def has_grown(cluster: DataCluster) -> bool:
    mib = int(cluster.run_on("storage", "df --output=size --block-size=1M /volume | tail -n 1"))
    return mib > 900 * size_gib(cluster)


def test_a_volume_grows_while_it_is_in_use(writer: DataCluster) -> None:
    """Not every kernel grows a mounted file system; one that does not, like the lab's, does it at the next boot."""
    run = grow(writer)
    assert has_grown(writer) or "it grows at the machine's next boot" in run.output
    wait_until_it_writes_again(writer)


def test_a_volume_grows_together_with_a_heal_and_its_file_system_with_it(writer: DataCluster) -> None:
    before = checksum(writer)
    number = writer.settings["storage"].get("heal", {}).get("storage", 0) + 1
    grow(writer, storage=number)
    assert has_grown(writer)
    wait_until_it_writes_again(writer)
    assert checksum(writer) == before


def test_a_volume_never_shrinks(writer: DataCluster) -> None:
    gib = size_gib(writer)
    said = f"storage-data: had {gib} GiB, now {gib - 1}; volumes only grow"
    refused(writer, of_size(gib - 1), said)


def test_steps_run_twice_say_unchanged(writer: DataCluster) -> None:
    for step in ("storage-configure", "storage-guard", "storage-data-mount"):
        assert writer.again(step) == "unchanged", step
