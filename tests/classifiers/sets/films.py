"""Texts that tell their sets of classes by their words."""

from __future__ import annotations

from classifiers import read_config
from induction import Corpus

WORDS = {"sport": "the match was won", "money": "the bank lent", "art": "a painting hung"}
SETS = [["sport"], ["money"], ["art"], ["sport", "money"], ["money", "art"], []]
PLAIN = read_config(encoder="tfidf", C=10.0, ngrams=1, class_weight="none")


def corpus(times: int = 4) -> Corpus:
    """Return texts that tell their classes by their words."""
    rows = [(own, n) for n in range(times) for own in SETS]
    texts = [" and ".join([*(WORDS[one] for one in own), f"day {n} passed"]) for own, n in rows]
    return Corpus.from_columns(text=texts, label=[own for own, _ in rows])
