"""Methods that make new pairs of command and actions from training pairs, by name.

All but two see training pairs alone. The two with ``oracle`` have their targets from the
interpreter of SCAN, as the paper of TreeMix does; tables say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from grammar.chart.parses import NoParse
from grammar.errors import NothingNewError
from grammar.options import named
from grammar.synchronous.drawing import derivation_trees
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from sampling.geca.method import GECA
from sampling.method import induce
from sampling.sentences.pair_exchange import PairExchange
from sampling.sentences.pairs import sample_pairs
from sampling.spans.treemix import TreeMix
from scan.language import actions_of
from scan.models.config import GECA_CODE

__all__ = ["AUGMENTERS", "Augmenter", "find_augmenter"]

HALF_OF_SCAN = 10_000
"""Synthetic pairs of a run: less than half of the 20,910 commands."""

_DEPTH = (1, 12)
_DRAWS = 4
"""Draws of :func:`sample_pairs` for each distinct pair that is wanted, at most."""

Make = Callable[[Corpus, int, int], Corpus]


@dataclass(frozen=True)
class Augmenter:
    """A method of augmentation of pairs.

    Attributes
    ----------
    name, title : str
        What tables call it.
    make : callable
        From training pairs (distinct), the most pairs to make, and a seed, to new pairs.
    oracle : bool
        Whether targets come from the interpreter.
    config : mapping
        What it changes in the config that a model is trained by.
    held_out : int
        Training lines that are set aside before pairs are made, for validation.
    """

    name: str
    title: str
    make: Make
    oracle: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)
    held_out: int = 0


def find_augmenter(name: str) -> Augmenter:
    """Return a method by its name.

    Raises
    ------
    OptionError
        If there is none; the hint names the nearest.

    Examples
    --------
    >>> find_augmenter("geca").title
    'GECA'
    """
    return named(name, AUGMENTERS)


def _nothing(train: Corpus, n: int, seed: int) -> Corpus:
    return Corpus(train.table.slice(0, 0))


def _words(train: Corpus, n: int, seed: int, *, method: str) -> Corpus:
    """Change words of the command; the target stays."""
    sampler = induce(method, train)
    return sampler.sample(min(n, len(train)), seed=seed)


def _geca(train: Corpus, n: int, seed: int, *, faithful: str = "paper") -> Corpus:
    """Fragments of two one-word parts; the whole rest of the pair as environment.

    Where all its pairs are known ones, as on the length split, there are none.
    """
    try:
        sampler = GECA.induce(train, size=1, gaps=2, faithful=faithful)
    except NothingNewError:
        return _nothing(train, n, seed)
    return Corpus(sampler.sample(seed=seed).table.slice(0, n))


def _treemix(train: Corpus, n: int, seed: int, *, oracle: bool) -> Corpus:
    """Constituents of commands, by the sources of the induced grammar's derivations."""
    found = _induced(train, seed)
    parser = SynchronousParser(found.core)
    translate = _interpreted if oracle else partial(_translated, parser)
    sampler = TreeMix.induce(
        _with_trees(train, found, parser), executor=translate, low=0.0, high=1.0, min_children=1
    )
    return sampler.sample(n, seed=seed)


def _geca_and_treemix(train: Corpus, n: int, seed: int) -> Corpus:
    made = [_geca(train, n // 2, seed), _treemix(train, n // 2, seed, oracle=True)]
    return Corpus(pa.concat_tables([part.table.select(["id", "text", "target"]) for part in made]))


def _sub2(train: Corpus, n: int, seed: int) -> Corpus:
    """One subtree exchanged; labels are the layers of the induced grammar."""
    return PairExchange(_induced(train, seed).core, train).sample(n, seed=seed)


def _synchronous(train: Corpus, n: int, seed: int) -> Corpus:
    """All derivations alike; of equal pairs the first."""
    core = _induced(train, seed).core
    made = sample_pairs(core, _DRAWS * n, seed=seed, uniform=True, depth=_DEPTH)
    seen: dict[str, int] = {}
    for row, text in enumerate(made.column("text")):
        if seen.setdefault(text, row) == row and len(seen) == n:
            break
    return Corpus(made.table.take(pa.array(list(seen.values()), pa.int64())))


@lru_cache(maxsize=2)
def _induced(train: Corpus, seed: int) -> SynchronousInduction:
    """Induce the grammar of pairs, once for all methods that are tried on them."""
    return induce_synchronous(train, seed=seed)


def _with_trees(train: Corpus, found: SynchronousInduction, parser: SynchronousParser) -> Corpus:
    """Add the source tree of the best derivation; pairs without one are left out."""
    rows, trees = [], []
    for row, text in enumerate(train.column("text")):
        best = parser.translations(text.split())
        if not isinstance(best, NoParse):
            rows.append(row)
            trees.append(str(derivation_trees(found.core, best[0].rules)[0]))
    return Corpus(train.table.take(pa.array(rows, pa.int64()))).with_column("tree", trees)


def _interpreted(text: str) -> str | None:
    actions = actions_of(text)
    return None if actions is None else " ".join(actions)


def _translated(parser: SynchronousParser, text: str) -> str | None:
    found = parser.translations(text.split())
    return None if isinstance(found, NoParse) else " ".join(found[0].target)


AUGMENTERS: Mapping[str, Augmenter] = MappingProxyType(
    {
        method.name: method
        for method in (
            Augmenter("none", "no augmentation", _nothing),
            Augmenter("worddrop", "WordDrop", partial(_words, method="worddrop")),
            Augmenter("switchout", "SwitchOut", partial(_words, method="switchout")),
            Augmenter("seqmix", "SeqMix (hidden states)", _nothing, config={"mix": 1.0}),
            Augmenter("geca", "GECA", _geca),
            Augmenter("geca-code", "GECA, pairs and training as in the released program",
                      partial(_geca, faithful="code"), config=GECA_CODE, held_out=640),
            Augmenter("treemix", "TreeMix, targets of the induced grammar",
                      partial(_treemix, oracle=False)),
            Augmenter("treemix-oracle", "TreeMix, targets of the interpreter",
                      partial(_treemix, oracle=True), oracle=True),
            Augmenter("geca+treemix", "GECA and TreeMix, targets of the interpreter",
                      _geca_and_treemix, oracle=True),
            Augmenter("sub2", "Sub2 on derivations", _sub2),
            Augmenter("synchronous", "synchronous sampling", _synchronous),
        )
    }
)  # fmt: skip
"""Every method by its name."""
