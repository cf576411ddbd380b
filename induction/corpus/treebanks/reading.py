"""Trees of a file, in whatever form they are: it is told by what the file holds."""

from __future__ import annotations

import re
from collections.abc import Callable

from grammar.errors import BracketError
from grammar.files import decode
from grammar.messages import tell
from grammar.trees.treebank import Treebank
from induction.corpus.treebanks.constituents import treebank_of_sentences
from induction.corpus.treebanks.discbracket import (
    discbracket_sentences,
    has_numbered_words,
    words_behind_trees,
)
from induction.corpus.treebanks.negra import is_negra, negra_sentences
from induction.corpus.treebanks.others import named, refuse_others
from induction.corpus.treebanks.printed import (
    best_of_lists,
    has_scores,
    without_reports,
    without_scores,
)
from induction.corpus.treebanks.remarks import without_remarks
from induction.corpus.treebanks.tiger import is_xml, tiger_sentences

__all__ = ["TREEBANK_SUFFIXES", "is_foreign", "parse_trees", "trees_of_brackets"]

TREEBANK_SUFFIXES = (".export", ".xml", ".dbr", ".discbracket")
"""How files of trees end that are read and not written."""

_NUMBERED = re.compile(
    r"^(?:[ \t]*\d+[ \t.:)|\]]*|[^\s()]+\t|(?=[^\s()]*\d)[^\s()]+[ \t]+)(?=\()", re.MULTILINE
)
_BEGINS = re.compile(r"^(?=[^\s#;*])(?!\))", re.MULTILINE)
_MARKS = re.compile(r"^[ \t]*</?[A-Za-z][^<>]*>(?:[^<>()\n]*</[^<>]*>)?[ \t]*\r?$", re.MULTILINE)
_EMPTY = re.compile(
    r"^[ \t]*\([ \t]*\([ \t]*\)[ \t]*\)[ \t]*\r?$|^[ \t]*\([ \t]*\)[ \t]*\r?$"
    r"|^\([ \t]*[^\s()]+[ \t]*\)[ \t]*\r?$",
    re.MULTILINE,
)
_COMMENT = re.compile(r"^[ \t]*(?:;|%%|//)[^\n]*|(?<=\))[ \t]+;[^\n]*|^'(?=\()", re.MULTILINE)
_TAGGED = re.compile(r"([^\s()]+)[/_]([A-Z][A-Z0-9$*-]*|[^\w\s()/]{1,2}|-[LR]RB-)")
_LEAF = re.compile(r"(?<=\s)([^\s()]+)[/_]([^\s()/_]+)(?=[\s)])")
_FEW = 20
_BARE = re.compile(r"\((-[LR][RCS]B-)[ \t]+[()\[\]{}]\)")
_ESCAPED = {r"\(": "-LRB-", r"\)": "-RRB-"}


def is_foreign(data: bytes) -> bool:
    """Say whether trees are in another form than brackets.

    >>> is_foreign(b"#FORMAT 4"), is_foreign(b"(S a)")
    (True, False)
    """
    return is_xml(data) or is_negra(data[:4096].decode(errors="replace").lstrip("\ufeff"))


def parse_trees(
    data: bytes, source: str, *, encoding: str = "utf-8", discontinuous: str = "refuse"
) -> Treebank:
    """Read the trees of a file.

    Parameters
    ----------
    data : bytes
        Brackets; brackets with places (discbracket); NEGRA export; TIGER-XML.
    source : str
        Its name, for messages.
    encoding : str
        Of all but XML, which says its own.
    discontinuous : {"refuse", "raise", "split"}
        What becomes of discontinuous constituents.

    Raises
    ------
    BracketError, UnreadableInputError, OptionError
        As the readers of these forms do.

    Examples
    --------
    >>> print(parse_trees(b"(S (VP (V 0=saw)) (NP 1=it))", "a.dbr")[0])
    (S (VP (V saw)) (NP it))
    """
    if is_xml(data):
        return treebank_of_sentences(tiger_sentences(data, source), discontinuous)
    text = decode(data, source, encoding)
    if is_negra(text):
        return treebank_of_sentences(negra_sentences(text, source), discontinuous)
    treebank = trees_of_brackets(text, source)
    if has_numbered_words(treebank):
        return treebank_of_sentences(discbracket_sentences(treebank, source), discontinuous)
    return treebank


def trees_of_brackets(text: str, source: str) -> Treebank:
    r"""Read brackets; numbers before trees, and brackets behind a backslash, if that makes them so.

    Raises
    ------
    BracketError
        At the first fault of the text as it is.

    Examples
    --------
    >>> [str(tree) for tree in trees_of_brackets("1\t(S (A b))\n2\t(S (A c))\n", "a.mrg")]
    ['(S (A b))', '(S (A c))']
    >>> print(trees_of_brackets(r"(S (-LRB- \() (A b))", "a.mrg")[0])
    (S (-LRB- -LRB-) (A b))
    """
    refuse_others(text, source)
    text = without_remarks(text, source)
    try:
        return _with_tags_apart(Treebank.parse(text, source=source), text, source)
    except BracketError as error:
        found = _in_other_ways(text, source)
        if found is None:
            raise named(text, error) from None
    treebank, said = found
    if has_scores(text) and (best := best_of_lists(treebank)) is not None:
        treebank = best
        said.append("{}: the trees are lists of the best ones of sentences: each first is read")
    for told in said:
        tell(told.format(source))
    return treebank


def _in_other_ways(text: str, source: str) -> tuple[Treebank, list[str]] | None:
    """Return the trees of a text that is no brackets as it is, and what to tell of it."""
    said: list[str] = []
    for way, told in _WAYS:
        if (other := way(text)) is None:
            continue
        try:
            return Treebank.parse(other, source=source), [*said, told]
        except BracketError:
            if way in _FIRST:
                text, said = other, [*said, told]
    return None


def _with_tags_apart(treebank: Treebank, text: str, source: str) -> Treebank:
    """Return a treebank with a node for each tag behind a word, if all words have one.

    Chunks are printed so by NLTK. It is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     print(trees_of_brackets("(S (NP the/DT dog/NN) barks/VBZ)", "a.txt")[0])
    a.txt: words have their tags behind them (the/DT): they are read as (DT the)
    (S (NP (DT the) (NN dog)) (VBZ barks))
    """
    first = [leaf for tree in treebank[:_FEW] for leaf in tree.leaves()]
    found = [_TAGGED.fullmatch(leaf) for leaf in first]
    if len(first) < 2 or not all(found) or found[0] is None:
        return treebank
    apart = Treebank.parse(_LEAF.sub(r"(\2 \1)", text), source=source)
    tell(
        f"{source}: words have their tags behind them ({first[0]}): they are read as "
        f"({found[0][2]} {found[0][1]})"
    )
    return apart


def _without_empty(text: str) -> str | None:
    """Return a text without lines that say that a sentence has no tree."""
    return _EMPTY.sub("", text) if _EMPTY.search(text) else None


def _without_comments(text: str) -> str | None:
    """Return a text without comments of other kinds than ``#``, and quotes of Lisp before trees."""
    return _COMMENT.sub("", text) if _COMMENT.search(text) else None


def _without_marks(text: str) -> str | None:
    """Return a text without lines of marks around trees, as the Chinese treebank has them."""
    return _MARKS.sub("", text) if _MARKS.search(text) else None


def _without_bare_brackets(text: str) -> str | None:
    """Return a text whose words that are brackets are written as their tags are."""
    return _BARE.sub(r"(\1 \1)", text) if _BARE.search(text) else None


def _without_numbers(text: str) -> str | None:
    """Return a text with spaces for numbers before trees, if all lines that begin have them."""
    numbered = {match.start() for match in _NUMBERED.finditer(text)}
    if not numbered or any(line.start() not in numbered for line in _BEGINS.finditer(text)):
        return None
    return _NUMBERED.sub(lambda match: " " * len(match[0]), text)


def _without_escapes(text: str) -> str | None:
    if not any(sign in text for sign in _ESCAPED):
        return None
    return re.sub(r"\\[()]", lambda match: _ESCAPED[match[0]], text)


_FIRST = (without_reports, without_scores)
"""Ways after which a text may be read in others, too."""
_WAYS: tuple[tuple[Callable[[str], str | None], str], ...] = (
    (without_reports, "{}: what a parser printed beside its trees is left out"),
    (_without_comments, "{}: comments, which begin with ;, // or %%, are left out"),
    (words_behind_trees, "{}: the numbers in its trees are the places of the words behind them"),
    (_without_numbers, "{}: what stands before the trees, such as their numbers, is left out"),
    (without_scores, "{}: lines of numbers before the trees, such as scores, are left out"),
    (_without_empty, "{}: empty lines of brackets, which stand for no tree, are left out"),
    (_without_marks, "{}: lines of marks (<...>) around its trees are left out"),
    (_without_bare_brackets, "{}: words that are brackets are read as -LRB-, -RRB- and their kin"),
    (_without_escapes, r"{}: \( and \) are read as words, -LRB- and -RRB-"),
)
"""What else a text may be that is no brackets as it is, and what is told of it."""
