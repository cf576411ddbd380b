"""Trains the probes that tell whether a text reads well, and writes their files and their card.

    python -m benchmarks.pairs FOLDER
    python -m benchmarks.probing pairs-first|pairs-second FOLDER
    python -m benchmarks.probing first|second FOLDER [--output FOLDER]
    python -m benchmarks.probing held-first|held-second FOLDER
    python -m benchmarks.probing card [--output FOLDER]

First a probe learns to tell sentences as they were written from exchanges in them
(:mod:`benchmarks.pairs`); ``pairs-first`` and ``pairs-second`` write what it has learnt to FOLDER.
``first`` and ``second`` go on from there with all verdicts (:mod:`benchmarks.verdicts`);
``held-first`` and ``held-second`` with those of three quarters of the hosts, and write what the
probe says of the rest into a file beside the table (the logarithm of the odds, a line each).
``card`` tells of these the areas under the curve.

With ``--device cuda`` a step takes two or three minutes, but not to the same bytes: sums are not
taken in the same order each time. On one core verdicts take 20 to 30 minutes, pairs some six hours,
and the same texts, model and program give the same bytes on one machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from benchmarks import pairs
from benchmarks.adapting import RANK, Adapted, Course, learn, read, texts_of
from benchmarks.probe_network import HIDDEN, UNITS
from benchmarks.verdicts import TABLE, Row, rows
from grammar.arrays import FloatArray
from grammar.files import write_text
from sampling.neural.causal import probe as probes
from sampling.neural.causal.features import Change
from sampling.neural.causal.model import CausalModel
from sampling.neural.causal.probe import FILES, Probe, Probes

FOLDER = Path(probes.__file__).parent
READERS = {"first": (18, 0), "second": (24, 1)}
"""The layer and the seed of each probe."""
OF_PAIRS, OF_VERDICTS = Course(1, 512, 1e-3), Course(2, 32, 3e-4)
FOLDS = 4


def parts(table: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the texts of three quarters of the hosts, and the rest."""
    cut = GroupKFold(FOLDS).split(table, groups=[row.host for row in table])
    train, test = ([table[k] for k in part] for part in next(cut))
    return train, test


def paired(model: CausalModel, folder: Path, name: str) -> Probe:
    """Return the probe of that name, as pairs teach it."""
    changes, own = pairs.read(folder)
    return _learnt(model, Adapted.begun(model, *READERS[name]), changes, own, OF_PAIRS, name)


def taught(model: CausalModel, start: Probe, table: Sequence[Row], name: str) -> Probe:
    """Return a probe that goes on from another, as these verdicts teach it."""
    changes, verdicts = [row.change for row in table], [row.verdict for row in table]
    begun = Adapted.going_on(model, start)
    return _learnt(model, begun, changes, verdicts, OF_VERDICTS, name)


def _learnt(
    model: CausalModel, begun: Adapted, changes: Sequence[Change], said: Sequence[int],
    course: Course, name: str,
) -> Probe:  # fmt: skip
    learn(begun, texts_of(model, changes), np.array(said), course, READERS[name][1])
    return begun.probe()


def odds_of(model: CausalModel, probe: Probe, table: Sequence[Row]) -> FloatArray:
    changes = [row.change for row in table]
    hidden = read(model, changes, probe.layer, probe.adapter)
    return np.array([probe.odds(*each) for each in zip(changes, hidden, strict=True)])


def held_file(name: str) -> Path:
    return TABLE.with_name(f"held-{name}.txt")


def _verdicts(table: Sequence[Row]) -> FloatArray:
    return np.array([row.verdict for row in table], np.float64)


def areas(name: str, table: Sequence[Row], odds: FloatArray) -> list[str]:
    """Return lines of the table of areas, by method: of all texts, and of those chosen."""
    verdicts = _verdicts(table)
    methods = np.array([row.method for row in table])
    chosen = np.array([row.chosen == "chosen" for row in table])
    lines = []
    for method in (*dict.fromkeys(methods), "all"):
        cells = []
        for held in (np.ones(len(table), bool), chosen):
            mine = held if method == "all" else held & (methods == method)
            area = roc_auc_score(verdicts[mine], odds[mine])
            cells.append(f"{mine.sum():,} | {verdicts[mine].mean():.0%} | {area:.2f}")
        lines.append(f"| {name} | {method} | {' | '.join(cells)} |")
    return lines


def card(folder: Path) -> str:
    table = rows()
    made = {name: Probe.load(folder / file) for name, file in zip(READERS, FILES, strict=True)}
    _, test = parts(table)
    held = {name: np.loadtxt(held_file(name)) for name in READERS}
    held["both"] = np.mean([*held.values()], axis=0)
    lines = [line for name, odds in held.items() for line in areas(name, test, odds)]
    first = made["first"]
    return CARD.format(
        digest=Probes(*made.values()).digest[:16], width=len(first.state) // UNITS,
        layers=" and ".join(str(probe.layer) for probe in made.values()), units=UNITS,
        hidden=HIDDEN, rank=RANK, texts=f"{len(table):,}", good=f"{_verdicts(table).mean():.0%}",
        megabytes=" and ".join(f"{(folder / file).stat().st_size / 1e6:.1f}" for file in FILES),
        areas="\n".join(lines),
    )  # fmt: skip


CARD = """\
# Card: the probes that tell whether a text reads well

`smollm2-first.arrow` and `smollm2-second.arrow`.
`fluent(METHOD, model=smollm2)` asks them which of a method's proposals to choose
([how](../../../docs/methods/fluent.md),
[why](../../../docs/decisions/31-a-probe-tells-what-reads-well.md)).

## What they are

Two small networks on the states of layers {layers} of SmolLM2-135M-Instruct ({width} numbers a
piece): {units} units a piece, to which its place (before, in, behind what was changed) is added;
means over five parts of the text; a hidden layer of {hidden}. With each come changes of rank {rank}
of all matrices of the layers before, in whole numbers of steps from -127 to 127 (LoRA, Hu et al.
2021). The first reads up to 128 proposals, the second the best 32 of them, and the mean of both
decides. {megabytes} MB; version `{digest}`. They fit this model alone, in whatever file it lies.
With another model the odds of features decide.

## Made of

First they learnt to tell sentences as they were written from exchanges in the same place: 210,000
pairs, for which nobody had to read (`python -m benchmarks.pairs`). Then from {texts} texts that
Sub2, TreeMix and ALP made of other texts, of which blind readers (a language model, told to be
strict) let {good} pass as grammatical and sensible. Of rounds 5 to 7 one reader, who knew that all
were made by the program, read 1,838, and is a little more lenient: of 351 that others read, too,
this one let 179 pass, the others 157. The texts stand with their verdicts in
[probe.tsv](../../../docs/results/reading/probe.tsv). What pairs and texts were made of:

| source | licence |
| --- | --- |
| [GUM](https://github.com/amir-zeldes/gum) (Zeldes 2017), training: court, academic | CC BY 4.0 |
| interview, news (Wikinews) of the same | CC BY 2.5 |
| sentences of film reviews, NLTK's `movie_reviews` (Pang & Lee 2004) | CC BY 4.0 |
| sentences of plots and reviews, NLTK's `subjectivity` (Pang & Lee 2004) | CC BY 4.0 |
| sentences and questions of [Tatoeba](https://tatoeba.org), in English | CC BY 2.0 |

The table and the probes are licensed CC BY 4.0. Changes: phrases were exchanged and words replaced
by the program. No sentence of SST-2, TREC or Subj whose texts were read blind is among the hosts,
nor does what was put in, where it has twenty letters or more, stand in one of them. Sentences of
pairs have no six words in a row with any of these.

## How well it tells

Areas under the curve on a quarter of the hosts, by probes that were trained on the others in the
same way; of all texts, and of those that were chosen as the best of thousands, in round 0 by the
odds of features, then by earlier probes.

| probe | method | texts | read well | area | chosen | read well | area |
| --- | --- | --- | --- | --- | --- | --- | --- |
{areas}

## Limits

English, in sentences such as these. It tells what a strict reader would say of a sentence by
itself; of longer texts, of other kinds of changes, or of what is true it knows nothing. A search
for what it likes finds its errors, too.

## Made again

    python -m benchmarks.pairs FOLDER
    python -m benchmarks.probing pairs-first FOLDER
    python -m benchmarks.probing pairs-second FOLDER
    python -m benchmarks.probing first FOLDER
    python -m benchmarks.probing second FOLDER
    python -m benchmarks.probing held-first FOLDER
    python -m benchmarks.probing held-second FOLDER
    python -m benchmarks.probing card

with SmolLM2 installed. These were made with `--device cuda`, which does not give the same bytes
again: sums are not taken in the same order each time. A processor does, and takes hours.
"""


def main() -> None:
    steps = [f"{kind}{name}" for kind in ("pairs-", "", "held-") for name in READERS]
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("step", choices=(*steps, "card"))
    arguments.add_argument("pairs", type=Path, nargs="?", help="where pairs are")
    arguments.add_argument("--output", type=Path, default=FOLDER)
    arguments.add_argument("--model", default="smollm2")
    arguments.add_argument("--device", default="cpu")
    chosen = arguments.parse_args()
    if chosen.step == "card":
        write_text(chosen.output / "smollm2.md", card(chosen.output))
        return
    if chosen.pairs is None:
        arguments.error(f"{chosen.step} needs the folder of the pairs")
    torch.set_num_threads(1)
    model = CausalModel.opened(chosen.model, chosen.device)
    kind, _, name = chosen.step.rpartition("-")
    if kind == "pairs":
        paired(model, chosen.pairs, name).save(chosen.pairs / f"{name}.arrow")
        return
    start = Probe.load(chosen.pairs / f"{name}.arrow")
    if kind == "held":
        train, test = parts(rows())
        odds = odds_of(model, taught(model, start, train, name), test)
        np.savetxt(held_file(name), odds, "%.3f")
    else:
        file = dict(zip(READERS, FILES, strict=True))[name]
        taught(model, start, rows(), name).save(chosen.output / file)


if __name__ == "__main__":
    main()
