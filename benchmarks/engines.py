"""One hash over engines, workers and kills, and what workers are worth.

    python -m benchmarks.engines [--examples 200000] [--kill 5] [--workers 1 2 4]

Each verb runs as a person runs it; every so many seconds the newest process that works for it is
killed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

VERBS = {
    "sample": "sample g.json -n {n} -o {out}.jsonl",
    "augment": "augment corpus.jsonl -m eda -n {n} -o {out}.jsonl",
    "parse-corpus": "parse-corpus part.jsonl -o {out}.jsonl",
    "induce": "induce nltk:treebank --model double-dop -o {out}.json",
}
STARTS = ("-c from multiprocessing.spawn", "ray::")


def main() -> None:
    asked = read_arguments()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(asked.examples)
        load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        print(f"load before: {load}; {asked.examples:,} examples")
        for verb in asked.verbs:
            alone = None
            for engine, workers, kill in product(asked.engines, asked.workers, (0, asked.kill)):
                if engine == "threads" and kill:
                    continue  # there is nobody to kill
                took, digest, deaths = timed(VERBS[verb], asked.examples, engine, workers, kill)
                alone = alone or took
                killed = f"{deaths} killed" if kill else "none killed"
                speed = f"{took:7.1f} s  {alone / took:5.2f}x"
                print(f"{verb:<13}{engine:<11}{workers}  {killed:<12}{speed}  {digest}", flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=200_000)
    parser.add_argument("--kill", type=float, default=5.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--engines", nargs="+", default=["threads", "processes", "ray"])
    parser.add_argument("--verbs", nargs="+", default=list(VERBS))
    return parser.parse_args()


def prepare(examples: int) -> None:
    from induction import read_reviews, write_corpus
    from induction.corpus.corpus import Corpus

    words = ("induce", "nltk:treebank", "-o", "g.json", "-q")
    subprocess.run([*treewright(), *words], check=True)
    reviews = read_reviews()
    write_corpus(reviews, "corpus.jsonl")
    write_corpus(Corpus(reviews.table.slice(0, 300)), "part.jsonl")


def treewright() -> list[str]:
    return [sys.executable, "-m", "treewright"]


def timed(verb: str, n: int, engine: str, workers: int, kill: float) -> tuple[float, str, int]:
    """Run a verb; return its seconds, the hash of its output, and how many workers were killed."""
    words = verb.format(n=n, out="out").split()
    began, deaths = time.monotonic(), 0
    with subprocess.Popen(
        [*treewright(), *words, "-q", "--force", "--engine", engine, "--workers", str(workers)]
    ) as run:
        last = began
        while run.poll() is None:
            time.sleep(0.05)
            if kill and time.monotonic() - last > kill and (found := workers_of(run.pid)):
                os.kill(found[-1], signal.SIGKILL)
                last, deaths = time.monotonic(), deaths + 1
    assert run.returncode == 0, words
    took = time.monotonic() - began
    data = Path(words[words.index("-o") + 1]).read_bytes()
    return took, hashlib.sha256(data).hexdigest()[:16], deaths


def workers_of(pid: int) -> list[int]:
    """Return the processes below one that do units of work."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text().split():
            try:
                command = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if any(mark in command for mark in STARTS):
                found.append(int(child))
            found += workers_of(int(child))
    return found


if __name__ == "__main__":
    main()
