"""Parsers on forests: trained, saved, opened, and faced with what is no sentence."""

import copy
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import (
    ChartGrammarError,
    EmptyTreebankError,
    OptionError,
    SchemaError,
    UnreadableInputError,
)
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.forest.forest import has_tree
from grammar.saving.array_file import array_schema, load_arrays, save_arrays
from grammar.trees.evaluation import NO_PARSE, evalb
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import normalise, read_treebank
from induction.counts.lexicon import Lexicon
from induction.fragments.dop import induce_double_dop
from induction.parsers.fragments import FragmentParser
from induction.parsers.latent import LatentParser
from induction.parsers.opening import open_parser
from induction.parsers.protocol import read_sentences
from induction.parsers.training import induce_parser
from induction.trees.normalise import SKELETON_STEPS
from treewright.cli import app, main

QUICK = {"rounds": 1, "split_iterations": 5, "merge_iterations": 3}


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return read_treebank()[:150]


@pytest.fixture(scope="module")
def latent(treebank) -> LatentParser:
    return induce_parser(treebank, models=2, **QUICK)


@pytest.fixture(scope="module")
def fragments(treebank) -> FragmentParser:
    return FragmentParser(induce_double_dop(treebank, steps=SKELETON_STEPS, direction="head"))


@pytest.fixture(params=["latent", "fragments"])
def parser(request):
    return request.getfixturevalue(request.param)


def test_trees_that_were_seen_are_mostly_found_again(parser, treebank):
    gold = normalise(treebank)
    found = evalb(gold, parser.parse(gold.sentences())).all
    assert found.skipped == 0
    assert found.f1 > 88.0
    assert found.tagging > 95.0


def test_trees_show_neither_states_nor_binarisation(parser, treebank):
    labels = set(normalise(treebank).symbols)
    for tree in parser.parse(normalise(treebank).sentences()[:30]):
        for node in tree.nodes():
            assert node.label in labels


def test_words_never_seen_get_trees(parser):
    [tree] = parser.parse(["The Zyzzyvas quibbled furiously over 17,000 re-grobbled frabjets."])
    assert tree.leaves()[:3] == ("The", "Zyzzyvas", "quibbled")
    assert tree.label == "TOP"


def test_given_tags_are_kept(parser):
    words, tags = ["the", "film", "was", "good"], ["DT", "NN", "VBD", "JJ"]
    [tree] = parser.parse([words], tags=[tags])
    assert [n.label for n in tree.nodes() if isinstance(n.children[0], str)] == tags
    [failure] = parser.parse_each([words], tags=[["DT", "XX", "VBD", "JJ"]])
    assert isinstance(failure, NoParse)
    assert "the grammar lacks the tag 'XX' of the word 'film' (word 2 of 4)" in failure.reason


def spans(tree: Tree) -> set[tuple[int, int]]:
    found, at = set(), 0

    def walk(node: Tree | str) -> None:
        nonlocal at
        if isinstance(node, str):
            at += 1
            return
        begin = at
        for child in node.children:
            walk(child)
        found.add((begin, at))

    walk(tree)
    return found


def crossed(tree: Tree, brackets: list[tuple[int, int]]) -> int:
    return sum(a < b < c < d or b < a < d < c for a, c in spans(tree) for b, d in brackets)


def test_brackets_guide_to_trees_that_cross_fewer(parser, treebank):
    """What is best by itself stays where it crosses nothing, and a high cost moves the rest."""
    sentences = normalise(treebank).sentences()[:30]
    brackets = [[(n, n + 3) for n in range(len(words) - 2)][:4:2] for words in sentences]
    plain = list(parser.parse(sentences))
    assert list(parser.parse_guided(sentences, brackets, cost=0.0)) == plain
    assert list(parser.parse_guided(sentences, [[] for _ in sentences])) == plain
    guided = list(parser.parse_guided(sentences, brackets, cost=50.0))
    counts = [
        [crossed(tree, own) for tree, own in zip(trees, brackets, strict=True)]
        for trees in (plain, guided)
    ]
    assert all(after <= before for before, after in zip(*counts, strict=True))
    assert sum(counts[1]) < sum(counts[0])
    same = [a == b for a, b, before in zip(plain, guided, counts[0], strict=True) if not before]
    assert all(same)


def test_brackets_go_with_given_tags(parser):
    words, tags = ["the", "film", "was", "good"], ["DT", "NN", "VBD", "JJ"]
    [tree] = parser.parse_guided([words], [[(0, 2)]], tags=[tags])
    assert [n.label for n in tree.nodes() if isinstance(n.children[0], str)] == tags
    assert (0, 2) in spans(tree)


def test_brackets_that_are_none_are_refused(parser):
    with pytest.raises(OptionError, match="has no words"):
        list(parser.parse_guided([SENTENCE], [[(2, 2)]]))
    with pytest.raises(OptionError, match="is negative"):
        list(parser.parse_guided([SENTENCE], [[]], cost=-1.0))
    for brackets, tags in (([], None), ([[]], [])):
        with pytest.raises(ValueError, match="shorter"):
            list(parser.parse_guided([SENTENCE], brackets, tags=tags))


SENTENCE = ["the", "film", "with", "the", "actor", "was", "a", "good", "one", "."]


def test_k_trees_differ_and_come_by_probability(parser):
    [best] = parser.parse([SENTENCE])
    [one] = parser.kbest_each([SENTENCE], 1)
    [many] = parser.kbest_each([SENTENCE], 20)
    assert one[0].tree == best
    scores = [parse.log_probability for parse in many]
    assert scores == sorted(scores, reverse=True)
    assert one[0].log_probability == pytest.approx(
        next(parse.log_probability for parse in many if parse.tree == best)
    )
    assert 1 < len(many) <= 20
    assert len({parse.tree for parse in many}) == len(many)
    assert all(parse.tree.leaves() == tuple(SENTENCE) for parse in many)
    assert not many[0].exact


def test_posteriors_of_trees_agree_with_their_log_probabilities(parser):
    """What the k trees hold of the probability of all is what spans cannot be below."""
    [found] = parser.forests_each([SENTENCE])
    [many] = parser.kbest_each([SENTENCE], 200)
    [total] = parser.log_probabilities(found.forest, found.known)
    share = np.exp([parse.log_probability - total for parse in many])
    assert share.sum() <= 1.0 + 1e-9
    [spans] = parser.spans_each([SENTENCE])
    probability = {span[:3]: span.probability for span in spans}
    assert probability["TOP", 0, len(SENTENCE)] == pytest.approx(1.0)
    assert all(0.0 <= p <= 1.0 for p in probability.values())
    if parser.name == "fragments":  # the mean of two models is no one model's posterior
        for label in ("NP", "VP", "S"):
            for start in range(len(SENTENCE)):
                for end in range(start + 1, len(SENTENCE) + 1):
                    held = sum(
                        part
                        for parse, part in zip(many, share.tolist(), strict=True)
                        if (label, start, end) in set(parse.tree.spans())
                    )
                    assert held <= probability.get((label, start, end), 0.0) + 1e-9


def test_log_probabilities_of_fragments_are_those_of_the_grammar():
    parts = [
        ("(TOP (S (A a) (B )))", 0.5), ("(TOP (S (A ) (B )))", 0.5),
        ("(A a)", 0.75), ("(A b)", 0.25), ("(B b)", 1.0),
    ]  # fmt: skip
    grammar = TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), weight, 8) for text, weight in parts], start="TOP"
    )
    parser = FragmentParser(grammar)
    emission = np.array([[0.75, 0.0], [0.0, 1.0]])  # of a and b under A and B
    parser.lexicon = SimpleNamespace(emission=lambda words: emission)
    [[parse]] = parser.kbest_each([["a", "b"]], 3)
    assert parse.log_probability == pytest.approx(np.log(0.5 + 0.5 * 0.75))
    tree = Tree.parse("(TOP (S (A a) (B b)))")
    assert parse.log_probability == pytest.approx(grammar.tree_log_probability(tree))


@pytest.mark.parametrize("k", [0, -1, True, 2.0])
def test_k_is_a_number_above_zero(parser, k):
    with pytest.raises(OptionError, match="not a whole number >= 1"):
        parser.kbest_each([SENTENCE], k)


def test_scores_of_no_sentence_are_reasons(parser):
    for found in (parser.kbest_each([[]], 2), parser.spans_each([[]])):
        [nothing] = found
        assert isinstance(nothing, NoParse)


def test_what_is_no_sentence_is_said_and_kept_in_place(parser):
    given = [[], ["a b"], ["fine"], ["the"] * 400]
    answers = list(parser.parse_each(given))
    reasons = [a.reason if isinstance(a, NoParse) else "" for a in answers]
    assert "no words" in reasons[0]
    assert "white space" in reasons[1]
    assert reasons[2:] == ["", ""]
    assert [tree == NO_PARSE for tree in parser.parse(given)] == [True, True, False, False]


# --- limits, and what is done where nothing else helps -----------------------------------------

SLOW = [
    *[
        "but",
        "after",
        "10",
        "days",
        ",",
        "the",
        "sound",
        "worked",
        ",",
        "but",
        "the",
        "video",
        "quit",
        "working",
        ".",
    ]
]


def limited(parser, **limits):
    one = copy.copy(parser)
    for name, value in limits.items():
        object.__setattr__(one, name, value)
    return one


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_words": 20}, "in parts: it has 45 words, more than 20"),
        ({"memory_limit": 1 << 20}, "in parts: its chart needs"),
        ({"step_limit": 30_000}, "in parts: its chart takes more than 30,000 steps"),
    ],
)
def test_what_takes_too_much_is_parsed_in_parts(parser, limits, reason):
    few = limited(parser, **limits)
    short, long = few.parse_each([["fine"], SLOW * 3])
    assert not isinstance(short, CoarseTree)
    assert isinstance(long, CoarseTree)
    assert long.reason.startswith(reason)
    assert long.leaves() == tuple(SLOW * 3)
    [[only]] = few.kbest_each([SLOW * 3], 5)
    assert only.tree == long
    assert not only.exact
    [spans] = few.spans_each([SLOW * 3])
    assert ("TOP", 0, 45, 1.0) in spans
    [refused] = few.forests_each([SLOW * 3])
    assert refused.reason == long.reason


def test_a_word_that_is_too_much_by_itself_is_refused(parser):
    [refused] = limited(parser, step_limit=1, memory_limit=1).parse_each([["fine", "days"]])
    assert isinstance(refused, NoParse)
    assert refused.refused
    assert refused.sentence == ("fine", "days")


def test_a_forest_that_is_too_much_is_thinned_further(parser):
    few = limited(parser, step_limit=30_000)
    few_steps = limited(parser, step_limit=10)
    [forest] = parser.forests_each([SLOW])
    cut, reason = few_steps._affordable(forest.forest, forest.known, 10, few.steps)
    assert len(cut.rule) < len(forest.forest.rule)
    assert "10 steps" in reason
    assert has_tree(cut)


def test_a_sentence_whose_tags_have_no_derivation_ends(parser):
    # on a forest without a tree the search for the best one never came back
    [tree] = parser.parse_each([SLOW])
    assert tree.leaves() == tuple(SLOW)


def test_few_words_are_taken_for_others():
    treebank = Treebank.parse("(S (NP (D the) (N dog)) (VP (V ran) (R home)))" * 20)
    treebank = Treebank.from_trees([*treebank, *Treebank.parse("(S (NP (D this) (N xi)) (V xo))")])
    quick = {"rounds": 1, "split_iterations": 2, "merge_iterations": 2}
    parser = induce_parser(treebank, models=1, **quick)
    [tree] = parser.parse_each([["the", "ran", "ran", "home"]])
    assert str(tree) == "(TOP (S (NP (D the) (N ran)) (VP (V ran) (R home))))"


def test_signs_have_the_tags_of_signs():
    treebank = Treebank.parse("(S (NP (PRP we)) (VP (VBD ran)) (. .)) (S (NP (NN x)) (. ?))" * 5)
    parser = induce_parser(treebank, models=1, rounds=0)
    given = [["we", "ran", "!"], ["WE", "RAN", "!!!"], ["we", "—", "ran"]]
    told, shouted, dashed = parser.parse_each(given)
    assert str(told) == "(TOP (S (NP (PRP we)) (VP (VBD ran)) (. !)))"
    assert str(shouted) == "(TOP (S (NP (PRP WE)) (VP (VBD RAN)) (. !!!)))"
    assert dashed.leaves() == ("we", "—", "ran")


def test_where_nothing_yields_a_sentence_its_pieces_stand_side_by_side(parser):
    words = ["fine", "days"]
    grammar = parser.skeleton.grammar
    chart = parser.skeleton.chart(parser.lexicon.emission(words))
    [given] = read_sentences([words])
    tree = parser._in_pieces(given, chart)
    assert tree.label == grammar.start
    assert tree.leaves() == ("fine", "days")
    assert tree.reason.startswith("in pieces")


def test_trees_do_not_depend_on_workers(parser, treebank):
    given = ["", *normalise(treebank).sentences()[:20], [], ["the"] * 400, ["fine"]]
    one = list(parser.parse_each(given))
    two = copy.copy(parser)
    object.__setattr__(two, "workers", 2)
    assert list(two.parse_each(given)) == one
    assert two.version == parser.version
    assert list(two.parse_each([])) == []


def test_words_without_any_tag_get_some(parser, monkeypatch):
    tags = len(parser.skeleton.tags)
    monkeypatch.setattr(Lexicon, "emission", lambda _, words: np.zeros((len(words), tags)))
    [found] = parser.parse_each([["fine"]])
    assert found.leaves() == ("fine",)


def test_a_latent_parser_is_saved_and_opened(latent, treebank, tmp_path):
    path = tmp_path / "parser.arrow"
    latent.save(path)
    opened = open_parser(path)
    assert isinstance(opened, LatentParser)
    assert opened.version == latent.version
    sentences = normalise(treebank).sentences()[:20]
    assert opened.parse(sentences) == latent.parse(sentences)
    assert array_schema(path) == LatentParser.codec.schema


def test_a_fragment_grammar_is_opened_as_a_parser(fragments, treebank, tmp_path):
    path = tmp_path / "fragments.json.gz"
    fragments.grammar.save(path)
    opened = open_parser(path)
    assert isinstance(opened, FragmentParser)
    assert opened.version == fragments.version
    sentences = normalise(treebank).sentences()[:20]
    assert opened.parse(sentences) == fragments.parse(sentences)


@pytest.mark.parametrize(
    ("share", "what"), [(0.0, "it is empty"), (0.3, "it is truncated"), (0.9, "it is truncated")]
)
def test_a_truncated_file_is_refused(latent, tmp_path, share, what):
    path = tmp_path / "parser.arrow"
    latent.save(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(SchemaError, match="not a grammar saved") as caught:
        open_parser(path)
    assert what in str(caught.value)
    assert "induce" in str(caught.value)


def test_files_that_are_named_as_others_are_said_to_be_what_they_are(latent, tmp_path):
    path = tmp_path / "parser.arrow"
    path.write_text("S -> 'a' [1]")
    with pytest.raises(SchemaError, match="it is not an Arrow file"):
        open_parser(path)
    latent.save(path)
    data = path.read_bytes()
    path.write_bytes(data[:8] + bytes(len(data) - 16) + data[-8:])
    with pytest.raises(SchemaError, match="it is damaged"):
        open_parser(path)
    path = tmp_path / "parser.json"
    path.write_bytes(data)
    with pytest.raises(SchemaError, match="this is an Arrow file") as caught:
        open_parser(path)
    assert "name it .arrow" in str(caught.value)


def test_files_of_another_version_or_damaged_are_refused(latent, tmp_path):
    path = tmp_path / "parser.arrow"
    save_arrays(path, "treewright.latent-parser/0", {}, {})
    with pytest.raises(SchemaError, match="latent-parser/0', and") as caught:
        open_parser(path)
    assert LatentParser.codec.schema in str(caught.value)
    latent.save(path)
    schema = LatentParser.codec.schema
    facts, columns = load_arrays(path, schema, what="a parser", hint="")
    save_arrays(
        path, LatentParser.codec.schema, facts, columns | {"1.weight": columns["1.weight"][1:]}
    )
    with pytest.raises(SchemaError, match="damaged"):
        open_parser(path)
    del columns["words"]
    save_arrays(path, LatentParser.codec.schema, facts, columns)
    with pytest.raises(SchemaError, match="damaged"):
        open_parser(path)
    with pytest.raises(UnreadableInputError, match="none"):
        open_parser(tmp_path / "none.arrow")


def test_arrays_come_back_as_they_were(tmp_path):
    path = tmp_path / "x.arrow"
    columns = {
        "a": np.arange(3),
        "b": np.array([0.5, np.nan]),
        "names": ["x", "é"],
        "c": np.ones(0),
    }
    save_arrays(path, "x/1", {"k": [1, "z"]}, columns)
    facts, read = load_arrays(path, "x/1", what="x", hint="")
    assert facts == {"k": [1, "z"]}
    assert read["names"] == ["x", "é"]
    for name in ("a", "b", "c"):
        assert read[name].dtype == columns[name].dtype
        assert np.array_equal(read[name], columns[name], equal_nan=True)
    path.write_text("hello")
    assert array_schema(path) is None


def test_training_does_not_depend_on_workers(treebank):
    small = treebank[:40]
    one = induce_parser(small, models=2, **QUICK)
    two = induce_parser(small, models=2, **QUICK, workers=2)
    assert one.version == two.version
    assert induce_parser(small, models=1, **QUICK).version != one.version


def test_a_parser_without_rounds_is_the_skeleton(treebank):
    unsplit = induce_parser(treebank[:40], models=1, rounds=0)
    assert unsplit.models[0].grammar.states.max() == 1
    assert unsplit.parse(["The food was good ."])[0] != NO_PARSE


def test_training_refuses_what_it_cannot_use():
    with pytest.raises(EmptyTreebankError):
        induce_parser(Treebank.parse(""))
    with pytest.raises(OptionError, match="models=0 is out of range"):
        induce_parser(Treebank.parse("(S (N a))"), models=0)
    one = induce_parser(Treebank.parse("(S (N we) (V swim))"), models=1, **QUICK)
    assert str(one.parse([["they", "swim"]])[0]) == "(TOP (S (N they) (V swim)))"


def test_bad_options_of_parsers_are_refused(latent, fragments, tmp_path):
    with pytest.raises(OptionError, match="threshold is 0"):
        FragmentParser(fragments.grammar, threshold=0.0)
    with pytest.raises(OptionError, match="at least one model"):
        LatentParser(latent.skeleton, latent.lexicon, latent.small, ())
    with pytest.raises(OptionError, match="workers=0"):
        FragmentParser(fragments.grammar, workers=0)
    path = tmp_path / "fragments.json"
    fragments.grammar.save(path)
    assert open_parser(path, workers=2).workers == 2
    with pytest.raises(OptionError, match="no decoder viterbi"):
        open_parser(path, decoder="viterbi")


def test_fragments_that_no_forest_can_hold_are_refused():
    cyclic = induce_double_dop(Treebank.parse("(S (A (S (A a))))"), steps=())
    with pytest.raises(ChartGrammarError, match="circle"):
        FragmentParser(cyclic)
    wide = induce_double_dop(Treebank.parse("(S (A a) (B b) (C c))"), steps=())
    with pytest.raises(ChartGrammarError, match="S -> A B C"):
        FragmentParser(wide)
    assert isinstance(wide, TreeSubstitutionGrammar)
    beside = induce_double_dop(
        Treebank.parse("(S (N we) (V saw (N us))) (S (N we) (V (V saw) us))"), steps=()
    )
    with pytest.raises(ChartGrammarError, match="V -> 'saw' N|V -> V 'us'") as caught:
        FragmentParser(beside)
    assert "its own tag" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "output", "options"),
    [
        ("pcfg", "g.json", ["--horizontal-markov", "2", "--rare-words", "1"]),
        ("dop", "g.json.gz", ["--weights", "bonnema"]),
        ("double-dop", "g.json.gz", ["--weights", "ewe"]),
        ("bayes-tsg", "g.json", ["--iterations", "2", "--prior", "dirichlet"]),
        ("lpcfg", "g.json", []),
        ("latent", "g.arrow", ["--rounds", "1", "--models", "1"]),
    ],
)
def test_every_family_is_induced_and_parses_on_the_command_line(
    model, output, options, treebank, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    treebank[:30].write("trees.mrg")
    (tmp_path / "text.txt").write_text(f"{' '.join(treebank.sentences()[0])}\n")
    runner = CliRunner()
    made = runner.invoke(app, ["induce", "trees.mrg", "-o", output, "--model", model, *options])
    assert made.exit_code == 0, made.output
    parsed = runner.invoke(app, ["parse", output, "text.txt", "--tokenised", "--quiet"])
    assert parsed.exit_code == 0, parsed.output
    [tree] = Treebank.parse(parsed.stdout)
    assert tree.label == "TOP"
    assert tree.leaves() == treebank.sentences()[0]
    assert not any(mark in parsed.stdout for mark in ("^<", "|<", "@", "#"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--model dob", "did you mean 'dop'?"),
        ("--model dop --rounds 2", "does not take --rounds"),
        ("--model pcfg --prior dirichlet", "does not take --prior"),
        ("--model latent", "no name for the model latent"),
        ("--model double-dop --weights dop1", "dop1"),
        ("--model bayes-tsg --prior flat", "flat"),
    ],
)
def test_options_that_a_family_does_not_take_are_refused(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trees.mrg").write_text("(S (NP (PRP we)) (VP (VBD slept)))")
    arguments = ["treewright", *f"induce trees.mrg -o OUT.json {arguments}".split()]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "OUT.json").exists()
