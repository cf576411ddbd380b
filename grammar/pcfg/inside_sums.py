"""What symbols derive, summed: the least solution of the equations of a grammar."""

from __future__ import annotations

from typing import NamedTuple

import networkx as nx
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from grammar.arrays import FloatArray
from grammar.progress import checkpoint

__all__ = ["Term", "inside_sums"]

_NEWTON_STEPS = 200
_EXACT = 1e-15
_DENSE = 64


class Term(NamedTuple):
    """A rule of a symbol: its weight, and up to two symbols among its children (or -1).

    ``rule`` is a number that means something to who made it.
    """

    rule: int
    weight: float
    first: int
    second: int


def inside_sums(terms: list[list[Term]]) -> FloatArray:
    """Return the summed weight of all that each symbol derives, shape (symbols,).

    It is the least solution of polynomial equations, found by Newton's method, one strongly
    connected component after the other (Etessami & Yannakakis 2009).

    Parameters
    ----------
    terms : list of list of Term
        The rules of each symbol.

    Examples
    --------
    >>> one = [Term(0, 0.5, 0, 0), Term(1, 0.25, -1, -1)]  # S -> S S [0.5] | 'a' [0.25]
    >>> inside_sums([one]).round(6).tolist()
    [0.292893]
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(terms)))
    graph.add_edges_from(
        (head, child)
        for head, options in enumerate(terms)
        for term in options
        for child in (term.first, term.second)
        if child >= 0
    )
    # the last entry stands for a child that is a word
    inside = np.append(np.zeros(len(terms)), 1.0)
    condensed = nx.condensation(graph)
    for component in reversed(list(nx.topological_sort(condensed))):
        checkpoint()
        members = sorted(condensed.nodes[component]["members"])
        head = members[0]
        if len(members) > 1 or graph.has_edge(head, head):
            _newton(members, terms, inside)
        else:
            inside[head] = sum(t.weight * inside[t.first] * inside[t.second] for t in terms[head])
    return inside[:-1]


def _newton(members: list[int], terms: list[list[Term]], inside: FloatArray) -> None:
    """Raise the sums of one component to their least fixed point, those below being done."""
    place = {member: i for i, member in enumerate(members)}
    rows = [
        (i, t.weight, t.first, t.second, place.get(t.first, -1), place.get(t.second, -1))
        for i, member in enumerate(members)
        for t in terms[member]
    ]
    columns = list(map(np.array, zip(*rows, strict=True)))
    head, weight, first, second, first_place, second_place = columns
    size = len(members)
    in_first, in_second = first_place >= 0, second_place >= 0
    slope_rows = np.concatenate((head[in_first], head[in_second]))
    slope_columns = np.concatenate((first_place[in_first], second_place[in_second]))
    for _ in range(_NEWTON_STEPS):
        now = inside[members]
        value = np.bincount(head, weight * inside[first] * inside[second], minlength=size)
        slopes = np.concatenate(
            ((weight * inside[second])[in_first], (weight * inside[first])[in_second])
        )
        entries = (slopes, (slope_rows, slope_columns))
        step = _solve(sp.coo_array(entries, shape=(size, size)), value - now)
        inside[members] = np.minimum(now + step, 1.0)
        if (step <= _EXACT * inside[members]).all():
            return


def _solve(slope: sp.coo_array, gap: FloatArray) -> FloatArray:
    """Return Newton's step (I - slope)^-1 gap, or the gap where the system is singular."""
    size = len(gap)
    try:
        if size <= _DENSE:
            step = np.linalg.solve(np.eye(size) - slope.toarray(), gap)
        else:
            system = sp.csc_array(sp.eye_array(size) - slope)
            step = scipy.sparse.linalg.splu(system).solve(gap)
    except (np.linalg.LinAlgError, RuntimeError):
        step = gap
    result: FloatArray = np.maximum(step if np.isfinite(step).all() else gap, 0.0)
    return result
