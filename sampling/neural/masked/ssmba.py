"""SSMBA: walks about a text that corrupt it and let a masked model reconstruct it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from sampling.neural.masked.edits import Span, chosen_words, numbered, words_of
from sampling.neural.masked.sampler import MaskedSampler
from sampling.neural.sampler import DEVICE, MODEL, TEACHER

__all__ = ["SSMBA", "SSMBAOptions"]


@dataclass(frozen=True, kw_only=True)
class SSMBAOptions:
    """The options of :meth:`SSMBA.induce`."""

    model: str = MODEL
    share: float = option(
        0.15, "Share of the words corrupted, rounded at random, at least one word.",
        source="section 4", least=0, most=1,
    )  # fmt: skip
    masked: float = option(
        0.8,
        "Share of the corrupted words that is masked. Half of the rest become random words.",
        source="section 3, after BERT",
        least=0,
        most=1,
    )
    steps: int = option(
        1, "Steps of the walk. Each corrupts the result of the one before.", least=1
    )
    top: int = option(
        0, "Number of most probable words to draw from; 0 for all.", source="section 4", least=0
    )
    teacher: Any = TEACHER
    device: str = DEVICE


class SSMBA(MaskedSampler):
    """Corrupt words of a text, and reconstruct them by a masked language model.

    Labels are those of the texts, or a teacher's. Words are corrupted as wholes, where the
    published program takes pieces, so that what is not touched stays as it is written.

    References
    ----------
    Nathan Ng, Kyunghyun Cho, Marzyeh Ghassemi. 2020. SSMBA: Self-Supervised Manifold Based Data
    Augmentation for Improving Out-of-Domain Robustness. EMNLP.

    >>> from induction import read_reviews
    >>> sampler = SSMBA.induce(read_reviews(), model="bert-base-uncased")  # doctest: +SKIP
    >>> made = sampler.sample(10, seed=0)  # doctest: +SKIP
    """

    method = "ssmba"
    explained_as = "words"
    Options = SSMBAOptions

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Any:
        """Find which texts can be corrupted.

        Parameters
        ----------
        corpus : Corpus
            With ``text``.
        **options
            Fields of :class:`SSMBAOptions`; ``model`` is needed.

        Raises
        ------
        CorpusError
            If a column is missing or not valid, or no text can be edited.
        OptionError, MissingDataError
            If an option or the model cannot be used, or a library is missing.
        """
        return cls.induced(corpus, read_options(SSMBAOptions, options, cls.method))

    def edited(
        self,
        texts: list[str],
        free: list[list[int]],
        parents: LongArray,
        random: list[np.random.Generator],
    ) -> tuple[list[str], FloatArray]:
        """Walk from each text."""
        likely = np.zeros(len(texts))
        for _ in range(self.options.steps):
            spans: list[list[Span]] = []
            seen: list[list[str]] = []
            for text, numbers, draw in zip(texts, free, random, strict=True):
                words = numbered(words_of(text), numbers)
                own = [words[k] for k in chosen_words(words, self.options.share, draw)]
                spans.append(own)
                seen.append([self._corrupted(text[slice(*span)], draw) for span in own])
            before = [""] * len(texts)
            texts, added = self.filled(texts, spans, seen, before, random, top=self.options.top)
            likely += added
        return texts, likely

    def _corrupted(self, word: str, draw: np.random.Generator) -> str:
        """Return the mark for a masked word, a random word, or the word itself."""
        chance = draw.random()
        if chance < self.options.masked:
            return str(self.model.tokenizer.mask_token)
        if chance < (1 + self.options.masked) / 2:
            usable = [known for known in self.model.words if known]
            return usable[draw.integers(len(usable))]
        return word
