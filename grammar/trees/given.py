"""Trees as people have them: trees of NLTK or of this toolkit, brackets, treebanks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from typing import Any, Protocol, TypeGuard, runtime_checkable

from grammar.errors import BracketError
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank

__all__ = ["HasTreebank", "are_trees", "as_treebank", "given_trees", "is_name_of_file"]


@runtime_checkable
class HasTreebank(Protocol):
    """What can be made trees of, such as the hits of a search."""

    def to_treebank(self) -> Treebank:
        """Return the trees."""


_FILE = re.compile(r"[^\s()]*\.[A-Za-z]\w{0,11}(?:\.gz)?")
_HINT = "give a Treebank, trees, or brackets such as '(S (NP we) (VP ran))'"


def as_treebank(data: Any) -> Treebank:
    """Return a treebank of whatever holds trees and nothing else.

    Parameters
    ----------
    data
        A treebank; a tree, of this toolkit or of NLTK; text in brackets; or an iterable of trees
        and of such texts.

    Raises
    ------
    BracketError
        If it is something else, or brackets are malformed.

    Examples
    --------
    >>> as_treebank("(S (NP we) (VP ran))")
    Treebank(1 trees, 2 words, 5 symbols)
    >>> as_treebank([Tree.parse("(S so)"), "(S yes)"]).sentences()
    [('so',), ('yes',)]
    """
    found = given_trees(data)
    if found is None and is_name_of_file(data):
        raise BracketError(
            f"{str(data)!r:.80} is the name of a file, and no tree",
            hint=f"read it: read_treebank({str(data)!r:.80}) of induction",
        )
    if found is None and isinstance(data, Iterable) and not isinstance(data, str | bytes):
        items = list(data)
        found = given_trees(items) if items else Treebank.from_trees([])
        strange = next((item for item in items if given_trees(item) is None), None)
        if found is None and strange is not None:
            raise BracketError(f"{strange!r:.80} is not a tree", hint=_HINT)
    if found is None:
        raise BracketError(f"{data!r:.80} is neither a treebank nor a tree", hint=_HINT)
    return found


def given_trees(data: Any) -> Treebank | None:
    """Return the trees that data are; None if they are no trees, or a list of no trees at all."""
    if isinstance(data, Treebank):
        return data
    if isinstance(data, HasTreebank):
        return data.to_treebank()
    if isinstance(data, str):
        return Treebank.parse(data) if data.lstrip()[:1] == "(" and _is_closed(data) else None
    if isinstance(data, Tree):
        return Treebank.from_trees([data])
    if _is_of_nltk(data):
        return Treebank.from_trees([Tree.from_nltk(data)])
    if type(data).__module__.startswith("nltk.") and hasattr(data, "parsed_sents"):
        return given_trees(data.parsed_sents())  # a reader of a corpus
    if _is_of_stanza(data):
        return given_trees(str(data))
    if not isinstance(data, list | tuple) and not _is_lazy(data):
        return None
    parts = [given_trees(item) for item in data]
    found = [part for part in parts if part is not None]
    return Treebank.concatenate(found) if parts and len(found) == len(parts) else None


def are_trees(data: Any) -> bool:
    """Say whether data are trees as values, one or many, and no text in brackets.

    >>> are_trees([Tree.parse("(S so)")]), are_trees(["(S so)"])
    (True, False)
    """
    if isinstance(data, list) and not _is_of_nltk(data):
        return bool(data) and all(map(_is_tree, data))
    return isinstance(data, Treebank | HasTreebank) or _is_tree(data) or _is_lazy(data)


def is_name_of_file(data: Any) -> bool:
    """Say whether data are a path, or text that looks like one.

    >>> is_name_of_file("gold.mrg"), is_name_of_file("We slept."), is_name_of_file("(S a)")
    (True, False, False)
    """
    return isinstance(data, PathLike) or (
        isinstance(data, str) and bool(_FILE.fullmatch(data.strip()))
    )


def _is_closed(text: str) -> bool:
    # a text such as "(Well) said" begins with a bracket, too
    return text.rstrip().endswith(")") and text.count("(") == text.count(")")


def _is_tree(data: Any) -> bool:
    return isinstance(data, Tree) or _is_of_nltk(data) or _is_of_stanza(data)


def _is_of_stanza(data: Any) -> bool:
    """Say whether data are a tree that prints itself in brackets, as those of Stanza do."""
    kind = type(data)
    named = isinstance(getattr(data, "label", None), str) and hasattr(data, "children")
    return named and "__str__" in vars(kind) and str(data).startswith("(")


def _is_of_nltk(data: Any) -> TypeGuard[Any]:
    return isinstance(data, list) and callable(getattr(data, "label", None))


def _is_lazy(data: Any) -> bool:
    """Say whether data are a list of NLTK that reads itself: ``treebank.parsed_sents()``."""
    return type(data).__module__.startswith("nltk.") and hasattr(data, "iterate_from")
