"""Bayesian tree-substitution grammars from treebanks.

Fragments with root c are drawn from a Pitman-Yor process (or a Dirichlet process) of their own,
whose base distribution grows a fragment from the treebank's PCFG and at every constituent c' stops
with probability s_c' (Cohn, Blunsom & Goldwater 2010; Post & Gildea 2009). A Markov chain visits
segmentations of the trees into fragments in proportion to their posterior probability; the grammar
is read off its last state.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.treebank import Treebank
from grammar.tsg import TreeSubstitutionGrammar
from induction.bayes_tsg_chain import BayesTSG, Iteration, Prior
from induction.binarise import Direction
from induction.normalise import DEFAULT_STEPS
from induction.pcfg import prepare

__all__ = ["BayesTSG", "Iteration", "Prior", "induce_bayes_tsg"]


def induce_bayes_tsg(
    treebank: Treebank,
    *,
    prior: Prior = "pitman-yor",
    iterations: int = 100,
    seed: int = 0,
    annealing: int = 0,
    steps: Iterable[str] = DEFAULT_STEPS,
    direction: Direction | None = None,
    horizontal_markov: int | None = None,
    vertical_markov: int = 1,
    rare_words: int = 0,
    checkpoint: PathLike | None = None,
    on_progress: Callable[[Iteration], Any] | None = None,
) -> TreeSubstitutionGrammar:
    """Induce a Bayesian tree-substitution grammar from a treebank.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    prior, seed, annealing
        See :class:`BayesTSG`.
    iterations : int
        Length of the chain; 0 gives the PCFG of the first state.
    steps, direction, horizontal_markov, vertical_markov, rare_words
        How the trees are prepared, see :func:`induction.pcfg.induce_pcfg`.
    checkpoint : path, optional
        The chain is saved there after each iteration; if the file is there, the chain goes on from
        it, up to ``iterations`` in all.
    on_progress : callable, optional
        Called with an :class:`Iteration` after each.

    Returns
    -------
    TreeSubstitutionGrammar
        See :meth:`BayesTSG.grammar`.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    OptionError
        If an option is out of range, or differs from that of the checkpoint.
    SchemaError, MismatchError, UnreadableInputError
        If the checkpoint is not one of this version, or not of these trees.

    Examples
    --------
    >>> trees = Treebank.parse("(S (NP we) (VP swim)) (S (NP we) (VP run))")
    >>> grammar = induce_bayes_tsg(trees, iterations=5)
    >>> grammar.start, len(grammar) >= 5
    ('TOP', True)
    """
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 0:
        raise OptionError(
            f"iterations {iterations!r} is not a whole number >= 0", hint="for example 100"
        )
    prepared = prepare(
        treebank,
        steps=steps,
        direction=direction,
        horizontal_markov=horizontal_markov,
        vertical_markov=vertical_markov,
        rare_words=rare_words,
    )
    chain = BayesTSG(prepared, prior=prior, seed=seed, annealing=annealing)
    if checkpoint is not None and os.path.exists(checkpoint):
        chain = _continued(chain, checkpoint, prepared, iterations)
    while chain.iteration < iterations:
        report = chain.step()
        if checkpoint is not None:
            chain.save(checkpoint)
        if on_progress is not None:
            on_progress(report)
    return chain.grammar()


def _continued(
    begun: BayesTSG, checkpoint: PathLike, treebank: Treebank, iterations: int
) -> BayesTSG:
    """Return the chain of a checkpoint, which must be the one that was asked for."""
    chain = BayesTSG.load(checkpoint, treebank)
    asked, found = begun.options, chain.options
    for name, value in asked.items():
        if found[name] != value:
            raise OptionError(
                f"the chain was begun with {name} {found[name]!r}, not {value!r}",
                where=str(checkpoint),
                hint=f"ask for {name} {found[name]!r}, or name another checkpoint",
            )
    if chain.iteration > iterations:
        raise OptionError(
            f"the chain is at iteration {chain.iteration}, beyond the {iterations} asked for",
            where=str(checkpoint),
            hint="ask for more iterations, or name another checkpoint",
        )
    return chain
