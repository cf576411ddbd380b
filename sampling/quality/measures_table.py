"""The measures of a quality report: their names, what they mean, and which direction is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["GROUPS", "MEASURES", "Measure"]

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "labels": "Do the labels still fit?",
        "overlap": "Is it new?",
        "resemblance": "How alike are the texts?",
        "variety": "How varied are words and structures?",
        "shift": "Is it still the same kind of text?",
        "derivations": "How probable are the derivations?",
    }
)
"""The parts of a report: their names and the question each answers."""


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes
    ----------
    name : str
        As in JSON and in thresholds.
    group : str
        One of :data:`GROUPS`.
    title, meaning : str
        For people.
    better : {"higher", "lower", "near 1", ""}
        Empty where it depends on the purpose.
    share : bool
        Whether it is a share, shown in per cent.
    """

    name: str
    group: str
    title: str
    meaning: str
    better: str = ""
    share: bool = False


_BLEU = [
    measure
    for n in (2, 5)
    for measure in (
        Measure(f"self_bleu_{n}", "resemblance", f"Self-BLEU-{n}",
                "BLEU of each new text against all other new ones", "lower"),
        Measure(f"bleu_to_originals_{n}", "resemblance", f"BLEU-{n} to the originals",
                "BLEU of each new text against all originals; Self-BLEU as ALP uses the name"),
        Measure(f"bleu_to_parents_{n}", "resemblance", f"BLEU-{n} to the parents",
                "BLEU of each new text against the originals it was made from"),
    )
]  # fmt: skip
_DISTINCT = [
    measure
    for n in (1, 2, 3)
    for measure in (
        Measure(f"distinct_{n}", "variety", f"distinct-{n}",
                f"different {n}-grams among all {n}-grams; falls with size", "", True),
        Measure(f"rarefied_distinct_{n}", "variety", f"distinct-{n} at equal size",
                f"expected distinct-{n} of as many {n}-grams as the smaller corpus has",
                "higher", True),
    )
]  # fmt: skip
_ALL = [
    Measure("fidelity", "labels", "label fidelity",
            "labels that a classifier agrees with which has not seen the parents",
            "higher", True),
    Measure("fidelity_error", "labels", "Brier score of the labels",
            "squared distance of the classifier's probabilities from the labels", "lower"),
    Measure("affinity", "labels", "affinity",
            "fidelity over the accuracy on originals; 1 means no shift", "near 1"),
    Measure("diversity", "labels", "diversity",
            "training loss on the new examples over that on the originals"),
    Measure("label_shift", "labels", "label shift",
            "total variation distance of the classes' shares", "lower", True),
    Measure("novelty", "overlap", "novelty", "new texts that equal no original",
            "higher", True),
    Measure("near_copies", "overlap", "near copies",
            "new texts with an original of bigram Jaccard 0.8 or more", "lower", True),
    Measure("nearest_similarity", "overlap", "similarity to the nearest original",
            "mean bigram Jaccard of each new text and its nearest original"),
    Measure("duplicates", "overlap", "duplicates", "new texts that equal an earlier new one",
            "lower", True),
    Measure("near_duplicates", "overlap", "near duplicates",
            "new texts with another new one of bigram Jaccard 0.8 or more", "lower", True),
    Measure("leakage", "overlap", "leakage", "test texts that equal a new one", "lower", True),
    Measure("near_leakage", "overlap", "near leakage",
            "test texts with a new one of bigram Jaccard 0.8 or more", "lower", True),
    Measure("leakage_13grams", "overlap", "leakage of 13-grams",
            "test texts (of 13 words or more) that share a 13-gram with a new one",
            "lower", True),
    *_BLEU,
    *_DISTINCT,
    Measure("rule_diversity", "variety", "rule diversity",
            "different rules among all uses of rules; falls with size", "", True),
    Measure("rarefied_rule_diversity", "variety", "rule diversity at equal size",
            "expected rule diversity of as many uses as the smaller corpus has",
            "higher", True),
    Measure("new_rules", "variety", "new rules",
            "uses of rules that no original has", "", True),
    Measure("shape_diversity", "variety", "shape diversity",
            "different trees, words left out, among all; falls with size", "", True),
    Measure("rarefied_shape_diversity", "variety", "shape diversity at equal size",
            "expected shape diversity of as many trees as the smaller corpus has",
            "higher", True),
    Measure("mean_length", "shift", "mean length", "words a text"),
    Measure("length_shift", "shift", "length shift",
            "Wasserstein distance of the lengths, in words", "lower"),
    Measure("log_probability", "derivations", "log-probability",
            "mean natural logarithm of the derivations' probabilities"),
    Measure("log_probability_per_word", "derivations", "log-probability a word",
            "sum of log-probabilities over all words"),
    Measure("parsed", "derivations", "parsed", "texts that the parser has a parse of",
            "higher", True),
    Measure("reparse_agreement", "derivations", "re-parse agreement",
            "F1 of the parser's brackets against those of the corpus", "higher", True),
]  # fmt: skip

MEASURES: Mapping[str, Measure] = MappingProxyType({m.name: m for m in _ALL})
"""Every measure by its name, in the order of the report."""
