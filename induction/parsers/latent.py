"""The default parser: a product of grammars with latent states, on forests.

A sentence's forest is what a skeleton leaves of its chart, and of that what a small model with
latent states leaves. On it, several models that differ only in the random numbers they were
trained with say how probable each edge is, and the tree with the largest product of all these
posteriors is taken (Petrov 2010, *Products of random latent variable grammars*). A lexicalised
PCFG of the same trees knows of words what states do not, and has a vote beside theirs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray, LongArray
from grammar.codecs import ArrayCodec
from grammar.description import Description
from grammar.errors import OptionError
from grammar.forest.forest import Forest, prune
from grammar.forest.latent import LatentGrammar
from grammar.forest.skeleton import Skeleton
from grammar.graph.table import GraphTable
from grammar.options import TINY
from grammar.pcfg.grammar import Grammar
from grammar.pictures.bar_chart import draw_bars
from grammar.pictures.base_labels import known_symbol
from grammar.rules.rules import RuleTable
from grammar.saving.array_checks import check_counts, check_length, check_numbers, check_offsets
from grammar.saving.facts import TEXT, Fields, real, whole
from grammar.weighted import Weighted
from induction.counts.lexicon import Lexicon
from induction.counts.tagged_words import TaggedWords
from induction.latent.compact import compact
from induction.latent.em import LatentModel
from induction.latent.states import latent_states, states_of_labels
from induction.lexicalised.model import LexicalisedModel, Smoothing
from induction.lexicalised.saving import head_columns, read_heads
from induction.parsers.coarser import MEMORY_LIMIT, STEP_LIMIT
from induction.parsers.forest import ForestParser, check_forest_options, log_posterior
from induction.parsers.protocol import MAX_WORDS

__all__ = ["LatentParser"]

_MOST_LABELS = 10
_HEADS = 0.75
"""How many votes a lexicalised PCFG has for each that models with states have together."""


@dataclass(frozen=True, eq=False, repr=False)
class LatentParser(ForestParser, Weighted):
    """Models with latent states over one skeleton; :func:`induction.induce_parser` trains them.

    Parameters
    ----------
    skeleton : Skeleton
        The coarse grammar.
    lexicon : Lexicon
        Words under tags.
    small : LatentModel
        With few states, to thin out forests.
    models : tuple of LatentModel
        Whose product decides.
    threshold : float
        Posterior below which the skeleton's nodes, and the small model's edges, are dropped.
    max_words : int
        Longer sentences are parsed in parts.
    workers : int
        Threads; they change nothing but the time.
    memory_limit, step_limit : int
        What the parse of a sentence may take, see :class:`ForestParser`.
    heads : LexicalisedModel, optional
        A lexicalised PCFG over the same skeleton and words, with three votes for each four that the
        models have together: the exponents of posteriors in the product.

    Raises
    ------
    OptionError
        If there are no models or workers, the threshold is not between zero and one, or heads are
        over another skeleton.
    """

    skeleton: Skeleton
    lexicon: Lexicon
    small: LatentModel
    models: tuple[LatentModel, ...]
    threshold: float = 1e-3
    max_words: int = MAX_WORDS
    workers: int = 1
    memory_limit: int = MEMORY_LIMIT
    step_limit: int = STEP_LIMIT
    heads: LexicalisedModel | None = None

    name = "latent"
    family = "latent"
    codec = ArrayCodec(
        "treewright.latent-parser/1",
        "a latent parser",
        Fields(
            {
                "start": TEXT, "models": whole(1, 10_000), "threshold": real(0, 1),
                "lexicon": Fields({}, {
                    "rare": whole(), "open_below": whole(), "weight": real(TINY, 1e9),
                    "unseen": real(0, 1),
                }),
            },
            {"heads": Fields({}, others=real(0, 1e9))},
        ),
        {
            "nonterminals": "text", "tags": "text", "lhs": "int32", "offsets": "int64",
            "rhs": "int32", "rule_weight": "float64", "rule_count": "int64", "words": "text",
            "starts": "int64", "states_of_words": "int32", "counts": "float64",
            "width": "int64", "states": "int32", "weight": "float64", "category": "int32",
            "word": "int32", "tag": "int32", "first": "int32", "second": "int32",
            "head": "int32", "count": "int32",
        },
        "train one with 'treewright induce --model latent'",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if not self.models:
            raise OptionError("a parser needs at least one model", hint="train one or more")
        if self.heads and self.heads.skeleton is not self.skeleton:
            raise OptionError(
                "the lexicalised PCFG is over another skeleton",
                hint="count it on the trees of the parser, as induce_parser does",
            )
        check_forest_options(self)

    def __repr__(self) -> str:
        states = ", ".join(str(int(model.grammar.states.sum())) for model in self.models)
        heads = f", {len(self.heads.grammar)} lexicalised rules" if self.heads else ""
        return (
            f"LatentParser(start {self.start}: {len(self)} rules, {states} states{heads}, "
            f"{len(self.lexicon.words)} words)"
        )

    @cached_property
    def version(self) -> str:  # type: ignore[override]  # it never changes
        """Hash of the weights and options."""
        digest = hashlib.blake2b(digest_size=8)
        for column in self._columns().values():
            strings = not isinstance(column, np.ndarray)
            digest.update("\x00".join(column).encode() if strings else column.tobytes())
        smoothing = f" {self._smoothing}" if self.heads else ""
        digest.update(f"{self.threshold} {self.limits}{smoothing}".encode())
        return digest.hexdigest()

    def thinned(self, forest: Forest, words: tuple[str, ...]) -> Forest:
        """Return what the small model leaves of a skeleton's forest."""
        return prune(forest, self.small.posteriors(forest, words), self.threshold)

    def thinning_steps(self, forest: Forest) -> int:
        """Return how many weights of the small model a forest has."""
        return self.small.grammar.weights_of(forest)

    def steps(self, forest: Forest) -> int:
        """Return how many weights of all models a forest has, and edges with heads."""
        with_heads = self.heads.steps(forest) if self.heads else 0
        return with_heads + sum(model.grammar.weights_of(forest) for model in self.models)

    def scores(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the logarithm of the product of all models' posteriors of every edge."""
        found = self._posteriors(forest, words)
        by_states: FloatArray = np.add.reduce([log_posterior(each) for each in found])
        by_heads = self._by_heads(forest, words)
        if by_heads is None:
            return by_states
        return by_states + _HEADS * len(found) * log_posterior(by_heads)

    def edge_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the posterior of every edge, as the models have it on average."""
        by_states: FloatArray = np.mean(self._posteriors(forest, words), axis=0, dtype=np.float64)
        by_heads = self._by_heads(forest, words)
        return by_states if by_heads is None else (by_states + _HEADS * by_heads) / (1.0 + _HEADS)

    def _by_heads(self, forest: Forest, words: tuple[str, ...]) -> FloatArray | None:
        """Return the posteriors by the lexicalised PCFG, if it gives some tree a probability."""
        if self.heads is None:
            return None
        found = self.heads.posteriors(forest, words)
        return found if (found > 0.0).any() else None

    def _posteriors(self, forest: Forest, words: tuple[str, ...]) -> list[FloatArray]:
        """Return the posteriors by each model that gives some tree a probability, or any."""
        found = [model.posteriors(forest, words) for model in self.models]
        known = [posterior for posterior in found if (posterior > 0.0).any()]
        return known or [self.skeleton_posteriors(forest, words)]

    def log_probabilities(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the logarithm of the models' mean probability of what is below each root.

        That is of the models with states alone.
        """
        logs = [model.log_totals(forest, words) for model in self.models]
        total: FloatArray = np.logaddexp.reduce(logs) - np.log(len(logs))
        return total

    @cached_property
    def start(self) -> str:  # type: ignore[override]  # it never changes
        """The start symbol of the skeleton."""
        return self.skeleton.grammar.start

    def __len__(self) -> int:
        return len(self.skeleton.grammar)

    def rule_text(self, number: int) -> str:
        """Return a rule of the skeleton, without its weight (IndexError if there is none)."""
        return self.skeleton.grammar.rule_text(number)

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Refuse: no example is a derivation of a parser (OptionError)."""
        raise OptionError(
            "a latent parser makes no examples",
            where=source,
            hint="name the grammar that the example was made with",
        )

    def build_graph(self) -> GraphTable:
        """Build the graph of the skeleton; states are not in it."""
        table = self.skeleton.grammar.build_graph()
        table.graph["family"] = self.family
        return table

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the states of labels, and at what the states of one label make."""
        coarse = self.skeleton.grammar
        names = coarse.rules.nonterminals
        symbol = known_symbol(symbol or coarse.start, names)
        states = [states_of_labels(model.grammar) for model in self.models]
        which = f"model 1 of {len(states)}" if len(states) > 1 else "the model"
        found = latent_states(self.models[0], symbol, top)
        kind = "words" if found[0].words else "rules"
        return Description(
            self.family,
            lambda path: draw_bars(states[0], path, f"States of each label in {which}"),
            facts={
                "version": self.version,
                "start": coarse.start,
                "skeleton rules": len(coarse),
                "labels": len(names),
                "tags among them": len(coarse.rules.words),
                "words": len(self.lexicon.words),
                "states": [sum(each.values()) for each in states],
                "states to thin out forests": int(self.small.grammar.states.sum()),
                "lexicalised rules": len(self.heads.grammar) if self.heads else 0,
            },
            details={
                "labels with most states": [
                    {"label": name, "states": [each[name] for each in states]}
                    for name in list(states[0])[:_MOST_LABELS]
                ],
                f"{kind} of each state of {symbol} ({which})": [
                    {
                        "state": state.number,
                        kind: dict(state.words)
                        or {rule.text.partition(" -> ")[2]: rule.weight for rule in state.rules},
                    }
                    for state in found
                ],
            },
        )

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and columns of the saved file."""
        facts = {
            "start": self.skeleton.grammar.start,
            "models": len(self.models),
            "threshold": self.threshold,
            "lexicon": self.lexicon.options,
            **({"heads": self._smoothing} if self.heads else {}),
        }
        return facts, self._columns()

    @classmethod
    def from_arrays(
        cls, facts: dict[str, Any], columns: dict[str, Any], **limits: Any
    ) -> LatentParser:
        """Read a parser off what :meth:`to_arrays` returned.

        Limits are ``max_words``, ``workers``, ``memory_limit`` and ``step_limit``.
        """
        skeleton = _skeleton(columns, facts["start"])
        words, known = tuple(columns["words"]), facts["lexicon"]
        lexicon = _lexicon(columns, "lexicon", words, known, len(skeleton.tags))
        tagged = _tagged(columns, skeleton) if "tagged.words" in columns else None
        small, *models = (
            _model(columns, k, skeleton, words, known) for k in range(facts["models"] + 1)
        )
        heads = None
        if "heads" in facts:
            grammar = read_heads(columns, skeleton, words, facts["heads"])
            heads = LexicalisedModel(grammar, skeleton, Smoothing.of(grammar))
        threshold = facts["threshold"]
        made = cls(skeleton, lexicon, small, tuple(models), threshold, heads=heads, **limits)
        return made if tagged is None else made.with_tagged_words(tagged)

    def with_tagged_words(self, tagged: TaggedWords) -> LatentParser:
        """Return the same parser that knows words with their tags from elsewhere.

        Raises
        ------
        OptionError
            If their tags are not those of the grammar, in its order.
        """
        tags = self.skeleton.grammar.rules.words
        if tagged.tags != tags:
            raise OptionError(
                f"the words have the tags {' '.join(tagged.tags)}",
                hint=f"count them with the tags of the grammar: {' '.join(tags)}",
            )

        def knowing(lexicon: Lexicon, starts: LongArray) -> Lexicon:
            return lexicon.with_tagged_words(tagged, starts)

        small, *models = (
            LatentModel(model.grammar, knowing(model.lexicon, model.grammar.tag_starts))
            for model in (self.small, *self.models)
        )
        lexicon = knowing(self.lexicon, np.arange(len(tags) + 1))
        heads = replace(self.heads, tagged=tagged) if self.heads else None
        return replace(self, lexicon=lexicon, small=small, models=tuple(models), heads=heads)

    def compact(self) -> LatentParser:
        """Return a parser whose file is a quarter as large, with weights of six digits."""
        return replace(self, small=compact(self.small), models=tuple(map(compact, self.models)))

    @property
    def _smoothing(self) -> dict[str, Any]:
        return asdict(self.heads.smoothing) if self.heads else {}

    def _columns(self) -> dict[str, Any]:
        grammar = self.skeleton.grammar
        columns: dict[str, Any] = {
            "nonterminals": grammar.rules.nonterminals,
            "tags": grammar.rules.words,
            "lhs": grammar.rules.lhs,
            "offsets": grammar.rules.offsets,
            "rhs": grammar.rules.rhs,
            "rule_weight": grammar.weight,
            "rule_count": grammar.count,
            "words": self.lexicon.words,
            **_counts("lexicon", self.lexicon),
        }
        for k, model in enumerate((self.small, *self.models)):
            columns[f"{k}.states"] = model.grammar.states
            columns[f"{k}.weight"] = model.grammar.weight
            columns |= _counts(str(k), model.lexicon)
        if self.heads is not None:
            columns |= head_columns(self.heads.grammar)
        if self.lexicon.tagged is not None:
            columns["tagged.words"] = self.lexicon.tagged.words
            columns |= _pairs("tagged", self.lexicon.tagged.counts)
        return columns


def _counts(name: str, lexicon: Lexicon) -> dict[str, Any]:
    return _pairs(name, lexicon.counts)


def _pairs(name: str, counts: sp.csr_array) -> dict[str, Any]:
    return {
        f"{name}.starts": counts.indptr.astype(np.int64),
        f"{name}.states_of_words": counts.indices.astype(np.int32),
        f"{name}.counts": counts.data,
        f"{name}.width": np.array([counts.shape[1]]),
    }


def _model(
    columns: dict[str, Any],
    k: int,
    skeleton: Skeleton,
    words: tuple[str, ...],
    options: dict[str, Any],
) -> LatentModel:
    states = columns[f"{k}.states"]
    check_length(f"{k}.states", states, len(skeleton.grammar.rules.nonterminals))
    check_numbers(f"{k}.states", states, 1, len(columns[f"{k}.weight"]) + 2)
    grammar = LatentGrammar(skeleton, states, columns[f"{k}.weight"])
    width = int(states[skeleton.tags].sum())
    return LatentModel(grammar, _lexicon(columns, str(k), words, options, width))


def _lexicon(
    columns: dict[str, Any],
    name: str,
    words: tuple[str, ...],
    options: dict[str, Any],
    width: int,
) -> Lexicon:
    return Lexicon(words, _matrix(columns, name, len(words), width), **options)


def _tagged(columns: dict[str, Any], skeleton: Skeleton) -> TaggedWords:
    words, tags = tuple(columns["tagged.words"]), skeleton.grammar.rules.words
    return TaggedWords(words, tags, _matrix(columns, "tagged", len(words), len(tags)))


def _matrix(columns: dict[str, Any], name: str, rows: int, width: int) -> sp.csr_array:
    counts, states, starts = (
        columns[f"{name}.{part}"] for part in ("counts", "states_of_words", "starts")
    )
    check_offsets(f"{name}.starts", starts, rows, len(states))
    check_numbers(f"{name}.states_of_words", states, 0, width)
    check_length(f"{name}.counts", counts, len(states))
    check_counts(f"{name}.counts", counts)
    if columns[f"{name}.width"].tolist() != [width]:
        raise ValueError(f"{name}.width: not as many states as tags have")
    return sp.csr_array((counts, states, starts), shape=(rows, width))


def _skeleton(columns: dict[str, Any], start: str) -> Skeleton:
    names = (tuple(columns["nonterminals"]), tuple(columns["tags"]))
    lhs, offsets, rhs = (columns[name] for name in ("lhs", "offsets", "rhs"))
    check_numbers("lhs", lhs, 0, len(names[0]))
    check_offsets("offsets", offsets, len(lhs), len(rhs), least=1)
    check_numbers("rhs", rhs, -len(names[1]), len(names[0]))
    for name in ("rule_weight", "rule_count"):
        check_length(name, columns[name], len(lhs))
        check_counts(name, columns[name])
    rules = RuleTable(*names, lhs, offsets, rhs)
    return Skeleton(Grammar(rules, columns["rule_weight"], start, columns["rule_count"]))
