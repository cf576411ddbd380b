"""Language modelling with augmentation, GECA's third task (Andreas 2020).

A modified Kneser-Ney model of the training sentences is mixed with a second one, of the same
sentences and made ones. Settings of the augmentation and the weight of the mixture are chosen on
validation sentences; test sentences are read once, with what was chosen.

Two controls show what a gain is due to. *Shuffled*: the contexts and the fillers that GECA put
together, each filler in the context of another; as many sentences and the same words, but no
substitution is licensed. *Replicated*: as many training sentences again. *Program* is GECA as the
released program does it, with its own settings.

A model trained on made sentences, which hold no new words, expects unknown words less. So each
method is also tried with *shared* unknown words: the second model takes their probabilities from
the first (:class:`induction.language.language_model.UnknownWordsOf`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from grammar.errors import CorpusError, OptionError
from grammar.files import read_text
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file
from induction.language.language_model import LanguageModel, Scores, UnknownWordsOf, mixture_weights
from induction.language.ngrams import NGramModel
from sampling.examples.patterns import HOLE, filler_words
from sampling.geca.method import GECA
from sampling.geca.novelty import exponential_keys

__all__ = [
    "GRID",
    "LANGUAGES",
    "METHODS",
    "SHARED",
    "Choice",
    "Comparison",
    "Outcome",
    "Setting",
    "Texts",
    "compare",
    "made_sentences",
    "read_language",
    "run",
]

LANGUAGES = {"kin": "Kinyarwanda", "lao": "Lao", "na": "Na", "tok": "Tok Pisin"}
METHODS = ("geca", "shuffled", "replicated", "program")
SHARED = ", shared"
ORDER = 5
_RESAMPLES = 2_000


@dataclass(frozen=True)
class Texts:
    """The sentences of a language, words between white space."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]


@dataclass(frozen=True)
class Setting:
    """How GECA makes sentences; fragments are one n-gram of at most two words, as in the paper.

    Attributes
    ----------
    window : int
        Words on either side of a fragment that make its environment.
    variants : int
        Most fillers drawn for a context.
    """

    window: int
    variants: int


GRID = (Setting(window=2, variants=1), Setting(window=1, variants=8))
"""The settings tried; the first is the published one."""


@dataclass(frozen=True)
class Choice:
    """A second model and its weight, chosen on validation, and what they give on test.

    Attributes
    ----------
    setting : Setting
        With the lowest perplexity on validation.
    made : int
        Sentences made.
    weight : float
        Of the second model; the model of the training sentences has the rest.
    validation, test : float
        Perplexity of the mixture, </s> and unknown words included.
    known : float
        Perplexity of the test without unknown words.
    tried : tuple of float
        Perplexity on validation with each setting of the grid.
    """

    setting: Setting
    made: int
    weight: float
    validation: float
    test: float
    known: float
    tried: tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """Two models on the same sentences.

    Attributes
    ----------
    gain : float
        1 minus the ratio of the perplexities: 0.01 if the first is 1 % lower.
    low, high : float
        95 % bootstrap interval of the gain over sentences.
    p_value : float
        Of the paired t-test of the log-probabilities of sentences, two-sided, which the released
        program reports too; 1 if all differences are the same, so that there is nothing to test.
    """

    gain: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Outcome:
    """What one run found.

    Attributes
    ----------
    validation, test, known : float
        Perplexities of the model of the training sentences alone (see :class:`Choice`).
    choices : dict
        By method, and by method with ``, shared``.
    comparisons : dict
        On the test: each method with no augmentation, and GECA with the two controls.
    """

    language: str
    seed: int
    validation: float
    test: float
    known: float
    choices: dict[str, Choice]
    comparisons: dict[str, Comparison]

    def to_json(self) -> str:
        """Return the outcome as one JSON object."""
        return json.dumps(asdict(self), indent=1) + "\n"


def read_language(name: str) -> Texts:
    """Read the corpus of a language below ``TREEWRIGHT_DATA``.

    Raises
    ------
    OptionError
        If there is no such language.
    MissingDataError
        If the corpus is not there.
    """
    if name not in LANGUAGES:
        raise OptionError(f"unknown language {name!r}", hint=f"choose from {', '.join(LANGUAGES)}")
    parts = (_lines(data_file(f"lm/{name}/{part}.txt.gz")) for part in ("train", "val", "test"))
    return Texts(*parts)


def _lines(path: object) -> tuple[str, ...]:
    # only line feeds end a line here; str.splitlines knows more characters that do
    return tuple(line for line in read_text(str(path)).split("\n") if line.strip())


def made_sentences(
    train: Sequence[str], setting: Setting, *, seed: int = 0
) -> dict[str, list[str]]:
    """Make sentences from training sentences with GECA, and the same number for each control.

    Parameters
    ----------
    train : sequence of str
        Training sentences.
    setting : Setting
        Of GECA; the other options are those of the paper: fragments of one n-gram of at most two
        words that occurs at most 20 times, sentences of less than 100 words.

    Returns
    -------
    dict
        Sentences by method: geca, shuffled, replicated.

    Raises
    ------
    CorpusError
        If there are no sentences, or no new one can be made of them.
    """
    corpus = Corpus.from_columns(text=list(train))
    sampler = GECA.induce(corpus, gaps=1, size=2, max_count=20, max_length=99, **asdict(setting))
    made = sampler.sample(seed=seed)
    order = _permutation(len(train), seed, "replicated sentences")
    return {
        "geca": made.column("text"),
        "shuffled": _shuffled(sampler, made, seed),
        "replicated": [train[i] for i in np.resize(order, len(made)).tolist()],
    }


def _shuffled(sampler: GECA, made: Corpus, seed: int) -> list[str]:
    """Put every filler that was drawn into the context of another one."""
    grammar = sampler.grammar
    rules = made.arrow("provenance").combine_chunks().field("rules").flatten().to_numpy()
    contexts = rules[::2]
    fillers = rules[1::2][_permutation(len(made), seed, "shuffled fillers")]
    words = [" ".join(filler_words(pattern)[0]) for pattern in grammar.fillers]
    first = len(grammar.contexts)
    return [
        _fill(grammar.contexts[c], words[f - first])
        for c, f in zip(contexts.tolist(), fillers.tolist(), strict=True)
    ]


def _fill(pattern: str, words: str) -> str:
    return HOLE.sub(lambda _: words, pattern)


def _program_sentences(train: Sequence[str], seed: int) -> list[str]:
    """Make sentences as the released program does (its script for language models)."""
    sampler = GECA.induce(
        Corpus.from_columns(text=list(train)),
        gaps=1,
        size=2,
        window=2,
        max_count=20,
        max_length=99,
        max_source_length=99,
        variants=1,
        limit=5000,
        faithful="code",
    )
    return sampler.sample(seed=seed).column("text")


def _permutation(n: int, seed: int, name: str) -> NDArray[np.intp]:
    return np.argsort(exponential_keys(stream_key(seed, name), np.ones(n)), kind="stable")


def compare(first: Scores, second: Scores, *, seed: int = 0) -> Comparison:
    """Compare two models that scored the same sentences; a gain means the first is better.

    Raises
    ------
    CorpusError
        If the sentences differ in number or length.
    """
    if not np.array_equal(first.offsets, second.offsets):
        raise CorpusError(
            "the scores are not of the same sentences", hint="score one list with both models"
        )
    differences = first.by_sentence() - second.by_sentence()
    lengths = np.diff(first.offsets)
    n = len(lengths)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)
    gains = 1 - np.exp(-(draws @ differences) / (draws @ lengths))
    low, high = np.quantile(gains, [0.025, 0.975]).tolist()
    gain = float(1 - np.exp(-differences.sum() / lengths.sum()))
    p_value = float(ttest_1samp(differences, 0).pvalue) if np.ptp(differences) > 1e-12 else 1.0
    return Comparison(gain, low, high, p_value)


@dataclass(frozen=True)
class _Tried:
    """A mixture with its weights, before the test is read."""

    setting: Setting
    made: int
    mixture: LanguageModel
    weight: float
    perplexity: float


def run(
    language: str, *, seed: int = 0, texts: Texts | None = None, grid: Sequence[Setting] = GRID
) -> Outcome:
    """Train, choose on validation and test one language.

    Parameters
    ----------
    language : str
        One of :data:`LANGUAGES` (or any name, if texts are given).
    seed : int
        Of the augmentation.
    texts : Texts, optional
        Instead of the corpus of the language.
    grid : sequence of Setting
        The settings to choose from, for each method by itself.

    Raises
    ------
    OptionError
        If there is no such language, or no setting.
    CorpusError
        If a part has no sentences, one has no words, or no new sentence can be made.
    MissingDataError
        If the corpus is not there.
    """
    if not grid:
        raise OptionError("there is no setting to choose from", hint="give at least one")
    texts = read_language(language) if texts is None else texts
    base = NGramModel.train(texts.train, order=ORDER)
    validation = base.perplexity(texts.validation)
    tried: dict[str, list[_Tried]] = {
        method + shared: [] for shared in ("", SHARED) for method in METHODS
    }
    for setting in grid:
        for method, made in made_sentences(texts.train, setting, seed=seed).items():
            _try(tried, method, base, texts, setting, made)
    _try(tried, "program", base, texts, GRID[0], _program_sentences(texts.train, seed))
    test = base.score(texts.test)
    choices: dict[str, Choice] = {}
    scores: dict[str, Scores] = {}
    for method, each in tried.items():
        best = min(each, key=lambda one: one.perplexity)
        scores[method] = best.mixture.score(texts.test)
        choices[method] = _choice(best, scores[method], each)
    return Outcome(
        language=language,
        seed=seed,
        validation=validation,
        test=test.perplexity(),
        known=test.perplexity(unknown=False),
        choices=choices,
        comparisons=_comparisons(scores, test),
    )


def _comparisons(scores: dict[str, Scores], base: Scores) -> dict[str, Comparison]:
    found = {f"{method} over none": compare(each, base) for method, each in scores.items()}
    for shared in ("", SHARED):
        for control in ("shuffled", "replicated"):
            one, other = f"geca{shared}", f"{control}{shared}"
            found[f"{one} over {other}"] = compare(scores[one], scores[other])
    return found


def _try(
    tried: dict[str, list[_Tried]],
    method: str,
    base: NGramModel,
    texts: Texts,
    setting: Setting,
    made: Sequence[str],
) -> None:
    own = NGramModel.train([*texts.train, *made], order=ORDER, vocabulary=base.words)
    for name, second in ((method, own), (method + SHARED, UnknownWordsOf(base, own))):
        weights = mixture_weights([base, second], texts.validation)
        mixture = NGramModel.mixture([base, second], weights.tolist())
        perplexity = mixture.perplexity(texts.validation)
        tried[name].append(_Tried(setting, len(made), mixture, float(weights[1]), perplexity))


def _choice(best: _Tried, scores: Scores, each: Sequence[_Tried]) -> Choice:
    return Choice(
        setting=best.setting,
        made=best.made,
        weight=best.weight,
        validation=best.perplexity,
        test=scores.perplexity(),
        known=scores.perplexity(unknown=False),
        tried=tuple(one.perplexity for one in each),
    )
