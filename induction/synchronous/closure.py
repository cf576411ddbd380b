"""Class closure: words that stand in the same contexts of rules are put into all of them.

A context is a rule with one word of the lexicon blanked on both sides, such as
``NT_1 opposite _ ### _ _ NT_1``. Words that share enough contexts make a class, and every context
of a class takes every member: GECA's substitutability (Andreas 2020), for rules and not sentences.

Closure is an assumption, so it is tried on the training pairs first. Each rule that it would make
is *confirmed* if the search found that rule anyway, *refuted* if training pairs have its source
but not its target, and *unseen* if they say nothing. It is used only if enough of what can be
judged is confirmed.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray
from grammar.options import Checked, option
from induction.synchronous.lexicon import Lexicon
from induction.synchronous.pairs import may_hold, side_runs
from induction.synchronous.types import CHANCE, Families
from induction.synchronous.unification import Coded

__all__ = [
    "Closure",
    "ClosureOptions",
    "close",
    "divided",
    "families",
    "steps_apart",
]

_HOLE = "\x00"
Entry = tuple[str, str]
"""A source word and a target word of the lexicon."""
Context = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ClosureOptions(Checked):
    """What it takes to be of one class."""

    evidence: int = option(1, "Closure: number of contexts that two words must share.", least=1)
    overlap: float = option(
        0.5,
        "Closure: share of the contexts of the word with fewer contexts that must be shared.",
        least=0.0,
        most=1.0,
    )
    precision: float = option(
        0.9,
        "Closure: it is used if at least this share of its confirmed and refuted rules "
        "is confirmed.",
        least=0.0,
        most=1.0,
    )


@dataclass(frozen=True, slots=True)
class Closure:
    """What closure found and what became of it.

    Attributes
    ----------
    classes : tuple of tuple of (str, str)
        Lexicon entries of each class with two members or more, coded.
    confirmed, refuted, unseen : tuple of (str, str)
        Rules that it would make, judged by the training pairs.
    used : bool
        Whether the unseen ones were added.
    """

    classes: tuple[tuple[Entry, ...], ...]
    confirmed: tuple[Coded, ...] = field(repr=False)
    refuted: tuple[Coded, ...] = field(repr=False)
    unseen: tuple[Coded, ...]
    used: bool


def close(
    rules: Iterable[Coded], lexicon: Lexicon, pairs: Iterable[Coded], options: ClosureOptions
) -> Closure:
    """Find the classes of a rule set and judge the rules that closing it would add."""
    known = set(rules)
    fills = _fills(known, lexicon)
    classes = _classes(fills, options)
    confirmed, refuted, unseen = [], [], []
    pairs = list(pairs)
    for context, members in fills.items():
        for members_of_class in classes:
            if members.isdisjoint(members_of_class):
                continue
            for entry in members_of_class:
                rule = _filled(context, entry)
                if rule in known:
                    # only what other members would have led to says anything about closure
                    if members & set(members_of_class) - {entry}:
                        confirmed.append(rule)
                elif _is_refuted(rule, pairs):
                    refuted.append(rule)
                else:
                    unseen.append(rule)
    judged = len(confirmed) + len(refuted)
    used = judged > 0 and len(confirmed) >= options.precision * judged
    return Closure(classes, _once(confirmed), _once(refuted), _once(unseen), used)


def _once(rules: list[Coded]) -> tuple[Coded, ...]:
    return tuple(sorted(set(rules)))


def families(rules: Iterable[Coded], lexicon: Lexicon, closure: Closure) -> dict[Coded, Context]:
    """Say of every rule which context it fills with a member of a class; other rules are alone."""
    member = {entry for entries in closure.classes for entry in entries}
    return {
        rule: found[0] if (found := _blanked(rule, lexicon)) and found[1] in member else rule
        for rule in rules
    }


def divided(keys: Sequence[Context], slots: Sequence[Collection[int]]) -> list[object]:
    """Divide families by where their members were seen.

    All words that stand for themselves share a context, so it does not tell verbs from nouns.
    Members that have a slot in common, directly or by way of others, stay together; those that
    were seen in none go with the others if these are all together, else they stand alone.

    Parameters
    ----------
    keys : sequence of (str, str)
        The family of each rule, as :func:`families` gives it.
    slots : sequence of collection of int
        The slots in which each rule was seen, but for the root.

    Returns
    -------
    list of object
        Equal for rules of one family.

    Examples
    --------
    >>> word = ("_", "_")
    >>> divided([word] * 5, [{1}, {1, 2}, {2}, {3}, set()])
    [('_', '_', 0), ('_', '_', 0), ('_', '_', 0), ('_', '_', 3), ('_', '_', 4)]
    >>> divided([word] * 3, [{1}, {1}, set()])
    [('_', '_', 0), ('_', '_', 0), ('_', '_', 0)]
    """
    ties = nx.Graph()
    ties.add_nodes_from(range(len(keys)))
    for number, (key, seen) in enumerate(zip(keys, slots, strict=True)):
        ties.add_edges_from((number, (key, slot)) for slot in seen)
    first = {
        number: min(n for n in tied if isinstance(n, int))
        for tied in nx.connected_components(ties)
        for number in tied
        if isinstance(number, int)
    }
    together: dict[Context, set[int]] = defaultdict(set)
    for number, key in enumerate(keys):
        if slots[number]:
            together[key].add(first[number])
    for number, key in enumerate(keys):
        if not slots[number] and len(together[key]) < 2:
            first[number] = min(together[key], default=keys.index(key))
    return [(*key, first[number]) for number, key in enumerate(keys)]


def steps_apart(keys: Sequence[Hashable], alone: Families, seen: FloatArray) -> list[Hashable]:
    """Divide families whose members apply one after the other, as in *kitap-lar-im*.

    Members of one family are exchanged for each other, so each may stand below each. Where some
    were never seen below others that stood below them, and not by chance, those of each step are a
    family of their own.

    Parameters
    ----------
    keys : sequence of hashable
        The family of each rule.
    alone : Families
        Each rule as a family of its own.
    seen : float64 array, shape (slots, rules)
        How often each rule was seen in each slot.

    Returns
    -------
    list of hashable
        Equal for rules of one family.

    Examples
    --------
    >>> alone = Families.of(["kitap", "ler", "im"], [0, 1, 1])
    >>> seen = np.zeros((3, 3))
    >>> seen[1, 0], seen[2, 0], seen[2, 1] = 20, 5, 15  # kitap ler, kitap im, kitap ler im
    >>> steps_apart(["noun", "suffix", "suffix"], alone, seen)
    ['noun', ('suffix', 0), ('suffix', 1)]
    """
    members: dict[Hashable, list[int]] = defaultdict(list)
    for rule, key in enumerate(keys):
        members[key].append(rule)
    found = list(keys)
    for key, rules in members.items():
        slots = [slice(alone.first_slot[rule], alone.first_slot[rule + 1]) for rule in rules]
        below = np.array([seen[slot].sum(axis=0)[rules] for slot in slots])
        steps = nx.condensation(nx.DiGraph(below > 0))
        of_member = np.array([steps.graph["mapping"][n] for n in range(len(rules))])
        in_order = below[of_member[:, None] != of_member].sum()
        if 0.5**in_order <= CHANCE:
            for step, group in enumerate(nx.topological_generations(steps.reverse())):
                for rule in (rules[n] for each in group for n in steps.nodes[each]["members"]):
                    found[rule] = (key, step)
    return found


def _fills(rules: Iterable[Coded], lexicon: Lexicon) -> dict[Context, set[Entry]]:
    fills: dict[Context, set[Entry]] = defaultdict(set)
    for rule in sorted(rules):
        found = _blanked(rule, lexicon)
        if found:
            fills[found[0]].add(found[1])
    return dict(fills)


def _blanked(rule: Coded, lexicon: Lexicon) -> tuple[Context, Entry] | None:
    """Return the context and the entry of a rule with exactly one; None if it has none or more."""
    source, target = rule
    entries = {(w, v) for v in set(target) if v in lexicon for w in lexicon[v] if w in source}
    if len(entries) != 1:
        return None
    ((w, v),) = entries
    if source.count(w) != 1:
        return None
    return (source.replace(w, _HOLE), target.replace(v, _HOLE)), (w, v)


def _filled(context: Context, entry: Entry) -> Coded:
    return context[0].replace(_HOLE, entry[0]), context[1].replace(_HOLE, entry[1])


def _classes(
    fills: dict[Context, set[Entry]], options: ClosureOptions
) -> tuple[tuple[Entry, ...], ...]:
    contexts: dict[Entry, set[Context]] = defaultdict(set)
    for context, entries in fills.items():
        for entry in entries:
            contexts[entry].add(context)
    alike = nx.Graph()
    for a, b in itertools.combinations(sorted(contexts), 2):
        shared = len(contexts[a] & contexts[b])
        fewer = min(len(contexts[a]), len(contexts[b]))
        if shared >= options.evidence and shared >= options.overlap * fewer:
            alike.add_edge(a, b)
    return tuple(sorted(tuple(sorted(c)) for c in nx.connected_components(alike)))


def _is_refuted(rule: Coded, pairs: list[Coded]) -> bool:
    """Say whether training sources may hold the rule's source, and never with its target."""
    source, target = map(side_runs, rule)
    found = [t for s, t in pairs if may_hold(s, source)]
    return bool(found) and not any(may_hold(t, target) for t in found)
