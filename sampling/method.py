"""The methods of augmentation by name.

A method is a :class:`~sampling.stream.Sampler` whose options are the fields of a dataclass
(:mod:`grammar.options`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from grammar.errors import OptionError, SchemaError
from grammar.foreign_names.attributes import Hints, attribute_hint
from grammar.options import Option, gathers, named, options_of, refuse_unknown
from grammar.saving.facts import SCALAR, TEXT, Fields
from induction.corpus.corpus import Corpus
from sampling.stream import Sampler

__all__ = [
    "METHODS",
    "Method",
    "check_saved",
    "find_method",
    "induce",
]


@dataclass(frozen=True)
class Method:
    """A method of augmentation by name; its class is imported when it is asked for.

    Attributes
    ----------
    name, title : str
        Of the method.
    module, qualname : str
        Where its class is.
    family : str
        Of its grammar, as :data:`grammar.opening.FAMILIES` has it, if options ask for no other.
    """

    name: str
    title: str
    module: str
    qualname: str
    family: str

    reads = "examples"

    @property
    def suffixes(self) -> tuple[str, ...]:
        """What the names of files with its grammar end with."""
        # families are named by what their files say: a schema in Arrow, a family in JSON
        return (".arrow",) if "/" in self.family else (".json", ".json.gz")

    @property
    def sampler(self) -> Any:
        """The class with ``induce``."""
        return getattr(importlib.import_module(self.module), self.qualname)

    @property
    def function(self) -> Any:
        """What induces a sampler."""
        return self.sampler.induce

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of ``induce``, in the order of their declaration."""
        return options_of(self.sampler.Options)

    @property
    def needs_model(self) -> bool:
        """Whether it makes nothing without a model that the caller names."""
        return self.family == _MODELS

    @property
    def gathers(self) -> bool:
        """Whether options of any name can be given: those that it does not declare are classes."""
        return gathers(self.sampler.Options) is not None

    def check_names(self, given: Iterable[str]) -> None:
        """Refuse names of options that the method does not take (OptionError)."""
        if not self.gathers:
            refuse_unknown(given, (o.name for o in self.options), self.name)

    def induce(self, corpus: Corpus, **options: Any) -> Sampler:
        """Induce the sampler of the method (raises like ``induce`` of its class)."""
        self.check_names(options)
        sampler: Sampler = self.sampler.induce(corpus, **options)
        return sampler


_SPANS, _WORDS = "treewright.spans/1", "treewright.words/1"
_MODELS = "treewright.models/1"

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        name: Method(name, title, module, qualname, family)
        for name, title, module, qualname, family in (
            ("sub2", "substructure substitution (Shi et al. 2021)", "sampling.spans.sub2", "Sub2",
             _SPANS),
            ("treemix", "constituents exchanged, labels mixed (Zhang et al. 2022)",
             "sampling.spans.treemix", "TreeMix", _SPANS),
            ("randmix", "random spans exchanged, labels mixed (Zhang et al. 2022)",
             "sampling.spans.randmix", "RandMix", _SPANS),
            ("geca", "good-enough compositional augmentation (Andreas 2020)",
             "sampling.geca.method", "GECA", "substitution"),
            ("geca-stream", "geca for corpora of millions (Andreas 2020)",
             "sampling.geca.stream", "GECAStream", "treewright.walks/1"),
            ("grammar", "sentences of the grammar of a treebank",
             "sampling.sentences.method", "GrammarSampler", "pcfg"),
            ("names", "sentences of templates and the names of classes",
             "sampling.names.method", "Names", "pcfg"),
            ("alp", "lexicalised frames exchanged and refilled (Kim et al. 2022)",
             "sampling.alp.method", "ALP", "treewright.alp/1"),
            ("eda", "easy data augmentation (Wei & Zou 2019)", "sampling.words.eda", "EDA", _WORDS),
            ("aeda", "punctuation inserted (Karimi et al. 2021)",
             "sampling.words.aeda", "AEDA", _WORDS),
            ("random-word", "random words replaced by random words",
             "sampling.words.noise", "RandomWord", _WORDS),
            ("switchout", "a random number of words replaced (Wang et al. 2018)",
             "sampling.words.switchout", "SwitchOut", _WORDS),
            ("worddrop", "words dropped (Sennrich et al. 2016)",
             "sampling.words.drop", "WordDrop", _WORDS),
            ("shuffle", "words, constituents or dependents in another order",
             "sampling.words.shuffle", "Shuffle", _WORDS),
            ("mention-replacement", "labelled spans replaced by others (Dai & Adel 2020)",
             "sampling.words.mentions", "MentionReplacement", _WORDS),
            ("label-wise", "words replaced by words of their label (Dai & Adel 2020)",
             "sampling.words.label_wise", "LabelWise", _WORDS),
            ("linda", "texts between two texts, by a model (Kim et al. 2022)",
             "sampling.neural.linda.method", "Linda", _MODELS),
            ("ctxsub", "words replaced by those that a model expects (Kobayashi 2018)",
             "sampling.neural.masked.ctxsub", "CtxSub", _MODELS),
            ("ssmba", "texts corrupted and reconstructed by a model (Ng et al. 2020)",
             "sampling.neural.masked.ssmba", "SSMBA", _MODELS),
            ("backtranslation", "texts translated and back (Sennrich et al. 2016)",
             "sampling.neural.translation.method", "BackTranslation", _MODELS),
            ("prompted", "texts that a language model writes, shown examples (Yoo et al. 2021)",
             "sampling.neural.prompted.method", "Prompted", _MODELS),
            ("fluent", "another method, tilted to what fits its place (fluent(treemix))",
             "sampling.operators.method", "Fluent", "treewright.tilted/3"),
            ("agree", "another method, its labels confirmed by a classifier (agree(treemix))",
             "sampling.operators.method", "Agree", "treewright.tilted/3"),
        )
    }
)  # fmt: skip
"""Every method by its name."""


_OF_OTHERS: Hints = {
    "eda(alpha_ri=0, alpha_rs=0, alpha_rd=0) replaces words by synonyms": (
        *("synonym", "synonyms", "wordnet", "synonym_replacement", "synonymaug", "sr", "embedding"),
    ),
    "eda(alpha_sr=0, alpha_rs=0, alpha_rd=0) inserts synonyms, and aeda punctuation": (
        *("insert", "insertion", "random_insertion", "ri"),
    ),
    "eda(alpha_sr=0, alpha_ri=0, alpha_rd=0) swaps words": (
        *("swap", "random_swap", "rs", "word_swap"),
    ),
    "worddrop drops words": ("delete", "deletion", "random_deletion", "rd", "dropout", "drop"),
    "backtranslation(model=FOLDER) translates and back": (
        *("back_translation", "back-translation", "bt", "paraphrase", "translation"),
    ),
    "ctxsub(model=FOLDER) replaces words by those that a masked model expects": (
        *("contextual", "bert", "mlm", "contextual_word_embs", "masked"),
    ),
    "random-word replaces words, and no method changes letters": (
        *("typo", "typos", "keyboard", "ocr", "spelling", "char", "character", "random"),
    ),
    "treemix mixes labels of the texts whose parts it exchanges": ("mixup", "cutmix", "mixtext"),
}
"""What nlpaug, TextAttack, EDA and others do, and what does it here."""


def find_method(name: str) -> Method:
    """Return a method by its name.

    Raises
    ------
    OptionError
        If there is none; the hint names the nearest.

    Examples
    --------
    >>> find_method("treemix").title
    'constituents exchanged, labels mixed (Zhang et al. 2022)'
    """
    if name not in METHODS and (hint := attribute_hint(name.lower(), _OF_OTHERS)) is not None:
        raise OptionError(f"unknown method {name!r}", hint=hint)
    return named(name, METHODS)


def check_saved(grammar: Any) -> None:
    """Refuse the method and the options of a grammar from a file, unless they are as declared.

    Options that the method does not have may be of another version: such a grammar can be looked
    at, and its sampler refuses them.

    Parameters
    ----------
    grammar : Weighted
        With ``method``, and mostly with ``options``.

    Raises
    ------
    SchemaError
        If there is no such method of the family, or an option has a value that cannot be used.
    """
    method, options = grammar.method, dict(getattr(grammar, "options", {}))
    known = METHODS.get(method)
    family = getattr(grammar.codec, "schema", grammar.family)
    # what a class says of itself is true, and a file may say anything
    own = "method" in vars(type(grammar))
    if not own and (known is None or known.family != family):
        raise SchemaError(
            f"{method[:80]!r} is no method whose grammars are of this family", where="method"
        )
    declared = {o.name: o for o in known.options} if known else {}
    kinds = {n: Fields({}, others=TEXT) for n, o in declared.items() if "Mapping" in o.kind}
    Fields({}, kinds, others=SCALAR)("options", options)
    for name, value in options.items():
        if name in declared and name not in kinds:
            try:
                declared[name].kept(value)
            except OptionError as error:
                raise SchemaError(error.what, where=f"options.{name}", hint=error.hint) from None


def induce(name: str, corpus: Corpus, **options: Any) -> Sampler:
    """Induce the sampler of a method by its name (raises like the method's ``induce``).

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["walk", "jump", "walk twice"])
    >>> induce("geca", corpus, gaps=1).sample(1).column("text")
    ['jump twice']
    """
    return find_method(name).induce(corpus, **options)
