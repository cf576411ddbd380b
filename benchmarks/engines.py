"""One hash over engines, workers and kills, and what workers are worth.

    python -m benchmarks.engines [--examples 200000] [--kill 5] [--workers 1 2 4] [--into FOLDER]

Each verb runs as a person runs it; whatever process works for it is killed when it has had so many
seconds of a processor: on free cores every so many seconds, elsewhere after as much work. Then, of
each engine, the driver itself is killed halfway and the verb run again, ``augment`` with
``--resume``. A run that does not end in ten minutes is a fault. With a folder, each run that is
done leaves a file there, and a benchmark that was stopped goes on with the others.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

VERBS = {
    "sample": "sample g.json -n {n} -o {out}.jsonl",
    "augment": "augment corpus.jsonl -m sub2 -n {n} -o {out}.jsonl",
    "parse-corpus": "parse-corpus part.jsonl -o {out}.jsonl",
    "induce": "induce trees.mrg --model double-dop -o {out}.json",
}
WORKERS = {"processes": "-c from multiprocessing.spawn", "ray": "ray::counted_answer"}
"""How the command of a process begins that does units; engines have other processes, too."""
LONGEST = 600.0
Cell = tuple[str, int, str]


def main() -> None:
    asked = read_arguments()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(asked.into or folder).absolute()
        results.mkdir(exist_ok=True)
        os.chdir(folder)
        prepare(asked)
        print(
            f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {asked.examples:,}"
        )
        for verb in asked.verbs:
            lines = [line_of(verb, cell, asked, results) for cell in cells(asked)]
            digests = {line["digest"] for line in lines}
            print(f"{verb}: {len(lines)} runs, {len(digests)} hash", flush=True)


def cells(asked: argparse.Namespace) -> list[Cell]:
    """Return engine, workers, and who is killed: nobody, workers, or the driver."""
    every = product(asked.engines, asked.workers, ("none", "workers"))
    found = [cell for cell in every if cell[::2] != ("threads", "workers")]  # nobody to kill
    return found + [(engine, 2, "driver") for engine in asked.engines]


def line_of(verb: str, cell: Cell, asked: argparse.Namespace, results: Path) -> dict[str, Any]:
    """Return what came of a run, from its file if that is there, and print it."""
    engine, workers, killed = cell
    kept = results / f"{verb}-{engine}-{workers}-{killed}.json"
    if not kept.exists():
        run = Run(VERBS[verb].format(n=asked.examples, out="out"), engine, workers)
        if killed == "driver":
            alone = json.loads((results / f"{verb}-{engine}-2-none.json").read_text())
            took, deaths = run.stopped(alone["seconds"] / 2), 1
        else:
            took, deaths = run.timed(asked.kill if killed == "workers" else 0)
        kept.write_text(json.dumps({"seconds": took, "deaths": deaths, "digest": run.digest}))
    line: dict[str, Any] = json.loads(kept.read_text())
    who = f"{killed} killed" if killed != "workers" else f"{line['deaths']} killed"
    print(f"{verb:<13}{engine:<11}{workers}  {who:<14}{line['seconds']:7.1f} s  {line['digest']}")
    return line


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=200_000)
    parser.add_argument("--kill", type=float, default=5.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--sentences", type=int, default=300, help="of parse-corpus")
    parser.add_argument(
        "--trees", type=int, default=3900, help="of induce; more than 3,914 come again"
    )
    parser.add_argument("--into", help="a folder of results")
    parser.add_argument("--engines", nargs="+", default=["threads", "processes", "ray"])
    parser.add_argument("--verbs", nargs="+", default=list(VERBS))
    return parser.parse_args()


def prepare(asked: argparse.Namespace) -> None:
    from induction import read_reviews, read_treebank, write_corpus
    from induction.corpus.corpus import Corpus

    words = ("induce", "nltk:treebank", "-o", "g.json", "-q")
    subprocess.run([*treewright(), *words], check=True)
    trees = itertools.islice(itertools.cycle(read_treebank("nltk:treebank")), asked.trees)
    Path("trees.mrg").write_text("".join(f"{tree}\n" for tree in trees))
    reviews = read_reviews()
    write_corpus(reviews, "corpus.jsonl")
    some = reviews.table.select(["id", "text"]).slice(0, asked.sentences)
    write_corpus(Corpus(some), "part.jsonl")


def treewright() -> list[str]:
    return [sys.executable, "-m", "treewright"]


class Run:
    """A verb with its engine and workers."""

    def __init__(self, command: str, engine: str, workers: int) -> None:
        self.words = command.split()
        self.engine, self.workers = engine, workers

    def __str__(self) -> str:
        return f"{self.words[0]} {self.engine} {self.workers}"

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
        for path in Path().glob("out.*"):
            path.unlink()
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
