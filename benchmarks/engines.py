"""One hash over engines, workers and kills, and what workers are worth.

    python -m benchmarks.engines [--examples 200000] [--kill 5] [--workers 1 2 4]

Each verb runs as a person runs it; whatever process works for it is killed when it has had so many
seconds of a processor: on free cores every so many seconds, elsewhere after as much work. Then, of
each engine, the driver itself is killed halfway and the verb run again, ``augment`` with
``--resume``. A run that does not end in ten minutes is a fault.
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
from contextlib import suppress
from itertools import product
from pathlib import Path

VERBS = {
    "sample": "sample g.json -n {n} -o {out}.jsonl",
    "augment": "augment corpus.jsonl -m eda -n {n} -o {out}.jsonl",
    "parse-corpus": "parse-corpus part.jsonl -o {out}.jsonl",
    "induce": "induce nltk:treebank --model double-dop -o {out}.json",
}
WORKERS = {"processes": "-c from multiprocessing.spawn", "ray": "ray::answer_of"}
"""How the command of a process begins that does units; engines have other processes, too."""
LONGEST = 600.0


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
                run = Run(VERBS[verb].format(n=asked.examples, out="out"), engine, workers)
                took, deaths = run.timed(kill)
                alone = alone or took
                killed = f"{deaths} killed" if kill else "none killed"
                speed = f"{took:7.1f} s  {alone / took:5.2f}x"
                print(f"{run}  {killed:<14}{speed}  {run.digest}", flush=True)
            for engine in asked.engines:
                run = Run(VERBS[verb].format(n=asked.examples, out="out"), engine, 2)
                took = run.stopped((alone or 0) / 2)
                print(f"{run}  driver killed {took:7.1f} s         {run.digest}", flush=True)


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


class Run:
    """A verb with its engine and workers."""

    def __init__(self, command: str, engine: str, workers: int) -> None:
        self.words = command.split()
        self.engine, self.workers = engine, workers

    def __str__(self) -> str:
        return f"{self.words[0]:<13}{self.engine:<11}{self.workers}"

    @property
    def digest(self) -> str:
        data = Path(self.words[self.words.index("-o") + 1]).read_bytes()
        return hashlib.sha256(data).hexdigest()[:16]

    def begun(self, *more: str) -> subprocess.Popen[bytes]:
        how = ["--engine", self.engine, "--workers", str(self.workers)]
        return subprocess.Popen([*treewright(), *self.words, "-q", *how, *more])

    def timed(self, kill: float) -> tuple[float, int]:
        """Return how many seconds it takes, and how many workers were killed."""
        began, deaths = time.monotonic(), 0
        with self.begun("--force") as process:
            while process.poll() is None:
                time.sleep(0.05)
                if time.monotonic() - began > LONGEST:
                    process.kill()
                for worker in self.workers_of(process.pid) if kill else ():
                    if processor_seconds(worker) > kill:
                        os.kill(worker, signal.SIGKILL)
                        deaths += 1
        assert process.returncode == 0, self
        return time.monotonic() - began, deaths

    def stopped(self, seconds: float) -> float:
        """Kill the driver after so many seconds and run it again; return how many that takes."""
        Path(self.words[self.words.index("-o") + 1]).unlink()
        with self.begun("--force") as process:
            time.sleep(seconds)
            process.kill()
        began = time.monotonic()
        goes_on = self.words[0] == "augment" and any(Path().glob("*.partial/*.state.json"))
        with self.begun("--resume" if goes_on else "--force") as process:
            process.wait(LONGEST)
        assert process.returncode == 0, self
        return time.monotonic() - began

    def workers_of(self, pid: int) -> list[int]:
        """Return the processes below one that do units of work."""
        found = []
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in path.read_text().split():
                with suppress(OSError):
                    command = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
                    if WORKERS[self.engine] in command:
                        found.append(int(child))
                    found += self.workers_of(int(child))
        return found


def processor_seconds(pid: int) -> float:
    """Return how long a process has had a processor; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
