"""`make bench`: every measure as it is made, then all of them as one JSON object."""

import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.alone import life_alone
from benchmarks.measure import Measure
from benchmarks.on_the_lab import life_on_the_lab
from benchmarks.previews import previews_without_change
from tests.interrupts import hear_interrupts

# What the numbers are held against; they are goals, and no test depends on them.
LONGEST_RATIO = 1.15
FOUR_TO_ONE = 1.2


def main() -> int:
    hear_interrupts()
    with tempfile.TemporaryDirectory(prefix="nodewright-bench-") as folder:
        directory = Path(folder)
        report: dict[str, Any] = {
            "lab": life("on the lab", life_on_the_lab(place(directory, "lab"))),
            "alone": life("the program alone", life_alone(place(directory, "alone"))),
            "previews": [],
        }
        for preview in previews_without_change(place(directory, "previews")):
            say(f"preview without a change, {preview.workers} workers: {preview.seconds} s")
            report["previews"].append(asdict(preview))
        json.dump(report, sys.stdout, indent=2)
        print()
    return 0


def life(where: str, measures: Iterable[Measure]) -> dict[str, Any]:
    """Tell each measure of a cluster's life, and what they are together."""
    walls = {}
    operations = []
    for measure in measures:
        walls[measure.operation] = measure.wall_s
        operations.append(measure.as_json())
        say(
            f"{where}: {measure.operation}: {measure.wall_s} s, critical path {measure.critical_path_s} s, "
            f"ratio {measure.ratio} (goal {LONGEST_RATIO}); {measure.before_s} s before it, "
            f"{measure.between_s} s between its steps, {measure.after_s} s after it; "
            f"processors busy {measure.processors_busy:.0%}"
        )
        for step in measure.path:
            say(f"    {step}")
    four_to_one = round(walls["scale +4"] / walls["scale +1"], 2)
    say(f"{where}: scale +4 to +1: {four_to_one} (goal {FOUR_TO_ONE})")
    return {"operations": operations, "four-to-one": four_to_one}


def place(directory: Path, name: str) -> Path:
    made = directory / name
    made.mkdir()
    return made


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
