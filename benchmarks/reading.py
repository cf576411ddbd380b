"""Blind reading: whether new examples read well, judged without knowing who made them.

python -m benchmarks.reading lines FOLDER             write shuffled lines to judge, and their key
python -m benchmarks.reading model FOLDER [CORPUS]    the same, chosen by a language model (smollm2)
python -m benchmarks.reading chosen FOLDER [CORPUS]   of these the methods of the bar alone
python -m benchmarks.reading fresh FOLDER [CORPUS]    more of these, of sentences not used before
python -m benchmarks.reading again FOLDER [CORPUS]    the same, of others that were not used before
python -m benchmarks.reading last FOLDER [CORPUS]     the same, of the last not used before
python -m benchmarks.reading more FOLDER [CORPUS]     the same, of others, and questions of again
python -m benchmarks.reading words FOLDER [CORPUS]    of ALP, other texts of those of more
python -m benchmarks.reading trees FOLDER [CORPUS]    of all, other texts of those of more
python -m benchmarks.reading long FOLDER [CORPUS]     of Sub2, other texts of those of more
python -m benchmarks.reading alp FOLDER [CORPUS]      of ALP alone
python -m benchmarks.reading scores FOLDER            the shares that read well

``lines.txt`` has a number and a text a line. A judge writes, for every line, its number and 1 (it
is grammatical and makes sense) or 0 into a file ``verdicts-NAME.txt`` beside it; ``key.tsv`` is
opened by ``scores`` alone. The texts are of data sets that must not be copied, so only verdicts
and key are kept in ``docs/results/reading``; the same command makes the same lines again. What is
made of a corpus is kept beside them, so that a run goes on, and so that corpora that are named can
be run one beside the other. Needs ``TREEWRIGHT_DATA``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from classifiers.table.data import corpus_of, open_few_shot
from grammar.rng import stream_key
from induction import Corpus, with_trees
from sampling import number_classes
from sampling.expression import read_step
from sampling.method import induce

CORPORA = ("sst2", "trec", "subj")
SENTENCES = 1000
ORIGINALS = "originals"
LINES = {
    "lines": {
        ORIGINALS: 25,
        "sub2": 25, "fluent(sub2)": 50,
        "treemix": 25, "fluent(treemix)": 50,
        "alp": 25, "fluent(alp)": 50,
        "grammar": 25, "fluent(grammar)": 50,
    },
    "model": {
        ORIGINALS: 25,
        "fluent(sub2)": 25, "fluent(sub2, model=smollm2)": 50,
        "fluent(treemix)": 25, "fluent(treemix, model=smollm2)": 50,
        "fluent(alp, model=smollm2)": 50,
        "fluent(grammar, model=smollm2)": 25,
    },
    "chosen": {
        ORIGINALS: 25,
        "fluent(sub2, model=smollm2)": 50,
        "fluent(treemix, model=smollm2)": 50,
        "fluent(alp, model=smollm2)": 50,
    },
    "fresh": {
        ORIGINALS: 25,
        "fluent(sub2, model=smollm2)": 75,
        "fluent(treemix, model=smollm2)": 75,
        "fluent(alp, model=smollm2)": 50,
    },
    "again": {
        ORIGINALS: 25,
        "fluent(sub2, model=smollm2)": 50,
        "fluent(treemix, model=smollm2)": 75,
        "fluent(alp, model=smollm2)": 25,
    },
    "words": {
        ORIGINALS: 25,
        "fluent(alp, model=smollm2)": 50,
    },
    "long": {
        ORIGINALS: 25,
        "fluent(sub2, model=smollm2)": 50,
    },
    "alp": {
        ORIGINALS: 25,
        "fluent(alp)": 25, "fluent(alp, model=smollm2)": 50,
    },
}  # fmt: skip
LINES["last"], LINES["more"], LINES["trees"] = LINES["again"], LINES["chosen"], LINES["chosen"]
"""So many lines of each method and corpus."""

PARTS = {
    "fresh": dict.fromkeys(CORPORA, 2),
    "again": dict.fromkeys(CORPORA, 3),
    "last": {"sst2": 6, "trec": 4, "subj": 4},  # of TREC 618 were left, of this part of SST-2 917
    "more": {"sst2": 4, "trec": 3, "subj": 5},  # no question is left; other texts of these
}
"""Which thousand of a corpus each is made of, where not of the first; in between are some that the
probe has learnt of, or that share a phrase with what it has learnt of."""
PARTS["words"] = PARTS["trees"] = PARTS["long"] = PARTS["more"]
SEEDS = {"more": 1, "words": 2, "trees": 3, "long": 4}
"""Where it is not 0."""

Row = tuple[str, str, str]
"""Corpus, method, text."""


def sentences(name: str, part: int = 0) -> Corpus:
    """Return the sentences of a corpus that new ones are made from."""
    rows = open_few_shot(name).pool
    order = _permutation(len(rows), f"reading {name}")
    return corpus_of([rows[row] for row in order[part * SENTENCES : (part + 1) * SENTENCES]])


def rows_of(name: str, kind: str) -> Iterator[Row]:
    part = PARTS.get(kind, {}).get(name, 0)
    corpus = with_trees(number_classes(sentences(name, part)))
    for method, count in LINES[kind].items():
        if method == ORIGINALS:
            texts = corpus.column("text")[:count]
        else:
            step = read_step(method)
            sampler = induce(step.method, corpus, **step.options)
            texts = sampler.sample(count, seed=SEEDS.get(kind, 0)).column("text")
        for text in texts:
            yield name, method, " ".join(text.split())
        print(f"{name}, {method}", flush=True)


def write_lines(kind: str, folder: Path, corpora: Sequence[str] = CORPORA) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in corpora:
        if not _rows_file(folder, kind, name).exists():
            made = json.dumps(list(rows_of(name, kind)))
            _rows_file(folder, kind, name).write_text(made, "utf-8")
    if not all(_rows_file(folder, kind, name).exists() for name in CORPORA):
        return
    files = [_rows_file(folder, kind, name) for name in CORPORA]
    rows = [row for file in files for row in json.loads(file.read_text("utf-8"))]
    order = _permutation(len(rows), "reading")
    lines = (f"{number}\t{rows[row][2]}\n" for number, row in enumerate(order))
    key = (f"{number}\t{rows[row][0]}\t{rows[row][1]}\n" for number, row in enumerate(order))
    (folder / "lines.txt").write_text("".join(lines), "utf-8")
    (folder / "key.tsv").write_text("".join(key), "utf-8")


def _rows_file(folder: Path, kind: str, name: str) -> Path:
    return folder / f"rows-{kind}-{name}.json"


def _permutation(count: int, name: str) -> Sequence[int]:
    return np.random.Generator(np.random.Philox(key=int(stream_key(0, name)))).permutation(count)


def tell_scores(folder: Path) -> None:
    key = {}
    for line in (folder / "key.tsv").read_text("utf-8").splitlines():
        number, corpus, method = line.split("\t")
        key[number] = corpus, method
    judges = {path.stem: _verdicts(path) for path in sorted(folder.glob("verdicts-*.txt"))}
    for name, verdicts in judges.items():
        if verdicts.keys() != key.keys():
            sys.exit(
                f"{name}: {len(verdicts.keys() ^ key.keys())} lines have no verdict, or no key"
            )
        print(f"| {name} | {' | '.join(CORPORA)} | all | 95 % |")
        cells: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, verdict in verdicts.items():
            cells[key[number]].append(verdict)
        for method in dict.fromkeys(method for _, method in key.values()):
            each = [cells[corpus, method] for corpus in CORPORA]
            whole = [verdict for row in each for verdict in row]
            low, high = binomtest(sum(whole), len(whole)).proportion_ci(method="wilson")
            shown = [f"{sum(row)} of {len(row)}" for row in each]
            share = f"{sum(whole) / len(whole):.0%} | {low:.0%}-{high:.0%}"
            print(f"| {method} | {' | '.join(shown)} | {share} |")
    if len(judges) == 2:
        one, other = judges.values()
        same = sum(one[number] == other[number] for number in one)
        print(f"the judges agree on {same} of {len(one)} lines")


def _verdicts(path: Path) -> dict[str, int]:
    pairs = (line.split() for line in path.read_text("utf-8").splitlines() if line.strip())
    return {number: int(verdict) for number, verdict in pairs}


if __name__ == "__main__":
    match sys.argv[1:]:
        case [kind, folder] if kind in LINES:
            write_lines(kind, Path(folder))
        case [kind, folder, *corpora] if kind in LINES and set(corpora) <= set(CORPORA):
            write_lines(kind, Path(folder), corpora)
        case ["scores", folder]:
            tell_scores(Path(folder))
        case _:
            sys.exit(__doc__)
