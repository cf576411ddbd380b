"""What every adapter does: find the package, hand sentences over, take trees in.

All sentences are split into tokens here, not by the packages, so that tree i is that of sentence i
and each word keeps its place in the text. Whatever root a package gives its trees, here it is
``TOP``; the words are those of the sentence.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, ClassVar

from grammar.chart.parses import NoParse
from grammar.errors import MissingDataError, OptionError, SchemaError, TreewrightError
from grammar.trees.tree import Tree
from induction.parsers.protocol import Given, Sentence, Tags, TextParser, read_sentences
from induction.trees.plain_trees import DEEPEST

__all__ = ["ForeignParser", "imported", "in_our_form", "loading", "version_of"]

_ROOT = "TOP"
_ROOTS = {_ROOT, "ROOT", ""}


def imported(package: str) -> Any:
    """Import a package that may not be installed.

    Raises
    ------
    MissingDataError
        If it is not, or cannot be imported.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingDataError(
            f"the package {package} cannot be imported ({error})",
            where=package,
            hint=f"pip install {package.partition('.')[0]}",
        ) from None


def version_of(package: str) -> str:
    """Return the version of an installed package, for the versions of parsers."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@contextmanager
def loading(model: str, hint: str) -> Iterator[None]:
    """Tell whatever goes wrong while a package loads a model as one error with a hint."""
    try:
        yield
    except TreewrightError:
        raise
    except Exception as error:  # each package has errors of its own
        raise MissingDataError(
            f"the model cannot be loaded: {_first_line(error)}", where=model, hint=hint
        ) from None


class ForeignParser(TextParser):
    """A parser of another package, which is handed batches of sentences.

    A batch that fails is tried again sentence by sentence, so that only those that make it fail
    are without a parse. Such failures count as refusals: another machine may do better.

    Attributes
    ----------
    reads_tags : bool
        Whether it takes tags that are given; else it makes its own.
    """

    reads_tags: ClassVar[bool] = False

    def __init__(self, version: str, batch_size: int, max_words: int) -> None:
        self.version = version
        self.batch_size = batch_size
        self.max_words = max_words

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order.

        Raises
        ------
        OptionError
            If tags are given, and the parser makes its own.
        MissingDataError, SchemaError
            If the parser is a server, and does not answer, or something else does.
        """
        if tags is not None and not self.reads_tags:
            raise OptionError(f"{self.name} makes its own tags", hint="leave out the tags")
        given = read_sentences(sentences, tags, max_words=self.max_words)
        while batch := list(islice(given, self.batch_size)):
            results = iter(self._attempt([one for one in batch if isinstance(one, Given)]))
            yield from (one if isinstance(one, NoParse) else next(results) for one in batch)

    @abstractmethod
    def _parse_batch(self, batch: Sequence[Given]) -> Iterable[Tree]:
        """Return the package's tree of each sentence."""

    def _attempt(self, batch: Sequence[Given]) -> Sequence[Tree | NoParse]:
        if not batch:
            return []
        try:
            trees = list(self._parse_batch(batch))
            if len(trees) != len(batch):
                raise ValueError(f"it gave {len(trees)} trees for {len(batch)} sentences")
            return [in_our_form(tree, given) for tree, given in zip(trees, batch, strict=True)]
        except (MissingDataError, OptionError, SchemaError):
            raise  # these are about the parser, the rest is about the sentences
        except Exception as error:
            if len(batch) > 1:
                return [result for given in batch for result in self._attempt([given])]
            reason = f"the parser failed: {_first_line(error)}"
            return [NoParse(batch[0].words, reason, refused=True)]


def in_our_form(tree: Tree, given: Given) -> Tree:
    """Return a foreign tree with the root ``TOP`` and the words of the sentence.

    Raises
    ------
    ValueError
        If it has more or fewer words, or is nested too deeply.
    """
    found = len(tree.leaves())
    if found != len(given.words):
        raise ValueError(f"its tree has {found} words, and the sentence {len(given.words)}")
    words = iter(given.words)

    def ours(node: Tree, depth: int) -> Tree:
        if depth > DEEPEST:
            raise ValueError(f"its tree is nested more than {DEEPEST} deep")
        return Tree(
            node.label,
            tuple(next(words) if isinstance(c, str) else ours(c, depth + 1) for c in node.children),
        )

    made = ours(tree, 1)
    return Tree(_ROOT, made.children if made.label in _ROOTS else (made,))


def _first_line(error: Exception) -> str:
    # some messages begin with a line of asterisks
    lines = (line.strip() for line in str(error).splitlines())
    first = next((line for line in lines if any(c.isalnum() for c in line)), "")
    return f"{first} ({type(error).__name__})" if first else type(error).__name__
