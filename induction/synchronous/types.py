"""Types of nonterminals, by EM over (parent, slot) -> child.

Rules with one type of nonterminal derive too much. Let every slot of every rule, and the root of
derivations, have a distribution over T types, and every type one over rules:

    P(child | parent, slot) = sum_t theta(t | parent, slot) phi(child | t)

(Qiu et al. 2022, section 3.3, where it is trained by gradient.) Rules of one family, which differ
only by a word of one class, share their types, and the family's probability is shared equally among
them: so a word that was seen in one context is known in all contexts of its class. EM sums over
all derivations of each training pair. The result is a synchronous grammar of T types.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, LongArray, kernel
from grammar.rng import next_uniform, open_stream, stream_key
from grammar.synchronous.forest import PairForest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import SynchronousRule

__all__ = [
    "Families",
    "Fold",
    "Forests",
    "TypeModel",
    "fit_types",
    "held_out_folds",
    "held_out_shares",
    "pack_forests",
    "typed_grammar",
    "typed_size",
]

_RESTARTS = 4
_ROUNDS = 200
_FOLDS = 6
SMOOTHING = 1e-2
"""Added to expected counts, so that nothing is impossible."""
CHANCE = 1e-3
"""What is missing by chance so rarely, or more rarely, is missing for a reason."""


ROOT = "ROOT"
Weighted = tuple[SynchronousRule, float, int]
Shape = tuple[int, tuple[tuple[int, int, tuple[int, ...]], ...]]
"""The root of a forest, and its edges as (node, family, children)."""


@dataclass(frozen=True, eq=False)
class Families:
    """Rules grouped for typing.

    Attributes
    ----------
    of_rule : tuple of int
        The family of each rule.
    size : float64 array, shape (families,)
        How many rules it has.
    first_slot : int64 array, shape (families + 1,)
        The slots of family f are ``first_slot[f]`` to ``first_slot[f + 1] - 1``; slot 0 is the
        root.
    """

    of_rule: tuple[int, ...]
    size: FloatArray
    first_slot: LongArray

    @classmethod
    def of(cls, keys: Sequence[object], arity: Sequence[int]) -> Families:
        """Group rules by equal keys; rules of one family have the same arity."""
        number: dict[object, int] = {}
        of_rule = tuple(number.setdefault(key, len(number)) for key in keys)
        arity_of = dict(zip(of_rule, arity, strict=True))
        slots = [1, *(arity_of[f] for f in range(len(number)))]
        size = np.bincount(of_rule, minlength=len(number)).astype(np.float64)
        return cls(of_rule, size, np.cumsum(slots))

    @property
    def arity(self) -> LongArray:
        """How many slots the rules of each family have."""
        return np.diff(self.first_slot)

    @property
    def slots(self) -> int:
        """How many slots there are, the root included."""
        return int(self.first_slot[-1])


class Forests(NamedTuple):
    """Distinct forests of training pairs as columns, each with its number of pairs.

    Edge e makes ``node[e]`` by ``family[e]`` with ``weight[e]``, over ``child[k]`` in ``slot[k]``
    for k from ``children[e]`` to ``children[e + 1] - 1``; children come first. Forest i has the
    edges ``edges[i]`` to ``edges[i + 1] - 1``, the root ``root[i]``, and stands for ``pairs[i]``
    of the forests given, the first of which was number ``first[i]``.
    """

    node: LongArray
    family: LongArray
    weight: FloatArray
    children: LongArray
    child: LongArray
    slot: LongArray
    edges: LongArray
    root: LongArray
    pairs: FloatArray
    first: LongArray

    def events(self, i: int) -> set[tuple[int, int]]:
        """Return the (slot, child family) that every derivation of forest i might use."""
        begin, end = int(self.edges[i]), int(self.edges[i + 1])
        made: dict[int, list[int]] = {}
        for e in range(begin, end):
            made.setdefault(int(self.node[e]), []).append(int(self.family[e]))
        found = {(0, family) for family in made[int(self.root[i])]}
        for k in range(int(self.children[begin]), int(self.children[end])):
            found |= {(int(self.slot[k]), f) for f in made[int(self.child[k])]}
        return found


class Fold(NamedTuple):
    """How much each forest counts in fitting, and the forests to be judged."""

    fitted: FloatArray
    judged: tuple[int, ...]


class TypeModel(NamedTuple):
    """The distributions: ``theta`` (slots, types), ``phi`` (types, families), log-likelihood."""

    theta: FloatArray
    phi: FloatArray
    log_likelihood: float

    @property
    def types(self) -> int:
        """T."""
        return len(self.phi)


def pack_forests(forests: Sequence[PairForest], families: Families) -> Forests:
    """Turn pruned forests into columns; those that are equal but for members count together."""
    shaped = [_shape(forest, families) for forest in forests]
    shapes = Counter(shaped)
    first: dict[object, int] = {}
    for i, shape in enumerate(shaped):
        first.setdefault(shape, i)
    node, family, weight, children, child, slot = [], [], [], [0], [], []
    edges, root = [0], []
    nodes = 0
    for shape in shapes:
        for made, kind, below in shape[1]:
            node.append(nodes + made)
            family.append(kind)
            weight.append(1.0 / families.size[kind])
            child += [nodes + c for c in below]
            slot += [int(families.first_slot[kind]) + i for i in range(len(below))]
            children.append(len(child))
        root.append(nodes + shape[0])
        edges.append(len(node))
        nodes = max(node[edges[-2] :]) + 1  # those of this forest
    pairs = np.array(list(shapes.values()), np.float64)
    return Forests(
        _longs(node), _longs(family), np.array(weight), _longs(children), _longs(child),
        _longs(slot), _longs(edges), _longs(root), pairs, _longs(first.values()),
    )  # fmt: skip


def fit_types(
    forests: Forests,
    families: Families,
    types: int,
    *,
    seed: int,
    fitted: FloatArray | None = None,
    restarts: int = _RESTARTS,
    rounds: int = _ROUNDS,
    smoothing: float = SMOOTHING,
) -> TypeModel:
    """Fit the distributions by EM from several random starts and return the likeliest.

    Parameters
    ----------
    forests, families, types
        The data, what is tied, and T.
    seed : int
        Of the starts.
    fitted : float64 array, shape (forests,), optional
        How much each forest counts, instead of its number of pairs.
    restarts, rounds : int
        Starts, and iterations from each.
    smoothing : float
        Added to all expected counts.
    """
    pairs = forests.pairs if fitted is None else fitted
    best: TypeModel | None = None
    for start in range(restarts if types > 1 else 1):
        theta, phi = _random_start(families, types, seed, start)
        value = -np.inf
        for _ in range(rounds):
            theta_counts, phi_counts, now = _expected(theta, phi, *forests[:8], pairs)
            theta = _shares(theta_counts + smoothing)
            phi = _shares(phi_counts + smoothing)
            if now - value < 1e-7 * abs(now):
                break
            value = now
        if best is None or value > best.log_likelihood:
            best = TypeModel(theta, phi, float(value))
    if best is None:
        raise ValueError("restarts must be positive")
    return best


def held_out_folds(
    forests: Forests, *, seed: int, repeat: int = 0, folds: int = _FOLDS
) -> list[Fold]:
    """Split training pairs by how they are put together.

    A fold is a share of the events (slot, child family). All forests that might use one of them
    are held out; those whose slots and families are all seen in the others are judged. Each
    ``repeat`` shares out the events again.
    """
    events = [forests.events(i) for i in range(len(forests.root))]
    ordered = sorted(set().union(*events))
    drawn = _uniforms(stream_key(seed, "synchronous-folds"), repeat, len(ordered))
    fold_of = dict(zip(ordered, (drawn * folds).astype(int).tolist(), strict=True))
    made = []
    for fold in range(folds):
        held = np.array([any(fold_of[e] == fold for e in found) for found in events])
        kept = (found for found, out in zip(events, held, strict=True) if not out)
        seen: set[tuple[int, int]] = set().union(*kept)
        slots, kinds = {slot for slot, _ in seen}, {family for _, family in seen}
        judged = [
            i
            for i in np.flatnonzero(held).tolist()
            if all(slot in slots and kind in kinds for slot, kind in events[i])
        ]
        if judged:
            made.append(Fold(np.where(held, 0.0, forests.pairs), tuple(judged)))
    return made


def held_out_shares(forests: Forests, *, seed: int, folds: int = _FOLDS) -> list[Fold]:
    """Split training pairs at random: each forest is held out once, and judged."""
    drawn = _uniforms(stream_key(seed, "synchronous-shares"), 0, len(forests.root))
    share = (drawn * folds).astype(int)
    return [
        Fold(np.where(share == fold, 0.0, forests.pairs), tuple(np.flatnonzero(share == fold)))
        for fold in np.unique(share)
    ]


def _longs(values: Iterable[int]) -> LongArray:
    return np.fromiter(values, np.int64)


def _shape(forest: PairForest, families: Families) -> Shape:
    edges = tuple((edge.node, families.of_rule[edge.rule], edge.children) for edge in forest.edges)
    return forest.root, edges


def _random_start(
    families: Families, types: int, seed: int, start: int
) -> tuple[FloatArray, FloatArray]:
    key = stream_key(seed, f"synchronous-types-{types}")
    values = 0.05 + _uniforms(key, start, types * (families.slots + len(families.size)))
    cut = types * families.slots
    return (
        _shares(values[:cut].reshape(families.slots, types)),
        _shares(values[cut:].reshape(types, -1)),
    )


def _shares(counts: FloatArray) -> FloatArray:
    """Divide every row by its sum; a row of zeros becomes an even one."""
    total = counts.sum(axis=1, keepdims=True)
    even = np.full_like(counts, 1.0 / counts.shape[1])
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), even)


@kernel()
def _uniforms(key: np.uint64, index: int, n: int) -> FloatArray:
    """Return the first n uniform numbers of a stream."""
    state = open_stream(key, index)
    values = np.empty(n)
    for i in range(n):
        state, values[i] = next_uniform(state)
    return values


@kernel()
def _expected(
    theta: FloatArray,
    phi: FloatArray,
    node: LongArray,
    family: LongArray,
    weight: FloatArray,
    children: LongArray,
    child: LongArray,
    slot: LongArray,
    edges: LongArray,
    root: LongArray,
    pairs: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:
    """Return the expected counts of theta and phi, and the log-likelihood."""
    types = len(phi)
    theta_counts, phi_counts = np.zeros_like(theta), np.zeros_like(phi)
    inside = np.zeros((node.max() + 1, types))
    outside = np.zeros((node.max() + 1, types))
    # what a child gives its edge, and an edge its node but for phi
    message, product = np.zeros(len(child)), np.zeros(len(node))
    likelihood = 0.0
    for i in range(len(root)):
        if pairs[i] == 0.0:
            continue
        for e in range(edges[i], edges[i + 1]):
            value = weight[e]
            for k in range(children[e], children[e + 1]):
                message[k] = 0.0
                for t in range(types):
                    message[k] += theta[slot[k], t] * inside[child[k], t]
                value *= message[k]
            product[e] = value
            for t in range(types):
                inside[node[e], t] += phi[t, family[e]] * value
        total = 0.0
        for t in range(types):
            total += theta[0, t] * inside[root[i], t]
        if total <= 1e-280:  # too long a pair for plain numbers: its inverse would be infinite
            likelihood -= 700.0 * pairs[i]
            continue
        likelihood += pairs[i] * np.log(total)
        scale = pairs[i] / total
        for t in range(types):
            theta_counts[0, t] += scale * theta[0, t] * inside[root[i], t]
            outside[root[i], t] += scale * theta[0, t]
        for e in range(edges[i + 1] - 1, edges[i] - 1, -1):
            reach = 0.0
            for t in range(types):
                above = outside[node[e], t] * phi[t, family[e]]
                phi_counts[t, family[e]] += above * product[e]
                reach += above * weight[e]
            for k in range(children[e], children[e + 1]):
                other = reach
                for j in range(children[e], children[e + 1]):
                    if j != k:
                        other *= message[j]
                for t in range(types):
                    part = other * theta[slot[k], t]
                    theta_counts[slot[k], t] += part * inside[child[k], t]
                    outside[child[k], t] += part
    return theta_counts, phi_counts, likelihood


def typed_grammar(
    rules: Sequence[SynchronousRule], families: Families, model: TypeModel
) -> SynchronousGrammar:
    """Fold theta and phi into weights of typed rules; exactly the same distribution.

    A rule of type t with slots of types t_1, t_2, ... has the weight
    ``phi(rule | t) theta(t_1 | slot 1) theta(t_2 | slot 2) ...``. The root's own distribution over
    types becomes the start symbol ROOT, unless it is one type. With one type all are NT.
    """
    names = ["NT"] if model.types == 1 else [f"T{t + 1}" for t in range(model.types)]
    root = model.theta[0]
    made: list[Weighted] = []
    for number, rule in enumerate(rules):
        family = families.of_rule[number]
        heads = [(names[t], float(model.phi[t, family])) for t in range(model.types)]
        if (root > 0).sum() > 1:
            heads.append((ROOT, float(root @ model.phi[:, family])))
        first = int(families.first_slot[family])
        below = [_choices(names, model, first + i) for i in range(rule.arity)]
        for (lhs, weight), *slots in itertools.product(heads, *below):
            for _, share in slots:
                weight *= share
            if weight > 0:
                made.append((rule.retyped(lhs, [name for name, _ in slots]),
                             weight / float(families.size[family]), 0))  # fmt: skip
    start = ROOT if (root > 0).sum() > 1 else names[int(root.argmax())]
    return SynchronousGrammar.from_rules(_reached(made, start), start=start, normalise=True)


def typed_size(rules: Iterable[SynchronousRule], families: Families, model: TypeModel) -> int:
    """Return how many rules :func:`typed_grammar` makes, at most."""
    root = int((model.theta[0] > 0).sum() > 1)
    made = root + (model.phi > 0).sum(axis=0)
    choices = (model.theta > 0).sum(axis=1).tolist()
    number = 0
    for family, rule in zip(families.of_rule, rules, strict=True):
        first = int(families.first_slot[family])
        number += int(made[family]) * math.prod(choices[first : first + rule.arity])
    return number


def _choices(names: Sequence[str], model: TypeModel, slot: int) -> list[tuple[str, float]]:
    return [
        (name, float(share))
        for name, share in zip(names, model.theta[slot], strict=True)
        if share > 0
    ]


def _reached(rules: list[Weighted], start: str) -> list[Weighted]:
    """Leave out the types that no derivation from the start can use."""
    uses = nx.DiGraph((rule.lhs, slot.symbol) for rule, _, _ in rules for slot in rule.slots)
    uses.add_node(start)
    kept = nx.descendants(uses, start) | {start}
    return [item for item in rules if item[0].lhs in kept]
