"""The frame from one grammar, the filler from another: rules that are missing are looked up.

A written grammar may use symbols that it has no rules for. ``NP`` then stands for the noun phrases
of the grammar of the corpus. ``S^good`` stands for its sentences with one place in them, anywhere,
at which stands what was written for the mark: if there are rules for ``JJ^good``, a sentence with
one of its adjectives taken out and one of those put in. A place is as probable as the corpus's
grammar has it: a derivation and one use of ``JJ`` in it, in proportion to the probability of what
stands around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray
from grammar.errors import NotTightError, StartSymbolError
from grammar.pcfg.analysis import mean_matrix, spectral_radius
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.sparse import solve_sparse

__all__ = ["MARKED", "open_symbols", "with_frames"]

MARKED = re.compile(r"([^^]+)\^(?!<)(.+)")
"""Symbols of frames, and of what is put into them: ``JJ^good``."""


def open_symbols(productions: Iterable[Production]) -> set[str]:
    """Return the symbols that are used and have no rules.

    >>> from grammar.rules.notation import parse_productions
    >>> sorted(open_symbols(parse_productions("A -> NP 'is' A | 'b'")[0]))
    ['NP']
    """
    given = list(productions)
    used = {c.name for p in given for c in p.rhs if isinstance(c, Nonterminal)}
    return used - {p.lhs.name for p in given}


def with_frames(written: Iterable[Production], corpus: Grammar) -> list[Production]:
    """Return written rules, and those of the corpus's grammar that they lack.

    Parameters
    ----------
    written : iterable of Production
        Rules with symbols that have none.
    corpus : Grammar
        Has rules for these symbols. Its own rules for a symbol that has been written are not used
        below written symbols.

    Raises
    ------
    StartSymbolError
        If it has no such symbol, or no place for a mark.
    NotTightError
        If its derivations use some symbol without end.

    Examples
    --------
    >>> from grammar.rules.notation import parse_productions
    >>> own = Grammar.parse("S -> N 'is' A | N 'ran' \\n N -> 'it' \\n A -> 'red' | 'very' A")
    >>> rules, _ = parse_productions("good -> {S^good} \\n {A^good} -> 'fine'")
    >>> for production in with_frames(rules, own):
    ...     print(production)
    good -> S^good [1.0]
    A^good -> 'fine' [1.0]
    S^good -> N 'is' A^good [1.0]
    N -> 'it' [1.0]
    """
    made = list(written)
    defined = {p.lhs.name for p in made}
    own: dict[str, list[Production]] = {}
    for p in corpus:
        own.setdefault(p.lhs.name, []).append(p)
    masses: dict[str, Mapping[str, float]] = {}
    while missing := sorted(open_symbols(made)):
        for name in missing:
            found = MARKED.fullmatch(name)
            if found is None or name in own:
                made += _known(name, own)
                continue
            symbol, mark = found.groups()
            if mark not in masses:
                masses[mark] = _uses(corpus, defined, mark)
            made += _frames(symbol, mark, _known(symbol, own), masses[mark])
    return made


def _known(name: str, own: Mapping[str, list[Production]]) -> list[Production]:
    if name not in own:
        some = ", ".join(sorted(own)[:8])
        raise StartSymbolError(
            f"the symbol {name!r} has no rules, nor has the grammar of the corpus any for it",
            hint=f"write some; the corpus has {some}",
        )
    return own[name]


def _uses(corpus: Grammar, defined: set[str], mark: str) -> Mapping[str, float]:
    """Return how many places for a mark a derivation of each symbol has in the mean.

    What hangs below a place is not looked into. The numbers solve u = M u, with 1 at the places.
    """
    names = corpus.rules.nonterminals
    place = np.array([f"{name}^{mark}" in defined for name in names])
    inner = sp.diags_array((~place).astype(np.float64))
    matrix = sp.csr_array(inner @ mean_matrix(corpus))
    if spectral_radius(matrix) >= 1:
        raise NotTightError(
            "derivations of the grammar of the corpus use symbols without end",
            hint="give another corpus, or write the frames too",
        )
    system = sp.csc_array(sp.eye_array(len(names)) - matrix)
    uses: FloatArray = solve_sparse(system, place.astype(np.float64))
    return dict(zip(names, uses.tolist(), strict=True))


def _frames(
    symbol: str, mark: str, rules: list[Production], uses: Mapping[str, float]
) -> Iterator[Production]:
    """Yield a rule for each child that may have the place below it."""
    if not uses[symbol] > 0:
        raise StartSymbolError(
            f"{symbol}^{mark} has no place for what was written for {mark!r}",
            hint=f"write rules for a symbol with this mark, such as JJ^{mark}",
        )
    for p in rules:
        for at, child in enumerate(p.rhs):
            share = uses[child.name] if isinstance(child, Nonterminal) else 0.0
            if share > 0 and isinstance(child, Nonterminal):
                marked = Nonterminal(f"{child.name}^{mark}")
                rhs = (*p.rhs[:at], marked, *p.rhs[at + 1 :])
                lhs = Nonterminal(f"{symbol}^{mark}")
                yield Production(lhs, rhs, p.weight * share / uses[symbol])
