"""Official releases over HTTP: resumed after a break, taken only with the right SHA-256."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import tarfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from functools import cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar

from toolchain.cache import sha256_of
from toolchain.catalog import Download, Item
from toolchain.errors import ToolchainError
from toolchain.progress import Ticker

T = TypeVar("T")
PROBE_S = 3
READ_TIMEOUT_S = 30
TRIES = 3
PAUSE_S = 1.0
CHUNK = 1 << 20
SHA256 = re.compile(r"\b[0-9a-fA-F]{64}\b")


class NotToBeHadError(Exception):
    """The network does not give the file; another road may."""


@cache
def reachable(host_url: str) -> bool:
    """Whether anything answers at a host. Asked once per run, in a thread, as looking up a name knows no time limit."""
    answers: list[bool] = []

    def ask() -> None:
        try:
            with urllib.request.urlopen(urllib.request.Request(host_url, method="HEAD"), timeout=PROBE_S):
                answers.append(True)
        except urllib.error.HTTPError:
            answers.append(True)
        except (OSError, http.client.HTTPException):
            answers.append(False)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PROBE_S + 1)
    return bool(answers and answers[0])


def hosts_of(item: Item) -> set[str]:
    """The hosts that all files and checksums of an item's release come from."""
    urls = {address for download in item.downloads for address in (download.url, _checksum_url(download.checksum))}
    parts = [urllib.parse.urlsplit(url) for url in urls if url]
    return {f"{part.scheme}://{part.netloc}/" for part in parts}


def download_item(item: Item, kept: Path, out: Path, ticker: Ticker) -> str:
    """Put an item's released files into `out`; says where they came from. `kept` holds what a break left."""
    sources = []
    for download in item.downloads:
        name = download.url.rsplit("/", 1)[-1]
        wanted = _published_sha256(download, name)
        part = kept / f"{wanted[:16]}-{name}"
        _get_file(download.url, part, ticker)
        _check(part, wanted, download)
        _take(part, download, out)
        sources.append(f"{download.url} sha256:{wanted} ({download.checksum})")
    shutil.rmtree(kept, ignore_errors=True)
    return "; ".join(sources)


def _checksum_url(checksum: str) -> str:
    if checksum.startswith("github:"):
        repository, tag = checksum.removeprefix("github:").split("@")
        return f"https://api.github.com/repos/{repository}/releases/tags/{tag}"
    return "" if checksum.startswith("sha256:") else checksum


def _published_sha256(download: Download, name: str) -> str:
    """The checksum that the project states for a file."""
    if download.checksum.startswith("sha256:"):
        return download.checksum.removeprefix("sha256:")
    url = _checksum_url(download.checksum)
    text = _read_text(url)
    found = _from_github(text, name) if download.checksum.startswith("github:") else checksum_in(text, name)
    if found is None:
        message = f"reading the checksum of {name}: {url} has no SHA-256 for it; the pins in versions.toml need a look"
        raise NotToBeHadError(message)
    return found


def checksum_in(text: str, name: str) -> str | None:
    """From `SUM` alone or from lines of `SUM  NAME`."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    for words in lines:
        named = len(words) > 1 and words[-1].lstrip("*").rsplit("/", 1)[-1] == name
        if (named or lines == [words]) and SHA256.fullmatch(words[0]):
            return words[0].lower()
    return None


def _from_github(text: str, name: str) -> str | None:
    try:
        release: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    for asset in release.get("assets", []):
        digest = str(asset.get("digest") or "")
        if asset.get("name") == name and digest.startswith("sha256:"):
            return digest.removeprefix("sha256:")
    return None


def _read_text(url: str) -> str:
    def read() -> str:
        with urllib.request.urlopen(url, timeout=READ_TIMEOUT_S) as response:
            return str(response.read(CHUNK).decode())

    return _trying(url, read)


def _get_file(url: str, part: Path, ticker: Ticker) -> None:
    """Fetch a file, going on where an earlier try was cut off."""
    part.parent.mkdir(parents=True, exist_ok=True)

    def get() -> None:
        have = part.stat().st_size if part.exists() else 0
        request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        try:
            with urllib.request.urlopen(request, timeout=READ_TIMEOUT_S) as response:
                resumed = response.status == HTTPStatus.PARTIAL_CONTENT
                total = int(response.headers.get("Content-Length") or 0) + (have if resumed else 0)
                with part.open("ab" if resumed else "wb") as stream:
                    while chunk := response.read(CHUNK):
                        stream.write(chunk)
                        ticker.maybe(partial(_how_far, stream.tell(), total, url))
        except urllib.error.HTTPError as error:
            # The whole file is here already; a wrong one is found by its checksum.
            if not (have and error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
                raise
            return
        if total and part.stat().st_size < total:
            message = f"only {part.stat().st_size} of {total} bytes came"
            raise http.client.HTTPException(message)

    _trying(url, get)


def _how_far(done: int, total: int, url: str) -> str:
    return f"{done >> 20} of {total >> 20} MiB of {url}"


def _trying(url: str, action: Callable[[], T]) -> T:
    """Try a few times; what was fetched so far stays for the next try."""
    for left in reversed(range(TRIES)):
        try:
            return action()
        except (OSError, http.client.HTTPException) as error:
            refused = isinstance(error, urllib.error.HTTPError) and error.code < 500
            if refused or not left:
                message = f"downloading {url}: {error}"
                raise NotToBeHadError(message) from error
        time.sleep(PAUSE_S)
    raise AssertionError(url)


def _check(part: Path, wanted: str, download: Download) -> None:
    found = sha256_of(part)
    if found != wanted:
        part.unlink()
        message = (
            f"downloading {download.url}: its SHA-256 is {found}, but {download.checksum} says {wanted}; "
            "the file was thrown away. Try again; if it stays so, do not use it and tell the project"
        )
        raise ToolchainError(message)


def _take(part: Path, download: Download, out: Path) -> None:
    """Copy what is wanted out of the archive, or the file itself, as executables."""
    if "" in download.take:
        _put(part.open("rb"), out / download.take[""])
        return
    wanted = dict(download.take)
    with tarfile.open(part) as archive:
        for member in archive:
            target = wanted.pop(member.name.removeprefix("./"), None)
            stream = archive.extractfile(member) if target else None
            if target and stream:
                _put(stream, out / target)
    if wanted:
        message = f"unpacking {download.url}: {', '.join(wanted)} is not in it; the pins in versions.toml need a look"
        raise ToolchainError(message)


def _put(stream: Any, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with stream, target.open("wb") as copy:
        shutil.copyfileobj(stream, copy, CHUNK)
    target.chmod(0o755)
