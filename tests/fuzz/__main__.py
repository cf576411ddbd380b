"""``python -m tests.fuzz 5000 [FORMAT ...] [--into FOLDER]``: the table of formats, a line each.

With a folder, each format that is done leaves its line there, and a run that was stopped goes on
with those that have none. ``--first 5000`` takes other inputs than a run before it did.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.formats import FORMATS
from tests.fuzz.trial import Tally, Worker


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("formats", nargs="*", default=list(FORMATS))
    parser.add_argument("--into", type=Path)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_intermixed_args()
    numbers = range(asked.first, asked.first + asked.count)
    print("| format | inputs | refused | accepted | faults |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as own:
        folder: Path = asked.into or Path(own)
        folder.mkdir(exist_ok=True)
        lines = [line_of(name, numbers, folder) for name in asked.formats]
    faults = sum(line["faults"] for line in lines)
    inputs = sum(line["inputs"] for line in lines)
    print(f"\n{len(lines)} formats, {inputs:,} inputs, {faults} faults.")
    raise SystemExit(faults > 0)


def line_of(name: str, numbers: range, folder: Path) -> dict[str, int]:
    """Return the line of a format, from the folder if it is there, and print it."""
    kept = folder / f"{name}.json"
    if kept.exists():
        line: dict[str, int] = json.loads(kept.read_text())
    else:
        began, worker = time.monotonic(), Worker()
        line = told(worker.tried(name, numbers), len(numbers), int(time.monotonic() - began))
        worker.close()
        kept.write_text(json.dumps(line))
    row = " | ".join(str(line[what]) for what in ("inputs", "refused", "accepted", "faults"))
    print(f"| {name} | {row} |", flush=True)
    return line


def told(tally: Tally, count: int, seconds: int) -> dict[str, int]:
    for number, what in list(tally.faults.items())[:8]:
        print(f"    {number}: {what}"[:300], file=sys.stderr, flush=True)
    seen = {name: tally.outcomes[name] for name in ("refused", "accepted")}
    return {"inputs": count, **seen, "faults": len(tally.faults), "seconds": seconds}


if __name__ == "__main__":
    main()
