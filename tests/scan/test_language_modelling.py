"""The language-modelling experiment: its corpora, its controls, its choices and its statistics."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from grammar.errors import CorpusError, MissingDataError, OptionError
from induction.language.language_model import UnknownWordsOf
from induction.language.ngrams import NGramModel
from scan.language_modelling import (
    GRID,
    LANGUAGES,
    METHODS,
    SHARED,
    Setting,
    Texts,
    compare,
    made_sentences,
    read_language,
    run,
)

NAMES = ("kim", "lee", "ana", "bo", "raj", "mia")
VERBS = ("saw", "met", "called", "heard")
PLACES = ("in rome", "in york", "at home", "at sea")


def sentences(seed: int, n: int) -> tuple[str, ...]:
    drawn = np.random.default_rng(seed)
    parts = (NAMES, VERBS, NAMES, PLACES, ("today .", "again ."))
    rows = [[part[drawn.integers(len(part))] for part in parts] for _ in range(n)]
    return tuple(" ".join(row) for row in rows)


TEXTS = Texts(sentences(0, 50), sentences(1, 20), sentences(2, 20))
SMALL = (Setting(window=1, variants=1), Setting(window=2, variants=1))


@pytest.mark.parametrize(
    ("language", "lines", "tokens"),
    [
        ("kin", (3358, 1053, 964), (62098, 20004, 20718)),
        ("lao", (9747, 2497, 2682), (100064, 27257, 21550)),
        ("na", (1816, 605, 605), (28240, 9696, 9273)),
        ("tok", (2157, 745, 640), (30425, 10551, 8441)),
    ],
)
def test_corpora_have_the_counts_of_their_readme(
    data_folder: Path, language: str, lines: tuple[int, ...], tokens: tuple[int, ...]
) -> None:
    texts = read_language(language)
    parts = (texts.train, texts.validation, texts.test)
    assert tuple(map(len, parts)) == lines
    assert tuple(sum(len(line.split()) for line in part) for part in parts) == tokens


def test_controls_have_the_same_parts_as_the_made_sentences() -> None:
    # no word twice in a sentence, so that every context has one hole
    train = [line for line in TEXTS.train if len(set(line.split())) == len(line.split())]
    made = made_sentences(train, Setting(window=1, variants=2))
    geca, shuffled, replicated = made["geca"], made["shuffled"], made["replicated"]
    assert len(geca) == len(shuffled) == len(replicated) > len(train)
    assert not set(geca) & set(train)
    # every filler goes into one context, so the words are the same
    assert Counter(" ".join(geca).split()) == Counter(" ".join(shuffled).split())
    assert len(set(geca) - set(shuffled)) > len(geca) / 4
    # replicas go through the training sentences evenly
    times = Counter(replicated)
    rounds = len(geca) // len(train)
    for sentence, k in Counter(train).items():
        assert k * rounds <= times[sentence] <= k * (rounds + 1)


def test_shuffled_sentences_break_the_licence() -> None:
    made = made_sentences(TEXTS.train, Setting(window=1, variants=4))
    grammatical = [
        sum(line.split()[0] in NAMES and line.split()[-1] == "." for line in made[method])
        for method in ("geca", "shuffled")
    ]
    assert grammatical[0] == len(made["geca"]) > grammatical[1]


def test_the_seed_decides_what_is_made() -> None:
    setting = Setting(window=1, variants=1)
    one, again, other = (made_sentences(TEXTS.train, setting, seed=s) for s in (1, 1, 2))
    assert one == again
    assert all(one[method] != other[method] for method in one)


def test_a_run_chooses_on_validation_alone() -> None:
    outcome = run("toy", texts=TEXTS, grid=SMALL)
    same = run("toy", texts=TEXTS, grid=SMALL)
    other = run("toy", texts=replace(TEXTS, test=sentences(3, 15)), grid=SMALL)
    assert outcome.to_json() == same.to_json()
    assert tuple(outcome.choices) == (*METHODS, *(method + SHARED for method in METHODS))
    for method, choice in outcome.choices.items():
        assert choice.validation <= outcome.validation + 1e-6
        assert choice.validation == min(choice.tried)
        assert 0 <= choice.weight <= 1
        elsewhere = other.choices[method]
        assert elsewhere.test != choice.test or choice.weight == 0
        assert replace(elsewhere, test=0.0, known=0.0) == replace(choice, test=0.0, known=0.0)


def test_what_a_run_reports_is_what_its_models_give() -> None:
    outcome = run("toy", texts=TEXTS, grid=SMALL[:1], seed=5)
    base = NGramModel.train(TEXTS.train)
    assert outcome.test == base.perplexity(TEXTS.test)
    choice = outcome.choices["geca"]
    made = made_sentences(TEXTS.train, SMALL[0], seed=5)["geca"]
    second = NGramModel.train([*TEXTS.train, *made], vocabulary=base.words)
    mixture = NGramModel.mixture([base, second], [1 - choice.weight, choice.weight])
    assert (choice.made, choice.setting) == (len(made), SMALL[0])
    assert np.isclose(choice.test, mixture.perplexity(TEXTS.test), rtol=1e-9)
    gain = outcome.comparisons["geca over none"]
    assert np.isclose(gain.gain, 1 - choice.test / outcome.test, rtol=1e-6)
    assert json.loads(outcome.to_json())["choices"]["geca"]["weight"] == choice.weight


def test_shared_unknown_words_are_never_less_likely() -> None:
    outcome = run("toy", texts=replace(TEXTS, test=("zoe saw zoe", "zoe")), grid=SMALL)
    known = run("toy", texts=replace(TEXTS, test=("kim saw lee",)), grid=SMALL)
    choice, base = outcome.choices["geca" + SHARED], NGramModel.train(TEXTS.train)
    made = made_sentences(TEXTS.train, choice.setting)["geca"]
    second = UnknownWordsOf(base, NGramModel.train([*TEXTS.train, *made], vocabulary=base.words))
    scores = NGramModel.mixture([base, second], [1 - choice.weight, choice.weight])
    found, expected = scores.score(["zoe saw zoe"]), base.score(["zoe saw zoe"])
    unknown = ~found.known
    assert unknown.tolist() == [True, False, True, False]
    assert np.allclose(found.log_probability[unknown], expected.log_probability[unknown])
    assert known.choices["geca" + SHARED].weight == choice.weight


def test_a_comparison_by_hand() -> None:
    good = NGramModel.train(TEXTS.train, order=3)
    bad = NGramModel.train(TEXTS.train, order=1)
    better, worse = good.score(TEXTS.test), bad.score(TEXTS.test)
    found = compare(better, worse)
    assert np.isclose(found.gain, 1 - better.perplexity() / worse.perplexity())
    assert 0 < found.low < found.gain < found.high < 1
    expected = ttest_rel(better.by_sentence(), worse.by_sentence()).pvalue
    assert np.isclose(found.p_value, expected)
    assert expected < 1e-3
    back = compare(worse, better)
    assert back.high < 0
    assert back.p_value == found.p_value
    same = compare(better, better)
    assert (same.gain, same.low, same.high, same.p_value) == (0, 0, 0, 1)


def test_bad_input_gets_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"unknown language 'klingon'\n  hint: choose from kin"):
        read_language("klingon")
    with pytest.raises(OptionError, match="no setting to choose from"):
        run("toy", texts=TEXTS, grid=())
    for part in ("train", "validation", "test"):
        with pytest.raises(CorpusError, match="there are no sentences"):
            run("toy", texts=replace(TEXTS, **{part: ()}), grid=SMALL[:1])
    with pytest.raises(CorpusError, match="sentence 2: the sentence has no words"):
        run("toy", texts=replace(TEXTS, validation=("a", " ")), grid=SMALL[:1])
    with pytest.raises(CorpusError, match="no new example can be made"):
        run("toy", texts=replace(TEXTS, train=("a b", "c d")), grid=SMALL[:1])
    model = NGramModel.train(TEXTS.train)
    with pytest.raises(CorpusError, match="not of the same sentences"):
        compare(model.score(TEXTS.test), model.score(TEXTS.test[1:]))
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)
    with pytest.raises(MissingDataError, match="TREEWRIGHT_DATA"):
        read_language("na")


def test_the_grid_begins_with_the_published_setting() -> None:
    assert GRID[0] == Setting(window=2, variants=1)
    assert set(LANGUAGES) == {"kin", "lao", "na", "tok"}
