"""Small languages: what they hold, what is held out of training, and what is measured of them."""

import functools
import json
from collections import Counter

import pytest

from grammar.errors import OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import Slot
from induction.corpus.corpus import Corpus
from scan.languages.features import FEATURES, feature_language
from scan.languages.invented import few_shot_split, invented_language
from scan.languages.language import Language
from scan.languages.measure import findings_table, measure_language
from scan.languages.tasks import language_split, named_task
from scan.splits import Split
from treewright.cli import main

NAMES = [*FEATURES, *(f"invented-{seed}" for seed in range(10))]


task = functools.cache(named_task)


def pairs(corpus) -> list[tuple[str, str]]:
    return list(zip(corpus.column("text"), corpus.column("target"), strict=True))


def test_there_are_enough_of_them():
    assert len(FEATURES) >= 22
    assert len({feature_language(name).about for name in FEATURES}) == len(FEATURES)


@pytest.mark.parametrize("name", NAMES)
def test_both_parts_are_of_the_language_and_apart(name):
    language, parts = task(name)
    train, test = pairs(parts.train), pairs(parts.test)
    assert all(language.holds(train + test))
    sources = [source for source, _ in train + test]
    assert len(set(sources)) == len(sources)
    assert len(test) >= 10
    assert max(len(source.split()) for source, _ in train) <= language.longest


@pytest.mark.parametrize("name", NAMES)
def test_training_pairs_show_every_rule(name):
    language, parts = task(name)
    parser = SynchronousParser(language.grammar)
    used = {
        rule
        for source, target in pairs(parts.train)
        for found in parser.pair_derivations(source.split(), target.split())
        for rule in found.rules
    }
    unused = set(range(len(language.grammar))) - used
    assert not [str(language.grammar.rules[rule]) for rule in unused]


@pytest.mark.parametrize("name", NAMES)
def test_a_source_has_one_meaning(name):
    language, parts = task(name)
    parser = SynchronousParser(language.grammar)
    for source, target in pairs(parts.test)[:40]:
        (best,) = parser.translations(source.split(), k=2)
        assert " ".join(best.target) == target


def test_rare_words_are_in_few_training_pairs():
    parts = language_split(feature_language("swap"))
    seen = Counter(word for source, _ in pairs(parts.train) for word in set(source.split()))
    rare = {word for word, n in seen.items() if n <= 4}
    assert len(rare) == 6  # of ten verbs and ten nouns
    elsewhere = Counter(word for source, _ in pairs(parts.test) for word in set(source.split()))
    assert all(elsewhere[word] >= 4 for word in rare)


def test_parts_are_functions_of_the_seed():
    language = feature_language("modifiers")
    first, again, other = (language_split(language, seed=seed) for seed in (0, 0, 1))
    assert pairs(first.train) == pairs(again.train) != pairs(other.train)


def test_invented_languages_differ_and_repeat():
    texts = [invented_language(seed).grammar.to_text() for seed in (*range(20), 0)]
    assert len(set(texts)) == 20
    assert texts[0] == texts[-1]
    big = invented_language(1, words=6, functions=5)
    words = {s for rule in big.grammar.rules for s in rule.source if not isinstance(s, Slot)}
    assert len(words) == 11


def test_words_and_functions_are_studied():
    for seed in range(30):
        language = invented_language(seed)
        parts = few_shot_split(language)
        seen = Counter(word for source, _ in pairs(parts.train) for word in source.split())
        words = {s for r in language.grammar.rules for s in r.source if not isinstance(s, Slot)}
        assert all(seen[word] >= 2 for word in words)
        assert (len(parts.train), len(parts.test)) == (14, 10)


def test_names_and_numbers_that_are_not():
    with pytest.raises(OptionError, match="unknown language 'odrer'"):
        named_task("odrer")
    with pytest.raises(OptionError, match="functions=9"):
        invented_language(0, functions=9)


def test_what_is_measured():
    grammar = SynchronousGrammar.parse("""
        S -> V_1 ### V_1
        S -> V_1 twice ### V_1 V_1
        V -> walk ### W
        V -> run ### R
        V -> jump ### J
    """)
    language = Language("tiny", "", grammar, longest=2, deeper=2)
    train = Corpus.from_columns(
        text=["walk", "run", "jump", "walk twice", "run twice"],
        target=["W", "R", "J", "W W", "R R"],
    )
    test = Corpus.from_columns(text=["jump twice"], target=["J J"])
    found = measure_language(language, Split("tiny", train, test))
    assert (found.pairs, found.rules, found.true_rules) == (5, 4, 5)
    assert (found.exact, found.samples, found.reached) == (1.0, 1.0, 1.0)
    wrong = Corpus.from_columns(text=["jump twice"], target=["J"])
    found = measure_language(language, Split("tiny", train, wrong))
    assert (found.exact, found.reached) == (0.0, 0.0)
    assert "| tiny | 5 | 4 | 5 | 0.0% | 100.0% | 0.0% |" in findings_table([found])


def called(monkeypatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["treewright", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0


def test_the_verbs(monkeypatch, capsys, tmp_path):
    called(monkeypatch, "scan", "language", "order")
    assert "S -> V_1 the N_2 ### N_2 V_1" in capsys.readouterr().out
    called(monkeypatch, "scan", "language", "order", "-o", str(tmp_path / "order"), "--quiet")
    saved = SynchronousGrammar.load(tmp_path / "order" / "grammar.txt")
    assert saved == feature_language("order").grammar
    lines = (tmp_path / "order" / "train.txt").read_text().splitlines()
    assert len(lines) == len(named_task("order")[1].train)
    called(monkeypatch, "scan", "features", "invented-0", "around", "--json")
    found = json.loads(capsys.readouterr().out)
    assert [each["language"] for each in found] == ["invented-0", "around"]
