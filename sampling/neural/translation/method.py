"""Back-translation as a method: paraphrases by way of another language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, LongArray
from grammar.errors import OptionError
from grammar.options import option, read_options
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.neural.grammar import ModelGrammar
from sampling.neural.opening import needs_libraries
from sampling.neural.sampler import BLOCK, DEVICE, TEACHER, ModelSampler, fitting
from sampling.neural.translation.apertium import PREFIX, Apertium
from sampling.stream import Columns, in_rounds

__all__ = ["BackTranslation", "BackTranslationOptions"]


@dataclass(frozen=True, kw_only=True)
class BackTranslationOptions:
    """The options of :meth:`BackTranslation.induce`."""

    model: str = option(
        "",
        "The translator to the other language: a Hugging Face model by folder or name, or "
        "apertium:PAIR, such as apertium:eng-spa. Required.",
    )
    back: str | None = option(
        None,
        "The translator back, given in the same way. For Apertium, the reversed pair by default.",
    )
    temperature: float = option(
        0.8, "Temperature of the draws; 0 uses beam search.", source="Xie et al. 2020", least=0
    )
    beams: int = option(4, "Beams of the beam search.", least=1)
    least: int = option(10, "Fewest characters of a paraphrase.", source="UDA's program", least=0)
    ratio: float = option(
        0.5,
        "Largest change of the length in characters, as a share of the text's.",
        source="UDA's program",
        least=0,
    )
    teacher: Any = TEACHER
    device: str = DEVICE


class BackTranslation(ModelSampler):
    """Translate texts to another language and back.

    References
    ----------
    Rico Sennrich, Barry Haddow, Alexandra Birch. 2016. Improving Neural Machine Translation Models
    with Monolingual Data. Qizhe Xie et al. 2020. Unsupervised Data Augmentation for Consistency
    Training (the temperature and the filter).

    >>> from sampling import augment
    >>> method = "backtranslation(forward=to-german, backward=from-german)"
    >>> made = augment("reviews.csv", method, n=10)  # doctest: +SKIP
    """

    method = "backtranslation"
    Options = BackTranslationOptions

    def __init__(self, grammar: ModelGrammar) -> None:
        super().__init__(grammar)
        drawn = self.options.temperature > 0 and not self.options.model.startswith(PREFIX)
        if not drawn:  # a text has one paraphrase, and a second round would find it again
            self.patience = len(grammar.hosts) + BLOCK

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Any:
        """Find which texts can be translated.

        Parameters
        ----------
        corpus : Corpus
            With ``text``.
        **options
            Fields of :class:`BackTranslationOptions`; ``model`` is needed.

        Raises
        ------
        CorpusError
            If a column is not valid, or no text can be translated.
        OptionError, MissingDataError
            If an option or a translator cannot be used or is not to be had.
        """
        chosen = read_options(BackTranslationOptions, options, cls.method)
        pair = cls.opened_model(chosen)
        given, hosts = fitting(corpus, pair[0].lengths, pair[0].longest, cls.method, 1)
        facts = cls.method, cls.version, asdict(chosen)
        return cls(ModelGrammar(*facts, given, hosts, cls.weights_of(pair), 1, np.zeros(0)))

    @classmethod
    def models_here(cls, options: Mapping[str, Any]) -> list[str]:
        """Return the translators that are models, and no programs."""
        named = [options[name] for name in ("model", "back") if options.get(name)]
        return [name for name in named if not name.startswith(PREFIX)]

    @classmethod
    def opened_model(cls, options: BackTranslationOptions) -> Any:
        """Open both translators."""
        if not options.model:
            raise OptionError(
                "backtranslation needs translators",
                hint="model='apertium:eng-spa', or model and back by folder or name",
            )
        back = _way_back(options)
        return _opened(options.model, options), _opened(back, options)

    @classmethod
    def weights_of(cls, model: Any) -> str:
        """Return what tells the translators from others."""
        return " ".join(one.weights for one in model)

    def count(self) -> int:
        """Return an upper bound of the number of distinct new texts."""
        hosts = len(self.grammar.hosts)
        return hosts << 32 if any(one.is_random for one in self.model) else hosts

    def draw(self, seed: int, numbers: LongArray) -> Columns:
        """Translate texts in turn."""
        key = stream_key(seed, self.method)
        parents = in_rounds(key, numbers, len(self.grammar.hosts))
        # whole blocks are drawn together, so the first number stands for all of one
        at = int(
            np.random.Generator(np.random.Philox(key=[int(key), int(numbers[0])])).integers(2**62)
        )
        there, back = self.model
        made = []
        for side in self.texts:
            texts = [side[row] for row in parents.tolist()]
            made.append(back.translate(there.translate(texts, at), at + 1))
        likely = np.full(len(numbers), -np.log(len(self.grammar.hosts)))
        rules = np.column_stack([np.zeros_like(parents), 1 + parents])
        return np.array(made, object).T, parents[:, None], rules, likely

    def refused(self, drawn: Columns) -> Mapping[str, BoolArray]:
        """Return which rows are empty, too short, or of another length than their texts."""
        o = self.options
        short, other = (np.zeros(len(drawn[0]), np.bool_) for _ in range(2))
        for row, (texts, parent) in enumerate(zip(drawn[1].tolist(), drawn[2][:, 0], strict=True)):
            for text, side in zip(texts, self.texts, strict=True):
                size = len(side[parent])
                short[row] |= len(text) < o.least
                other[row] |= abs(len(text) - size) > o.ratio * size
        return {**super().refused(drawn), "too short": short, "of another length": other}


def _opened(name: str, options: BackTranslationOptions) -> Any:
    if name.startswith(PREFIX):
        return Apertium.checked(name.removeprefix(PREFIX))
    needs_libraries("backtranslation")
    from sampling.neural.translation.models import ModelTranslator

    return ModelTranslator.opened(name, options.device, options.temperature, options.beams)


def _way_back(options: BackTranslationOptions) -> str:
    if options.back is not None:
        return options.back
    if options.model.startswith(PREFIX):
        pair = options.model.removeprefix(PREFIX).split("-")
        return PREFIX + "-".join(reversed(pair))
    raise OptionError(
        "backtranslation needs a model of the inverse direction, too",
        hint="back='FOLDER' or a name on the hub",
    )
