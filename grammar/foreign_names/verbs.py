"""Commands of other tools, and the verbs that do the same here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["verb_hint"]

_VERBS: Mapping[str, Sequence[str]] = {
    "induce TREES -o g.json --model double-dop": ("fragments", "dop"),
    "induce TREES -o g.json": ("grammar", "learn", "estimate"),
    "evalb GOLD PREDICTED": ("eval", "evaluate-trees"),
    "search TREES 'NP'": ("tgrep", "tgrep2", "treesearch", "tregex"),
    "search TREES 'NP' -o trees.svg": ("treedraw", "draw"),
    "parse GRAMMAR FILE": ("parser", "runexp"),
    "classify train FILE -o model": ("train", "fit"),
    "classify predict MODEL FILE": ("predict",),
    "classify evaluate MODEL FILE": ("evaluate", "test"),
    "data get NAME": ("download", "fetch"),
    "methods": ("list", "list-methods"),
    "augment FILE -o new.jsonl -m eda": ("eda", "aug"),
    "--version": ("version",),
}
"""Command lines here, and what they are for in disco-dop, spaCy, NLTK, TextAttack."""


def verb_hint(name: str) -> str | None:
    """Return what a command of another tool is here; None if it is not known.

    >>> verb_hint("fragments"), verb_hint("sing")
    ('write treewright induce TREES -o g.json --model double-dop', None)
    """
    found = next((line for line, theirs in _VERBS.items() if name in theirs), None)
    return None if found is None else f"write treewright {found}"
