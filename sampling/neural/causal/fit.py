"""The score of a language model: the odds that a new text reads well.

Readers said of 2,117 texts that Sub2 and TreeMix made of film reviews, plots and questions whether
they read well. The score is the logistic regression of what they said on what a model of English
tells of these texts (:mod:`sampling.neural.causal.features`); ``python -m benchmarks.fitting``.
Texts in whose words the model had a say are another kind, with odds of their own (360 texts of
ALP): there is no one change with something behind it. A model that probes fit is asked by these
instead (:mod:`sampling.neural.causal.probe`), which tell much more.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.errors import SchemaError
from grammar.saving.facts import TEXT, Fields, each, one_of
from induction.corpus.corpus import Corpus
from induction.corpus.text.tokens import detokenise
from sampling.neural.causal.features import (
    FEATURES,
    OF_SHAPE,
    Change,
    Reading,
    changed,
    features_of,
    shape_of,
)
from sampling.neural.causal.probe import Probe, Probes, shipped
from sampling.neural.causal.readings import Readings

__all__ = ["ODDS", "LanguageFit", "Odds"]

_MODEL = "sampling.neural.causal.model"
_SIDES = ("text", "text_pair")
BLOCK = 32
"""So many texts are read together, of the source and where no probe is asked."""
_USUAL_OF = 128
"""So many texts tell what is usual."""


class _Bounds(NamedTuple):
    """How far reading goes on.

    A text may gain ``reach`` deviations more by its reading than those read do on average, and at
    the most so many are read, so many at once.
    """

    reach: float
    most: int
    at_once: int


_BY_FEATURES, _BY_PROBE = _Bounds(2.0, 128, BLOCK), _Bounds(3.0, 128, 64)
_SHORTEST = 0.75
"""Texts with a smaller share of the words of the text before are not looked at.

Short ones read well, and a search finds the shortest, which say less of their class.
"""
_TWICE = 32
"""So many of those that the first probe likes best, the second reads."""


class Odds(NamedTuple):
    """The logarithm of the odds that a text reads well: weights of features, and an intercept."""

    weights: Mapping[str, float]
    intercept: float


ODDS: Mapping[str, Odds] = MappingProxyType(
    {
        "exchanged": Odds(
            {
                "mean": 0.41,
                "mean gain": 0.2,
                "gain behind": 0.35,
                "evenness": -6.05,
                "length": -0.94,
            },
            5.1,
        ),
        "written": Odds({"mean": 1.19, "length": -2.9}, 11.7),
    }
)
"""Of texts in which spans are exchanged, and of those in whose words the model had a say."""


class _Asked(NamedTuple):
    """New texts by column, the row of the source that each was made from, and what is known."""

    texts: Mapping[str, Sequence[str]]
    rows: Sequence[int]
    readings: Readings

    def keys(self, read: Sequence[int], probe: Probe | None) -> list[str]:
        """Return what is asked of some of them: by which probe, beside which text."""
        by = probe.digest[:16] if probe else ""
        sides = list(self.texts.values())
        return ["\x00".join((by, str(self.rows[k]), *(side[k] for side in sides))) for k in read]

    def known(self, read: Sequence[int], probe: Probe | None) -> list[int]:
        """Return those, in order, of which it is known what is said."""
        keys = self.keys(read, probe)
        return sorted(k for k, key in zip(read, keys, strict=True) if key in self.readings)


@dataclass(frozen=True, eq=False)
class LanguageFit:
    """Scores new texts by how well they read, to a model and beside their first parent.

    Attributes
    ----------
    model, device : str
        A causal language model by its folder or name, and where it computes.
    weights : str
        The hash of its weights.
    ids : tuple of str
        The source.
    sides : mapping of str to tuple of str
        Its texts, by column.
    odds : str
        Which of :data:`ODDS`.
    probe : str
        The digest of the probes that are asked; none if none fit the model.
    """

    model: str
    device: str
    weights: str
    ids: tuple[str, ...]
    sides: Mapping[str, tuple[str, ...]]
    odds: str = "exchanged"
    probe: str = ""
    _blocks: dict[tuple[str, int], list[Reading]] = field(default_factory=dict)

    facts: ClassVar = Fields(
        {
            "model": TEXT, "device": TEXT, "weights": TEXT,
            "sides": each(one_of(*_SIDES), least=1, most=2),
        },
        {"odds": one_of(*ODDS), "probe": TEXT},  # files of before have one kind, and ask none
    )  # fmt: skip
    columns: ClassVar = {"source id": "text", "source text": "text", "source text_pair": "text"}

    @classmethod
    def learn(cls, corpus: Corpus, model: str, device: str, odds: str) -> LanguageFit:
        """Open a model, and keep the texts of a corpus.

        Raises
        ------
        OptionError, MissingDataError, SchemaError
            As :func:`~sampling.neural.opening.open_model`.
        """
        opened = _opened(model, device)
        sides = {name: tuple(corpus.column(name)) for name in _SIDES if name in corpus.names}
        probe = shipped().digest if shipped().fit(opened.vectors) else ""
        ids = tuple(corpus.column("id"))
        return cls(model, device, opened.weights, ids, sides, odds, probe)

    def of(
        self,
        made: Corpus,
        less: FloatArray | float = 0.0,
        best: int = 1,
        readings: Readings | None = None,
    ) -> FloatArray:
        """Return the logarithm of the odds that each example reads well; of a pair, the lower.

        Evenness and length tell a part of it without the model. What was read before counts as it
        was read then. Of the rest, what evenness and length speak for is read first, and reading
        ends where the next could not be among the best if it read as well as few do, at the
        latest after 128. Of what one probe has read, another reads the best 32, and both decide by
        their mean. What is not read, or is too short beside the text before, has minus infinity.

        Parameters
        ----------
        made : Corpus
            New examples.
        less : float64[examples]
            What is taken off the logarithm of each.
        best : int
            How many of the best are looked for.
        readings : Readings, optional
            What was said before; what is said now is added.
        """
        if not len(made):
            return np.zeros(0)
        rows = [self._row.get(names[0], -1) if names else -1 for names in _parents(made)]
        texts = {name: made.column(name) for name in self.sides}
        less = np.broadcast_to(less, len(made))
        shape = np.min([self._of_shape(*side, rows) for side in texts.items()], axis=0) - less
        order = np.argsort(-shape, kind="stable")[: int(np.isfinite(shape).sum())]
        found = np.full(len(made), -np.inf)
        bounds = _BY_PROBE if self.probe else _BY_FEATURES
        asked = _Asked(texts, rows, Readings() if readings is None else readings)
        known = np.array(asked.known(order.tolist(), self._first), np.int64)
        found[known] = self._said(asked, known.tolist(), self._first) - less[known]
        order = order[~np.isin(order, known)]
        for first in range(0, min(len(order), bounds.most), bounds.at_once):
            done = np.flatnonzero(np.isfinite(found))
            if len(done) >= best:
                gained = found[done] - shape[done]
                reach = gained.mean() + bounds.reach * gained.std()
                if shape[order[first]] + reach < np.sort(found[done])[-best]:
                    break
            read = np.sort(order[first : min(first + bounds.at_once, bounds.most)])
            found[read] = self._said(asked, read.tolist(), self._first) - less[read]
        return self._read_twice(found, asked, less) if self.probe else found

    def _read_twice(self, found: FloatArray, asked: _Asked, less: FloatArray) -> FloatArray:
        """Return the mean of what both probes say of the best to the first; -inf of the rest."""
        best = np.argsort(-found, kind="stable")[:_TWICE]
        read = np.sort(best[np.isfinite(found[best])])
        again = self._said(asked, read.tolist(), self._probes.second) - less[read]
        both = np.full(len(found), -np.inf)
        both[read] = (found[read] + again) / 2
        return both

    def _of_shape(self, side: str, texts: Sequence[str], rows: Sequence[int]) -> FloatArray:
        """Return what evenness and length tell of the odds of new texts; -inf for too short."""
        source = self.sides[side]
        changes = [
            changed(new, new if row < 0 else source[row])
            for new, row in zip(texts, rows, strict=True)
        ]
        shapes = [shape_of(change.words, change.changed) for change in changes]
        words = [(change.words, len(change.before.split())) for change in changes]
        short = [new < _SHORTEST * before for new, before in words]
        return np.where(short, -np.inf, np.array(shapes) @ self._weights(OF_SHAPE))

    def _said(self, asked: _Asked, read: Sequence[int], probe: Probe | None) -> FloatArray:
        """Return what :meth:`_odds` does; what is known is not read again."""

        def ask(some: list[int]) -> FloatArray:
            return self._odds(asked.texts, asked.rows, [read[k] for k in some], probe)

        return asked.readings.of(asked.keys(read, probe), ask)

    def _odds(
        self,
        texts: Mapping[str, Sequence[str]],
        rows: Sequence[int],
        read: Sequence[int],
        probe: Probe | None,
    ) -> FloatArray:
        """Read some of the new texts, all together; the lowest odds of the sides of each.

        A probe tells them, or features.
        """
        mine = [rows[k] for k in read]
        each = []
        for name, held in texts.items():
            changes = self._changes(name, [held[k] for k in read], mine)
            if probe is None:
                each.append(self._fitted(name, changes, mine))
            else:
                each.append(self._probed(probe, changes, mine))
        found: FloatArray = np.min(each, axis=0)
        return found

    def _probed(self, probe: Probe, changes: Sequence[Change], rows: Sequence[int]) -> FloatArray:
        """Return what a probe says of new texts; of what was made from none, all is new."""
        read = functools.partial(self._reader.hidden, layer=probe.layer, adapter=probe.adapter)
        hidden = _once(read, [change.text for change in changes])
        whole = [
            change if row >= 0 else change._replace(begin=0, end=len(change.text))
            for change, row in zip(changes, rows, strict=True)
        ]
        return np.array([probe.odds(*each) for each in zip(whole, hidden, strict=True)])

    def _fitted(self, side: str, changes: Sequence[Change], rows: Sequence[int]) -> FloatArray:
        """Return what the features say of new texts."""
        features = self.features(side, changes, rows)
        found: FloatArray = features @ self._weights(FEATURES) + ODDS[self.odds].intercept
        return found

    def features(self, side: str, changes: Sequence[Change], rows: Sequence[int]) -> FloatArray:
        """Return the features of new texts, which are read together.

        Parameters
        ----------
        side : str
            Of which column they are.
        changes : sequence of Change
            New texts beside those before.
        rows : sequence of int
            The example of the source that each was made from; -1 if it was made from none.

        Returns
        -------
        float64[texts, features]
        """
        new = _once(self._reader.read, [change.text for change in changes])
        each = zip(changes, new, rows, strict=True)
        found = [
            features_of(change, text, text if row < 0 else self._before(side, row))
            for change, text, row in each
        ]
        return np.array(found).reshape(len(changes), len(FEATURES))

    def _changes(self, side: str, texts: Sequence[str], rows: Sequence[int]) -> list[Change]:
        """Compare new texts with those before; one that was made from none, with itself."""
        source = self._source[side]
        written = map(_written, texts)
        return [
            changed(new, new if row < 0 else source[row])
            for new, row in zip(written, rows, strict=True)
        ]

    def _weights(self, names: Sequence[str]) -> FloatArray:
        weights = ODDS[self.odds].weights
        return np.array([weights.get(name, 0.0) for name in names])

    def _before(self, side: str, row: int) -> Reading:
        """Return the reading of a text of the source, read in a block that is always the same."""
        block = side, row // BLOCK
        if block not in self._blocks:
            first = block[1] * BLOCK
            texts = self._source[side][first : first + BLOCK]
            self._blocks[block] = _once(self._reader.read, texts)
        return self._blocks[block][row % BLOCK]

    @cached_property
    def _source(self) -> dict[str, list[str]]:
        """The texts of the source as people write them, by column."""
        return {
            name: [" ".join(_written(text).split()) for text in texts]
            for name, texts in self.sides.items()
        }

    @cached_property
    def _row(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.ids)}

    @cached_property
    def _reader(self) -> Any:
        """The model (SchemaError if its weights are others than then)."""
        opened = _opened(self.model, self.device)
        if opened.weights != self.weights:
            raise SchemaError(
                "the weights of the language model are not those that the grammar was induced with",
                where=self.model,
                hint="use the model that it was induced with, or induce the grammar again",
            )
        return opened

    @cached_property
    def _probes(self) -> Probes:
        """The probes that ship (SchemaError if they are others than then)."""
        if self.probe != shipped().digest:
            raise SchemaError(
                "the probes that ship are not those that the grammar was induced with",
                where=self.model,
                hint="induce the grammar again, or use the version that it was induced with",
            )
        return shipped()

    @property
    def _first(self) -> Probe | None:
        """The probe that is asked first; none where features tell."""
        return self._probes.first if self.probe else None

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the pieces of texts."""
        pieces: list[list[int]] = self._reader.pieces(texts)
        return pieces

    def begin(self, rows: int) -> Any:
        """Return so many empty beginnings of texts, which are read on word by word."""
        return self._reader.begin(rows)

    @cached_property
    def usual(self) -> FloatArray:
        """The log-probability of every piece at whatever place of a part of the source."""
        texts = next(iter(self._source.values()))
        found: FloatArray = self._reader.usual(texts[:_USUAL_OF])
        return found

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return facts and columns of a file."""
        names = ("model", "device", "weights", "odds", "probe")
        facts: dict[str, Any] = {name: getattr(self, name) for name in names}
        columns: dict[str, Any] = {f"source {name}": held for name, held in self.sides.items()}
        return {**facts, "sides": list(self.sides)}, {"source id": self.ids, **columns}

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> LanguageFit:
        """Read a score off what :meth:`to_arrays` returned (SchemaError if it is damaged)."""
        ids = tuple(columns["source id"])
        sides = {name: tuple(columns[f"source {name}"]) for name in facts["sides"]}
        if any(len(texts) != len(ids) for texts in sides.values()):
            raise SchemaError("the columns of the source are not equally long")
        said = {name: facts[name] for name in ("odds", "probe") if name in facts}
        return cls(facts["model"], facts["device"], facts["weights"], ids, sides, **said)


def _opened(model: str, device: str) -> Any:
    """Open a model; torch is imported here at the earliest."""
    return importlib.import_module(_MODEL).CausalModel.opened(model, device)


def _parents(made: Corpus) -> list[list[str]]:
    provenance: Any = made.table.column("provenance").combine_chunks()
    parents: list[list[str]] = provenance.field("parents").to_pylist()
    return parents


def _once(read: Callable[[list[str]], Sequence[Any]], texts: Sequence[str]) -> list[Any]:
    """Read texts together, each once."""
    each = list(dict.fromkeys(texts))
    found = dict(zip(each, read(each), strict=True))
    return [found[text] for text in texts]


def _written(text: str) -> str:
    """Return a text as people write it, whose words may be those of a tokeniser."""
    return detokenise(text.split())
