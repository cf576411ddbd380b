"""Inflection: it undoes WordNet's base forms, and agrees with what grammars list."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import MissingDataError, OptionError
from sampling.english.inflection import BASE_TAGS, INFLECTED_TAGS, base_forms, inflect
from sampling.english.wordnet import wordnet


@pytest.fixture(scope="module")
def reader() -> Iterator[object]:
    try:
        yield wordnet()
    except MissingDataError as error:
        pytest.skip(str(error))


IRREGULAR = """
give VBD gave; give VBN given; write VBN written; sing VBD sang; sing VBN sung; do VBD did
do VBN done; see VBD saw; see VBN seen; take VBD took; take VBN taken; slay VBD slew; go VBD went
go VBN gone; go VBZ goes; come VBD came; come VBN come; run VBN run; begin VBN begun; eat VBD ate
eat VBN eaten; lie VBG lying; lie VBD lay; lay VBD laid; panic VBD panicked; cut VBD cut
put VBN put; hit VBG hitting; be VBZ is; have VBZ has; withdraw VBN withdrawn
undergo VBD underwent; break VBD broke; break VBN broken; wear VBN worn; teach VBD taught
find VBD found; think VBN thought
man NNS men; woman NNS women; human NNS humans; child NNS children; potato NNS potatoes
photo NNS photos; knife NNS knives; person NNS people; crisis NNS crises; mouse NNS mice
good JJR better; bad JJS worst; funny JJR funnier; big JJS biggest; well RBR better; far RBR farther
"""
REGULAR = """
try VBD tried; try VBZ tries; play VBD played; play VBZ plays; stop VBG stopping; fix VBG fixing
visit VBD visited; refer VBD referred; love VBG loving; see VBG seeing; dye VBG dyeing
die VBG dying; watch VBZ watches; box NNS boxes; boy NNS boys
city NNS cities; bus NNS buses; film NNS films
nice JJR nicer; simple JJS simplest; free JJR freer; fast RBS fastest; quip VBD quipped
"""


def _triples(text: str) -> list[list[str]]:
    return [part.split() for part in text.replace("\n", ";").split(";") if part.strip()]


@pytest.mark.parametrize(("base", "tag", "form"), _triples(REGULAR + IRREGULAR))
def test_known_words(reader: object, base: str, tag: str, form: str) -> None:
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


def test_without_wordnet_words_are_regular(monkeypatch: pytest.MonkeyPatch) -> None:
    import sampling.english.inflection as module

    def absent() -> None:
        raise MissingDataError("WordNet is not installed")

    monkeypatch.setattr(module, "wordnet", absent)
    module._forms.cache_clear()
    try:
        assert inflect("walk", "VBD") == "walked"
        assert inflect("come", "VBN") == "come"
    finally:
        module._forms.cache_clear()


def test_the_likeliest_base_comes_first(reader: object) -> None:
    assert base_forms("found", "VBD")[0] == "find"
    assert base_forms("saw", "VBD")[0] == "see"
    assert base_forms("Films", "NNS")[0] == "film"
    assert base_forms("better", "JJR")[0] == "good"
    assert base_forms("the", "DT") == ()


_PARTS = {"n": ("NNS",), "v": ("VBZ", "VBG", "VBD", "VBN"), "a": ("JJR", "JJS")}


@given(data=st.data())
def test_base_forms_of_an_inflected_word_hold_its_base(reader: object, data: st.DataObject) -> None:
    """Inverse of lemmatisation on the single words that WordNet lists as bases.

    WordNet's own rules miss some forms (*readied*, *slimmed*), and some of its words are variants
    or plurals already; so a word counts if WordNet finds a base in its form at all.
    """
    pos = data.draw(st.sampled_from(sorted(_PARTS)))
    names = _words(pos)
    base = names[data.draw(st.integers(0, len(names) - 1))]
    tag = data.draw(st.sampled_from(_PARTS[pos]))
    form = inflect(base, tag)
    if form is None:
        assert tag in ("JJR", "JJS")
        return
    assert form.isalpha()
    assert form.islower()
    found = base_forms(form, tag)
    if found and base not in found:
        # a spelling that is the form of another word too, which WordNet finds in its stead
        assert inflect(found[0], tag) == form or form in found


_KNOWN: dict[str, list[str]] = {}


def _words(pos: str) -> list[str]:
    if pos not in _KNOWN:
        names = set(wordnet().all_lemma_names(pos))
        _KNOWN[pos] = sorted(n for n in names if n.isascii() and n.isalpha() and len(n) > 2)
    return _KNOWN[pos]


def test_nearly_all_words_of_wordnet_come_back(reader: object) -> None:
    """Counts over all words, so that a fault in a rule shows: shares measured when written."""
    least = {"NNS": 0.999, "VBZ": 0.998, "VBG": 0.99, "VBD": 0.98, "VBN": 0.98}
    for pos, tags in _PARTS.items():
        for tag in tags:
            if tag not in least:
                continue
            words = _words(pos)[::7]
            back = sum(base in base_forms(str(inflect(base, tag)), tag) for base in words)
            assert back >= least[tag] * len(words), tag


def test_tags_are_those_of_inflections() -> None:
    assert set(INFLECTED_TAGS).isdisjoint(BASE_TAGS)
