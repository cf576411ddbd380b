"""Induction of synchronous grammars from small parts of SCAN, and from faulty pairs."""

import functools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from grammar.graph.storage import graph_from_json, graph_to_json
from grammar.synchronous.forest import Edge, PairForest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.synchronous.closure import ClosureOptions
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from induction.synchronous.lexicon import induce_lexicon
from induction.synchronous.pairs import read_training_pairs
from induction.synchronous.search import SearchOptions, needless_rules
from induction.synchronous.unification import canonical, unifiers
from sampling.sentences.pairs import sample_pairs
from scan.generator import generate, verify
from scan.splits import split

CANONICAL = """
NT_1 after NT_2 ### NT_2 NT_1
NT_1 and NT_2 ### NT_1 NT_2
NT_1 around left ### I_TURN_LEFT NT_1 I_TURN_LEFT NT_1 I_TURN_LEFT NT_1 I_TURN_LEFT NT_1
NT_1 around right ### I_TURN_RIGHT NT_1 I_TURN_RIGHT NT_1 I_TURN_RIGHT NT_1 I_TURN_RIGHT NT_1
NT_1 left ### I_TURN_LEFT NT_1
NT_1 opposite left ### I_TURN_LEFT I_TURN_LEFT NT_1
NT_1 opposite right ### I_TURN_RIGHT I_TURN_RIGHT NT_1
NT_1 right ### I_TURN_RIGHT NT_1
NT_1 thrice ### NT_1 NT_1 NT_1
NT_1 twice ### NT_1 NT_1
jump ### I_JUMP
look ### I_LOOK
run ### I_RUN
turn around left ### I_TURN_LEFT I_TURN_LEFT I_TURN_LEFT I_TURN_LEFT
turn around right ### I_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT I_TURN_RIGHT
turn left ### I_TURN_LEFT
turn opposite left ### I_TURN_LEFT I_TURN_LEFT
turn opposite right ### I_TURN_RIGHT I_TURN_RIGHT
turn right ### I_TURN_RIGHT
walk ### I_WALK
""".strip().splitlines()


def short_pairs(words: int = 5, without: str = "-") -> list[tuple[str, str]]:
    scan = generate()
    pairs = zip(scan.column("text"), scan.column("target"), strict=True)
    return [(s, t) for s, t in pairs if len(s.split()) <= words and without not in s]


@functools.cache
def from_a_twelfth(name: str, **left_out: bool) -> SynchronousInduction:
    """Induce two types from a twelfth of the training pairs, which takes a tenth of the time."""
    train = split(name).train
    pairs = list(dict.fromkeys(zip(train.column("text"), train.column("target"), strict=True)))
    return induce_synchronous([*pairs[:100], *pairs[100::12]], types=2, **left_out)


def answers(grammar: SynchronousGrammar, name: str) -> list[tuple[str | None, str]]:
    """Return the best target, or None, and the right one of every twentieth test command."""
    parser, test = SynchronousParser(grammar), split(name).test
    pairs = zip(test.column("text")[::20], test.column("target")[::20], strict=True)
    found = ((parser.translations(source.split()), target) for source, target in pairs)
    return [(" ".join(best[0].target) if best else None, target) for best, target in found]


def rules_of(grammar: SynchronousGrammar) -> list[str]:
    return sorted(map(str, grammar.rules))


@pytest.fixture(scope="module")
def found() -> SynchronousInduction:
    return induce_synchronous(short_pairs())


def test_the_canonical_rules_are_recovered(found: SynchronousInduction) -> None:
    assert rules_of(found.rules) == CANONICAL
    assert found.explained.underivable == 0
    assert found.lexicon["I_TURN_LEFT"] == ("left",)
    assert (("left", "I_TURN_LEFT"), ("right", "I_TURN_RIGHT")) in found.classes


def test_every_training_pair_is_derivable_and_parsed_right(found: SynchronousInduction) -> None:
    untyped = SynchronousParser(found.rules)
    typed = SynchronousParser(found.core)
    pairs = short_pairs()
    assert all(untyped.is_derivable(source.split(), target.split()) for source, target in pairs)
    for source, target in pairs[::7]:
        best = typed.translations(source.split())
        assert best
        assert " ".join(best[0].target) == target


def test_longer_commands_than_those_seen_are_parsed_right(found: SynchronousInduction) -> None:
    parser = SynchronousParser(found.grammar)
    scan = generate()
    pairs = list(zip(scan.column("text"), scan.column("target"), strict=True))
    for source, target in pairs[500::400]:
        best = parser.translations(source.split())
        assert best
        assert " ".join(best[0].target) == target


def test_sampled_pairs_agree_with_the_interpreter(found: SynchronousInduction) -> None:
    for bands in ({}, {"depth": (2, 4)}, {"target_length": (10, 30), "flat": True}):
        assert verify(sample_pairs(found.core, 300, **bands)).rate == 1.0


@pytest.mark.parametrize("name", [
    "simple", "length", "jump", "turn-left", "around-right", "opposite-right", "right",
    "jump-around-right", "mcd1", "mcd2", "mcd3",
])  # fmt: skip
@pytest.mark.usefixtures("data_folder")
def test_every_split_gives_the_canonical_rules_and_samples_that_agree(name: str) -> None:
    made = from_a_twelfth(name)
    assert rules_of(made.rules) == CANONICAL
    assert verify(sample_pairs(made.core, 2_000, uniform=True, depth=(1, 9))).rate == 1.0


def test_order_and_copies_of_the_pairs_change_nothing() -> None:
    pairs = short_pairs(4)
    once = induce_synchronous(pairs, types=3)
    again = induce_synchronous([*reversed(pairs), *pairs[:50]], types=3)
    assert again.grammar == once.grammar
    assert again.core == once.core


# induced with licensing and closure, without licensing, and without closure: the share of test
# commands with the right target, the share without any, and whether all sampled pairs are right
NEEDED = {
    "around-right": ((1, 0, True), (0, 0, False), (0, 1, True)),
    "opposite-right": ((1, 0, True), (0, 0, False), (0, 1, True)),
    "right": ((1, 0, True), (1, 0, True), (0, 1, True)),
    "jump-around-right": ((1, 0, True), (1, 0, False), (1, 0, True)),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_the_template_splits_need(name: str) -> None:
    variants = ({}, {"licensing": False}, {"closure": False})
    for left_out, expected in zip(variants, NEEDED[name], strict=True):
        found = from_a_twelfth(name, **left_out)
        pairs = answers(found.grammar, name)
        right = sum(best == target for best, target in pairs) / len(pairs)
        none = sum(best is None for best, _ in pairs) / len(pairs)
        made = verify(sample_pairs(found.core, 500, uniform=True, depth=(1, 9)))
        assert (right, none, made.rate == 1) == expected, left_out
        assert found.explained.underivable == 0


@pytest.mark.parametrize("name", NEEDED)
def test_samples_may_be_what_the_template_splits_ask_for(name: str) -> None:
    """No training pair has *around right*, and *right* is a word of rules, not of a slot."""
    parser = SynchronousParser(from_a_twelfth(name).core)
    test = split(name).test
    pairs = list(zip(test.column("text"), test.column("target"), strict=True))[::20]
    derived = sum(parser.is_derivable(s.split(), t.split()) for s, t in pairs)
    assert derived >= 0.97 * len(pairs)


def test_rules_that_no_pair_needs_go_one_at_a_time() -> None:
    # both rules derive the first pair, so either may go but not both; the second needs rule 1
    either = PairForest([(0, 1, "NT", "x")], [Edge(0, 0, ()), Edge(0, 1, ())], 0)
    second = PairForest([(0, 1, "NT", "y")], [Edge(0, 1, ()), Edge(0, 2, ())], 0)
    assert needless_rules([either], range(2)) == {0}
    assert needless_rules([either, second], range(3)) == {0, 2}
    assert needless_rules([either, second], [1]) == {1}
    assert needless_rules([either, second], range(4)) == {0, 2, 3}


def test_closure_that_the_pairs_refute_is_left_out() -> None:
    # "hot" and "dry" look alike in one frame, but "very dry" is said otherwise
    pairs = [
        ("hot", "H"), ("dry", "D"), ("wet", "W"), ("so hot", "S H"), ("so dry", "S D"),
        ("so wet", "S W"), ("very hot", "V H"), ("very wet", "V W"),
        ("very dry", "D D X"),
    ]  # fmt: skip
    made = induce_synchronous(pairs, types=1)
    assert SynchronousParser(made.rules).is_derivable(["very", "dry"], ["D", "D", "X"])
    assert made.explained.underivable == 0


def test_the_trace_can_be_read_and_gives_grammars(found: SynchronousInduction) -> None:
    said: list[str] = []
    induce_synchronous(short_pairs(3), types=1, on_progress=said.append)
    assert said[0].startswith("search: part 1 of 1, ")
    assert said[1].startswith("part 1, step 1: ")
    assert any(line.startswith("closure: ") for line in said)
    first, last = found.trace[0], found.trace[-1]
    assert len(first.grammar) >= len(last.grammar) == 20 - len(found.added)
    assert "part 1, step 1:" in str(first)
    graph = last.grammar.graph
    again = graph_from_json(graph_to_json(graph))
    assert json.loads(graph_to_json(again))["family"] == "synchronous"
    assert SynchronousGrammar.from_graph(again) == last.grammar


def test_the_report_says_what_was_chosen(found: SynchronousInduction) -> None:
    report = str(found)
    assert "0 underivable" in report
    assert "left~I_TURN_LEFT" in report
    assert found.held_out is not None
    assert set(found.type_scores) <= {1, 2, 3, 4, 5, 6}
    assert found.held_out > 0.95


@pytest.mark.parametrize("method", ["necessity", "association", "ibm1"])
def test_lexicons(method: str) -> None:
    pairs = [("a b", "A B"), ("b a", "B A"), ("a c", "A C"), ("c b", "C B"), ("a", "A"), ("b", "B")]
    training = read_training_pairs(pairs)
    found = induce_lexicon(training, method=method)
    named = {training.words(v): [training.words(w) for w in words] for v, words in found.items()}
    assert named == {"A": ["a"], "B": ["b"], "C": ["c"]}


def test_the_fallback_stands_noise_that_necessity_does_not() -> None:
    pairs = [(f"a w{i}", f"A V{i}") for i in range(20)] + [("a odd", "ODD"), ("b w1", "B V1")]
    training = read_training_pairs(pairs)
    a = training.pairs[0][1][0]
    assert a not in induce_lexicon(training, method="necessity")
    assert a in induce_lexicon(training, method="association")


def test_a_word_of_nearly_every_pair_is_not_one_that_others_need() -> None:
    pairs = [(f"a w{i}", f"V{i} B") for i in range(30)] + [("w1", "V1 B"), ("a odd", "V2")]
    training = read_training_pairs(pairs)
    named = set(map(training.words, induce_lexicon(training, method="association")))
    assert not {"A", "B"} & named


def test_words_are_linked_in_both_directions() -> None:
    # X stands wherever A does, and in two more pairs: the best word for X is a, that for a is A
    pairs = [(f"a w{i}", f"A X V{i}") for i in range(20)] + [("b", "X"), ("b c", "X C")]
    training = read_training_pairs(pairs)
    found = induce_lexicon(training, method="ibm1")
    named = {training.words(v): [*map(training.words, words)] for v, words in found.items()}
    assert named["A"] == ["a"]
    assert "X" not in named


def noisy_pairs() -> list[tuple[str, str]]:
    """Pairs without *around right*, one in a hundred with the target of another."""
    pairs = short_pairs(5, without="around right")
    drawn = np.random.default_rng(0).integers(len(pairs), size=(len(pairs) // 100, 2))
    for row, other in drawn.tolist():
        pairs[row] = (pairs[row][0], pairs[other][1])
    return pairs


@pytest.mark.parametrize("method", ["association", "ibm1", "auto"])
def test_the_fallbacks_find_the_words_of_scan(method: str) -> None:
    words = {"walk", "look", "run", "jump", "left", "right"}
    for pairs in (short_pairs(4), noisy_pairs()):
        training = read_training_pairs(pairs)
        found = induce_lexicon(training, method=method)
        named = {training.words(v): [*map(training.words, ws)] for v, ws in found.items()}
        actions = {f"I_TURN_{w.upper()}" if w in ("left", "right") else f"I_{w.upper()}": [w]
                   for w in words}  # fmt: skip
        assert named == actions
    assert not induce_lexicon(read_training_pairs(noisy_pairs()), method="necessity")


@pytest.mark.parametrize("method", ["necessity", "association", "ibm1", "auto"])
def test_closure_stands_faulty_pairs_whatever_finds_the_words(method: str) -> None:
    around = CANONICAL[3]
    assert around.startswith("NT_1 around right ###")
    made = induce_synchronous(noisy_pairs(), lexicon=method, types=1)
    assert around in map(str, made.rules.rules)


def test_a_rule_is_a_unifier_of_what_it_makes() -> None:
    a, b, twice = ("\u0101\u0103", "\u0201\u0201"), ("\u0101", "\u0201"), ("\x01\u0103", "\x01\x01")
    assert list(unifiers(a, b, max_slots=2)) == [twice]
    assert list(unifiers(a, twice, max_slots=2)) == [b]


@given(st.permutations("\x01\x02\u0101"), st.permutations("\x01\x02\x02\u0201"))
def test_canonical_rules_stay_as_they_are(source: list[str], target: list[str]) -> None:
    rule = canonical("".join(source), "".join(target))
    assert rule is not None
    assert canonical(*rule) == rule
    assert [c for c in rule[0] if c < "\x10"] == ["\x01", "\x02"]


@pytest.mark.parametrize(
    ("pairs", "message", "where"),
    [
        ([], "there are no training pairs", None),
        ([("walk", "W"), ("run",)], r"\('run',\) is not a source and a target", "pair 2"),
        ([("walk", "W", "W")], "is not a source and a target", "pair 1"),
        ([("walk", 3)], "is not a source and a target", "pair 1"),
        (["ab"], "'ab' is not a source and a target", "pair 1"),
        ([("walk", ["W", 3])], "is not a source and a target", "pair 1"),
        ([(["walk"], None)], "the target is empty", "pair 1"),
        ([("walk", "W"), ("", "W")], "the source is empty", "pair 2"),
        ([("walk", " ")], "the target is empty", "pair 1"),
        (
            [("walk", "W"), ("run", "R"), ("walk", "X")],
            "'walk' has two targets: 'W' and 'X'",
            "pair 1 and pair 3",
        ),
    ],
)
def test_faulty_pairs(pairs: list, message: str, where: str | None) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        induce_synchronous(pairs)
    assert caught.value.where == where


def test_a_corpus_needs_targets() -> None:
    with pytest.raises(CorpusError, match="no column 'target'"):
        induce_synchronous(Corpus.from_columns(text=["walk"]))
    with pytest.raises(CorpusError, match="the target is empty"):
        induce_synchronous(Corpus.from_columns(text=["walk"], target=[None]))


def test_options_out_of_range() -> None:
    pairs = [("walk", "W")]
    for option in ({"types": 0}, {"parts": 0}, {"lexicon": "magic"}):
        with pytest.raises(OptionError):
            induce_synchronous(pairs, **option)
    with pytest.raises(OptionError, match="threshold"):
        induce_lexicon(read_training_pairs(pairs), threshold=0.2)
    with pytest.raises(OptionError, match="out of range"):
        ClosureOptions(evidence=0)
    with pytest.raises(OptionError, match="max_slots"):
        SearchOptions(max_slots=0)


def test_a_single_pair() -> None:
    made = induce_synchronous([("walk", "W")])
    assert rules_of(made.grammar) == ["walk ### W"]


def test_options_of_sampling_that_contradict() -> None:
    grammar = SynchronousGrammar.parse("walk ### W")
    with pytest.raises(OptionError, match="depth"):
        sample_pairs(grammar, 1, depth=(1, 2), source_length=(1, 2))
    with pytest.raises(OptionError, match="need a band"):
        sample_pairs(grammar, 1, uniform=True)
    with pytest.raises(OptionError, match="n=-1"):
        sample_pairs(grammar, -1)
    whole, part = sample_pairs(grammar, 4), sample_pairs(grammar, 2, start=2)
    assert part.table.equals(whole.table.slice(2, 2))


def test_places_are_asked_for_only_by_errors() -> None:
    def read_again(row: int) -> str:
        raise AssertionError(f"the file is read again for row {row}")

    table = Corpus.from_columns(text=["walk", "run"], target=["W", "R"]).table
    assert len(read_training_pairs(Corpus(table, read_again))) == 2
