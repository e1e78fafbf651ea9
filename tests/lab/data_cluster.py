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
        self._take_over()

    def _take_over(self) -> None:
        """A cluster that was kept has been healed and has grown, and such numbers only rise."""
        outputs = self.outputs()
        for name in ("storage", "registry"):
            healed = outputs.get("nodes", {}).get(name, {}).get("generations", {}).get("heal")
            if healed:
                self.change({f"{name}.heal": {name: int(healed)}})
        for volume in self.settings["storage"]["volumes"]:
            grown = outputs.get("volumes", {}).get(f"storage-{volume['name']}", {})
            volume["size-gib"] = int(grown.get("size-gib", volume["size-gib"]))

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
