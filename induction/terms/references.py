"""References: what a term says twice of one thing, said once.

A relative clause says of a noun that it has a role in the clause, and a term without variables
writes the noun a second time to say so: ``* cat ( nmod = see ( agent = * cat ) )`` is *the cat that
saw*. The second cat is no cat that the sentence speaks of; it has no word of its own, and no rule
that writes its words can be right. In the form with references it is written ``^``, below a role
that ends in the same sign: ``* cat ( nmod^ = see ( agent = ^ ) )``. A word that has one place in
sentences whatever its role is, as that of a question, is written above the term in the same way:
``see ( agent = ? )`` becomes ``? ( ^ = see ( agent = ^ ) )``. So a clause with a gap is one kind of
term, wherever what fills its gap stands.

Which roles bind, and which words are written above, is read off the pairs
(:func:`find_references`). The way back needs nothing but the term.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from induction.terms.alignment import TermPair
from induction.terms.terms import Argument, Term

__all__ = ["GAP", "References", "find_references", "without_references"]

GAP = "^"
"""The sign of a reference, and the end of a role that binds."""

_GAP = Term((GAP,))
_LEAST = 0.95
"""Share of the uses of a role, or of a word, that have to be as is said of it."""


@dataclass(frozen=True, slots=True)
class References:
    """What is written as a reference.

    Attributes
    ----------
    roles : frozenset of str
        Roles below which the label above is written again.
    above : frozenset of str
        Words that are written above the term.

    Examples
    --------
    >>> References(roles=frozenset({"agent"})).above
    frozenset()
    """

    roles: frozenset[str] = frozenset()
    above: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.roles or self.above)

    def __str__(self) -> str:
        return f"roles {', '.join(sorted(self.roles))}; above {', '.join(sorted(self.above))}"

    def write(self, term: Term) -> Term:
        """Return the term with references.

        Examples
        --------
        >>> found = References(frozenset({"nmod"}), frozenset({"?"}))
        >>> print(found.write(Term.parse("see ( theme = cat ( nmod = run ( agent = cat ) ) )")))
        see ( theme = cat ( nmod^ = run ( agent = ^ ) ) )
        >>> print(found.write(Term.parse("see ( agent = ? )")))
        ? ( ^ = see ( agent = ^ ) )
        """
        term = self._below(term)
        for word in self.above:
            if term.arguments and (found := _marked(term, (word,))) != term:
                return Term((word,), (Argument(GAP, found),))
        return term

    def _below(self, term: Term) -> Term:
        return Term(term.label, tuple(self._written(term.label, a) for a in term.arguments))

    def _written(self, label: tuple[str, ...], argument: Argument) -> Argument:
        if argument.value is None:
            return argument
        value = self._below(argument.value)
        if argument.role in self.roles and (found := _marked(value, label)) != value:
            return Argument(argument.role + GAP, found)
        return Argument(argument.role, value)


def _marked(term: Term, label: tuple[str, ...]) -> Term:
    """Return the term with references where this label stands without arguments."""

    def of(argument: Argument) -> Argument:
        # what is below another binder would refer to that
        if argument.value is None or argument.role.endswith(GAP):
            return argument
        return replace(argument, value=_marked(argument.value, label))

    if not term.arguments:
        return _GAP if term.label == label else term
    return Term(term.label, tuple(map(of, term.arguments)))


def without_references(term: Term) -> Term:
    """Return the term with all that is referred to written out.

    A reference that nothing binds stays.

    Examples
    --------
    >>> term = Term.parse("? ( ^ = see ( agent = ^ , theme = cat ( nmod^ = run ( agent = ^ ) ) ) )")
    >>> print(without_references(term))
    see ( agent = ? , theme = cat ( nmod = run ( agent = cat ) ) )
    """
    return _resolved(term, _GAP)


def _resolved(term: Term, bound: Term) -> Term:
    if term == _GAP:
        return bound
    own = Term(term.label)
    if len(term.arguments) == 1 and term.arguments[0].role == GAP and term.arguments[0].value:
        return _resolved(term.arguments[0].value, own)
    made = []
    for role, value in ((a.role, a.value) for a in term.arguments):
        binds = role.endswith(GAP) and role != GAP
        below = None if value is None else _resolved(value, own if binds else bound)
        made.append(Argument(role.removesuffix(GAP) if binds else role, below))
    return Term(term.label, tuple(made))


def find_references(pairs: Sequence[TermPair]) -> References:
    """Say which roles bind and which words are written above, from pairs.

    A role binds if at least 95 % of its uses have, somewhere below them, the label above them
    without arguments. A word is written above if it has two roles or more, never arguments, and in
    95 % of its pairs one source word that occurs nowhere else ends the source.

    Examples
    --------
    >>> texts = [("who ran ?", "run ( agent = ? )"), ("who did ann see ?", "see ( theme = ? )"),
    ...     ("the cat that ran", "cat ( nmod = run ( agent = cat ) )")]
    >>> found = find_references([TermPair(tuple(s.split()), Term.parse(t)) for s, t in texts])
    >>> sorted(found.roles), sorted(found.above)
    (['nmod'], ['?'])
    """
    return References(_binding(pair.term for pair in pairs), _above(pairs))


def _binding(terms: Iterable[Term]) -> frozenset[str]:
    uses: Counter[str] = Counter()
    bound: Counter[str] = Counter()
    for term in terms:
        for above in term.subterms():
            for argument in above.arguments:
                if argument.value is not None:
                    uses[argument.role] += 1
                    again = _marked(argument.value, above.label) != argument.value
                    bound[argument.role] += again
    return frozenset(role for role, n in bound.items() if n >= _LEAST * uses[role])


def _above(pairs: Sequence[TermPair]) -> frozenset[str]:
    at: defaultdict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    ends: defaultdict[str, set[int]] = defaultdict(set)
    inner: set[str] = set()
    for number, pair in enumerate(pairs):
        ends[pair.source[-1]].add(number)
        inner.update(pair.source[:-1])
        for above in pair.term.subterms():
            inner.update(above.label if above.arguments else above.label[:-1])
            for argument in above.arguments:
                if argument.value is not None and not argument.value.arguments:
                    at[argument.value.head][argument.role].add(number)
    last = [numbers for word, numbers in ends.items() if word not in inner]
    found = set()
    for word, by_role in at.items():
        numbers = set().union(*by_role.values())
        fixed = any(len(numbers & e) >= _LEAST * len(numbers | e) for e in last)
        if len(by_role) > 1 and word not in inner and fixed:
            found.add(word)
    return frozenset(found)
