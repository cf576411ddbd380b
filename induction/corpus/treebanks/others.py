"""Brackets that are no trees of words, though they would be read as such: refused by name."""

from __future__ import annotations

import re

from grammar.errors import BracketError

__all__ = ["named", "refuse_others"]

_BEGINNING = 20_000
"""How many characters of a text are looked at."""
_LABELLED = re.compile(r"\([^\s()]")
_TWO_WORDS = re.compile(r"\( [^\s()]+ [^\s()]+ \)")
_OTHERS = (
    (
        re.compile(r"(?:\s*#[^\n]*\n)*\s*\([^\s()]+\s+/\s+[^\s()]+\s*(?:[:)]|$)"),
        "these are graphs of AMR (Penman), and no trees",
        "read the sentences (the lines '# ::snt') from a file of their own",
    ),
    (
        re.compile(r"\s*\(\s*Root\s+\((?:span|leaf)\s+\d"),
        "these are trees of discourse (RST), and no trees of words",
        "read the texts between _! and _! from a file of their own",
    ),
    (
        re.compile(r"(?s)\s*(?:\([^\s()]+\s+)?\(\d+ \S+ -?[\d.e+-]+ -?\d+ -?\d+\s*[()]"),
        "these are derivations of DELPH-IN, with numbers within their brackets",
        "write them as trees of labels and words, such as (S (NP We) (VP slept))",
    ),
    (
        re.compile(r"#\S+\s+[^\s(]+\([^\s:]+:"),
        "these are trees with labels before their brackets, as those of Sinica, and no trees in "
        "Penn brackets",
        "write them as (S (NP We) (VP slept)), with -LRB- and -RRB- for ( and )",
    ),
)
"""How such texts begin, what they are, and what to do."""
_FORMS = {
    re.compile(r"(?s).{0,400}\(<[TL] \S+"): "derivations of CCGbank",
    re.compile(r"(?:[^\n\[]*\t)?\[(?:IN|SL):\w+"): "intents and slots in square brackets (TOP)",
    re.compile(r"(?s)\s*(?:\d+[.\t ]+)?\[\S+ .*\]"): "trees in square brackets",
    re.compile(r"(?s).{0,400}(?:\\Tree|\\begin\{(?:forest|tikzpicture)\})"): "trees of LaTeX",
    re.compile(r"\s*(?:Probabilistic)?Tree\('"): "trees of NLTK as repr prints them, and not str",
    re.compile(r"\s*\uff08"): "trees in full-width brackets",
    re.compile(r"\s*\((?=[^\n]*,)[^\n;]*\)[^\n();]*;\s*$"): "trees without labels (Newick)",
    re.compile(r"[^\n\t(]+\t[^\n\t]*\t[^\n\t]*\t"): "columns with tabs between",
    re.compile(r"(?s).{0,8000}^```", re.MULTILINE): "notes in Markdown, with trees in them",
    re.compile(
        r"\s*<(?:\?xml|!DOCTYPE|[A-Za-z]+[ >])"
    ): "trees in XML of another form than TIGER-XML",
}
"""How texts begin that hold trees in another form."""


def refuse_others(text: str, source: str) -> None:
    """Refuse brackets that are no trees of words: they would be read as trees.

    Raises
    ------
    BracketError
        If these are graphs of meanings, trees of discourse, brackets without labels, ...

    Examples
    --------
    >>> refuse_others("( Root (span 1 2) )", "a.dis")
    Traceback (most recent call last):
    ...
    grammar.errors.BracketError: a.dis: these are trees of discourse (RST), and no trees of words
      hint: read the texts between _! and _! from a file of their own
    """
    beginning = text[:_BEGINNING]
    for pattern, what, hint in _OTHERS:
        if pattern.match(beginning):
            raise BracketError(what, where=source, hint=hint)
    if not _LABELLED.search(beginning) and _TWO_WORDS.search(beginning):
        raise BracketError(
            "the brackets have no labels",
            where=source,
            hint="read trees whose brackets have labels: of SNLI, those in sentence1_parse",
        )


def named(text: str, error: BracketError) -> BracketError:
    """Return an error that says what form of trees a text has, if that is known.

    >>> print(named("[S [NP We] [VP slept]]", BracketError("text outside", where="a.txt:1:1")))
    a.txt:1:1: these are trees in square brackets, and no trees in Penn brackets
      hint: write them as (S (NP We) (VP slept)), with -LRB- and -RRB- for ( and )
    """
    for pattern, name in _FORMS.items():
        if pattern.match(text):
            return BracketError(
                f"these are {name}, and no trees in Penn brackets",
                where=error.where,
                hint="write them as (S (NP We) (VP slept)), with -LRB- and -RRB- for ( and )",
            )
    return error
