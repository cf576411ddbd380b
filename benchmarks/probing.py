"""Trains the probe that tells whether a text reads well, and writes its file and its card.

    python -m benchmarks.probing [--output FOLDER] [--model smollm2]

``docs/results/reading/probe.tsv`` has a row for each text that Sub2, TreeMix and ALP made while a
model chose, of sources that may be passed on (the card names them): where it is from, which method
made it, in which round (0: the odds of features chose; then earlier probes), whether it was chosen
or just read, a number for its host, the characters at which what is new begins and ends, whether a
blind reader said that it reads well, and the text. None is made of sentences whose texts are read
blind; plots are of the corpus of Subj, of other sentences. Printed are areas under the curve
on hosts that were not trained on; the probe itself is trained on all. The same table, model and
program give the same bytes on one machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold
from torch import nn

from grammar.arrays import FloatArray
from grammar.files import write_text
from sampling.neural.causal import probe as probes
from sampling.neural.causal.features import Change, Hidden, shape_of
from sampling.neural.causal.model import CausalModel
from sampling.neural.causal.probe import CHANGED, PLACES, POOLS, Probe, places_of

TABLE = Path(__file__).parent.parent / "docs" / "results" / "reading" / "probe.tsv"
FOLDER = Path(probes.__file__).parent
LAYER = 18
UNITS = HIDDEN = 64
EPOCHS, BATCH, RATE, DECAY, DROPPED = 4, 32, 1e-3, 0.05, 0.2
FOLDS = 4
AT_ONCE = 32


class Row(NamedTuple):
    """A text with its verdict."""

    source: str
    method: str
    round: str
    chosen: str
    host: str
    change: Change
    verdict: int


class Piecewise(NamedTuple):
    """A text as the probe sees it: states and places of pieces, evenness and length."""

    states: torch.Tensor
    places: torch.Tensor
    shape: torch.Tensor


def rows() -> list[Row]:
    _, *lines = TABLE.read_text("utf-8").splitlines()
    return [_row(*line.split("\t")) for line in lines]


def _row(
    source: str, method: str, turn: str, chosen: str, host: str,
    begin: str, end: str, verdict: str, text: str,
) -> Row:  # fmt: skip
    change = Change(text, "", int(begin), int(end), 0, 0, 0)
    return Row(source, method, turn, chosen, host, change, int(verdict))


def read(model: CausalModel, changes: Sequence[Change], layer: int) -> list[Hidden]:
    """Read texts, those together that are about equally long."""
    order = sorted(range(len(changes)), key=lambda k: len(changes[k].text))
    found: dict[int, Hidden] = {}
    for first in range(0, len(order), AT_ONCE):
        mine = order[first : first + AT_ONCE]
        found.update(zip(mine, model.hidden([changes[k].text for k in mine], layer), strict=True))
    return [found[k] for k in range(len(changes))]


def piecewise(change: Change, text: Hidden) -> Piecewise:
    places = places_of(change, text)
    return Piecewise(
        torch.from_numpy(text.states),
        torch.from_numpy(places),
        torch.from_numpy(shape_of(len(places), int((places == CHANGED).sum()))).float(),
    )


class Network(nn.Module):
    """The probe as it is trained: what :meth:`Probe.odds` computes, in batches."""

    def __init__(self, width: int, units: int = UNITS, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.state = nn.Linear(width, units, bias=False)
        self.place = nn.Embedding(PLACES, units)
        self.hidden = nn.Linear(POOLS * units, hidden)
        self.out = nn.Linear(hidden, 1, bias=False)
        self.shape = nn.Linear(2, 1)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, texts: Sequence[Piecewise]) -> torch.Tensor:
        lengths = [len(text.places) for text in texts]
        states, places = (torch.cat([text[k] for text in texts]) for k in range(2))
        pieces = self.state(nn.functional.layer_norm(states, states.shape[1:]))
        pieces = self.drop(pieces + self.place(places))
        each = zip(pieces.split(lengths), places.split(lengths), strict=True)
        pools = torch.stack([_pools(one, where) for one, where in each])
        hidden = nn.functional.gelu(self.hidden(nn.functional.layer_norm(pools, pools.shape[1:])))
        shape = torch.stack([text.shape for text in texts])
        return (self.out(self.drop(hidden)) + self.shape(shape))[:, 0]

    def probe(self, model: str, layer: int) -> Probe:
        def flat(weight: torch.Tensor) -> FloatArray:
            found: FloatArray = weight.detach().float().flatten().numpy()
            return found

        shape = torch.cat((self.shape.weight[0], self.shape.bias))
        weights = (
            self.state.weight, self.place.weight, self.hidden.weight, self.hidden.bias,
            self.out.weight, shape,
        )  # fmt: skip
        return Probe(model, layer, *map(flat, weights))


def _pools(pieces: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    inside, behind = (pieces[places == place] for place in (CHANGED, probes.BEHIND))
    first = probes.FIRST
    parts = (pieces, inside, pieces[-1:], behind[:first], inside[:first])
    return torch.cat([part.sum(0) / max(1, len(part)) for part in parts])


def trained(texts: Sequence[Piecewise], verdicts: FloatArray, *, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = Network(texts[0].states.shape[1])
    steps = EPOCHS * -(-len(texts) // BATCH)
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    target = torch.from_numpy(np.asarray(verdicts, np.float32))
    network.train()
    for _ in range(EPOCHS):
        order = rng.permutation(len(texts))
        for first in range(0, len(order), BATCH):
            mine = order[first : first + BATCH]
            told = network([texts[k] for k in mine])
            loss = nn.functional.binary_cross_entropy_with_logits(told, target[mine])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    return network.eval()


def told(network: Network, texts: Sequence[Piecewise]) -> FloatArray:
    with torch.no_grad():
        parts = [network(texts[k : k + AT_ONCE]) for k in range(0, len(texts), AT_ONCE)]
    found: FloatArray = torch.cat(parts).numpy()
    return found


def held_out(texts: Sequence[Piecewise], verdicts: FloatArray, hosts: Sequence[str]) -> FloatArray:
    """Return what probes say that have not seen the host."""
    found = np.zeros(len(texts))
    for train, test in GroupKFold(FOLDS).split(verdicts, groups=hosts):
        network = trained([texts[k] for k in train], verdicts[train])
        found[test] = told(network, [texts[k] for k in test])
    return found


def areas(table: Sequence[Row], odds: FloatArray) -> list[str]:
    """Return lines of the table of areas, by method: of all texts, and of those chosen."""
    verdicts = np.array([row.verdict for row in table])
    methods = np.array([row.method for row in table])
    chosen = np.array([row.chosen == "chosen" for row in table])
    lines = []
    for method in (*dict.fromkeys(methods), "all"):
        cells = []
        for held in (np.ones(len(table), bool), chosen):
            mine = held if method == "all" else held & (methods == method)
            area = roc_auc_score(verdicts[mine], odds[mine])
            cells.append(f"{mine.sum():,} | {verdicts[mine].mean():.0%} | {area:.2f}")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return lines


def card(table: Sequence[Row], odds: FloatArray, probe: Probe, size: int) -> str:
    width = len(probe.state) // UNITS
    return CARD.format(
        version=probe.digest[:16], layer=probe.layer, width=width, units=UNITS, hidden=HIDDEN,
        kilobytes=round(size / 1000), texts=f"{len(table):,}",
        good=f"{np.mean([row.verdict for row in table]):.0%}", areas="\n".join(areas(table, odds)),
    )  # fmt: skip


CARD = """\
# Card: `smollm2.arrow`, the probe that tells whether a text reads well

`fluent(METHOD, model=smollm2)` asks it which of a method's proposals to choose
([how](../../../docs/fluent.md),
[why](../../../docs/decisions/31-a-probe-tells-what-reads-well.md)).

## What it is

A small network on the states of layer {layer} of SmolLM2-135M-Instruct ({width} numbers a piece):
{units} units a piece, to which its place (before, in, behind what was changed) is added; means over
five parts of the text; a hidden layer of {hidden}.
{kilobytes} kB; version `{version}`. It fits this model alone, in whatever file it lies. With
another model the odds of features decide.

## Made of

{texts} texts that Sub2, TreeMix and ALP made of other texts, of which blind readers (a language
model, told to be strict) let {good} pass as grammatical and sensible. Of the last three rounds one
reader, who knew that all were made by the program, read 1,838, and is a little more lenient: of 351
that others read, too, this one let 179 pass, the others 157. They stand with their
verdicts in [probe.tsv](../../../docs/results/reading/probe.tsv). What they were made of:

| source | licence |
| --- | --- |
| [GUM](https://github.com/amir-zeldes/gum) (Zeldes 2017), training: court, academic | CC BY 4.0 |
| interview, news (Wikinews) of the same | CC BY 2.5 |
| sentences of film reviews, NLTK's `movie_reviews` (Pang & Lee 2004) | CC BY 4.0 |
| sentences of plots and reviews, NLTK's `subjectivity` (Pang & Lee 2004) | CC BY 4.0 |
| sentences and questions of [Tatoeba](https://tatoeba.org), in English | CC BY 2.0 |

The table and the probe are licensed CC BY 4.0. Changes: phrases were exchanged and words replaced
by the program. No sentence of SST-2, TREC or Subj whose texts were read blind is among the hosts,
nor does what was put in, where it has twenty letters or more, stand in one of them.

## How well it tells

Areas under the curve on hosts that were not trained on (four parts); of all texts, and of those
that were chosen as the best of thousands, in round 0 by the odds of features, then by earlier
probes.

| method | texts | read well | area | chosen | read well | area |
| --- | --- | --- | --- | --- | --- | --- |
{areas}

## Limits

English, in sentences such as these. It tells what a strict reader would say of a sentence by
itself; of longer texts, of other kinds of changes, or of what is true it knows nothing. A search
for what it likes finds its errors, too.

## Made again

    python -m benchmarks.probing

with SmolLM2 installed. The same table, model and program give the same bytes on one machine.
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--output", type=Path, default=FOLDER)
    arguments.add_argument("--model", default="smollm2")
    chosen = arguments.parse_args()
    torch.set_num_threads(1)
    table = rows()
    model = CausalModel.opened(chosen.model, "cpu")
    hidden = read(model, [row.change for row in table], LAYER)
    texts = [piecewise(row.change, held) for row, held in zip(table, hidden, strict=True)]
    verdicts = np.array([row.verdict for row in table], np.float64)
    odds = held_out(texts, verdicts, [row.host for row in table])
    print("\n".join(areas(table, odds)), flush=True)
    probe = trained(texts, verdicts).probe(model.vectors, LAYER)
    file = chosen.output / "smollm2.arrow"
    probe.save(file)
    write_text(chosen.output / "smollm2.md", card(table, odds, probe, file.stat().st_size))


if __name__ == "__main__":
    main()
