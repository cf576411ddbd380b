"""Words that no pair shows alone: proposed by the lexicon, taken if the description is shorter."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.forest import Coder
from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous import induce
from induction.synchronous.choice import description
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.lexicon import induce_lexicon, translations
from induction.synchronous.pairs import read_training_pairs
from induction.synchronous.search import SearchOptions
from scan.generator import generate
from scan.languages.measure import measure_language
from scan.languages.tasks import named_task

WORDS = ["walk", "run", "look"]
heads = st.lists(st.sampled_from([(w, n) for w in WORDS for n in range(4)]), min_size=1, max_size=9)


@given(heads)
def test_a_description_is_the_size_of_rules_and_the_bits_of_pairs(
    drawn: list[tuple[str, int]],
) -> None:
    """Where pairs have one derivation, the fitted probabilities of rules are their shares."""
    code = Coder()
    rules = [(code.words([w]), code.words([w.upper()])) for w in WORDS]
    twice = code.words(["twice"])
    rules.append(("\x01" + twice, "\x01\x01"))
    pairs = [(code.words([w]) + n * twice, 2**n * code.words([w.upper()])) for w, n in drawn]
    used = Counter(rule for w, n in drawn for rule in [w, *n * ["twice"]])
    bits = -sum(n * math.log2(n / used.total()) for n in used.values())
    size = 3 * 8.0 + 4.0 + 3 * 1.0
    assert description(rules, pairs, SearchOptions()) == pytest.approx(size + bits, rel=0.01)
    missing = (code.words(["walk", "run"]), code.words(["WALK"]))
    more = description(rules, [*pairs, missing], SearchOptions())
    assert more == pytest.approx(size + bits + 12.0, rel=0.01)
    assert description(rules, [missing], SearchOptions()) == size + 12.0


@given(st.lists(st.tuples(st.text("abc", min_size=1, max_size=3), st.text("ABC", min_size=1,
                max_size=3)), min_size=1, max_size=6, unique_by=lambda pair: pair[0]))  # fmt: skip
def test_translations_belong_to_each_other_alone(pairs: list[tuple[str, str]]) -> None:
    training = read_training_pairs((" ".join(s), " ".join(t)) for s, t in pairs)
    lexicon = induce_lexicon(training)
    entries = [(w, v) for v, words in lexicon.items() for w in words]
    assert translations(lexicon) == {
        (w, v)
        for w, v in entries
        if sum(w == other for other, _ in entries) == sum(v == other for _, other in entries) == 1
    }


def scarce_pairs(seed: int) -> list[tuple[str, str]]:
    """Draw commands of SCAN of four to six words: none is a phrase of another one by itself."""
    scan = generate()
    pairs = zip(scan.column("text"), scan.column("target"), strict=True)
    some = [(s, t) for s, t in pairs if 4 <= len(s.split()) <= 6]
    return random.Random(seed).sample(some, 100)


@pytest.mark.parametrize("seed", [0, 1])
def test_few_pairs_that_never_show_a_word_alone(seed: int) -> None:
    """Pairs are taken apart little by little, in more steps than where words are pairs."""
    pairs = scarce_pairs(seed)
    found = induce_synchronous(pairs, types=2)
    assert found.explained.rote <= 1
    assert len(found.trace) > SearchOptions().max_steps or len(found.rules) < 20
    scan = generate()
    parser = SynchronousParser(found.rules)
    every = zip(scan.column("text"), scan.column("target"), strict=True)
    for source, target in list(every)[::500]:
        assert parser.is_derivable(source.split(), target.split())


def test_words_that_the_pairs_do_show_alone_are_enough() -> None:
    scan = generate()
    pairs = zip(scan.column("text"), scan.column("target"), strict=True)
    said: list[str] = []
    induce_synchronous(
        [pair for pair in pairs if len(pair[0].split()) <= 3], types=1, on_progress=said.append
    )
    assert not any("as phrases" in line for line in said)


@pytest.mark.parametrize(("name", "rules"), [("questions", 24), ("passive", 22)])
def test_languages_of_which_the_rules_are_found_with_words_as_phrases(
    name: str, rules: int
) -> None:
    found = measure_language(*named_task(name))
    assert found.rules == found.true_rules == rules
    assert found.exact == found.samples == 1.0


def test_a_word_that_belongs_to_a_function_stays_in_it() -> None:
    """With *of* as a phrase there are fewer symbols in rules, but every pair takes more rules."""
    _, parts = named_task("left-recursion")
    said: list[str] = []
    found = induce_synchronous(parts.train, types=1, on_progress=said.append)
    assert any("words of the lexicon as phrases" in line for line in said)
    assert "NT_1 of NT_2 ### NT_2 OF NT_1" in map(str, found.rules.rules)


@pytest.mark.parametrize("shorter", [True, False])
def test_many_rules_are_also_searched_without_comparison(monkeypatch, shorter: bool) -> None:
    """What has the shorter description is kept."""
    _, parts = named_task("left-recursion")
    plain = induce_synchronous(parts.train, types=1, compare=False, tolerance=0.0)
    monkeypatch.setattr(induce, "_MANY", 5)
    sizes = iter([2.0, 1.0 if shorter else 3.0])
    monkeypatch.setattr(induce, "description", lambda *_: next(sizes, 1.0))
    said: list[str] = []
    found = induce_synchronous(parts.train, types=1, tolerance=0.0, on_progress=said.append)
    assert "again, without comparison of pairs" in said
    assert not any("words of the lexicon as phrases" in line for line in said)
    assert (list(found.rules.rules) == list(plain.rules.rules)) == shorter
