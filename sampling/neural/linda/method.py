"""LINDA as a method: new texts between two texts of a corpus, with labels between theirs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import LongArray
from grammar.errors import CorpusError, OptionError
from grammar.options import TINY, option, read_options
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.examples.labels import Labels, mix_labels, read_labels, refuse_lone_classes
from sampling.neural.grammar import ModelGrammar
from sampling.neural.linda.labels import sharpened
from sampling.neural.opening import digest_of_weights, needs_libraries
from sampling.neural.sampler import DEVICE, MODEL, TEACHER, ModelSampler, fitting
from sampling.stream import Columns, in_rounds

__all__ = ["Linda", "LindaOptions"]

STEPS = 100
"""Shares are drawn from so many equal steps between 0 and 1."""


@dataclass(frozen=True, kw_only=True)
class LindaOptions:
    """The options of :meth:`Linda.induce`."""

    model: str = MODEL
    mix: str = option(
        "any",
        "Which texts are mixed: any, only those of the same class, or only those of another class "
        "(cross).",
        choices=("any", "same", "cross"),
    )
    low: float = option(
        0.0, "Least share of the first text.", source="section 3.4", least=0, most=1
    )
    high: float = option(
        1.0, "Largest share of the first text.", source="section 3.4", least=0, most=1
    )
    beams: int = option(4, "Beams of the search.", source="appendix B.1", least=1)
    spread: float = option(
        3.2,
        "Factor of the length converter's sigma half way between the texts, smaller towards the "
        "ends. Above 1, fewer mixes are copies of a parent. 1 is the paper.",
        least=TINY,
    )
    temperature: float = option(
        1.0,
        "Temperature that sharpens mixed labels; 1 changes nothing.",
        source="equation 6",
        least=TINY,
    )
    teacher: Any = TEACHER
    device: str = DEVICE


class Linda(ModelSampler):
    """Texts between two texts, by a trained encoder-decoder.

    The share alpha is that of the first text: at 1 the mix is the first text, and its label too.

    Examples
    --------
    >>> from induction import Corpus
    >>> corpus = Corpus.from_columns(text=["I like tea.", "She sold her car."], label=[1, 0])
    >>> Linda.induce(corpus, model="linda").sample(2)  # doctest: +SKIP
    Corpus(2 examples: id, text, label, provenance)

    References
    ----------
    Yekyung Kim, Seohyeong Jeong, Kyunghyun Cho. 2022. LINDA: Unsupervised Learning to Interpolate
    in Natural Language Processing.
    """

    method = "linda"
    explained_as = "mixed parents"
    Options = LindaOptions

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Linda:
        """Find which texts can be mixed.

        Parameters
        ----------
        corpus : Corpus
            With ``text``; for pairs also ``text_pair``, and perhaps ``label``.
        **options
            Fields of :class:`LindaOptions`; ``model`` is needed.

        Raises
        ------
        CorpusError
            If a column is not valid, or fewer than two texts can be mixed.
        OptionError
            If an option is unknown or cannot be used, or the model is of another architecture.
        MissingDataError
            If the model is not to be had, or a library is missing.
        """
        chosen = read_options(LindaOptions, options, cls.method)
        if chosen.low > chosen.high:
            raise OptionError("low is above high", hint="for example low=0.3, high=0.7")
        model = cls.opened_model(chosen)
        given, hosts = fitting(
            corpus,
            lambda texts: [len(row) for row in model.pieces(texts)],
            model.longest, "linda", 2,
        )  # fmt: skip
        steps = np.arange(STEPS + 1) / STEPS
        shares = steps[(steps >= chosen.low) & (steps <= chosen.high)]
        if not len(shares):
            shares = np.array([chosen.low])
        weights = cls.weights_of(model)
        facts = cls.method, cls.version, asdict(chosen)
        made = cls(ModelGrammar(*facts, given, hosts, weights, 2, shares))
        made._check_classes()
        return made

    @classmethod
    def opened_model(cls, options: LindaOptions) -> Any:
        """Open the interpolation model."""
        if options.model:
            needs_libraries(cls.method)
            from sampling.neural.linda.folder import open_interpolator

            return open_interpolator(options.model, device=options.device)
        raise OptionError(
            "linda needs a trained model",
            hint="train one: treewright linda train TEXTS --model small -o FOLDER; then "
            "linda(model=FOLDER)",
        )

    @classmethod
    def weights_of(cls, model: Any) -> str:
        """Return the hash of a model's weights."""
        return digest_of_weights(model)

    def count(self) -> int:
        """Return an upper bound of the number of distinct new texts: a pair and a share each."""
        return len(self.grammar.hosts) * (len(self.grammar.hosts) - 1) * len(self.grammar.shares)

    def draw(self, seed: int, numbers: LongArray) -> Columns:
        """Mix texts: the first in turn, the second and the share by chance."""
        grammar = self.grammar
        size = len(grammar.hosts)
        key = stream_key(seed, self.method)
        first = in_rounds(key, numbers, size)
        parents = np.empty((len(numbers), 2), np.int64)
        places = np.empty(len(numbers), np.int64)
        likely = np.empty(len(numbers))
        for row, number in enumerate(numbers.tolist()):
            random = np.random.Generator(np.random.Philox(key=[int(key), number]))
            others = self._others(int(first[row]))
            parents[row] = first[row], others[random.integers(len(others))]
            places[row] = random.integers(len(grammar.shares))
            likely[row] = -np.log(size) - np.log(len(others)) - np.log(len(grammar.shares))
        alpha = grammar.shares[places].tolist()
        made = [
            self.model.interpolate(
                *([side[row] for row in parents[:, k].tolist()] for k in (0, 1)), alpha,
                beams=self.options.beams, spread=self.options.spread,
            )
            for side in self.texts
        ]  # fmt: skip
        texts = np.array(made, object).T
        rules = np.column_stack([np.zeros_like(places), 1 + parents, 1 + size + places])
        return texts, parents, rules, likely

    def labels(self, drawn: Columns) -> pa.Array:
        """Return labels between those of the parents, in the same shares, and sharpened."""
        _, _, parents, rules, *_ = drawn
        labels = self._labels
        assert labels is not None
        share = self.grammar.shares[rules[:, -1] - 1 - len(self.grammar.hosts)]
        first, second = (self.grammar.hosts[parents[:, k]] for k in (0, 1))
        mixed = mix_labels(labels, first, second, share)
        return (
            mixed if self.options.temperature == 1 else sharpened(mixed, self.options.temperature)
        )

    @cached_property
    def _labels(self) -> Labels | None:
        held = self.grammar.examples
        return read_labels(held) if "label" in held.names else None

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """A number a host, equal for those of one class."""
        if self.options.mix == "any":
            return np.zeros(len(self.grammar.hosts), np.int64)
        self.grammar.examples.arrow("label")  # which says that there are none
        labels = self._labels
        assert labels is not None
        return np.asarray(labels.keys()[self.grammar.hosts])

    def _check_classes(self) -> None:
        """Say what is wrong with labels that are to be compared, before anything is drawn."""
        if self.options.mix == "same":
            refuse_lone_classes(self._keys)
        elif self.options.mix == "cross" and len(np.unique(self._keys)) == 1:
            raise CorpusError("all examples are of one class", hint="use mix='any'")

    def _others(self, host: int) -> NDArray[np.int64]:
        same = self._keys == self._keys[host]
        wanted = ~same if self.options.mix == "cross" else same
        wanted[host] = False
        return np.flatnonzero(wanted)
