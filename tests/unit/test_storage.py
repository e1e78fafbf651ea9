"""What the storage machine serves, and what is refused about it."""

from pathlib import Path
from typing import Any

import pytest

from cluster import ganesha
from cluster.plan import PlanError, Role, StoragePlan, plan
from cluster.previous import Previous, PreviousNode
from cluster.settings import SettingsError, load
from cluster.settings import manifests as manifest_files
from tests.examples import planned, raw

MACHINE: dict[str, Any] = {
    "flavor": "m1.small",
    "volumes": [{"name": "data", "size-gib": 5, "mount-to": "/volume"}],
    "exports": [{"directory": "/volume/nfs", "to": "10.20.0.0/24"}],
}
SHORT = {"name": "shared", "size-gib": 2, "path": "/volume/nfs/shared", "storage-class": "nfs"}
VOLUME = """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], nfs: {server: SERVER, path: PATH}}
"""


def storage(**changes: Any) -> dict[str, Any]:
    return raw({"storage": {**MACHINE, **{key.replace("_", "-"): value for key, value in changes.items()}}})


def plan_of(**changes: Any) -> StoragePlan:
    made = planned(storage(**changes)).storage
    assert made
    return made


def document(name: str = "one", server: str = "storage", path: str = "/volume/nfs/one") -> str:
    return VOLUME.replace("NAME", name).replace("SERVER", server).replace("PATH", path)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(manifest_files, "ROOT", tmp_path)

    def write_file(*documents: str, name: str = "pv.yaml") -> str:
        (tmp_path / name).write_text("---\n".join(documents), encoding="utf-8")
        return name

    return write_file


def faults(*persistent_volumes: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        load(storage(persistent_volumes=list(persistent_volumes)))
    return str(caught.value)


def test_the_machine_has_its_volumes_and_runs_no_kubernetes() -> None:
    node = planned(storage()).only(Role.STORAGE)
    assert node
    assert not node.role.is_node
    assert [(volume.name, volume.mount_point, volume.keep) for volume in node.volumes] == [
        ("storage-data", "/volume", True)
    ]


def test_an_upgrade_of_kubernetes_leaves_the_machine_alone() -> None:
    first = planned(storage()).node("storage").incarnation
    changed = storage()
    changed["kubernetes"]["version"] = "1.34.5"
    assert planned(changed).node("storage").incarnation == first


def test_a_directory_keeps_its_number_when_others_come_and_go() -> None:
    """Clients hold handles that carry the number."""
    before = plan_of(exports=[{"directory": "/volume/b", "to": "10.20.0.0/24"}])
    after = plan_of(exports=[{"directory": f"/volume/{name}", "to": "10.20.0.0/24"} for name in "abc"])
    numbers = {export.directory: export.export_id for export in after.exports}
    assert numbers["/volume/b"] == before.exports[0].export_id
    assert len(set(numbers.values())) == 3


def test_two_networks_of_one_directory_are_one_export() -> None:
    both = [{"directory": "/volume/a", "to": cidr} for cidr in ("10.20.0.0/24", "10.9.0.0/24")]
    exports = plan_of(exports=both).exports
    assert [export.clients for export in exports] == [("10.20.0.0/24", "10.9.0.0/24")]
    assert "Clients = 10.20.0.0/24, 10.9.0.0/24;" in ganesha.render(exports=exports, first_mount_point="/volume")


def test_only_named_clients_get_in() -> None:
    text = ganesha.render(exports=plan_of().exports, first_mount_point="/volume")
    assert "Access_Type = None;" in text.split("EXPORT {")[0]


def test_short_form_becomes_a_volume_that_is_kept() -> None:
    volume = plan_of(persistent_volumes=[SHORT]).persistent_volumes[0]
    assert volume.spec["persistentVolumeReclaimPolicy"] == "Retain"
    assert volume.spec["capacity"] == {"storage": "2Gi"}
    assert volume.volume == "data"


def test_a_class_is_made_unless_a_manifest_holds_it(write: Any) -> None:
    assert [made["metadata"]["name"] for made in plan_of(persistent_volumes=[SHORT]).storage_classes] == ["nfs"]
    own = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: nfs}\nprovisioner: mine\n"
    classes = plan_of(persistent_volumes=[SHORT, write(own)]).storage_classes
    assert [made["provisioner"] for made in classes] == ["mine"]


def test_every_document_of_a_file_is_taken(write: Any) -> None:
    file = write(document("one"), document("two", path="/volume/nfs"))
    assert [volume.name for volume in plan_of(persistent_volumes=[file]).persistent_volumes] == ["one", "two"]


def test_directories_are_those_of_exports_and_of_volumes(write: Any) -> None:
    made = plan_of(persistent_volumes=[SHORT, write(document())])
    assert made.directories == ("/volume/nfs", "/volume/nfs/one", "/volume/nfs/shared")


def test_an_unknown_server_is_refused(write: Any) -> None:
    text = faults(write(document(server="nas")))
    assert "pv.yaml, document 1: one names the server 'nas'; write storage" in text


def test_a_path_that_is_not_exported_is_refused(write: Any) -> None:
    assert "one has the path /elsewhere, which is not exported" in faults(write(document(path="/elsewhere")))


def test_text_that_is_no_yaml_is_refused_with_its_line(write: Any) -> None:
    assert "pv.yaml, document 1: is no YAML (line 3" in faults(write("kind: PersistentVolume\nspec: [\n"))


def test_a_name_is_given_once(write: Any) -> None:
    one, two = write(document("shared")), write(document("other"), document("other"), name="b.yaml")
    text = faults(SHORT, one, two)
    assert "is shared, a PersistentVolume that storage.persistent-volumes.0.name holds, too" in text
    assert "is other, a PersistentVolume" in text


def test_all_faults_are_said_at_once(write: Any) -> None:
    text = faults(write(document(server="nas"), "kind: Pod\n", document(path="/x")), "missing.yaml")
    assert len([line for line in text.splitlines() if "storage.persistent-volumes" in line]) == 4, text


def test_a_volume_never_shrinks() -> None:
    previous = Previous(
        nodes={"storage": PreviousNode(key="storage", role="storage", pool="storage", incarnation="c0-p0-h0")},
        volumes={"storage-data": 9},
    )
    with pytest.raises(PlanError, match="storage-data: had 9 GiB, now 5"):
        plan(load(storage()), previous)


def test_storage_that_goes_is_guarded_once_more() -> None:
    node = PreviousNode(key="storage", role="storage", pool="storage", incarnation="c0-p0-h0", address="10.20.0.7")
    previous = Previous(nodes={"storage": node})
    gone = plan(load(raw()), previous)
    assert gone.guards_storage
    assert gone.former_storage_address == "10.20.0.7"
    assert not planned(raw()).guards_storage
