"""`make bench`: every measure as it is made, then all of them as one JSON object."""

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.cluster_life import Measure, life_of_a_cluster
from benchmarks.previews import previews_without_change

# What the numbers are held against; they are goals, and no test depends on them.
LONGEST_RATIO = 1.15
FOUR_TO_ONE = 1.2


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="nodewright-bench-") as folder:
        directory = Path(folder)
        measures: dict[str, Measure] = {}
        for measure in life_of_a_cluster(directory):
            measures[measure.operation] = measure
            say(
                f"{measure.operation}: {measure.wall_s} s, critical path {measure.critical_path_s} s, "
                f"ratio {measure.ratio} (goal {LONGEST_RATIO}); "
                f"{measure.before_s} s before it, {measure.between_s} s between its steps, {measure.after_s} s after it"
            )
            for step in measure.path:
                say(f"    {step}")
        four_to_one = round(measures["scale +4"].wall_s / measures["scale +1"].wall_s, 2)
        say(f"scale +4 to +1: {four_to_one} (goal {FOUR_TO_ONE})")
        previews = list(previews_without_change(directory))
        for preview in previews:
            say(f"preview without a change, {preview.workers} workers: {preview.seconds} s")
        json.dump(
            {
                "operations": [measure.as_json() for measure in measures.values()],
                "four-to-one": four_to_one,
                "previews": [asdict(preview) for preview in previews],
            },
            sys.stdout,
            indent=2,
        )
        print()
    return 0


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
