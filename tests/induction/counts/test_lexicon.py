"""Lexicons: proper, and kind to words hardly or never seen."""

import numpy as np
import pytest
import scipy.sparse as sp

from induction.counts.lexicon import Lexicon

WORDS = ("Rex", "cat", "dog", "film", "running", "the", "walking")
TAGS = ("DT", "NN", "NNP", "VBG")
COUNTS = np.array(
    [
        [0, 0, 2, 0],
        [0, 3, 0, 0],
        [0, 1, 0, 0],
        [0, 12, 0, 1],
        [0, 0, 0, 1],
        [50, 0, 0, 0],
        [0, 1, 0, 1],
    ],
    float,
)
NEW = ["zzz", "Zzz", "zzzing", "1,000"]
"""Unseen words: of the three classes of the words, and one of no class that was seen."""


def lexicon(**options) -> Lexicon:
    return Lexicon(WORDS, sp.csr_array(COUNTS), **options)


@pytest.mark.parametrize("options", [{}, {"weight": 5.0}, {"unseen": 0.5, "open_below": 0}])
def test_every_tag_gives_all_words_and_classes_one_together(options):
    made = lexicon(**options)
    # not as the first word, which may be taken for another one
    emission = made.emission(["the", *WORDS, *NEW])[1:]
    assert np.allclose(emission.sum(axis=0), 1.0)
    assert (emission >= 0).all()


def test_every_state_of_a_tag_gives_all_words_one_together():
    random = np.random.default_rng(0)
    split = np.repeat(COUNTS, 2, axis=1)
    split[:, ::2] *= random.random(split[:, ::2].shape)
    made = lexicon().with_counts(sp.csr_array(split))
    assert np.allclose(made.emission(["the", *WORDS, *NEW])[1:].sum(axis=0), 1.0)


def test_probabilities_of_stored_counts_are_those_of_the_words():
    made = lexicon()
    word, tag = made.counts.nonzero()
    assert np.allclose(made.seen(), made.emission(["the", *WORDS])[1:][word, tag])


def test_frequent_words_keep_to_their_tags_and_rare_ones_may_have_those_of_their_class():
    emission = lexicon().emission(["the", "the", "film", "walking", "running"])
    assert (emission[1] > 0).tolist() == [True, False, False, False]
    assert emission[2, TAGS.index("NNP")] == 0.0
    assert emission[4, TAGS.index("NN")] > 0.0  # as "walking" was once


def test_unseen_words_go_by_their_shape():
    emission = lexicon().emission(["the", "diving", "Zoe"])
    posterior = emission / emission.sum(axis=1, keepdims=True)
    assert posterior[1].argmax() == TAGS.index("VBG")
    assert posterior[2].argmax() == TAGS.index("NNP")


def test_the_first_word_is_known_without_its_capital():
    made = lexicon()
    first, later = made.emission(["Cat", "Cat"])
    assert np.array_equal(first, made.emission(["x", "cat"])[1])
    assert not np.array_equal(first, later)
    assert np.array_equal(made.emission(["Rex"])[0], made.emission(["x", "Rex"])[1])
