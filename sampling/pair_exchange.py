"""Subtrees of synchronous derivations exchanged: Sub2 for pairs of source and target.

Both sides of a subtree go along, so the target of a new source is known. As in Sub2 (Shi, Livescu
& Gimpel 2021, section 3.2), one subtree of a host is replaced by one of the corpus that has the
same label.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from grammar.counter_rng import stream_key
from grammar.errors import CorpusError
from grammar.parses import NoParse
from grammar.synchronous import SynchronousGrammar
from grammar.synchronous_parsing import SynchronousParser
from induction.corpus import PROVENANCE, Corpus
from sampling.protocol import whole_number

__all__ = ["PairExchange"]

METHOD = "sub2-pairs"
VERSION = "1"
_TRIES = 50
"""Draws for each new example that is wanted, at most."""

Derivation = tuple[int, ...]


class PairExchange:
    """Exchange subtrees between the derivations of the pairs of a corpus.

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

    def __init__(self, grammar: SynchronousGrammar, corpus: Corpus) -> None:
        self.grammar = grammar
        self.ids: list[str] = corpus.column("id")
        self.known = set(corpus.column("text"))
        self.derivations = dict(_derived(grammar, corpus))
        self.fillers = self._fillers()
        self.hosts = [
            (example, start, end)
            for example, rules in self.derivations.items()
            for start, end in enumerate(_ends(grammar, rules))
            if start and len(self.fillers[grammar.rules[rules[start]].lhs]) > 1
        ]
        if not self.hosts:
            raise CorpusError(
                "no subtree can be exchanged for another",
                hint=f"{len(self.derivations)} of {len(corpus)} pairs are derived by the grammar",
            )

    def sample(self, n: int, *, seed: int = 0) -> Corpus:
        """Return up to n distinct new pairs: at most 50 n draws are made.

        A draw takes any proper subtree of any pair alike, and puts any of the distinct subtrees
        that may stand there in its place. Draw i is a function of (seed, i).

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Of the draws.
        """
        whole_number("n", n, 0)
        key = stream_key(seed, METHOD)
        made: dict[str, tuple[str, dict[str, object]]] = {}
        for index in range(n * _TRIES):
            if len(made) == n:
                break
            draw = np.random.Generator(np.random.Philox(key=int(key), counter=[0, 0, 0, index]))
            host, start, end = self.hosts[int(draw.integers(len(self.hosts)))]
            rules = self.derivations[host]
            choices = self.fillers[self.grammar.rules[rules[start]].lhs]
            filler, donor = choices[int(draw.integers(len(choices)))]
            rules = rules[:start] + filler + rules[end:]
            source, target = (" ".join(side) for side in self.grammar.yields(rules))
            if source not in self.known and source not in made:
                made[source] = target, {
                    "method": METHOD, "version": VERSION, "seed": seed, "index": index,
                    "parents": [self.ids[host], self.ids[donor]], "spans": [], "rules": rules,
                    "log_probability": -math.log(len(self.hosts)) - math.log(len(choices)),
                }  # fmt: skip
        return Corpus.from_columns(
            id=[f"{METHOD}-{seed}-{row['index']}" for _, row in made.values()],
            text=list(made),
            target=[target for target, _ in made.values()],
            provenance=pa.array([row for _, row in made.values()], PROVENANCE),
        )

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


def _ends(grammar: SynchronousGrammar, rules: Derivation) -> list[int]:
    """Return where the subtree of each rule of a derivation in preorder ends."""
    ends = [0] * len(rules)
    for start in range(len(rules) - 1, -1, -1):
        end = start + 1
        for _ in range(grammar.rules[rules[start]].arity):
            end = ends[end]
        ends[start] = end
    return ends
