"""Parsers of text: unknown words, plain trees, given tags, and failures that are values."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grammar import Grammar, Tree, Treebank
from grammar.chart.parser import Parser
from grammar.chart.parses import NoParse
from grammar.errors import OptionError, SchemaError
from grammar.trees.evaluation import NO_PARSE
from induction import induce_pcfg, read_treebank, unbinarise
from induction.counts.known_words import KnownWords
from induction.parsers.chart import ChartTextParser
from induction.parsers.opening import open_parser
from induction.parsers.protocol import is_scoring, read_sentences
from induction.trees.normalise import expand_unaries
from tests.grammar.strategies import grammars

ALL = 200
"""More derivations than the sentences of these tests have, or else the example is skipped."""

ANNOTATED = Grammar.parse("""
    S -> {NP^<S>} {VP^<S>} [1/2] | {NP^<VP>} {VP^<S>} [1/4] | {S|<NP>^<S>} {NP^<S>} [1/4]
    {S|<NP>^<S>} -> {NP^<S>} {VP^<S>} [1]
    {NP^<S>} -> N [1/2] | V [1/4] | {N+V} [1/4]
    {VP^<S>} -> V [1/2] | V {NP^<VP>} [1/2]
    {NP^<VP>} -> N [1]
    {N+V} -> 'a' [1]
    N -> 'a' [1/2] | 'b' [1/4] | '<rare>' [1/4]
    V -> 'a' [1/4] | 'b' [1/4] | '<rare:ed>' [1/2]
""")


@pytest.fixture(scope="module")
def reviews() -> Treebank:
    return read_treebank()


@pytest.fixture(scope="module")
def annotated(reviews) -> Grammar:
    return induce_pcfg(
        reviews,
        steps=["traces", "functions", "unaries", "root"],
        horizontal_markov=1,
        vertical_markov=2,
        rare_words=1,
    )


def shown(tree: Tree) -> Tree:
    """The slow way to a plain tree: through a treebank."""
    return expand_unaries(unbinarise(Treebank.from_trees([tree])))[0]


def every_derivation(parser: Parser, words: list[str]) -> list:
    found = parser.kbest(words, ALL)
    if isinstance(found, NoParse):
        return []
    assume(len(found) < ALL)
    return found


sentences = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4)


# --- plain trees -------------------------------------------------------------------------------


def test_trees_show_nothing_that_symbols_remember_and_the_words_of_the_sentence(annotated, reviews):
    parser = ChartTextParser(annotated)
    given = [words for words in reviews[:60].sentences() if len(words) < 20]
    given.append((*given[0][:-1], "Zibblewocks", given[0][-1]))
    for tree, words in zip(parser.parse(given), given, strict=True):
        assert tree.leaves() == words
        assert not any(sign in node.label for node in tree.nodes() for sign in ("|<", "^<", "+"))
    known = next(words for words in given if set(words) <= set(annotated.rules.words))
    best = Parser(annotated).viterbi(known)
    assert next(parser.parse_each([known])) == shown(best.tree)


@settings(max_examples=60)
@given(sentences, st.integers(1, 6))
def test_the_best_trees_differ_and_have_the_probability_of_their_best_derivation(words, k):
    derivations = every_derivation(Parser(ANNOTATED), words)
    best: dict[Tree, float] = {}
    for parse in derivations:
        best.setdefault(shown(parse.tree), parse.log_probability)
    found = next(ChartTextParser(ANNOTATED).kbest_each([words], k))
    if "c" not in words:
        assert bool(found) == bool(derivations)
    if not derivations or not found:
        return
    assert len({parse.tree for parse in found}) == len(found) == min(k, len(best))
    expected = sorted(best.values(), reverse=True)[:k]
    assert [parse.log_probability for parse in found] == pytest.approx(expected)
    for parse in found:
        assert best[parse.tree] == pytest.approx(parse.log_probability)


@settings(max_examples=60)
@given(sentences)
def test_spans_add_up_the_derivations_that_show_them(words):
    derivations = every_derivation(Parser(ANNOTATED), words)
    found = next(ChartTextParser(ANNOTATED).spans_each([words]))
    if not derivations:
        assert not found or "c" in words
        return
    total = math.fsum(math.exp(parse.log_probability) for parse in derivations)
    expected: dict[tuple[str, int, int], float] = defaultdict(float)
    for parse in derivations:
        for span in shown(parse.tree).spans():
            expected[span] += math.exp(parse.log_probability) / total
    assert {span[:3]: span.probability for span in found} == pytest.approx(
        {span: min(mass, 1.0) for span, mass in expected.items()}
    )
    assert found == sorted(found, key=lambda span: -span.probability)


def test_max_rule_lets_rules_that_look_alike_count_together():
    # one tree has the most probable derivation, the other more probability in two
    grammar = Grammar.parse("""
        TOP -> A [4/10] | {B^<X>} [3/10] | {B^<Y>} [3/10]
        A -> 'w' [1]
        {B^<X>} -> 'w' [1]
        {B^<Y>} -> 'w' [1]
    """)
    viterbi, max_rule = (
        str(next(ChartTextParser(grammar, decoder=decoder).parse_each([["w"]])))
        for decoder in ("viterbi", "max-rule")
    )
    assert (viterbi, max_rule) == ("(TOP (A w))", "(TOP (B w))")


def test_the_root_stays_whatever_its_name_is():
    parser = ChartTextParser(Grammar.parse("{S|<A>} -> A A [1]\nA -> 'a' [1]"))
    assert str(next(parser.parse_each([["a", "a"]]))) == "(S|<A> (A a) (A a))"


# --- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "first", "known"),
    [
        ("the", False, "the"),
        ("The", True, "the"),
        ("The", False, "<rare:capital>"),
        ("(", False, "-LRB-"),
        ("[", False, "-LRB-"),
        ("Hungrily", True, "<rare:capital>"),
        ("hungrily", True, "<rare:ly>"),
        ("walked-ly", False, "<rare:ly>"),
        ("walking", False, "<rare>"),
        ("3,000", False, "<rare:number>"),
        ("3rdly", False, "<rare:ly>"),
        ("<rare:ly>", False, "<rare>"),
    ],
)
def test_a_word_is_parsed_as_the_nearest_that_is_known(word, first, known):
    lexicon = ["the", "-LRB-", "<rare>", "<rare:capital>", "<rare:ly>", "<rare:number>"]
    lexicon += ["<rare:digit-capital-hyphen-ly>"]
    assert KnownWords(lexicon).like(word, first=first) == known


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (["THE", "REX", "BARKED", "."], ["the", "Rex", "barked", "."]),
        (["i", "saw", "rex", "!"], ["I", "<rare>", "Rex", "."]),
        (["It", "BARKED", "The"], ["<rare:capital>", "barked", "<rare:capital>"]),
        (["“", "The", "Rex", "…", "”"], ["``", "the", "Rex", "--", "''"]),
        (["I"], ["I"]),
        (["-LRB-", "the", "]"], ["-LRB-", "the", "-RRB-"]),
    ],
)
def test_a_sentence_is_looked_up_in_its_other_case_and_signs_as_others_of_their_kind(words, known):
    lexicon = ["the", "Rex", "barked", ".", "I", "``", "''", "--", "-LRB-", "-RRB-"]
    assert KnownWords([*lexicon, "<rare>", "<rare:capital>"]).alike(words) == known


def test_without_a_plain_class_the_one_that_says_least_stands_in():
    classes = ["<rare:digit-s>", "<rare:capital-s>", "<rare:s>"]
    assert KnownWords(classes).like("zzz", first=False) == "<rare:s>"
    assert KnownWords(["a"]).like("zzz", first=False) is None


def test_raw_text_is_tokenised_and_tokens_are_taken_as_they_are():
    grammar = Grammar.parse(
        "S -> W [1/2] | W S [1/2]\n"
        "W -> 'do' [1/5] | \"n't\" [1/5] | '-LRB-' [1/5] | '``' [1/5] | 'x' [1/5]"
    )
    parser = ChartTextParser(grammar)
    raw, given = parser.parse_each(["Don't (“x", ["do", "(", "x"]])
    assert raw.leaves() == ("Do", "n't", "-LRB-", "``", "x")
    assert given.leaves() == ("do", "(", "x")
    assert str(given) == "(S (W do) (S (W -LRB-) (S (W x))))"


# --- tags --------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(st.data(), grammars(unary_cycles=False, empty_rules=False, max_children=2))
def test_given_tags_leave_exactly_the_trees_that_have_them(data, grammar):
    tags_by_word: dict[str, list[str]] = defaultdict(list)
    for rule in grammar:
        if len(rule.rhs) == 1 and isinstance(rule.rhs[0], str):
            tags_by_word[rule.rhs[0]].append(rule.lhs.name)
    assume(tags_by_word)
    words = data.draw(st.lists(st.sampled_from(sorted(tags_by_word)), min_size=1, max_size=4))
    derivations = every_derivation(Parser(grammar), words)
    tags = [data.draw(st.sampled_from(tags_by_word[word])) for word in words]
    tagged = [own for parse in derivations if None not in (own := tags_of(parse.tree))]
    if tagged and data.draw(st.booleans()):
        tags = data.draw(st.sampled_from(tagged))
    allowed = [parse for parse in derivations if tags_of(parse.tree) == tags]
    found = next(ChartTextParser(grammar).kbest_each([words], 1, tags=[tags]))
    assert bool(found) == bool(allowed)
    if found:
        assert found[0].log_probability == pytest.approx(allowed[0].log_probability)
        assert tags_of(found[0].tree) == tags


def tags_of(tree: Tree) -> list[str | None]:
    """The tag of each word in order; None for words that have siblings."""
    tags: list[str | None] = []
    for child in tree.children:
        if isinstance(child, str):
            tags.append(tree.label if len(tree.children) == 1 else None)
        else:
            tags += tags_of(child)
    return tags


def test_a_word_unseen_with_its_tag_is_parsed_as_a_class_or_a_word_of_the_tag(annotated):
    parser = ChartTextParser(annotated)
    words, tags = ["The", "the", "qwerty", "Qwerty", "."], ["DT", "NN", "VBD", "RB", "."]
    tree = next(parser.parse_each([words], tags=[tags]))
    assert tags_of(tree) == tags
    assert tree.leaves() == tuple(words)
    nothing = next(parser.parse_each([["the"]], tags=[["XYZ"]]))
    assert "the tag 'XYZ' of the word 'the' (word 1 of 1)" in str(nothing)


@pytest.mark.parametrize("tags", [[["N"]], [["N", "V"], ["N"]], []])
def test_tags_that_do_not_pair_up_are_refused(tags):
    with pytest.raises(OptionError, match="tags"):
        ChartTextParser(ANNOTATED).parse([["a", "a"]], tags=tags)


# --- failures ----------------------------------------------------------------------------------

FAULTS = [
    ("", "the sentence has no words"),
    ([], "the sentence has no words"),
    ([""], "the token '' (word 1 of 1) is empty"),
    (["a", "a b"], "has white space in it"),
    (["a(b"], "has a bracket in it (give brackets as tokens"),
    (["a", "\x07b"], "has a control character, U+0007"),
    (["a\u0085"], "has a control character, U+0085"),
    (["\ud800"], "has half of a surrogate pair"),
    ("a " * 2000, "it has 2,000 words, and more than 300 are refused"),
    (["b", "b", "b", "b", "b"], "no derivation from S"),
]


@pytest.mark.parametrize(("sentence", "reason"), FAULTS, ids=[reason for _, reason in FAULTS])
def test_a_sentence_without_a_parse_says_why_and_keeps_its_place(sentence, reason):
    parser = ChartTextParser(ANNOTATED)
    before, found, after = parser.parse_each([["a", "a"], sentence, ["a", "b"]])
    assert isinstance(before, Tree)
    assert isinstance(after, Tree)
    assert isinstance(found, NoParse)
    assert reason in str(found)
    assert list(parser.parse([["a", "a"], sentence, ["a", "b"]])) == [before, NO_PARSE, after]
    for each in (parser.kbest_each([sentence], 2), parser.spans_each([sentence])):
        assert reason in str(next(each))


def test_control_characters_of_a_text_are_beside_its_words():
    parser = ChartTextParser(ANNOTATED)
    assert parser.parse(["a \x96 a\x07b"]) == parser.parse([["a", "a", "b"]])


def test_a_word_without_a_class_is_named():
    parser = ChartTextParser(Grammar.parse("S -> 'a' [1]"))
    assert "lacks the word 'b' (word 2 of 2)" in str(next(parser.parse_each([["a", "b"]])))


def test_the_words_of_the_sentence_not_their_classes_are_in_the_reason():
    found = next(ChartTextParser(ANNOTATED).parse_each([["zed"] * 5]))
    assert found.sentence == ("zed",) * 5


def test_nesting_ends_before_python_does():
    parser = ChartTextParser(Grammar.parse("S -> 'a' S [1/2] | 'a' [1/2]"), max_words=500)
    deep, too_deep = parser.parse_each([["a"] * 300, ["a"] * 301])
    assert str(deep).count("(") == 300
    assert len(Treebank.from_trees([deep])) == 1
    assert "nested more than 300 deep" in str(too_deep)


def test_a_token_that_is_no_string_is_an_error():
    with pytest.raises(OptionError, match="the token 3 is not a string"):
        list(read_sentences([["a", 3]]))


# --- options -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder": "best"}, "unknown decoder 'best'"),
        ({"max_words": 0}, "max_words=0"),
        ({"workers": 0}, "workers=0"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        ChartTextParser(ANNOTATED, **options)


@pytest.mark.parametrize("k", [0, -1, True, 1.5])
def test_k_is_a_whole_number_above_zero(k):
    with pytest.raises(OptionError, match="not a whole number >= 1"):
        ChartTextParser(ANNOTATED).kbest_each([["a"]], k)


def test_max_rule_has_one_tree():
    with pytest.raises(OptionError, match="gives one tree, not 2"):
        ChartTextParser(ANNOTATED, decoder="max-rule").kbest_each([["a"]], 2)


def test_workers_change_nothing(annotated, reviews):
    given = [words for words in reviews[:40].sentences() if len(words) < 12] + [("",), ()]
    one, two = (
        list(ChartTextParser(annotated, workers=n, decoder="max-rule").parse_each(given))
        for n in (1, 2)
    )
    assert one == two


def test_the_version_is_that_of_the_grammar_and_the_decoder():
    again = Grammar.parse(ANNOTATED.to_text())
    other = Grammar.parse("S -> 'a' [1/3] | 'b' [2/3]"), Grammar.parse("S -> 'a' [1/4] | 'b' [3/4]")
    versions = [ChartTextParser(g).version for g in (ANNOTATED, *other)]
    versions.append(ChartTextParser(ANNOTATED, decoder="max-rule").version)
    assert len(set(versions)) == 4
    assert ChartTextParser(again).version == versions[0]


@pytest.mark.parametrize("name", ["g.json", "g.json.gz", "g.txt"])
def test_a_parser_is_opened_from_a_grammar_file(tmp_path, name):
    ANNOTATED.save(tmp_path / name)
    parser = open_parser(tmp_path / name)
    assert is_scoring(parser)
    expected = ChartTextParser(ANNOTATED).parse([["a", "b"]])
    assert parser.parse([["a", "b"]]) == expected


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "g.json"
    path.write_text('{"schema": "treewright.fragments/1"}')
    with pytest.raises(SchemaError, match="unknown schema"):
        open_parser(path)


def test_a_parse_in_pieces_names_the_words_that_the_grammar_lacks():
    trees = Treebank.parse(
        "(S (NP (DT the) (NN dog)) (VP (VBD ran)))\n"
        "(S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT the) (NN dog))))"
    )
    (known, one, many) = ChartTextParser(induce_pcfg(trees)).kbest_each(
        ["ran the cat", "ran the cow cow", "ran the a b c d e"], 1
    )
    reasons = [answer[0].tree.reason for answer in (known, one, many)]
    assert reasons[0] == "in pieces: no derivation of the grammar yields it"
    hint = "(induce with --rare-words 1)"
    assert reasons[1] == f"{reasons[0]}; it lacks 'cow' {hint}"
    assert reasons[2] == f"{reasons[0]}; it lacks 'a', 'b', 'c' and 2 more {hint}"
