"""The Markov chain over segmentations of a treebank that Bayesian tree-substitution grammars need.

See :mod:`induction.bayes.induce` for the model, :mod:`induction.bayes.moves` for the moves and
:mod:`induction.bayes.hyper` for tables and hyper-parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.errors import EmptyTreebankError
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.files import PathLike
from grammar.options import read_options, takes
from grammar.rng import stream_key
from grammar.trees.treebank import Treebank
from induction.bayes.checkpoint import ChainOptions, ChainState, load_state, save_state
from induction.bayes.columns import (
    Parameters,
    Segmentation,
    SharedRules,
    number_fragments,
    tree_columns,
)
from induction.bayes.hyper import (
    UsedFragments,
    draw_tau,
    key_of_tables,
    log_probability,
    parameters_of,
    redraw,
    seat,
)
from induction.bayes.moves import cache_ratios, draw_bits, draw_types, path_bounds, shuffled
from induction.bayes.predictive import predictive_grammar

__all__ = ["BayesTSG", "Iteration"]

_BITS_A_PIVOT = 8
_ROOM = 1 << 18  # paths made before the table is looked at again
_HOTTEST = 3.0


@dataclass(frozen=True, eq=False)
class Iteration:
    """Where a chain is after an iteration.

    Attributes
    ----------
    number : int
        Iterations so far.
    log_joint : float
        Log-probability of the fragments given the hyper-parameters; under a Pitman-Yor prior, of
        the fragments and the number of tables of each.
    fragments : int
        Distinct fragments in use.
    uses : int
        Uses of fragments.
    turned : int
        Bits that the iteration turned.
    labels : tuple of str
        What the hyper-parameters are indexed by.
    concentration, discount, stop : float64 array, shape (labels,)
        alpha, d and s of each label.
    total : int
        Iterations that are wanted in all, if it is known.

    Examples
    --------
    >>> from induction import induce_bayes_tsg, read_treebank
    >>> told = []
    >>> _ = induce_bayes_tsg(read_treebank()[:20], iterations=3, on_progress=told.append)
    >>> told[-1].number
    3
    """

    number: int
    log_joint: float
    fragments: int
    uses: int
    turned: int
    labels: tuple[str, ...]
    concentration: FloatArray
    discount: FloatArray
    stop: FloatArray
    total: int = 0

    task = "bayes-tsg"

    @property
    def done(self) -> int:
        """Iterations so far."""
        return self.number

    @property
    def note(self) -> str:
        """Where the chain is, in words."""
        return f"log joint {self.log_joint:,.0f}, {self.fragments:,} fragments"


class BayesTSG:
    """A chain over the segmentations of prepared trees.

    Parameters
    ----------
    treebank : Treebank
        Trees as they shall be segmented, for instance by
        :func:`induction.trees.preparation.prepare`.
    **options
        See :class:`induction.bayes.checkpoint.ChainOptions`.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> trees = Treebank.parse("(S (NP we) (VP swim)) (S (NP we) (VP run))")
    >>> chain = BayesTSG(trees, seed=1)
    >>> report = chain.step()
    >>> report.number, report.uses >= 2, report.log_joint < 0
    (1, True, True)

    Notes
    -----
    The chain starts with every bit set, which is the treebank's PCFG. The time of an iteration
    grows with the number of constituents, and with the places that share their rules.
    """

    @takes(ChainOptions)
    def __init__(self, treebank: Treebank, **options: Any) -> None:
        """Begin a chain with every bit set."""
        how = read_options(ChainOptions, options, "BayesTSG")
        if not len(treebank):
            raise EmptyTreebankError("the treebank has no trees", hint="read another one")
        key = stream_key(how.seed, "bayes-tsg start")
        self._prepare(treebank)
        many = len(self.labels)
        site = ~treebank.is_word
        ones = np.ones(many)
        discount = 0.5 * ones if how.prior == "pitman-yor" else 0.0 * ones
        state = ChainState(
            how,
            iteration=0,
            site=site,
            tables=np.zeros(len(site), np.int32),
            concentration=10.0 * ones,
            discount=discount,
            tau=10.0 * ones,
            stop=0.5 * ones,
        )
        self._resume(state)
        used = UsedFragments.of(self._trees, self._segmentation)
        first = key_of_tables(how.seed, 0)
        seat(self._trees, used, state.tables, np.log(state.tau), discount, first)
        state.tau = draw_tau(
            np.random.Generator(np.random.Philox(key=int(key))),
            state.concentration,
            discount,
            used.tables_by_label(state.tables),
        )

    @classmethod
    def load(cls, path: PathLike, treebank: Treebank) -> BayesTSG:
        """Go on with a saved chain, over the trees that it was begun with.

        Raises
        ------
        UnreadableInputError
            If the file cannot be opened.
        SchemaError
            If it is not a chain saved by this version.
        MismatchError
            If it is a chain over other trees.
        """
        chain = cls.__new__(cls)
        state = load_state(path, treebank)
        chain._prepare(treebank)
        chain._resume(state)
        return chain

    def save(self, path: PathLike) -> None:
        """Save the chain as an Arrow IPC file; :meth:`load` goes on bit for bit.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        save_state(self._state, self._treebank, path)

    def _prepare(self, treebank: Treebank) -> None:
        self._treebank = treebank
        self._trees, self.labels = tree_columns(treebank)
        self._groups = SharedRules.of(self._trees)
        self._bounds = path_bounds(self._trees)
        self._rho = np.empty(2 * len(treebank.label) + 64)

    def _resume(self, state: ChainState) -> None:
        self._state = state
        self._segmentation = self._numbered()

    @property
    def iteration(self) -> int:
        """How many iterations the chain has made."""
        return self._state.iteration

    @property
    def options(self) -> ChainOptions:
        """What the chain was begun with."""
        return self._state.options

    @property
    def site(self) -> BoolArray:
        """bool array, shape (nodes,): the constituents that are roots of fragments."""
        return self._state.site.copy()

    @property
    def parameters(self) -> Parameters:
        """The hyper-parameters by label, as kernels want them."""
        state = self._state
        return parameters_of(state.concentration, state.discount, state.tau, state.stop)

    @property
    def log_joint(self) -> float:
        """See :attr:`Iteration.log_joint`."""
        state = self._state
        return log_probability(
            self._trees, self._segmentation, state.tables, state.concentration, state.discount
        )

    def report(self, turned: int = 0) -> Iteration:
        """Describe the state of the chain."""
        state = self._state
        return Iteration(
            state.iteration,
            self.log_joint,
            len(UsedFragments.of(self._trees, self._segmentation).node),
            int(np.count_nonzero(state.site)),
            turned,
            self.labels,
            state.concentration,
            state.discount,
            state.stop,
        )

    def step(self) -> Iteration:
        """Make one iteration: every bit, many types, then tables and hyper-parameters."""
        turned = self.sweep_bits()
        turned += self.sweep_types()
        state = self._state
        hyper = (state.concentration, state.discount, state.tau, state.stop)
        hyper = redraw(
            self._trees,
            self._segmentation,
            state.tables,
            hyper,
            state.options.seed,
            state.iteration + 1,
        )
        state.concentration, state.discount, state.tau, state.stop = hyper
        state.iteration += 1
        self._segmentation = self._numbered()
        return self.report(turned)

    def sweep_bits(self) -> int:
        """Draw every bit once, in random order; return how many turned."""
        key = self._key("order of bits")
        return self._sweep(draw_bits, shuffled(self._groups.nodes, key), None, "bits")

    def sweep_types(self) -> int:
        """Draw the types of random pivots, one for 8 bits; return how many bits turned.

        The pivots are chosen whatever their bits are, so a type is met in proportion to its size.
        """
        key = self._key("pivots")
        pivots = shuffled(np.arange(len(self._groups.nodes)), key)
        pivots = pivots[: -(-len(pivots) // _BITS_A_PIVOT)]
        groups = (self._groups.nodes, self._groups.starts, self._groups.group)
        return self._sweep(draw_types, pivots, groups, "types")

    def _sweep(
        self,
        move: Callable[..., int],
        places: LongArray,
        groups: tuple[LongArray, LongArray, LongArray] | None,
        name: str,
    ) -> int:
        """Apply a kernel to all places, in stretches that the path table has room for."""
        parameters, key = self.parameters, self._key(name)
        cache = cache_ratios(self._trees, self._segmentation, parameters, self._rho)
        nodes = places if groups is None else groups[0][places]
        needed = np.concatenate(([0], np.cumsum(self._bounds[nodes])))
        first, turned = 0, 0
        while first < len(places):
            last = int(np.searchsorted(needed, needed[first] + _ROOM, side="right")) - 1
            last = max(last, first + 1)
            self._segmentation = self._segmentation.with_room(int(needed[last] - needed[first]))
            extra = () if groups is None else (groups,)
            turned += move(
                self._trees,
                self._segmentation,
                parameters,
                cache,
                places[first:last],
                *extra,
                first,
                key,
                1.0 / self._temperature,
                self._rho,
            )
            first = last
        return turned

    def _numbered(self) -> Segmentation:
        # afresh, so that the next iteration depends on the state and on nothing before
        return number_fragments(self._trees, self._state.site, self.parameters)

    def _key(self, name: str) -> np.uint64:
        return stream_key(self.options.seed, f"bayes-tsg {name} {self.iteration + 1}")

    @property
    def _temperature(self) -> float:
        annealing = self.options.annealing
        left = max(0, annealing - self.iteration)
        return 1.0 + (_HOTTEST - 1.0) * left / max(1, annealing)

    def grammar(self) -> TreeSubstitutionGrammar:
        """Return the posterior predictive of the state, over its fragments and all single rules.

        See :func:`induction.bayes.predictive.predictive_grammar` for the weights.
        """
        state = self._state
        return predictive_grammar(
            self._treebank,
            self._trees,
            self._segmentation,
            self.parameters,
            state.tables,
        )
