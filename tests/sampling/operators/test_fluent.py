"""Tilted draws against enumeration, the score against a slow twin, and the operators as methods."""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.opening import open_grammar
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews
from induction.language.ngrams import NGramModel
from sampling.expression import read_expression, read_step
from sampling.joins.constituents import places_of
from sampling.joins.kernels import cohesions, cohesions_of_place, memory_of
from sampling.joins.score import SeamScore, Tilt
from sampling.method import induce
from sampling.opening import open_sampler
from sampling.operators.method import Agree, Fluent, fluent
from sampling.pipeline.augment import augment
from sampling.spans.learnt import BACKOFF
from sampling.spans.sub2 import Sub2
from sampling.spans.tilted import hosts_of, pair_score, score_pairs, tilted_pairs
from sampling.spans.treemix import TreeMix
from sampling.stream import Attempts, hosts_in_turn, in_groups

TOY = Corpus.from_columns(
    text=["the old dog saw a cat", "a bird heard the young fox", "the cat sang", "a dog ran home"],
    tags=[
        ["DT", "JJ", "NN", "VBD", "DT", "NN"],
        ["DT", "NN", "VBD", "DT", "JJ", "NN"],
        ["DT", "NN", "VBD"],
        ["DT", "NN", "VBD", "RB"],
    ],
)
DRAWS = 20_000


@functools.cache
def reviews() -> Corpus:
    return Corpus(read_reviews().table.slice(0, 120))


@functools.cache
def toy(max_words: int = 2) -> Sub2:
    return Sub2.induce(TOY, task="tags", max_words=max_words, distinct=False)


def cohesion(sentences: list[list[str]], pieces: list[list[str]], order: int) -> float:
    """Return log P of the words less log P of the pieces, word by word; the slow way."""
    model = NGramModel.train([" ".join(sentence) for sentence in sentences], order=order)

    def likely(tokens: list[str], *, begins: bool, ends: bool) -> float:
        total = 0.0
        for k, word in enumerate([*tokens, "</s>"] if ends else tokens):
            total += math.log(_probability(model, tokens[:k], word, begins=begins))
        return total

    whole = likely([word for piece in pieces for word in piece], begins=True, ends=True)
    parts = [
        likely(piece, begins=k == 0, ends=k == len(pieces) - 1) for k, piece in enumerate(pieces)
    ]
    return whole - sum(parts)


def _probability(model: NGramModel, before: list[str], word: str, *, begins: bool) -> float:
    """Return P(word | before), with or without the beginning of the sentence before that."""
    node = 0
    for token in (["<s>"] if begins else []) + before:
        node = _behind(model, node, model.words.index(token))
    return float(model.distribution_after(node)[model.words.index(word)])


def _behind(model: NGramModel, node: int, word: int) -> int:
    trie = model.trie
    while True:
        first, last = trie.first_child[node : node + 2]
        found = [c for c in range(first, last) if trie.word[c] == word]
        if found:
            child = found[0]
            return int(trie.suffix[child]) if child >= trie.levels[-2] else child
        node = int(trie.suffix[node])


def pieces_of(sampler: Any, host: int, filler: int) -> tuple[list[str], list[str], list[str]]:
    sites, texts = sampler.grammar.sites, TOY.column("text")
    context = texts[sites.example[host]].split()
    donor = texts[sites.example[filler]].split()
    return (
        context[: sites.start[host, 0]],
        donor[sites.start[filler, 0] : sites.end[filler, 0]],
        context[sites.end[host, 0] :],
    )


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("max_words", [1, 2, 4])
def test_the_score_of_a_pair_is_what_the_pieces_gain_together(max_words: int, order: int) -> None:
    sampler = toy(max_words)
    score = sampler.own_score("joins")
    words = replace(score.words, order=order)
    pairs = pair_score(sampler.grammar, SeamScore(words, None, (1.0, 0.0)))
    count = len(sampler.grammar.sites)
    sentences = [text.split() for text in TOY.column("text")]
    rng = np.random.default_rng(0)
    for host, filler in rng.integers(0, count, (60, 2)).tolist():
        expected = cohesion(sentences, list(pieces_of(sampler, host, filler)), order)
        found = score_pairs(pairs, np.array([host]), np.array([filler]))[0]
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("max_words", [1, 2, 4])
def test_what_is_remembered_of_a_place_is_what_it_would_be_without(
    max_words: int, order: int
) -> None:
    sampler = toy(max_words)
    words = replace(sampler.own_score("joins").words, order=order)
    pairs = pair_score(sampler.grammar, SeamScore(words, None, (1.0, 0.0)))
    model, seams = pairs.word_model, pairs.word_seams
    memory = memory_of(model, seams)
    fillers = np.arange(len(sampler.grammar.sites))
    for host in [*fillers.tolist(), *np.random.default_rng(0).permutation(fillers).tolist()]:
        found = cohesions_of_place(model, seams, memory, host, fillers)
        assert np.array_equal(found, cohesions(model, seams, np.full_like(fillers, host), fillers))


@pytest.mark.parametrize("kind", ["sub2(phrase=true)", "treemix", "randmix"])
def test_written_examples_have_the_score_that_they_were_drawn_by(kind: str) -> None:
    step = read_step(kind)
    corpus = reviews()
    if kind == "randmix":  # its examples have no trees, and so no tags
        corpus = Corpus(corpus.table.drop_columns(["tree"]))
    # a score is of the words as they are drawn, before their capitals are mended
    sampler = induce(step.method, corpus, **step.options, repair="none")
    score = sampler.own_score("joins")
    columns = sampler.tilted(5, Tilt(score, 1.0, 4)).take(80)
    table = sampler.table(columns[:2], 5, np.arange(80))
    fillers = sampler.grammar.pools.fillers[columns[1]].astype(np.int64)
    hosts = columns[0].astype(np.int64)
    found = score_pairs(pair_score(sampler.grammar, score), hosts, fillers)
    beyond = found - score.of(Corpus(table))  # what texts and tags do not tell
    if kind == "randmix":
        np.testing.assert_allclose(beyond, 0, atol=1e-9)
        return
    expected = associations(sampler.grammar, hosts, fillers)
    largest = np.abs(expected).argmax()
    np.testing.assert_allclose(beyond, expected * beyond[largest] / expected[largest], atol=1e-9)
    assert beyond[largest] / expected[largest] > 0


def associations(grammar: Any, hosts: Any, fillers: Any) -> Any:
    """Return how well categories go with places, from counts of their names; the slow way."""
    places, node = places_of(grammar.sides[0].treebank), grammar.sites.node[:, 0]
    name = {
        kind: [places.names[c] for c in getattr(places, kind)[node]]
        for kind in ("category", "governor", "sister")
    }
    often = {kind: {n for n, k in Counter(names).items() if k > 1} for kind, names in name.items()}
    total = np.zeros(len(hosts))
    for kind in ("governor", "sister"):
        rows = list(zip(name[kind], name["category"], strict=True))
        pairs = Counter(
            (p if p in often[kind] else "", c if c in often["category"] else "") for p, c in rows
        )
        for k, (host, filler) in enumerate(zip(hosts.tolist(), fillers.tolist(), strict=True)):
            place, category = name[kind][host], name["category"][filler]
            if place in often[kind] and category in often["category"]:
                share = sum(n for (_, c), n in pairs.items() if c == category) / len(rows)
                seen = sum(n for (p, _), n in pairs.items() if p == place)
                likely = (pairs[place, category] + BACKOFF * share) / (seen + BACKOFF)
                total[k] += math.log(likely / share)
    return total


def enumerated(sampler: Any, score: SeamScore) -> tuple[list[tuple[int, int]], Any, Any, Any]:
    """Return all pairs of a site and an entry, their hosts, plain probabilities, and scores."""
    pools, sites = sampler.grammar.pools, sampler.grammar.sites
    pairs, host, plain = [], [], []
    for site in np.flatnonzero(pools.of_site >= 0).tolist():
        row = pools.of_site[site]
        beside = sites.example[site] == sites.example
        share = pools.host_weight[site] / pools.host_weight[beside].sum()
        for entry in range(pools.offsets[row], pools.offsets[row + 1]):
            pairs.append((site, entry))
            host.append(int(sites.example[site]))
            plain.append(share * pools.weight[entry])
    site, entry = np.array(pairs).T
    filler = pools.fillers[entry].astype(np.int64)
    scores = score_pairs(pair_score(sampler.grammar, score), site, filler)
    same = sampler.tables.span[site] == sampler.tables.span[filler]
    return pairs, np.array(host), np.array(plain), np.where(same, -np.inf, scores)


def compare(found: Counter[tuple[int, int]], pairs: list[Any], expected: Any, rows: Any) -> None:
    rows = np.flatnonzero(rows & (expected > 0))
    observed = np.array([found[pairs[row]] for row in rows], float)
    wanted = expected[rows] / expected[rows].sum() * observed.sum()
    rare = wanted < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        wanted = np.append(wanted[~rare], wanted[rare].sum())
    assert chisquare(observed, wanted).pvalue > 1e-4


def drawn(sampler: Any, tilt: Tilt) -> tuple[Counter[tuple[int, int]], Any]:
    columns = sampler.tilted(1, tilt).take(DRAWS)
    found = Counter(zip(columns[0].tolist(), columns[1].tolist(), strict=True))
    return found, columns


@pytest.mark.parametrize("power", [0.0, 0.7, 2.0])
def test_exact_draws_have_the_tilted_probabilities(power: float) -> None:
    sampler = toy()
    score = sampler.own_score("joins")
    found, columns = drawn(sampler, Tilt(score, power, 1, 10**6))
    pairs, host, plain, scores = enumerated(sampler, score)
    weights = plain * np.exp(power * np.where(np.isneginf(scores), 0, scores))
    weights[np.isneginf(scores)] = 0
    hosts = len(np.unique(host))
    probability = np.zeros(len(pairs))
    for h in np.unique(host):
        mine = host == h
        probability[mine] = weights[mine] / weights[mine].sum() / hosts
        compare(found, pairs, probability, mine)
    at = {pair: row for row, pair in enumerate(pairs)}
    pools = sampler.grammar.pools
    for site, entry, added in zip(*(column[:200].tolist() for column in columns), strict=True):
        likely = math.log(pools.host_weight[site] * pools.weight[entry]) + added
        assert likely == pytest.approx(math.log(probability[at[site, entry]]), abs=1e-9)


def test_the_pairs_of_a_tilt_are_weighed_once_for_all_seeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sampler = Sub2.induce(TOY, task="tags", max_words=2)
    score = sampler.own_score("joins")
    weighed = []

    def counted(grammar: Any, tables: Any, tilt: Tilt) -> Any:
        weighed.append(tilt.power)
        return tilted_pairs(grammar, tables, tilt)

    monkeypatch.setattr("sampling.spans.sampler.tilted_pairs", counted)
    for power in (1.0, 1.0, 2.0):
        for seed in (0, 1):
            sampler.tilted(seed, Tilt(score, power, 1, 10**6)).take(3)
    assert weighed == [1.0, 2.0]


def test_one_of_two_draws_is_chosen_by_its_weight() -> None:
    sampler = toy()
    score = sampler.own_score("joins")
    found, _ = drawn(sampler, Tilt(score, 1.5, 2))
    pairs, host, plain, scores = enumerated(sampler, score)
    weights = np.exp(1.5 * scores)
    for h in np.unique(host):
        mine = np.flatnonzero(host == h)
        expected = np.zeros(len(pairs))
        for a, b in itertools.product(mine, mine):
            total = weights[a] + weights[b]
            if total > 0:
                expected[a] += plain[a] * plain[b] * weights[a] / total
                expected[b] += plain[a] * plain[b] * weights[b] / total
        compare(found, pairs, expected, host == h)


def test_resampling_any_method_chooses_by_the_weight() -> None:
    corpus = Corpus.from_columns(text=["a b c d", "e f g h"])
    inner = induce("worddrop", corpus, p=0.4, distinct=False)
    length = {"words": lambda made: [len(text.split()) for text in made.column("text")]}
    sampler = fluent(inner, corpus, score=length["words"], candidates=2, power=1)
    shares = Counter(len(text.split()) for text in inner.sample(DRAWS).column("text"))
    plain = {n: count / DRAWS for n, count in shares.items()}
    expected = dict.fromkeys(plain, 0.0)
    for a, b in itertools.product(plain, plain):
        total = math.exp(a) + math.exp(b)
        expected[a] += plain[a] * plain[b] * math.exp(a) / total
        expected[b] += plain[a] * plain[b] * math.exp(b) / total
    found = Counter(len(t.split()) for t in sampler.sample(DRAWS, seed=9).column("text"))
    for n, probability in expected.items():
        assert found[n] / DRAWS == pytest.approx(probability, abs=0.02)


@functools.cache
def tilted(name: str) -> Any:
    how = {
        "resampled": {"of": "treemix", "candidates": 8},
        "exact": {"of": "sub2(phrase=true)", "most_pairs": 2**24},
        "learnt": {"of": "sub2(phrase=true)", "score": "learnt"},
        "words": {"of": "random-word", "candidates": 4},
        "refilled": {"of": "alp(synonym=0)", "candidates": 8},
    }[name]
    corpus = reviews() if name != "words" else Corpus(reviews().table.drop_columns(["tree"]))
    return Fluent.induce(corpus, **how)


@functools.cache
def sixty(name: str) -> pa.Table:
    return tilted(name).sample(60, seed=2).table


@settings(max_examples=6)
@given(
    name=st.sampled_from(["resampled", "exact", "learnt", "words", "refilled"]),
    size=st.integers(1, 40),
    workers=st.integers(1, 3),
    start=st.integers(0, 30),
)
def test_batches_and_workers_change_no_byte(name: str, size: int, workers: int, start: int) -> None:
    sampler = tilted(name)
    parts = sampler.batches(60 - start, seed=2, start=start, workers=workers, batch_size=size)
    assert pa.concat_tables(parts).equals(sixty(name).slice(start))


def test_a_word_of_alp_weighs_what_it_gains_beside_its_neighbours() -> None:
    trees = [
        "(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))",
        "(S (NP (DT a) (NN bird)) (VP (VBD heard) (NP (DT the) (JJ young) (NN fox))))",
        "(S (NP (DT the) (NN cat)) (VP (VBD sang)))",
    ]
    texts = ["the old dog saw a cat", "a bird heard the young fox", "the cat sang"]
    corpus = Corpus.from_columns(text=texts, label=[0, 0, 0], tree=trees)
    inner = induce("alp", corpus, synonym=0, exchange=0, pool=1, quantile=0, distinct=False)
    score = inner.own_score("joins")
    tilted = inner.under(Tilt(score, 3.0, 64))
    gain = {}
    for word in ("dog", "cat", "bird", "fox"):
        pieces = [["a"], [word], []]
        gain[word] = cohesion([text.split() for text in texts], pieces, 2)
    # of the host "the old dog saw a cat" the last word is redrawn last, between "a" and the end
    found: dict[bool, Counter[str]] = {}
    for name, sampler in ((False, inner), (True, tilted)):
        made = sampler.sample(10_000, seed=1).column("text")
        last = [t.split() for t in made if len(t.split()) == 6 and t.split()[4] == "a"]
        found[name] = Counter(words[5] for words in last)
    total = sum(found[False][w] / found[False].total() * math.exp(3 * g) for w, g in gain.items())
    for word, g in gain.items():
        share = found[False][word] / found[False].total() * math.exp(3 * g) / total
        assert found[True][word] / found[True].total() == pytest.approx(share, abs=0.03)


def test_hosts_come_in_turn() -> None:
    sampler = tilted("resampled")
    hosts = len(hosts_of(sampler.inner.grammar).share)
    made = sampler.sample(hosts // 2, seed=3)
    assert len({row["provenance"]["parents"][0] for row in made}) == len(made)


@pytest.mark.parametrize("of", ["treemix(distinct=false)", "alp(distinct=false,synonym=0)"])
def test_draws_in_a_row_are_of_one_host_if_the_tilt_says_so(of: str) -> None:
    sampler = Fluent.induce(reviews(), of=of, candidates_per_source=5)
    stream = sampler.repeating(60 * 5).stream(3)
    assert isinstance(stream, Attempts)
    drawn, _ = stream.of_next_chunk()
    made = sampler.table(drawn, 3, np.arange(len(drawn[0])))
    hosts = [row["parents"][0] for row in made.column("provenance").to_pylist()]
    turns = [host for host, _ in itertools.groupby(hosts)]
    assert len(turns) == len(set(turns)) > 50  # a few hosts have nothing to exchange


def test_hosts_that_are_compared_are_about_equally_long() -> None:
    length = np.random.default_rng(0).permutation(1000)
    taken = hosts_in_turn(np.uint64(3), np.arange(8 * 960), length, 8, 16)
    groups = length[taken].reshape(-1, 8 * 16)
    assert np.ptp(groups, axis=1).max() < 100
    assert np.ptp(groups[:, 0]) > 900  # groups come in any order
    assert (taken.reshape(-1, 8) == taken[::8, None]).all()
    few = hosts_in_turn(np.uint64(3), np.arange(20), length[:10], 2)
    assert len(set(few.tolist())) == 10


@given(st.integers(0, 2**32), st.integers(1, 90), st.integers(1, 7), st.integers(0, 3))
def test_groups_are_of_neighbours_and_a_round_of_all_but_a_few(
    seed: int, things: int, size: int, number: int
) -> None:
    assume(things >= size)
    rank = np.random.default_rng(seed).permutation(things)
    whole = things - things % size
    numbers = np.arange(number * whole, (number + 1) * whole)
    taken = in_groups(np.uint64(seed), numbers, rank, size)
    assert len(set(taken.tolist())) == whole
    assert np.ptp(rank[taken].reshape(-1, size), axis=1).max() < 7 * size
    one = int(numbers[len(numbers) // 2])
    assert in_groups(np.uint64(seed), np.array([one]), rank, size) == taken[one - numbers[0]]


@pytest.mark.parametrize("name", ["resampled", "words"])
def test_a_sampler_that_repeats_gives_none_of_the_corpus(name: str) -> None:
    sampler = tilted(name)
    before = sampler.sample(30).table
    again = sampler.repeating(512)
    columns = again.stream(3).take(20_000)
    texts = again.table(columns, 3, np.arange(20_000)).column("text").to_pylist()
    assert len(set(texts)) < len(texts)
    assert not set(texts) & set(reviews().column("text"))
    assert sampler.sample(30).table == before  # it stays as it was
    once = sampler.sample(200).column("text")
    assert len(set(once)) == len(once)


@pytest.mark.parametrize("name", ["resampled", "learnt", "words", "refilled"])
def test_a_tilt_raises_the_score(name: str) -> None:
    sampler = tilted(name)
    plain, better = sampler.inner.sample(100), sampler.sample(100)
    score = SeamScore(sampler.grammar.score.words, sampler.grammar.score.tags)
    assert score.of(better).mean() > score.of(plain).mean() + 0.2


def test_the_learnt_score_tells_own_places_from_random_ones() -> None:
    sampler = tilted("learnt")
    grammar, tables = sampler.inner.grammar, sampler.inner.tables
    sites = np.flatnonzero(grammar.pools.of_site >= 0)
    pairs = pair_score(grammar, sampler.grammar.score)
    rng = np.random.default_rng(0)
    others = np.array(
        [
            rng.choice(grammar.pools.fillers[slice(*grammar.pools.offsets[p : p + 2])])
            for p in grammar.pools.of_site[sites]
        ],
        np.int64,
    )
    own = score_pairs(pairs, sites, sites)
    better = own - score_pairs(pairs, sites, others)
    assert (better > 0).mean() > 0.6
    assert tables.span[sites].shape == own.shape


def test_agreement_never_asks_who_has_seen_a_parent() -> None:
    corpus = reviews()
    sampler = Agree.induce(corpus, of="treemix")
    score = sampler.grammar.score
    fold = dict(zip(score.ids, score.fold.tolist(), strict=True))
    made = sampler.sample(40)
    for row in made:
        folds = frozenset(fold[name] for name in row["provenance"]["parents"])
        words, model = score._trained[folds]
        seen = [score.texts[k] for k in range(len(score.ids)) if score.fold[k] not in folds]
        assert not {fold[name] for name in row["provenance"]["parents"]} & {
            fold[score.ids[score.texts.index(text)]] for text in seen
        }
        told = model.predict(words.transform([row["text"]]))[0]
        assert told == int(np.argmax(row["label"]))
    assert 0 < len(made) == 40


def test_where_each_takes_long_few_are_drawn_at_a_time() -> None:
    sampler = Agree.induce(reviews(), of="treemix")
    before = sampler.sample(10).table
    sampler.inner.batch = 4
    stream = sampler.stream(0)
    columns = stream.take(10)
    assert stream._stream.made < 30
    assert sampler.table(columns, 0, np.arange(10)).equals(before)


def test_an_operator_is_a_method_of_expressions() -> None:
    expression = read_expression("fluent(treemix(high=0.5), candidates=8, power=2) | aeda")
    assert str(expression) == "fluent(treemix(high=0.5), candidates=8, power=2) | aeda"
    assert read_expression(str(expression)) == expression
    corpus = reviews()
    made = augment(corpus, "0.5*fluent(treemix, candidates=4) + 0.5*treemix", n=20).corpus
    assert len(set(made.column("id"))) == 20
    nested = augment(corpus, "agree(fluent(sub2(phrase=true), candidates=4))", n=10).corpus
    assert {row["provenance"]["method"] for row in nested} == {"agree"}
    for wrong, what in (
        ("eda(sub2)", "is applied to no other"),
        ("fluent(sub2, treemix)", "is applied to one"),
        ("fluent(sub3)", "sub3"),
        ("fluent(sub2 | aeda)", "cannot stand here"),
    ):
        with pytest.raises(OptionError, match=what):
            read_expression(wrong)


def test_what_cannot_be_done_is_said() -> None:
    corpus = reviews()
    with pytest.raises(OptionError, match="more than one method"):
        Fluent.induce(corpus, of="sub2 + treemix")
    with pytest.raises(OptionError, match="no learnt score"):
        Fluent.induce(corpus, of="random-word", score="learnt")
    for of in ("random-word", "agree(treemix)", "fluent(treemix)"):
        with pytest.raises(OptionError, match="does not take its sources in turn"):
            Fluent.induce(corpus, of=of, candidates_per_source=2)
    for beside in ({"model": "smollm2"}, {"candidates_per_source": 2}):
        with pytest.raises(OptionError, match="neither model nor of_host"):
            fluent(TreeMix.induce(corpus), corpus, score=lambda made: [1.0], **beside)
    unlabelled = Corpus(corpus.table.drop_columns(["label"]))
    with pytest.raises(CorpusError):
        Agree.induce(unlabelled, of="sub2")
    one = unlabelled.with_column("label", pa.array([0] * len(corpus)))
    with pytest.raises(CorpusError, match="one class"):
        Agree.induce(one, of="sub2")
    wrong = fluent(TreeMix.induce(corpus), corpus, score=lambda made: [1.0], candidates=2)
    with pytest.raises(OptionError, match="one number for each"):
        wrong.sample(1)


def test_a_function_is_no_grammar_that_can_be_saved(tmp_path: Any) -> None:
    corpus = reviews()
    sampler = fluent(Sub2.induce(corpus), corpus, score=lambda made: np.zeros(len(made)))
    assert len(sampler.sample(5)) == 5
    with pytest.raises(OptionError, match="cannot be saved"):
        sampler.grammar.save(tmp_path / "g.arrow")
    assert not list(tmp_path.iterdir())


def test_a_damaged_score_is_said(tmp_path: Any) -> None:
    grammar = tilted("resampled").grammar
    facts, columns = grammar.to_arrays()
    for name, value in (
        ("words tokens", columns["words tokens"][:-1]),
        ("words tokens", columns["words tokens"] + 9999),
        ("words offsets", columns["words offsets"][::-1]),
        ("base", columns["base"][:100]),
    ):
        from grammar.saving.array_file import save_arrays

        path = tmp_path / "g.arrow"
        save_arrays(path, "treewright.tilted/3", facts, {**columns, name: value})
        with pytest.raises(SchemaError):
            open_grammar(path)
    grammar.save(path)
    assert open_sampler(path).sample(5).table == tilted("resampled").sample(5).table


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [("score", "ceams", "'ceams' is not known"), ("candidates", -1, "candidates"),
     ("moon", 1, "moon"), ("model", "smollm2", "does not fit the score")],
)  # fmt: skip
def test_options_that_a_file_has_are_checked(option: str, value: Any, message: str) -> None:
    grammar = tilted("resampled").grammar
    with pytest.raises((OptionError, SchemaError), match=message):
        Fluent(replace(grammar, options={**grammar.options, option: value}))


def test_few_examples_are_enough_for_a_few() -> None:
    corpus = Corpus.from_columns(text=["a red car", "two blue bikes"])
    sampler = fluent(induce("worddrop", corpus), corpus, candidates=32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert 0 < len(sampler.sample(100)) <= sampler.count()


def test_a_score_whose_table_is_not_that_of_its_features_is_refused() -> None:
    sampler = TreeMix.induce(reviews())
    score = sampler.own_score("joins")
    held = score.borders
    wider = replace(held, widths=held.widths + 1, weights=np.zeros(10**6))
    fewer = replace(held, places=held.places[:3])
    strange = replace(held, features=(("moon", "category"), *held.features[1:]))
    for borders, message in ((wider, "its features"), (fewer, "its features"), (strange, "moon")):
        with pytest.raises(SchemaError, match=message):
            pair_score(sampler.grammar, replace(score, borders=borders))
