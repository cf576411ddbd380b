"""Exact sampling of synchronous derivations, given their depth or the lengths of both sides.

Let k be the number of copies of slot i in the target, and c the words of a rule. With
``I_A[n, m]`` the mass of derivations of type A with n source and m target words,

    I_A[n, m] = sum_{A -> r} p(r) sum_{n_1 + ... = n - c_src} sum_{k_1 m_1 + ... = m - c_tgt}
                prod_i I_{B_i}[n_i, m_i]

and a derivation is drawn from the top by the shares of these sums. A side that is not asked for is
a table of one column. With p = 1 the sums count derivations, and draws are uniform.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.errors import LengthBandError, NotTightError, OptionError
from grammar.sampling_kernels.ancestral import AncestralSampler
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.kernels import Rules, depths, draw_depth, draw_lengths, fill, is_still

__all__ = ["Band", "DepthSampler", "DerivationSampler", "FreeSampler", "LengthTableSampler"]

Band = tuple[int, int]
"""Shortest and longest, both ends included."""


@dataclass(frozen=True, eq=False)
class SynchronousDraws:
    """Derivations as rule numbers in preorder, with their natural log-probabilities."""

    rules: IntArray
    offsets: LongArray
    log_probability: FloatArray

    def __len__(self) -> int:
        return len(self.log_probability)

    def __getitem__(self, i: int) -> tuple[int, ...]:
        return tuple(self.rules[self.offsets[i] : self.offsets[i + 1]].tolist())


class FreeSampler:
    """Draws derivations with exactly their probability.

    Raises
    ------
    NotTightError
        If derivations may never end, or the expected length of one side is infinite.
    """

    def __init__(self, grammar: SynchronousGrammar) -> None:
        report = grammar.check()
        if not (report.source_bounded and report.target_bounded):
            side = "target" if report.source_bounded else "source"
            radius = report.target_radius if report.source_bounded else report.source_radius
            raise NotTightError(
                f"the {side} side does not stay finite: its spectral radius is {radius:.6g}",
                where=f"start symbol {grammar.start}",
                hint="ask for a depth or a length, or lower the weights of rules with slots",
            )
        self._of_rule = grammar.source_side.fragment_of_rule
        self._sampler = AncestralSampler(grammar.source_side.pcfg)

    def draw(self, key: np.uint64, first: int, count: int) -> SynchronousDraws:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        drawn = self._sampler.draw(key, first, count)
        rules = self._of_rule[drawn.rules]
        kept = np.concatenate(([0], np.cumsum(rules >= 0)))
        return SynchronousDraws(
            rules[rules >= 0].astype(np.int32), kept[drawn.rule_offsets], drawn.log_probability
        )


class LengthTableSampler:
    """Draws derivations given bands of source length, target length, or both.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Need not be tight.
    source, target : (int, int), optional
        Bands in words; at least one.
    uniform : bool
        All derivations in the bands alike, instead of by weight.
    flat : bool
        Every pair of lengths in the bands that the grammar has alike, and in it by weight or
        uniform.

    Raises
    ------
    OptionError
        If no band is given, one is not 1 <= shortest <= longest, or uniform draws are asked for
        where derivations are infinitely many or too many to count.
    LengthBandError
        If no derivation has such lengths.
    """

    def __init__(
        self,
        grammar: SynchronousGrammar,
        *,
        source: Band | None = None,
        target: Band | None = None,
        uniform: bool = False,
        flat: bool = False,
    ) -> None:
        if source is None and target is None:
            raise OptionError("no length is given", hint="give a band for source, target or both")
        bands = [_checked(name, band) for name, band in (("source", source), ("target", target))]
        self._grammar = grammar
        self._rules = _columns(grammar, uniform, source is not None, target is not None)
        self._inside, self._rest = self._tables(bands, uniform)
        (low, high), (least, most) = bands
        start = grammar.types.index(grammar.start)
        cells = self._inside[start, low : high + 1, least : most + 1]
        if not np.isfinite(self._inside).all():
            raise OptionError("the derivations are too many to count", hint="ask for shorter ones")
        if not cells.any():
            raise LengthBandError(
                f"no derivation has source length {_said(source)}, target length {_said(target)}",
                where=f"start symbol {grammar.start}",
                hint="try other lengths",
            )
        mass = (cells > 0).astype(np.float64) if flat else cells
        places = np.argwhere(mass > 0) + np.array((low, least))
        self._cells = places.astype(np.int64)
        self._chance = np.cumsum(mass[mass > 0] / mass.sum())
        self._start = start

    @property
    def table(self) -> FloatArray:
        """Masses of the start symbol by source and target length, shape (n + 1, m + 1).

        A side without a band has one row or column.
        """
        return self._inside[self._start]

    def draw(self, key: np.uint64, first: int, count: int) -> SynchronousDraws:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        buffer = np.empty(256, np.int32)
        parts, offsets = [], np.zeros(count + 1, np.int64)
        for i in range(count):
            # a derivation has no bound where rules may add nothing to a length that counts
            while (made := self._one(key, first + i, buffer)) < 0:
                buffer = np.empty(4 * len(buffer), np.int32)
            parts.append(buffer[:made].copy())
            offsets[i + 1] = offsets[i] + made
        return _collected(self._grammar, parts, offsets)

    def _one(self, key: np.uint64, index: int, buffer: IntArray) -> int:
        made: int = draw_lengths(
            key, index, self._start, self._cells, self._chance, self._rules,
            self._inside, self._rest, buffer,
        )  # fmt: skip
        return made

    def _tables(self, bands: list[Band], uniform: bool) -> tuple[FloatArray, FloatArray]:
        rules = self._rules
        still = _same_length_steps(rules, len(self._grammar.types))
        if uniform and still.any():
            chains = nx.DiGraph(np.argwhere(still > 0).tolist())
            if not nx.is_directed_acyclic_graph(chains):
                raise OptionError(
                    "infinitely many derivations have the same length",
                    hint="give a band for the other side too, or draw by weight",
                )
        used = _fertile(self._grammar)
        still[:, ~used] = 0.0
        solve: FloatArray = np.linalg.inv(np.eye(len(still)) - still).astype(np.float64)
        return fill(solve, rules, bands[0][1], bands[1][1])


class DepthSampler:
    """Draws derivations given how many levels of rules they have.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Need not be tight.
    depth : (int, int)
        Least and most levels, both included; a rule without slots has one.
    uniform : bool
        All such derivations alike, instead of by weight.

    Raises
    ------
    OptionError
        If the band is not 1 <= least <= most, or the derivations are too many to count.
    LengthBandError
        If no derivation has such a depth.
    """

    def __init__(self, grammar: SynchronousGrammar, depth: Band, *, uniform: bool = False) -> None:
        least, most = _checked("depth", depth)
        self._grammar, self._rules = grammar, _columns(grammar, uniform, True, True)
        self._upto, self._exact = depths(self._rules, most)
        self._start = grammar.types.index(grammar.start)
        if not np.isfinite(self._upto).all():
            raise OptionError("the derivations are too many to count", hint="ask for less depth")
        mass = self._exact[: most + 1, self._start].copy()
        mass[:least] = 0.0
        if not mass.any():
            raise LengthBandError(
                f"no derivation has {_said(depth)} levels",
                where=f"start symbol {grammar.start}",
                hint="try other depths",
            )
        self._levels = np.cumsum(mass / mass.sum())

    @property
    def table(self) -> FloatArray:
        """Mass of the start symbol by exact depth, from 0 on."""
        return self._exact[:, self._start]

    def draw(self, key: np.uint64, first: int, count: int) -> SynchronousDraws:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        parts, offsets = [], np.zeros(count + 1, np.int64)
        room = 256
        for i in range(count):
            while True:
                buffer, stack = np.empty(room, np.int32), np.empty((room, 3), np.int64)
                made = draw_depth(
                    key, first + i, self._start, self._levels, self._rules,
                    self._upto, self._exact, stack, buffer,
                )  # fmt: skip
                if made >= 0:
                    break
                room *= 4
            parts.append(buffer[:made].copy())
            offsets[i + 1] = offsets[i] + made
        return _collected(self._grammar, parts, offsets)


DerivationSampler = FreeSampler | LengthTableSampler | DepthSampler


def _collected(
    grammar: SynchronousGrammar, parts: list[IntArray], offsets: LongArray
) -> SynchronousDraws:
    rules = np.concatenate([np.empty(0, np.int32), *parts])
    with np.errstate(divide="ignore"):
        sums = np.concatenate(([0.0], np.cumsum(np.log(grammar.weight)[rules])))
    return SynchronousDraws(rules, offsets, sums[offsets[1:]] - sums[offsets[:-1]])


def _columns(grammar: SynchronousGrammar, uniform: bool, source: bool, target: bool) -> Rules:
    """Return rules as columns; a side that does not count has no words and no copies."""
    types = {name: i for i, name in enumerate(grammar.types)}
    lhs = grammar.lhs
    members = np.argsort(lhs, kind="stable")
    arity = [rule.arity for rule in grammar.rules]
    slots = [
        (types[s.symbol], k) for r in grammar.rules for s, k in zip(r.slots, r.copies, strict=True)
    ]
    child, copies = np.array(slots, np.int64).reshape(-1, 2).T
    words = [
        [sum(isinstance(s, str) for s in side) * counts for side in sides]
        for counts, sides in (
            (source, [rule.source for rule in grammar.rules]),
            (target, [rule.target for rule in grammar.rules]),
        )
    ]
    return Rules(
        lhs,
        np.searchsorted(lhs[members], np.arange(len(types) + 1)).astype(np.int64),
        members.astype(np.int64),
        (grammar.weight > 0).astype(np.float64) if uniform else grammar.weight,
        np.array(words[0], np.int64),
        np.array(words[1], np.int64),
        np.concatenate(([0], np.cumsum(arity))).astype(np.int64),
        child.copy(),
        copies.copy() if target else np.zeros(len(copies), np.int64),
    )


def _fertile(grammar: SynchronousGrammar) -> BoolArray:
    from grammar.pcfg.analysis import productive

    side = grammar.source_side.pcfg
    found = productive(side)
    return np.array([found[side.rules.nonterminals.index(name)] for name in grammar.types])


def _same_length_steps(rules: Rules, types: int) -> FloatArray:
    """Return the mass of rules that add nothing to a length that counts, shape (types, types)."""
    still = np.zeros((types, types))
    for r in range(len(rules.lhs)):
        begin, end = rules.offsets[r], rules.offsets[r + 1]
        if end - begin == 1 and is_still(
            rules.source_words[r], rules.target_words[r], rules.copies[begin]
        ):
            still[rules.lhs[r], rules.child[begin]] += rules.mass[r]
    return still


def _checked(name: str, band: Band | None) -> Band:
    if band is None:
        return (0, 0)
    whole = all(isinstance(end, int | np.integer) for end in band)
    if not (len(band) == 2 and whole and 1 <= band[0] <= band[1]):
        raise OptionError(
            f"the {name} band {band!r} is not a band",
            hint="give whole numbers 1 <= shortest <= longest, for example (5, 20)",
        )
    return int(band[0]), int(band[1])


def _said(band: Band | None) -> str:
    return "any" if band is None else f"{band[0]} to {band[1]}"
