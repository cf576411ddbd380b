"""N-gram models against a twin written from the definitions, NLTK, and published logs of lmplz."""

from collections import Counter
from math import exp, isclose, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.lm import KneserNeyInterpolated
from nltk.lm.preprocessing import padded_everygram_pipeline
from scipy.optimize import minimize_scalar

from grammar.errors import CorpusError, OptionError
from grammar.files import read_text
from induction.language import ngrams
from induction.language.language_model import NGramMixture, UnknownWordsOf, mixture_weights
from induction.language.ngram_counts import BEGIN, FALLBACK, UNKNOWN, discounts_of
from induction.language.ngrams import NGramModel

SENTENCES = st.lists(
    st.lists(st.sampled_from("aaabbcde"), min_size=1, max_size=6).map(" ".join),
    min_size=1,
    max_size=12,
)
BEGINNINGS = st.lists(st.sampled_from("abcdez"), max_size=5)
ORDERS = st.integers(1, 4)
NATURAL = (
    "the cat sat on the mat", "the dog sat on the rug", "a cat saw the dog", "the dog saw a cat",
    "a dog ran to the cat", "the cat ran", "a mat lay on the rug", "the rug lay there",
    "on the mat sat a dog", "there sat the cat",
)  # fmt: skip


class Twin:
    """Modified Kneser-Ney by the definitions: dictionaries, recursion, nothing else."""

    def __init__(self, sentences: list[str], order: int, vocabulary: set[str]) -> None:
        self.order, self.size = order, len(vocabulary) + 2
        occurrences: Counter[tuple[str, ...]] = Counter()
        for sentence in sentences:
            words = [w if w in vocabulary else "<unk>" for w in sentence.split()]
            words = ["<s>", *words, "</s>"]
            for n in range(1, order + 1):
                occurrences.update(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        self.count = {gram: self.kneser_ney(gram, occurrences) for gram in occurrences}
        del self.count["<s>",]
        self.discount = [self.discounts(n) for n in range(1, order + 1)]

    def kneser_ney(self, gram: tuple[str, ...], occurrences: Counter[tuple[str, ...]]) -> int:
        if len(gram) == self.order or gram[0] == "<s>":
            return occurrences[gram]
        return sum(longer[1:] == gram for longer in occurrences if len(longer) == len(gram) + 1)

    def discounts(self, n: int) -> list[float]:
        of = Counter(count for gram, count in self.count.items() if len(gram) == n)
        if not (of[1] and of[2] and of[3]):
            return [0, *FALLBACK]
        y = of[1] / (of[1] + 2 * of[2])
        found = [1 - 2 * y * of[2] / of[1], 2 - 3 * y * of[3] / of[2], 3 - 4 * y * of[4] / of[3]]
        return [0, *(found if min(found) > 0 else FALLBACK)]

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        lower = self.probability(word, context[1:]) if context else 1 / self.size
        after = [c for gram, c in self.count.items() if gram[:-1] == context]
        if not after:
            return lower
        discount = self.discount[len(context)]
        count = self.count.get((*context, word), 0)
        reserve = sum(discount[min(c, 3)] for c in after)
        return (count - discount[min(count, 3)] + reserve * lower) / sum(after)


@given(SENTENCES, ORDERS, BEGINNINGS, st.none() | st.sets(st.sampled_from("abcq")))
def test_every_probability_is_that_of_the_twin(
    sentences: list[str], order: int, beginning: list[str], vocabulary: set[str] | None
) -> None:
    known = sorted(vocabulary) if vocabulary is not None else None
    model = NGramModel.train(sentences, order=order, vocabulary=known)
    words = set(" ".join(sentences).split()) if vocabulary is None else vocabulary
    twin = Twin(sentences, order, words)
    context = ("<s>", *(w if w in words else "<unk>" for w in beginning))
    expected = [0 if w == "<s>" else twin.probability(w, context) for w in model.words]
    np.testing.assert_allclose(
        model.distribution(" ".join(beginning)), expected, rtol=1e-10, atol=1e-15
    )


@given(SENTENCES, ORDERS)
def test_probabilities_after_every_ngram_sum_to_one(sentences: list[str], order: int) -> None:
    model = NGramModel.train(sentences, order=order)
    for node in range(model.trie.levels[-2] if order > 1 else 1):
        probability = model.distribution_after(node)
        assert isclose(probability.sum(), 1, abs_tol=1e-12)
        assert (np.delete(probability, BEGIN) > 0).all()


@given(SENTENCES, ORDERS, st.lists(st.sampled_from("abcdez"), min_size=1, max_size=6))
def test_a_sentence_is_scored_token_by_token(
    sentences: list[str], order: int, words: list[str]
) -> None:
    model = NGramModel.train(sentences, order=order)
    scores = model.score([" ".join(words), "a"])
    for i, word in enumerate([*words, "</s>"]):
        distribution = model.distribution(" ".join(words[:i]))
        number = model.words.index(word if word in model.words else "<unk>")
        assert isclose(scores.log_probability[i], log(distribution[number]), abs_tol=1e-9)
        assert scores.known[i] == (word in model.words)
    assert scores.offsets.tolist() == [0, len(words) + 1, len(words) + 3]
    total = model.log_probability(" ".join(words))
    assert isclose(scores.by_sentence()[0], total, abs_tol=1e-9)


def test_perplexity_by_hand() -> None:
    # order 1 with fallback discounts: a, b and </s> counted 2, 1 and 1 times, 0.5 off each 1
    model = NGramModel.train(["a b a"], order=1)
    backoff = (1.0 + 0.5 + 0.5) / 4
    a, b, end, unknown = (k / 4 + backoff / 4 for k in (1.0, 0.5, 0.5, 0.0))
    assert np.allclose(model.distribution(), [unknown, 0, end, a, b])
    assert isclose(model.perplexity(["a"]), exp(-(log(a) + log(end)) / 2))
    assert isclose(model.perplexity(["b z"]), exp(-(log(b) + log(unknown) + log(end)) / 3))
    assert isclose(model.perplexity(["b z"], unknown=False), exp(-(log(b) + log(end)) / 2))


def test_the_order_of_the_longest_ngram_may_exceed_every_sentence() -> None:
    short, long = (NGramModel.train(["a b", "b"], order=n) for n in (4, 9))
    assert isclose(short.log_probability("a b"), long.log_probability("a b"))


def test_white_space_and_unknown_marks() -> None:
    model = NGramModel.train(["a <unk>  a\t", "<unk> a"], order=2)
    assert model.words == ("<unk>", "<s>", "</s>", "a")
    assert model.log_probability("a zzz") == model.log_probability(" a\u3000<unk>")
    assert not model.score(["<unk>"]).known[0]


def test_discounts_that_the_counts_do_not_give() -> None:
    natural = np.array([1] * 20 + [2] * 8 + [3] * 4 + [4] * 2)
    y = 20 / 36
    assert np.allclose(
        discounts_of(natural), [0, 1 - 2 * y * 8 / 20, 2 - 3 * y * 4 / 8, 3 - 4 * y * 2 / 4]
    )
    # D_2 = 2 - 3 y t_3 / t_2 would be below zero
    assert discounts_of(np.array([1] * 9 + [2] + [3] * 9)).tolist() == [0, *FALLBACK]


def test_nltk_agrees_where_its_definition_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    # of order 2, with one discount for bigrams and none for unigrams
    discounts = iter([np.zeros(4), np.array([0.0, 0.4, 0.4, 0.4])])
    monkeypatch.setattr(ngrams, "discounts_of", lambda counts: next(discounts))
    ours = NGramModel.train(NATURAL, order=2)
    theirs = KneserNeyInterpolated(order=2, discount=0.4)
    theirs.fit(*padded_everygram_pipeline(2, [sentence.split() for sentence in NATURAL]))
    for context in ("the", "a", "cat", "on", "there"):
        probability = ours.distribution(context)
        for word in ("cat", "mat", "sat", "</s>", "rug"):
            expected = theirs.score(word, [context])
            assert isclose(probability[ours.words.index(word)], expected, abs_tol=1e-12)


# the discounts D1, D2 and D3+ of orders 1 to 5 and the perplexities of validation and test that
# are in the logs of KenLM (lmplz) in the repository of Andreas (2020), exp/lm_*/mkn
PUBLISHED = {
    "kin": (
        "0.726278 1.23616 1.61022 0.880988 1.35678 1.38289 0.936773 1.51168 1.58543 "
        "0.967225 1.55557 1.11351 0.930016 1.69143 1.50029",
        258.7819,
        240.5887,
    ),
    "lao": (
        "0.839338 1.15489 1.42624 0.921572 1.25038 1.75637 0.959494 1.28825 1.72696 "
        "0.977164 1.22588 1.97478 0.946203 0.780306 2.70525",
        465.7086,
        315.4921,
    ),
    "na": (
        "0.575269 1.08248 1.54813 0.700404 1.10443 1.57211 0.829124 1.26173 1.78238 "
        "0.915893 1.44096 1.53457 0.945992 1.41728 1.72905",
        46.6346,
        45.3789,
    ),
}


@pytest.mark.parametrize("language", PUBLISHED)
def test_published_models_of_kenlm_are_reproduced(data_folder: Path, language: str) -> None:
    def lines(part: str) -> list[str]:
        text = read_text(data_folder / "lm" / language / f"{part}.txt.gz")
        return text.removesuffix("\n").split("\n")

    discounts, validation, test = PUBLISHED[language]
    model = NGramModel.train(lines("train"))
    np.testing.assert_allclose(
        model.discounts[:, 1:].ravel(), np.array(discounts.split(), float), rtol=5e-6
    )
    assert round(model.perplexity(lines("val")), 4) == validation
    assert isclose(model.perplexity(lines("test")), test, abs_tol=1e-4)


@given(SENTENCES, SENTENCES, st.floats(0, 1), BEGINNINGS)
def test_a_mixture_is_the_weighted_mean(
    one: list[str], other: list[str], weight: float, beginning: list[str]
) -> None:
    first = NGramModel.train(one, order=2)
    second = NGramModel.train(other, order=3, vocabulary=first.words)
    mixed = NGramModel.mixture([first, second], [weight, 1 - weight])
    prefix = " ".join(beginning)
    probability = weight * first.distribution(prefix) + (1 - weight) * second.distribution(prefix)
    assert np.allclose(mixed.distribution(prefix), probability, atol=1e-14)
    assert isclose(mixed.distribution(prefix).sum(), 1, abs_tol=1e-12)
    sentence = " ".join([*beginning, "a"])
    p = [np.exp(m.score([sentence]).log_probability) for m in (first, second)]
    expected = np.log(weight * p[0] + (1 - weight) * p[1]).sum()
    assert isclose(mixed.log_probability(sentence), expected, abs_tol=1e-9)


@settings(max_examples=30)
@given(SENTENCES, SENTENCES, SENTENCES)
def test_weights_are_those_of_the_highest_likelihood(
    one: list[str], other: list[str], held_out: list[str]
) -> None:
    first = NGramModel.train(one, order=2)
    second = NGramModel.train(other, order=1, vocabulary=first.words)
    weights = mixture_weights([first, second], held_out)
    assert isclose(weights.sum(), 1)

    def loss(weight: float) -> float:
        mixture = NGramMixture([first, second], [weight, 1 - weight])
        return -float(mixture.score(held_out).log_probability.mean())

    best = min(loss(0), loss(1), minimize_scalar(loss, bounds=(0, 1), method="bounded").fun)
    assert loss(weights[0]) <= best + 1e-6


@given(SENTENCES, SENTENCES, BEGINNINGS)
def test_unknown_words_of_another_model(
    one: list[str], other: list[str], beginning: list[str]
) -> None:
    lender = NGramModel.train(one, order=3)
    model = NGramModel.train(other, order=2, vocabulary=lender.words)
    tied = UnknownWordsOf(lender, model)
    prefix = " ".join(beginning)
    probability, own = tied.distribution(prefix), model.distribution(prefix)
    assert isclose(probability.sum(), 1, abs_tol=1e-12)
    assert probability[UNKNOWN] == lender.distribution(prefix)[UNKNOWN]
    # among known words nothing changes
    assert np.allclose(probability[1:] / probability[2], own[1:] / own[2])
    scores = tied.score([" ".join([*beginning, "z", "a"])])
    for i, word in enumerate([*beginning, "z", "a"]):
        at = tied.distribution(" ".join([*beginning, "z"][:i]))
        number = tied.words.index(word) if word in tied.words else UNKNOWN
        assert isclose(scores.log_probability[i], log(at[number]), abs_tol=1e-9)
        assert isclose(scores.log_unknown[i], log(at[UNKNOWN]), abs_tol=1e-9)


def test_a_model_that_does_not_help_gets_no_weight() -> None:
    base = NGramModel.train(NATURAL, order=3)
    noise = NGramModel.train(["rug rug rug rug"], order=3, vocabulary=base.words)
    assert mixture_weights([base, noise], NATURAL[:4]).tolist() == [1, 0]
    mixed = NGramModel.mixture([base, noise], [1, 0])
    assert mixed.perplexity(NATURAL) == base.perplexity(NATURAL)


def test_repr_says_what_there_is() -> None:
    one = NGramModel.train(["a"], order=1)
    part = "NGramModel(order 1: 1 words, 1 n-grams)"
    assert repr(NGramModel.mixture([one, one], [0.25, 0.75])) == f"0.25 {part} + 0.75 {part}"


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "there are no sentences\n  hint: give at least one"),
        (["a", " \t"], "sentence 2: the sentence has no words\n  hint: leave it out"),
        (["a", "b </s> c"], "sentence 2: </s> marks an end of a sentence and can be no word"),
        (["<s>"], "sentence 1: <s> marks an end of a sentence and can be no word"),
        ("a b", "one string is not a list of sentences"),
        (["a", 7], "sentence 2: 7 is not a text"),
    ],
)
def test_bad_sentences_get_one_clear_error(sentences: list[str], message: str) -> None:
    model = NGramModel.train(["a b", "b"], order=2)
    for use in (NGramModel.train, model.score, model.perplexity):
        with pytest.raises(CorpusError) as error:
            use(sentences)
        assert str(error.value).startswith(message)
    with pytest.raises(CorpusError) as error:
        mixture_weights([model], sentences)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("order", [0, -1, 2.0, True, "3"])
def test_bad_orders_get_one_clear_error(order: int) -> None:
    with pytest.raises(OptionError, match="order="):
        NGramModel.train(["a"], order=order)


def test_bad_mixtures_get_one_clear_error() -> None:
    one, other = NGramModel.train(["a b"]), NGramModel.train(["a c"])
    with pytest.raises(OptionError, match="different vocabularies"):
        mixture_weights([one, other], ["a"])
    with pytest.raises(OptionError, match="different vocabularies"):
        NGramModel.mixture([one, other], [0.5, 0.5])
    with pytest.raises(OptionError, match="no models"):
        NGramModel.mixture([], [])
    for weights in ([1.0], [0.5, 0.6], [1.5, -0.5], [float("nan"), 1.0]):
        with pytest.raises(OptionError, match="are not 2 numbers with sum 1"):
            NGramModel.mixture([one, one], weights)
