"""Comparisons: each number beside its definition, what is found, and what is not."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from grammar.errors import EmptyTreebankError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.rng import stream_key, uniforms
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.readers import read_treebank
from sampling.comparison.comparison import compare
from sampling.comparison.differences import differences, holm
from sampling.comparison.divergences import jensen_shannon
from sampling.comparison.features import counts_of_units
from tests.grammar.strategies import trees

A = Treebank.parse("(S (NP (PRP we)) (VP (VBD ran)))" * 20 + "(S (VP (VB run)))" * 5)
B = Treebank.parse("(S (VP (VB run)))" * 30)
_P = ("p", "p_holm")
SMALL = trees(labels=st.sampled_from(["S", "NP"]), words=st.sampled_from("ab"), max_leaves=6)


def rules_of(tree: Tree) -> list[str]:
    below = [child for child in tree.children if isinstance(child, Tree)]
    names = " ".join(c if isinstance(c, str) else c.label for c in tree.children)
    own = [f"{tree.label} -> {names}"] if below else []
    return own + [rule for child in below for rule in rules_of(child)]


def depth_of(tree: Tree | str) -> int:
    return 1 + max(map(depth_of, tree.children)) if isinstance(tree, Tree) else 1


@settings(deadline=None)
@given(st.lists(SMALL, min_size=1, max_size=5))
def test_counts_are_those_of_the_trees(bank: list[Tree]) -> None:
    counts = counts_of_units(Treebank.from_trees(bank), range(len(bank)))
    slow = {
        "rules": rules_of,
        "words": lambda tree: list(tree.leaves()),
        "lengths": lambda tree: [str(len(tree.leaves()))],
        "depths": lambda tree: [str(depth_of(tree))],
    }
    for kind, listed in slow.items():
        found = counts[kind]
        for row, tree in zip(found.matrix.toarray().tolist(), bank, strict=True):
            pairs = zip(found.names, row, strict=True)
            expected = sorted(listed(tree))
            assert sorted(name for name, count in pairs for _ in range(count)) == expected


def test_log_odds_and_g2_by_hand() -> None:
    # one word a unit, so occurrences are independent and the design effect is 1
    bank = Treebank.parse("(X a)" * 30 + "(X b)" * 10 + "(X a)" * 15 + "(X b)" * 25)
    counts = {"words": counts_of_units(bank, range(80))["words"]}
    found = differences(counts, np.arange(40), np.arange(40, 80))["words"].table.to_pylist()
    row = next(row for row in found if row["name"] == "a")
    prior = 1000 * 45 / 80
    odds_a = (30 + prior) / (40 + 1000 - 30 - prior)
    odds_b = (15 + prior) / (40 + 1000 - 15 - prior)
    assert row["log_odds"] == pytest.approx(math.log(odds_a / odds_b))
    error = math.sqrt((1 / (30 + prior) + 1 / (15 + prior)) * row["spread"])
    assert row["z"] == pytest.approx(row["log_odds"] / error)
    assert row["high"] - row["low"] == pytest.approx(2 * 1.959964 * error)
    table = stats.chi2_contingency([[30, 10], [15, 25]], correction=False, lambda_="log-likelihood")
    assert row["spread"] == pytest.approx(40 / 39)
    assert row["g2"] == pytest.approx(table.statistic / row["spread"])
    exact = stats.binomtest(30, 45, 0.5).pvalue
    assert row["p"] == pytest.approx(max(stats.f.sf(row["g2"], 1, 78), exact))


def test_occurrences_in_few_documents_are_weak_evidence() -> None:
    many = Treebank.parse("(X a)(X b)(X b)(X b)" * 50 + "(X b)" * 200)
    spread = counts_of_units(many, range(400))
    of_trees = differences({"words": spread["words"]}, np.arange(200), np.arange(200, 400))
    assert of_trees["words"].passing == 2
    documents = [0] * 50 + [1 + i % 9 for i in range(350)]
    bank = Treebank.parse("(X a)" * 50 + "(X b)" * 350)
    counts = {"words": counts_of_units(bank, documents)["words"]}
    assert differences(counts, np.arange(5), np.arange(5, 10))["words"].passing == 0


def test_features_of_all_kinds_are_corrected_for_at_once() -> None:
    counts = counts_of_units(Treebank.concatenate([A, B]), range(55))
    found = differences(
        {kind: counts[kind] for kind in ("rules", "words")}, np.arange(25), np.arange(25, 55)
    )
    columns = [np.concatenate([one.table.column(n) for one in found.values()]) for n in _P]
    assert columns[1].tolist() == holm(columns[0]).tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_what_its_steps_say(p: list[float]) -> None:
    order = sorted(range(len(p)), key=p.__getitem__)
    expected, most = [0.0] * len(p), 0.0
    for step, place in enumerate(order):
        most = max(most, min(1.0, (len(p) - step) * p[place]))
        expected[place] = most
    assert holm(np.array(p)).tolist() == pytest.approx(expected)


def test_jensen_shannon_of_pairs() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (6, 3)).astype(float), rng.integers(0, 9, (6, 3)).astype(float)
    found = jensen_shannon(a, b)
    for i, value in enumerate(found):
        p, q = a[:, i] / a[:, i].sum(), b[:, i] / b[:, i].sum()
        m = (p + q) / 2
        halves = (stats.entropy(p, m, base=2) + stats.entropy(q, m, base=2)) / 2
        assert value == pytest.approx(halves)


def test_a_comparison_finds_what_differs() -> None:
    found = compare(A, B, names=("past", "imperative"))
    assert found.differences["rules"].passing >= 3
    first = found.differences["rules"].table.to_pylist()[0]
    assert first["name"] in ("TOP -> S", "S -> NP VP", "S -> VP", "NP -> PRP", "VP -> VBD")
    ours, theirs = found.coverage["words"]
    assert (ours.occurrences, ours.distinct) == (5 / 45, 1 / 3)
    assert (theirs.occurrences, theirs.distinct) == (1.0, 1.0)
    assert found.divergences["lengths"].plug_in > found.divergences["lengths"].expected
    assert found.divergences["lengths"].p == 0.01
    assert "past" in repr(found)


def test_two_halves_of_one_corpus_do_not_differ() -> None:
    treebank = read_treebank("embedded")
    clean = 0
    for seed in range(20):
        order = np.argsort(uniforms(stream_key(seed, "halves"), 0, len(treebank)))
        halves = [treebank.take(np.sort(half)) for half in np.array_split(order, 2)]
        counts = counts_of_units(Treebank.concatenate(halves), range(len(treebank)))
        units = np.array_split(np.arange(len(treebank)), [len(halves[0])])
        tested = {kind: counts[kind] for kind in ("rules", "words")}
        clean += not any(one.passing for one in differences(tested, *units).values())
    assert clean >= 19


def test_the_seed_alone_decides() -> None:
    facts = [compare(A, B, seed=seed).to_dict() for seed in (1, 1)]
    assert facts[0] == facts[1]


def test_grammars_are_compared_by_their_samples() -> None:
    grammar = Grammar.parse("S -> NP VP [1]\nNP -> 'we' [0.5] | 'they' [0.5]\nVP -> 'ran' [1]")
    found = compare(grammar, Treebank.parse("(S (NP we) (VP ran))" * 200), n=300)
    assert found.trees == (300, 200)
    assert found.differences["words"].table.column("name").to_pylist()[0] == "they"
    assert found.coverage["rules"][0].occurrences == 1.0


def test_what_is_missing_is_told() -> None:
    with pytest.raises(EmptyTreebankError):
        compare(A, Treebank.from_trees([]))
    with pytest.raises(OptionError, match="2 units for 25 trees"):
        compare(A, B, units=([1, 2], range(30)))
    with pytest.raises(OptionError, match="no differences of lengths"):
        compare(A, B).show("lengths")


def test_the_page_stands_alone(tmp_path) -> None:
    found = compare(A, B, names=("<a>", "b&c"))
    found.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert not re.findall(r"<script|<link|src=|@import|url\(", page)
    addresses = set(re.findall(r"https?://[^\"' <]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    assert found._repr_html_() in page or "<h2>Coverage</h2>" in found._repr_html_()
    assert found.show().svg().count("<rect") == 1 + min(20, len(found.differences["rules"]))


def test_nothing_to_compare_is_no_fault() -> None:
    found = compare(Treebank.parse("(S so)"), Treebank.parse("(S yes)"))
    assert [len(one) for one in found.differences.values()] == [0, 0]
    assert list(itertools.islice(found.lines(), 3))
    with pytest.raises(OptionError, match="no rules to draw"):
        found.show()
