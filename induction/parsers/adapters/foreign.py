"""What every adapter does: find the package, hand sentences over, take trees in.

All sentences are split into tokens here, not by the packages, so that tree i is that of sentence i
and each word keeps its place in the text. Whatever root a package gives its trees, here it is
``TOP``; the words are those of the sentence.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from grammar.chart.parses import NoParse
from grammar.errors import MissingDataError, OptionError, SchemaError, TreewrightError
from grammar.trees.tree import Tree
from induction.parsers.protocol import Given
from induction.trees.plain_trees import DEEPEST

__all__ = ["call_in_batches", "imported", "in_our_form", "loading", "refuse_tags", "version_of"]

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


def refuse_tags(tags: object, parser: str) -> None:
    """Refuse given tags, for a parser that makes its own."""
    if tags is not None:
        raise OptionError(f"{parser} makes its own tags", hint="leave out the tags")


def call_in_batches(
    given: Iterator[Given | NoParse],
    parse: Callable[[Sequence[Given]], Iterable[Tree]],
    *,
    batch_size: int,
) -> Iterator[Tree | NoParse]:
    """Yield what a package makes of each sentence.

    A batch that fails is tried again sentence by sentence, so that only those that make it fail
    are without a parse. Such failures count as refusals: another machine may do better.
    """
    while batch := list(islice(given, batch_size)):
        results = iter(_attempt([one for one in batch if isinstance(one, Given)], parse))
        yield from (one if isinstance(one, NoParse) else next(results) for one in batch)


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


def _attempt(
    batch: Sequence[Given], parse: Callable[[Sequence[Given]], Iterable[Tree]]
) -> Sequence[Tree | NoParse]:
    if not batch:
        return []
    try:
        trees = list(parse(batch))
        if len(trees) != len(batch):
            raise ValueError(f"it gave {len(trees)} trees for {len(batch)} sentences")
        return [in_our_form(tree, given) for tree, given in zip(trees, batch, strict=True)]
    except (MissingDataError, OptionError, SchemaError):
        raise  # these are about the parser, the rest is about the sentences
    except Exception as error:
        if len(batch) > 1:
            return [result for given in batch for result in _attempt([given], parse)]
        reason = f"the parser failed: {_first_line(error)}"
        return [NoParse(batch[0].words, reason, refused=True)]


def _first_line(error: Exception) -> str:
    # some messages begin with a line of asterisks
    lines = (line.strip() for line in str(error).splitlines())
    first = next((line for line in lines if any(c.isalnum() for c in line)), "")
    return f"{first} ({type(error).__name__})" if first else type(error).__name__
