"""Lark's EBNF: reading a ``.lark`` grammar as a :class:`Grammar`.

EBNF has no probabilities. The alternatives of a rule get equal weights, as Lark compiles them:
``a: b? c`` has two alternatives, and a repetition stops after each round with probability one
half.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grammar.errors import NotationError, OptionError, StartSymbolError
from grammar.expressions.matches import is_match, list_matches, shortest_matches
from grammar.expressions.positions import UnreadableError
from grammar.messages import tell
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.given import is_name_of_file

if TYPE_CHECKING:
    import lark

__all__ = ["from_lark"]

MOST_MATCHES = 100
"""A regular expression with more matches is not read as a list of words."""
MOST_CHOICES = 15
"""An alternative with more optional parts is not read: it would become 2^16 rules."""
_QUOTED = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|/(?!/)(?:[^/\\\n]++|\\.)++/?|//[^\n]*')

_PARTS_OF_RULES = re.compile(
    r"~\s*(?P<least>\d{1,4})(?:\s*\.\.\s*(?P<most>\d{1,4}))?|[()\[\]?*+|]"
    r"|^[^\S\n]*+[!?]*+\w++[^\n:|]*+:|->\s*\w+|\w+",
    re.MULTILINE,
)
_IN_RULES = 50
"""From so many times on, Lark writes a range with rules of its own."""


def from_lark(
    source: str | lark.Lark,
    *,
    start: str = "start",
    words: Mapping[str, Sequence[str]] | None = None,
    representatives: int | None = None,
    name: str = "<string>",
) -> Grammar:
    """Read a grammar written for Lark.

    Terminals that are strings become words. A terminal that is a regular expression becomes a
    symbol over all its matches, if there are at most :data:`MOST_MATCHES`; for others say which
    words to use. What the grammar ignores (``%ignore``) is left out.

    Parameters
    ----------
    source : str or lark.Lark
        EBNF text, or a parser made from it (then ``start`` is still the symbol to begin with).
    start : str
        The start rule.
    words : mapping of str to sequence of str, optional
        Words by terminal name, each a match of the terminal.
    representatives : int, optional
        Let a regular expression with too many matches stand for so many of its shortest ones, or
        for fewer, if others take too many steps to find. It is told which do.
    name : str
        What to call the text in errors.

    Raises
    ------
    NotationError
        If Lark cannot read the text.
    StartSymbolError
        If there is no such rule.
    OptionError
        If a terminal has too many matches and no words, or none that is found within a number of
        steps; or it is given words that do not match.

    Examples
    --------
    >>> grammar = from_lark('''
    ...     start: "the" ADJECTIVE* NOUN
    ...     ADJECTIVE: "big" | "old"
    ...     NOUN: /[dh]og/
    ...     %ignore " "
    ... ''')
    >>> print(grammar.to_text(), end="")
    start -> 'the' NOUN [0.5]
    start -> 'the' __start_star_0 NOUN [0.5]
    ADJECTIVE -> 'big' [0.5]
    ADJECTIVE -> 'old' [0.5]
    NOUN -> 'dog' [0.5]
    NOUN -> 'hog' [0.5]
    __start_star_0 -> ADJECTIVE [0.5]
    __start_star_0 -> __start_star_0 ADJECTIVE [0.5]
    """
    rules, terminals = _compiled(source, start, name)
    chosen = words or {}
    used = {symbol.name: symbol for _, rhs in rules for symbol in rhs if symbol.is_term}
    unknown = sorted(set(chosen) - set(used))
    if unknown:
        raise OptionError(
            f"the grammar uses no terminal {unknown[0]!r}",
            hint=f"its terminals are {', '.join(sorted(used))}",
        )
    made: list[Production] = []
    inline: dict[str, str] = {}
    shortened: list[str] = []
    for terminal, symbol in sorted(used.items()):
        pattern = terminals.get(terminal)
        if chosen.get(terminal) is not None:
            matches = _given_words(terminal, pattern, chosen[terminal])
        elif not (matches := _all_matches(pattern)):
            matches = _shortest(terminal, pattern, representatives)
            shortened.append(terminal)
        if symbol.filter_out and len(matches) == 1:  # a string written in a rule has no name
            inline[terminal] = matches[0]
        else:
            share = 1 / len(matches)
            made += [Production(Nonterminal(terminal), (word,), share) for word in matches]
    for lhs, rhs in rules:
        children = tuple(inline.get(s.name) or Nonterminal(str(s.name)) for s in rhs)
        made.append(Production(Nonterminal(lhs), children))
    if shortened:
        tell(f"{name}: left out: all but {representatives} matches of {', '.join(shortened)}")
    return Grammar.from_productions(made, start=start, normalise=True)


def _compiled(
    source: str | lark.Lark, start: str, name: str
) -> tuple[list[tuple[str, list[Any]]], dict[str, Any]]:
    """Return Lark's compiled rules as (left-hand side, symbols), and its patterns by terminal."""
    import lark

    if isinstance(source, str):
        if "\n" not in source and is_name_of_file(source):
            raise NotationError(
                f"{source!r} is the name of a file, and no grammar",
                hint=f"give its text: from_lark(open({source!r}).read())",
            )
        _refuse_many_choices(source, name)
        _refuse_long_rules(source, name)
        try:
            source = lark.Lark(source, start=start)
        except Exception as error:  # of many kinds: Lark's, the file system's, those of re
            raise _lark_error(error, start, name, str(source)) from None
    rules = [(str(rule.origin.name), list(rule.expansion)) for rule in source.rules]
    if start not in {lhs for lhs, _ in rules}:
        raise StartSymbolError(f"there is no rule {start!r}", where=name)
    return rules, {terminal.name: terminal.pattern for terminal in source.terminals}


@dataclass
class _Written:
    """How many alternatives Lark writes out for what stands in one pair of brackets.

    Attributes
    ----------
    others : int
        Those before the last bar.
    own : int
        Of the parts behind it, but for the last one.
    last : int
        Of the last part, which a sign behind it may still change.
    """

    others: int = 0
    own: int = 1
    last: int = 1

    @property
    def all(self) -> int:
        """How many there are so far."""
        return self.others + self.own * self.last


def _refuse_long_rules(source: str, name: str) -> None:
    """Refuse rules that Lark would write out as too many alternatives: groups that stand in a row.

    An alternative has one for each choice of an alternative of each of its parts.
    """
    bare = _QUOTED.sub(lambda found: " q " + "\n" * found[0].count("\n"), source)
    inside = [_Written()]
    for place in _PARTS_OF_RULES.finditer(bare):
        sign, here = place[0], inside[-1]
        if sign.endswith(":"):
            inside = [_Written()]
        elif sign in "([":
            here.own, here.last = here.own * here.last, 1
            inside.append(_Written())
        elif sign in ")]" and len(inside) > 1:
            group = inside.pop().all
            inside[-1].last = group + (sign == "]")
        elif sign == "|":
            # of a rule itself each alternative counts alone, as those that are only listed do
            here.others = here.all if len(inside) > 1 else 0
            here.own = here.last = 1
        elif sign in "?*+":
            here.last = {"?": here.last + 1, "*": 2, "+": 1}[sign]
        elif sign.startswith("~"):
            here.last = _of_range(here.last, int(place["least"]), int(place["most"] or 0))
        else:
            here.own, here.last = here.own * here.last, 1
        if inside[-1].all > 2**MOST_CHOICES:
            raise NotationError(
                f"a rule would be written out as more than {2**MOST_CHOICES:,} alternatives",
                where=f"{name}:{bare.count(chr(10), 0, place.start()) + 1}",
                hint="give groups such as (a | b), and ranges such as a~0..9, rules of their own",
            )


def _of_range(each: int, least: int, most: int) -> int:
    """Return as how many alternatives a repeated part is written out."""
    most = max(least, most)
    if most >= _IN_RULES:  # Lark makes rules of these
        return 1
    if each == 1:
        return most - least + 1
    return min(sum(each ** min(times, 64) for times in range(least, most + 1)), 2**64)


def _refuse_many_choices(source: str, name: str) -> None:
    """Refuse alternatives that Lark would write out with and without each of many symbols."""
    bare = _QUOTED.sub(lambda found: "\n" * found[0].count("\n"), source)
    depth, choices = 0, 0
    for place in re.finditer(r"[()\[\]?|]|^[^\S\n]*+[!?]*+\w++[^\n:|]*+:", bare, re.MULTILINE):
        sign = place[0]
        depth += (sign in "([") - (sign in ")]")
        if sign.endswith(":") or (sign == "|" and depth <= 0):
            choices = 0
        choices += sign in "?["
        if choices > MOST_CHOICES:
            raise NotationError(
                f"an alternative has more than {MOST_CHOICES} optional parts",
                where=f"{name}:{bare.count(chr(10), 0, place.start()) + 1}",
                hint="give some of them a rule of their own",
            )


def _all_matches(pattern: Any) -> list[str]:
    """Return all that a terminal may be; nothing if that is not known, or is too much."""
    if pattern is None:
        return []
    if pattern.type == "str":
        return [pattern.value]
    found = list_matches(pattern.to_regexp(), MOST_MATCHES)
    return found if len(found) <= MOST_MATCHES else []


def _given_words(terminal: str, pattern: Any, given: Sequence[str]) -> list[str]:
    """Return the words that are given for a terminal (raises OptionError if they do not match)."""
    words = list(dict.fromkeys(given))
    wrong = [w for w in words if pattern and is_match(pattern.to_regexp(), w) is False]
    if wrong or not words or isinstance(given, str):
        raise OptionError(
            f"{wrong[0]!r} is no match" if wrong else "this is no sequence of words",
            where=f"words of the terminal {terminal}",
            hint=f"its pattern is {pattern.to_regexp()}" if pattern else 'such as ["dog"]',
        )
    return words


def _shortest(terminal: str, pattern: Any, representatives: int | None) -> list[str]:
    """Return so many of the shortest matches of a terminal that has too many."""
    if pattern is None:
        raise OptionError(
            f"the terminal {terminal} is declared, without a pattern",
            hint=f'give its words: words={{"{terminal}": ["..."]}}',
        )
    expression, unreadable, listed = pattern.to_regexp(), "", list[str]()
    if representatives:
        try:
            listed = shortest_matches(expression, representatives)
        except UnreadableError as error:
            unreadable = f" that can be searched for, as it holds {error}"
    if not 0 < len(listed) <= MOST_MATCHES:
        other = "" if representatives else ", or representatives=3 for all such"
        raise OptionError(
            f"the terminal {terminal} has no short list of matches{unreadable}: {expression}",
            hint=f'choose: words={{"{terminal}": ["..."]}}{other}',
        )
    return listed


_RULE = re.compile(r"^[?!]*([a-z_][a-z_0-9]*)\s*(?:\.\d+)?\s*:", re.MULTILINE)


def _lark_error(error: Exception, start: str, name: str, text: str) -> NotationError:
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    place = f":{line}:{column}" if isinstance(line, int) and line > 0 else ""
    what = str(error).strip().splitlines()[0]
    return NotationError(
        f"Lark cannot read this grammar: {what}",
        where=f"{name}{place}",
        hint=f"name the rule to begin with: start={begins[1]!r}, as start={start!r} is not there"
        if "undefined rule" in what and (begins := _RULE.search(text))
        else "correct it where Lark says; its grammar reference is at lark-parser.readthedocs.io",
    )
