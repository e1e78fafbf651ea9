"""Runs on a node, read from stdin: pushes one of its images under a new name, with a layer of its own.

There is no docker client in the lab; this is what one does.
"""

import base64
import hashlib
import io
import json
import ssl
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
from typing import Any

GIVEN: dict[str, Any] = {}  # filled in by who sends it


def archive(image: str) -> tarfile.TarFile:
    command = ["ctr", "--namespace", "k8s.io", "images", "export", "-", image]
    content = subprocess.run(command, check=True, capture_output=True).stdout
    return tarfile.open(fileobj=io.BytesIO(content))


def blob(source: tarfile.TarFile, digest: str) -> bytes:
    member = source.extractfile(f"blobs/sha256/{digest.removeprefix('sha256:')}")
    assert member
    return member.read()


def layer(text: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as made:
        info = tarfile.TarInfo("mark")
        info.size = len(text)
        made.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def call(method: str, url: str, body: bytes | None = None, kind: str = "application/octet-stream") -> Any:
    request = urllib.request.Request(url, data=body, method=method, headers={"Content-Type": kind})
    login = base64.b64encode(f"{GIVEN['username']}:{GIVEN['password']}".encode()).decode()
    request.add_header("Authorization", f"Basic {login}")
    context = ssl.create_default_context(cadata=GIVEN["ca"] or None) if GIVEN["url"].startswith("https") else None
    return urllib.request.urlopen(request, context=context, timeout=60)


def push_blob(content: bytes) -> dict[str, Any]:
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    base = f"{GIVEN['url']}/v2/{GIVEN['repository']}/blobs"
    place = call("POST", f"{base}/uploads/", b"").headers["Location"]
    place = place if "://" in place else GIVEN["url"] + place
    call("PUT", f"{place}{'&' if '?' in place else '?'}digest={digest}", content)
    return {"digest": digest, "size": len(content)}


def main() -> None:
    source = archive(GIVEN["image"])
    index = source.extractfile("index.json")
    assert index
    manifest = json.loads(blob(source, json.load(index)["manifests"][0]["digest"]))
    if "manifests" in manifest:
        manifest = json.loads(blob(source, manifest["manifests"][0]["digest"]))
    config = json.loads(blob(source, manifest["config"]["digest"]))
    mark = layer(GIVEN["mark"])
    config["rootfs"]["diff_ids"].append(f"sha256:{hashlib.sha256(mark).hexdigest()}")
    layers = [{**item, **push_blob(blob(source, item["digest"]))} for item in manifest["layers"]]
    kind = layers[0]["mediaType"].removesuffix("+gzip").removesuffix(".gzip")
    layers.append({"mediaType": kind, **push_blob(mark)})
    manifest["config"] = {**manifest["config"], **push_blob(json.dumps(config).encode())}
    manifest["layers"] = layers
    url = f"{GIVEN['url']}/v2/{GIVEN['repository']}/manifests/{GIVEN['tag']}"
    manifest.setdefault("mediaType", "application/vnd.oci.image.manifest.v1+json")
    call("PUT", url, json.dumps(manifest).encode(), manifest["mediaType"])
    print("pushed")


try:
    main()
except urllib.error.HTTPError as error:
    sys.exit(f"refused: {error.code} {error.read().decode()[:300]}")
