"""Sub2 against a plain reading of the paper, on small corpora and on real data."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.messages import heard_by
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, read_sst
from induction.corpus.readers import read_reviews
from induction.corpus.text.tokens import plain_brackets
from sampling.examples.labels import check_corpus
from sampling.pipeline.replication import augmented
from sampling.spans.sub2 import Sub2, Sub2Options
from sampling.spans.treemix import TreeMix
from sampling.stream import ShortfallWarning

DATA = os.environ.get("TREEWRIGHT_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="TREEWRIGHT_DATA is not set")


def everything(sampler: Any) -> Corpus:
    """All examples there are; the shortfall is what is expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return Corpus(pa.concat_tables(sampler.batches(100_000, batch_size=50)))


# --- small corpora and a plain reading --------------------------------------------------------

WORDS = st.sampled_from(["a", "b", "c", "dd"])


@st.composite
def tagged(draw: st.DrawFn) -> list[tuple[list[str], list[str]]]:
    pairs = st.tuples(WORDS, st.sampled_from("XY"))
    rows = draw(st.lists(st.lists(pairs, min_size=1, max_size=5), min_size=2, max_size=4))
    return [([w for w, _ in row], [t for _, t in row]) for row in rows]


def windows(row: list[str], least: int, most: int) -> Iterator[tuple[int, int]]:
    for a, b in itertools.combinations(range(len(row) + 1), 2):
        if least <= b - a <= most:
            yield a, b


@given(tagged())
@settings(max_examples=60)
def test_tagging_makes_what_the_paper_says(rows: list[tuple[list[str], list[str]]]) -> None:
    corpus = Corpus.from_columns(
        text=[" ".join(words) for words, _ in rows], tags=[tags for _, tags in rows]
    )
    expected = set()
    for (words, tags), (others, marks) in itertools.product(rows, repeat=2):
        for (a, b), (c, d) in itertools.product(windows(words, 1, 4), windows(others, 1, 4)):
            if tags[a:b] == marks[c:d]:
                expected.add((" ".join(words[:a] + others[c:d] + words[b:]), tuple(tags)))
    expected = {pair for pair in expected if pair[0] not in corpus.column("text")}
    if not expected:
        if any_change(rows):
            assert len(everything(Sub2.induce(corpus, task="tags", repair="none"))) == 0
        else:
            with pytest.raises(CorpusError, match="no new example can be made"):
                Sub2.induce(corpus, task="tags", repair="none")
        return
    made = everything(Sub2.induce(corpus, task="tags", repair="none"))
    texts = made.column("text")
    assert len(set(texts)) == len(texts)
    assert set(texts) == {text for text, _ in expected}
    assert set(zip(texts, map(tuple, made.column("tags")), strict=True)) <= expected
    check_corpus(made)


def any_change(rows: list[tuple[list[str], list[str]]]) -> bool:
    """Say whether any span has another of the same tags and other words."""
    by_tags: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for words, tags in rows:
        for a, b in windows(words, 1, 4):
            by_tags.setdefault(tuple(tags[a:b]), set()).add(tuple(words[a:b]))
    return any(len(spans) > 1 for spans in by_tags.values())


def bracketings(size: int) -> st.SearchStrategy[Tree]:
    labels = st.sampled_from(["P", "Q"])
    words = st.builds(lambda word: Tree("W", (word,)), WORDS)
    below = st.recursive(
        words,
        lambda deeper: st.builds(
            lambda label, children: Tree(label, tuple(children)),
            labels,
            st.lists(deeper, min_size=1, max_size=3),
        ),
        max_leaves=size,
    )
    return st.builds(
        lambda label, children: Tree(label, tuple(children)),
        labels,
        st.lists(below, min_size=1, max_size=3),
    )


def phrases(tree: Tree, start: int = 0) -> Iterator[tuple[int, int, str, Tree]]:
    """Yield the spans of phrases: nodes above tags."""
    leaves = list(tree.leaves())
    if not (len(tree.children) == 1 and isinstance(tree.children[0], str)):
        yield start, start + len(leaves), tree.label, tree
    for child in tree.children:
        if isinstance(child, Tree):
            yield from phrases(child, start)
            start += len(list(child.leaves()))
        else:
            start += 1


CHOICES = st.fixed_dictionaries(
    {name: st.booleans() for name in ("length", "phrase", "label", "text_label", "whole")}
)


@given(
    st.lists(st.tuples(bracketings(4), st.sampled_from([0, 1])), min_size=2, max_size=4),
    CHOICES,
    st.sampled_from(["parse", "balanced"]),
)
@settings(max_examples=150)
def test_text_classification_with_all_combinations_of_features(
    rows: list[tuple[Tree, int]], choice: dict[str, bool], backbone: str
) -> None:
    n, p, with_label, t, whole = choice.values()
    with_label = with_label and p and backbone == "parse"
    if not p:
        backbone = "parse"
    rows = [*rows, *rows]  # no class has one example
    spans = []
    for tree, label in rows:
        words = list(tree.leaves())
        if not p:
            found = [(a, b, "") for a, b in windows(words, 1, len(words))]
        elif backbone == "balanced":
            found = [(a, b, "") for a, b in halves(0, len(words))]
        else:
            found = [(a, b, kind if with_label else "") for a, b, kind, _ in phrases(tree)]
        key = [(n and b - a, kind, t and label) for a, b, kind in found]
        spans.append(
            [(words[a:b], a, b, k) for (a, b, _), k in zip(found, key, strict=True)
             if whole or b - a < len(words)]
        )  # fmt: skip
    everywhere = [span for row in spans for span in row]
    expected: dict[str, set[int]] = {}
    change = False
    for (tree, label), mine in zip(rows, spans, strict=True):
        words = list(tree.leaves())
        for (_, a, b, key), (fill, _, _, other) in itertools.product(mine, everywhere):
            if key == other and fill != words[a:b]:
                change = True
                expected.setdefault(" ".join(words[:a] + fill + words[b:]), set()).add(label)
    corpus = Corpus.from_columns(
        text=[" ".join(tree.leaves()) for tree, _ in rows],
        tree=[str(tree) for tree, _ in rows],
        label=[label for _, label in rows],
    )
    for text in corpus.column("text"):
        expected.pop(text, None)
    options: dict[str, Any] = {
        "length": n, "phrase": p, "label": with_label, "text_label": t, "whole": whole,
        "backbone": backbone,
    }  # fmt: skip
    if not change:
        with pytest.raises(CorpusError, match="no new example can be made: [\\d,]+ "):
            Sub2.induce(corpus, **options, repair="none")
        return
    made = everything(Sub2.induce(corpus, **options, repair="none"))
    assert sorted(made.column("text")) == sorted(expected)
    for row in made:
        assert row["label"] in expected[row["text"]]
        if p and backbone == "parse":
            assert " ".join(Tree.parse(row["tree"]).leaves()) == row["text"]
    check_corpus(made)


def halves(a: int, b: int) -> list[tuple[int, int]]:
    middle = a + (b - a) // 2
    return [(a, b), *halves(a, middle), *halves(middle, b)] if b - a > 1 else []


@given(st.lists(bracketings(4), min_size=2, max_size=4), st.booleans())
@settings(max_examples=60)
def test_constituency_makes_trees_of_the_same_labels(rows: list[Tree], length: bool) -> None:
    corpus = Corpus.from_columns(
        text=[" ".join(tree.leaves()) for tree in rows], tree=[str(tree) for tree in rows]
    )
    options = {"task": "constituency", "length": length}
    expected: dict[str, set[str]] = {}
    change = False
    everywhere = [span for tree in rows for span in phrases(tree)]
    for tree in rows:
        for number, (a, b, kind, _) in enumerate(phrases(tree)):
            for c, d, other, filler in everywhere:
                if kind != other or (length and b - a != d - c):
                    continue
                made = substituted(tree, number, filler)
                change = change or list(filler.leaves()) != list(tree.leaves())[a:b]
                expected.setdefault(" ".join(made.leaves()), set()).add(str(made))
    if not change:
        with pytest.raises(CorpusError, match="0 spans with another span"):
            Sub2.induce(corpus, **options, repair="none")
        return
    for text in corpus.column("text"):
        expected.pop(text, None)
    made = everything(Sub2.induce(corpus, **options, repair="none"))
    assert sorted(made.column("text")) == sorted(expected)
    assert all(row["tree"] in expected[row["text"]] for row in made)


def substituted(tree: Tree, number: int, by: Tree) -> Tree:
    counter = itertools.count()

    def visit(node: Tree | str) -> Tree | str:
        if isinstance(node, str):
            return node
        tag = len(node.children) == 1 and isinstance(node.children[0], str)
        if not tag and next(counter) == number:
            return by
        return Tree(node.label, tuple(visit(child) for child in node.children))

    return visit(tree)  # type: ignore[return-value]


# --- the paper's figure, and options ----------------------------------------------------------

TREES = Corpus.from_columns(
    text=["no plot at all", "a fine film !", "all of it"],
    tree=["(S (NP no plot) (PP at all))", "(S (NP a fine film) !)", "(NP all (PP of it))"],
    label=[0, 1, 1],
)


def test_dependency_substitution_keeps_the_tree_and_the_relation() -> None:
    corpus = Corpus.from_columns(
        text=["The dog saw a bird", "I sleep"],
        tokens=[["The", "dog", "saw", "a", "bird"], ["I", "sleep"]],
        heads=[[2, 3, 0, 5, 3], [2, 0]],
        deprels=[["det", "nsubj", "root", "det", "obj"], ["nsubj", "root"]],
        tags=[["DT", "NN", "VBD", "DT", "NN"], ["PRP", "VBP"]],
    )
    made = everything(Sub2.induce(corpus, task="dependency", repair="none"))
    check_corpus(made)
    rows = {row["text"]: row for row in made}
    assert set(rows) == {
        "I saw a bird",
        "The dog sleep",
        "a dog saw a bird",
        "The dog saw The bird",
    }
    assert rows["I saw a bird"]["heads"] == [2, 0, 4, 2]
    assert rows["I saw a bird"]["deprels"] == ["nsubj", "root", "det", "obj"]
    assert rows["The dog sleep"]["heads"] == [2, 3, 0]
    assert rows["The dog sleep"]["tags"] == ["DT", "NN", "VBP"]


def test_code_mode_has_the_programs_options() -> None:
    names = {o.name: o for o in Sub2Options.__dataclass_fields__.values()}
    assert names["length"].metadata["code"] is True
    options = Sub2.induce(TREES, task="constituency", min_words=2, max_words=9).grammar.options
    assert options["length"] is False
    short = Corpus(TREES.table.slice(2))
    with pytest.raises(CorpusError, match="0 of 4 words or more"):
        Sub2.induce(short, task="constituency", faithful="code")
    relaxed = Sub2.induce(
        TREES, task="constituency", faithful="code", min_words=1, length=False
    ).grammar.options
    assert (relaxed["min_words"], relaxed["max_words"], relaxed["distinct"]) == (1, 20, False)


def test_without_distinct_draws_repeat() -> None:
    sampler = Sub2.induce(TREES, phrase=True, label=True, distinct=False)
    texts = sampler.sample(200).column("text")
    assert len(texts) == 200
    assert len(set(texts)) < 200


def test_untouched_spacing_stays_and_tokenised_does_not() -> None:
    corpus = Corpus.from_columns(text=["A  red\tcar .", "my blue bike\n"], label=[0, 0])
    words = {"phrase": False, "length": True, "max_words": 1}
    made = everything(Sub2.induce(corpus, **words))
    assert "A  blue\tcar ." in made.column("text")
    assert "my red bike\n" in made.column("text")
    plain = everything(Sub2.induce(corpus, **words, tokenised=True))
    assert "A blue car ." in plain.column("text")


def test_protected_words_are_neither_cut_nor_carried() -> None:
    corpus = Corpus.from_columns(text=["[COL] red car", "blue bike [VAL]"])
    made = everything(Sub2.induce(corpus, phrase=False, length=True, protect=r"\[\w+\]"))
    for row in made:
        first, _ = row["provenance"]["parents"]
        mark = "[COL]" if first == "0" else "[VAL]"
        assert row["text"].count("[") == 1
        assert mark in row["text"]


def test_a_column_protects_words_and_entities() -> None:
    text = ["Ann saw Bo Lee", "cats like big dogs"]
    for places in ([[0, 2, 3], []], [[{"start": 0, "end": 3}, {"start": 8, "end": 14}], []]):
        corpus = Corpus.from_columns(text=text, protected=places)
        made = everything(Sub2.induce(corpus, phrase=False, length=True)).column("text")
        assert "Ann like Bo Lee" in made
        assert "cats saw big dogs" in made
        for row in made:
            assert row.startswith("Ann ") == row.endswith(" Bo Lee")
            assert sum(name in row for name in ("Ann", "Bo", "Lee")) in (0, 3)
        with pytest.raises(OptionError, match="places of 'protected'"):
            Sub2.induce(corpus, tokenised=True)


def test_repairs_change_tokens_and_trees_too() -> None:
    corpus = Corpus.from_columns(
        text=["an old car", "big cats"], tree=["(NP an (N (A old) car))", "(N (A big) cats)"],
        tokens=[["an", "old", "car"], ["big", "cats"]],
    )  # fmt: skip
    sampler = Sub2.induce(corpus, task="constituency", repair="article, capital")
    made = everything(sampler)
    heard: list[str] = []
    row = next(row for row in made if row["text"] == "a big cats")
    assert row["tokens"] == ["a", "big", "cats"]
    assert row["tree"] == "(NP a (N (A big) cats))"
    check_corpus(made)
    with heard_by(heard.append):
        ended = Sub2.induce(corpus, task="constituency", repair="final").sample(1)
    assert [line for line in heard if "tokens, tree would miss" in line]
    assert not {"tokens", "tree"} & set(ended.names)


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"phrse": True}, "did you mean 'phrase'"),
        ({"task": "parsing"}, "use one of text, tags"),
        ({"label": True}, "label=True needs phrases"),
        ({"phrase": 1}, "not of the kind bool"),
        ({"min_words": 0}, "out of range"),
        ({"min_words": True}, "not of the kind"),
        ({"faithful": "code"}, "no text classification"),
        ({"faithful": "codes"}, "use one of paper, code"),
        ({"phrase": True, "label": True, "backbone": "balanced"}, "balanced trees have no labels"),
        ({"task": "constituency", "phrase": True}, "is for task='text'"),
        ({"phrase": True, "protect": "["}, "regular expression"),
        ({"phrase": True, "repair": "spelling"}, "not a repair"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Sub2.induce(TREES, **options)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"text": []}, {}, "the corpus is empty"),
        ({"text": ["a", ""]}, {}, "text is empty"),
        ({"text": ["a b"]}, {"task": "tags"}, "no column 'tags'"),
        ({"text": ["a b"]}, {"text_label": True}, "no column 'label'"),
        ({"text": ["a b"], "heads": [[0, 1]]}, {"task": "dependency"}, "no column 'deprels'"),
        ({"text": ["a b"], "tags": [["X"]]}, {"task": "tags"}, "1 tags for 2 words"),
        (
            {"text": ["a b", "c d"], "label": [0, 1]},
            {"text_label": True},
            "class 0 has one example",
        ),
        ({"text": ["a b"], "text_pair": ["c"]}, {}, "not for pairs"),
        ({"text": ["a b", "a b"]}, {"length": True, "min_words": 2}, "0 shorter than their text"),
        ({"text": ["a a"]}, {"phrase": False}, "0 spans with another span of other words"),
        ({"text": ["a b"], "target": ["X"]}, {"phrase": False}, "cannot give the target"),
        ({"text": ["a b"], "tree": ["(S a c)"]}, {"phrase": True}, "'c' is not what follows"),
        ({"text": ["a b"], "tree": ["(S a b"]}, {"phrase": True}, "never closed"),
    ],
)
def test_corpora_that_are_refused(
    columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((CorpusError, ValueError), match=message):
        Sub2.induce(Corpus.from_columns(**columns), **options)


def test_sentiment_needs_sentiment_trees() -> None:
    with pytest.raises(CorpusError, match="is no sentiment"):
        Sub2.induce(TREES, phrase=True, sentiment=True)


def test_a_grammar_of_another_method_is_refused(tmp_path: Path) -> None:
    Sub2.induce(TREES, phrase=True).grammar.save(tmp_path / "g.arrow")
    with pytest.raises(SchemaError, match="not 'treemix'"):
        TreeMix.load(tmp_path / "g.arrow")


def test_twenty_times_with_the_originals_replicated() -> None:
    corpus = Corpus.from_columns(text=[f"w{i} x{i} y{i} z{i}" for i in range(5)], label=[0] * 5)
    both = augmented(corpus, Sub2.induce(corpus, phrase=False, length=True), times=20)
    assert len(both) == 2 * 20 * 5
    assert len(set(both.column("id"))) == len(both)
    assert both.column("text")[:100] == corpus.column("text") * 20
    assert both.column("label") == [0] * 200


# --- real data --------------------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize("treebank", ["UD_Lithuanian-HSE", "UD_Tamil-TTB", "UD_Belarusian-HSE"])
def test_universal_dependencies(treebank: str) -> None:
    folder = Path(str(DATA)) / "ud" / treebank
    corpus = read_corpus(next(p for p in folder.iterdir() if "train" in p.name))
    for task in ("tags", "dependency"):
        for faithful in ("paper", "code"):
            # texts hold multiword tokens, which are no words
            sampler = Sub2.induce(corpus, task=task, faithful=faithful, tokenised=True)
            made = sampler.sample(20 * len(corpus), seed=1)
            check_corpus(made)
            assert len(made) == 20 * len(corpus)
            if task == "tags":
                hosts = dict(zip(*map(corpus.column, ("id", "tags")), strict=True))
                assert all(row["tags"] == hosts[row["provenance"]["parents"][0]] for row in made)


@needs_data
def test_sentiment_treebank_with_every_option_of_the_paper() -> None:
    corpus = read_sst(Path(str(DATA)) / "sst" / "train.txt.gz")
    part = Corpus(corpus.table.slice(0, 854))
    roots = [Tree.parse(tree) for tree in part.column("tree")]
    kinds = {
        plain_brackets(" ".join(t.leaves())): t.label
        for root in roots
        for _, _, _, t in phrases(root)
    }
    for options in (
        {"phrase": True, "text_label": True, "sentiment": True},
        {"phrase": True, "text_label": True, "backbone": "balanced"},
        {"phrase": True, "label": True, "length": True},
        {"phrase": True, "length": True, "text_label": True},
        {"length": True, "text_label": True},
        {"text_label": True, "max_words": 8},
        {"task": "constituency"},
        {"task": "constituency", "faithful": "code"},
    ):
        made = Sub2.induce(part, **options, repair="none").sample(2000, seed=3)
        check_corpus(made)
        assert len(made) == 2000
        if options.get("sentiment"):
            for row in made:
                span = row["provenance"]["spans"][0]
                fill = " ".join(row["text"].split()[span["start"] : span["end"]])
                assert fill in kinds


def test_without_options_phrases_of_a_label_are_exchanged_within_a_class() -> None:
    corpus = read_reviews()[:120]
    sampler = Sub2.induce(corpus)
    asked = Sub2.induce(corpus, phrase=True, label=True, text_label=True)
    assert sampler.sample(40).table.equals(asked.sample(40).table)
    by_id = {row["id"]: row for row in corpus}
    for row in sampler.sample(40):
        parents = [by_id[name]["label"] for name in row["provenance"]["parents"]]
        assert parents == [row["label"]] * 2
    texts = Corpus(corpus.table.select(["id", "text", "label"]))
    for row in Sub2.induce(texts).sample(40):
        assert len({by_id[name]["label"] for name in row["provenance"]["parents"]}) == 1


@pytest.mark.parametrize("asked", [{"phrase": True}, {"text_label": False}, {"faithful": "paper"}])
def test_what_says_what_must_be_equal_leaves_the_rest_as_in_the_paper(asked: dict) -> None:
    corpus = read_reviews()[:60]
    options = Sub2.induce(corpus, **asked).grammar.options
    given = {name: options[name] for name in ("phrase", "label", "text_label")}
    assert given == {"phrase": asked.get("phrase", False), "label": False, "text_label": False}
