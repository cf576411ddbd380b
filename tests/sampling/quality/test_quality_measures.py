"""Measures of augmentation, each against a slow and obvious twin or a library."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.tree_files import trees_of_corpus
from induction.parsers.chart import ChartTextParser
from sampling.quality.measures import confidence, derivations, diversity, fidelity, overlap
from sampling.quality.measures.lengths import length_shift
from sampling.quality.measures.parents import Parents, find_parents
from sampling.quality.measures.self_bleu import bleu_to_originals, bleu_to_parents, self_bleu
from sampling.quality.measures.words import bags, ngram_ids, shared_words
from sampling.quality.report import assess

LETTERS = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
TEXTS = st.lists(LETTERS, min_size=1, max_size=7)
SOME = st.lists(LETTERS.filter(bool), min_size=2, max_size=7)


def corpus(texts: list[str], **columns: list) -> Corpus:
    return Corpus.from_columns(text=texts, **columns)


def sacrebleu_score(text: str, references: list[str], order: int) -> float:
    from sacrebleu.metrics import BLEU

    bleu = BLEU(
        max_ngram_order=order, smooth_method="floor", smooth_value=0.1, effective_order=True,
        tokenize="none", force=True,
    )  # fmt: skip
    return bleu.sentence_score(text, references).score / 100


# --- words ----------------------------------------------------------------------------------------


@given(TEXTS, TEXTS)
def test_words_are_what_white_space_separates(one: list[str], two: list[str]) -> None:
    for texts, words in zip((one, two), shared_words(corpus(one), corpus(two)), strict=True):
        assert words.lengths.tolist() == [len(text.split()) for text in texts]
    names: dict[int, str] = {}
    for texts, words in zip((one, two), shared_words(corpus(one), corpus(two)), strict=True):
        flat = [word for text in texts for word in text.split()]
        for number, word in zip(words.tokens.tolist(), flat, strict=True):
            assert names.setdefault(number, word) == word


def test_any_white_space_separates_and_case_counts_but_for_equality() -> None:
    (words,) = shared_words(corpus(["  a\u00a0b\t c ", "A b C", "É", "é", ""]))
    assert words.lengths.tolist() == [3, 3, 1, 1, 0]
    assert words.same[0] == words.same[1]
    assert words.same[2] == words.same[3]
    assert words.tokens[0] != words.tokens[3]


def test_a_pair_is_one_text_with_a_mark_between_its_sides() -> None:
    (words,) = shared_words(corpus(["a b", "a"], text_pair=["c", "b c"]))
    assert words.lengths.tolist() == [4, 4]
    assert words.same[0] != words.same[1]


def test_words_of_an_empty_corpus_or_a_missing_text_are_refused() -> None:
    with pytest.raises(CorpusError, match="the corpus is empty"):
        shared_words(corpus([]))
    with pytest.raises(CorpusError, match=r"example 1 \(id '1'\): a text is missing"):
        shared_words(corpus(["a", None]))
    (read,) = shared_words(corpus(["a"]))
    with pytest.raises(CorpusError, match="mixed"):
        shared_words(read, corpus(["a"]))


def test_chosen_words_are_those_of_the_chosen_examples() -> None:
    (words,) = shared_words(corpus(["a b", "", "c", "b b b"]))
    chosen = words.take(np.array([3, 1, 0]))
    assert chosen.tokens.tolist() == [1, 1, 1, 0, 1]
    assert chosen.offsets.tolist() == [0, 3, 3, 5]
    assert chosen.same.tolist() == words.same[[3, 1, 0]].tolist()


@given(TEXTS, TEXTS, st.integers(1, 4))
def test_ngrams_are_counted_as_by_a_counter(one: list[str], two: list[str], n: int) -> None:
    words = shared_words(corpus(one), corpus(two))
    numbers: dict[int, tuple[str, ...]] = {}
    for texts, w, ids in zip((one, two), words, ngram_ids(words, n)[-1], strict=True):
        bag = bags(w, ids)
        for i, text in enumerate(texts):
            split = text.split()
            grams = [tuple(split[j : j + n]) for j in range(len(split) - n + 1)]
            start, end = bag.offsets[i], bag.offsets[i + 1]
            assert sorted(bag.count[start:end]) == sorted(Counter(grams).values())
            there = ids[w.offsets[i] : w.offsets[i + 1]]
            for number, gram in zip(there[there >= 0].tolist(), grams, strict=True):
                assert numbers.setdefault(number, gram) == gram


# --- BLEU -----------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(SOME, st.integers(1, 5))
def test_self_bleu_is_that_of_sacrebleu(texts: list[str], order: int) -> None:
    expected = [
        sacrebleu_score(text, texts[:i] + texts[i + 1 :], order) for i, text in enumerate(texts)
    ]
    assert self_bleu(corpus(texts), order=order) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(SOME, SOME, st.integers(1, 5))
def test_bleu_to_originals_is_that_of_sacrebleu(
    made: list[str], given_: list[str], order: int
) -> None:
    expected = [sacrebleu_score(text, given_, order) for text in made]
    found = bleu_to_originals(corpus(made), corpus(given_), order=order)
    assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(st.data(), SOME, SOME, st.integers(1, 4))
def test_bleu_to_parents_is_that_of_sacrebleu(
    data: st.DataObject, made: list[str], given_: list[str], order: int
) -> None:
    rows = st.lists(st.integers(0, len(given_) - 1), min_size=1, max_size=3)
    parents = data.draw(st.lists(rows, min_size=len(made), max_size=len(made)))
    provenance = [{"parents": [str(p) for p in some]} for some in parents]
    found = bleu_to_parents(corpus(made, provenance=provenance), corpus(given_), order=order)
    expected = [
        sacrebleu_score(text, [given_[p] for p in some], order)
        for text, some in zip(made, parents, strict=True)
    ]
    assert found == pytest.approx(expected, abs=1e-9)


@given(LETTERS.filter(bool), st.integers(2, 4), st.integers(1, 5))
def test_self_bleu_of_identical_texts_is_one(text: str, times: int, order: int) -> None:
    assert self_bleu(corpus([text] * times), order=order) == pytest.approx([1.0] * times)


@given(SOME, st.randoms(use_true_random=False))
def test_self_bleu_does_not_depend_on_the_order_of_texts(texts: list[str], random) -> None:
    order = list(range(len(texts)))
    random.shuffle(order)
    found = self_bleu(corpus([texts[i] for i in order]))
    assert found == pytest.approx(self_bleu(corpus(texts))[order])


def test_bleu_of_texts_without_words_is_zero() -> None:
    assert self_bleu(corpus(["", "", "a"])).tolist() == [0, 0, 0]
    assert bleu_to_originals(corpus([""]), corpus([""])).tolist() == [0]


def test_bleu_refuses_lone_texts_orders_and_unknown_parents() -> None:
    with pytest.raises(CorpusError, match="two examples"):
        self_bleu(corpus(["a"]))
    with pytest.raises(OptionError, match="order=0"):
        self_bleu(corpus(["a", "b"]), order=0)
    with pytest.raises(CorpusError, match="no column 'provenance'"):
        bleu_to_parents(corpus(["a"]), corpus(["a"]))
    made = corpus(["a", "b"], provenance=[{"parents": ["x"]}, {"parents": None}])
    with pytest.raises(CorpusError, match="no parents among the originals"):
        bleu_to_parents(made, corpus(["a"]))
    with pytest.raises(CorpusError, match="ids of the originals repeat"):
        find_parents(made, corpus(["a", "b"], id=["x", "x"]))


def test_bleu_to_parents_leaves_out_examples_without_parents() -> None:
    provenance = [{"parents": ["gone", "1"]}, {"parents": []}, {"parents": ["0"]}]
    made = corpus(["a b", "a b", "a b"], provenance=provenance)
    parents = find_parents(made, corpus(["a b", "a"]))
    assert parents.host.tolist() == [1, -1, 0]
    found = bleu_to_parents(made, corpus(["a b", "a"]), order=1)
    assert found[[0, 2]].tolist() == [0.5, 1.0]
    assert np.isnan(found[1])


# --- types over tokens ----------------------------------------------------------------------------


@given(TEXTS, st.integers(1, 3))
def test_distinct_n_counts_sets(texts: list[str], n: int) -> None:
    grams = [g for t in texts for g in zip(*(t.split()[i:] for i in range(n)), strict=False)]
    found = diversity.distinct_n(corpus(texts), n)
    assert found == pytest.approx(len(set(grams)) / len(grams) if grams else 0)
    assert 0 <= found <= 1
    assert diversity.distinct_n(corpus(texts[::-1]), n) == found


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_rarefaction_is_the_mean_over_all_draws(counts: list[int], data: st.DataObject) -> None:
    tokens = [t for t, count in enumerate(counts) for _ in range(count)][:9]
    counts = list(Counter(tokens).values())
    size = data.draw(st.integers(1, len(tokens)))
    draws = [len(set(draw)) / size for draw in itertools.combinations(tokens, size)]
    assert diversity.rarefied(np.array(counts), size) == pytest.approx(np.mean(draws))


def test_rarefaction_of_everything_is_the_ratio_itself_for_large_counts_too() -> None:
    counts = np.array([50_000, 3, 1, 1])
    assert diversity.rarefied(counts, 50_005) == pytest.approx(4 / 50_005)
    with pytest.raises(OptionError, match="cannot draw 9 of 3 tokens"):
        diversity.rarefied(np.array([1, 2]), 9)
    with pytest.raises(OptionError, match="n=0"):
        diversity.distinct_n(corpus(["a"]), 0)


@given(SOME)
def test_the_jackknife_leaves_each_example_out(texts: list[str]) -> None:
    (types,) = diversity.ngram_types(1, corpus(texts))
    low, high = confidence.type_interval(types.ids, types.owner)
    left = []
    for i in range(len(texts)):
        rest = " ".join(texts[:i] + texts[i + 1 :]).split()
        left.append(len(set(rest)) / len(rest))
    n, value = len(left), types.ratio
    error = np.sqrt((n - 1) / n * np.square(np.array(left) - np.mean(left)).sum())
    assert low == pytest.approx(max(value - 1.959963984540054 * error, 0))
    assert high == pytest.approx(min(value + 1.959963984540054 * error, 1))


def test_rules_and_shapes_leave_words_out() -> None:
    one = Treebank.parse("(S (NP we) (VP (V saw) (NP it))) (S (NP it) (VP (V is) (NP us)))")
    two = Treebank.parse("(S (NP we) (VP slept)) (NP we)")
    first, second = diversity.rule_types(one, two)
    assert (len(first), len(first.counts)) == (10, 4)
    assert diversity.new_types(second, first).tolist() == [0, 0, 1, 0]  # only VP -> word is new
    shapes, others = diversity.shape_types(one, two)
    assert shapes.ids.tolist() == [0, 0]
    assert others.ids.tolist() == [1, 2]


def test_trees_must_be_there_one_an_example() -> None:
    with pytest.raises(CorpusError, match="no column 'tree'"):
        trees_of_corpus(corpus(["a"]))
    with pytest.raises(CorpusError, match="example '1': the tree is missing"):
        trees_of_corpus(corpus(["a", "b"], tree=["(A a)", None]))
    with pytest.raises(CorpusError, match="3 trees for 2 examples"):
        trees_of_corpus(corpus(["a", "b"], tree=["(A a)", "(A a) (B b)"]))


# --- overlap --------------------------------------------------------------------------------------


def bigrams(text: str) -> set[tuple[str, str]]:
    return set(itertools.pairwise(["<", *text.split(), ">"]))


def jaccard(one: str, two: str) -> float:
    a, b = bigrams(one), bigrams(two)
    return len(a & b) / len(a | b)


@given(TEXTS, TEXTS, st.sampled_from([0.2, 0.5, 0.6, 0.8, 1.0]))
def test_near_texts_are_those_that_all_pairs_find(
    one: list[str], two: list[str], threshold: float
) -> None:
    expected = [any(jaccard(a, b) >= threshold - 1e-12 for b in two) for a in one]
    assert overlap.near(corpus(one), corpus(two), threshold=threshold).tolist() == expected
    others = [
        any(jaccard(a, b) >= threshold - 1e-12 for j, b in enumerate(one) if i != j)
        for i, a in enumerate(one)
    ]
    assert overlap.near_duplicates(corpus(one), threshold=threshold).tolist() == others


@given(TEXTS, TEXTS)
@example(["a b"], ["a x", "x b"])  # the second is found first
def test_the_nearest_text_is_the_first_of_the_most_similar(one: list[str], two: list[str]) -> None:
    found = overlap.nearest(corpus(one), corpus(two))
    for i, text in enumerate(one):
        scores = [jaccard(text, other) for other in two]
        assert found.similarity[i] == pytest.approx(max(scores))
        assert found.row[i] == scores.index(max(scores))


@given(TEXTS, TEXTS)
def test_duplicates_and_novelty_are_those_of_sets(one: list[str], two: list[str]) -> None:
    repeated = overlap.duplicates(corpus(one))
    assert repeated.tolist() == [text in one[:i] for i, text in enumerate(one)]
    assert overlap.novel(corpus(one), corpus(two)).tolist() == [text not in two for text in one]
    assert overlap.leaked(corpus(two), corpus(one)).tolist() == [text in one for text in two]


def test_shared_ngrams_are_looked_for_in_long_texts_only() -> None:
    base = corpus(["x a b c y"])
    found = overlap.shares_ngram(corpus(["a b c", "a b", "b c y z", "a c b y"]), base, n=3)
    assert found.tolist() == [True, True, False]  # the text of two words has no value


def test_thresholds_of_nearness_are_shares() -> None:
    with pytest.raises(OptionError, match="threshold=0"):
        overlap.near(corpus(["a"]), corpus(["a"]), threshold=0)
    with pytest.raises(OptionError, match=r"threshold=1\.5"):
        overlap.near_duplicates(corpus(["a"]), threshold=1.5)


# --- lengths, derivations, intervals --------------------------------------------------------------


@given(TEXTS, TEXTS)
def test_length_shift_is_the_wasserstein_distance_of_scipy(one: list[str], two: list[str]) -> None:
    from scipy.stats import wasserstein_distance

    lengths = [[len(text.split()) for text in texts] for texts in (one, two)]
    found = length_shift(corpus(one), corpus(two))
    assert found == pytest.approx(wasserstein_distance(*lengths), abs=1e-9)


def test_log_probabilities_must_all_be_there() -> None:
    made = corpus(["a", "b"], provenance=[{"log_probability": -1.0}, {"log_probability": None}])
    with pytest.raises(CorpusError, match="provenance of 1 examples has no log-probability"):
        derivations.log_probabilities(made)


def test_parsing_again_compares_with_the_trees_of_the_corpus() -> None:
    parser = ChartTextParser(
        Grammar.parse("S -> NP VP [1]\nNP -> 'we' [1/2] | 'they' [1/2]\nVP -> 'swim' [1]")
    )
    trees = ["(S (NP we) (VP swim))", "(S (X (NP they)) (VP swim))", "(S (VP swim) (NP we))"]
    made = corpus(["we swim", "they swim", "swim we"], tree=trees)
    found = derivations.reparse(made, parser, np.array([0, 1, 2]))
    assert found.parsed.tolist() == [True, True, False]
    assert found.agreeing is not None
    assert found.brackets is not None
    assert found.agreeing.tolist() == [2, 2, 0]  # S alone: the tags are no brackets
    assert found.brackets.tolist() == [2, 3, 0]
    plain = derivations.reparse(corpus(["we swim", "swim"]), parser, np.array([1, 0]))
    assert plain.parsed.tolist() == [False, True]
    assert plain.agreeing is None


def test_bootstrap_replicates_depend_on_seed_and_name_alone() -> None:
    values, ones = np.arange(20.0), np.ones(20)
    first = confidence.resampled_means(values, ones, seed=1, name="x")
    assert first.tolist() == confidence.resampled_means(values, ones, seed=1, name="x").tolist()
    assert first.tolist() != confidence.resampled_means(values, ones, seed=2, name="x").tolist()
    assert first.tolist() != confidence.resampled_means(values, ones, seed=1, name="y").tolist()


def test_bootstrap_errors_are_those_of_the_mean_and_grow_with_groups() -> None:
    values = np.random.default_rng(0).normal(size=400)
    drawn = confidence.resampled_means(values, np.ones(400), seed=0, name="x", replicates=4000)
    assert drawn.std() == pytest.approx(values.std() / 20, rel=0.05)
    repeated, groups = np.repeat(values, 5), np.repeat(np.arange(400), 5)
    sums, sizes = confidence.grouped_sums(repeated, np.ones(2000), groups)
    grouped = confidence.resampled_means(sums, sizes, seed=0, name="x", replicates=4000)
    assert grouped.std() == pytest.approx(drawn.std())


def test_resampled_lengths_are_distributions_of_whole_groups() -> None:
    lengths, groups = np.array([1, 1, 3, 4]), np.array([0, 0, 7, -1])
    drawn = confidence.resampled_lengths(lengths, groups, seed=0, name="x", replicates=500)
    assert drawn.sum(axis=1) == pytest.approx(np.ones(500))
    assert (drawn[:, 2] == 0).all()
    counts = np.unique(drawn[:, 1].round(9))
    # three draws of groups; the first group has two texts
    assert set(counts) == {0.0, 0.5, 0.8, 1.0}


# --- labels ---------------------------------------------------------------------------------------

FILMS = corpus(
    [f"a {word} film {i}" for i in range(6) for word in ("good", "fine", "bad", "dull")],
    label=[1, 1, 0, 0] * 6,
)


def test_right_labels_are_found_right_and_turned_ones_wrong() -> None:
    made = ["some good movie", "a dull one", "so bad"]
    right, wrong = corpus(made, label=[1, 0, 0]), corpus(made, label=[0, 1, 1])
    judged = fidelity.judge(right, FILMS)
    labels, given_ = fidelity.shared_labels(right, FILMS)
    assert fidelity.agreement(judged.augmented, labels).all()
    assert fidelity.agreement(judged.originals, given_).mean() == 1
    assert not judged.held_out
    turned = fidelity.shared_labels(wrong, FILMS)[0]
    assert not fidelity.agreement(judged.augmented, turned).any()
    assert (fidelity.squared_error(judged.augmented, labels) < 0.5).all()
    assert (fidelity.squared_error(judged.augmented, turned) > 0.5).all()


def test_an_example_is_judged_without_its_parent() -> None:
    # each original has a word of its own, and labels that nothing else explains
    given_ = corpus([f"w{i}" for i in range(20)], label=[i % 2 for i in range(20)])
    made = corpus(given_.column("text"), label=given_.column("label"))
    labels, _ = fidelity.shared_labels(made, given_)
    known = fidelity.judge(made, given_)
    held = fidelity.judge(made, given_, Parents(np.arange(21), np.arange(20)))
    assert fidelity.agreement(known.augmented, labels).all()
    assert held.held_out
    assert held.augmented.tolist() == held.originals.tolist()
    # the word is unknown, so its probability is the model's constant
    assert np.abs(held.augmented - 0.5).max() < 0.05


def test_an_example_is_judged_without_any_of_its_parents() -> None:
    # the label of each new example is that of its second parent, whose word gives it away
    given_ = corpus([f"w{i}" for i in range(40)], label=[i % 2 for i in range(40)])
    pairs = [(i, j) for i in range(40) for j in range(40) if i % 2 != j % 2]
    texts = [f"w{i} w{j} w{j} w{j}" for i, j in pairs]
    made = corpus(texts, label=[j % 2 for _, j in pairs])
    labels, _ = fidelity.shared_labels(made, given_)
    hosts = Parents(np.arange(len(pairs) + 1), np.array([i for i, _ in pairs]))
    known = fidelity.judge(made, given_, hosts)
    assert fidelity.agreement(known.augmented, labels).mean() > 0.7
    both = Parents(2 * np.arange(len(pairs) + 1), np.array(pairs).ravel())
    held = fidelity.judge(made, given_, both)
    assert held.held_out
    assert np.abs(held.augmented - 0.5).max() < 0.05
    # originals are judged by models of as few examples: without two folds, mostly
    assert held.originals.tolist() != known.originals.tolist()


def test_examples_with_parents_in_many_folds_are_not_judged() -> None:
    given_ = corpus([f"w{i}" for i in range(20)], label=[i % 2 for i in range(20)])
    fold = fidelity._folds(np.arange(20) % 2, 0)
    one_each = np.array([int(np.flatnonzero(fold == k)[0]) for k in range(3)])
    made = corpus(["w1 w2 w3", "w1"], label=[0, 1])
    parents = Parents(np.array([0, 3, 4]), np.append(one_each, one_each[0]))
    judged = fidelity.judge(made, given_, parents)
    assert np.isnan(judged.augmented).all(axis=1).tolist() == [True, False]
    report = assess(
        corpus(given_.column("text"), label=given_.column("label")),
        corpus(
            ["w1 w2 w3", "w1"],
            label=[0, 1],
            provenance=[
                {"parents": [str(i) for i in one_each]},
                {"parents": [str(one_each[0])]},
            ],
        ),
    )
    assert report["fidelity"].count == 1 == report["affinity"].count
    alone = Parents(np.array([0, 3]), one_each)
    with pytest.raises(CorpusError, match="more folds than can be held out"):
        fidelity.judge(corpus(["w1 w2 w3"], label=[0]), given_, alone)


def test_soft_labels_are_trained_on_and_judged() -> None:
    rows = FILMS.column("label")
    soft = [[0.1, 0.9] if label else [0.9, 0.1] for label in rows]
    given_ = corpus(FILMS.column("text"), label=np.array(soft, np.float32).tolist())
    made = corpus(["good good", "bad good"], label=[[0.0, 1.0], [0.5, 0.5]])
    judged = fidelity.judge(made, given_)
    labels, _ = fidelity.shared_labels(made, given_)
    assert fidelity.agreement(judged.augmented, labels).all()  # of two equal halves, either is
    assert judged.augmented[0, 1] > 0.6
    assert judged.augmented.sum(axis=1) == pytest.approx([1, 1])


def test_classes_that_only_the_augmented_have_are_wrong() -> None:
    made = corpus(["good"], label=[2])
    judged = fidelity.judge(made, FILMS)
    labels, given_ = fidelity.shared_labels(made, FILMS)
    assert given_.shape[1] == 3
    assert not fidelity.agreement(judged.augmented, labels).any()


def test_diversity_of_the_originals_themselves_is_one() -> None:
    assert fidelity.training_loss_ratio(FILMS, FILMS) == pytest.approx(1, abs=1e-3)
    twice = corpus(FILMS.column("text") * 2, label=FILMS.column("label") * 2)
    assert fidelity.training_loss_ratio(twice, FILMS) == pytest.approx(1, abs=1e-3)
    noisy = corpus(FILMS.column("text") * 2, label=FILMS.column("label") + [1, 0] * 12)
    assert fidelity.training_loss_ratio(noisy, FILMS) > 1.5


def test_folds_are_stratified_and_drawn_from_the_seed() -> None:
    classes = np.array([0] * 10 + [1] * 5)
    fold = fidelity._folds(classes, 0)
    assert np.bincount(fold[:10]).tolist() == [2] * 5
    assert np.bincount(fold[10:]).tolist() == [1] * 5
    assert fold.tolist() == fidelity._folds(classes, 0).tolist()
    assert fold.tolist() != fidelity._folds(classes, 1).tolist()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 0, 0], "there is one class only"),
        ([0, 0, 1], "class 1 has one example, which cannot be held out"),
        ([0, None, 1], "the label is missing"),
    ],
)
def test_labels_that_nothing_can_be_learnt_from(labels: list, message: str) -> None:
    given_ = corpus(["a", "b", "c"], label=labels)
    with pytest.raises(CorpusError, match=message):
        fidelity.judge(corpus(["a"], label=[0]), given_)


def test_texts_without_words_cannot_be_learnt_from() -> None:
    given_ = corpus(["", " ", "", ""], label=[0, 1, 0, 1])
    with pytest.raises(CorpusError, match="the originals have no words"):
        fidelity.judge(given_, given_)
