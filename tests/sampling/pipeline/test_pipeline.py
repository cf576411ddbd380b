"""The pipeline: exact counts, no duplicates, and bytes that depend on nothing but what is asked."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError, TreewrightError
from grammar.messages import heard_by
from induction.corpus.corpus import Corpus
from sampling.examples.labels import check_corpus
from sampling.expression import read_expression, read_value, with_options
from sampling.method import METHODS
from sampling.pipeline import chains, pipeline
from sampling.pipeline.augment import Augmentation, augment
from sampling.pipeline.deduplication import FATES, text_keys
from sampling.pipeline.near_duplicates import NearIndex, is_near, keep
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.quotas import apportion, classes_of, levelled, plan_cells, read_bands
from sampling.pipeline.settings import read_settings
from sampling.quality.measures.overlap import near, near_duplicates
from sampling.quality.measures.words import shared_words
from sampling.stream import ShortfallWarning

WORDS = {
    "DT": ["the", "a", "every"],
    "JJ": ["old", "fine", "dull", "bright"],
    "NN": ["film", "plot", "actor", "story", "scene"],
    "VBD": ["moved", "bored", "pleased"],
}


def sentences(size: int, seed: int = 0) -> list[str]:
    """Bracketed sentences of a small grammar."""
    rng = np.random.default_rng(seed)

    def word(tag: str) -> str:
        return f"({tag} {rng.choice(WORDS[tag])})"

    def phrase() -> str:
        return f"(NP {word('DT')} {word('JJ') + ' ' if rng.random() < 0.6 else ''}{word('NN')})"

    return [f"(S {phrase()} (VP {word('VBD')} {phrase()}))" for _ in range(size)]


def corpus_of(trees: list[str], *names: str) -> Corpus:
    """A corpus with the columns asked for."""
    from grammar.trees.tree import Tree

    parsed = [Tree.parse(tree) for tree in trees]
    tokens = [list(tree.leaves()) for tree in parsed]
    columns: dict[str, Any] = {
        "text": [" ".join(words) for words in tokens],
        "label": [len(words) % 3 for words in tokens],
        "tree": trees,
        "tokens": tokens,
        "tags": [[w[1:] for w in tree.split() if w[1:] in WORDS] for tree in trees],
        "heads": [[0, *range(1, len(words))] for words in tokens],
        "spans": [[{"start": 0, "end": len(words[0]), "label": "X"}] for words in tokens],
        "deprels": [["root", *["r"] * (len(words) - 1)] for words in tokens],
    }
    return Corpus.from_columns(**{name: columns[name] for name in ("text", *names)})


TREES = sentences(24)
# what each method is tried with; a method that is not here is tried on texts with labels and trees
OPTIONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "sub2": ({"task": "dependency"}, ("label", "tokens", "heads", "deprels", "tags")),
    "treemix": ({"low": 0.0, "high": 0.7}, ("label", "tree", "tokens", "tags")),
    "randmix": ({"threshold": 0.5}, ("label",)),
    "geca": ({"gaps": 1}, ()),
    "names": ({"'0'": "'a, b, c'", "'1'": "'d, e'", "'2'": "'f, g, h'"}, ("label",)),
    "eda": ({"alpha_sr": 0, "alpha_ri": 0}, ("label",)),
    "aeda": ({}, ("label",)),
    "worddrop": ({}, ("label",)),
    "random-word": ({}, ("label", "tokens", "tags", "tree")),
    "switchout": ({}, ("label", "tokens", "tags")),
    "shuffle": ({}, ("label",)),
    "mention-replacement": ({}, ("label", "tokens", "spans")),
    "label-wise": ({}, ("label", "tokens", "spans")),
    "fluent": ({"of": "'treemix(low=0.0, high=0.7)'", "candidates": 2}, ("label", "tree")),
    "agree": ({"of": "'sub2(phrase=true)'"}, ("label", "tree")),
}
NAMES = [name for name in METHODS if not METHODS[name].needs_model]
PROTECTING = [name for name in METHODS if any(o.name == "protect" for o in METHODS[name].options)]


def material(name: str) -> tuple[str, Corpus]:
    options, columns = OPTIONS.get(name, ({}, ("label", "tree")))
    given = ", ".join(f"{key}={str(value).lower()}" for key, value in options.items())
    return f"{name}({given})", corpus_of(TREES, *columns)


def quietly(*arguments: Any, **options: Any) -> Augmentation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return augment(*arguments, **options)


def same_texts(corpus: Corpus) -> list[int]:
    return shared_words(corpus)[0].same.tolist()


# --- what holds for every method --------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@given(n=st.integers(0, 60), seed=st.integers(0, 9))
@settings(max_examples=5)
def test_examples_are_valid_distinct_new_and_exactly_n(name: str, n: int, seed: int) -> None:
    expression, corpus = material(name)
    made = quietly(corpus, expression, n=n, seed=seed)
    assert len(made.corpus) == made.report.made == n or made.report.shortfall
    check_corpus(made.corpus)
    if len(made.corpus):
        own, old = shared_words(made.corpus, corpus)
        assert len(set(own.same.tolist())) == len(own)
        assert not set(own.same.tolist()) & set(old.same.tolist())
    assert sum(made.report.parts[0].drawn.values()) >= len(made.corpus)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=4)
def test_the_rows_do_not_depend_on_workers_batches_or_where_a_run_was_stopped(
    name: str, data: st.DataObject
) -> None:
    expression, corpus = material(name)
    asked = read_settings(
        {"method": expression, "n": 40, "seed": 3, "balance": "label" in corpus.names}
    )
    whole = Pipeline(corpus, asked)
    tables = list(quiet_run(whole))
    expected = pa.concat_tables(tables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains, "_BATCH", data.draw(st.integers(1, 20)))
        patch.setattr(pipeline, "_FEWEST_ASKED", data.draw(st.integers(1, 30)))
        patch.setattr(pipeline, "_MOST_ASKED", data.draw(st.integers(1, 30)))
        stopped = Pipeline(corpus, asked, workers=2)
        first, state = [], stopped.state()
        for number, table in enumerate(quiet_run(stopped)):
            first.append(table)
            state = json.loads(json.dumps(stopped.state()))
            if number == data.draw(st.integers(0, 5)):
                break
        patch.setattr(chains, "_BATCH", 7)
        resumed = Pipeline(corpus, asked)
        resumed.resume(state, first)
        rest = list(quiet_run(resumed))
    assert pa.concat_tables(first + rest).equals(expected)
    assert resumed.report().made == whole.report().made


@pytest.mark.parametrize("dedup", ["exact", "minhash"])
def test_a_run_that_goes_on_remembers_what_was_made_and_when_it_gave_up(
    dedup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # few texts, drawn again and again, and a patience that is soon at its end
    corpus = Corpus.from_columns(text=["a b c d e f", "g h i j k l"])
    monkeypatch.setattr(pipeline, "ROUNDS", 0)
    asked = read_settings(
        {"method": "worddrop(distinct=false)", "n": 60, "dedup": dedup, "length": "4:4"}
    )
    results = []
    for patience, batch, cut in ((30, 1, 2), (30, 1000, 10**9), (30, 7, 3), (10**4, 64, 1)):
        monkeypatch.setattr(pipeline, "_FEWEST_DRAWS", patience)
        monkeypatch.setattr(chains, "_BATCH", batch)
        run, first = Pipeline(corpus, asked), []
        for table in quiet_run(run):
            first.append(table)
            if len(first) > cut:
                break
        resumed = Pipeline(corpus, asked)
        resumed.resume(run.state(), first)
        made = pa.concat_tables([*first, *list(quiet_run(resumed))[1:]])
        assert len(set(made["text"].to_pylist())) == len(made)
        results.append((made["id"].to_pylist(), resumed.report().parts[0].drawn))
    assert results[0] == results[1] == results[2]
    assert len(results[3][0]) > len(results[0][0])


@pytest.mark.parametrize("keep", [True, False])
def test_a_state_that_would_give_originals_again_is_refused(keep: bool) -> None:
    corpus = Corpus.from_columns(text=["a b c d", "e f g h"])
    asked = read_settings({"method": "worddrop", "n": 4, "keep_originals": keep})
    run = Pipeline(corpus, asked)
    first = list(quiet_run(run))
    with pytest.raises(ValueError, match="to come"):
        Pipeline(corpus, asked).resume({**run.state(), "originals": False}, first)


def test_texts_of_the_source_are_not_new_in_any_case() -> None:
    corpus = Corpus.from_columns(text=["a b c", "B C", "a  c"])
    made = quietly(corpus, "worddrop(distinct=false)", n=50)
    texts = [text.lower().split() for text in made.corpus.column("text")]
    assert texts
    assert all(words not in (["a", "b", "c"], ["b", "c"], ["a", "c"]) for words in texts)
    assert made.report.parts[0].drawn["in the source"] > 0


def quiet_run(run: Pipeline) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield from run.run()


@pytest.mark.parametrize("name", PROTECTING)
def test_protected_words_stay(name: str) -> None:
    _, corpus = material(name)
    options, _ = OPTIONS.get(name, ({}, ()))
    made = quietly(corpus, name, n=40, options={**options, "protect": "film|plot"})
    hosts = dict(zip(corpus.column("id"), corpus.column("text"), strict=True))
    for row in made.corpus:
        host = hosts[row["provenance"]["parents"][0]]
        kept = [w for w in host.split() if w in ("film", "plot")]
        own = [w.strip(".,;:?!") for w in row["text"].split()]
        rest = iter(own)  # other words may become such a word too
        assert all(w in rest for w in kept)


# --- mixtures and chains ----------------------------------------------------------------------


def test_a_single_method_gives_the_examples_of_its_sampler() -> None:
    from sampling.spans.sub2 import Sub2

    corpus = corpus_of(TREES, "label")
    made = augment(corpus, "sub2(max_words=2)", n=20, seed=5).corpus
    assert made.table.equals(Sub2.induce(corpus, max_words=2).sample(20, seed=5).table)


def test_shares_are_exact_and_labels_of_one_kind() -> None:
    corpus = corpus_of(TREES, "label", "tree")
    expression = "0.7*treemix(low=0, high=0.7) + 0.2*aeda + 0.1*worddrop"
    said: list[str] = []
    with heard_by(said.append):
        made = augment(corpus, expression, n=25)
    assert [" ".join(message.split()[:3]) for message in said] == [
        "aeda cannot keep", "worddrop cannot keep", "treemix mixes labels:", "not all methods",
    ]  # fmt: skip
    methods = Counter(row["provenance"]["method"] for row in made.corpus)
    assert methods == {"treemix": 18, "aeda": 5, "worddrop": 2}
    assert all(isinstance(label, list) for label in made.corpus.column("label"))
    assert made.corpus.names == ("id", "text", "label", "provenance")


def test_equal_methods_of_a_mixture_do_not_draw_alike() -> None:
    corpus = corpus_of(TREES, "label")
    made = quietly(
        corpus, "aeda + aeda(share=0.2)" if _has("aeda", "share") else "aeda + aeda", n=40
    )
    assert len(set(made.corpus.column("id"))) == 40
    seeds = {row["provenance"]["seed"] for row in made.corpus}
    assert len(seeds) == 2
    assert min(seeds) == 0


def _has(name: str, option: str) -> bool:
    return any(o.name == option for o in METHODS[name].options)


def test_a_chain_edits_what_the_method_before_made_and_names_the_originals() -> None:
    corpus = corpus_of(TREES, "label")
    before = augment(corpus, "sub2(max_words=2, text_label=false)", n=24, seed=1).corpus
    made = augment(corpus, "sub2(max_words=2, text_label=false) | aeda", n=24, seed=1).corpus
    texts = {frozenset(Counter(text.split()).items()) for text in before.column("text")}
    marks = str.maketrans("", "", ".;?:!,")
    ids = set(corpus.column("id"))
    found = 0
    for row in made:
        bare = frozenset(Counter(row["text"].translate(marks).split()).items())
        found += bare in texts
        made_by = row["provenance"]
        assert made_by["method"] == "sub2|aeda"
        assert made_by["version"] == "2|1"
        assert set(made_by["parents"]) <= ids
        assert len(made_by["parents"]) == 2
        assert row["id"] == f"sub2|aeda-1-{made_by['index']}"
    assert found > 0
    alone = {row["provenance"]["log_probability"] for row in before}
    assert max(row["provenance"]["log_probability"] for row in made) < max(alone)


def test_a_chain_goes_on_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "BLOCK", 10)
    corpus = corpus_of(TREES, "label")
    run = Pipeline(
        corpus, read_settings({"method": "sub2(max_words=2) | aeda | worddrop", "n": 35})
    )
    made = pa.concat_tables(run.run())
    index = [row["index"] for row in made["provenance"].to_pylist()]
    assert index == sorted(index)
    assert max(index) >= 30
    for row in (0, 12, 34):
        one = made.slice(row, 1).to_pylist()[0]
        made_by = one["provenance"]
        again = run.example(made_by["method"], made_by["seed"], made_by["index"])
        assert again.to_pylist() == [one]


def test_a_chain_goes_on_with_its_last_block_where_there_is_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = Corpus.from_columns(text=["a b", "c d"])
    most = len(quietly(corpus, "sub2(phrase=false, length=true)", n=99).corpus)
    for block in (most, 64):
        monkeypatch.setattr(chains, "BLOCK", block)
        assert len(augment(corpus, "sub2(phrase=false, length=true) | aeda", n=30).corpus) == 30
    monkeypatch.setattr(chains, "BLOCK", 3)
    with pytest.warns(ShortfallWarning, match="27 of 30 .*attempts in a row made none"):
        augment(corpus, "sub2(phrase=false, length=true) | aeda", n=30)


def test_a_chain_of_what_cannot_be_chained_says_why() -> None:
    corpus = corpus_of(TREES, "label", "tree")
    with pytest.raises(CorpusError, match=r"treemix, applied to what aeda \| ?.*|no column 'tree'"):
        augment(corpus, "randmix(threshold=0.5) | treemix", n=3)


# --- quotas -----------------------------------------------------------------------------------


@given(
    total=st.integers(0, 10_000),
    weights=st.lists(st.integers(1, 50), min_size=1, max_size=6),
)
def test_apportionment_is_exact_and_off_by_less_than_one(total: int, weights: list[int]) -> None:
    shares = [Fraction(w, sum(weights)) for w in weights]
    counts = apportion(total, shares)
    assert sum(counts) == total
    assert all(abs(count - total * share) < 1 for count, share in zip(counts, shares, strict=True))


@given(
    wanted=st.lists(st.integers(0, 40), min_size=1, max_size=6),
    weights=st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_cells_are_split_exactly(wanted: list[int], weights: list[int]) -> None:
    from sampling.pipeline.quotas import ANY_LENGTH, Cells

    shares = [Fraction(w, sum(weights)) for w in weights]
    cells = Cells(tuple(range(len(wanted))), (ANY_LENGTH,), np.array(wanted))
    parts = cells.split(shares)
    assert sum(parts).tolist() == wanted
    assert all((part >= 0).all() for part in parts)


@given(counts=st.lists(st.integers(0, 30), min_size=1, max_size=5), total=st.integers(0, 60))
def test_balance_is_as_even_as_can_be(counts: list[int], total: int) -> None:
    added = levelled(counts, total)
    assert sum(added) == total
    assert min(added) >= 0
    result = [count + more for count, more in zip(counts, added, strict=True)]
    raised = [r for r, more in zip(result, added, strict=True) if more]
    assert not raised or max(raised) - min(result) <= 1


def test_every_class_gets_its_quota_by_its_most_probable_label() -> None:
    corpus = corpus_of(TREES, "label", "tree")
    made = quietly(corpus, "randmix(threshold=0.5)", per_class=7)
    assert Counter(classes_of(made.corpus.table).tolist()) == dict.fromkeys(
        set(corpus.column("label")), 7
    )
    assert all(asked == got == 7 for asked, got in made.report.cells.values())


CLASSES = ("bad", "fair", "good")


def with_names(corpus: Corpus) -> Corpus:
    return corpus.with_column("label", [CLASSES[k] for k in corpus.column("label")])


@pytest.mark.parametrize("method", ["aeda", "sub2(phrase=true, label=true) | aeda"])
def test_classes_that_are_names_stay_names(method: str) -> None:
    numbers = corpus_of(TREES, "label", "tree")
    by_number = augment(numbers, method, n=20, balance=True)
    by_name = augment(with_names(numbers), method, n=20, balance=True)
    assert by_name.corpus.column("text") == by_number.corpus.column("text")
    assert by_name.corpus.column("label") == with_names(by_number.corpus).column("label")
    assert set(by_name.report.cells) <= {f"class {name}" for name in CLASSES}
    assert by_name.manifest["classes"] == list(CLASSES)


def test_mixed_labels_are_over_names_in_their_order() -> None:
    numbers = corpus_of(TREES, "label", "tree")
    by_number = augment(numbers, "treemix(high=0.7) + aeda", n=20, keep_originals=True)
    by_name = augment(with_names(numbers), "treemix(high=0.7) + aeda", n=20, keep_originals=True)
    assert by_name.corpus.table.equals(by_number.corpus.table)
    assert by_name.report.classes == CLASSES
    assert "each is a distribution over bad, fair, good" in str(by_name.report)
    assert "each is a distribution over the classes" in str(by_number.report)


@pytest.mark.parametrize("missing", [None, ""])
def test_a_class_without_a_name_is_missing(missing: str | None) -> None:
    with pytest.raises(CorpusError, match="the label is missing"):
        augment(Corpus.from_columns(text=["a b", "c d"], label=["x", missing]), "aeda")


def test_balancing_makes_all_classes_as_large_as_the_largest() -> None:
    corpus = corpus_of(TREES, "label")
    made = augment(corpus, "aeda", balance=True, keep_originals=True)
    counts = Counter(made.corpus.column("label"))
    assert len(set(counts.values())) == 1
    assert made.corpus.column("text")[: len(corpus)] == corpus.column("text")
    assert made.corpus[0]["provenance"] is None


def test_lengths_have_bands_and_quotas() -> None:
    corpus = corpus_of(TREES, "label")
    made = augment(corpus, "worddrop + sub2(phrase=false)", n=20, length="4:5")
    assert {len(text.split()) for text in made.corpus.column("text")} <= {4, 5}
    made = augment(corpus, "sub2(phrase=false)", length="3:4=5,5:6=8")
    lengths = Counter(len(text.split()) > 4 for text in made.corpus.column("text"))
    assert lengths == {False: 5, True: 8}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5-9", "not a band"),
        ("9:5", "backwards"),
        ("1:5=2,5:9=3", "overlap"),
        ("1:5,6:9", "no count"),
        ("", "not a band"),
    ],
)
def test_bands_that_are_none(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        read_bands(text)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"n": 3, "times": 2}, "n and times both say how many"),
        ({"n": 3, "per_class": 2}, "both say how many"),
        ({"per_class": 3, "balance": True}, "per_class and balance both"),
        ({"n": -1}, "out of range"),
        ({"n": 2.5}, "kind int"),
        ({"nn": 2}, "did you mean 'n'"),
        ({"dedup": "fuzzy"}, "use one of exact, minhash, none"),
        ({"dedup": "minhash", "threshold": 0.0}, r"not in \(0, 1\]"),
        ({"drop_leaked": True}, "no test corpus"),
        ({"length": "5:6=0,7:8=0"}, "all bands are 0"),
        ({"workers": 0}, "workers=0"),
    ],
)
def test_settings_that_cannot_be_used(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        augment(corpus_of(TREES, "label"), "aeda", **asked)


def test_corpora_that_cannot_be_used() -> None:
    with pytest.raises(CorpusError, match="no column 'label' to balance"):
        augment(corpus_of(TREES), "aeda", balance=True)
    with pytest.raises(CorpusError, match="is empty"):
        augment(Corpus.from_columns(text=[]), "aeda")
    with pytest.raises(CorpusError, match="label is missing"):
        augment(Corpus.from_columns(text=["a b", "c d"], label=[0, None]), "aeda")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains.Single, "schema", pa.schema([("id", pa.string())]))
        with pytest.raises(CorpusError, match="not all methods give labels"):
            augment(corpus_of(TREES, "label"), "aeda", balance=True)
    pairs = Corpus.from_columns(text=["a b", "c d"], text_pair=["e f", "g h"], label=[0, 1])
    with pytest.raises(CorpusError, match="the test corpus.*no column 'text_pair'"):
        augment(pairs, "aeda", test=corpus_of(TREES))
    lone = Corpus.from_columns(text=["a b", "c d", "e f"], label=[0, 0, 1])
    with pytest.raises(CorpusError, match="sub2.*class 1 has one example"):
        augment(lone, "sub2(text_label=true)", n=3)
    named = lone.with_column("label", ["bad", "bad", "good"])
    trees = ["(S (A a b) (B c d))", "(S (A c d) (B a b))", "(S (A e f) (B a b))"]
    named = named.with_column("text", ["a b c d", "c d a b", "e f a b"])
    for method in ("sub2(text_label=true)", "treemix(mix=same, high=0.5)"):
        with pytest.raises(CorpusError, match="the class 'good' has one example"):
            augment(named.with_column("tree", trees), method, n=3)


# --- shortfalls -------------------------------------------------------------------------------


def test_a_shortfall_says_how_many_there_are_and_why() -> None:
    corpus = Corpus.from_columns(text=["a b", "c d"], label=[0, 1])
    with pytest.warns(ShortfallWarning, match=r"10 of 50 .*derives 10 distinct new ones, not more"):
        made = augment(corpus, "sub2(phrase=false, length=true)", n=50)
    assert len(made.corpus) == 10
    assert made.report.parts[0].drawn["made"] == 10


def test_nothing_loops_for_ever_if_a_length_never_comes() -> None:
    corpus = corpus_of(TREES, "label")
    with pytest.warns(ShortfallWarning, match="0 of 5 .*none of the wanted class or length"):
        made = augment(corpus, "sub2(phrase=false)", n=5, length="90:99")
    assert len(made.corpus) == 0
    assert made.corpus.names == ("id", "text", "label", "provenance")


def test_draws_that_repeat_for_ever_end() -> None:
    corpus = Corpus.from_columns(text=["a b", "c d"], label=[0, 1])
    with pytest.warns(ShortfallWarning, match="10 of 50 "):
        made = augment(corpus, "sub2(phrase=false, length=true, distinct=false)", n=50)
    assert made.report.parts[0].drawn["made before"] > 1000


# --- duplicates and leakage -------------------------------------------------------------------

TEXTS = st.lists(st.text("aAbÉß \t\x1c\u2003", max_size=6), min_size=1, max_size=8)


@given(texts=TEXTS, pairs=st.booleans())
def test_texts_are_equal_as_in_the_quality_measures(texts: list[str], pairs: bool) -> None:
    columns = {"text": texts, **({"text_pair": texts[::-1]} if pairs else {})}
    corpus = Corpus.from_columns(**columns)
    keys, count = text_keys(corpus.table)
    words = shared_words(corpus)[0]
    for i in range(len(texts)):
        assert (keys == keys[i]).tolist() == (words.same == words.same[i]).tolist()
    if not pairs:
        assert count.tolist() == words.lengths.tolist()
    assert int(keys.max()) < 2**61


def test_equal_texts_are_left_out_only_if_asked() -> None:
    corpus = corpus_of(TREES, "label")
    loose = augment(corpus, "worddrop(distinct=false)", n=200, dedup="none").corpus
    assert len(set(loose.column("text"))) < 200
    strict = quietly(corpus, "worddrop(distinct=false)", n=200).corpus
    assert len(set(same_texts(strict))) == len(strict)


def test_minhash_leaves_nothing_near() -> None:
    corpus = corpus_of(TREES, "label")
    made = quietly(corpus, "aeda", n=100, dedup="minhash", threshold=0.6)
    assert not near(made.corpus, corpus, threshold=0.6).any()
    assert not near_duplicates(made.corpus, threshold=0.6).any()
    assert made.report.parts[0].drawn["near"] > 0


def test_the_near_index_agrees_with_the_exact_measure() -> None:
    corpus = corpus_of(sentences(300, seed=4))
    index = NearIndex(0.5, room=300)
    batch = index.prepare(corpus.table)
    kept = []
    for i in range(len(corpus)):
        if not is_near(batch, i):
            keep(batch, i, len(kept))
            kept.append(i)
    # the slow twin compares every text with all that were kept before
    expected: list[int] = []
    for i in range(len(corpus)):
        one = Corpus(corpus.table.slice(i, 1))
        if not expected or not near(one, Corpus(corpus.table.take(expected)), threshold=0.5).any():
            expected.append(i)
    assert kept == expected


def test_leakage_is_counted_and_left_out_only_if_asked() -> None:
    corpus = corpus_of(TREES, "label")
    free = augment(corpus, "sub2", n=50)
    assert free.report.leaked is None
    test = Corpus.from_columns(text=[t.upper() for t in free.corpus.column("text")[:20]])
    counted = augment(corpus, "sub2", n=50, test=test)
    assert counted.corpus.table.equals(free.corpus.table)
    assert counted.report.leaked == 20
    dropped = augment(corpus, "sub2", n=50, test=test, drop_leaked=True)
    assert dropped.report.leaked == 0
    assert dropped.report.parts[0].drawn["leaked"] >= 20
    assert dropped.corpus.column("text")[:30] == free.corpus.column("text")[20:]


# --- expressions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("treemx", r"column 1 .*unknown method 'treemx'(.|\n)*did you mean 'treemix'"),
        ("aeda + treemix(hgh=1)", r"column 16 .*no option 'hgh'(.|\n)*'high'"),
        ("0.7 treemix", r"column 5 .*'t' cannot stand here"),
        ("treemix +", "ends too early"),
        ("(aeda", "ends too early"),
        ("aeda)", "column 5"),
        ("0*aeda", "the weight is 0"),
        ("aeda $ sub2", r"column 6 .*'\$'"),
        ("sub2(length=true, length=false)", "stands twice"),
        ("", "ends too early"),
        (" | ".join(["(aeda + eda)"] * 22), "more than 200 methods"),
        (" + ".join(["eda"] * 201), "more than 200 methods"),
        (" | ".join(["eda"] * 201), "more than 200 methods"),
        ("eda + " * 20_000 + "eda", "more than 100,000 characters"),
    ],
)
def test_faults_of_expressions_have_a_place_and_a_hint(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        read_expression(text)


NAMES = st.sampled_from(["aeda", "sub2", "worddrop", "random-word"])
EXPRESSIONS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) | ({two[1]})"),
        st.tuples(st.integers(1, 9), inner, inner).map(lambda t: f"{t[0]}*({t[1]}) + ({t[2]})"),
    ),
    max_leaves=5,
)


@given(EXPRESSIONS)
def test_expressions_are_written_as_they_are_read(text: str) -> None:
    expression = read_expression(text)
    assert sum(part.share for part in expression.parts) == 1
    assert read_expression(str(expression)) == expression


@given(st.one_of(st.text(max_size=8), st.integers(), st.floats(0, 1), st.booleans(), st.none()))
def test_values_are_read_as_they_were_given(value: Any) -> None:
    step = read_expression("sub2").parts[0].steps[0]
    written = str(type(step)(step.method, {"protect": value}))
    assert read_expression(written).parts[0].steps[0].options == {"protect": value}


def test_a_band_needs_no_quotes() -> None:
    step = read_expression("grammar(length=5:20)").parts[0].steps[0]
    assert step.options == {"length": "5:20"}
    assert str(step) == "grammar(length='5:20')"


def test_options_come_from_the_expression_or_from_beside_it() -> None:
    one = with_options(read_expression("treemix + sub2 | aeda"), {"min_words": 2, "treemix.low": 0})
    assert str(one) == "1*treemix(low=0) + 1*sub2(min_words=2) | aeda"
    assert with_options(read_expression("treemix(low=0.2)"), {"low": 0}).parts[0].steps[
        0
    ].options == {"low": 0.2}
    for name, message in (("lo", "'low'"), ("sub2.low", "no method 'sub2'"), ("zzz", "it has")):
        with pytest.raises(TreewrightError, match=message):
            with_options(read_expression("treemix"), {name: 0})
    assert read_value(r"\[COL\]") == r"\[COL\]"
    corpus = corpus_of(TREES, "label")
    a, b = augment(corpus, "sub2(max_words=2)"), augment(corpus, "sub2", options={"max_words": 2})
    assert a.corpus.table.equals(b.corpus.table)


def test_the_manifest_and_report_are_json() -> None:
    corpus = corpus_of(TREES, "label")
    made = augment(corpus, "aeda", per_class=2, test=corpus)
    text = json.dumps(made.manifest)
    assert json.loads(text)["report"]["parts"][0]["drawn"][FATES[0]] == made.report.made
    assert "made" in str(made.report)
    facts = Pipeline(corpus, read_settings({"method": "sub2 | aeda", "n": 3})).facts()
    assert facts["requested"] == 3
    json.dumps(facts)


def test_plan_without_any_count_is_once_the_corpus() -> None:
    assert plan_cells(corpus_of(TREES)).total == len(TREES)


def test_names_that_augment_does_not_take_are_told_with_all_that_it_does() -> None:
    with pytest.raises(OptionError) as caught:
        augment(corpus_of(TREES), "aeda", texts="review")
    assert "'text'" in caught.value.hint
    with pytest.raises(OptionError) as caught:
        augment(corpus_of(TREES), "aeda", q=7)
    assert {"workers", "on_error", "per_class"} <= set(re.findall(r"\w+", caught.value.hint))
