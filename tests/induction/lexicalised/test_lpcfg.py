"""Lexicalised PCFGs as models and parsers: against all trees of tiny grammars, and bad input."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import ChartGrammarError, EmptyTreebankError, OptionError, SchemaError
from grammar.families.lexicalised import LexicalisedGrammar
from grammar.forest.skeleton import Skeleton
from grammar.forest.weighted import inside_values
from grammar.pcfg.grammar import Grammar
from grammar.trees.evaluation import evalb
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import normalise, read_treebank
from induction.lexicalised.lpcfg import induce_lpcfg
from induction.lexicalised.model import LexicalisedModel, Smoothing, skeleton_of
from induction.lexicalised.saving import head_columns, read_heads
from induction.parsers.lexicalised import LexicalisedParser
from induction.parsers.protocol import is_scoring
from induction.trees.dependencies import dependencies
from induction.trees.heads import parse_head_rules
from tests.induction.lexicalised.lexicalised_reference import SlowModel

UNSEEN = ["zzz", "99", "Zz-zing"]
"""A word of each class that the words of the tiny treebanks have, and one of another class."""


def tag_node():
    return st.builds(lambda t, w: Tree(t, (w,)), st.sampled_from("NVD"), st.sampled_from("abc7"))


def phrase(below):
    return st.builds(
        lambda label, children: Tree(label, tuple(children)),
        st.sampled_from(["S", "NP", "VP"]),
        st.lists(below, min_size=1, max_size=3),
    )


def treebanks(max_leaves=4):
    """Tiny treebanks over two classes of words, whose phrases and tags have different labels."""
    tree = phrase(st.recursive(tag_node(), phrase, max_leaves=max_leaves))
    return st.lists(tree, min_size=1, max_size=4).map(Treebank.from_trees)


SMOOTHING = {"choice_weight": 2.0, "tag_weight": 3.0, "word_weight": 4.0, "rare_words": 1}


def model_of(treebank, **options):
    grammar = induce_lpcfg(treebank, **SMOOTHING, **options)
    return LexicalisedModel(grammar, skeleton_of(grammar), Smoothing.of(grammar))


def parser_of(treebank, **options):
    grammar = induce_lpcfg(treebank, **SMOOTHING, **options)
    return LexicalisedParser(grammar, threshold=1e-30)


# --- the model ------------------------------------------------------------------------------------


@given(treebank=treebanks(), v=st.integers(1, 2))
@settings(max_examples=40)
def test_every_distribution_sums_to_one(treebank, v):
    slow = SlowModel(model_of(treebank, vertical_markov=v))
    words = [*slow.frequency, *UNSEEN]
    emission = slow.lexicon.emission(["", *words])[1:]
    tags = sorted(slow.tag_frequency)
    contexts = {slow.context(word) for word in words}
    attachments = [
        slow.attachment(label, choice)
        for label, choices in slow.by_label.items()
        for choice in choices
        if len(choice[0]) == 2
    ]
    for label in slow.by_label:
        for tag, word in itertools.product(slow.reach[label], contexts):
            total = sum(slow.p_choice(c, label, tag, word) for c in slow.by_label[label])
            assert total == pytest.approx(1.0)
            for attachment in attachments[:3]:
                rest = (label, attachment, tag, word)
                assert sum(slow.p_tag(t, *rest) for t in tags) == pytest.approx(1.0)
    for k, tag in enumerate(tags):
        # seen words, and the classes of unseen ones
        rest = (tag, next(iter(slow.by_label)), *attachments[:1], tag, next(iter(contexts)))
        shares = [slow.p_word(w, emission[i, k], *rest) for i, w in enumerate(words)]
        assert sum(shares) == pytest.approx(1.0) or len(slow.lexicon._classes) < 2


GRAMMAR_TREES = """
(S (NP (N a)) (V b)) (S (NP (D 7) (N c)) (V b)) (S (V a) (N a) (N c)) (S (V b))
(S (NP (D a) (N c)) (V c))
"""


@pytest.mark.parametrize("h", [0, 1])
def test_all_sentences_together_have_probability_one(h):
    parser = parser_of(Treebank.parse(GRAMMAR_TREES), horizontal_markov=h)
    words = ["a", "b", "c", "7", *UNSEEN]
    total = 0.0
    for length in range(1, 4):
        for sentence in itertools.product(words, repeat=length):
            forest = parser.skeleton.forest(parser.lexicon.emission(sentence), 1e-30)
            if forest is not None:
                lexical = parser.lexical_forest(forest, sentence)
                total += math.exp(inside_values(lexical.forest, lexical.weight)[-1])
    assert total == pytest.approx(1.0)


def forest_of(parser, sentence):
    [found] = parser.forests_each([sentence])
    if isinstance(found, NoParse):
        return None, None
    return found.forest, parser.lexical_forest(found.forest, sentence)


@given(treebank=treebanks(), data=st.data(), h=st.integers(0, 1), v=st.integers(1, 2))
@settings(max_examples=40)
def test_lexicalised_trees_and_posteriors_are_those_of_the_slow_twin(treebank, data, h, v):
    words = st.sampled_from(["a", "b", "7", "zzz", "Zz-zing"])
    sentence = tuple(data.draw(st.lists(words, min_size=1, max_size=4)))
    compare(parser_of(treebank, horizontal_markov=h, vertical_markov=v), sentence)


@pytest.mark.parametrize("sentence", ["a b", "b a", "c a", "c a b", "b a b"])
def test_dependents_on_both_sides_of_one_head_are_told_apart(sentence):
    trees = (
        "(NP (NP (N a)) (N b)) (NP (N b) (NP (N a))) (NP (D c) (NP (N a))) (NP (NP (N a)) (N b))"
    )
    compare(parser_of(Treebank.parse(trees)), tuple(sentence.split()))


def compare(parser, sentence):
    """Compare all trees of a sentence, their probabilities, and posteriors, with the twin's."""
    slow = SlowModel(parser.model)
    emission = slow.lexicon.emission(sentence)
    trees = slow.all_trees(sentence, emission)
    if not trees:
        return  # words stand for others then, as tests of all forest parsers try
    [found] = parser.lexicalised_each([sentence], 2000)
    probabilities = sorted(trees.values(), reverse=True)
    assert [parse.log_probability for parse in found] == pytest.approx(
        [math.log(p) for p in probabilities], abs=1e-9
    )
    assert len({(parse.rules, parse.tree) for parse in found}) == len(found)
    chosen = max(trees, key=trees.__getitem__)
    if probabilities[0] > 1.000001 * max(probabilities[1:], default=0.0):
        assert found[0].tree == shown(chosen, sentence)
    forest, _ = forest_of(parser, sentence)
    scores = np.exp(parser.scores(forest, sentence))
    expected = label_posteriors(trees)
    names = parser.skeleton.grammar.rules.nonterminals
    of_label = dict.fromkeys(expected, 0.0)
    for node, label in enumerate(forest.label.tolist()):
        share = scores[forest.starts[node] : forest.starts[node + 1]].sum()
        key = (names[label], int(forest.begin[node]), int(forest.end[node]))
        of_label[key] = of_label.get(key, 0.0) + share
    for key, value in of_label.items():
        assert value == pytest.approx(expected.get(key, 0.0), abs=1e-9)


def shown(tree, sentence):
    """The lexicalised tree without intermediate nodes, ancestors and joined labels."""

    def visit(node):
        label, (place, tag), children = node
        below = tuple(c for child in children for c in visit(child)) or (sentence[place],)
        if "|<" in label:
            return below
        for part in reversed(label.split("^<")[0].split("+")):
            below = (Tree(f"{part}[{sentence[place]}/{tag}]", below),)
        return below

    return visit(tree)[0]


def label_posteriors(trees):
    """How probable each label is over each span."""
    total, shares = sum(trees.values()), {}

    def visit(node, begin, p):
        end = begin if node[2] else begin + 1
        for child in node[2]:
            end = visit(child, end, p)
        key = (node[0], begin, end)
        shares[key] = shares.get(key, 0.0) + p / total
        return end

    for tree, p in trees.items():
        visit(tree, 0, p)
    return shares


# --- the skeleton ---------------------------------------------------------------------------------

NO_TREES_RULES = Grammar.parse(
    "S -> ZP V [1] | NP [1] | ZT [1] \n ZP -> ZT ZT [1] \n ZT -> 'ZT' [1]", normalise=True
)
"""Rules that no tree has: of labels that trees have, of one that they lack, and of such a tag."""


def shuffled(grammar: Grammar, more: Grammar | None, seed: int) -> Grammar:
    """A grammar whose rules have another order below each label, and rules without a count."""
    given = [*grammar, *(dataclasses.replace(p, count=0) for p in more or ())]
    made = Grammar.from_productions(given, start=grammar.start, normalise=True)
    rules = made.rules
    order = np.lexsort((np.random.default_rng(seed).permutation(len(rules)), rules.lhs))
    rows = [rules.rhs[rules.offsets[r] : rules.offsets[r + 1]] for r in order]
    offsets = np.cumsum([0, *map(len, rows)])
    table = dataclasses.replace(rules, offsets=offsets, rhs=np.concatenate(rows))
    return Grammar(table, made.weight[order], made.start, made.count[order])


def over(skeleton, model):
    """A model's counts over another skeleton, as a file brings them."""
    grammar = model.grammar
    grammar = read_heads(head_columns(grammar), skeleton, grammar.words, grammar.options)
    return LexicalisedModel(grammar, skeleton, model.smoothing)


def shares(model, sentence):
    """The posterior of each label over each span, and of each rule there."""
    emission = np.full((len(sentence), len(model.skeleton.tags)), 0.1)
    forest = model.skeleton.forest(emission, 1e-30)
    names = model.skeleton.grammar.rules.nonterminals
    found: dict[tuple[str, int, int, str], float] = {}
    for edge, p in enumerate(model.posteriors(forest, sentence).tolist()):
        node = int(np.searchsorted(forest.starts, edge, "right")) - 1
        rule = int(forest.rule[edge])
        text = model.skeleton.grammar.rule_text(rule) if rule >= 0 else ""
        key = (names[forest.label[node]], int(forest.begin[node]), int(forest.end[node]), text)
        found[key] = found.get(key, 0.0) + p
    return {key: p for key, p in found.items() if p != 0.0}


@pytest.mark.parametrize("more", [None, NO_TREES_RULES])
@pytest.mark.parametrize("seed", [1, 2])
def test_heads_are_over_any_skeleton_that_has_their_rules(seed, more):
    treebank = Treebank.parse(GRAMMAR_TREES)
    usual = model_of(treebank, horizontal_markov=0)
    skeleton = Skeleton(shuffled(usual.skeleton.grammar, more, seed))
    other = over(skeleton, usual)
    assert not np.array_equal(skeleton.sides()[1], usual.skeleton.sides()[1])
    for sentence in itertools.product(["a", "b", "zzz"], repeat=3):
        assert shares(other, sentence) == pytest.approx(shares(usual, sentence), abs=1e-12)


def test_a_forest_of_rules_that_no_tree_has_has_no_heads():
    usual = model_of(Treebank.parse(GRAMMAR_TREES), horizontal_markov=0)
    skeleton = Skeleton(shuffled(usual.skeleton.grammar, NO_TREES_RULES, 1))
    only = np.array([name == "ZT" for name in skeleton.grammar.rules.words], float)
    forest = skeleton.forest(only[None], 1e-30)
    assert forest is not None
    assert over(skeleton, usual).posteriors(forest, ("a",)).tolist() == [0.0] * len(forest.rule)


# --- inducing -------------------------------------------------------------------------------------


def test_a_lexicalised_production_has_the_heads_of_its_tree():
    grammar = induce_lpcfg(Treebank.parse("(S (NP (PRP I)) (VP (VBD saw) (NP (PRP it))))"))
    texts = {grammar.rule_text(rule) for rule in range(len(grammar))}
    assert "{S[saw/VBD]} -> {NP[I/PRP]} {VP[saw/VBD]}" in texts
    assert "{VP[saw/VBD]} -> {VBD[saw/VBD]} {NP[it/PRP]}" in texts
    assert "TOP -> {TOP[saw/VBD]}" in texts


def test_another_head_table_gives_other_heads():
    treebank = Treebank.parse("(S (A a) (B b) (C c))")
    last = induce_lpcfg(treebank, heads=parse_head_rules("S right-to-left C"))
    assert induce_lpcfg(treebank).head_statistics("S").heads == (("a", "A", 1),)
    assert last.head_statistics("S").heads == (("c", "C", 1),)
    # words before the head are split off first, so they hang outside
    assert any("{S|<C-B>[c/C]}" in last.rule_text(rule) for rule in range(len(last)))


def test_a_label_without_a_rule_is_refused_if_strict():
    treebank = Treebank.parse("(S (NP (N a)) (ZZ (V b) (N c)))")
    assert len(induce_lpcfg(treebank))
    with pytest.raises(OptionError, match="the label ZZ has no head rule"):
        induce_lpcfg(treebank, strict=True)


def test_treebanks_that_cannot_be_counted_are_refused():
    with pytest.raises(EmptyTreebankError):
        induce_lpcfg(Treebank.parse(""))
    with pytest.raises(ChartGrammarError, match="'b' stands next to"):
        induce_lpcfg(Treebank.parse("(S (N a) b)"))
    with pytest.raises(ChartGrammarError, match="roots S"):
        induce_lpcfg(Treebank.parse("(S (N a))"), steps=())


@pytest.mark.parametrize(
    "options", [{"choice_weight": 0.0}, {"word_weight": math.nan}, {"rare_words": -1}]
)
def test_smoothing_out_of_range_is_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        Smoothing(**options)


# --- parsing --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parser():
    return LexicalisedParser(induce_lpcfg(read_treebank("embedded")))


def test_a_treebank_of_one_tree_parses_its_sentence():
    tree = Tree.parse("(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN film))) (. .)))")
    parser = LexicalisedParser(induce_lpcfg(Treebank.from_trees([tree])))
    assert list(parser.parse(["I saw a film ."])) == [tree]
    [[best]] = parser.lexicalised_each([tree.leaves()], 1)
    view = dependencies(tree)
    assert (best.heads, best.deprels) == (
        tuple(view.column("heads")[0]),
        tuple(view.column("deprels")[0]),
    )
    assert str(best.tree).startswith("(TOP[saw/VBD] (S[saw/VBD] (NP[I/PRP] (PRP[I/PRP] I))")
    assert best.plain == tree


@pytest.mark.parametrize(
    "text",
    [
        "(TOP (S (NP (PRP I)) (VP (VBD said) (SBAR (S (NP (PRP it)) (VP (VBD ended)))))))",
        "(TOP (S (VP (VB Go) (ADVP (RB now)) (PP (IN to) (NP (NNP Rome)))) (. .)))",
    ],
)
def test_dependencies_of_a_parse_are_those_of_its_tree(text):
    tree = Tree.parse(text)
    parser = LexicalisedParser(induce_lpcfg(Treebank.from_trees([tree])))
    [[best]] = parser.lexicalised_each([tree.leaves()])
    view = dependencies(tree)
    assert best.plain == tree
    assert list(best.heads) == view.column("heads")[0]
    assert list(best.deprels) == view.column("deprels")[0]


def test_trees_of_the_treebank_are_found_again(parser):
    gold = normalise(read_treebank("embedded")[::10])
    scores = evalb(gold, list(parser.parse(gold.sentences()))).all
    assert scores.f1 > 95.0


def test_unknown_words_have_parses_and_sentences_without_words_have_reasons(parser):
    known, empty, blank = parser.parse_each(["The grommet zorbed quickly .", "", []])
    assert isinstance(known, Tree)
    assert known.leaves() == ("The", "grommet", "zorbed", "quickly", ".")
    assert isinstance(empty, NoParse)
    assert blank.reason == "the sentence has no words"
    assert next(parser.lexicalised_each([""], 2)).reason == "the sentence has no words"


def test_given_tags_are_kept(parser):
    sentence = ["The", "film", "works", "."]
    tags = ["DT", "NN", "VBZ", "."]
    [tree] = parser.parse_each([sentence], tags=[tags])
    assert [node.label for node in tree.nodes() if isinstance(node.children[0], str)] == tags
    [nothing] = parser.kbest_each([sentence], 2, tags=[["DT", "ZZ", "VBZ", "."]])
    assert isinstance(nothing, NoParse)


def test_the_k_best_trees_differ_and_fall_in_probability(parser):
    parser = LexicalisedParser(parser.grammar, threshold=1e-6)
    [parses] = parser.kbest_each(["I loved the film with the actor ."], 20)
    values = [parse.log_probability for parse in parses]
    assert len({parse.tree for parse in parses}) == len(parses) == 20
    assert values == sorted(values, reverse=True)
    [[best]] = parser.lexicalised_each(["I loved the film with the actor ."], 1)
    assert (best.plain, best.log_probability) == (parses[0].tree, values[0])


def test_spans_are_probabilities_and_hold_the_whole_sentence(parser):
    [spans] = parser.spans_each(["I loved the film ."])
    assert all(0.0 < span.probability <= 1.0 for span in spans)
    assert any((s.label, s.start, s.end) == ("S", 0, 5) and s.probability > 0.9 for s in spans)
    [nothing] = parser.spans_each([""])
    assert isinstance(nothing, NoParse)
    assert is_scoring(parser)


def test_trees_that_are_nested_too_deeply_are_refused():
    parser = LexicalisedParser(induce_lpcfg(Treebank.parse("(S (D b) (S (D b) (N a)))")))
    sentence = ["b"] * 310 + ["a"]
    parser = LexicalisedParser(parser.grammar, max_words=400)
    for found in (parser.lexicalised_each([sentence]), parser.kbest_each([sentence], 2)):
        assert next(found).refused
    # beyond the limit of words there is a coarser parse, which nests no deeper than it need
    [coarser, *_] = next(LexicalisedParser(parser.grammar).kbest_each([sentence], 2))
    assert isinstance(coarser.tree, CoarseTree)


@pytest.mark.parametrize("k", [0, -1, True, 1.5])
def test_k_is_a_whole_number_above_zero(parser, k):
    with pytest.raises(OptionError, match="k=.* is not a whole number >= 1"):
        list(parser.lexicalised_each(["a"], k))


def test_answers_do_not_depend_on_workers(parser):
    two = LexicalisedParser(parser.grammar, workers=2)
    text = ["", *read_treebank("embedded").sentences()[:12], "I loved the film .", []]
    for ask in (
        lambda p: p.parse_each(text),
        lambda p: p.kbest_each(text, 3),
        lambda p: p.lexicalised_each(text, 2),
        lambda p: p.spans_each(text),
    ):
        assert list(ask(two)) == list(ask(parser))
    assert two.version == parser.version


def test_a_tag_that_no_tree_shows_is_refused():
    columns = induce_lpcfg(Treebank.parse("(S (N a) (V b))"))
    categories = tuple("N|<V>" if name == "N" else name for name in columns.categories)
    hidden = dataclasses.replace(columns, categories=categories)
    with pytest.raises(ChartGrammarError, match=r"the tag N\|<V>"):
        LexicalisedParser(hidden)


def test_options_of_a_parser_are_checked():
    grammar = induce_lpcfg(Treebank.parse("(S (N a))"))
    with pytest.raises(OptionError, match="threshold"):
        LexicalisedParser(grammar, threshold=0.0)
    with pytest.raises(OptionError, match="max_words"):
        LexicalisedParser(grammar, max_words=0)
    with pytest.raises(OptionError, match="workers"):
        LexicalisedParser(grammar, workers=0)
    columns = (grammar.categories, grammar.words, grammar.symbols, grammar.rules, grammar.count)
    wrong = LexicalisedGrammar(*columns, grammar.start, {"rare_words": "many"})
    with pytest.raises(SchemaError, match="rare_words"):
        LexicalisedParser(wrong)
    circle = induce_lpcfg(Treebank.parse("(S (S (N a)))"), steps=("root",))
    with pytest.raises(ChartGrammarError, match="circle"):
        LexicalisedParser(circle)


def test_a_saved_grammar_makes_the_same_parser(tmp_path):
    grammar = induce_lpcfg(read_treebank("embedded")[:60], word_weight=7.0)
    grammar.save(tmp_path / "g.json.gz")
    before = LexicalisedParser(grammar)
    after = LexicalisedParser(LexicalisedGrammar.load(tmp_path / "g.json.gz"))
    assert after.model.smoothing.word_weight == 7.0
    assert after.version == before.version
    text = ["I loved the film with a story ."]
    assert [*after.kbest_each(text, 5)] == [*before.kbest_each(text, 5)]
    other = LexicalisedParser(induce_lpcfg(read_treebank("embedded")[:60]))
    assert other.version != before.version
