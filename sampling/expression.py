"""What to make, in one line: ``0.7*treemix(high=0.5) + 0.3*sub2 | aeda``.

A *method* with its options, of an operator first the method that it is applied to, as in
``fluent(treemix, candidates=8)``, and of those that read a file first its name, as in
``names(classes.txt)``; ``a | b``, b applied to what a makes; ``w*a + v*b``, a mixture; and
parentheses. Because ``|`` distributes over ``+``, every expression is one thing: a list of *parts*,
each a share and a chain of methods. All that works on expressions works on that list.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product
from pathlib import Path
from typing import Any

from grammar.errors import OptionError
from grammar.options import meant
from sampling.method import find_method

__all__ = [
    "FILE",
    "OPERAND",
    "Expression",
    "Part",
    "Step",
    "options_taken",
    "read_expression",
    "read_step",
    "read_value",
    "with_options",
]

MOST_STEPS = 200
"""The parts of an expression may have so many methods, all together: each is opened."""
MOST_CHARACTERS = 100_000
"""An expression is no longer; what is read off it takes about a second then."""
MOST_NESTED = 50
"""Parentheses of an expression, one in the other."""

_STEPS = {"(": 1, ")": -1}
_DIGITS = 100
"""A weight has no more."""
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WORDS: Mapping[str, Any] = {"true": True, "false": False, "none": None}
_SIGNS = {"PLUS": "+", "STAR": "*", "VBAR": "|", "LPAR": "(", "RPAR": ")", "EQUAL": "="}
_KINDS = {
    "PATH": "a file",
    "BAND": "a band such as 5:20",
    "NAME": "a name",
    "WEIGHT": "a weight",
    "NUMBER": "a number",
    "QUOTED": "a text",
}

OPERAND = "of"
"""The option of operators that stands first, without its name: the method they are applied to."""


FILE = "file"
"""The option that may stand first, without its name, as the name of a file."""


@dataclass(frozen=True)
class Step:
    """One method of a chain, with the options given to it."""

    method: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        options = list(self.options.items())
        # classes without names take those that are given in their order, so that has to stay
        ordered = options if find_method(self.method).gathers else sorted(options)
        named = ((n, v) for n, v in ordered if n != OPERAND)
        given = [f"{_written_name(name)}={_written(value)}" for name, value in named]
        if OPERAND in self.options:
            given.insert(0, str(self.options[OPERAND]))
        return f"{self.method}({', '.join(given)})" if given else self.method


@dataclass(frozen=True)
class Part:
    """A chain of methods, each applied to what the one before makes, and its share of the whole."""

    share: Fraction
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.steps))


@dataclass(frozen=True)
class Expression:
    """Parts whose shares sum to 1."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0])
        # over their common denominator the shares are whole numbers, so nothing is rounded
        whole = math.lcm(*(part.share.denominator for part in self.parts))
        return " + ".join(f"{int(part.share * whole)}*{part}" for part in self.parts)


def read_expression(text: str) -> Expression:
    """Read an expression.

    A term without a weight has the weight 1; weights are divided by their sum, within each pair of
    parentheses too. ``|`` binds tighter than ``*``, and ``*`` tighter than ``+``.

    Parameters
    ----------
    text : str
        Values of options are numbers, ``true``, ``false``, ``none``, words, or texts in quotes.

    Raises
    ------
    OptionError
        If it does not follow the notation, or names no method or option; with the position, and
        the nearest name.

    Examples
    --------
    >>> for part in read_expression("3*treemix(high=0.5) + (sub2 + eda) | aeda").parts:
    ...     print(part.share, part)
    3/4 treemix(high=0.5)
    1/8 sub2 | aeda
    1/8 eda | aeda
    """
    import lark

    if len(text) > MOST_CHARACTERS:
        raise OptionError(
            f"the expression has more than {MOST_CHARACTERS:,} characters",
            hint="write long lists into a file, and name the file",
        )
    if max(accumulate(_STEPS.get(c, 0) for c in text), default=0) > MOST_NESTED:
        raise OptionError(
            f"the expression has more than {MOST_NESTED} parentheses, one in the other",
            hint="leave out those that change nothing",
        )
    try:
        tree = _reader("start").parse(text)
    except lark.exceptions.UnexpectedInput as error:
        raise _fault(error, text) from None
    return Expression(tuple(_sum(tree, text)))


def read_step(text: str) -> Step:
    """Read a single method with its options.

    Raises
    ------
    OptionError
        If it does not follow the notation, or is more than one method.

    Examples
    --------
    >>> print(read_step("fluent(sub2(phrase=true), candidates=8)"))
    fluent(sub2(phrase=true), candidates=8)
    """
    parts = read_expression(text).parts
    if len(parts) != 1 or len(parts[0].steps) != 1:
        raise OptionError(
            f"{text!r} is more than one method",
            hint="apply the operator to one method; chains and mixtures go around it",
        )
    return parts[0].steps[0]


def read_value(text: str) -> Any:
    """Read the value of an option as expressions have it; anything else is a text.

    >>> [read_value(text) for text in ("0.5", "3", "true", "none", "same", "'7'", "[A-Z]+ x")]
    [0.5, 3, True, None, 'same', '7', '[A-Z]+ x']
    """
    import lark

    try:
        return _value(_reader("value").parse(text))
    except lark.exceptions.UnexpectedInput:
        return text


def options_taken(expression: Expression) -> dict[str, set[str]]:
    """Return the names of the options that each method of an expression has.

    >>> sorted(options_taken(read_expression("worddrop"))["worddrop"])[:2]
    ['blank', 'distinct']
    """
    methods = {step.method for part in expression.parts for step in part.steps}
    return {name: {o.name for o in find_method(name).options} for name in sorted(methods)}


def with_options(expression: Expression, given: Mapping[str, Any]) -> Expression:
    """Give options to the methods of an expression; those in its parentheses stay.

    Parameters
    ----------
    expression : Expression
        What to change.
    given : mapping
        ``name`` to value, for every method that has such an option; ``method.name`` for one.

    Raises
    ------
    OptionError
        If no method of the expression has such an option; the hint names the nearest.

    Examples
    --------
    >>> print(with_options(read_expression("treemix(high=1) | aeda"), {"high": 2, "low": 0}))
    treemix(high=1, low=0) | aeda
    """
    known = options_taken(expression)
    wanted: dict[str, dict[str, Any]] = {method: {} for method in known}
    for name, value in given.items():
        method, dot, option = name.rpartition(".")
        if dot and method not in known:
            raise _no_such("method", method, known)
        takers = [method] if dot else [m for m, options in known.items() if option in options]
        if not takers or option not in known[takers[0]]:
            raise _no_such("option", option, set().union(*(known[m] for m in takers or known)))
        for taker in takers:
            wanted[taker][option] = value
    parts = (
        replace(
            part,
            steps=tuple(
                Step(step.method, {**wanted[step.method], **step.options}) for step in part.steps
            ),
        )
        for part in expression.parts
    )
    return Expression(tuple(parts))


def _no_such(what: str, name: str, known: Iterable[str]) -> OptionError:
    known = sorted(known)
    return OptionError(
        f"the expression has no {what} {name!r}",
        hint=meant(name, known) or f"it has {', '.join(known)}",
    )


@functools.cache
def _reader(start: str) -> Any:
    import lark

    rules = Path(__file__).with_suffix(".lark").read_text(encoding="utf-8")
    return lark.Lark(
        rules, parser="lalr", start=start, maybe_placeholders=True, propagate_positions=True
    )


def _sum(tree: Any, text: str) -> list[Part]:
    terms = [(_weight(term.children[0], text), _chain(term.children[1], text))
             for term in tree.children]  # fmt: skip
    _refuse_many(sum(len(part.steps) for _, parts in terms for part in parts))
    total = sum((weight for weight, _ in terms), Fraction(0))
    return [
        replace(part, share=part.share * weight / total)
        for weight, parts in terms
        for part in parts
    ]


def _weight(token: Any, text: str) -> Fraction:
    if token is not None and len(token) > _DIGITS:
        raise OptionError(
            "the weight has too many digits", where=_place(text, token.column), hint="round it"
        )
    weight = Fraction(1) if token is None else Fraction(str(token))
    if weight == 0:
        raise OptionError(
            "the weight is 0", where=_place(text, token.column), hint="leave the term out"
        )
    return weight


def _chain(tree: Any, text: str) -> list[Part]:
    choices = [_atom(child, text) for child in tree.children]
    _refuse_many(math.prod(map(len, choices)) * len(choices))
    chains = []
    for parts in product(*choices):
        share = functools.reduce(lambda a, b: a * b, (part.share for part in parts))
        chains.append(Part(share, tuple(step for part in parts for step in part.steps)))
    return chains


def _refuse_many(steps: int) -> None:
    if steps > MOST_STEPS:
        raise OptionError(
            f"the expression has more than {MOST_STEPS} methods once its parentheses are open",
            hint="sum up fewer methods, or chain fewer before and after each |",
        )


def _atom(tree: Any, text: str) -> list[Part]:
    if tree.data == "sum":
        return _sum(tree, text)
    name, *options = (child for child in tree.children if child is not None)
    method = str(name)
    with _placed(text, name.column):
        asked = find_method(method)
        known = [o.name for o in asked.options]
    given: dict[str, Any] = {}
    for option in options:
        if option.data == "method":
            with _placed(text, option.children[0].column):
                _refuse_operand(method, known, given)
            given[OPERAND] = str(_atom(option, text)[0].steps[0])
            continue
        if option.data == "path":
            key, token, value = FILE, option.children[0], _text(option.children[0])
        else:
            token, held = option.children
            key, value = _text(token), _value(held)
        with _placed(text, token.column):
            asked.check_names([key])
            if key in given:
                raise OptionError(f"the option {key!r} stands twice", hint="leave one out")
        given[key] = value
    return [Part(Fraction(1), (Step(method, given),))]


def _refuse_operand(method: str, known: Iterable[str], given: Mapping[str, Any]) -> None:
    """Refuse a method in the parentheses of one that takes none, or has one already."""
    if OPERAND not in known:
        raise OptionError(
            f"{method} is applied to no other method", hint="write name=value, or fluent(...)"
        )
    if OPERAND in given:
        raise OptionError(f"{method} is applied to one method", hint="leave the other out")


@contextmanager
def _placed(text: str, column: int) -> Iterator[None]:
    """Put the place in the text before what errors say."""
    try:
        yield
    except OptionError as error:
        raise OptionError(error.what, where=_place(text, column), hint=error.hint) from None


def _value(tree: Any) -> Any:
    text = str(tree.children[0])
    if tree.data == "number":
        if len(text) > _DIGITS:
            raise OptionError(
                f"the number {text[:_DIGITS]}... has too many digits", hint="round it"
            )
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    if tree.data == "quoted":
        return _text(tree.children[0])
    return _WORDS.get(text.lower(), text)


def _text(token: Any) -> str:
    text = str(token)
    if token.type != "QUOTED":
        return text
    return re.sub(r"\\(.)", lambda match: _unescaped(match[1]), text[1:-1], flags=re.DOTALL)


def _unescaped(character: str) -> str:
    # as in regular expressions, a backslash stays before what is no quote and no backslash
    return character if character in "\\'\"" else "\\" + character


def _written(value: Any) -> str:
    if isinstance(value, str):
        plain = _BARE.fullmatch(value) and value.lower() not in _WORDS
        return value if plain else "'" + re.sub(r"([\\'])", r"\\\1", value) + "'"
    return json.dumps(value).replace("null", "none")


def _written_name(name: str) -> str:
    return name if _BARE.fullmatch(name) else _written(name)


def _place(text: str, column: int) -> str:
    return f"column {column} of {text!r}"


def _fault(error: Any, text: str) -> OptionError:
    names = set(getattr(error, "accepts", None) or getattr(error, "expected", None) or ())
    wanted = sorted(_SIGNS.get(name, _KINDS.get(name, "the end")) for name in names - {"COMMA"})
    token = getattr(error, "token", None)
    column = error.column if isinstance(error.column, int) and error.column > 0 else len(text) + 1
    ended = column > len(text) or (token is not None and token.type == "$END")
    found = "the expression ends too early" if ended else f"{text[column - 1]!r} cannot stand here"
    return OptionError(
        found,
        where=_place(text, len(text) + 1 if ended else column),
        hint=f"expected {', '.join(wanted)}"
        if wanted
        else "for example 0.7*treemix + 0.3*sub2; a name or value that is no plain word is quoted",
    )
