"""Synonyms: frequent senses only, and words that have none; articles; inflected as written."""

from pathlib import Path

import pytest

from benchmarks import words
from grammar.errors import OptionError
from sampling.english.articles import article
from sampling.english.inflection import inflect
from sampling.english.unfit_words import can_be_replaced, unfit_words
from sampling.english.wordnet import synonyms


@pytest.mark.usefixtures("wordnet_data")
def test_synonyms_are_of_frequent_senses() -> None:
    assert set(synonyms("film")) == {"movie", "motion picture", "cinema"}
    assert "celluloid" in synonyms("film", senses="all")
    assert synonyms("cheese") == ()  # cheeseflower
    assert synonyms("movies", inflect=True)[0] == "films"
    assert "drilling" not in synonyms("boring")  # a base form itself, not one of bore


@pytest.mark.usefixtures("wordnet_data")
@pytest.mark.parametrize("word", ["'m", "m", "n't", "third", "seven", "mile", "2nd", "shit"])
def test_words_without_synonyms(word: str) -> None:
    assert synonyms(word) == ()


@pytest.mark.usefixtures("wordnet_data")
def test_nothing_unfit_is_put_in() -> None:
    unfit = unfit_words()
    for word in ("donkey", "breast", "bottom", "excrement", "idiot", "grand", "thousand", "big"):
        for other in synonyms(word):
            assert not unfit & {other, *other.split()}
            assert other == other.lower()


@pytest.mark.usefixtures("wordnet_data")
def test_a_person_can_change_the_list(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("# mine\n\nFilm\n", encoding="utf-8")
    assert synonyms("film", never=str(mine)) == ()
    assert "film" not in synonyms("movie", never=str(mine))
    assert "film" in synonyms("movie")
    assert unfit_words("none") == frozenset()


def test_a_list_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="is no file of words"):
        unfit_words(str(tmp_path / "absent.txt"))


def test_what_may_be_replaced() -> None:
    words = ["film", "re-make", "Élan", "I", "'s", "3D", "gon", "Second", "-", ""]
    kept = [word for word in words if can_be_replaced(word, unfit_words())]
    assert kept == ["film", "re-make", "Élan"]


@pytest.mark.parametrize(
    ("written", "word", "expected"),
    [
        ("a", "hour", "an"), ("an", "union", "a"), ("A", "uninteresting", "An"),
        ("a", "unimportant", "an"), ("an", "8-year-old", "an"), ("a", "18th", "an"),
        ("an", "1800s", "a"), ("a", "118", "a"), ("a", "FBI man", "an"), ("an", "NATO man", "a"),
        ("a", "X-ray", "an"), ("an", "one-off", "a"), ("a", "(", "a"), ("an", "European", "a"),
    ],
)  # fmt: skip
def test_articles(written: str, word: str, expected: str) -> None:
    assert article(written, word) == expected


@pytest.mark.usefixtures("data_folder")
def test_words_are_inflected_as_people_write_them() -> None:
    """The shares that docs give, on the test part, which no choice was made on."""
    good, total, _ = words.score(inflect, "test")
    assert total > 2000
    assert good >= 0.96 * total
    good, total = words.article_score("test")
    assert total > 250
    assert good >= 0.98 * total


@pytest.mark.usefixtures("wordnet_data")
def test_a_slur_is_no_synonym_in_any_sense() -> None:
    # WordNet has it beside "immaculate", too, as of spick and span
    assert "spic" in synonyms("spotless", senses="all")
    assert synonyms("spotless", pos="a") == ("immaculate",)
