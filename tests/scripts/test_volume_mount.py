"""volume-mount with a real disk: a loop device that looks like a cloud's volume."""

import subprocess
from pathlib import Path

import pytest

from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox

VOLUME = "3f6f9d0e-5b7c-4d6e-9a43-2f1b8c7d6e5f"
GIB = 1 << 30


@pytest.fixture
def image(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("volumes") / "volume"
    with path.open("wb") as file:
        file.truncate(GIB)
    sandbox.attach_volume(VOLUME, path)
    return path


def mount(
    sandbox: Sandbox, bind: str = "etcd:/var/lib/demo-etcd\npki:/etc/demo-pki"
) -> "subprocess.CompletedProcess[str]":
    return sandbox.run(step("volume-mount", DEVICE_ID=VOLUME, MOUNT_POINT="/srv/demo", BIND=bind))


@pytest.mark.usefixtures("image")
def test_blank_volume_is_formatted_mounted_and_bound_once(sandbox: Sandbox) -> None:
    first = mount(sandbox)
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    sandbox.shell("echo kept >/var/lib/demo-etcd/data")
    assert sandbox.shell("cat /srv/demo/etcd/data; stat --format %a /srv/demo/etcd") == "kept\n700\n"
    second = mount(sandbox)
    assert (second.stdout, second.returncode) == ("unchanged\n", 0), second.stderr
    assert "RequiredBy=kubelet.service" in sandbox.shell("cat /etc/systemd/system/nodewright-volumes.service")


@pytest.mark.usefixtures("image")
def test_machine_mounts_by_itself_at_boot(sandbox: Sandbox) -> None:
    mount(sandbox)
    sandbox.shell("echo kept >/etc/demo-pki/data; umount /etc/demo-pki /var/lib/demo-etcd /srv/demo")
    sandbox.shell("/usr/local/sbin/nodewright-volumes")
    assert sandbox.shell("cat /etc/demo-pki/data") == "kept\n"
    assert mount(sandbox).stdout == "unchanged\n"


@pytest.mark.usefixtures("image")
def test_new_machine_finds_the_data_of_the_old_one(sandbox: Sandbox) -> None:
    mount(sandbox)
    sandbox.shell("echo kept >/var/lib/demo-etcd/data; umount /etc/demo-pki /var/lib/demo-etcd /srv/demo")
    sandbox.shell(
        "rm -rf /etc/nodewright /etc/systemd/system/nodewright-volumes.service /usr/local/sbin/nodewright-volumes"
    )
    done = mount(sandbox)
    assert done.stdout == "changed\n"
    assert "formatted" not in done.stderr
    assert sandbox.shell("cat /var/lib/demo-etcd/data") == "kept\n"


def test_volume_with_anything_on_it_is_not_formatted(sandbox: Sandbox, image: Path) -> None:
    with image.open("r+b") as file:
        file.seek(512 * 1024)
        file.write(b"somebody's data")
    done = mount(sandbox)
    assert done.returncode == 1
    assert "neither blank nor ext4" in done.stderr
    assert b"somebody's data" in image.read_bytes()[: 1 << 20]


def test_volume_with_another_file_system_is_not_formatted(sandbox: Sandbox, image: Path) -> None:
    subprocess.run(["mkswap", str(image)], check=True, capture_output=True)
    done = mount(sandbox)
    assert done.returncode == 1
    assert "neither blank nor ext4 (swap)" in done.stderr


def test_grown_volume_gives_a_grown_file_system_at_the_next_boot(sandbox: Sandbox, image: Path) -> None:
    mount(sandbox)
    sandbox.shell("umount /etc/demo-pki /var/lib/demo-etcd /srv/demo")
    sandbox.grow_volume(image, 2 * GIB)
    done = mount(sandbox)
    assert done.returncode == 0, done.stderr
    assert "grew the file system" in done.stderr
    assert int(sandbox.shell("df --output=size --block-size=1 /srv/demo | tail -n 1")) > 1.8 * GIB
    assert mount(sandbox).stdout == "unchanged\n"


def test_growing_a_mounted_volume_never_fails_the_step(sandbox: Sandbox, image: Path) -> None:
    mount(sandbox)
    sandbox.grow_volume(image, 2 * GIB)
    done = mount(sandbox)
    assert done.returncode == 0, done.stderr
    assert "grew the file system" in done.stderr or "grows at the machine's next boot" in done.stderr


@pytest.mark.usefixtures("image")
def test_files_that_a_bind_would_hide_are_refused(sandbox: Sandbox) -> None:
    sandbox.write("/var/lib/demo-etcd/member", "data")
    done = mount(sandbox)
    assert done.returncode == 1
    assert "already holds files" in done.stderr


def test_missing_volume_is_named(sandbox: Sandbox) -> None:
    script = step("volume-mount", DEVICE_ID="absent-volume-0123456789", MOUNT_POINT="/srv/demo", BIND="")
    done = sandbox.run(script.replace("wait_for 60", "wait_for 1"))
    assert done.returncode == 1
    assert "the machine has no such disk" in done.stderr
