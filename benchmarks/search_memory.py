"""How much memory a search takes of a treebank that is mapped from a file, by its size.

    python -m benchmarks.search_memory [TREES...]

The treebank that ships is repeated. Each size is searched in a process of its own, which tells its
largest resident memory without the pages of the file, and how much of the file it had in memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATTERNS = ("PP < (IN < of) < NP", "S < (NP $.. VP)", "NP << (/^N/ $, JJ)", "SBAR=s < S=n")
_SIZES = (10_000, 100_000, 1_000_000)


def main() -> None:
    """Print a line for each size."""
    sizes = [int(size) for size in sys.argv[1:]] or _SIZES
    with tempfile.TemporaryDirectory() as folder:
        for trees in sizes:
            path = Path(folder) / f"{trees}.arrow"
            command = [sys.executable, "-m", "benchmarks.search_memory"]
            subprocess.run([*command, "save", str(path), str(trees)], check=True)
            found = subprocess.run(
                [*command, "search", str(path)], check=True, capture_output=True, text=True
            )
            told = json.loads(found.stdout)
            size = path.stat().st_size / 2**20
            print(f"{trees:>9,} trees, file {size:6.0f} MiB: {told}", flush=True)


def _save(path: str, trees: int) -> None:
    import numpy as np

    from induction import read_treebank

    treebank = read_treebank()
    treebank.take(np.arange(trees) % len(treebank)).save(path)


def _search(path: str) -> None:
    from grammar.trees.treebank import Treebank

    treebank = Treebank.load(path)
    read_treebank_of = Treebank.parse("(S (NP a))")
    read_treebank_of.search("S < NP")  # kernels are ready
    before = _memory()
    told: dict[str, object] = {}
    for pattern in PATTERNS:
        start = time.process_time()
        hits = len(treebank.search(pattern))
        told[pattern] = f"{hits:,} hits, {time.process_time() - start:.2f} s"
    print(json.dumps({"MiB before": before, "MiB at most": _memory(), **told}))


def _memory() -> int:
    """Return the largest resident memory that is not of files, in MiB, as Linux tells it."""
    import resource

    lines = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    files = int(fields["RssFile"].split()[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (peak - files) // 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["save"]:
        _save(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] == ["search"]:
        _search(sys.argv[2])
    else:
        main()
