"""Inflection: known words, the way back, and forms of words whose tag is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OptionError
from sampling.english.inflection import (
    BASE_TAGS,
    INFLECTED_TAGS,
    base_forms,
    forms_like,
    inflect,
)

IRREGULAR = """
give VBD gave; give VBN given; write VBN written; sing VBD sang; sing VBN sung; do VBD did
do VBN done; see VBD saw; see VBN seen; take VBD took; take VBN taken; go VBD went
go VBN gone; go VBZ goes; come VBD came; come VBN come; run VBN run; begin VBN begun; eat VBD ate
eat VBN eaten; lie VBG lying; lie VBD lay; lay VBD laid; panic VBD panicked; cut VBD cut
put VBN put; hit VBG hitting; be VBZ is; have VBZ has; withdraw VBN withdrawn
undergo VBD underwent; break VBD broke; break VBN broken; wear VBN worn; teach VBD taught
find VBD found; think VBN thought
man NNS men; woman NNS women; human NNS humans; child NNS children; potato NNS potatoes
photo NNS photos; knife NNS knives; crisis NNS crises; mouse NNS mice; people NNS people
earnings NNS earnings; more JJR more; most RBS most
good JJR better; bad JJS worst; funny JJR funnier; big JJS biggest; well RBR better
"""
REGULAR = """
try VBD tried; try VBZ tries; play VBD played; play VBZ plays; stop VBG stopping; fix VBG fixing
visit VBD visited; refer VBD referred; love VBG loving; see VBG seeing; dye VBG dyeing
die VBG dying; watch VBZ watches; box NNS boxes; boy NNS boys; blorft VBD blorfted
city NNS cities; bus NNS buses; film NNS films; blorft NNS blorfts
nice JJR nicer; simple JJS simplest; fast RBS fastest
thanks NNS thanks; regards NNS regards; glass NNS glasses; blorfts NNS blorfts
"""


def _triples(text: str) -> list[list[str]]:
    return [part.split() for part in text.replace("\n", ";").split(";") if part.strip()]


@pytest.mark.parametrize(("base", "tag", "form"), _triples(REGULAR + IRREGULAR))
def test_known_words(base: str, tag: str, form: str) -> None:
    assert inflect(base, tag) == form


@pytest.mark.parametrize(
    ("base", "tag"), [("careful", "JJR"), ("quickly", "RBS"), ("very good", "JJR"), ("", "NNS")]
)
def test_no_single_word(base: str, tag: str) -> None:
    assert inflect(base, tag) is None


def test_base_tags_leave_words_alone() -> None:
    assert {inflect("go", tag) for tag in BASE_TAGS} == {"go"}


def test_an_unknown_tag_is_said() -> None:
    with pytest.raises(OptionError, match="'DT' names no inflection"):
        inflect("the", "DT")


def test_the_likeliest_base_comes_first() -> None:
    assert base_forms("found", "VBD")[0] == "find"
    assert base_forms("saw", "VBD")[0] == "see"
    assert base_forms("Films", "NNS")[0] == "film"
    assert base_forms("better", "JJR")[0] == "good"
    assert base_forms("the", "DT") == base_forms("Paris", "NNP") == ()


_VERBS = ["give", "walk", "sing", "cut", "try", "stop", "go", "come", "run", "put", "film", "watch"]
_NOUNS = ["film", "city", "child", "box", "mouse", "story", "knife"]


@given(
    st.tuples(st.sampled_from(_VERBS), st.sampled_from(["VBZ", "VBG", "VBD", "VBN"]))
    | st.tuples(st.sampled_from(_NOUNS), st.just("NNS"))
)
def test_the_way_back(word: tuple[str, str]) -> None:
    base, tag = word
    form = inflect(base, tag)
    assert form is not None
    assert base in base_forms(form, tag)


@pytest.mark.parametrize(
    ("base", "word", "of", "part", "form"),
    [
        ("movie", "films", "film", "n", "movies"),
        ("movie", "film", "film", "n", "movie"),
        ("sing", "given", "give", "v", "sung"),
        ("sing", "giving", "give", "v", "singing"),
        ("go", "walked", "walk", "v", None),  # went or gone
        ("stop", "walked", "walk", "v", "stopped"),
        ("careful", "bigger", "big", "a", None),
        ("soon", "faster", "fast", "r", "sooner"),
        ("movie", "filmses", "film", "n", None),
    ],
)
def test_forms_like_those_of_another_word(
    base: str, word: str, of: str, part: str, form: str | None
) -> None:
    assert forms_like(base, word, of, part) == form


def test_tags_are_those_of_inflections() -> None:
    assert set(INFLECTED_TAGS).isdisjoint(BASE_TAGS)
