"""A real cluster on the lab with storage and registry beside it."""

from pathlib import Path

from tests.lab.lab_stack import ROOT, LabStack

# A cluster that stays up between two runs of the tests; for who works on them.
KEEP = "NODEWRIGHT_KEEP_DATA_CLUSTER"


class DataCluster(LabStack):
    """The stack `storage`, with files of its tests where a stack may name them."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, "storage")
        self._written: list[Path] = []

    def write_manifest(self, text: str) -> str:
        """Write a manifest where a stack may name it; it goes with the cluster."""
        return self._write(f"manifests/storage/{self._directory.name}.yaml", text)

    def write_certificate(self, text: str) -> str:
        return self._write(f"tests/lab/{self._directory.name}.pem", text)

    def clean(self) -> None:
        for path in self._written:
            path.unlink(missing_ok=True)

    def _write(self, place: str, text: str) -> str:
        path = ROOT / place
        path.write_text(text)
        self._written.append(path)
        return place
