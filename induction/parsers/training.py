"""Training of the default parser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from grammar.engines.threads import in_threads
from grammar.errors import OptionError
from grammar.forest.skeleton import Skeleton
from grammar.options import again, option, read_options, takes, whole_number
from grammar.trees.treebank import Treebank
from induction.counts.skeletons import SkeletonOptions, SkeletonTrees
from induction.latent.em import LatentModel
from induction.latent.split_merge import Iteration, SplitMerge, split_merge
from induction.lexicalised.lpcfg import count_heads
from induction.lexicalised.model import LexicalisedModel, Smoothing
from induction.parsers.latent import LatentParser
from induction.trees.binarise import Direction

__all__ = ["ParserOptions", "induce_parser"]

_SMALL = 2
"""Rounds of the small model that thins out forests."""


@dataclass(frozen=True, kw_only=True)
class ParserOptions(SplitMerge, SkeletonOptions):
    """The options of :func:`induce_parser`."""

    models: int = option(
        4,
        "Number of grammars whose posteriors are multiplied; grammar k has the seed plus k.",
        source="Petrov 2010",
        least=1,
    )
    lexicalised: bool = option(
        True,
        "Add a lexicalised PCFG of the same trees to the product.",
    )
    direction: Direction | None = again(SkeletonOptions, "direction", "head")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lexicalised and self.direction != "head":
            raise OptionError(
                f"direction={self.direction!r}: rules of a lexicalised PCFG grow from the head",
                hint="use direction='head', or lexicalised=False",
            )


@takes(ParserOptions)
def induce_parser(
    treebank: Treebank,
    *,
    workers: int = 1,
    on_progress: Callable[[Iteration], Any] | None = None,
    **options: Any,
) -> LatentParser:
    """Train the default parser: split-merge grammars and a lexicalised PCFG, multiplied.

    The split-merge grammars differ in their random numbers only.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    workers : int
        Threads, one a grammar; they change nothing but the time.
    on_progress : callable, optional
        Told each :class:`~induction.latent.split_merge.Iteration` of each grammar.
    **options
        See :class:`ParserOptions`.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    ChartGrammarError
        If a word stands next to other symbols rather than alone under its tag.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> from induction.corpus.readers import read_treebank
    >>> quick = {"rounds": 1, "split_iterations": 2, "merge_iterations": 2}
    >>> parser = induce_parser(read_treebank()[:40], models=1, **quick)
    >>> parser.parse(["The soup was cold."])[0].leaves()
    ('The', 'soup', 'was', 'cold', '.')
    """
    how = read_options(ParserOptions, options, "induce_parser")
    whole_number("workers", workers, 1)
    prepared = how.apply(treebank)
    trees = SkeletonTrees.of_prepared(prepared)

    def train(number: int) -> list[LatentModel]:
        def tell(now: Iteration) -> None:
            if on_progress is not None:
                on_progress(replace(now, grammar=number))

        seeded = replace(how, seed=how.seed + number)
        return [round_.model for round_ in split_merge(trees, seeded, on_progress=tell)]

    tasks = (partial(train, number) for number in range(how.models))
    trained = list(in_threads(tasks, workers))
    small = trained[0][min(_SMALL, how.rounds)]
    models = tuple(found[-1] for found in trained)
    heads = _heads(prepared, trees.skeleton) if how.lexicalised else None
    return LatentParser(trees.skeleton, trees.lexicon(), small, models, heads=heads)


def _heads(prepared: Treebank, skeleton: Skeleton) -> LexicalisedModel:
    smoothing = Smoothing()
    return LexicalisedModel(count_heads(prepared, asdict(smoothing)), skeleton, smoothing)
