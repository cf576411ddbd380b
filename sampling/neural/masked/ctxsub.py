"""Contextual substitution: words replaced by those that a masked model expects there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels
from sampling.neural.masked.edits import chosen_words, numbered, words_of
from sampling.neural.masked.sampler import MaskedSampler
from sampling.neural.sampler import DEVICE, MODEL, TEACHER

__all__ = ["CtxSub", "CtxSubOptions"]


@dataclass(frozen=True, kw_only=True)
class CtxSubOptions:
    """The options of :meth:`CtxSub.induce`."""

    model: str = MODEL
    share: float = option(
        0.15, "Share of the words replaced, at least one word.", source="Wu et al. 2019",
        least=0, most=1,
    )  # fmt: skip
    draw: str = option(
        "sample",
        "Draw words by their probability (sample), or take the most probable other one (best).",
        source="Kobayashi 2018; Shi et al. 2021 take the best",
        choices=("sample", "best"),
    )
    top: int = option(0, "Number of most probable words to draw from; 0 for all.", least=0)
    label: bool = option(
        False,
        "The model sees the name of the text's class before the text.",
        source="Kumar et al. 2020",
    )
    teacher: Any = TEACHER
    device: str = DEVICE


class CtxSub(MaskedSampler):
    """Replace words by what a masked language model expects in their place.

    Every word is drawn given the text with all chosen words masked. A word is never replaced by
    itself, and labels are those of the texts.

    References
    ----------
    Sosuke Kobayashi. 2018. Contextual Augmentation. Xing Wu et al. 2019. Conditional BERT
    Contextual Augmentation. Varun Kumar et al. 2020. Data Augmentation using Pre-trained
    Transformer Models (the name of the class before the text).

    >>> from induction import read_reviews
    >>> sampler = CtxSub.induce(read_reviews(), model="bert-base-uncased")  # doctest: +SKIP
    >>> made = sampler.sample(10, seed=0)  # doctest: +SKIP
    """

    method = "ctxsub"
    explained_as = "words"
    Options = CtxSubOptions

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Any:
        """Find which texts can be edited.

        Parameters
        ----------
        corpus : Corpus
            With ``text``, and with ``label`` if it is to be seen.
        **options
            Fields of :class:`CtxSubOptions`; ``model`` is needed.

        Raises
        ------
        CorpusError
            If a column is missing or not valid, or no text can be edited.
        OptionError, MissingDataError
            If an option or the model cannot be used, or a library is missing.
        """
        chosen = read_options(CtxSubOptions, options, cls.method)
        if chosen.label:
            corpus.arrow("label")
        return cls.induced(corpus, chosen)

    def edited(
        self,
        texts: list[str],
        free: list[list[int]],
        parents: LongArray,
        random: list[np.random.Generator],
    ) -> tuple[list[str], FloatArray]:
        """Replace chosen words."""
        spans = [numbered(words_of(text), own) for text, own in zip(texts, free, strict=True)]
        chosen = [
            [words[k] for k in chosen_words(words, self.options.share, draw)]
            for words, draw in zip(spans, random, strict=True)
        ]
        mark = self.model.tokenizer.mask_token
        seen = [[mark] * len(own) for own in chosen]
        before = [f"{name} : " if name else "" for name in self._names(parents)]
        best = self.options.draw == "best"
        return self.filled(
            texts, chosen, seen, before, random, top=self.options.top, best=best, other=True
        )

    def _names(self, parents: LongArray) -> list[str]:
        if not self.options.label:
            return [""] * len(parents)
        labels = read_labels(self.grammar.examples).distributions(self.grammar.hosts[parents])
        names = self.class_names()
        return [names[k] for k in labels.argmax(1).tolist()]
