"""TreeMix and RandMix: the paper's example and table, plain readings, and real data."""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import warnings
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from grammar.errors import CorpusError, OptionError
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_sst
from sampling.examples.labels import check_corpus
from sampling.pipeline.replication import augmented
from sampling.spans.randmix import RandMix, length_probabilities
from sampling.spans.spelling import Executor
from sampling.spans.sub2 import Sub2
from sampling.spans.treemix import TreeMix
from sampling.stream import ShortfallWarning
from scan import interpret

DATA = os.environ.get("TREEWRIGHT_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="TREEWRIGHT_DATA is not set")

FILM = (
    "(S (NP (PRP They)) (VP (MD will) (VP (VB find) (NP (NP (JJ little) (NN interest))"
    " (PP (IN in) (NP (DT this) (JJ poor) (NN film)))))) (. .))"
)
STORY = (
    "(S (NP (PRP It)) (VP (VBZ comes) (PP (IN as) (NP (DT a) (JJ touching) (JJ transcendent)"
    " (NN love) (NN story)))) (. .))"
)
PAPER = Corpus.from_columns(
    text=[
        "They will find little interest in this poor film.",
        "It comes as a touching transcendent love story.",
    ],
    label=[0, 1],
    tree=[FILM, STORY],
)


def everything(sampler: Any) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return Corpus(pa.concat_tables(sampler.batches(100_000, batch_size=50)))


# --- the paper --------------------------------------------------------------------------------


def test_the_worked_example_of_figure_1() -> None:
    made = everything(TreeMix.induce(PAPER, high=0.6))
    text = "They will find little interest in a touching transcendent love story."
    row = next(row for row in made if row["text"] == text)
    assert row["label"] == [float(np.float32(7 / 12)), float(np.float32(5 / 12))]
    assert row["provenance"]["parents"] == ["0", "1"]
    assert row["provenance"]["spans"] == [{"start": 6, "end": 11}]


@pytest.mark.parametrize(
    ("low", "high", "in_table", "at_the_edges"),
    [
        (0.1, 0.3, {"little interest", "this poor film"}, set()),
        (0.3, 0.5, {"in this poor film"}, {"this poor film"}),
        (
            0.5,
            0.7,
            {"little interest in this poor film"},
            {"find little interest in this poor film"},
        ),
    ],
)
def test_the_candidates_of_table_2(
    low: float, high: float, in_table: set[str], at_the_edges: set[str]
) -> None:
    grammar = TreeMix.induce(PAPER, low=low, high=high, mix="any", distinct=False)
    found = {
        grammar.grammar.rule_text(len(grammar.grammar.sites) + s).removeprefix("⟨0⟩ ")
        for s in range(len(grammar.grammar.sites))
        if grammar.grammar.sites.example[s] == 0
    }
    # the table gives examples; a ratio of exactly λL or λU is in the closed interval
    assert found == in_table | at_the_edges


# --- a plain reading --------------------------------------------------------------------------

WORDS = st.sampled_from(["a", "b", "c", "dd"])


def sentences() -> st.SearchStrategy[Tree]:
    labels = st.sampled_from(["P", "Q"])
    below = st.recursive(
        WORDS,
        lambda deeper: st.builds(
            lambda label, children: Tree(label, tuple(children)),
            labels,
            st.lists(deeper, min_size=1, max_size=3),
        ),
        max_leaves=5,
    )
    return st.builds(
        lambda label, children: Tree(label, tuple(children)),
        labels,
        st.lists(below, min_size=2, max_size=3),
    )


def candidates(tree: Tree, low: Fraction, high: Fraction, children: int) -> list[Any]:
    """Spans, labels and words of the constituents in the band."""
    found = []

    def visit(node: Tree | str, start: int) -> int:
        if isinstance(node, str):
            return start + 1
        end = start
        for child in node.children:
            end = visit(child, end)
        ratio = Fraction(end - start, len(list(tree.leaves())))
        if len(node.children) >= children and low <= ratio <= high:
            found.append((start, end, node.label, list(tree.leaves())[start:end]))
        return end

    visit(tree, 0)
    return found


OPTIONS = st.fixed_dictionaries(
    {
        "low": st.sampled_from([0.0, 0.2, 0.3]),
        "high": st.sampled_from([0.5, 0.7, 1.0]),
        "min_children": st.sampled_from([1, 2]),
        "mix": st.sampled_from(["any", "same", "cross"]),
        "same_label": st.booleans(),
        "same_length": st.booleans(),
    }
)


@given(
    st.lists(st.tuples(sentences(), st.sampled_from([0, 1, 2])), min_size=1, max_size=2),
    OPTIONS,
    st.booleans(),
)
@settings(max_examples=100)
def test_treemix_makes_what_equations_1_to_3_say(
    rows: list[tuple[Tree, int]], options: dict[str, Any], pairs: bool
) -> None:
    rows = [(tree, label) for tree, label in rows for _ in range(2)]
    low, high = Fraction(str(options["low"])), Fraction(str(options["high"]))
    sides = [[tree for tree, _ in rows]]
    if pairs:
        sides.append([tree for tree, _ in reversed(rows)])
    columns: dict[str, Any] = {"label": [label for _, label in rows]}
    for name, side in zip(("", "_pair"), sides, strict=False):
        columns[f"text{name}"] = [" ".join(tree.leaves()) for tree in side]
        columns[f"tree{name}"] = [str(tree) for tree in side]
    corpus = Corpus.from_columns(**columns)
    labels = corpus.column("label")
    if min(labels):  # classes that are not numbered from 0 have no place for a class 0
        labels = [sorted(set(labels)).index(label) for label in labels]
    size = max(labels) + 1
    made: dict[tuple[str, ...], set[tuple[float, ...]]] = {}
    change = False
    spans = [
        list(itertools.product(*(
            candidates(side[i], low, high, options["min_children"]) for side in sides
        )))
        for i in range(len(rows))
    ]  # fmt: skip
    for i, j in itertools.product(range(len(rows)), repeat=2):
        if options["mix"] == "same" and labels[i] != labels[j]:
            continue
        if options["mix"] == "cross" and labels[i] == labels[j]:
            continue
        for holes, fills in itertools.product(spans[i], spans[j]):
            if options["same_label"] and [h[2] for h in holes] != [f[2] for f in fills]:
                continue
            lengths = [[span[1] - span[0] for span in chosen] for chosen in (holes, fills)]
            if options["same_length"] and lengths[0] != lengths[1]:
                continue
            change = change or [h[3] for h in holes] != [f[3] for f in fills]
            words = [list(side[i].leaves()) for side in sides]
            texts = tuple(
                " ".join(w[: h[0]] + f[3] + w[h[1] :])
                for w, h, f in zip(words, holes, fills, strict=True)
            )
            kept = sum(map(len, words)) - sum(lengths[0])
            share = kept / (kept + sum(lengths[1]))
            mixed = np.zeros(size)
            mixed[labels[i]] += share
            mixed[labels[j]] += 1 - share
            made.setdefault(texts, set()).add(tuple(mixed.astype(np.float32).tolist()))
    if not change:
        with pytest.raises(CorpusError, match="no new example can be made|of one class"):
            TreeMix.induce(corpus, **options, repair="none")
        return
    names = ("text", "text_pair")[: len(sides)]
    for known in zip(*map(corpus.column, names), strict=True):
        made.pop(known, None)
    found = everything(TreeMix.induce(corpus, **options, repair="none"))
    check_corpus(found)
    texts = list(zip(*map(found.column, names), strict=True))
    assert sorted(texts) == sorted(made)
    for row, key in zip(found, texts, strict=True):
        nearest = min(made[key], key=lambda label: np.abs(np.array(label) - row["label"]).max())
        assert row["label"] == pytest.approx(nearest, abs=1e-6)
        assert " ".join(Tree.parse(row["tree"]).leaves()) == row["text"]


def test_draws_are_as_algorithm_1_says() -> None:
    corpus = Corpus.from_columns(
        text=["a b c d", "e f g h i", "j k"],
        tree=["(S (X a b) (Y c d))", "(S (X e f) (Y g (Z h i)))", "(S j k)"],
        label=[0, 1, 0],
    )
    sampler = TreeMix.induce(corpus, high=0.5, distinct=False)
    # two examples have constituents in the band, with two each; a draw of the same is no change
    rules = [tuple(row["provenance"]["rules"]) for row in sampler.sample(24_000, seed=5)]
    pairs, counts = np.unique(rules, axis=0, return_counts=True)
    assert len(pairs) == 4 * 3
    assert chisquare(counts).pvalue > 1e-3
    logs = {round(row["provenance"]["log_probability"], 9) for row in sampler.sample(100)}
    assert logs == {round(float(np.log(1 / 16)), 9)}


# --- modes, pairs, SCAN -----------------------------------------------------------------------


def test_code_mode_measures_the_donor_by_the_host() -> None:
    corpus = Corpus.from_columns(
        text=["a b c d e f", "g h"], tree=["(S (X a) (Y b (Z c d)) e f)", "(S (X g) (Y h))"],
        label=[0, 1],
    )  # fmt: skip
    with pytest.raises(CorpusError, match="1 with 0.1 <= words"):
        TreeMix.induce(corpus, min_children=1)
    made = TreeMix.induce(corpus, faithful="code", distinct=True)
    texts = {row["text"] for row in everything(made)}
    assert "g b c d e f" in texts  # one word of six, as the host asks, is half of its own
    assert made.grammar.options["min_children"] == 1


def test_code_mode_narrows_the_band_of_pairs() -> None:
    pair = Corpus.from_columns(
        **{name: PAPER.column(name[:4]) for name in ("text", "tree", "text_pair", "tree_pair")},
        label=[0, 1],
    )
    options = TreeMix.induce(pair, faithful="code", high=0.7).grammar.options
    assert (options["low"], options["insert_ratio"]) == (0.5, "own")


def test_pairs_mix_by_equation_3() -> None:
    corpus = Corpus.from_columns(
        text=["a b c d", "e f g h"], tree=["(S a (X b c) d)", "(S e f (X g h))"],
        text_pair=["i j", "k l m n o"], tree_pair=["(S i j)", "(S (Y k l m) n o)"],
        label=[[1.0, 0.0], [0.0, 1.0]],
    )  # fmt: skip
    made = everything(TreeMix.induce(corpus, low=0.5, high=1.0))
    row = next(r for r in made if (r["text"], r["text_pair"]) == ("a g h d", "k l m"))
    assert row["label"] == pytest.approx([2 / 7, 5 / 7])
    assert row["provenance"]["spans"] == [{"start": 1, "end": 3}, {"start": 0, "end": 3}]


def test_scan_mode_with_an_interpreter() -> None:
    corpus = Corpus.from_columns(
        text=["jump", "walk twice", "run left"],
        target=["I_JUMP", "I_WALK I_WALK", "I_TURN_LEFT I_RUN"],
        tree=["(S (VP (V jump)))", "(S (VP (V walk)) (RB twice))", "(S (VP (V run)) (D left))"],
    )

    def executor(text: str) -> str | None:
        try:
            return " ".join(interpret(text))
        except ValueError:
            return None

    sampler = TreeMix.induce(corpus, low=0, high=1, min_children=1, executor=executor)
    made = everything(sampler)
    assert {"jump twice", "jump left", "run twice", "walk left"} <= set(made.column("text"))
    assert all(executor(row["text"]) == row["target"] for row in made)
    with pytest.raises(CorpusError, match="cannot give the target"):
        TreeMix.induce(corpus, low=0, high=1, min_children=1)


@given(data=st.data())
def test_patience_ends_a_stream_at_a_candidate(data: st.DataObject) -> None:
    """A stream is that of all new texts, filtered, up to so many refused ones in a row."""
    corpus = Corpus.from_columns(
        text=["a b c", "d e", "f g h i"], target=["", "", ""],
        tree=["(S (X a) (Y b c))", "(S (X d) (Y e))", "(S (X f) (Y g (X h) i))"],
    )  # fmt: skip
    patience, share = data.draw(st.integers(1, 12)), data.draw(st.integers(0, 9))
    parts = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))

    def executor(text: str) -> str | None:
        return "good" if zlib.crc32(text.encode()) % 10 < share else None

    def texts(executor: Executor, counts: list[int]) -> list[str]:
        sampler = TreeMix.induce(corpus, low=0, high=1, min_children=1, executor=executor)
        found: list[str] = []
        for count in counts:
            found += sampler.sample(count, start=len(found)).column("text")
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        candidates = texts(lambda text: "any", [1000])
        with mock.patch.object(TreeMix, "patience", patience):
            made = texts(executor, parts)
    expected, refused = [], 0
    for text in candidates:
        if executor(text) is not None:
            expected.append(text)
            refused = 0
        elif (refused := refused + 1) == patience:
            break
    assert made == expected[: sum(parts)]


def test_the_end_of_patience_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TreeMix, "patience", 5)
    sampler = TreeMix.induce(
        Corpus.from_columns(text=["a b c"], target=["A B C"], tree=["(S (X a) (X b) (X c))"]),
        low=0, high=1, min_children=1, executor=lambda text: None,
    )  # fmt: skip
    with pytest.warns(ShortfallWarning, match="ended at 0: the last 5 new .* refused .5 refused."):
        assert len(sampler.sample(1000)) == 0


def test_soft_labels_and_replicated_originals() -> None:
    both = augmented(PAPER, TreeMix.induce(PAPER, high=0.6), times=1)
    assert both.column("label")[:2] == [[1, 0], [0, 1]]
    check_corpus(both)


# --- RandMix ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "threshold"), [(10, 0.3), (7, 0.5), (12, 0.25), (4, 0.25)])
def test_randmix_lengths_are_those_of_a_simulation(words: int, threshold: float) -> None:
    rng = np.random.default_rng(0)
    drawn = []
    while len(drawn) < 20_000:
        most = int(np.floor(rng.uniform(0, threshold) * words + 1e-12))
        spans = [b - a for a, b in itertools.combinations(range(words + 1), 2) if b - a <= most]
        if spans:
            drawn.append(rng.choice(spans))
        elif threshold * words <= 1:
            drawn.append(1)
    counts = np.bincount(drawn, minlength=int(threshold * words) + 1)
    expected = length_probabilities(words, threshold, "uniform")
    assert expected.sum() == pytest.approx(1)
    possible = expected > 0
    assert not counts[: len(expected)][~possible].any()
    if possible.sum() > 1:
        assert (
            chisquare(counts[: len(expected)][possible], 20_000 * expected[possible]).pvalue > 1e-3
        )


def test_randmix_in_code_mode_exchanges_equal_lengths() -> None:
    corpus = Corpus.from_columns(
        text=[" ".join(f"{c}{k}" for k in range(10)) for c in "ab"], label=[0, 1]
    )
    made = RandMix.induce(corpus, faithful="code").sample(100)
    assert {len(text.split()) for text in made.column("text")} == {10}
    widths = {
        r["provenance"]["spans"][0]["end"] - r["provenance"]["spans"][0]["start"] for r in made
    }
    assert widths == {1, 2, 3}


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"label": None}, {}, "no column 'label'"),
        ({"text_pair": ["x", "y"]}, {}, "no column 'tree_pair'"),
        ({"label": [0.0, float("nan")]}, {}, "NaN"),
        ({"label": [[0.5, 0.5], [0.5, 0.2]]}, {}, "does not sum to 1"),
        ({}, {"mix": "same"}, "class 0 has one example"),
        ({"label": [1, 1]}, {"mix": "cross"}, "of one class"),
        ({}, {"high": 0.05, "low": 0.01}, "0 with 0.01 <= words"),
        ({}, {"min_children": 6}, "0 with 6 children or more"),
        ({}, {"protect": r"\w+"}, "0 without a protected word"),
        ({"tree": [FILM, FILM]}, {}, "is not what follows"),
    ],
)
def test_corpora_that_are_refused(
    columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    have = {name: PAPER.column(name) for name in ("text", "label", "tree")} | columns
    corpus = Corpus.from_columns(**{k: v for k, v in have.items() if v is not None})
    with pytest.raises(CorpusError, match=message):
        TreeMix.induce(corpus, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lambda": 0.1}, "treemix has no option 'lambda'"),
        ({"hihg": 0.1}, "did you mean 'high'"),
        ({"low": 0.5, "high": 0.2}, "above high"),
        ({"high": 1.5}, "out of range"),
        ({"low": float("nan")}, "out of range"),
        ({"mix": "both"}, "use one of any, same, cross"),
        ({"insert_ratio": "source", "same_label": True}, "single texts without other"),
        ({"classes": 1}, "not below 1"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((OptionError, CorpusError), match=message):
        TreeMix.induce(PAPER, **options).sample(1)


def test_randmix_refuses_too_small_a_threshold() -> None:
    corpus = Corpus.from_columns(text=["a b c", "d e f"], label=[0, 1])
    with pytest.raises(CorpusError, match="no new example"):
        RandMix.induce(corpus)


# --- real data --------------------------------------------------------------------------------


@needs_data
def test_sentiment_treebank_with_every_option() -> None:
    corpus = read_sst(Path(str(DATA)) / "sst" / "dev.txt.gz")
    for options in (
        {}, {"mix": "same"}, {"mix": "cross"}, {"same_label": True}, {"same_length": True},
        {"faithful": "code"}, {"low": 0.3, "high": 0.5}, {"strict": True, "min_children": 1},
        {"insert_ratio": "source", "tokenised": True},
    ):  # fmt: skip
        made = TreeMix.induce(corpus, **options).sample(5 * len(corpus), seed=2)
        check_corpus(made)
        labels = dict(zip(corpus.column("id"), corpus.column("label"), strict=True))
        classes = [[labels[p] for p in row["provenance"]["parents"]] for row in made]
        same = [a == b for a, b in classes]
        assert all(same) if options.get("mix") == "same" else not all(same)
        assert options.get("mix") != "cross" or not any(same)


@needs_data
@pytest.mark.parametrize(("name", "texts"), [("mrpc", (3, 4)), ("rte", (1, 2))])
def test_pairs_of_real_data(name: str, texts: tuple[int, int]) -> None:
    path = Path(str(DATA)) / name / "train.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8-sig") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:300]
    labels = [row[0] if name == "mrpc" else row[3] for row in rows]
    kinds = sorted(set(labels))

    def flat(text: str) -> str:
        words = text.replace("(", "-LRB-").replace(")", "-RRB-").split()
        middle = len(words) // 4 + 1
        return f"(S (X {' '.join(words[:middle])}) (Y {' '.join(words[middle:] or ['.'])}))"

    columns: dict[str, Any] = {"label": [kinds.index(label) for label in labels]}
    for k, suffix in zip(texts, ("", "_pair"), strict=True):
        columns[f"tree{suffix}"] = [flat(row[k]) for row in rows]
        columns[f"text{suffix}"] = [
            " ".join(Tree.parse(t).leaves()) for t in columns[f"tree{suffix}"]
        ]
    made = TreeMix.induce(Corpus.from_columns(**columns), high=0.4).sample(2000)
    check_corpus(made)
    assert len(made) == 2000


@pytest.mark.parametrize(
    ("method", "options"),
    [(TreeMix, {"high": 0.9}), (Sub2, {"phrase": True, "label": True})],
)
def test_sentences_of_texts_are_exchanged_for_sentences_alone(
    method: Any, options: dict[str, Any]
) -> None:
    one, two = "(S (NP {0}) (VP {1} (S (NP he) (VP {2}))) (. {3}))", "(S (NP {0}) (VP {1}) (. {2}))"
    trees = [
        f"(TOP {one.format('A', 'saw', 'fell', '.')} {two.format('B', 'slept', '!')})",
        f"(TOP {two.format('C', 'rose', '?')} {one.format('D', 'heard', 'sang', '.')})",
    ]
    texts = ["A saw he fell. B slept!", "C rose? D heard he sang."]
    corpus = Corpus.from_columns(text=texts, tree=trees, label=[0, 0])
    sampler = method.induce(corpus, **options)
    with pytest.warns(ShortfallWarning):
        made = sampler.sample(500, seed=0).column("text")
    assert len(made) > 10
    for text in made:
        assert text[-1] in ".!?"
        assert sum(sign in ".!?" for sign in text) == 2, text
    whole = {"C rose? B slept!", "A saw he fell. D heard he sang."}
    assert whole <= set(made)
