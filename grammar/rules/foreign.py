"""Notations of grammars that are not ours: which one a text is in, and what reads it."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator

__all__ = ["CONVERTED", "foreign_notation"]

_RULES = "write its rules as  NP -> DT 'word' [0.5]"
_EBNF = (
    'write it in Lark\'s EBNF (rule: "word" other | /[a-c]+/) and read that with from_lark of '
    "grammar, or " + _RULES
)
_ARCS = "write a rule for each arc:  Q0 -> 'a' Q1 ; and for each final state:  Q1 -> ''"
CONVERTED = (
    "read it with  treewright convert FILE --from {0} -o grammar.json  "
    "(in Python read_notation(open('FILE').read(), {0!r}) of grammar)"
)
"""What to do with a ``FILE`` of a form that is read."""
_FEATURES = (
    "read its context-free backbone, without the features: --backbone, or "
    "open_grammar('FILE', backbone=True) in Python"
)

_FEATURE = r"[\w>/?]\[[^\]\n]*?(?:[+-]\w|=|\*[a-z]+\*)"
_NOTATIONS: tuple[tuple[str, str, str], ...] = (
    (r"(?s)\A\s*<.{0,400}<grammar\b|\A\s*<grammar\b", "a grammar in XML (SRGS)", _RULES),
    (r"(?s)\A\s*<.{0,400}<structure>", "a file of JFLAP", _RULES),
    (r"\A\s*<(?:\?xml|!DOCTYPE)", "a file in XML", _RULES),
    (r"\A\s*\(\w+,[^()\n]*\)\s*\S{1,2}\s*\(|^\s*(?:states|alphabet|accepting|transitions)\s*[:=]",
     "an automaton", _ARCS),
    (r"\A\s*\d+\s+\d+\s+\S+(?:\s+\S+)?(?:\s+[\d.]+)?$", "an automaton in the form of OpenFst",
     _ARCS),
    (r"\A\s*(?=[^\n]*[*+?|\]])(?![^\n]*(?:->|→|=|:))\S+\s*\Z", "a regular expression",
     "write it in Lark's EBNF, as  start: /EXPRESSION/  in expression.lark, and read that: "
     "treewright convert expression.lark -o grammar.json"),
    (r"\A\s*\((?!\*)", "a treebank in brackets", "induce a grammar of it: treewright induce FILE "
     "-o grammar.json"),
    (r"^(?:import|from)\s+\w+|^\s*def\s+\w+\(", "a program in Python",
     "write the rules that stand in its quotes to a file of their own"),
    (r"^[^\n]*\|\|\|[^\n]*\|\|\|", "a table of rules of translation, with ||| between their sides",
     "write each as  X -> SOURCE ### TARGET [0.5] , with X_1, X_2 for what is linked"),
    (r"^\s*(?:abstract|concrete|resource|incomplete\s+concrete)\s+\w+\s*(?:of\s+\w+\s*)?=",
     "a grammar of Grammatical Framework", _RULES),
    (r"^\s*(?:LEXICON|Multichar_Symbols)\s", "a lexicon of finite-state morphology (lexc)", _RULES),
    (r"^\s*@?\{%|\{%[^\n]*%\}", "a grammar for Nearley", _EBNF),
    (r"^\s*\w+\s*=\s*[@_$!]?\{", "a grammar for pest", _EBNF),
    (r"^\w+\[[\w*]+\]:", "a parsing expression grammar of Python", _EBNF),
    (r"^\s*\w+\s*:\s*\{[^\n]*<|^\s*\{<", "a chunk grammar of NLTK",
     "nltk.RegexpParser chunks tagged words by it; induce_pcfg(trees) is a grammar of its trees"),
    (r"^\S+(?:\t\S+)+\t[01]+(?:,[01]+)*\t[\d.]+(?:/\d+)?$", "a grammar of disco-dop",
     "write each rule as  NP -> DT NN [3/4] , and the words of its lexicon as  NN -> 'dog' [1/2]"),
    (r"^[%@~]\[[^\]\n]+\]", "a file of Chatito or Chatette", _RULES),
    (r"^\s*:-\s*\w+\s*,", "a lexicon of categories (CCG)", _RULES),
    (r"-->[^\n]*:\s*[^\n]*[\^!]", "a grammar with the annotations of LFG",
     "write its rules without them, as  NP -> DT 'word' [0.5]"),
    (r"^\s*(?:axiom|angle)\s*[:=]", "an L-system, whose rules are all used at once", _RULES),
    (r"\A\s*#(?:JSGF|ABNF)\b", "a grammar for speech (JSGF or ABNF)", _RULES),
    (r"^module\.exports\s*=\s*grammar\(", "a grammar for tree-sitter", _EBNF),
    (r"^\s*\w+\s*=.*\{\s*return\b", "a parsing expression grammar (Peggy)", _EBNF),
    (r"^%(?:token|left|right|union|type)\b|^%%\s*$", "a grammar for yacc or bison", _EBNF),
    (r"^\s*(?:(?:lexer|parser)\s+)?grammar\s+\w+\s*;|^\w+\s*\n?\s*:[^;]*;\s*$",
     "a grammar for ANTLR", CONVERTED.format("antlr")),
    (r"^\s*root\s*::=", "a grammar in GBNF (llama.cpp)", CONVERTED.format("gbnf")),
    (r"^\s*<[^>\n]+>\s*::=", "a grammar in BNF", CONVERTED.format("bnf")),
    (r"::=", "a grammar in EBNF, with ::= for the arrow", CONVERTED.format("ebnf")),
    (r"\A(?![^;]*;)\s*[A-Z]\w*[ \t]*:(?![:=-])(?=[^\"/]*'[^'\n]+')",
     "a grammar with a colon for the arrow", "write -> for each colon behind a symbol"),
    (r"^[ \t]*(?:[?!]{0,2}[_a-z]\w*|_?[A-Z][A-Z0-9_]*)(?:\{[^}]*\}|\.\d+)?[ \t]*:(?!-)"
     r"|^%(?:import|ignore|declare|override|extend)\b", "a grammar in Lark's EBNF",
     CONVERTED.format("lark")),
    (r"^\s*[\w-]+\s*<-\s", "a parsing expression grammar (PEG)", _EBNF),
    (r"^\s*[\w ]+=[^;]*;\s*$", "a grammar in ISO EBNF", _EBNF),
    (r"^\s*[\w-]+\s*=/?\s*(?:\"|%x|[\w-]+)", "a grammar in ABNF", _EBNF),
    (r"^\s*\w[\w()\s,]*-->.*\.\s*$", "a definite clause grammar of Prolog", _RULES),
    (r"^\s*['\"][^'\"]*['\"]\s*->\s*['\"][^'\"]*['\"]\s*\|",
     "a dependency grammar of NLTK", _RULES),
    (r"(?:->|→|\|)[^'\"\n]*(?<!\S)/[^/\s]+/(?!\S)",
     "a grammar with regular expressions between slashes", _EBNF),
    (rf"{_FEATURE}|->.*\?\w+\b", "a feature grammar of NLTK", _FEATURES),
    (r"^\s*\w+\s*->[^'\"\n]*\s\d+(?:\.\d+)?(?:[eE]-?\d+)?\s*$",
     "a grammar with weights behind its rules", "put each weight in brackets: NP -> DT NN [0.5]"),
    (r"^\s*(?!\d+\.\s)(?=\S*\d)[\d.eE-]+\s+\S+\s*(?:->|\s)",
     "a grammar with weights before its rules",
     "put each weight behind its rule, in brackets: NP -> DT NN [0.5]"),
    (r"^\s*\S+\s*(?:=>|-->|→→|:-)", "a grammar with another arrow", "the arrow is ->, one rule a "
     "line"),
)  # fmt: skip
"""Expressions that notations have, what they are, and what to do; the first that is found counts.

They are only asked of texts that are no grammar of ours, so they need not be exact.
"""
_COMMENT = re.compile(r"\s*(?:#(?!JSGF|ABNF)|//)")
_LINES, _WIDTH = 200, 200
"""How much of a text is looked at: the expressions look far ahead, so its length must not count."""


def foreign_notation(text: str) -> tuple[str, str] | None:
    r"""Return what notation a text seems to be in, and what to do; None if it is not known.

    >>> foreign_notation("start: \"a\" start | \"b\"")[0]
    "a grammar in Lark's EBNF"
    >>> foreign_notation("root ::= [a-c]+")[0], foreign_notation("NP -> dog !")
    ('a grammar in GBNF (llama.cpp)', None)
    """
    bare = "\n".join(itertools.islice(_telling_lines(text), _LINES))
    for expression, name, hint in _NOTATIONS:
        if re.search(expression, bare, re.MULTILINE):
            return name, hint
    return None


def _telling_lines(text: str) -> Iterator[str]:
    """Yield the beginnings of lines that are neither empty nor comments."""
    for line in io.StringIO(text):
        if line.strip() and not _COMMENT.match(line):
            yield line[:_WIDTH].rstrip()
