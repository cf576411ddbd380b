"""Names that a language model finds: the formula, labels that are words, words that are dropped."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grammar.arrays import FloatArray
from grammar.errors import OptionError
from grammar.messages import heard_by
from induction import Corpus
from sampling.names.evidence import contradicts, without_contradicted
from sampling.names.found import NO_CLASS, PROMPTS, found_names
from sampling.names.labels import label_names, names_of_labels
from sampling.names.method import Names
from sampling.opening import open_sampler

WORDS = tuple(f"w{k:02d}" for k in range(40))
NAMES = {"good": ("good",), "bad": ("bad", "poor"), "so-so": ("fair",)}


class Said:
    """A reading that is a table: random, but the same for the same text."""

    words = WORDS

    def after(self, texts: Sequence[str]) -> FloatArray:
        rows = [np.random.default_rng(list(text.encode())).normal(size=40) * 3 for text in texts]
        made: FloatArray = np.stack([row - np.log(np.exp(row).sum()) for row in rows])
        return made


def by_hand(most: int) -> dict[str, dict[str, float]]:
    """The formula word by word, in plain numbers."""
    said = Said()

    def given(name: str) -> list[float]:
        rows = said.after([prompt.format(name) for prompt in PROMPTS])
        return [sum(math.exp(row[k]) for row in rows) / len(PROMPTS) for k in range(len(WORDS))]

    p = {label: given(", ".join(names)) for label, names in NAMES.items()}
    none = given(NO_CLASS)
    score: dict[str, dict[int, tuple[float, float]]] = {}
    for label in p:
        score[label] = {}
        for k in range(len(WORDS)):
            rest = [p[other][k] for other in p if other != label]
            ratio = math.log(p[label][k] / max(sum(rest) / len(rest), none[k]))
            score[label][k] = math.log(p[label][k]) + ratio, ratio
    order = {c: sorted(s, key=lambda k, s=s: -s[k][0]) for c, s in score.items()}
    first = [k for ranked in order.values() for k in ranked[:most]]
    found = {}
    for label, ranked in order.items():
        own = [k for k in ranked if first.count(k) < 2 and score[label][k][1] > 0][:most]
        odds = {WORDS[k]: math.exp(score[label][k][0] / 2) for k in own}
        found[label] = {word: each / sum(odds.values()) for word, each in odds.items()}
    return found


@pytest.mark.parametrize("most", [1, 4, 10])
def test_words_and_weights_are_those_of_the_formula(most: int) -> None:
    found, expected = found_names(NAMES, Said(), most), by_hand(most)
    assert {label: [*each] for label, each in found.items()} == {
        label: [*each] for label, each in expected.items()
    }
    for label, weights in found.items():
        assert sum(weights.values()) == pytest.approx(1, abs=1e-12)
        assert list(weights.values()) == pytest.approx(list(expected[label].values()), abs=0.01)


def test_words_of_several_classes_are_none_of_any() -> None:
    class Same(Said):
        def after(self, texts: Sequence[str]) -> FloatArray:
            return np.zeros((len(texts), 40)) - np.log(40)

    with pytest.raises(OptionError, match="finds no words of the class 'good'") as told:
        found_names(NAMES, Same(), 3)
    assert "--classes" in str(told.value)


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("World", ("world",)), ("Sci/Tech", ("science", "technology")), ("NUM:date", ("date",)),
        ("rec.sport.hockey", ("hockey",)), ("scienceFiction", ("science fiction",)),
        ("news & politics", ("news", "politics")), ("POS", ("positive",)),
        ("ABBR", ()), ("ENTY", ()), ("3", ()), ("c1", ()), ("True", ()), ("", ()), ("label_1", ()),
    ],
)  # fmt: skip
def test_labels_are_split_into_words(label: str, names: tuple[str, ...]) -> None:
    assert label_names(label) == names


@pytest.mark.parametrize("labels", [["0", "1"], ["ABBR", "sports"], ["news", "News"]])
def test_codes_are_refused_with_the_cure(labels: list[str]) -> None:
    with pytest.raises(OptionError, match="does not say in words") as told:
        names_of_labels(labels)
    assert "--classes" in str(told.value)
    corpus = Corpus.from_columns(text=["a", "b"], label=labels)
    with pytest.raises(OptionError, match="does not say in words"):
        Names.induce(corpus, model="nothing")


def test_a_word_is_contradicted_as_the_exact_test_says() -> None:
    from scipy.stats import fisher_exact

    draw = np.random.default_rng(0)
    for _ in range(50):
        own, occurs = draw.random((2, 25)) < draw.random((2, 1))
        table = [[(occurs & own).sum(), (occurs & ~own).sum()],
                 [(~occurs & own).sum(), (~occurs & ~own).sum()]]  # fmt: skip
        p = fisher_exact(table, alternative="less")[1]
        assert contradicts(occurs, own) == (occurs.any() and p <= 0.05)


def test_names_that_the_labelled_examples_contradict_are_dropped_and_told() -> None:
    texts = ["a dark film"] * 8 + ["a sunny film"] * 8
    corpus = Corpus.from_columns(text=texts, label=[1] * 8 + [0] * 8)
    names = {"bad": {"dark": 0.5, "film": 0.25, "poor": 0.25}, "good": {"dark": 1.0}}
    heard: list[Any] = []
    with heard_by(heard.append):
        kept = without_contradicted(names, corpus, {"bad": 0, "good": 1})
    assert kept == {"bad": {"film": 0.5, "poor": 0.5}, "good": {"dark": 1.0}}
    assert [*map(str, heard)] == ["dropped, the labelled examples contradict them: dark"]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that says what the table says."""
    from types import SimpleNamespace

    module = SimpleNamespace(NextWords=SimpleNamespace(opened=lambda *_: Said()))
    door = SimpleNamespace(import_module=lambda _: module)
    monkeypatch.setattr("sampling.names.method.importlib", door)


@pytest.mark.usefixtures("said")
def test_the_grammar_keeps_the_weights_and_opens_without_a_model(tmp_path: Path) -> None:
    corpus = Corpus.from_columns(text=["a", "b"], label=["good", "bad"])
    sampler = Names.induce(corpus, model="any", words=4)
    again = Names.induce(corpus, model="any", words=4)
    assert again.grammar.to_text() == sampler.grammar.to_text()
    weights = {str(p.rhs[0]): p.weight for p in sampler.grammar if p.lhs.name.startswith("NAME")}
    found = found_names({"bad": ("bad",), "good": ("good",)}, Said(), 4)
    assert weights == {word: w for each in found.values() for word, w in each.items()}
    sampler.grammar.save(tmp_path / "names.json")
    made = open_sampler(tmp_path / "names.json").sample(9, seed=3)
    assert made.table == sampler.sample(9, seed=3).table
    path = str(tmp_path / "names.json")
    code = (
        "import sys; from sampling.opening import open_sampler; "
        f"open_sampler({path!r}).sample(2); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("said")
def test_given_names_are_what_the_model_is_asked_for() -> None:
    sampler = Names.of(a="good", b="bad, poor", model="any", words=3)
    found = found_names({"a": ("good",), "b": ("bad", "poor")}, Said(), 3)
    words = {str(p.rhs[0]) for p in sampler.grammar if p.lhs.name.startswith("NAME")}
    assert words == {word for each in found.values() for word in each}
