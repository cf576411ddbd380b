"""Structures that are held out of SLOG's training pairs, to see what carries over.

Each is a property of a term or of its kind: pairs that have it are left out of training, and asked.
None of them is taken from the published generalisation set, which was not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from induction.terms.terms import Term

__all__ = ["STRUCTURES"]

Structure = Callable[[Term, str], bool]
"""Says whether a pair, as a term and its kind, has the structure."""


def _relatives(term: Term) -> Iterator[tuple[Term, Term]]:
    """Yield nouns and the clauses that modify them."""
    for above in term.subterms():
        for argument in above.arguments:
            if argument.role == "nmod" and argument.value is not None:
                yield above, argument.value


def _relative_gap(*roles: str) -> Structure:
    def has(term: Term, _: str) -> bool:
        return any(
            a.role in roles and a.value == Term(noun.label)
            for noun, clause in _relatives(term)
            for a in clause.arguments
        )

    return has


def _roles(term: Term) -> list[str]:
    return [argument.role for argument in term.arguments]


def _ditransitive_relative(term: Term, _: str) -> bool:
    return any("recipient" in _roles(clause) for _, clause in _relatives(term))


def _passive_relative(term: Term, _: str) -> bool:
    return any(
        roles and roles[0] == "theme" and "agent" in roles
        for roles in (_roles(clause) for _, clause in _relatives(term))
    )


def _relative_and_recipient(term: Term, _: str) -> bool:
    return "recipient" in _roles(term) and any(True for _ in _relatives(term))


def _relative_below_that(term: Term, _: str) -> bool:
    return "ccomp" in _roles(term) and any(True for _ in _relatives(term))


def _questions_about(role: str) -> Structure:
    question = Term(("?",))
    return lambda term, _: any(a.role == role and a.value == question for a in term.arguments)


def _chain(term: Term, start: str) -> int:
    """Return how many roles that begin so stand below each other."""
    return max(
        (
            _chain(a.value, start) + a.role.startswith(start)
            for a in term.arguments
            if a.value is not None
        ),
        default=0,
    )


STRUCTURES: Mapping[str, Structure] = {
    "centre embedding": lambda term, kind: kind.startswith("center_embed"),
    "noun phrases in noun phrases, 2 or more": lambda term, kind: _chain(term, "nmod.") >= 2,
    "noun phrases in noun phrases, 3 or more": lambda term, kind: _chain(term, "nmod.") >= 3,
    "clauses in clauses, 2 or more": lambda term, kind: _chain(term, "ccomp") >= 2,
    "relative clauses without agent": _relative_gap("agent"),
    "relative clauses without recipient": _relative_gap("recipient"),
    "relative clauses with recipient": _ditransitive_relative,
    "relative clauses in the passive with by": _passive_relative,
    "relative clauses beside a recipient": _relative_and_recipient,
    "relative clauses below that": _relative_below_that,
    "questions about the agent": _questions_about("agent"),
    "questions about the theme": _questions_about("theme"),
}
"""By name, what is held out."""
