"""Training of the default parser."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from grammar.errors import OptionError
from grammar.treebank import Treebank
from induction.binarise import Direction
from induction.latent_em import LatentModel
from induction.latent_parser import LatentParser
from induction.skeleton_trees import SkeletonTrees
from induction.split_merge import SplitMerge, split_merge

__all__ = ["induce_parser"]

_SMALL = 2
"""Rounds of the small model that thins out forests."""

Told = Callable[[int, int, int, float], None]


def induce_parser(
    treebank: Treebank,
    *,
    models: int = 4,
    options: SplitMerge | None = None,
    direction: Direction = "right",
    horizontal_markov: int | None = 0,
    vertical_markov: int = 1,
    workers: int = 1,
    on_iteration: Told | None = None,
) -> LatentParser:
    """Train the default parser: split-merge grammars that differ in their random numbers.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    models : int
        How many grammars; model k has the seed of the options plus k.
    options : SplitMerge, optional
        How states are split.
    direction, horizontal_markov, vertical_markov
        How the skeleton is binarised, see :func:`induction.binarise.binarise`. States find for
        themselves what Markov memory would write down, so the skeleton needs none.
    workers : int
        Threads, one a grammar; they change nothing but the time.
    on_iteration : callable, optional
        Told the model, the round, the iteration in it, and the log-likelihood of the trees.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    ChartGrammarError
        If a word stands beside other symbols rather than alone under its tag.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> from induction.readers import read_treebank
    >>> quick = SplitMerge(rounds=1, split_iterations=2, merge_iterations=2)
    >>> parser = induce_parser(read_treebank()[:40], models=1, options=quick)
    >>> parser.parse(["The soup was cold."])[0].leaves()
    ('The', 'soup', 'was', 'cold', '.')
    """
    if models < 1 or workers < 1:
        raise OptionError(f"models is {models} and workers is {workers}", hint="give 1 or more")
    options = options or SplitMerge()
    trees = SkeletonTrees.of(
        treebank,
        direction=direction,
        horizontal_markov=horizontal_markov,
        vertical_markov=vertical_markov,
    )

    def train(number: int) -> list[LatentModel]:
        def tell(round_: int, iteration: int, log_likelihood: float) -> None:
            if on_iteration is not None:
                on_iteration(number, round_, iteration, log_likelihood)

        seeded = replace(options, seed=options.seed + number)
        return [round_.model for round_ in split_merge(trees, seeded, on_iteration=tell)]

    with ThreadPoolExecutor(workers) as pool:
        trained = list(pool.map(train, range(models)))
    small = trained[0][min(_SMALL, options.rounds)]
    return LatentParser(trees.skeleton, trees.lexicon(), small, tuple(m[-1] for m in trained))
