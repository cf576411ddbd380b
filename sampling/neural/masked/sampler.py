"""What the methods with a masked model share: texts in turn, words drawn for places, labels.

One word stands in the place of one, so what is said of the words of a text is kept
(:mod:`sampling.neural.masked.annotations`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, LongArray
from grammar.errors import CorpusError, OptionError
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.text.unspaced import refuse_unspaced
from sampling.neural.grammar import ModelGrammar
from sampling.neural.masked.annotations import OF_WORDS, Annotations
from sampling.neural.masked.edits import Span, drawn, replaced, whole_words, words_of
from sampling.neural.opening import KINDS, digest_of_weights, needs_libraries
from sampling.neural.sampler import ModelSampler, fitting
from sampling.stream import Columns, in_rounds

__all__ = ["MaskedSampler"]

_NONE = np.zeros(0)


class MaskedSampler(ModelSampler):
    """Makes each new text of one text, by words of a masked model.

    A method gives :meth:`edited`, which is asked for one side of the texts at a time.
    """

    carries_spans = True

    @classmethod
    def induced(cls, corpus: Corpus, options: Any) -> Any:
        """Find which texts can be used, and return the sampler."""
        refuse_unspaced(corpus)
        model = cls.opened_model(options)
        given, hosts = fitting(corpus, model.lengths, model.longest - 2, cls.method, 1, OF_WORDS)
        free = _free_words(given)
        wordless = [row for row in hosts.tolist() if not all(side[row] for side in free)]
        hosts = np.setdiff1d(hosts, wordless)
        if not len(hosts):
            raise CorpusError("no text has a word that can be replaced", hint="give other texts")
        facts = cls.method, cls.version, asdict(options)
        return cls(ModelGrammar(*facts, given, hosts, cls.weights_of(model), 1, _NONE))

    @classmethod
    def opened_model(cls, options: Any) -> Any:
        """Open the masked model."""
        if not options.model:
            raise OptionError(
                f"{cls.method} needs a masked language model",
                hint=f"{cls.method}(model='FOLDER') or a name on the hub: {KINDS['masked'][2]}",
            )
        needs_libraries(cls.method)
        from sampling.neural.masked.model import open_masked

        return open_masked(options.model, device=options.device)

    @classmethod
    def weights_of(cls, model: Any) -> str:
        """Return the hash of the model's weights."""
        return digest_of_weights(model.model)

    def count(self) -> int:
        """Return an upper bound of the number of distinct new texts."""
        words = sum(map(bool, self.model.words))
        longest = max(len(words_of(text)) for side in self.texts for text in side)
        return len(self.grammar.hosts) * min(words, 2**16) ** min(longest, 3)

    def draw(self, seed: int, numbers: LongArray) -> Columns:
        """Edit texts in turn."""
        key = stream_key(seed, self.method)
        parents = in_rounds(key, numbers, len(self.grammar.hosts))
        random = [
            np.random.Generator(np.random.Philox(key=[int(key), n])) for n in numbers.tolist()
        ]
        likely = np.full(len(numbers), -np.log(len(self.grammar.hosts)))
        made = []
        hosts = self.grammar.hosts[parents].tolist()
        for side, free in zip(self.sides, self._free, strict=True):
            old = self.grammar.examples.column(side)
            texts, added = self.edited(
                [old[row] for row in hosts], [free[row] for row in hosts], parents, random
            )
            made.append(texts)
            likely += added
        rules = np.column_stack([np.zeros_like(parents), 1 + parents])
        return np.array(made, object).T, parents[:, None], rules, likely

    def edited(
        self,
        texts: list[str],
        free: list[list[int]],
        parents: LongArray,
        random: list[np.random.Generator],
    ) -> tuple[list[str], FloatArray]:
        """Return a new text for each, and the log-probability of what was drawn for it.

        ``free`` are the numbers of its words that may be replaced.
        """
        raise NotImplementedError

    def beside(self, drawn: Columns) -> Mapping[str, pa.Array]:
        """Return what is said of the words of new texts."""
        _, texts, parents, *_ = drawn
        return self._annotations.columns(self.grammar.hosts[parents[:, 0]], texts[:, 0].tolist())

    @cached_property
    def _annotations(self) -> Annotations:
        return Annotations(self.grammar.examples)

    @cached_property
    def _free(self) -> list[list[list[int]]]:
        return _free_words(self.grammar.examples)

    def filled(
        self,
        texts: list[str],
        spans: list[list[Span]],
        seen: list[list[str]],
        before: list[str],
        random: list[np.random.Generator],
        *,
        top: int,
        best: bool = False,
        other: bool = False,
    ) -> tuple[list[str], FloatArray]:
        """Draw words for spans of texts.

        Parameters
        ----------
        spans : list of lists of (begin, end)
            Of each text, in its order.
        seen : list of lists of str
            What the model sees at these places.
        before : list of str
            What it sees before each text.
        top, best : int, bool
            As :func:`~sampling.neural.masked.edits.drawn` has them.
        other : bool
            A word is never drawn for itself.
        """
        shown, places = [], []
        for text, own, words, lead in zip(texts, spans, seen, before, strict=True):
            with_marks, begins = replaced(text, own, words)
            shown.append(lead + with_marks)
            places.append([len(lead) + begin for begin in begins])
        found = self.model.log_probabilities(shown, places)
        vocabulary = self.model.words
        allowed = np.array([bool(word) for word in vocabulary])
        made, added = [], np.zeros(len(texts))
        for row, (text, own) in enumerate(zip(texts, spans, strict=True)):
            words = []
            for (begin, stop), likely in zip(own, found[row], strict=True):
                old = text[begin:stop]
                free = allowed.copy()
                if other:
                    free[[n for n, w in enumerate(vocabulary) if w.lower() == old.lower()]] = False
                piece, chance = drawn(likely, free, top, best, random[row])
                words.append(_like(old, vocabulary[piece]))
                added[row] += chance
            made.append(replaced(text, own, words)[0])
        return made, added


def _like(old: str, new: str) -> str:
    """Return a word with the capital of the one whose place it takes."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _free_words(corpus: Corpus) -> list[list[list[int]]]:
    """Return which words may be replaced, by side and text."""
    known = Annotations(corpus)
    free = [[known.free(row) for row in range(len(corpus))]]
    if "text_pair" in corpus.names:
        free.append([whole_words(text) for text in corpus.column("text_pair")])
    return free
