"""Tree-substitution grammars: values, graphs, files, the flattened PCFG, tree probabilities."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar import Grammar
from grammar.chart.parser import Parser
from grammar.errors import OptionError, SchemaError, StartSymbolError, WeightError
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from sampling import sample_sentences
from tests.checksums import without_seal
from tests.grammar.enumeration import all_derivations
from tests.grammar.strategies import trees

WEIGHTED = [
    ("(S (NP ) (VP ))", 0.5, 3),
    ("(S (NP we) (VP ))", 0.25, 2),
    ("(S (NP we) (VP (V saw) (NP )))", 0.25, 1),
    ("(NP we)", 0.5, 2),
    ("(NP (NP ) (PP near (NP )))", 0.125, 1),
    ("(NP (D the) (N ))", 0.125, 1),
    ("(NP (D ) (N stars))", 0.25, 2),
    ("(D the)", 1.0, 3),
    ("(N stars)", 1.0, 3),
    ("(VP (V saw) (NP ))", 0.5, 1),
    ("(VP (VP saw) (NP ))", 0.25, 1),
    ("(VP slept)", 0.25, 1),
]


def grammar_of(weighted: list[tuple[str, float, int]], start: str = "S") -> TreeSubstitutionGrammar:
    return TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), weight, count) for text, weight, count in weighted], start=start
    )


GRAMMAR = grammar_of(WEIGHTED)


@st.composite
def grammars(draw: st.DrawFn) -> TreeSubstitutionGrammar:
    """Small grammars whose fragments grow words; some have equal root and frontier."""
    symbols = ["S", "A", "B"]
    made: list[tuple[Fragment, float, int]] = []

    def fragment(root: str, deep: int) -> Fragment:
        children: list[Fragment | Nonterminal | str] = [draw(st.sampled_from("ab"))]
        for _ in range(draw(st.integers(0, 2))):
            kind = draw(st.integers(0, 2 if deep else 1))
            name = draw(st.sampled_from(symbols))
            children.append(
                name.lower()
                if kind == 0
                else Nonterminal(name)
                if kind == 1
                else fragment(name, deep - 1)
            )
        return Fragment(root, tuple(children))

    for symbol in symbols:
        made.append((Fragment(symbol, ("a",)), float(draw(st.integers(1, 9))), 0))
        for _ in range(draw(st.integers(0, 4))):
            made.append((fragment(symbol, 2), float(draw(st.integers(1, 9))), 1))
    return TreeSubstitutionGrammar.from_fragments(made, start="S", normalise=True)


def tree_probabilities(grammar: TreeSubstitutionGrammar, longest: int) -> dict[Tree, float]:
    """Every tree of at most so many words with the sum over its derivations, by brute force."""

    def trees_of(root: str, room: int) -> list[tuple[Tree, float]]:
        found = []
        for fragment, weight, _ in grammar.fragments_of(root):
            spare = room - len(fragment.frontier)
            if spare < 0:
                continue
            below = [trees_of(site.name, spare + 1) for site in fragment.sites]
            for chosen in itertools.product(*below):
                tree = fragment.substitute([t for t, _ in chosen])
                if len(tree.leaves()) <= room:
                    found.append((tree, math.prod((weight, *(p for _, p in chosen)))))
        return found

    sums: dict[Tree, float] = defaultdict(float)
    for tree, probability in trees_of(grammar.start, longest):
        sums[tree] += probability
    return sums


# --- the value -----------------------------------------------------------------------------------


def test_the_order_given_does_not_matter() -> None:
    assert grammar_of(WEIGHTED[::-1]) == GRAMMAR
    assert [f.label for f in GRAMMAR.fragments] == sorted(f.label for f in GRAMMAR.fragments)


def test_equal_fragments_are_merged() -> None:
    grammar = grammar_of([("(S a)", 0.25, 1), ("(S b)", 0.5, 5), ("(S a)", 0.25, 2)])
    assert [(str(f), w, c) for f, w, c in grammar] == [("(S a)", 0.5, 3), ("(S b)", 0.5, 5)]


def test_fragments_of_a_root_are_ranked() -> None:
    assert [item.weight for item in GRAMMAR.fragments_of("VP")] == [0.5, 0.25, 0.25]
    with pytest.raises(OptionError, match="no fragment has the root 'V'"):
        GRAMMAR.fragments_of("V")


def test_normalise_divides_by_the_sum_of_the_root() -> None:
    made = [(Fragment.parse(t), float(w), 0) for t, w in (("(S a)", 3), ("(S b)", 1), ("(A a)", 0))]
    grammar = TreeSubstitutionGrammar.from_fragments(made, start="S", normalise=True)
    assert grammar.weight.tolist() == [1.0, 0.75, 0.25]


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(WeightError, match="weights of S sum to 0.75, not 1"):
        grammar_of([("(S a)", 0.25, 1), ("(S b)", 0.5, 1)])


@pytest.mark.parametrize("weight", [-0.5, math.nan, math.inf])
def test_weights_that_are_no_probabilities_are_refused(weight: float) -> None:
    with pytest.raises(WeightError, match="is not a probability"):
        grammar_of([("(S a)", weight, 1), ("(S b)", 1.0, 1)])


@pytest.mark.parametrize("weighted", [[("(A a)", 1.0, 1)], []])
def test_a_start_symbol_without_fragments_is_refused(
    weighted: list[tuple[str, float, int]],
) -> None:
    with pytest.raises(StartSymbolError, match="start symbol 'S' has no fragments"):
        grammar_of(weighted)


# --- graph and file ------------------------------------------------------------------------------


@given(grammars())
def test_the_graph_gives_the_grammar_back(grammar: TreeSubstitutionGrammar) -> None:
    assert TreeSubstitutionGrammar.from_graph(grammar.graph) == grammar


@settings(max_examples=25)
@given(st.lists(trees(), min_size=1, max_size=4))
def test_any_names_survive_a_file(tmp_path_factory: pytest.TempPathFactory, made: list) -> None:
    start = made[0].label
    fragments = [(Fragment.from_tree(Tree(start, tree.children)), 1 / 3, 1) for tree in made]
    fragments.append((Fragment(start, (Nonterminal(start), "(")), 1.0, 7))
    grammar = TreeSubstitutionGrammar.from_fragments(fragments, start=start, normalise=True)
    path = tmp_path_factory.mktemp("tsg") / "grammar.json.gz"
    grammar.save(path)
    assert TreeSubstitutionGrammar.load(path) == grammar


def test_the_graph_has_the_layout_of_all_families() -> None:
    graph = GRAMMAR.graph
    assert graph.graph == {"family": "tsg", "start": "S"}
    rule = next(n for n, d in graph.nodes(data=True) if d.get("fragment") == "(VP (V saw) (NP ))")
    assert graph.nodes[rule] == {
        "kind": "rule",
        "text": "VP -> 'saw' NP",
        "fragment": "(VP (V saw) (NP ))",
    }
    assert graph.get_edge_data("symbol:VP", rule) == {0: {"weight": 0.5, "count": 1}}
    children = sorted((d["position"], child) for _, child, d in graph.out_edges(rule, data=True))
    assert children == [(0, "word:saw"), (1, "symbol:NP")]
    assert "</svg>" in GRAMMAR._repr_svg_()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda node: node.pop("fragment"), "no attribute 'fragment'"),
        (lambda node: node.update(fragment=5), "no attribute 'fragment'"),
        (lambda node: node.update(fragment="(S (NP )"), "not closed"),
        (lambda node: node.update(fragment="(S (NP ))"), "does not have the root and children"),
        (lambda node: node.update(fragment="(VP (NP ) (VP ))"), "does not have the root"),
        (lambda node: node.update(fragment="(S NP (VP ))"), "does not have the root"),
    ],
)
def test_a_file_whose_fragment_does_not_fit_is_refused(tmp_path: Path, change, what: str) -> None:
    path = tmp_path / "g.json"
    GRAMMAR.save(path)
    document = json.loads(without_seal(path))
    (node,) = (n for n in document["nodes"] if n.get("fragment") == "(S (NP ) (VP ))")
    change(node)
    path.write_text(json.dumps(document))
    with pytest.raises(SchemaError, match=what) as caught:
        TreeSubstitutionGrammar.load(path)
    assert node["id"] in str(caught.value)
    assert str(path) in str(caught.value)


def test_families_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    GRAMMAR.save(path)
    with pytest.raises(SchemaError, match="family 'tsg'"):
        Grammar.load(path)
    Grammar.parse("S -> 'a' [1]").save(path)
    with pytest.raises(SchemaError, match="family 'pcfg'"):
        TreeSubstitutionGrammar.load(path)


def test_a_file_with_bad_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    GRAMMAR.save(path)
    path.write_text(without_seal(path).replace('"weight": 0.125', '"weight": 0.5'))
    with pytest.raises(WeightError, match=r"g\.json.*weights of NP sum to"):
        TreeSubstitutionGrammar.load(path)


# --- the flattened PCFG --------------------------------------------------------------------------


def test_fragments_with_equal_root_and_frontier_get_symbols_of_their_own() -> None:
    twice = grammar_of(
        [("(S (A ) b)", 0.5, 1), ("(S (X (A ) b))", 0.25, 1), ("(S (Y (A )) b)", 0.25, 1),
         ("(A a)", 1.0, 1)]
    )  # fmt: skip
    assert len(twice.pcfg) == 6
    assert sorted(twice.fragment_of_rule.tolist()) == [-1, -1, 0, 1, 2, 3]
    parses = Parser(twice.pcfg).kbest(["a", "b"], 5)
    found = {str(twice.tree_of(p.rules)): round(math.exp(p.log_probability), 9) for p in parses}
    assert found == {"(S (A a) b)": 0.5, "(S (X (A a) b))": 0.25, "(S (Y (A a)) b)": 0.25}


def test_symbols_of_their_own_have_fresh_names() -> None:
    texts = ["(S b)", "(S (X b))", "(S (S|<1> ))", "(S|<1> b)", "(S|<0> b)", "(S|<2> b)"]
    clash = TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), 1.0, 0) for text in texts], start="S", normalise=True
    )
    assert len(clash.pcfg.left_hand_sides) == 5
    assert sorted(clash.fragment_of_rule.tolist()) == [-1, 0, 1, 2, 3, 4, 5]


@given(grammars())
def test_derivations_of_the_pcfg_are_those_of_the_grammar(grammar: TreeSubstitutionGrammar) -> None:
    expected = tree_probabilities(grammar, 4)
    sums: dict[tuple[str, ...], float] = defaultdict(float)
    for tree, probability in expected.items():
        sums[tree.leaves()] += probability
    flat: dict[tuple[str, ...], float] = defaultdict(float)
    for tree, probability in all_derivations(grammar.pcfg, 4).items():
        flat[tree.leaves()] += probability
    assert flat == pytest.approx(sums)


@settings(max_examples=40)
@given(grammars())
def test_parses_map_back_to_trees(grammar: TreeSubstitutionGrammar) -> None:
    expected = tree_probabilities(grammar, 3)
    parser = Parser(grammar.pcfg)
    for sentence in {tree.leaves() for tree in expected}:
        found: dict[Tree, float] = defaultdict(float)
        for parse in parser.kbest(sentence, 1000):
            found[grammar.tree_of(parse.rules)] += math.exp(parse.log_probability)
        trees_of = {t: p for t, p in expected.items() if t.leaves() == sentence}
        assert found == pytest.approx(trees_of)


@given(grammars())
def test_the_probability_of_a_tree_sums_over_its_derivations(
    grammar: TreeSubstitutionGrammar,
) -> None:
    for tree, probability in tree_probabilities(grammar, 4).items():
        assert math.exp(grammar.tree_log_probability(tree)) == pytest.approx(probability)


def test_a_tree_with_two_derivations() -> None:
    tree = Tree.parse("(S (NP we) (VP (V saw) (NP (D the) (N stars))))")
    noun_phrase = 0.125 + 0.25
    verb_phrase = 0.5 * noun_phrase
    expected = (0.5 * 0.5 + 0.25) * verb_phrase + 0.25 * noun_phrase
    assert math.exp(GRAMMAR.tree_log_probability(tree)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    ["(NP we)", "(S (NP us) (VP slept))", "(S (NP we) (VP (V slept)))", "(S we (VP slept))"],
)
def test_trees_that_the_grammar_lacks_have_no_probability(text: str) -> None:
    assert GRAMMAR.tree_log_probability(Tree.parse(text)) == -math.inf


def test_a_site_far_down_only_fits_its_own_label() -> None:
    grammar = grammar_of(
        [("(S (B (A )) b)", 0.5, 0), ("(S (B ) b)", 0.5, 0), ("(A a)", 1.0, 0), ("(C a)", 1.0, 0),
         ("(B (C ))", 1.0, 0)]
    )  # fmt: skip
    assert math.exp(grammar.tree_log_probability(Tree.parse("(S (B (A a)) b)"))) == 0.5
    assert math.exp(grammar.tree_log_probability(Tree.parse("(S (B (C a)) b)"))) == 0.5


def test_a_fragment_without_weight_is_in_no_derivation() -> None:
    grammar = grammar_of([("(S a)", 1.0, 1), ("(S b)", 0.0, 1)])
    assert grammar.tree_log_probability(Tree("S", ("b",))) == -math.inf


def test_samples_have_the_probability_of_their_trees() -> None:
    corpus = sample_sentences(GRAMMAR.pcfg, 4000, seed=1)
    rules = [row["rules"] for row in corpus.column("provenance")]
    counts = Counter(GRAMMAR.tree_of(r) for r in rules)
    for tree, count in counts.most_common(12):
        p = math.exp(GRAMMAR.tree_log_probability(tree))
        assert abs(count / 4000 - p) < 5 * math.sqrt(p / 4000)
    assert [" ".join(GRAMMAR.tree_of(r).leaves()) for r in rules] == corpus.column("text")
    banded = sample_sentences(GRAMMAR.pcfg, 50, length=(5, 6)).column("text")
    assert {len(text.split()) for text in banded} <= {5, 6}
    assert GRAMMAR.pcfg.check().tight


@pytest.mark.parametrize("rules", [[], "two", "part"])
def test_rules_that_are_no_derivation_are_refused(rules) -> None:
    whole = list(Parser(GRAMMAR.pcfg).viterbi(["we", "slept"]).rules)
    given_rules = {"two": whole + whole, "part": whole[:1]}.get(str(rules), [])
    with pytest.raises(OptionError):
        GRAMMAR.tree_of(given_rules)


def test_counts_stay_with_their_fragments() -> None:
    flat, of_rule = GRAMMAR.pcfg, GRAMMAR.fragment_of_rule
    direct = of_rule >= 0
    assert np.array_equal(flat.count[direct], GRAMMAR.count[of_rule[direct]])
