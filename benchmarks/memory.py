"""Peak memory of ``treewright sample`` writing a million sentences to Parquet."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SENTENCES = 1_000_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        grammar, output = Path(folder) / "wsj.json", Path(folder) / "out.parquet"
        induce = ["induce", "nltk:treebank", "-o", str(grammar), "--horizontal-markov", "2"]
        sample = ["sample", str(grammar), "-n", str(SENTENCES), "-o", str(output)]
        _run([*induce, "--quiet"])
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        _run([*sample, "--quiet"])
        # the largest child so far; inducing needs less than sampling, or this says too much
        peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 2**20
        size = os.path.getsize(output) / 2**20
        print(f"{SENTENCES:,} sentences to Parquet ({size:,.0f} MiB): peak {peak:.3f} GiB (bar 1)")


def _run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "treewright", *arguments], check=True)


if __name__ == "__main__":
    main()
