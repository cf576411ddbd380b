"""When two targets mean the same, whatever form they are written in.

Exact match of words counts a right answer as wrong where a form has two writings of one meaning.
:func:`canonical` gives one writing for each meaning of the forms that are known here:

- a *term* has its references written out (:mod:`induction.terms.references`), and its arguments in
  the order of their roles, because a role says which argument it is wherever it stands;
- in a *lambda expression*, such as ``( lambda $0 e ( and ( flight $0 ) ( from $0 ci0 ) ) )``, the
  parts of ``and`` and ``or`` are a set, one part is that part, and variables are named by the
  depth of their binder (de Bruijn 1972), so that their names do not matter;
- in an *original form* of COGS, the atoms beside ``AND`` are a set, and so are the definite nouns;
- any other target is its words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grammar.errors import NotationError
from grammar.synchronous.grammar import SynchronousGrammar
from induction.terms.expressions import (
    SETS,
    Expression,
    bound_variable,
    read_expression,
    write_expression,
)
from induction.terms.references import GAP, References, without_references
from induction.terms.terms import Argument, Term

__all__ = ["canonical", "same_meaning", "written_as"]


def same_meaning(one: str | Sequence[str], other: str | Sequence[str]) -> bool:
    """Say whether two targets have one meaning.

    Parameters
    ----------
    one, other : str or sequence of str
        Words, or a text with spaces between them.

    Examples
    --------
    >>> same_meaning("( and ( a x ) ( b x ) )", "( and ( b x ) ( a x ) )")
    True
    >>> same_meaning("see ( theme = cat ( nmod^ = run ( agent = ^ ) ) )",
    ...     "see ( theme = cat ( nmod = run ( agent = cat ) ) )")
    True
    >>> same_meaning("see ( agent = Ann , theme = cat )", "see ( theme = cat , agent = Ann )")
    True
    >>> same_meaning("I_JUMP I_WALK", "I_WALK I_JUMP")
    False
    """
    return canonical(one) == canonical(other)


def canonical(target: str | Sequence[str]) -> tuple[str, ...]:
    """Return the words of the one writing that stands for all of a meaning.

    Examples
    --------
    >>> " ".join(canonical("( lambda $7 e ( and ( to $7 b ) ( from $7 a ) ) )"))
    '( lambda $0 e ( and ( from $0 a ) ( to $0 b ) ) )'
    >>> " ".join(canonical("eat . theme ( x _ 2 , x _ 3 ) AND eat . agent ( x _ 2 , x _ 1 )"))
    'eat . agent ( x _ 2 , x _ 1 ) AND eat . theme ( x _ 2 , x _ 3 )'
    """
    words = tuple(target.split() if isinstance(target, str) else target)
    if "(" not in words:
        return words
    if words[0] == "(" and (found := read_expression(words)) is not None:
        return tuple(write_expression(_ordered(found, {}, 0)))
    if "AND" in words or ";" in words:
        return _atoms(words)
    try:
        return _by_role(without_references(Term.parse(words))).words
    except (NotationError, RecursionError):
        return words


def written_as(grammar: SynchronousGrammar) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Return a function that writes a target with the references of a grammar's own targets.

    Examples
    --------
    >>> target = "'cat' '(' 'nmod^' '=' 'run' '(' 'agent' '=' '^' ')' ')'"
    >>> grammar = SynchronousGrammar.parse(f"S -> 'cats' 'that' 'ran' ### {target} [1]")
    >>> " ".join(written_as(grammar)("cat ( nmod = run ( agent = cat ) )".split()))
    'cat ( nmod^ = run ( agent = ^ ) )'
    """
    roles, above = set[str](), set[str]()
    for rule in grammar.rules:
        symbols = [str(one) if isinstance(one, str) else "" for one in rule.target]
        roles.update(one[: -len(GAP)] for one in symbols if one != GAP and one.endswith(GAP))
        above.update(
            one for one, *after in zip(symbols, symbols[1:], symbols[2:], strict=False)
            if after == ["(", GAP]
        )  # fmt: skip
    references = References(frozenset(roles), frozenset(above))

    def write(target: Sequence[str]) -> tuple[str, ...]:
        try:
            return references.write(Term.parse(target)).words if references else tuple(target)
        except (NotationError, RecursionError):
            return tuple(target)

    return write


def _by_role(term: Term) -> Term:
    """Sort arguments by role; those of one role keep their order, and so do roles alone."""
    below = [a if a.value is None else Argument(a.role, _by_role(a.value)) for a in term.arguments]
    if all(argument.value is not None for argument in below):
        below.sort(key=lambda argument: argument.role)
    return Term(term.label, tuple(below))


def _ordered(node: Expression, names: dict[str, str], depth: int) -> Expression:
    """Name variables by the depth of their binders, and sort the parts of sets."""
    if isinstance(node, str):
        return names.get(node, node)
    head = node[0] if node else ""
    if (variable := bound_variable(node)) is not None:
        names, depth = {**names, variable: f"${depth}"}, depth + 1
    parts = [_ordered(part, names, depth) for part in node]
    if isinstance(head, str) and head in SETS:
        parts[1:] = sorted(_flat(parts[1:], head), key=lambda part: list(write_expression(part)))
        if len(parts) == 2:
            return parts[1]
    return parts


def _flat(parts: list[Expression], head: Expression) -> list[Expression]:
    """Return the parts of a set, those of the same kind inside it among them, each once."""
    found: list[Expression] = []
    for part in parts:
        inner = part[1:] if isinstance(part, list) and part and part[0] == head else [part]
        found += [one for one in inner if one not in found]
    return found


def _atoms(words: Sequence[str]) -> tuple[str, ...]:
    """Sort the definite nouns before the last ``;``, and the atoms between ``AND``."""
    *definite, rest = " ".join(words).split(" ; ")
    return tuple(" ; ".join([*sorted(definite), " AND ".join(sorted(rest.split(" AND ")))]).split())
