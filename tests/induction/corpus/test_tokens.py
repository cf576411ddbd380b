"""Tokens of raw text: Penn spelling, and places that put the text together again."""

import re

import pytest
from hypothesis import assume, example, given

from induction.corpus.text import tokens
from induction.corpus.text.tokens import is_blank, tokenise
from tests.grammar.strategies import texts_of

PIECES = [
    '"', "''", "``", "`", "'", "“", "”", "‘", "’", "„", "(", ")", "[", "]", "{", "}", "<", "-LRB-",
    "--", "...", ".", ",", ":", "3,000", "$", "%", " ", "  ", "\t", "\u00a0", "\u2028", "don't",
    "cannot", "'tis", "They'll", "Mr.", "a", "é", "\x96", "𝒳", "gonna", "wanna", "/", "\\", "?!",
    "&", "@",
]  # fmt: skip


@given(texts_of(PIECES))
@example("''\"``'\"''")
@example("‘Go’ ” “ he said.”")
def test_only_white_space_lies_between_tokens(text):
    found = tokenise(text)
    assert all(a < b for a, b in zip(found.starts, found.ends, strict=True))
    rest = text
    for start, end in reversed(list(zip(found.starts, found.ends, strict=True))):
        assert end <= len(rest)
        rest = rest[:start] + " " + rest[end:]
    assert is_blank(rest)


@given(texts_of(PIECES))
def test_words_are_what_nltk_makes_of_the_plain_text(text):
    from nltk.tokenize import TreebankWordTokenizer

    text = re.sub("[“”„]", "", text)  # they say by themselves whether they open or close
    text = re.sub("[@#\u20e3\u231a-\u2b55\U0001f000-\U0001faff]", "", text)  # names, emoji
    text = "".join(" " if is_blank(sign) else sign for sign in text)
    plain = text.translate(str.maketrans("‘’", "''"))
    assume(not re.search(r"\w\.\s+[^\w\s]\W*$", plain))  # a full stop before signs alone
    assume(not re.search(r"[{\[][^{}\[\]\s]*[}\]]", plain))  # a placeholder is one word here
    expected = TreebankWordTokenizer().tokenize(plain, convert_parentheses=True)
    ours = tokenise(text).words
    if "-" not in plain:  # NLTK may tear its own -LRB- apart at hyphens beside it
        assert list(ours) == expected


def test_typographic_quotes_open_and_close_whatever_stands_beside_them():
    assert tokenise("he said ” and “").words == ("he", "said", "''", "and", "``")


def test_words_stand_for_what_is_spelt_as_they_are_but_quotes_and_brackets():
    text = "The firm's (new) “chief”, Mr. O'Neil, can't say \"no\" [yet]."
    found = tokenise(text)
    changed = {
        (word, surface)
        for word, surface in zip(found.words, found.surfaces(text), strict=True)
        if word != surface
    }
    assert changed == {
        ("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"),
        ("``", "“"), ("''", "”"), ("``", '"'), ("''", '"'),
    }  # fmt: skip
    assert found.words[:3] == ("The", "firm", "'s")
    assert "Mr." in found.words
    assert found.words[-1] == "."


def test_a_typographic_apostrophe_splits_as_a_plain_one_does():
    assert tokenise("don’t").words == ("do", "n't")
    assert tokenise("don’t").surfaces("don’t") == ("do", "n’t")


def test_nothing_has_no_tokens():
    assert tokenise("") == tokenise(" \t ") == tokens.Tokens((), (), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("See http://a.org/x?y=1&z#w.", ["See", "http://a.org/x?y=1&z#w", "."]),
        ("(www.example.com)", ["-LRB-", "www.example.com", "-RRB-"]),
        ("Write to me.too+x@mail.example.org!", ["Write", "to", "me.too+x@mail.example.org", "!"]),
        ("@ann loves #NLP2026, not #1", ["@ann", "loves", "#NLP2026", ",", "not", "#", "1"]),
        ("great😀😀 stuff👩\u200d💻.", ["great", "😀", "😀", "stuff", "👩\u200d💻", "."]),
        ("🇫🇷🇩🇪 ☀️ 1️⃣", ["🇫🇷", "🇩🇪", "☀️", "1️⃣"]),
        ("see <url>, <3", ["see", "<url>", ",", "<", "3"]),
        ("5 @ 3, a@ b", ["5", "@", "3", ",", "a", "@", "b"]),
    ],
)
def test_addresses_names_tags_and_emoji_are_one_token_each(text, words):
    found = tokenise(text)
    assert list(found.words) == words
    assert [text[a:b] for a, b in zip(found.starts, found.ends, strict=True)] == [
        {"-LRB-": "(", "-RRB-": ")"}.get(word, word) for word in words
    ]


def test_a_full_stop_before_signs_alone_is_a_token():
    assert tokenise("I love it. :)").words == ("I", "love", "it", ".", ":", "-RRB-")
    assert tokenise("A skater. 😀 👍").words == ("A", "skater", ".", "😀", "👍")
    assert tokenise("Mr. Poe left. ?!").words == ("Mr.", "Poe", "left", ".", "?", "!")
    assert tokenise("a . . . b. " + ". " * 3).words[-4:] == (".", ".", ".", ".")
