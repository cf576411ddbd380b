"""The two ways to write logical forms of COGS, and the conversion between them.

The *original* form (Kim & Linzen 2020) names things by where their words stand in the sentence::

    * cat ( x _ 1 ) ; eat . agent ( x _ 2 , x _ 1 ) AND eat . theme ( x _ 2 , x _ 4 )
    AND cake ( x _ 4 )

The *variable-free* form (after Qiu et al. 2022) is a term, without positions::

    eat ( agent = * cat , theme = cake )

Whatever stands twice is written twice: the agent of *want* is also that of its ``xcomp``. Meanings
of single words keep their open places: ``LAMBDA snore ( agent )``.

To convert back, the sentence is needed. Content words stand in the order in which a term names
things, if the first argument of a verb is read before the verb; so the k-th thing stands where
the k-th content word does. That uses the input of the task only, never its answer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from grammar.errors import TreewrightError
from induction.terms.terms import Argument, Term

__all__ = [
    "FUNCTION_WORDS",
    "LogicalFormError",
    "to_original",
    "to_variable_free",
]

FUNCTION_WORDS = frozenset({"a", "the", "was", "by", "to", "that", "in", "on", "beside", "."})
"""Words (in lower case) that name no thing of their own; every other word does."""

_VARIABLE = re.compile(r"x _ (\d+)")
_ATOM = re.compile(
    r"(?P<head>\S+)(?: \. (?P<role>\S+(?: \. \S+)*))? "
    r"\( (?P<first>x _ \d+|[a-z])(?: , (?P<second>x _ \d+|[a-z]|[A-Z]\S*))? \)"
)
_BOUND = re.compile(r"(?:LAMBDA [a-z] \. )+")
_NAME = re.compile(r"[A-Z]\w*")


class LogicalFormError(TreewrightError, ValueError):
    """A text is not a logical form, or cannot be written in the other style."""


_Thing = tuple[Term, tuple[int, ...]]
"""A term, and the numbers of the things that its arguments are."""


@dataclass(frozen=True, slots=True)
class _Atom:
    """``head ( first )`` or ``head . role ( first , second )``, as written."""

    head: str
    role: str | None
    first: str
    second: str | None


def to_variable_free(form: str) -> Term:
    """Convert an original logical form to a term.

    Raises
    ------
    LogicalFormError
        If the text is not a logical form (the part at fault is given with its word), or has no
        variable-free writing: several things that nothing points to, things without a name,
        or things that contain themselves.

    Examples
    --------
    >>> print(to_variable_free("* girl ( x _ 1 ) ; want . agent ( x _ 2 , x _ 1 ) AND "
    ...     "want . xcomp ( x _ 2 , x _ 4 ) AND crawl . agent ( x _ 4 , x _ 1 )"))
    want ( agent = * girl , xcomp = crawl ( agent = * girl ) )
    >>> print(to_variable_free("LAMBDA a . LAMBDA e . snore . agent ( e , a )"))
    LAMBDA snore ( agent )
    """
    if form.startswith("LAMBDA "):
        return _meaning_of_word(form)
    if _NAME.fullmatch(form):
        return Term((form,))
    *definite, rest = form.split(" ; ")
    named: dict[str, tuple[str, ...]] = {}
    roles: defaultdict[str, list[_Atom]] = defaultdict(list)
    where = 1
    for part in definite:
        if not part.startswith("* "):
            _fail(form, where, "a definite noun '* noun ( x _ n )' before ';'")
        atom = _atom(part.removeprefix("* "), form, where + 1)
        _put_name(named, atom.first, ("*", atom.head), form)
        where += len(part.split()) + 1
    for part in rest.split(" AND "):
        atom = _atom(part, form, where)
        if atom.role is None:
            _put_name(named, atom.first, (atom.head,), form)
        else:
            if atom.head != named.get(atom.first, (atom.head,))[-1]:
                _fail(form, where, f"{named[atom.first][-1]!r}, the name of {atom.first!r}")
            named.setdefault(atom.first, (atom.head,))
            roles[atom.first].append(atom)
        where += len(part.split()) + 1
    return _term(_root(named, roles, form), named, roles, form, ())


def to_original(term: Term, sentence: str | Sequence[str]) -> str:
    """Convert a term to the original form, with positions in the given sentence.

    Raises
    ------
    LogicalFormError
        If the term names another number of things than the sentence has content words, or an
        ``xcomp`` whose first argument is not that of the verb above it.

    Examples
    --------
    >>> to_original(Term.parse("sleep ( agent = * cat )"), "The cat slept .")
    '* cat ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )'
    >>> to_original(Term.parse("LAMBDA shark"), "shark")
    'LAMBDA a . shark ( a )'
    """
    if term.label[0] == "LAMBDA":
        return _lambdas(term)
    words = sentence.split() if isinstance(sentence, str) else list(sentence)
    places = [i for i, word in enumerate(words) if word.lower() not in FUNCTION_WORDS]
    if not term.arguments and len(words) == 1:
        return term.head
    things: list[_Thing] = []
    order: list[int] = []
    _name_things(term, things, order, None)
    if len(order) != len(places):
        raise LogicalFormError(
            f"the term names {len(order)} things, the sentence has {len(places)} content words",
            where=str(term),
            hint="give the sentence that the term is the meaning of",
        )
    place = dict(zip(order, places, strict=True))
    return _written(things, place)


# --- original to variable-free ------------------------------------------------------------------


def _atom(part: str, form: str, where: int) -> _Atom:
    match = _ATOM.fullmatch(part)
    if match is None:
        _fail(form, where, "an atom such as 'cat ( x _ 1 )' or 'eat . agent ( x _ 2 , x _ 1 )'")
    role = match["role"]
    if (role is None) != (match["second"] is None):
        _fail(form, where, "a role exactly where there are two arguments")
    return _Atom(match["head"], role and role.replace(" . ", "."), match["first"], match["second"])


def _put_name(
    named: dict[str, tuple[str, ...]], variable: str, label: tuple[str, ...], form: str
) -> None:
    if variable in named:
        raise LogicalFormError(
            f"{variable!r} is named twice", where=form[:80], hint="give each thing one name"
        )
    named[variable] = label


def _root(named: dict[str, tuple[str, ...]], roles: dict[str, list[_Atom]], form: str) -> str:
    pointed = {atom.second for atoms in roles.values() for atom in atoms}
    roots = [variable for variable in named if variable not in pointed]
    if len(roots) != 1:
        raise LogicalFormError(
            f"{len(roots)} things have no other thing that points to them",
            where=form[:80],
            hint="a term has one root; this form cannot be written without variables",
        )
    return roots[0]


def _term(
    thing: str,
    named: dict[str, tuple[str, ...]],
    roles: dict[str, list[_Atom]],
    form: str,
    above: tuple[str, ...],
) -> Term:
    if thing in above or not (thing in named or _NAME.fullmatch(thing)):
        what = "contains itself" if thing in above else "has no name"
        raise LogicalFormError(
            f"{thing!r} {what}", where=form[:80], hint="it cannot be written without variables"
        )
    arguments = tuple(
        Argument(str(atom.role), _term(str(atom.second), named, roles, form, (*above, thing)))
        for atom in roles.get(thing, ())
    )
    return Term(named.get(thing, (thing,)), arguments)


def _meaning_of_word(form: str) -> Term:
    body = _BOUND.sub("", form)
    start = len(form.split()) - len(body.split()) + 1
    atoms = [_atom(part, form, start) for part in body.split(" AND ")]
    head = atoms[0].head
    roles = tuple(Argument(atom.role, None) for atom in atoms if atom.role is not None)
    term = Term(("LAMBDA", head), roles)
    # the letters follow from the order, so they are checked and not kept
    if _lambdas(term) != form:
        _fail(form, 1, f"the usual letters, {_lambdas(term)!r}")
    return term


def _fail(form: str, word: int, wanted: str) -> NoReturn:
    words = form.split()
    found = repr(words[word - 1]) if word <= len(words) else "the end"
    raise LogicalFormError(
        f"expected {wanted}, found {found}",
        where=f"word {word} of {form[:80]!r}",
        hint="logical forms are written as in the published files, with spaces between all tokens",
    )


# --- variable-free to original ------------------------------------------------------------------


def _lambdas(term: Term) -> str:
    """Write the meaning of a word: the last open place is bound first."""
    head, roles = term.head, [argument.role for argument in term.arguments]
    letters = [chr(ord("a") + i) for i in range(max(1, len(roles)))]
    if not roles:
        return f"LAMBDA a . {head} ( a )"
    bound = " . ".join(f"LAMBDA {letter}" for letter in [*letters, "e"])
    atoms = (
        f"{head} . {role} ( e , {letter} )"
        for role, letter in zip(roles, reversed(letters), strict=True)
    )
    return f"{bound} . {' AND '.join(atoms)}"


def _name_things(term: Term, things: list[_Thing], order: list[int], control: int | None) -> int:
    """Number the things of a term, note the order of their words, and return the root's number.

    ``control`` is the thing that the first argument stands for already, below an ``xcomp``.
    """
    number = len(things)
    things.append((term, ()))
    values = [argument.value for argument in term.arguments]
    is_event = any(not argument.role.startswith("nmod") for argument in term.arguments)
    below: list[int] = []
    if not is_event:
        order.append(number)
    first = control
    for place, (argument, value) in enumerate(zip(term.arguments, values, strict=True)):
        if value is None:
            raise LogicalFormError(
                f"the role {argument.role!r} is open", where=str(term), hint="give it a value"
            )
        if place == 0 and control is not None:
            if value != things[control][0]:
                raise LogicalFormError(
                    f"the first argument of {term.head!r} is not that of the verb above it",
                    where=str(value),
                    hint="an 'xcomp' shares the first argument",
                )
            found = control
        else:
            found = _name_things(value, things, order, first if argument.role == "xcomp" else None)
        if place == 0:
            first = found
            if is_event:
                order.append(number)
        below.append(found)
    things[number] = (term, tuple(below))
    return number


def _written(things: list[_Thing], place: dict[int, int]) -> str:
    def named(number: int) -> str:
        term = things[number][0]
        is_name = not term.arguments and _NAME.fullmatch(term.head)
        return term.head if is_name else f"x _ {place[number]}"

    definite: list[tuple[int, str]] = []
    atoms: list[tuple[int, str]] = []
    for number, (term, below) in enumerate(things):
        own = named(number)
        if term.label[0] == "*":
            definite.append((place[number], f"* {term.head} ( {own} ) ;"))
        elif own != term.head and all(a.role.startswith("nmod") for a in term.arguments):
            atoms.append((place[number], f"{term.head} ( {own} )"))
        for argument, other in zip(term.arguments, below, strict=True):
            role = argument.role.replace(".", " . ")
            atoms.append((place[number], f"{term.head} . {role} ( {own} , {named(other)} )"))
    parts = [text for _, text in sorted(definite, key=_first)]
    return " ".join([*parts, " AND ".join(text for _, text in sorted(atoms, key=_first))])


def _first(item: tuple[int, str]) -> int:
    return item[0]
