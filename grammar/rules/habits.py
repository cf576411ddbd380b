"""Habits of hand-outs in writing rules: what is certain is read, and other faults are named.

A hand-out numbers its rules, ends lines with ``|``, writes ``N'`` for a bar level, and its editor
turns quotes into typographic ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["fault_of", "rewritten"]

_NUMBERED = re.compile(r"^([ \t]*)[(\[R]?(\d+)[.):\]]+[ \t]+(?=\S+\s*(?:->|→))", re.MULTILINE)
_ARROW = re.compile(r"^(?=[^#\n]*(?:->|→))", re.MULTILINE)
_BAR_AT_END = re.compile(r"\|[ \t]*\r?\n(?=[ \t]+[^\s|#])(?![^\n]*(?:->|→))")
_CURLY = re.compile(r"[‘’‚‛]([^‘’‚‛'\n]*)[‘’‛]|[“”„‟]([^“”„‟\"\n]*)[“”‟]")
_PRIMED = re.compile(
    r"""'(?=\S)[^'\n]*(?<=\S)'(?=[\s|]|$)|"[^"\n]*"|(?<![\w'"])(\w+['′″]+)(?=[\s|]|$)""",
    re.MULTILINE,
)
_LOOKED_AT = 1_000
"""So many characters of a line that is no rule are looked at."""
_FAULTS = (
    (
        r"\(\s*[\d.]+\s*\)\s*$|\[\s*p\s*=|%\s*\]",
        "a weight is a decimal or a fraction in square brackets, behind its rule",
        "write it as  NP -> DT 'word' [0.5] , or [1/3]",
    ),
    (
        r"(?:->|→).*(?:[\w'\"]|\s)[;.]\s*$",
        "a rule ends with its line, and this one has a sign at its end",
        "leave out the sign; one that is a word stands in quotes ('.'), a symbol in braces ({.})",
    ),
    (
        r"(?:->|→)[^'\"\n]*\w,\s|(?:->|→).*['\"],\s",
        "symbols and words have spaces between, and here a comma",
        "leave out the commas; one that is a word is quoted",
    ),
    (
        r"^\s*<[^<>\s]+>\s*(?:->|→)",
        "names stand in angle brackets, as in BNF",
        "write names without them and words in quotes; or write ::= for each arrow, and read that: "
        "treewright convert FILE.bnf -o grammar.json",
    ),
    (
        r"^\s*(['\"])[^'\"]*\1\s*(?:->|→)",
        "the symbol before the arrow stands in quotes, as words do",
        "write symbols without quotes, and words with them",
    ),
    (
        r"(?:->|→)(?:.*\s)?\w+[*+?](?:\s|$)",
        "signs for what may come again or be left out are not read here",
        "write a rule for each case; or write it in EBNF (NP ::= Det? Adj* N) and read that: "
        "treewright convert FILE.ebnf -o grammar.json",
    ),
    (
        r"^\s*(?:(?!->|→)[^\s'\"|]+\s+){2,}(?:->|→)",
        "a rule has one symbol before its arrow, and this one has several",
        "write rules with one symbol before the arrow; what depends on its context is in no "
        "context-free grammar",
    ),
    (
        r"(?:->|→|\|)[^'\"\n|({]*[({]\s*[A-Za-z][\w\s|/]*[)}]",
        "parts in parentheses or braces, which may be left out or chosen, are not read here",
        "write a rule for each case (NP -> Det N, NP -> N); or write it in EBNF "
        "(NP ::= Det? Adj* N) and read that: treewright convert FILE.ebnf -o grammar.json",
    ),
    (
        r"(?:^|\s)'\w+'\w+'(?:\s|$)",
        "a word in single quotes holds one",
        'write the word in double quotes, as in "don\'t"',
    ),
    (
        r"^(?!.*(?:->|→))\s*[^\s|%]",
        "a rule has an arrow, and this line has none",
        "write rules as  NP -> DT 'word' [0.5] , one a line; "
        "grammar.parse_sentence(text) parses a sentence",
    ),
)
"""What a line may hold that is no rule, what it is, and what to do."""


def rewritten(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text of rules in other ways, and what is told of each; each goes on from the last.

    >>> list(rewritten("1. S -> A\\n2. A -> 'a'"))
    [("S -> A\\nA -> 'a'", 'the numbers before its rules are left out')]
    >>> list(rewritten("N' -> 'a'"))
    [("{N'} -> 'a'", "N' is read as the name {N'}")]
    """
    said: list[str] = []
    for way in (_without_numbers, _with_joined_lines, _with_plain_quotes, _with_primes_in_braces):
        found = way(text)
        if found is not None:
            text, told = found
            said.append(told)
            yield text, "; ".join(said)


def fault_of(line: str) -> tuple[str, str] | None:
    """Return what is wrong with a line that is no rule, and what to do; None if it is not known.

    >>> fault_of("A B -> B A")[0]
    'a rule has one symbol before its arrow, and this one has several'
    """
    beginning = line[:_LOOKED_AT]
    return next(((what, hint) for form, what, hint in _FAULTS if re.search(form, beginning)), None)


def _without_numbers(text: str) -> tuple[str, str] | None:
    numbers = [int(match[2]) for match in _NUMBERED.finditer(text)]
    rules = len(_ARROW.findall(text))
    if (
        not numbers
        or len(numbers) != rules
        or numbers != list(range(numbers[0], rules + numbers[0]))
    ):
        return None
    return _NUMBERED.sub(r"\1", text), "the numbers before its rules are left out"


def _with_joined_lines(text: str) -> tuple[str, str] | None:
    joined, number = _BAR_AT_END.subn("| ", text)
    return (joined, "lines that end in | go on in the next") if number else None


def _with_plain_quotes(text: str) -> tuple[str, str] | None:
    def plain(match: re.Match[str]) -> str:
        return f"'{match[1]}'" if match[1] is not None else f'"{match[2]}"'

    text, number = _CURLY.subn(plain, text)
    return (text, "typographic quotes are read as quotes") if number else None


def _with_primes_in_braces(text: str) -> tuple[str, str] | None:
    first: list[str] = []

    def braced(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        first.append(match[1])
        return "{" + match[1] + "}"

    text = _PRIMED.sub(braced, text)
    return (text, f"{first[0]} is read as the name {{{first[0]}}}") if first else None
