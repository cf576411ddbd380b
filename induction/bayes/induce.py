"""Bayesian tree-substitution grammars from treebanks.

Fragments with root c are drawn from a Pitman-Yor process (or a Dirichlet process) of their own,
whose base distribution grows a fragment from the treebank's PCFG and at every constituent c' stops
with probability s_c' (Cohn, Blunsom & Goldwater 2010; Post & Gildea 2009). A Markov chain visits
segmentations of the trees into fragments in proportion to their posterior probability; the grammar
is read off its last state.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from grammar.errors import OptionError
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.files import PathLike
from grammar.options import option, read_options, takes
from grammar.trees.treebank import Treebank
from induction.bayes.chain import BayesTSG, Iteration
from induction.bayes.checkpoint import ChainOptions
from induction.trees.preparation import Preparation

__all__ = ["BayesTSG", "BayesTSGOptions", "Iteration", "induce_bayes_tsg"]


@dataclass(frozen=True, kw_only=True)
class BayesTSGOptions(ChainOptions, Preparation):
    """The options of :func:`induce_bayes_tsg`."""

    iterations: int = option(
        100, "Number of iterations of the chain; 0 gives the PCFG of the first state.", least=0
    )
    checkpoint: PathLike | None = option(
        None,
        "A file that keeps the chain after each iteration. If it exists, the chain "
        "continues from it, up to the total number of iterations.",
    )


@takes(BayesTSGOptions)
def induce_bayes_tsg(
    treebank: Treebank, *, on_progress: Callable[[Iteration], Any] | None = None, **options: Any
) -> TreeSubstitutionGrammar:
    """Induce a Bayesian tree-substitution grammar from a treebank.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    on_progress : callable, optional
        Called with an :class:`Iteration` after each.
    **options
        See :class:`BayesTSGOptions`.

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
    how = read_options(BayesTSGOptions, options, "induce_bayes_tsg")
    prepared = how.apply(treebank)
    chain = BayesTSG(prepared, prior=how.prior, seed=how.seed, annealing=how.annealing)
    if how.checkpoint is not None and os.path.exists(how.checkpoint):
        chain = _continued(chain, how.checkpoint, prepared, how.iterations)
    while chain.iteration < how.iterations:
        report = chain.step()
        if how.checkpoint is not None:
            chain.save(how.checkpoint)
        if on_progress is not None:
            on_progress(replace(report, total=how.iterations))
    return chain.grammar()


def _continued(
    begun: BayesTSG, checkpoint: PathLike, treebank: Treebank, iterations: int
) -> BayesTSG:
    """Return the chain of a checkpoint, which must be the one that was asked for."""
    chain = BayesTSG.load(checkpoint, treebank)
    asked, found = asdict(begun.options), asdict(chain.options)
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
