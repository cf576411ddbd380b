"""What holds for every method: valid labels, untouched characters, exact counts, equal bytes."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError, SchemaError, UnreadableInputError
from grammar.pcfg.grammar import Grammar
from grammar.saving.array_file import save_arrays
from induction.corpus.corpus import Corpus
from sampling import EDA, GECA, WordDrop, augment
from sampling.examples.labels import check_corpus
from sampling.geca.grammar import SubstitutionGrammar
from sampling.method import METHODS, find_method, induce
from sampling.opening import open_sampler
from sampling.spans.grammar import SpanGrammar
from sampling.spans.sampler import SpanSampler
from sampling.stream import Sampler, ShortfallWarning
from sampling.words.aeda import AEDA

WORDS = ["a", "b", "é", "[X]", "漢字"]
SPACES = st.sampled_from([" ", " ", "  ", "\t"])

Config = tuple[str, dict[str, Any], tuple[str, ...]]
CONFIGS: list[Config] = [
    ("sub2", {"length": True}, ("label",)),
    ("sub2", {"max_words": 2, "text_label": True, "protect": r"\[X\]"}, ("label",)),
    ("sub2", {"phrase": True, "label": True, "whole": True}, ("label", "tree")),
    ("sub2", {"phrase": True, "backbone": "balanced", "tokenised": True}, ("soft",)),
    ("sub2", {"task": "tags"}, ("tokens", "tags")),
    ("sub2", {"task": "tags", "repair": "article,capital"}, ("tokens", "tags")),
    ("sub2", {"task": "constituency"}, ("tokens", "tags", "tree")),
    ("sub2", {"task": "dependency"}, ("tokens", "tags", "heads", "deprels")),
    ("sub2", {"task": "dependency", "projective": True, "min_words": 2}, ("heads", "deprels")),
    ("treemix", {"low": 0, "high": 0.6}, ("label", "tree", "tokens", "tags")),
    ("treemix", {"low": 0, "high": 1, "min_children": 1, "mix": "cross"}, ("soft", "tree")),
    ("treemix", {"low": 0, "high": 0.8, "same_length": True}, ("label", "tree", "pair")),
    ("treemix", {"faithful": "code", "high": 0.9, "low": 0, "distinct": True}, ("label", "tree")),
    ("randmix", {"threshold": 0.5, "protect": r"\[X\]"}, ("soft", "tags")),
    ("randmix", {"threshold": 0.4, "draw": "fixed", "mix": "cross"}, ("label", "pair")),
    ("geca", {"gaps": 1}, ()),
    ("geca", {"gaps": 2, "window": 1}, ()),
]
IDS = [f"{name}-{'-'.join(map(str, options.values()))}" for name, options, _ in CONFIGS]


@st.composite
def sentence(draw: st.DrawFn) -> dict[str, Any]:
    """A text with everything that can be said about it."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
    text = "".join(w + draw(SPACES) for w in words[:-1]) + words[-1] + draw(st.sampled_from(" \n"))
    order = draw(st.permutations(range(len(words))))
    heads = [0] * len(words)
    for k, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, k - 1))] + 1
    return {
        "text": text,
        "tokens": words,
        "tags": [draw(st.sampled_from("XY")) for _ in words],
        "heads": heads,
        "deprels": [draw(st.sampled_from("rs")) if head else "root" for head in heads],
        "tree": draw(bracketing(words)),
    }


@st.composite
def bracketing(draw: st.DrawFn, words: list[str]) -> str:
    label = draw(st.sampled_from("PQ"))
    if len(words) > 1:
        middle = draw(st.integers(0, len(words) - 1))
        if middle:
            left, right = draw(bracketing(words[:middle])), draw(bracketing(words[middle:]))
            return f"({label} {left} {right})"
    return f"({label} {' '.join(words)})"


@st.composite
def corpora(draw: st.DrawFn, columns: tuple[str, ...]) -> Corpus:
    rows = draw(st.lists(sentence(), min_size=2, max_size=4))
    made: dict[str, Any] = {"text": [row["text"] for row in rows]}
    for name in columns:
        if name == "label":
            made["label"] = [draw(st.sampled_from([0, 1])) for _ in rows]
        elif name == "soft":
            parts = [draw(st.integers(0, 4)) / 4 for _ in rows]
            made["label"] = [[p, 1 - p] for p in parts]
        elif name == "pair":
            others = [draw(sentence()) for _ in rows]
            made["text_pair"] = [row["text"] for row in others]
            if "tree" in columns:
                made["tree_pair"] = [row["tree"] for row in others]
        else:
            made[name] = [row[name] for row in rows]
    return Corpus.from_columns(**made)


def sampler_of(config: Config, corpus: Corpus) -> Sampler | None:
    """Induce, or return None if the corpus has no material (which the error says)."""
    name, options, _ = config
    if not name.startswith("geca"):  # mended texts have tests of their own (seams/test_joints.py)
        options = {"repair": "none", **options}
    try:
        return induce(name, corpus, **options)
    except CorpusError as error:
        known = ("no new example can be made", "of one class", "has one example")
        if not any(reason in str(error) for reason in known):
            raise
        return None


def all_of(sampler: Sampler, **options: Any) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return sampler.sample(100_000, **options)


def texts_of(corpus: Corpus) -> list[tuple[str, ...]]:
    names = [name for name in ("text", "text_pair") if name in corpus.names]
    return list(zip(*map(corpus.column, names), strict=True))


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
@given(data=st.data())
@settings(max_examples=25)
def test_examples_are_valid_new_and_as_many_as_there_are(
    config: Config, data: st.DataObject
) -> None:
    corpus = data.draw(corpora(config[2]))
    sampler = sampler_of(config, corpus)
    if sampler is None:
        return
    assert isinstance(sampler, Sampler)
    made = all_of(sampler, seed=data.draw(st.integers(0, 3)))
    texts = texts_of(made)
    assert len(set(texts)) == len(texts) <= sampler.count()
    assert not set(texts) & set(texts_of(corpus))
    check_corpus(made)
    assert [row["provenance"]["index"] for row in made] == list(range(len(made)))
    if isinstance(sampler, SpanSampler):
        grammar = sampler.grammar
        assert sampler.count() == sum(1 for h, f in pairs(grammar) if differs(grammar, h, f))
        if not config[1].get("repair"):
            expected = {spelt(grammar, h, f) for h, f in pairs(grammar)}
            assert set(texts) == expected - set(texts_of(grammar.examples))
            for row, text in zip(made, texts, strict=True):
                host, filler = row["provenance"]["rules"]
                assert text == spelt(grammar, host, filler - len(grammar.sites))
                assert row["provenance"]["log_probability"] == pytest.approx(
                    log_probability(grammar, host, filler - len(grammar.sites))
                )


def pairs(grammar: SpanGrammar) -> list[tuple[int, int]]:
    pools = grammar.pools
    return [
        (host, filler)
        for host, pool in enumerate(pools.of_site.tolist())
        if pool >= 0
        for filler in pools.fillers[pools.offsets[pool] : pools.offsets[pool + 1]].tolist()
    ]


def spelt(grammar: SpanGrammar, host: int, filler: int) -> tuple[str, ...]:
    """Fill the pattern of a context with the words of a filler, as strings."""
    texts = grammar.rule_text(host).split("⟨")
    fills = grammar.rule_text(len(grammar.sites) + filler)
    filled = grammar.rule_text(host)
    pieces = grammar._pieces(filler)
    assert all(words in fills for _, words, _ in pieces)
    assert len(texts) == len(pieces) + 1
    wholes = [before + "\0" + behind for before, _, behind in grammar._pieces(host)]
    assert filled.count("⟨") == len(wholes)
    return tuple(w.replace("\0", words) for w, (_, words, _) in zip(wholes, pieces, strict=True))


def differs(grammar: SpanGrammar, host: int, filler: int) -> bool:
    mine, other = ([words for _, words, _ in grammar._pieces(site)] for site in (host, filler))
    return mine != other


def log_probability(grammar: SpanGrammar, host: int, filler: int) -> float:
    pools = grammar.pools
    row = slice(pools.offsets[pools.of_site[host]], pools.offsets[pools.of_site[host] + 1])
    weight = pools.weight[row][pools.fillers[row] == filler][0]
    return float(np.log(pools.host_weight[host]) + np.log(weight))


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
@given(data=st.data())
@settings(max_examples=12)
def test_the_bytes_do_not_depend_on_how_they_are_made(
    config: Config, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    corpus = data.draw(corpora(config[2]))
    sampler = sampler_of(config, corpus)
    if sampler is None:
        return
    seed = data.draw(st.integers(0, 3))
    whole = all_of(sampler, seed=seed).table
    cut = data.draw(st.integers(0, len(whole)))
    assert sampler.sample(cut, seed=seed).table.equals(whole.slice(0, cut))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        tables = sampler.batches(len(whole), seed=seed, start=cut, workers=2, batch_size=3)
        assert pa.concat_tables(tables).equals(whole.slice(cut))
    path = tmp_path_factory.mktemp("grammar") / f"grammar{sampler.grammar.codec.suffixes[0]}"
    sampler.grammar.save(path)
    loaded = loaders()[config[0]](path)
    assert all_of(loaded, seed=seed).table.equals(whole)
    assert set(dict(sampler.grammar.graph.nodes(data="kind")).values()) == {
        "symbol", "rule", "word",
    }  # fmt: skip


def loaders() -> dict[str, Callable[[Path], Sampler]]:
    found: dict[str, Callable[[Path], Sampler]] = {
        name: find_method(name).sampler.load for name in ("sub2", "treemix", "randmix")
    }
    return {**found, "geca": lambda path: GECA(SubstitutionGrammar.load(path))}


@given(corpora(("tokens", "tags")), st.integers(0, 99))
@settings(max_examples=30)
def test_protected_words_stay_and_stay_home(corpus: Corpus, seed: int) -> None:
    options = {"task": "tags", "protect": r"\[X\]"}
    sampler = sampler_of(("sub2", options, ()), corpus)
    if sampler is None:
        return
    for row in all_of(sampler, seed=seed):
        host = corpus[int(row["provenance"]["parents"][0])]
        assert [w for w in row["tokens"] if w == "[X]"] == [w for w in host["tokens"] if w == "[X]"]


def test_weights_of_the_graph_are_probabilities() -> None:
    corpus = Corpus.from_columns(text=["a b c", "d e f g"], label=[0, 1])
    for sampler in (
        induce("sub2", corpus, phrase=False, length=True),
        induce("randmix", corpus, threshold=0.7),
    ):
        graph = sampler.grammar.graph
        for node, kind in graph.nodes(data="kind"):
            if kind == "symbol":
                weights = [w for _, _, w in graph.out_edges(node, data="weight")]
                assert sum(weights) == pytest.approx(1)


def test_a_shortfall_says_how_many_there_are() -> None:
    corpus = Corpus.from_columns(text=["a b", "c d"])
    sampler = induce("sub2", corpus, phrase=False, length=True)
    with pytest.warns(ShortfallWarning, match="derives 10 distinct new ones.*licenses 12 subst"):
        assert len(sampler.sample(50)) == 10
    with pytest.warns(ShortfallWarning, match="from number 9"):
        assert len(sampler.sample(2, start=9)) == 1
    assert len(sampler.sample(0)) == 0
    assert sampler.sample(0).table.schema == sampler.sample(2).table.schema


def test_streams_of_one_sampler_do_not_disturb_each_other() -> None:
    corpus = Corpus.from_columns(text=["a b c d", "e f g h", "i j k l"])
    sampler = induce("sub2", corpus, phrase=False)
    whole = sampler.sample(40).column("id"), sampler.sample(40).column("text")
    first, second = (sampler.batches(40, batch_size=10) for _ in range(2))
    mixed = [table for two in zip(first, second, strict=True) for table in two]
    for tables in (mixed[::2], mixed[1::2]):
        table = pa.concat_tables(tables)
        assert (table["id"].to_pylist(), table["text"].to_pylist()) == whole
    assert sampler.sample(10, start=10).column("text") == whole[1][10:20]


# --- the registry -----------------------------------------------------------------------------


def test_every_method_has_documented_options() -> None:
    for name in ("sub2", "treemix", "randmix", "geca"):
        method = METHODS[name]
        assert method.title
        for option in method.options:
            assert name == "geca" or option.help, option.name
    defaults = {o.name: (o.default, o.code) for o in METHODS["treemix"].options}
    assert defaults["high"] == (0.3, 0.3)
    assert defaults["min_children"] == (2, 1)
    assert "gaps" in {o.name for o in METHODS["geca"].options}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("treemx", {}, "did you mean 'treemix'"),
        ("swapping", {}, "there are sub2"),
        ("geca", {"gap": 2}, "did you mean 'gaps'"),
        ("sub2", {"lenght": True}, "did you mean 'length'"),
        ("sub2", {"xyz": True}, "it has backbone"),
    ],
)
def test_unknown_names_are_told(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        induce(name, Corpus.from_columns(text=["a b", "c d"]), **options)


@pytest.mark.parametrize(
    "arguments", [{"n": -1}, {"n": 1, "start": -1}, {"n": 1, "workers": 0}, {"n": 1, "seed": -1},
                  {"n": True}, {"n": 1, "batch_size": 0}],
)  # fmt: skip
def test_bad_numbers_are_refused(arguments: dict[str, Any]) -> None:
    sampler = induce("sub2", Corpus.from_columns(text=["a b", "c d"]), phrase=False)
    with pytest.raises(OptionError, match="whole number"):
        list(sampler.batches(**arguments))


def test_files_that_no_sampler_is_made_of(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="cannot read"):
        open_sampler(tmp_path / "absent.json")
    save_arrays(tmp_path / "other.arrow", "treewright.else/1", {}, {"a": np.zeros(1)})
    with pytest.raises(SchemaError, match="its schema is 'treewright.else/1'"):
        open_sampler(tmp_path / "other.arrow")
    Grammar.parse("S -> 'a'").save(tmp_path / "pcfg.json")
    assert open_sampler(tmp_path / "pcfg.json").sample(1).column("text") == ["a"]
    (tmp_path / "text.arrow").write_text("not Arrow")
    with pytest.raises(SchemaError):
        open_sampler(tmp_path / "text.arrow")


def test_files_that_hold_no_span_grammar(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not Arrow")
    with pytest.raises(SchemaError, match="not a span grammar"):
        SpanGrammar.load(tmp_path / "text")
    with pytest.raises(UnreadableInputError, match="cannot read"):
        SpanGrammar.load(tmp_path / "absent")


def test_the_permutation_reaches_every_pair_once() -> None:
    corpus = Corpus.from_columns(text=["a b c", "d e f", "g h i"])
    sampler = induce("sub2", corpus, phrase=False, length=True, max_words=1, distinct=True)
    assert isinstance(sampler, SpanSampler)
    expected = {spelt(sampler.grammar, h, f) for h, f in pairs(sampler.grammar)}
    for seed in range(5):
        found = texts_of(all_of(sampler, seed=seed))
        assert len(found) == len(set(found)) == len(expected - set(texts_of(corpus)))
    orders = {tuple(texts_of(all_of(sampler, seed=s))) for s in range(3)}
    assert len(orders) == 3
    assert all(sorted(a) == sorted(b) for a, b in itertools.combinations(orders, 2))


def test_few_attempts_are_made_at_a_time_where_texts_are_long() -> None:
    """A stretch of attempts has room in memory; how many there are changes no example."""
    long = Corpus.from_columns(text=["a b c " * 50_000, "d e f " * 50_000])
    short = Corpus.from_columns(text=["a b c", "d e f"])
    few, many = AEDA.induce(long), AEDA.induce(short)
    assert few.at_once * 300_000 <= 1 << 26
    assert many.at_once == type(many).at_once
    made = many.sample(20, seed=1).table
    many.at_once = 3
    assert many.sample(20, seed=1).table == made


def test_options_that_are_given_to_a_sampler_are_in_its_hint() -> None:
    for made, shown in (
        (lambda: WordDrop(p=0.3), "worddrop(p=0.3)"),  # type: ignore[call-arg]
        (lambda: EDA(pct_words_to_swap=0.2), "eda(alpha_sr=0.2)"),  # type: ignore[call-arg]
        (lambda: WordDrop(0.3), "worddrop"),  # type: ignore[arg-type]
        (lambda: WordDrop(size=3), "worddrop"),  # type: ignore[call-arg]
    ):
        with pytest.raises(OptionError, match="is made of a grammar") as refused:
            made()
        assert f"augment(texts, {shown!r}, n=10)" in str(refused.value.hint)
    texts = ["the food was good and cheap", "the staff were slow"]
    assert len(augment(texts, "worddrop(p=0.3)", n=2)) == 2
    assert len(WordDrop.induce(texts, p=0.3).sample(2)) == 2
