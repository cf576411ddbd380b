"""What a grammar is like: proper, tight, recursive; expected length and entropy.

The mean matrix ``M[A, B]`` is the expected number of B children of one A. Its spectral radius
decides whether derivations end with probability one (Booth & Thompson 1973), and the resolvent
``(I - M)^-1`` gives expected lengths and entropies (Grenander 1976; Soule 1974).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from grammar.arrays import BoolArray, FloatArray, LongArray, kernel
from grammar.errors import NotTightError, WeightError
from grammar.pictures.html import html_table
from grammar.rules.notation import EMPTY_NAMES
from grammar.sparse import levels, recursive_components, solve_sparse

if TYPE_CHECKING:
    from grammar.rules.rules import RuleTable

__all__ = [
    "Report",
    "WeightedRules",
    "analyse",
    "expected_counts",
    "have_no_rules",
    "mean_matrix",
    "mend_without_rules",
    "productive",
    "reachable",
    "refuse_without_rules",
    "spectral_radius",
    "termination",
    "without_rules",
]

CRITICAL = 1e-9
"""How near to one a spectral radius counts as one: eigenvalues are computed to about this."""

_IN_A_BAND = "; or ask for a length band: --length 1:40 (in Python length=(1, 40))"
_DENSE = 200
_NAMED = 8
_NEWTON_STEPS = 200


class WeightedRules(Protocol):
    """What is examined: the rules of a grammar, their weights, and the start symbol."""

    @property
    def rules(self) -> RuleTable:
        """The productions."""

    @property
    def weight(self) -> FloatArray:
        """float64 array, shape (rules,): the probability of each."""

    @property
    def start(self) -> str:
        """Its name."""

    @property
    def start_id(self) -> int:
        """Id of the start symbol."""


@dataclass(frozen=True)
class Report:
    """The findings of :meth:`grammar.Grammar.check`.

    Attributes
    ----------
    rules, nonterminals, words : int
        Sizes.
    improper : dict
        Left-hand sides whose weights do not sum to one (to 1e-6), with their sums.
    unreachable, unproductive : tuple of str
        Symbols no derivation from the start reaches, and symbols that derive no sentence.
    recursive : tuple of tuple of str
        Strongly connected components of symbols that can contain themselves, largest first.
    spectral_radius : float
        Of the mean matrix over reachable symbols.
    tight : bool
        Whether derivations from the start end with probability one.
    termination : float
        That probability.
    expected_length : float
        Mean number of words of a sentence; infinite if the spectral radius is one or more.
    entropy : float
        Derivational entropy in bits; infinite likewise.
    """

    rules: int
    nonterminals: int
    words: int
    improper: dict[str, float]
    unreachable: tuple[str, ...]
    unproductive: tuple[str, ...]
    recursive: tuple[tuple[str, ...], ...] = field(repr=False)
    spectral_radius: float
    tight: bool
    termination: float
    expected_length: float
    entropy: float

    @property
    def proper(self) -> bool:
        """Whether the weights of every left-hand side sum to one."""
        return not self.improper

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as values that JSON can hold (infinite becomes None)."""
        facts = {"proper": self.proper, **asdict(self)}
        finite = (float("inf"), float("-inf"))
        return {
            key: None if isinstance(value, float) and value in finite else value
            for key, value in facts.items()
        }

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (name, finding) pairs for people."""
        yield "rules", f"{self.rules:,} over {self.nonterminals:,} symbols, {self.words:,} words"
        sums = ", ".join(f"{name} sums to {total:.6g}" for name, total in self.improper.items())
        yield "proper", f"no: {_shorten(sums)}" if self.improper else "yes"
        yield "unreachable", _listed(self.unreachable)
        yield "unproductive", _listed(self.unproductive)
        components = "; ".join(" ".join(c[:8]) for c in self.recursive[:3])
        symbols = sum(map(len, self.recursive))
        yield "recursive", f"{symbols} symbols: {_shorten(components)}" if symbols else "none"
        yield "spectral radius", f"{self.spectral_radius:.6f}"
        tight = "yes" if self.tight else f"no: derivations end with p = {self.termination:.6g}"
        yield "tight", tight
        yield "expected length", f"{self.expected_length:.3f} words"
        yield "entropy", f"{self.entropy:.3f} bits a derivation"

    def __str__(self) -> str:
        return "\n".join(f"{name:<16} {value}" for name, value in self.lines())

    def _repr_html_(self) -> str:
        return html_table(self.lines())


def analyse(grammar: WeightedRules) -> Report:
    """Examine a grammar; see :class:`Report`."""
    rules = grammar.rules
    sums = _sums(grammar, grammar.weight)
    improper = np.abs(sums - 1.0) > 1e-6
    reached, fertile = reachable(grammar), productive(grammar)
    means = mean_matrix(grammar)[reached][:, reached]
    radius = spectral_radius(means)
    sound = bool(fertile[reached].all()) and not improper[reached].any()
    tight = sound and radius <= 1.0 + CRITICAL
    ends = 1.0 if tight else float(termination(grammar)[grammar.start_id])
    length = entropy = float("inf")
    if tight and radius < 1.0 - CRITICAL:
        uses = expected_counts(grammar)
        length = float(uses @ _word_counts(grammar))
        entropy = float(uses @ _information(grammar))
    names = np.array([*rules.nonterminals, ""], object)[:-1]
    return Report(
        rules=len(rules),
        nonterminals=len(rules.nonterminals),
        words=len(rules.words),
        improper=dict(zip(names[improper].tolist(), sums[improper].tolist(), strict=True)),
        unreachable=tuple(names[~reached]),
        unproductive=tuple(names[~fertile]),
        recursive=_recursive(grammar),
        spectral_radius=radius,
        tight=tight or ends >= 1.0 - CRITICAL,
        termination=ends,
        expected_length=length,
        entropy=entropy,
    )


def mean_matrix(grammar: WeightedRules) -> sp.csr_array:
    """Return the sparse matrix of expected children, shape (nonterminals, nonterminals)."""
    rules = grammar.rules
    symbols = len(rules.nonterminals)
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = rules.rhs >= 0
    entries = (grammar.weight[rule[inner]], (rules.lhs[rule[inner]], rules.rhs[inner]))
    return sp.csr_array(sp.coo_array(entries, shape=(symbols, symbols)))


def spectral_radius(matrix: sp.csr_array) -> float:
    """Return the largest absolute eigenvalue of a non-negative matrix.

    The matrix is taken apart into strongly connected components, whose largest eigenvalue is
    real and simple (Perron-Frobenius).

    >>> round(spectral_radius(sp.csr_array([[0.0, 0.5], [0.5, 0.0]])), 9)
    0.5
    """
    if matrix.shape[0] == 0:
        return 0.0
    # a component of one symbol has its loop as its only eigenvalue
    radius = float(matrix.diagonal().max())
    for members in recursive_components(matrix):
        if len(members) > 1:
            radius = max(radius, _perron(matrix[members][:, members]))
    return radius


def expected_counts(grammar: WeightedRules) -> FloatArray:
    """Return the expected number of uses of each symbol in a derivation from the start.

    Shape (nonterminals,). The spectral radius over reachable symbols must be below one.
    """
    reached = np.flatnonzero(reachable(grammar))
    means = mean_matrix(grammar)[reached][:, reached]
    system = sp.csc_array(sp.eye_array(len(reached)) - means.T)
    seed = (reached == grammar.start_id).astype(np.float64)
    uses = np.zeros(len(grammar.rules.nonterminals))
    uses[reached] = solve_sparse(system, seed)
    return uses


def termination(grammar: WeightedRules, weight: FloatArray | None = None) -> FloatArray:
    """Return the probability that a derivation from each symbol ends, shape (nonterminals,).

    Other rule weights than the grammar's own may be given; they may sum to less than one.

    The least fixed point of ``q_A = sum p prod q_B`` by Newton's method from zero, which rises
    monotonically to it (Etessami & Yannakakis 2009), one component after the other.
    """
    weight = grammar.weight if weight is None else weight
    ends = np.zeros(len(grammar.rules.nonterminals))
    fertile = productive(grammar, weight)
    for level in levels(mean_matrix(grammar)):
        for component in level:
            members = component[fertile[component]]
            if len(members):
                _newton(grammar.rules, weight, members, ends)
    return np.minimum(ends, 1.0)


def reachable(grammar: WeightedRules, weight: FloatArray | None = None) -> BoolArray:
    """Return which symbols a derivation from the start can contain, shape (nonterminals,)."""
    rules = grammar.rules
    positive = (grammar.weight if weight is None else weight) > 0
    found = np.zeros(len(rules.nonterminals), np.bool_)
    fresh = np.array([grammar.start_id])
    while len(fresh):
        found[fresh] = True
        chosen = np.zeros(len(found), np.bool_)
        chosen[fresh] = True
        children = rules.rhs[np.repeat(chosen[rules.lhs] & positive, np.diff(rules.offsets))]
        children = np.unique(children[children >= 0])
        fresh = children[~found[children]]
    return found


def without_rules(grammar: WeightedRules) -> tuple[str, ...]:
    """Return the symbols that a derivation from the start can reach and that have no rules.

    >>> from grammar.pcfg.grammar import Grammar
    >>> without_rules(Grammar.parse("S -> NP 'ran' [0.5] | 'ran' [0.5]"))
    ('NP',)
    """
    rules = grammar.rules
    lacking = reachable(grammar) & (np.diff(rules.starts) == 0)
    return tuple(rules.nonterminals[i] for i in np.flatnonzero(lacking).tolist())


def have_no_rules(names: Sequence[str]) -> str:
    """Say that symbols have no rules.

    >>> have_no_rules(["dog", "cat"])
    'dog, cat have no rules'
    """
    listed = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return f"{listed} {'have' if len(names) > 1 else 'has'} no rules"


def mend_without_rules(names: Sequence[str]) -> str:
    """Say what to write for symbols without rules.

    >>> mend_without_rules(["dog"])
    "quote what is a word: 'dog'; give what is none a rule"
    >>> mend_without_rules(["ε"])
    "write '' for the empty string: '' instead of ε"
    """
    empty = [name for name in names if name in EMPTY_NAMES]
    others = [name for name in names if name not in EMPTY_NAMES]
    mends = [f"write '' for the empty string: '' instead of {empty[0]}"] if empty else []
    if others:
        mends.append(f"quote what is a word: '{others[0]}'; give what is none a rule")
    return "; ".join(mends)


def refuse_without_rules(grammar: WeightedRules, ends: float) -> None:
    """Raise NotTightError, naming them, if symbols without rules can be reached."""
    lacking = without_rules(grammar)
    if lacking:
        raise NotTightError(
            f"{have_no_rules(lacking)}: derivations end only with probability {ends:.6f}",
            where=f"start symbol {grammar.start}",
            hint=mend_without_rules(lacking) + (_IN_A_BAND if ends > 0 else ""),
        )


def productive(grammar: WeightedRules, weight: FloatArray | None = None) -> BoolArray:
    """Return which symbols derive at least one sentence, shape (nonterminals,)."""
    rules = grammar.rules
    fertile = np.zeros(len(rules.nonterminals), np.bool_)
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = rules.rhs >= 0
    positive = (grammar.weight if weight is None else weight) > 0
    while True:
        barren = np.zeros(len(rules), np.bool_)
        barren[rule[inner][~fertile[rules.rhs[inner]]]] = True
        now = fertile.copy()
        now[rules.lhs[~barren & positive]] = True
        if (now == fertile).all():
            return fertile
        fertile = now


def renormalised_weights(grammar: WeightedRules) -> FloatArray:
    """Return the weights of the grammar conditioned on derivations that end (Chi 1999, sec. 3).

    Raises
    ------
    WeightError
        If a reachable symbol never derives a sentence, so nothing is left to condition on.
    """
    ends = termination(grammar)
    rules = grammar.rules
    if ends[grammar.start_id] == 0.0:
        raise WeightError(
            f"no derivation from {grammar.start} ends", hint="add rules that lead to words"
        )
    factor = np.ones(len(rules.rhs))
    inner = rules.rhs >= 0
    factor[inner] = ends[rules.rhs[inner]]
    return (
        grammar.weight
        * _row_products(factor, rules.offsets)
        / np.maximum(ends[rules.lhs], np.finfo(float).tiny)
    )


def _newton(rules: RuleTable, weights: FloatArray, members: LongArray, ends: FloatArray) -> None:
    """Raise ``ends`` of one component to its fixed point, the components below being done."""
    local = np.full(len(ends), -1, np.int64)
    local[members] = np.arange(len(members))
    ours = local[rules.lhs] >= 0
    chosen, lengths = np.flatnonzero(ours), np.diff(rules.offsets)
    slots = np.flatnonzero(np.repeat(ours, lengths))
    offsets = np.concatenate(([0], np.cumsum(lengths[chosen])))
    child, lhs, weight = rules.rhs[slots], local[rules.lhs[chosen]], weights[chosen]
    rule = np.repeat(np.arange(len(chosen)), np.diff(offsets))
    symbol = np.maximum(child, 0)  # words, too, need an index that is there
    inside = np.flatnonzero((child >= 0) & (local[symbol] >= 0))
    for _ in range(_NEWTON_STEPS):
        factor = np.where(child >= 0, ends[symbol], 1.0)
        value = np.bincount(lhs, weight * _row_products(factor, offsets), minlength=len(members))
        gap = value - ends[members]
        if (np.abs(gap) <= 1e-15 * value).all():
            return
        slope = weight[rule[inside]] * _products_without(factor, offsets, rule[inside], inside)
        entries = (slope, (lhs[rule[inside]], local[child[inside]]))
        jacobian = sp.csc_array(sp.coo_array(entries, shape=(len(members), len(members))))
        system = sp.csc_array(sp.eye_array(len(members)) - jacobian)
        with np.errstate(all="ignore"):
            step = solve_sparse(system, gap)
        if not np.isfinite(step).all():  # critical: the fixed point is where the system is singular
            step = gap
        risen = np.minimum(ends[members] + np.maximum(step, 0.0), 1.0)
        if (risen == ends[members]).all():
            return
        ends[members] = risen


def _row_products(factor: FloatArray, offsets: LongArray) -> FloatArray:
    """Return the product of each row ``factor[offsets[r] : offsets[r + 1]]``; 1 if it is empty."""
    product = np.ones(len(offsets) - 1)
    np.multiply.at(product, np.repeat(np.arange(len(product)), np.diff(offsets)), factor)
    return product


@kernel()
def _products_without(
    factor: FloatArray, offsets: LongArray, row: LongArray, slots: LongArray
) -> FloatArray:
    """Return, for each slot and its row, the product of the other factors of that row."""
    product = np.ones(len(slots))
    for i in range(len(slots)):
        for slot in range(offsets[row[i]], offsets[row[i] + 1]):
            if slot != slots[i]:
                product[i] *= factor[slot]
    return product


def _perron(matrix: sp.csr_array) -> float:
    if matrix.shape[0] <= _DENSE:
        return float(np.abs(np.linalg.eigvals(matrix.toarray())).max())
    # a fixed first vector: the default one is random
    first = np.ones(matrix.shape[0])
    try:
        largest = scipy.sparse.linalg.eigs(
            matrix, k=1, which="LR", v0=first, maxiter=300, return_eigenvectors=False
        )
    except scipy.sparse.linalg.ArpackNoConvergence:
        return _perron_by_noda(matrix)
    return float(largest[0].real)


def _perron_by_noda(matrix: sp.csr_array) -> float:
    """Return the Perron root where others crowd around it, as on a long cycle.

    Inverse iteration shifted by the upper Collatz-Wielandt bound (Noda 1971), which falls to the
    root quadratically.
    """
    identity = sp.eye_array(matrix.shape[0], format="csc")
    vector = np.ones(matrix.shape[0])
    bound = np.inf
    while True:
        ratio = matrix @ vector / vector
        if not ratio.max() < bound or ratio.max() - ratio.min() <= 1e-14 * ratio.max():
            return float(min(bound, ratio.max()))
        bound = ratio.max()
        with np.errstate(all="ignore"):
            # the closer to the root, the closer to singular, and the better the vector
            vector = np.abs(solve_sparse(sp.csc_array(bound * identity - matrix), vector))
        if not (np.isfinite(vector).all() and vector.min() > 0):
            return float(bound)
        vector /= vector.max()


def _word_counts(grammar: WeightedRules) -> FloatArray:
    """Return the expected number of words written by one use of each symbol's own rules."""
    rules = grammar.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    words = np.bincount(rule[rules.rhs < 0], minlength=len(rules))
    return _sums(grammar, grammar.weight * words)


def _information(grammar: WeightedRules) -> FloatArray:
    """Return the entropy in bits of each symbol's choice of rule."""
    weight = grammar.weight
    bits = -weight * np.log2(np.where(weight > 0, weight, 1.0))
    return _sums(grammar, bits)


def _sums(grammar: WeightedRules, values: FloatArray) -> FloatArray:
    """Sum values of rules by left-hand side."""
    rules = grammar.rules
    return np.bincount(rules.lhs, values, minlength=len(rules.nonterminals)).astype(np.float64)


def _recursive(grammar: WeightedRules) -> tuple[tuple[str, ...], ...]:
    names = grammar.rules.nonterminals
    components = recursive_components(mean_matrix(grammar))
    # names are sorted, and so are the positions of a component
    named = (tuple(names[i] for i in component.tolist()) for component in components)
    return tuple(sorted(named, key=lambda c: (-len(c), c)))


def _listed(names: tuple[str, ...]) -> str:
    return f"{len(names)}: {_shorten(' '.join(names))}" if names else "none"


def _shorten(text: str, width: int = 90) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
