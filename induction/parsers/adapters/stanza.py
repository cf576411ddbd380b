"""Stanza's constituency parser (Qi et al. 2020; Bauer et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grammar.trees.tree import Tree
from induction.parsers.adapters.foreign import ForeignParser, imported, loading, version_of
from induction.parsers.protocol import MAX_WORDS, Given

__all__ = ["StanzaParser"]


class StanzaParser(ForeignParser):
    """``stanza.Pipeline`` with tokens given, a tagger and the constituency parser.

    Parameters
    ----------
    language : str
        A language for which Stanza has a constituency parser.
    package : str
        Which of its models.
    batch_size : int
        Sentences that are handed over at once.
    max_words : int
        Longer sentences are refused.

    Raises
    ------
    MissingDataError
        If the package or the models are not installed.

    Examples
    --------
    >>> parser = StanzaParser("en")  # doctest: +SKIP
    >>> print(parser.parse(["We slept."])[0])  # doctest: +SKIP
    (ROOT (S (NP (PRP We)) (VP (VBD slept)) (. .)))
    """

    name = "stanza"

    def __init__(
        self,
        language: str = "en",
        *,
        package: str = "default",
        batch_size: int = 64,
        max_words: int = MAX_WORDS,
    ) -> None:
        stanza = imported("stanza")
        with loading(language, f"python -c \"import stanza; stanza.download('{language}')\""):
            self._pipeline = stanza.Pipeline(
                language,
                package=package,
                processors="tokenize,pos,constituency",
                tokenize_pretokenized=True,
                download_method=None,  # models are fetched when a person asks for them
                verbose=False,
            )
        version = f"{version_of('stanza')}-{language}-{package}"
        super().__init__(version, batch_size, max_words)

    def _parse_batch(self, batch: Sequence[Given]) -> list[Tree]:
        document = self._pipeline([list(given.surfaces) for given in batch])
        return [_tree(sentence.constituency) for sentence in document.sentences]


def _tree(node: Any) -> Tree:
    """Convert one of Stanza's trees, in which words are nodes without children."""
    return Tree(
        node.label or "",
        tuple(_tree(child) if child.children else child.label for child in node.children),
    )
