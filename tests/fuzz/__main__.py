"""``python -m tests.fuzz 5000 [FORMAT ...]``: the table of all formats, a line each."""

from __future__ import annotations

import sys

from tests.fuzz.formats import FORMATS
from tests.fuzz.trial import Worker

if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    faults, worker = 0, Worker()
    print("| format | inputs | refused | accepted | faults |\n| --- | --- | --- | --- | --- |")
    for name in sys.argv[2:] or FORMATS:
        tally = worker.tried(name, range(count))
        faults += len(tally.faults)
        seen = tally.outcomes
        print(
            f"| {name} | {count} | {seen['refused']} | {seen['accepted']} | {len(tally.faults)} |"
        )
        for number, what in list(tally.faults.items())[:8]:
            print(f"    {number}: {what}"[:300], file=sys.stderr)
        sys.stdout.flush()
    worker.close()
    raise SystemExit(faults > 0)
