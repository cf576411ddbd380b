"""Texts that a causal language model writes and a grammar derives, distributed as their product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from grammar.errors import OptionError
from grammar.options import whole_number
from grammar.rng import stream_key
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.examples.provenance import example_table
from sampling.examples.splicing import as_lists
from sampling.neural.decoding.decoder import Decoder
from sampling.neural.decoding.language import TextLanguage
from sampling.neural.decoding.particles import Drawn
from sampling.neural.opening import needs_libraries, open_model
from sampling.stream import ShortfallWarning, warn_of

if TYPE_CHECKING:
    from sampling.neural.causal.model import CausalModel

__all__ = ["ConstrainedText", "ConstrainedTexts", "generate_constrained"]

METHOD, VERSION = "constrained", "2"
"""The version is raised whenever the same seed would give other bytes."""


@dataclass(frozen=True)
class ConstrainedText:
    r"""A sentence of a grammar that a model wrote. Logarithms are natural.

    Attributes
    ----------
    text : str
        The words, with a space between two. Brackets, slashes and asterisks of treebanks are as
        people write them (``-LRB-`` is ``(``), unless that is another word of the grammar.
    index : int
        The number of the example in its stream.
    tokens : tuple of int
        The subword tokens that were drawn, without the one that ended the text.
    log_weight : float
        The importance weight: of the text drawn with one particle, else of the whole run with its
        particles. Its mean over runs is the normaliser, without bias.
    model_log_probability : float
        Of the tokens and the one that ended the text, behind the prompt.
    grammar_log_probability : float
        Of the sentence.

    Examples
    --------
    >>> from grammar import Grammar
    >>> from sampling import generate_constrained
    >>> grammar = Grammar.parse("S -> 'the film was' A [1]\nA -> 'good' [1/2] | 'dull' [1/2]")
    >>> made = generate_constrained(grammar, "smollm2", n=2, seed=0)  # doctest: +SKIP
    >>> made[0].text, made[0].grammar_log_probability  # doctest: +SKIP
    ('the film was good', -0.6931471805599453)
    """

    text: str
    index: int
    tokens: tuple[int, ...]
    log_weight: float
    model_log_probability: float
    grammar_log_probability: float


@dataclass(frozen=True)
class ConstrainedTexts(Sequence[ConstrainedText]):
    r"""What :func:`generate_constrained` returns: a sequence of texts.

    Attributes
    ----------
    results : tuple of ConstrainedText
        The texts, in the order of their numbers.
    seed : int
        Of the stream.
    runs : int
        How many texts were asked for: those that did not end have the weight zero.

    Examples
    --------
    >>> from grammar import Grammar
    >>> from sampling import generate_constrained
    >>> grammar = Grammar.parse("S -> 'the film was' A [1]\nA -> 'good' [1/2] | 'dull' [1/2]")
    >>> made = generate_constrained(grammar, "smollm2", n=2, seed=0)  # doctest: +SKIP
    >>> [one.text for one in made]  # doctest: +SKIP
    ['the film was good', 'the film was good']
    """

    results: tuple[ConstrainedText, ...]
    seed: int
    runs: int

    def __getitem__(self, index: Any) -> Any:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    @property
    def log_normaliser(self) -> float:
        """The estimated logarithm of the sum of model times grammar over all texts."""
        weights = [one.log_weight for one in self.results]
        return float(np.logaddexp.reduce(weights)) - math.log(self.runs)

    def corpus(self) -> Corpus:
        """Return the texts as a corpus, with their weights and log-probabilities as columns."""
        names = ("log_weight", "model_log_probability", "grammar_log_probability")
        numbers = {name: np.array([getattr(one, name) for one in self.results]) for name in names}
        columns = {
            "text": pa.array([one.text for one in self.results], pa.string()),
            **{name: pa.array(values, pa.float64()) for name, values in numbers.items()},
        }
        index = np.array([one.index for one in self.results], np.int64)
        nothing = as_lists(np.zeros(0, np.int64), np.zeros(len(index) + 1, np.int64))
        return Corpus(
            example_table(
                METHOD, VERSION, self.seed, index, columns, rules=nothing,
                log_probability=numbers[names[1]] + numbers[names[2]],
            )
        )  # fmt: skip


def generate_constrained(
    model: str,
    grammar: Weighted,
    prompt: str = "",
    n: int = 10,
    *,
    seed: int = 0,
    particles: int = 16,
    weighted: bool = True,
    max_tokens: int = 64,
    stop: str = "",
    device: str = "auto",
) -> ConstrainedTexts:
    """Let a causal language model continue a prompt with sentences of a grammar.

    The probability of a text is proportional to that of the model times that of the grammar. All
    ways to cut a sentence into subword tokens are possible. Text i is a function of (seed, i)
    alone: a run of sequential Monte Carlo of its own, of whose particles one is drawn by its
    weight. The distribution is exact in the limit of many particles; averages that weight texts by
    ``log_weight`` are exact in the limit of many texts, with any number of particles.

    Parameters
    ----------
    model : str
        A causal language model: a folder, or a name as of ``open_model``.
    grammar : grammar
        One whose next word is known: a PCFG, or one of fragments or heads.
    prompt : str
        What the texts continue. If it does not end in white space, they begin with a space.
    n, seed : int
        The first ``n`` texts of the stream ``seed``.
    particles : int
        Of each run. With one, tokens are drawn by the mask, token by token: fast, and biased
        towards beginnings that the model likes whatever it thinks of their ends.
    weighted : bool
        Whether the grammar's probabilities count; if not, all its sentences have the weight one.
    max_tokens : int
        Texts of more subword tokens have the probability zero.
    stop : str
        What ends a text, besides the model's tokens for that, such as a line end. Its first
        character must be in no word.
    device : str
        ``auto`` takes CUDA where it is there; else as torch writes it.

    Returns
    -------
    ConstrainedTexts
        A sequence of ``n`` texts, or fewer with a warning, if no particle of a run ended.

    Raises
    ------
    OptionError
        If the model's tokenizer cannot spell a word, a word has white space, the prompt is too
        long, no text ended, or an option is out of range.
    MissingDataError, SchemaError
        As ``open_model``; SchemaError also if the next word is not known in such a grammar.

    Warns
    -----
    ShortfallWarning
        If runs had no text that ended within ``max_tokens``.

    Examples
    --------
    >>> texts = generate_constrained("smollm2", grammar, "The weather is")  # doctest: +SKIP
    >>> texts[0].text, texts.log_normaliser  # doctest: +SKIP
    ('very very good', -9.1)
    """
    for name, value, least in (
        ("n", n, 0),
        ("particles", particles, 1),
        ("max_tokens", max_tokens, 1),
    ):
        whole_number(name, value, least)
    if not isinstance(grammar, Weighted):
        raise OptionError(
            f"there is no grammar, but a {type(grammar).__name__}",
            hint="open it: grammar.open_grammar(PATH), or grammar.Grammar.parse(TEXT)",
        )
    key = stream_key(seed, METHOD)
    prefix = grammar.prefix()
    decoder = Decoder.of(
        _opened(model, device), prefix, prompt, stop=stop, weighted=weighted, max_tokens=max_tokens
    )
    results = []
    for index in range(n):
        if (drawn := decoder.draw(key, index, particles)) is not None:
            results.append(_result(drawn, index, decoder.language))
    _check_ended(len(results), n, max_tokens)
    return ConstrainedTexts(tuple(results), seed, n)


def _opened(model: str, device: str) -> CausalModel:
    needs_libraries("constrained decoding")
    from sampling.neural.causal.model import CausalModel

    return CausalModel(*open_model(model, "causal", device=device))


def _result(drawn: Drawn, index: int, language: TextLanguage) -> ConstrainedText:
    return ConstrainedText(
        language.text(drawn.state),
        index,
        drawn.tokens,
        drawn.log_weight,
        drawn.log_model,
        language.log_probability(drawn.state),
    )


def _check_ended(ended: int, n: int, max_tokens: int) -> None:
    """Say that texts did not end; refuse if none of them did."""
    hint = "make max_tokens or particles larger, or the sentences of the grammar shorter"
    if n and not ended:
        raise OptionError(f"no text ended within {max_tokens} subword tokens", hint=hint)
    if ended < n:
        warn_of(
            ShortfallWarning(
                f"{n} were asked for, but {n - ended} did not end within {max_tokens} subword "
                f"tokens: {hint}"
            ),
            stacklevel=3,
        )
