"""The verbs inspect, sample and explain, for grammars of every family."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OptionError
from grammar.families.lexicalised import LexicalisedGrammar
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.pcfg.ambiguity import ambiguous_symbols, symbol_entropies
from grammar.pcfg.grammar import Grammar
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.formats import read_corpus
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from induction.fragments.dop import induce_double_dop
from induction.latent.states import latent_states, states_of_labels
from induction.lexicalised.lpcfg import induce_lpcfg
from induction.parsers.latent import LatentParser
from induction.parsers.training import induce_parser
from sampling.sentences.sentences import sample_sentences
from tests.grammar.strategies import grammars
from tests.treewright import test_command_line

run = test_command_line.run
names = test_command_line.names

STEPS = ("traces", "functions", "root", "unaries")
FILES = {
    "pcfg": "p.json",
    "tsg": "t.json.gz",
    "lpcfg": "l.json",
    "latent": "s.arrow",
    "substitution": "g.json",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A folder with a grammar of every family."""
    folder = tmp_path_factory.mktemp("families")
    treebank = read_treebank()[:80]
    induce_pcfg(treebank).save(folder / "p.json")
    induce_double_dop(treebank, steps=STEPS, direction="head", horizontal_markov=1).save(
        folder / "t.json.gz"
    )
    induce_lpcfg(treebank).save(folder / "l.json")
    induce_parser(treebank, models=2, rounds=2).save(folder / "s.arrow")
    pairs = folder / "pairs.txt"
    pairs.write_text(test_command_line.PAIRS)
    from sampling.geca.method import GECA

    GECA.induce(read_corpus(pairs)).grammar.save(folder / "g.json")
    return folder


@pytest.fixture(scope="module")
def fragments(saved) -> TreeSubstitutionGrammar:
    return TreeSubstitutionGrammar.load(saved / "t.json.gz")


# --- ambiguity ---------------------------------------------------------------------------------


@given(grammars())
def test_shares_of_symbols_add_up_to_the_entropy_of_derivations(grammar):
    report = grammar.check()
    tight = math.isfinite(report.expected_length)
    everything = ambiguous_symbols(grammar, tight=tight, top=1000)
    by_hand = {}
    for production in grammar:
        bits = -production.weight * math.log2(production.weight) if production.weight else 0.0
        by_hand[production.lhs.name] = by_hand.get(production.lhs.name, 0.0) + bits
    entropies = dict(zip(grammar.rules.nonterminals, symbol_entropies(grammar), strict=True))
    assert {n: e for n, e in entropies.items() if n in by_hand} == pytest.approx(by_hand)
    ranks = [one.share if tight else one.entropy for one in everything]
    assert ranks == sorted(ranks, reverse=True)
    if tight:
        assert sum(ranks) == pytest.approx(report.entropy, abs=1e-6)
    else:
        assert all(one.uses is None and one.share is None for one in everything)


def test_symbols_without_a_choice_are_not_listed():
    grammar = Grammar.parse("S -> A [1]\nA -> 'a' [1/2] | 'b' [1/2]")
    assert [one.symbol for one in ambiguous_symbols(grammar, tight=True)] == ["A"]


# --- inspect -----------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FILES)
def test_every_family_says_what_it_is_and_shows_its_start_symbol(run, saved, family):
    shown = run("inspect", saved / FILES[family])
    assert (shown.code, shown.err) == (0, "")
    assert re.match(rf"family +{family}\n", shown.out)
    facts = run("inspect", saved / FILES[family], "--json").facts
    assert facts["family"] == family
    start = "EXAMPLE" if family == "substitution" else "TOP"
    kind = "fragments" if family == "tsg" else "rules"
    assert any(key.startswith(f"{kind} of") and start in key and facts[key] for key in facts)


@pytest.mark.parametrize("family", FILES)
def test_check_leaves_the_details_out(run, saved, family):
    whole = run("inspect", saved / FILES[family], "--json").facts
    less = run("inspect", saved / FILES[family], "--json", "--check").facts
    assert less.items() < whole.items()
    assert not any("of TOP" in key or "most" in key for key in less)


@pytest.mark.parametrize("family", FILES)
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_every_family_is_drawn(run, saved, tmp_path, family, suffix):
    done = run("inspect", saved / FILES[family], "--plot", f"p.{suffix}", "--top", "5")
    assert (done.code, done.err) == (0, f"drawn in p.{suffix}\n")
    picture = (tmp_path / f"p.{suffix}").read_bytes()
    assert picture.startswith(b"\x89PNG") if suffix == "png" else b"<svg" in picture


def test_a_pcfg_shows_its_most_ambiguous_symbols(run, saved):
    grammar = Grammar.load(saved / "p.json")
    facts = run("inspect", saved / "p.json", "--lhs", "NP", "--top", "3", "--json").facts
    expected = [one._asdict() for one in ambiguous_symbols(grammar, tight=True)]
    assert facts["most ambiguous"] == expected
    rules = [str(p).rpartition(" [")[0] for p in grammar.productions("NP")[:3]]
    assert [text.rpartition(" [")[0] for text in facts["rules of NP"]] == rules
    weights = [p.weight for p in grammar.productions("NP")]
    entropy = -sum(w * math.log2(w) for w in weights)
    assert facts["entropy of NP in bits"] == pytest.approx(entropy)
    shown = run("inspect", saved / "p.json", "--lhs", "NP").out
    best = expected[0]
    assert re.search(rf"^ +{best['symbol']} +{best['rules']} +{best['entropy']:.4g} ", shown, re.M)


def test_a_grammar_that_does_not_end_is_ranked_by_entropy_alone(run):
    wild = b"S -> S S [0.75] | 'a' [0.25]"
    facts = run("inspect", "-", "--json", stdin=wild).facts
    [only] = facts["most ambiguous"]
    assert only["uses"] is None
    assert only["entropy"] == pytest.approx(0.811278, abs=1e-6)
    assert re.search(r"^ +S +2 +0.8113 +- +-$", run("inspect", "-", stdin=wild).out, re.M)


def test_fragments_are_shown_with_their_sizes_and_those_of_a_root(run, saved, fragments):
    facts = run("inspect", saved / "t.json.gz", "--lhs", "NP", "--top", "4", "--json").facts
    assert facts["fragments"] == len(fragments)
    depths = Counter(f.depth for f in fragments.fragments)
    small = {name: n for name, n in facts["fragments by depth"].items() if "-" not in name}
    assert small == {str(d): n for d, n in sorted(depths.items()) if d <= 8}
    assert sum(facts["fragments by nodes"].values()) == len(fragments)
    sizes = [f.nodes for f in fragments.fragments]
    assert facts["fragments by nodes"]["9-16"] == sum(9 <= n <= 16 for n in sizes)
    assert facts["fragments of NP"] == [
        {"weight": weight, "count": count, "fragment": str(fragment)}
        for fragment, weight, count in fragments.fragments_of("NP")[:4]
    ]
    assert facts["rules"] == len(fragments.pcfg)
    assert facts["tight"] is True


def test_rules_are_shown_without_building_the_graph(run, saved, monkeypatch):
    for family in (Grammar, TreeSubstitutionGrammar, LexicalisedGrammar):
        monkeypatch.setattr(family, "graph", property(lambda self: pytest.fail("built the graph")))
    for name in ("p.json", "t.json.gz", "l.json"):
        assert run("inspect", saved / name).code == 0
    assert run("inspect", saved / "t.json.gz", "--plot", "g.svg").code == 0


def test_the_gallery_shows_the_top_fragments_of_the_root(run, saved, tmp_path, fragments):
    run("inspect", saved / "t.json.gz", "--lhs", "PP", "--top", "3", "--plot", "g.svg")
    svg = (tmp_path / "g.svg").read_text()
    best = fragments.fragments_of("PP")[:3]
    titles = re.findall(r">([\d.]+)   seen (\d+)<", svg)
    assert titles == [(f"{weight:.4f}", str(count)) for _, weight, count in best]
    assert svg.count("↓</text>") == sum(len(fragment.sites) for fragment, _, _ in best)


def test_heads_of_a_category_are_counted(run, saved):
    grammar = LexicalisedGrammar.load(saved / "l.json")
    facts = run("inspect", saved / "l.json", "--lhs", "NP", "--top", "5", "--json").facts
    heads = grammar.head_statistics("NP")
    assert facts["seen as NP"] == heads.total
    assert facts["different heads of NP"] == len(heads.heads)
    assert facts["entropy of the heads of NP in bits"] == heads.entropy
    assert [(r["word"], r["tag"], r["count"]) for r in facts["heads of NP"]] == [*heads.heads[:5]]
    assert facts["heads of NP"][0]["share"] == heads.heads[0][2] / heads.total
    rules = facts["rules of NP"]
    assert len(rules) == 5
    assert all(row["rule"].startswith("{NP[") for row in rules)
    assert [r["count"] for r in rules] == sorted((r["count"] for r in rules), reverse=True)
    symbol = rules[0]["rule"].partition("}")[0][1:]
    alone = run("inspect", saved / "l.json", "--lhs", symbol, "--json").facts
    assert all(row["rule"].startswith(f"{{{symbol}}} ->") for row in alone[f"rules of {symbol}"])
    assert sum(r["weight"] for r in alone[f"rules of {symbol}"]) == pytest.approx(1)


def test_the_start_symbol_of_a_lexicalised_grammar_shows_its_rules(run, saved):
    facts = run("inspect", saved / "l.json", "--json", "--top", "500").facts
    grammar = LexicalisedGrammar.load(saved / "l.json")
    starts = [r for r in facts["rules of TOP"] if r["rule"].startswith("TOP -> ")]
    assert sum(r["count"] for r in starts) == 80
    assert grammar.start == "TOP"


def test_states_of_tags_show_words_and_those_of_phrases_rules(run, saved):
    parser = LatentParser.load(saved / "s.arrow")
    states = [states_of_labels(model.grammar) for model in parser.models]
    facts = run("inspect", saved / "s.arrow", "--lhs", "NN", "--top", "3", "--json").facts
    assert facts["states"] == [sum(each.values()) for each in states]
    first = facts["labels with most states"][0]
    assert first["states"] == [each[first["label"]] for each in states]
    rows = facts["words of each state of NN (model 1 of 2)"]
    assert len(rows) == states[0]["NN"]
    assert [row["words"] for row in rows] == [
        dict(state.words) for state in latent_states(parser.models[0], "NN", 3)
    ]
    shown = run("inspect", saved / "s.arrow", "--lhs", "NP", "--top", "30").out
    lines = shown.partition("rules of each state of NP")[2].splitlines()[2:]
    assert len(lines) == states[0]["NP"]
    assert all(len(line) < 120 and line.endswith("...") for line in lines)


def test_words_and_rules_of_a_state_are_distributions(saved):
    model = LatentParser.load(saved / "s.arrow").models[0]
    tags = model.grammar.skeleton.grammar.rules.words
    for label in states_of_labels(model.grammar):
        for state in latent_states(model, label, 10**6):
            masses = [p for _, p in state.words] + [rule.weight for rule in state.rules]
            assert masses == sorted(masses, reverse=True)
            # unseen words have a share of a tag
            assert sum(masses) <= 1 + 1e-9
            assert label in tags or sum(masses) >= 1 - 1e-6


def test_an_unsplit_model_has_the_rules_of_its_skeleton():
    from induction.counts.skeletons import SkeletonTrees
    from induction.latent.em import Annotator

    model = Annotator(SkeletonTrees.of(read_treebank()[:30])).unsplit()
    coarse = model.grammar.skeleton.grammar
    [state] = latent_states(model, "NP", 5)
    expected = coarse.productions("NP")[:5]
    assert [(p.rhs, p.weight) for p in state.rules] == [(p.rhs, p.weight) for p in expected]


# --- sample ------------------------------------------------------------------------------------


def test_trees_of_a_tsg_are_those_of_its_derivations_without_annotation(fragments):
    corpus = sample_sentences(fragments, 40, seed=5, length=(3, 12), trees=True)
    plain = sample_sentences(fragments, 40, seed=5, length=(3, 12))
    assert corpus.column("text") == plain.column("text")
    for row in corpus:
        made = fragments.tree_of(row["provenance"]["rules"])
        tree = Tree.parse(row["tree"])
        assert tree.leaves() == made.leaves() == tuple(row["text"].split())
        assert "|<" not in row["tree"]
        assert "+" not in "".join(node.label for node in tree.nodes())
        assert row["provenance"]["method"] == "tsg"
        log_weights = fragments.pcfg.compiled.log_weight[row["provenance"]["rules"]]
        assert row["provenance"]["log_probability"] == pytest.approx(float(log_weights.sum()))
        assert row["provenance"]["log_probability"] <= fragments.tree_log_probability(made) + 1e-9


def test_samples_of_a_tsg_have_their_probability():
    treebank = Treebank.parse("(S (A a) (B b)) (S (A a) (B c)) (S (A d) (B b))")
    grammar = induce_double_dop(treebank, steps=())
    n = 4000
    drawn = Counter(sample_sentences(grammar, n, trees=True).column("tree"))
    for tree, count in drawn.items():
        p = math.exp(grammar.tree_log_probability(Tree.parse(tree)))
        assert abs(count - n * p) < 5 * math.sqrt(n * p)
    assert len(drawn) == 4


def test_samples_of_a_tsg_do_not_depend_on_workers_or_batches(fragments):
    whole = sample_sentences(fragments, 30, length=(2, 9), trees=True)
    parts = sample_sentences(fragments, 30, length=(2, 9), trees=True, workers=2)
    assert whole.table.equals(parts.table)
    assert len(sample_sentences(fragments, 0, trees=True)) == 0
    later = sample_sentences(fragments, 10, start=20, length=(2, 9), trees=True)
    assert list(later) == list(whole)[20:]


def test_trees_of_a_lexicalised_grammar_have_plain_labels_and_its_probability(saved):
    grammar = LexicalisedGrammar.load(saved / "l.json")
    corpus = sample_sentences(grammar, 30, length=(3, 15), trees=True)
    for row in corpus:
        tree = Tree.parse(row["tree"])
        assert tree.label == "TOP"
        assert tree.leaves() == tuple(row["text"].split())
        assert not [node.label for node in tree.nodes() if "[" in node.label or "|" in node.label]
        assert not isinstance(tree.children[0], str)
        assert tree.children[0].label != "TOP"
        assert row["provenance"]["method"] == "lpcfg"


@given(st.data())
def test_what_is_no_derivation_makes_no_tree(data):
    grammar = induce_lpcfg(Treebank.parse("(S (NP (N we)) (VP (V saw) (NP (N stars))))"))
    [whole] = sample_sentences(grammar, 1).column("provenance")
    assert (
        str(grammar.tree_of(whole["rules"])) == "(TOP (S (NP (N we)) (VP (V saw) (NP (N stars)))))"
    )
    cut = data.draw(st.integers(0, len(whole["rules"]) - 1))
    with pytest.raises(OptionError, match="not one derivation"):
        grammar.tree_of(whole["rules"][:cut])
    with pytest.raises(OptionError, match="not one derivation"):
        grammar.tree_of(whole["rules"] + whole["rules"][cut:])


@pytest.mark.parametrize("family", ["pcfg", "tsg", "lpcfg"])
def test_sample_and_explain_agree_for_every_family(run, saved, tmp_path, family):
    file = saved / FILES[family]
    done = run("sample", file, "-n", "5", "--length", "4:9", "-o", "s.jsonl", "--trees")
    assert done.code == 0
    row = read_corpus(tmp_path / "s.jsonl")[3]
    assert row["provenance"]["method"] == family
    # the tree is made again from the rules alone
    plain = {key: value for key, value in row.items() if key != "tree"}
    (tmp_path / "plain.jsonl").write_text(json.dumps(plain) + "\n")
    shown = run("explain", "plain.jsonl", "3", "--grammar", file, "--plot", "d.svg")
    assert (shown.code, shown.err) == (0, "drawn in d.svg\n")
    assert Tree.parse(row["tree"]).pretty() in shown.out
    assert (tmp_path / "d.svg").stat().st_size > 1000


def test_explain_shows_the_fragments_and_draws_them(run, saved, tmp_path, fragments):
    file = saved / "t.json.gz"
    run("sample", file, "-n", "3", "--length", "4:9", "-o", "s.jsonl")
    row = read_corpus(tmp_path / "s.jsonl")[1]
    numbers = fragments.fragment_of_rule[row["provenance"]["rules"]]
    used = numbers[numbers >= 0]
    facts = run("explain", "s.jsonl", "1", "--grammar", file, "--json", "--plot", "d.svg").facts
    assert [text.rpartition(" [")[0] for text in facts["fragments"]] == [
        str(fragments.fragments[n]) for n in used
    ]
    logs = [math.log(float(text.rpartition(" [")[2][:-1])) for text in facts["fragments"]]
    assert sum(logs) == pytest.approx(facts["log_probability"], abs=1e-4)
    assert np.log(fragments.weight[used]).sum() == pytest.approx(facts["log_probability"])
    assert f"by {len(used)} fragments" in (tmp_path / "d.svg").read_text()


def test_explain_draws_a_lexicalised_tree_with_its_heads(run, saved, tmp_path):
    file = saved / "l.json"
    run("sample", file, "-n", "1", "--length", "4:9", "-o", "s.jsonl")
    run("explain", "s.jsonl", "0", "--grammar", file, "--plot", "d.svg")
    assert re.search(r">NP\[\w+/NN\w*\]<|>NP\[\w+/PRP\]<", (tmp_path / "d.svg").read_text())


# --- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "fragments_of_message"),
    [
        ("inspect p.json --lhs np --plot o.svg", ["no symbol 'np'", "try NP"]),
        ("inspect t.json.gz --lhs NPP --plot o.svg", ["no symbol 'NPP'", "try", "NP"]),
        ("inspect l.json --lhs vp --plot o.svg", ["no symbol 'vp'", "VP"]),
        ("inspect s.arrow --lhs NNQ --plot o.svg", ["no symbol 'NNQ'", "NN"]),
        ("inspect g.json --lhs class --plot o.svg", ["no symbol 'class'", "class-0"]),
        ("inspect p.json --plot o.pdf", ["o.pdf", "cannot draw to the suffix '.pdf'"]),
        ("inspect t.json.gz --plot o", ["cannot draw to the suffix ''"]),
        ("inspect t.json.gz --plot none/o.svg", ["none/o.svg", "cannot write"]),
        ("inspect s.arrow --plot none/o.png", ["none/o.png", "cannot write"]),
        ("inspect l.json --plot none/o.svg", ["none/o.svg", "cannot write"]),
        ("inspect t.json.gz --normalise", ["'tsg' cannot be normalised", "for PCFGs"]),
        ("inspect s.arrow --normalise", ["'latent' cannot be normalised"]),
        ("inspect other.json", ["other.json", "unknown family 'nonsense'"]),
        ("inspect broken.arrow", ["broken.arrow", "not a grammar saved"]),
        ("sample s.arrow -o o.csv", ["s.arrow", "cannot generate sentences", "double-dop"]),
        ("sample t.json.gz --length 400:401 -o o.xls", ["o.xls", ".parquet"]),
        ("sample t.json.gz --normalise -o o.csv", ["cannot be normalised"]),
        ("explain s.jsonl 0 --grammar s.arrow", ["s.arrow", "makes no examples"]),
        ("explain s.jsonl 0 --grammar g.json", ["but the grammar has only"]),
        ("explain s.jsonl 0 --grammar p.json --plot o.svg", ["name the grammar"]),
        ("explain s.jsonl 0 --grammar tiny.json", ["has only", "name the grammar"]),
        ("explain s.jsonl 0 --grammar t.json.gz --plot o.bmp", ["o.bmp", "suffix"]),
        ("explain s.jsonl 0 --grammar t.json.gz --plot none/o.svg", ["cannot write"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_is_one_message(run, saved, tmp_path, arguments, fragments_of_message):
    for file in saved.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "broken.arrow").write_bytes(b"ARROW1 and no more")
    graph = json.loads((saved / "p.json").read_text()) | {"family": "nonsense", "seal": ""}
    (tmp_path / "other.json").write_text(json.dumps(graph))
    induce_double_dop(Treebank.parse("(S a)"), steps=()).save(tmp_path / "tiny.json")
    run("sample", "t.json.gz", "-n", "1", "--length", "6:9", "-o", "s.jsonl")
    before = names(tmp_path)
    done = run(*arguments.split())
    assert done.code == 1
    assert done.err.startswith("treewright: ")
    assert done.err.count("\n  hint: ") <= 1
    for fragment in fragments_of_message:
        assert fragment in done.err
    assert names(tmp_path) == before


def test_a_tsg_that_may_never_end_says_so(run, tmp_path):
    wild = Treebank.parse("(S (S a) (S (S a) (S a)))")
    induce_double_dop(wild, steps=()).save(tmp_path / "w.json")
    grammar = TreeSubstitutionGrammar.load(tmp_path / "w.json")
    heavy = TreeSubstitutionGrammar.from_fragments(
        [(f, 0.9 if f.sites else 0.1, 1) for f in grammar.fragments if f.depth == 1], start="S"
    )
    heavy.save(tmp_path / "w.json")
    done = run("sample", "w.json", "-n", "1", "-o", "s.csv")
    assert done.code == 1
    assert "--length" in done.err or "1:40" in done.err
    assert run("sample", "w.json", "-n", "3", "--length", "3").out == "a a a\n" * 3
