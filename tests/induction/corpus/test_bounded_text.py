"""Splitting and joining texts: as the rules say that it was taken from, in steps that grow with it.

The slow twins are NLTK's classes, and the expressions that stood here before: equal in what they
find, but with squares of time where signs are repeated.
"""

from __future__ import annotations

import importlib
import itertools
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from types import FrameType
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from nltk.tokenize import TreebankWordTokenizer, punkt
from nltk.tokenize.treebank import TreebankWordDetokenizer

from induction.corpus.text import boundaries, markup, penn, sentences, tokens, units
from induction.corpus.text.boundaries import BEGINNERS, sentence_pieces
from induction.corpus.text.penn import join_tokens, split_tokens
from induction.corpus.text.tokens import tokenise
from induction.corpus.text.units import whole_tokens
from tests.grammar.strategies import texts_of

# no combining marks: NLTK's engine takes them for letters at the borders of words
SIGNS = [
    *"@#.,:;!?\"'`()[]{}<>-&$%*/\\ \n\ta1A", '"', "''", "``", ". ", "! ", " '", "' ", "...",
    ". . .", "Mr.", "The", "the", "U.S.", "e.g.", "No.", "5.", "J. ", "c.", "x-etc.", "_.", "?!",
    "…", "”", "“", "n't", "'ll ", "'s ", "can not", "cannot", "gonna", "wanna ", "'tis", "d'ye",
    "more'n", "--",
    "\xa0", ".\xa0.", "»", "«", "é", "1,000",
]  # fmt: skip
WHOLE = [
    *"@#.&-<>/*1a ", "www.", "http://", "a@b.c", "@ann", "#tag", "<url>", "👩", "\u200d", "🏽", "☀",
    "\ufe0f", "🇫", "🇷", "\u20e3", "❶", "é",
]  # fmt: skip
EMOJI_BEFORE = (
    "(?:[\U0001f000-\U0001f1e5\U0001f200-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b]"
    "[\ufe0f\U0001f3fb-\U0001f3ff]*\u200d?)+?(?<!\u200d)(?![\ufe0f\u200d\U0001f3fb-\U0001f3ff])"
)
WHOLE_BEFORE = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”]*[\w/=&#%-]"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    rf"|(?<![\w@#])@\w{units.WORD_CHARACTER}*"
    rf"|(?<![\w@#&])#(?=\w){units.WORD_CHARACTER}*[^\W\d]{units.WORD_CHARACTER}*"
    r"|</?[^\W\d_][\w-]*>"
    "|[\U0001f1e6-\U0001f1ff]{2}"
    "|[#*0-9]\ufe0f?\u20e3"
    f"|{EMOJI_BEFORE}"
)


def assume_one_meaning(text: str) -> None:
    """Leave out what NLTK's engine takes for white space or letters otherwise than Python does."""
    kinds = {unicodedata.category(sign) for sign in text}
    assume(kinds.isdisjoint({"Mn", "Mc", "Me", "Cf", "No", "Nl", "Cn", "So"}))
    assume(not re.search("[\x1c-\x1f]", text))


@cache
def punkt_with_our_lists() -> Any:
    known = punkt.PunktParameters()
    known.abbrev_types = set(boundaries.ABBREVIATIONS)
    for word in BEGINNERS:
        known.add_ortho_context(word, punkt._ORTHO_BEG_UC | punkt._ORTHO_MID_LC)
    return punkt.PunktSentenceTokenizer(known)


@settings(max_examples=150, deadline=None)
@given(texts_of(SIGNS))
@example("(``a'' \"b\" ''c ,,d e.)\" ")
def test_tokens_are_split_as_nltk_splits_them(text: str) -> None:
    assume_one_meaning(text)
    assert split_tokens(text) == TreebankWordTokenizer().tokenize(text)


@settings(max_examples=150, deadline=None)
@given(texts_of([f"{sign} " for sign in SIGNS]))
@example("`` a '' ' ( b , ' '' ) ,\"' -- ... . )")
def test_tokens_are_joined_as_nltk_joins_them(text: str) -> None:
    assume_one_meaning(text)
    words = text.split()
    assert join_tokens(words) == TreebankWordDetokenizer().detokenize(words)


@settings(max_examples=150, deadline=None)
@given(texts_of(SIGNS))
@example("?! Go. ``!!'' J. the a.\xa0.. 5. The etc. The")
def test_sentences_are_cut_as_punkt_cuts_them(text: str) -> None:
    assume_one_meaning(text)
    text = text.lstrip()  # what stands before a paragraph is none of it
    assert sentence_pieces(text) == list(punkt_with_our_lists().span_tokenize(text))


@settings(max_examples=150, deadline=None)
@given(texts_of(WHOLE))
@example("👩\u200d👩\u200d a@a.a@b.c 👩🏽\u200d🏽 👩\ufe0f\u200d☀\ufe0f")
def test_whole_tokens_are_those_of_the_expression_that_goes_back_and_forth(text: str) -> None:
    assert whole_tokens(text) == [match.span() for match in WHOLE_BEFORE.finditer(text)]


def tokens_before(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the words and places of a text, each whole token looked for among all."""
    text = markup.without_markup(text)
    whole = [match.span() for match in WHOLE_BEFORE.finditer(text)]
    plain = text.translate(tokens._PLAIN)
    for start, end in whole:
        plain = plain[:start] + tokens._STANDS_IN * (end - start) + plain[end:]
    bounds = {place for span in whole for place in span}
    behind = re.search(r"\w\.(?=\s+[^\w\s]\W*$)", plain)
    stop = behind.end() if behind else len(plain)
    cut = TreebankWordTokenizer().tokenize
    words, places, at = [], [], 0
    for token in (*cut(plain[:stop]), *cut(plain[stop:])):
        at += len(plain[at:]) - len(plain[at:].lstrip())
        quote = next((q for q in ("``", "''", '"') if plain.startswith(q, at)), token)
        end = at + len(quote if token in ("``", "''") else token)
        cuts = [at, *sorted(place for place in bounds if at < place < end), end]
        for a, b in itertools.pairwise(cuts):
            words.append(tokens._spelt(text[a:b], token if (a, b) == (at, end) else plain[a:b]))
            places.append((a, b))
        at = end
    return words, places


@settings(max_examples=150, deadline=None)
@given(texts_of([*WHOLE, *SIGNS]))
@example("found at :www.cei.org. A plus @paulhastings.com. 'www.' 👩👩.")
def test_texts_are_split_as_they_were(text: str) -> None:
    # placeholders, such as {}, are whole today
    assume(not re.search(r"[\x1c-\x1f]|\{[\w.:!%-]*\}|%[sdifgxXrceEou]|\[/?[A-Z_]+\]", text))
    found = tokenise(text)
    places = list(zip(found.starts, found.ends, strict=True))
    assert (list(found.words), places) == tokens_before(text)


MODULES = (tokens, penn, boundaries, sentences, markup, units)


def expressions() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for module in MODULES:
        for name, value in vars(module).items():
            for one in _within(value):
                yield f"{module.__name__}.{name}", one


def _within(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _within(item)


PARSER: Any = importlib.import_module("re._parser")


def repeats_in_repeats(parsed: Any, inside: bool = False) -> Iterator[str]:
    """Yield unbounded repetitions that may give back, in one that may, and look around."""
    for kind, value in parsed:
        name = str(kind)
        repeats = name in ("MAX_REPEAT", "MIN_REPEAT") and value[1] is PARSER.MAXREPEAT
        if repeats and inside:
            yield name
        for part in value if isinstance(value, tuple) else (value,):
            for one in part if isinstance(part, list) else (part,):
                if isinstance(one, PARSER.SubPattern):
                    yield from repeats_in_repeats(one, repeats or inside)


def test_no_repetition_that_gives_back_is_inside_another() -> None:
    """But for attributes of tags, where the sign of equality tells one from the next."""
    nested = {name for name, one in expressions() if any(repeats_in_repeats(_parsed(one)))}
    assert nested <= {
        "induction.corpus.text.sentences._GAPS",
        "induction.corpus.text.markup._MARKUP",
        "induction.corpus.text.markup._MARKUP_BYTES",
    }


def _parsed(expression: re.Pattern[Any]) -> Any:
    return PARSER.parse(expression.pattern, expression.flags & ~re.UNICODE)


def test_what_stood_here_before_has_one() -> None:
    assert any(repeats_in_repeats(_parsed(WHOLE_BEFORE)))


def steps(work: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


PIECES = [
    "👩\u200d", "🏽", "@a ", "a@a.a@", "#a ", "http://a ", ". ", "?! ", 'a." ', "! ", "a. A", "<b>",
    "(", "\n\n", "-", "Mr. ", "1,1 ", "e\u0301 ", "\\",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    "work",
    [
        tokenise,
        sentences.sentence_spans,
        lambda text: sentences.sentences_of_words(text.split() or [text]),
        lambda text: tokens.detokenise(text.split()),
    ],
)
def test_steps_grow_with_the_text_and_no_faster(work: Callable[[str], object], piece: str) -> None:
    work(piece * 9)  # what is made once, as expressions
    few, many = (steps(lambda size=size: work(piece * size)) for size in (200, 800))
    assert many <= 4 * few + 100
