"""The text notation of grammars, a superset of NLTK's PCFG strings.

One rule a line, alternatives behind ``|`` (which may begin the next line), weights in square
brackets as decimals or fractions::

    # the first left-hand side is the start symbol, unless a line says otherwise
    %start S
    S -> NP VP [1]
    NP -> DT NN [2/3] | 'it\\'s' [1/3]
    {PRP$} -> "her"

Words are quoted, either way; a backslash protects a quote or itself, and ``\\n``, ``\\t``,
``\\r``, ``\\xHH``, ``\\uHHHH`` and ``\\UHHHHHHHH`` stand for characters. A nonterminal that is not
a plain name stands in braces. A left-hand side none of whose rules has a weight gets equal weights.
The directive may be written ``% start S``, too, as NLTK's grammars have it.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from grammar.errors import NotationError
from grammar.messages import tell
from grammar.rules.foreign import foreign_notation
from grammar.rules.habits import fault_of, rewritten
from grammar.rules.rules import Nonterminal, Production, format_symbol, unprotect

__all__ = ["EMPTY_NAMES", "format_productions", "parse_productions"]

_PRINTED = re.compile(r"\A\s*Grammar with \d+ productions?(?: \(start state = (\S+)\))?[ \t]*\r?\n")
"""What NLTK prints above the rules of a grammar."""
_RULES = "write rules as  NP -> DT 'word' [0.5] ; quote words, put odd names in braces"
_LISTED = 10
EMPTY_NAMES = frozenset(
    {"ε", "ϵ", "λ", "Λ", "∅", "Ø", "epsilon", "EPSILON", "Epsilon", "eps", "EPS"}
)
"""What books write for the empty string."""


def parse_productions(
    text: str, *, source: str = "<string>"
) -> tuple[list[Production], str | None]:
    """Read productions and the start symbol (None if there are no rules) from text.

    It is told which symbols have no rules: they are words without quotes, most often.

    Raises
    ------
    NotationError
        At the first place that does not follow the notation, with line, column and excerpt; or
        if only some rules of a left-hand side have weights. Another notation is named.

    Examples
    --------
    >>> productions, start = parse_productions("S -> 'a' S [0.5] | 'b' [1/2]")
    >>> start, [str(production) for production in productions]
    ('S', ["S -> 'a' S [0.5]", "S -> 'b' [0.5]"])
    """
    import lark

    if not isinstance(text, str):
        raise NotationError(
            f"a {type(text).__name__} is no text of rules",
            hint="Grammar.from_nltk(grammar) reads one of NLTK, and open_grammar(path) a file",
        )
    text = _PRINTED.sub(lambda match: f"%start {match[1]}\n" if match[1] else "\n", text)
    try:
        tree = _reader().parse(text)
    except lark.exceptions.UnexpectedInput as error:
        tree = _rewritten(text, source)
        if tree is None:
            raise _notation_error(error, text, source) from None
    start: str | None = None
    rules: list[tuple[Nonterminal, tuple[Nonterminal | str, ...], float | None]] = []
    used: dict[str, int] = {}
    for line in tree.children:
        symbol = _nonterminal(line.children[0])
        if line.data == "directive":
            start = symbol.name
            continue
        for alternative in line.children[1:]:
            *children, weight = alternative.children
            rhs = tuple(_symbol(child) for child in children)
            for child, node in zip(rhs, children, strict=True):
                if isinstance(child, Nonterminal):
                    used.setdefault(child.name, node.children[0].line)
            rules.append((symbol, rhs, None if weight is None else _number(weight)))
    if start is None and rules:
        start = rules[0][0].name
    _tell_of_undefined(used, {lhs.name for lhs, _, _ in rules}, source)
    return _weighted(rules, source), start


def format_productions(productions: list[Production], start: str) -> str:
    """Write productions so that :func:`parse_productions` reads them back exactly."""
    lines = [str(production) for production in productions]
    if not productions or productions[0].lhs.name != start:
        lines.insert(0, f"%start {format_symbol(Nonterminal(start))}")
    return "\n".join(lines) + "\n"


@functools.cache
def _reader() -> Any:
    import lark

    rules = (Path(__file__).parent / "notation.lark").read_text(encoding="utf-8")
    return lark.Lark(rules, parser="lalr", maybe_placeholders=True)


def _rewritten(text: str, source: str) -> Any:
    """Return the tree of a text as hand-outs write rules, and tell of it; None if it is none."""
    import lark

    for other, told in rewritten(text):
        try:
            tree = _reader().parse(other)
        except lark.exceptions.UnexpectedInput:
            continue
        tell(f"{source}: {told}")
        return tree
    return None


def _nonterminal(node: Any) -> Nonterminal:
    name = str(node.children[0])
    return Nonterminal(unprotect(name[1:-1]) if node.data == "braced_name" else name)


def _symbol(node: Any) -> Nonterminal | str:
    if node.data == "word":
        return unprotect(str(node.children[0])[1:-1])
    return _nonterminal(node)


def _number(node: Any) -> float:
    text = str(node.children[0])
    if "/" in text:
        over, under = (float(part) for part in text.split("/"))
        return over / under if under else float("nan")
    return float(text)


def _weighted(
    rules: list[tuple[Nonterminal, tuple[Nonterminal | str, ...], float | None]], source: str
) -> list[Production]:
    bare: dict[Nonterminal, list[bool]] = {}
    for lhs, _, weight in rules:
        bare.setdefault(lhs, []).append(weight is None)
    for lhs, missing in bare.items():
        if any(missing) and not all(missing):
            raise NotationError(
                f"{sum(missing)} of the {len(missing)} rules of {lhs} have no weight",
                where=source,
                hint="give every rule of a left-hand side a weight, or none",
            )
    return [
        Production(lhs, rhs, 1.0 / len(bare[lhs]) if weight is None else weight)
        for lhs, rhs, weight in rules
    ]


def _tell_of_undefined(used: dict[str, int], defined: set[str], source: str) -> None:
    """Tell which symbols are used, on what lines, and have no rules."""
    without = [name for name in used if name not in defined]
    if without:
        names = ", ".join(without[:_LISTED]) + (", ..." if len(without) > _LISTED else "")
        has = "has" if len(without) == 1 else "have"
        first = min(used[name] for name in without)
        empty = next((name for name in without if name in EMPTY_NAMES), None)
        mend = f"quote words, as in '{without[0]}', and give symbols rules"
        if any("|" in name and " " in name for name in without):
            mend = "braces hold a name, and no choice: write a rule for each case"
        elif empty is not None:
            mend = f"if {empty} is the empty string, write ''" + (
                f"; {mend}" if without[1:] else ""
            )
        tell(f"{source}:{first}: {names} {has} no rules; {mend}")


def _notation_error(error: Any, text: str, source: str) -> NotationError:
    line, column = error.line, error.column
    if getattr(getattr(error, "token", None), "type", "") == "$END":  # lark says where it began
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    excerpt = text.split("\n")[line - 1].rstrip("\r")
    if excerpt.lstrip().startswith(("//", "/*", ";", "--")):
        return NotationError(
            f"a comment begins with #\n    {excerpt}",
            where=f"{source}:{line}:{column}",
            hint="write # where the comment begins",
        )
    if foreign := foreign_notation(text):
        name, hint = foreign
        return NotationError(
            f"this is {name}, by its looks, and not the notation that is read here\n    {excerpt}",
            where=f"{source}:{line}:{column}",
            hint=hint if source.startswith("<") else hint.replace("FILE", source),
        )
    what, hint = fault_of(excerpt) or ("", _RULES)
    return NotationError(
        f"this is not a rule{what and f': {what}'}\n    {excerpt}\n    {' ' * (column - 1)}^",
        where=f"{source}:{line}:{column}",
        hint=hint,
    )
