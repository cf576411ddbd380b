"""Language models: what they all answer, how they read sentences, and linear mixtures of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.errors import CorpusError, OptionError
from induction.language.ngram_counts import END, UNKNOWN
from induction.language.ngram_kernels import maximise_weights

__all__ = [
    "MARKS",
    "LanguageModel",
    "NGramMixture",
    "Scores",
    "UnknownWordsOf",
    "encode",
    "mixture_weights",
    "split_sentences",
]

MARKS = ("<unk>", "<s>", "</s>")
"""The words that every vocabulary begins with: any unknown word, and the ends of a sentence."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Natural log-probabilities of the tokens of sentences.

    Attributes
    ----------
    offsets : int64[n + 1]
        Sentence i is tokens ``offsets[i]`` to ``offsets[i + 1] - 1``, the last of them </s>.
    log_probability : float64[]
        Of every token after those before it in its sentence.
    known : bool[]
        Whether the token is in the vocabulary.
    log_unknown : float64[]
        What the log-probability of an unknown word in the place of the token is.
    """

    offsets: LongArray
    log_probability: FloatArray
    known: BoolArray
    log_unknown: FloatArray

    def by_sentence(self) -> FloatArray:
        """Return the log-probability of every sentence, </s> included."""
        return np.asarray(np.add.reduceat(self.log_probability, self.offsets[:-1]))

    def perplexity(self, *, unknown: bool = True) -> float:
        """Return exp of minus the mean log-probability of a token; every </s> is one.

        Parameters
        ----------
        unknown : bool
            Count unknown words too. Perplexities with them are comparable only between models of
            one vocabulary.
        """
        scores = self.log_probability if unknown else self.log_probability[self.known]
        return float(np.exp(-scores.mean()))


class LanguageModel(ABC):
    """A distribution over sentences; sentences are strings of words between white space.

    Attributes
    ----------
    words : tuple of str
        The vocabulary: <unk>, <s>, </s>, then the words.
    """

    words: tuple[str, ...]

    @abstractmethod
    def score(self, sentences: Iterable[str]) -> Scores:
        """Return the log-probability of every token.

        Raises
        ------
        CorpusError
            If there are no sentences, one has no words, or a word is the mark <s> or </s>.
        """

    @abstractmethod
    def distribution(self, beginning: str = "") -> FloatArray:
        """Return the probability of every word of ``words`` after the beginning of a sentence.

        They sum to one; that of <s> is 0, that of </s> is the probability of ending here, and
        that of <unk> stands for each unknown word.
        """

    def log_probability(self, sentence: str) -> float:
        """Return the natural log-probability of a sentence and its end (raises like score)."""
        return float(self.score([sentence]).log_probability.sum())

    def perplexity(self, sentences: Iterable[str], *, unknown: bool = True) -> float:
        """Return the perplexity of sentences (see :meth:`Scores.perplexity`; raises like score)."""
        return self.score(sentences).perplexity(unknown=unknown)


class NGramMixture(LanguageModel):
    """A linear interpolation of models: the weighted mean of their probabilities of every token.

    Parameters
    ----------
    models : sequence of LanguageModel
        Of one vocabulary.
    weights : sequence of float
        One a model, 0 or more, with sum 1; :func:`mixture_weights` finds them.

    Raises
    ------
    OptionError
        If there are no models, their vocabularies differ, or the weights are not such.

    Examples
    --------
    >>> from induction.language.ngrams import NGramModel
    >>> one = NGramModel.train(["a b", "b a"], order=2)
    >>> other = NGramModel.train(["a a"], order=2, vocabulary=one.words)
    >>> mixed = NGramMixture([one, other], [0.5, 0.5])
    >>> round(float(mixed.distribution("a").sum()), 12)
    1.0
    """

    def __init__(self, models: Sequence[LanguageModel], weights: Sequence[float]) -> None:
        _one_vocabulary(models)
        self.models = tuple(models)
        self.words = self.models[0].words
        self.weights: FloatArray = np.array(weights, np.float64)
        if (
            self.weights.shape != (len(models),)
            or not (self.weights >= 0).all()
            or abs(self.weights.sum() - 1) > 1e-9
        ):
            raise OptionError(
                f"the weights {list(weights)} are not {len(models)} numbers with sum 1",
                hint="give one weight a model, 0 or more each",
            )

    def __repr__(self) -> str:
        parts = zip(self.weights.tolist(), self.models, strict=True)
        return " + ".join(f"{weight:.3g} {model!r}" for weight, model in parts)

    def score(self, sentences: Iterable[str]) -> Scores:
        """Return the log-probability of every token (see :meth:`LanguageModel.score`)."""
        sentences = _listed(sentences)
        scores = [model.score(sentences) for model in self.models]
        with np.errstate(divide="ignore"):
            weights = np.log(self.weights)[:, None]
        mixed = np.logaddexp.reduce(np.stack([s.log_probability for s in scores]) + weights)
        unknown = np.logaddexp.reduce(np.stack([s.log_unknown for s in scores]) + weights)
        return Scores(scores[0].offsets, mixed, scores[0].known, unknown)

    def distribution(self, beginning: str = "") -> FloatArray:
        """Return the probability of every word (see :meth:`LanguageModel.distribution`)."""
        parts = np.stack([model.distribution(beginning) for model in self.models])
        return np.asarray(self.weights @ parts)


class UnknownWordsOf(LanguageModel):
    """A model that gives unknown words the probabilities that another model gives them.

    With q of the lender, a known word has ``p(w | h) (1 - q(<unk> | h)) / (1 - p(<unk> | h))``.
    Made sentences hold only known words, so a model that is trained on many of them expects unknown
    ones less than it should; the model of the real sentences can lend it its own expectation.

    Parameters
    ----------
    lender, model : LanguageModel
        Of one vocabulary.

    Raises
    ------
    OptionError
        If their vocabularies differ.

    Examples
    --------
    >>> from induction.language.ngrams import NGramModel
    >>> one = NGramModel.train(["a b", "b a"], order=2)
    >>> other = NGramModel.train(["a a"], order=2, vocabulary=one.words)
    >>> tied = UnknownWordsOf(one, other)
    >>> bool(tied.distribution("a")[0] == one.distribution("a")[0])
    True
    >>> round(float(tied.distribution("a").sum()), 12)
    1.0
    """

    def __init__(self, lender: LanguageModel, model: LanguageModel) -> None:
        _one_vocabulary([lender, model])
        self.lender = lender
        self.model = model
        self.words = model.words

    def __repr__(self) -> str:
        return f"UnknownWordsOf({self.lender!r}, {self.model!r})"

    def score(self, sentences: Iterable[str]) -> Scores:
        """Return the log-probability of every token (see :meth:`LanguageModel.score`)."""
        sentences = _listed(sentences)
        own, lent = self.model.score(sentences), self.lender.score(sentences)
        ratio = np.log1p(-np.exp(lent.log_unknown)) - np.log1p(-np.exp(own.log_unknown))
        scores = np.where(own.known, own.log_probability + ratio, lent.log_unknown)
        return Scores(own.offsets, scores, own.known, lent.log_unknown)

    def distribution(self, beginning: str = "") -> FloatArray:
        """Return the probability of every word (see :meth:`LanguageModel.distribution`)."""
        probability = self.model.distribution(beginning)
        unknown = self.lender.distribution(beginning)[UNKNOWN]
        probability *= (1 - unknown) / (1 - probability[UNKNOWN])
        probability[UNKNOWN] = unknown
        return probability


def mixture_weights(
    models: Sequence[LanguageModel], sentences: Iterable[str], *, tolerance: float = 1e-9
) -> FloatArray:
    """Return the weights of a mixture under which held-out sentences are likeliest.

    Parameters
    ----------
    models : sequence of LanguageModel
        Of one vocabulary.
    sentences : iterable of str
        Text that none of the models was trained on.
    tolerance : float
        How far the mean log-probability of a token may be from its maximum.

    Raises
    ------
    OptionError
        If there are no models, or their vocabularies differ.
    CorpusError
        If there are no sentences, one has no words, or a word is the mark <s> or </s>.

    References
    ----------
    Jelinek & Mercer 1980: the weights by EM on held-out text.

    Examples
    --------
    >>> from induction.language.ngrams import NGramModel
    >>> one = NGramModel.train(["a b", "b a"], order=2)
    >>> other = NGramModel.train(["a a"], order=2, vocabulary=one.words)
    >>> mixture_weights([one, other], ["a b", "a b"]).round(3).tolist()
    [1.0, 0.0]
    """
    _one_vocabulary(models)
    sentences = _listed(sentences)
    logs = np.stack([model.score(sentences).log_probability for model in models])
    # only the ratios between models count
    return np.asarray(maximise_weights(np.exp(logs - logs.max(axis=0)), tolerance))


def _listed(sentences: Iterable[str]) -> list[str]:
    """Return sentences that can be read more than once."""
    if isinstance(sentences, str):
        raise CorpusError("one string is not a list of sentences", hint="put it into a list")
    return list(sentences)


def split_sentences(sentences: Iterable[str]) -> list[list[str]]:
    """Split sentences into words; there is at least one sentence, and each has words."""
    split = []
    for i, sentence in enumerate(_listed(sentences)):
        if not isinstance(sentence, str):
            raise CorpusError(
                f"{sentence!r} is not a text", where=f"sentence {i + 1}", hint="pass strings"
            )
        if not (words := sentence.split()):
            raise CorpusError(
                "the sentence has no words", where=f"sentence {i + 1}", hint="leave it out"
            )
        split.append(words)
    if not split:
        raise CorpusError("there are no sentences", hint="give at least one")
    return split


def encode(split: Sequence[Sequence[str]], words: Sequence[str]) -> tuple[IntArray, LongArray]:
    """Return the numbers of the words of sentences, each with END, and offsets."""
    flat = pa.array(list(chain.from_iterable(split)), pa.string())
    ends = np.cumsum([len(sentence) for sentence in split])
    for mark in MARKS[1:]:
        if (at := pc.index(flat, mark).as_py()) >= 0:
            raise CorpusError(
                f"{mark} marks an end of a sentence and can be no word",
                where=f"sentence {np.searchsorted(ends, at, side='right') + 1}",
                hint="take it out; the ends are put in here",
            )
    found = pc.index_in(flat, value_set=pa.array(words, pa.string()))
    numbers = found.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
    tokens = np.insert(numbers, ends, END).astype(np.int32)
    offsets = np.concatenate(([0], ends + np.arange(1, len(split) + 1)))
    return tokens, offsets


def _one_vocabulary(models: Sequence[LanguageModel]) -> None:
    if not models:
        raise OptionError("there are no models to mix", hint="give at least one")
    for model in models[1:]:
        if model.words != models[0].words:
            raise OptionError(
                "the models have different vocabularies, so their mixture has no sum of one",
                hint="train each with vocabulary=one.words, where one is any of them",
            )
