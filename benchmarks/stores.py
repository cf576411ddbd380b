"""Examples from and to many files in an object store: seconds, and memory at its peak.

    python -m benchmarks.stores [--examples 500000 1000000] [--steps sample copy augment each]

The store is one of S3's kind on the loopback address, in a process of its own, which holds what it
is given in memory (``pip install '.[dev]'``). Sentences of a grammar are written to it,
read from there, augmented and written again, all at once or file by file; all are cut into files of
100,000.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STORE = """\
import logging, sys, time
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
running.start()
print(running.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
PEAK = r"""
import atexit, re, sys

def told():
    peak = re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]
    print("PEAK", peak, file=sys.stderr)

atexit.register(told)
"""
VERB = f"{PEAK}from treewright.__main__ import main\nmain()"
COPY = f"""{PEAK}
from induction import read_corpus, write_corpus
write_corpus(read_corpus(sys.argv[1]), sys.argv[2])
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, nargs="+", default=[500_000, 1_000_000])
    parser.add_argument("--steps", nargs="+", default=["sample", "copy", "augment", "each"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, store():
        os.chdir(folder)
        told(VERB, "induce", "nltk:treebank", "--horizontal-markov", 2, "-o", "g.json", "-q")
        for n in asked.examples:
            at = f"s3://benchmark/{n}"
            parts, new = f"{at}/part-*.parquet", f"{at}/new-*.parquet"
            steps = {
                "sample": (VERB, "sample", "g.json", "-n", n, "-o", parts, "-q"),
                "copy": (COPY, parts, f"{at}/copy-*.parquet"),
                "augment": (VERB, "augment", parts, "-m", "aeda", "-n", n, "-o", new, "-q"),
                "each": (
                    *(VERB, "augment", parts, "-m", "aeda", "--times", 1, "--each"),
                    *("-o", f"{at}/own-*.parquet", "-q"),
                ),
            }
            for step in asked.steps:
                took, peak = told(*steps[step])
                print(f"{n:>12,} {step:<10}{took:8.1f} s {peak:6.2f} GB", flush=True)


@contextmanager
def store() -> Iterator[None]:
    """Keep a store, which the environment names, as long as the block runs."""
    running = subprocess.Popen(
        [sys.executable, "-c", STORE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    port = next(line for line in running.stdout if line.strip().isdigit()).strip()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
    }
    import fsspec

    fsspec.filesystem("s3").mkdir("benchmark")
    try:
        yield
    finally:
        running.kill()


def told(program: str, *words: object) -> tuple[float, float]:
    """Run a program; return its seconds and, at its peak, its gigabytes."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    peak = re.search(r"PEAK (\d+)", done.stderr)
    assert done.returncode == 0, done.stderr
    assert peak is not None
    return time.monotonic() - began, int(peak[1]) / 1e6


if __name__ == "__main__":
    main()
