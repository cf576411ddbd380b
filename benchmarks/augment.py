"""What the pipeline costs over its sampler: 1,000,000 TreeMix examples of SST to Parquet.

Bare is ``sampler.batches`` and ``write_batches``. The pipeline also looks every text up among the
originals and the new ones, keeps shards that a stopped run goes on from, and reports. Each run is a
process of its own, so that its peak memory is its own.

    python -m benchmarks.augment              bare against the pipeline, one worker and two
    python -m benchmarks.augment drawing      the pipeline without writing, one worker and two
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_sst, write_batches
from induction.corpus.pieces import mapped
from induction.corpus.sources import data_file
from sampling.method import induce
from sampling.pipeline.manifest import plan_of
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.resuming import PartialWork
from sampling.pipeline.settings import read_settings

N = 1_000_000
ROUNDS = 3


def corpus() -> Corpus:
    return read_sst(data_file("sst/train.txt.gz"))


def bare(workers: int, output: Path) -> None:
    sampler = induce("treemix", corpus())
    sampler.sample(1000)
    began = time.perf_counter(), time.process_time()
    write_batches(sampler.batches(N, workers=workers), output, workers=workers)
    _tell(*began)


def piped(workers: int, output: Path) -> None:
    data = corpus()
    list(Pipeline(data, read_settings({"n": 1000, "seed": 1})).run())
    pipeline = Pipeline(data, read_settings({"n": N}), workers=workers)
    # the tables of draws are made when they are first used; that is not timed for either
    pipeline.facts()
    began = time.perf_counter(), time.process_time()
    with PartialWork(output, plan_of(pipeline)) as work:
        made = map(mapped, work.tables(pipeline.pieces(), pipeline.state))
        write_batches(made, output, workers=workers)
        work.remove()
    assert pipeline.report().made == N
    _tell(*began)


def drawn(workers: int, output: Path) -> None:
    pipeline = Pipeline(corpus(), read_settings({"n": N}), workers=workers)
    pipeline.facts()
    list(Pipeline(corpus(), read_settings({"n": 1000, "seed": 1})).run())
    began = time.perf_counter(), time.process_time()
    for _ in pipeline.run():
        pass
    _tell(*began)


def _tell(wall: float, process: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    wall, process = time.perf_counter() - wall, time.process_time() - process
    print(json.dumps({"wall": wall, "process": process, "peak": peak}))


def best(kind: str, workers: int) -> dict[str, float]:
    """Run in processes of their own; the fastest counts, and the largest memory."""
    runs = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "benchmarks.augment", kind, str(workers), folder]
            done = subprocess.run(command, capture_output=True, check=True, text=True)
            runs.append(json.loads(done.stdout))
    return {
        "wall": min(run["wall"] for run in runs),
        "process": min(run["process"] for run in runs),
        "peak": max(run["peak"] for run in runs),
    }


def compare(kinds: tuple[str, ...]) -> None:
    found = {(kind, workers): best(kind, workers) for kind in kinds for workers in (1, 2)}
    for (kind, workers), run in found.items():
        print(
            f"{kind}, {workers} worker(s): {N / run['wall']:,.0f} examples/s, "
            f"{run['process']:.1f} s of processor, peak {run['peak']:.2f} GiB"
        )
    for kind in kinds:
        print(f"{kind}: 2 workers {found[kind, 1]['wall'] / found[kind, 2]['wall']:.2f} x 1 worker")
    if "bare" in kinds:
        for workers in (1, 2):
            ratio = found["piped", workers]["wall"] / found["bare", workers]["wall"]
            print(f"{workers} worker(s): the pipeline takes {ratio:.2f} times as long as bare")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) == 3:
        kind, workers, folder = arguments
        run = {"bare": bare, "piped": piped, "drawn": drawn}[kind]
        run(int(workers), Path(folder) / "made.parquet")
    else:
        compare(("drawn",) if arguments == ["drawing"] else ("bare", "piped"))
