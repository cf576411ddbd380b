"""A model, a prompt and a grammar made ready: what all texts have in common is computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grammar.errors import OptionError
from grammar.prefix.state import Prefix
from grammar.rng import uniforms_of
from grammar.trees.surfaces import surface_of
from sampling.neural.decoding.language import TextLanguage
from sampling.neural.decoding.particles import Drawn, draw_text
from sampling.neural.decoding.vocabulary import Vocabulary, begins_with_space, token_bytes
from sampling.neural.decoding.words import TokenTrie, WordTrie

if TYPE_CHECKING:
    from sampling.neural.causal.model import CausalModel
    from sampling.neural.causal.prefixes import ReadPrefixes

__all__ = ["Decoder"]


class Decoder(NamedTuple):
    """Draws texts one by one.

    Attributes
    ----------
    begun : ReadPrefixes
        The prompt, which the model has read.
    language : TextLanguage
        The texts of the grammar, in tokens of the model.
    max_tokens : int
        The most subword tokens of a text.
    """

    begun: ReadPrefixes
    language: TextLanguage
    max_tokens: int

    @classmethod
    def of(
        cls,
        causal: CausalModel,
        prefix: Prefix,
        prompt: str,
        *,
        stop: str = "",
        weighted: bool = True,
        max_tokens: int = 64,
    ) -> Decoder:
        """Prepare a model for the sentences that begin with a prefix without words.

        Raises
        ------
        OptionError
            As :func:`~sampling.neural.decoding.constrained.generate_constrained`.
        """
        language = _language(causal, prefix, prompt, stop, weighted=weighted)
        begun = causal.begin(1, _prompt_tokens(causal, prompt, max_tokens))
        return cls(begun, language, max_tokens)

    def draw(self, key: np.uint64, index: int, particles: int) -> Drawn | None:
        """Draw the text of a stream with this number; None if no particle ended."""
        # a row for each token, for the end, and for the choice of a particle
        steps, numbers = self.max_tokens + 2, particles + 1
        uniforms = uniforms_of(key, index, steps * numbers).reshape(steps, numbers)
        return draw_text(self.begun, self.language, uniforms)


def _language(
    causal: CausalModel, prefix: Prefix, prompt: str, stop: str, *, weighted: bool
) -> TextLanguage:
    """Return the texts of a grammar as a model writes them behind a prompt."""
    words = _as_texts(prefix.next_words().words)
    trie = WordTrie(words)
    if stop and (stop[0] == " " or any(stop[0] in word for word in words)):
        raise OptionError(
            f"stop={stop!r} begins with a character of texts",
            hint="begin it with a character that is in no word, as a line end",
        )
    if not causal.ends and not stop:
        raise OptionError(
            "the model has no token that ends a text", hint="say what ends it, as stop='\\n'"
        )
    strings = token_bytes(causal.tokenizer, int(causal.model.config.vocab_size))
    vocabulary = Vocabulary.of(strings, causal.ends)
    _check_words(words, vocabulary)
    space = not prompt[-1].isspace() if prompt else begins_with_space(causal.tokenizer, strings)
    tries = TokenTrie(trie, vocabulary, b" " if space else b"", stop.encode())
    return TextLanguage(prefix, tries, words, weighted=weighted)


def _as_texts(words: Sequence[str]) -> list[str]:
    """Return words as texts have them; those that would be equal to others stay as they are."""
    forms = [surface_of(word) for word in words]
    times = Counter(forms)
    return [form if times[form] == 1 else word for word, form in zip(words, forms, strict=True)]


def _check_words(words: Sequence[str], vocabulary: Vocabulary) -> None:
    """Refuse words that are no tokens one after the other, alone or behind a space."""
    single = {string for string in vocabulary.strings if len(string) == 1}
    for word in words:
        text = word.encode()
        if not single.issuperset(bytes([byte]) for byte in text) and not (
            vocabulary.spells(text) or vocabulary.spells(b" " + text)
        ):
            raise OptionError(
                f"the tokenizer of the model cannot spell the word {word!r} of the grammar",
                hint="leave the word out, or name a model with a token for each byte, as smollm2",
            )


def _prompt_tokens(causal: CausalModel, prompt: str, max_tokens: int) -> list[int]:
    tokens = causal.pieces([prompt])[0] if prompt else []
    if len(tokens) + max_tokens + 1 > causal.longest:
        raise OptionError(
            f"the prompt has {len(tokens)} subword tokens, and the texts up to {max_tokens}: "
            f"the model reads {causal.longest} together",
            hint="make the prompt shorter, or max_tokens smaller",
        )
    return tokens
