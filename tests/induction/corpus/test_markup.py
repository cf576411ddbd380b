"""Markup of pages: no word, no part of a sentence, and it stays where nothing is exchanged."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from induction.corpus.corpus import Corpus
from induction.corpus.text.markup import without_markup, without_markup_bytes
from induction.corpus.text.sentences import sentence_spans
from induction.corpus.text.tokens import is_blank, tokenise
from sampling.examples.text_columns import read_side
from sampling.examples.word_places import place_words
from sampling.method import induce
from tests.grammar.strategies import texts_of

TAGS = ["<br />", "<br>", "</P>", '<a href="x.y">', "</a>", "<b>", "<!-- so. -->", "</h2\n>"]
PIECES = ["good", "Film", ".", "é", " ", "<", ">", "<3", "br", "/", "<url>", "<c", "\n", *TAGS]


@given(texts_of(PIECES))
def test_all_but_markup_stays_where_it_is(text: str) -> None:
    plain = without_markup(text)
    assert len(plain) == len(text)
    assert all(new in (old, " ") for new, old in zip(plain, text, strict=True))
    assert without_markup(plain) == plain or "<" in plain  # `<b<br>>` is no tag, then one
    as_bytes = text.encode()
    assert re.sub(rb" +", b" ", without_markup_bytes(as_bytes)) == re.sub(" +", " ", plain).encode()
    assert len(without_markup_bytes(as_bytes)) == len(as_bytes)


@given(texts_of(PIECES))
def test_words_are_those_of_the_text_without_it(text: str) -> None:
    tokens, plain = tokenise(text), tokenise(without_markup(text))
    assert tokens == plain
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        assert not is_blank(text[start:end])
    assert place_words(text, tokens.words) == list(zip(tokens.starts, tokens.ends, strict=True))
    side = read_side(Corpus.from_columns(text=[text]))
    assert len(side.codes) == len(without_markup(text).split())


def test_what_is_no_tag_is_a_word() -> None:
    assert tokenise("I <3 it, <url> and <UNK> a<b>c").words == (
        "I", "<", "3", "it", ",", "<url>", "and", "<UNK>", "a", "c",
    )  # fmt: skip
    assert without_markup("a <b and c> d") == "a <b and c> d"
    assert without_markup("<p class='a' id=x1>so<br clear=all/>") == f"{19 * ' '}so{15 * ' '}"
    assert place_words("<b> x", ["<b>", "x"]) == [(0, 3), (4, 5)]  # as its tokens have it
    assert without_markup_bytes("<i>é</i>".encode()) == "   é    ".encode()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I liked it<br /><br />Twice.<br>", ["I liked it", "Twice."]),
        ("<p>So <b>good.</b> The end</p>", ["So <b>good.", "The end"]),
        ("<h1>A title</h1>\n\n<p>Go now!", ["A title", "Go now!"]),
        ("<br /> <hr>", []),
    ],
)
def test_tags_of_blocks_end_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@pytest.mark.parametrize("piece", ["<br>", "<b ", "<!-- ", "</", "<a", "<a b=c ", "<p a='"])
def test_long_texts_of_one_piece_take_no_squares_of_time(piece: str) -> None:
    assert len(without_markup(piece * 20_000)) == len(piece) * 20_000


def test_examples_have_it_where_nothing_was_exchanged() -> None:
    texts = ["The <i>plot</i> was thin.<br /><br />The staff left.", "A man saw it.<br>We ate."]
    made = induce("treemix", {"text": texts, "label": ["a", "b"]}).sample(5, seed=0)
    for text in made.column("text"):
        assert re.search(r"[.\w>]<br( /><br /)?>[A-Z]", text)
        assert text.count("<i>") == text.count("</i>")  # a span holds both or none
    without = induce("eda", {"text": texts, "label": ["a", "b"]}).sample(50, seed=0)
    assert not any(re.search(r"\bbr\b(?! ?/?>)", text) for text in without.column("text"))
