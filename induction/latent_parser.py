"""The default parser: a product of grammars with latent states, on forests.

A sentence's forest is what a skeleton leaves of its chart, and of that what a small model with
latent states leaves. On it, several models that differ only in the random numbers they were
trained with say how probable each edge is, and the tree with the largest product of all these
posteriors is taken (Petrov 2010, *Products of random latent variable grammars*).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from grammar.array_file import load_arrays, save_arrays
from grammar.arrays import FloatArray
from grammar.errors import OptionError, SchemaError, TreewrightError
from grammar.files import PathLike
from grammar.forest import Forest, prune
from grammar.grammar import Grammar
from grammar.latent import LatentGrammar
from grammar.rules import RuleTable
from grammar.skeleton import Skeleton
from induction.forest_parser import ForestParser, check_forest_options, log_posterior
from induction.latent_em import LatentModel
from induction.lexicon import Lexicon
from induction.text_parsers import MAX_WORDS

__all__ = ["LATENT_SCHEMA", "LatentParser"]

LATENT_SCHEMA = "treewright.latent-parser/1"


@dataclass(frozen=True, eq=False)
class LatentParser(ForestParser):
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
        Longer sentences are refused.
    workers : int
        Threads; they change nothing but the time.

    Raises
    ------
    OptionError
        If there are no models or workers, or the threshold is not between zero and one.
    """

    skeleton: Skeleton
    lexicon: Lexicon
    small: LatentModel
    models: tuple[LatentModel, ...]
    threshold: float = 1e-3
    max_words: int = MAX_WORDS
    workers: int = 1

    name = "latent"

    def __post_init__(self) -> None:
        if not self.models:
            raise OptionError("a parser needs at least one model", hint="train one or more")
        check_forest_options(self.threshold, self.workers)

    @cached_property
    def version(self) -> str:  # type: ignore[override]  # it never changes
        """Hash of the weights and options."""
        digest = hashlib.blake2b(digest_size=8)
        for column in self._columns().values():
            strings = not isinstance(column, np.ndarray)
            digest.update("\x00".join(column).encode() if strings else column.tobytes())
        digest.update(f"{self.threshold} {self.max_words}".encode())
        return digest.hexdigest()

    def thinned(self, forest: Forest, words: tuple[str, ...]) -> Forest:
        """Return what the small model leaves of a skeleton's forest."""
        return prune(forest, self.small.posteriors(forest, words), self.threshold)

    def scores(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the logarithm of the product of all models' posteriors of every edge."""
        logs = [log_posterior(model.posteriors(forest, words)) for model in self.models]
        return np.add.reduce(logs)

    def edge_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the posterior of every edge, as the models have it on average."""
        posteriors = [model.posteriors(forest, words) for model in self.models]
        return np.mean(posteriors, axis=0, dtype=np.float64)

    def log_probabilities(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the logarithm of the models' mean probability of what is below each root."""
        logs = [model.log_totals(forest, words) for model in self.models]
        total: FloatArray = np.logaddexp.reduce(logs) - np.log(len(logs))
        return total

    def save(self, path: PathLike) -> None:
        """Save as an Arrow file, atomically.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        facts = {
            "start": self.skeleton.grammar.start,
            "models": len(self.models),
            "threshold": self.threshold,
            "lexicon": self.lexicon.options,
        }
        save_arrays(path, LATENT_SCHEMA, facts, self._columns())

    @classmethod
    def load(cls, path: PathLike, *, max_words: int = MAX_WORDS, workers: int = 1) -> LatentParser:
        """Load what :meth:`save` wrote.

        Raises
        ------
        UnreadableInputError
            If the file cannot be opened.
        SchemaError
            If it is truncated, of another version, or no parser at all.
        """
        hint = "train one with 'treewright induce --model latent'"
        facts, columns = load_arrays(path, LATENT_SCHEMA, what="a latent parser", hint=hint)
        try:
            skeleton = _skeleton(columns, facts["start"])
            lexicon = _lexicon(columns, "lexicon", tuple(columns["words"]), facts["lexicon"])
            small, *models = (
                LatentModel(
                    LatentGrammar(skeleton, columns[f"{k}.states"], columns[f"{k}.weight"]),
                    _lexicon(columns, str(k), lexicon.words, facts["lexicon"]),
                )
                for k in range(facts["models"] + 1)
            )
            threshold = facts["threshold"]
            return cls(skeleton, lexicon, small, tuple(models), threshold, max_words, workers)
        except (TreewrightError, LookupError, TypeError, ValueError) as error:
            raise SchemaError(
                f"the file is damaged: {error}".splitlines()[0], where=str(path), hint=hint
            ) from None

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
        return columns


def _counts(name: str, lexicon: Lexicon) -> dict[str, Any]:
    counts = lexicon.counts
    return {
        f"{name}.starts": counts.indptr.astype(np.int64),
        f"{name}.states_of_words": counts.indices.astype(np.int32),
        f"{name}.counts": counts.data,
        f"{name}.width": np.array([counts.shape[1]]),
    }


def _lexicon(
    columns: dict[str, Any], name: str, words: tuple[str, ...], options: dict[str, Any]
) -> Lexicon:
    parts = (columns[f"{name}.{part}"] for part in ("counts", "states_of_words", "starts"))
    shape = (len(words), int(columns[f"{name}.width"][0]))
    return Lexicon(words, sp.csr_array(tuple(parts), shape=shape), **options)


def _skeleton(columns: dict[str, Any], start: str) -> Skeleton:
    names = (tuple(columns["nonterminals"]), tuple(columns["tags"]))
    rules = RuleTable(*names, columns["lhs"], columns["offsets"], columns["rhs"])
    return Skeleton(Grammar(rules, columns["rule_weight"], start, columns["rule_count"]))
