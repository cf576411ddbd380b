"""Subtrees of synchronous derivations exchanged: Sub2 for pairs of source and target.

Both sides of a subtree go along, so the target of a new source is known. As in Sub2 (Shi, Livescu
& Gimpel 2021, section 3.2), one subtree of a host is replaced by one of the corpus that has the
same label.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import LongArray, pack_strings
from grammar.chart.parses import NoParse
from grammar.errors import CorpusError
from grammar.hashing import hash_rows
from grammar.rng import stream_key
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from sampling.examples.provenance import example_table
from sampling.stream import Columns, Sampler

__all__ = ["PairExchange"]

Derivation = tuple[int, ...]


class _Exchange(NamedTuple):
    """A derivation with a subtree of another one, and what made it."""

    rules: Derivation
    host: int
    donor: int
    log_probability: float


class PairExchange(Sampler):
    """Exchange subtrees between the derivations of the pairs of a corpus.

    It is a sampler of a grammar and a corpus: the grammar says what may be exchanged, and is any,
    not one that this method induced. So it has no ``induce``, and is not among
    :data:`sampling.method.METHODS`.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Derives the pairs; its types are the labels. A subtree may stand wherever the grammar has
        its topmost rule.
    corpus : Corpus
        With ``text`` and ``target``. Pairs whose best derivation has another target are left out.

    Raises
    ------
    CorpusError
        If no pair is derived, or no subtree can be exchanged for another.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse('''
    ...     NT_1 twice ### NT_1 NT_1 [0.2]
    ...     jump ### JUMP [0.4]
    ...     walk ### WALK [0.4]
    ... ''')
    >>> corpus = Corpus.from_columns(text=["jump", "walk twice"], target=["JUMP", "WALK WALK"])
    >>> PairExchange(grammar, corpus).sample(1)[0]["target"]
    'JUMP JUMP'
    """

    method = "sub2-pairs"
    patience = 1 << 14
    at_once = 256
    grammar: SynchronousGrammar

    def __init__(self, grammar: SynchronousGrammar, corpus: Corpus) -> None:
        self.grammar = grammar
        self.ids: list[str] = corpus.column("id")
        self.texts: list[str] = corpus.column("text")
        self.derivations = dict(_derived(grammar, corpus))
        self.fillers = self._fillers()
        self.hosts = [
            (example, start, end)
            for example, rules in self.derivations.items()
            for start, end in enumerate(_ends(grammar, rules))
            if start and len(self._choices(rules[start])) > 1
        ]
        if not self.hosts:
            raise CorpusError(
                "no subtree can be exchanged for another",
                hint=f"{len(self.derivations)} of {len(corpus)} pairs are derived by the grammar",
            )

    def __repr__(self) -> str:
        return f"PairExchange({self.grammar!r}, {len(self.hosts):,} subtrees)"

    def count(self) -> int:
        """Return how many subtrees can be exchanged, times the others that may stand there."""
        return sum(
            len(self._choices(self.derivations[host][start])) - 1 for host, start, _ in self.hosts
        )

    def attempt(self, seed: int, numbers: LongArray, *beside: Any) -> list[_Exchange]:
        """Exchange a subtree, any alike, for any of the distinct ones that may stand there."""
        return [self._exchange(stream_key(seed, self.method), n) for n in numbers.tolist()]

    def hash(self, drawn: list[_Exchange], rows: LongArray) -> NDArray[np.uint64]:
        """Return a number for each source."""
        return _hashes(self._sides(drawn[row])[0] for row in rows.tolist())

    def known(self) -> Iterable[int]:
        """Return the hashes of the sources of the corpus."""
        return _hashes(self.texts).tolist()

    def table(self, columns: Columns, seed: int, index: LongArray) -> pa.Table:
        """Return exchanges as examples; their numbers are those of the attempts that made them."""
        drawn = self.attempt(seed, *columns)
        sides = [self._sides(each) for each in drawn]
        parents = [[self.ids[each.host], self.ids[each.donor]] for each in drawn]
        return example_table(
            self.method,
            self.version,
            seed,
            columns[0],
            {
                "text": pa.array([source for source, _ in sides], pa.string()),
                "target": pa.array([target for _, target in sides], pa.string()),
            },
            parents=pa.array(parents, pa.list_(pa.string())),
            rules=pa.array([each.rules for each in drawn], pa.list_(pa.int32())),
            log_probability=np.array([each.log_probability for each in drawn], np.float64),
        )

    def _exchange(self, key: np.uint64, number: int) -> _Exchange:
        draw = np.random.Generator(np.random.Philox(key=int(key), counter=[0, 0, 0, number]))
        host, start, end = self.hosts[int(draw.integers(len(self.hosts)))]
        rules = self.derivations[host]
        choices = self._choices(rules[start])
        filler, donor = choices[int(draw.integers(len(choices)))]
        log_probability = -math.log(len(self.hosts)) - math.log(len(choices))
        return _Exchange(rules[:start] + filler + rules[end:], host, donor, log_probability)

    def _sides(self, made: _Exchange) -> tuple[str, str]:
        source, target = self.grammar.yields(made.rules)
        return " ".join(source), " ".join(target)

    def _choices(self, rule: int) -> list[tuple[Derivation, int]]:
        """Return what may stand where a rule is the topmost one."""
        return self.fillers[self.grammar.rules[rule].lhs]

    def _fillers(self) -> dict[str, list[tuple[Derivation, int]]]:
        """List by label the distinct subtrees that may stand there, each with an example."""
        seen: dict[tuple[str, Derivation], tuple[Derivation, int]] = {}
        number = {rule: n for n, rule in enumerate(self.grammar.rules)}
        labels = sorted({slot.symbol for rule in self.grammar.rules for slot in rule.slots})
        for example, rules in self.derivations.items():
            for start, end in enumerate(_ends(self.grammar, rules)):
                top = self.grammar.rules[rules[start]]
                types = [slot.symbol for slot in top.slots]
                for label in labels:
                    there = number.get(top.retyped(label, types))
                    if there is not None:
                        filler = (there, *rules[start + 1 : end])
                        seen.setdefault((label, filler), (filler, example))
        fillers: dict[str, list[tuple[Derivation, int]]] = {label: [] for label in labels}
        for (label, _), found in seen.items():
            fillers[label].append(found)
        return fillers


def _derived(grammar: SynchronousGrammar, corpus: Corpus) -> Iterator[tuple[int, Derivation]]:
    """Yield the pairs whose best derivation writes their target, and that derivation."""
    parser = SynchronousParser(grammar)
    sides = zip(corpus.column("text"), corpus.column("target"), strict=True)
    for example, (text, target) in enumerate(sides):
        found = parser.translations(text.split())
        if not isinstance(found, NoParse) and found[0].target == tuple(target.split()):
            yield example, tuple(found[0].rules)


def _hashes(texts: Iterable[str]) -> NDArray[np.uint64]:
    return np.asarray(hash_rows(*pack_strings(texts)))


def _ends(grammar: SynchronousGrammar, rules: Derivation) -> list[int]:
    """Return where the subtree of each rule of a derivation in preorder ends."""
    ends = [0] * len(rules)
    for start in range(len(rules) - 1, -1, -1):
        end = start + 1
        for _ in range(grammar.rules[rules[start]].arity):
            end = ends[end]
        ends[start] = end
    return ends
