"""Rare-word classes: what stands for a word that the grammar has hardly seen.

A signature keeps what a word's shape tells about its tag: capitals, digits, hyphens and a suffix
(after the classes of the Berkeley and Stanford parsers; Petrov et al. 2006).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from grammar.options import whole_number
from grammar.trees.symbols import SymbolTable
from grammar.trees.treebank import Treebank

__all__ = ["class_of", "signature", "with_rare_classes"]

_SUFFIXES = (
    "ing", "ion", "ity", "est", "ment", "ness", "able", "less", "ist", "ous", "ful",
    "ive", "ers", "ed", "er", "ly", "al", "ic", "es", "s", "y",
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def signature(word: str) -> str:
    """Return the class of a word by its shape.

    >>> signature("Hungrily"), signature("1,250"), signature("re-used"), signature("zzz")
    ('<rare:capital-ly>', '<rare:number>', '<rare:hyphen-ed>', '<rare>')
    """
    features = []
    letters = word.isalpha()
    if not letters and any(c.isdigit() for c in word):
        features.append("number" if all(c.isdigit() or c in ".,:/-" for c in word) else "digit")
    if word[:1].isupper():
        features.append("capitals" if word.isupper() and len(word) > 1 else "capital")
    if not letters and "-" in word and "number" not in features:
        features.append("hyphen")
    lower = word.lower()
    suffix = ""
    if lower.endswith(_SUFFIXES):
        suffix = next((s for s in _SUFFIXES if lower.endswith(s) and len(lower) > len(s) + 1), "")
    if suffix and "number" not in features:
        features.append(suffix)
    return f"<rare:{'-'.join(features)}>" if features else "<rare>"


def class_of(word: str) -> str:
    """Return the class of a word; that of a class is itself.

    >>> class_of("Hungrily"), class_of("<rare:ly>")
    ('<rare:capital-ly>', '<rare:ly>')
    """
    return word if word.startswith("<rare") and word.endswith(">") else signature(word)


def with_rare_classes(treebank: Treebank, threshold: int = 1) -> Treebank:
    """Replace every word seen at most ``threshold`` times by its class.

    A grammar induced from the result has a probability for words it never saw, through their
    class. Raises OptionError if the threshold is negative.

    >>> print(with_rare_classes(Treebank.parse("(NP (DT the) (NN the) (NN dredging))"))[0])
    (NP (DT the) (NN the) (NN <rare:ing>))
    """
    whole_number("threshold", threshold, 0)
    word = treebank.is_word
    frequency = np.bincount(treebank.label[word], minlength=len(treebank.symbols))
    symbols = SymbolTable(treebank.symbols)
    identifiers = np.arange(len(treebank.symbols), dtype=np.int32)
    for rare in np.flatnonzero((frequency > 0) & (frequency <= threshold)).tolist():
        identifiers[rare] = symbols.add(signature(treebank.symbols[rare]))
    label = np.where(word, identifiers[treebank.label], treebank.label)
    return treebank.relabel(label.astype(np.int32), symbols)
