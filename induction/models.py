"""The models by name: what each is induced from, by what, and how it is saved."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from grammar.opening import family_of
from grammar.options import Option, named, options_of
from induction.trees.normalise import SKELETON_STEPS

__all__ = ["MODELS", "Model", "find_model"]


@dataclass(frozen=True)
class Model:
    """A model by name; the function that induces it is imported when it is asked for.

    Attributes
    ----------
    name, title : str
        Of the model.
    reads : str
        What it is induced from: a treebank, pairs of source and target, or sentences.
    module, qualname : str
        Where its function is.
    family : str
        Of the grammar that it is, as :data:`grammar.opening.FAMILIES` has it; empty if the model
        is not saved.
    given : mapping
        Options that have another default under the name of the model than in its function.
    """

    name: str
    title: str
    reads: str
    module: str
    qualname: str
    family: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """What the names of its files end with; none if the model is not saved."""
        return family_of(self.family).codec.suffixes if self.family else ()

    @property
    def function(self) -> Any:
        """What induces the model."""
        found: Any = importlib.import_module(self.module)
        for name in self.qualname.split("."):
            found = getattr(found, name)
        return found

    @property
    def declared(self) -> type:
        """The class that declares the options."""
        declared: type = getattr(self.function, "Options", self.function)
        return declared

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of the model, with the defaults that they have under its name."""
        return tuple(
            replace(o, default=self.given[o.name], code=self.given[o.name])
            if o.name in self.given
            else o
            for o in options_of(self.declared)
        )

    def induce(self, data: Any, **options: Any) -> Any:
        """Induce the model from what it reads (raises like its function).

        In the place of a treebank, texts will do: :func:`induction.treebank_of` has their trees.

        Examples
        --------
        >>> from grammar import Treebank
        >>> treebank = Treebank.parse("(S (NP we) (VP swim)) (S (NP they) (VP swim))")
        >>> find_model("double-dop").induce(treebank)
        TreeSubstitutionGrammar(start TOP: 6 fragments of 4 roots)
        """
        if self.reads == "treebank":
            from induction.parsers.trees import treebank_of

            data = treebank_of(data)
        return self.function(data, **{**self.given, **options})


_AS_PARSER = {"steps": SKELETON_STEPS, "direction": "head", "horizontal_markov": 1}
"""The preparation that parsers of fragments need, binarised as chosen on development trees.

See docs/grammars/latent-grammars.md, Accuracy.
"""

MODELS: Mapping[str, Model] = MappingProxyType(
    {
        model.name: model
        for model in (
            Model("pcfg", "rules of trees by relative frequency", "treebank",
                  "induction.counts.pcfg", "induce_pcfg", "pcfg"),
            Model("lpcfg", "rules with head words (Charniak 1997, Collins 1999)", "treebank",
                  "induction.lexicalised.lpcfg", "induce_lpcfg", "lpcfg"),
            Model("dop", "all fragments of trees, as an equivalent PCFG (Goodman 1996)", "treebank",
                  "induction.fragments.dop", "dop_reduction", "pcfg", _AS_PARSER),
            Model("double-dop", "fragments that recur (Sangati & Zuidema 2011)", "treebank",
                  "induction.fragments.dop", "induce_double_dop", "tsg", _AS_PARSER),
            Model("bayes-tsg", "fragments drawn by a Markov chain (Cohn et al. 2010)", "treebank",
                  "induction.bayes.induce", "induce_bayes_tsg", "tsg", _AS_PARSER),
            Model("latent", "labels split into states, grammars multiplied (Petrov et al. 2006)",
                  "treebank", "induction.parsers.training", "induce_parser",
                  "treewright.latent-parser/1"),
            Model("synchronous", "linked rules from pairs alone (Qiu et al. 2022)", "pairs",
                  "induction.synchronous.induce", "induce_synchronous", "synchronous"),
            Model("terms", "linked rules from sentences and terms", "pairs",
                  "induction.terms.induce", "induce_from_terms", "synchronous"),
            Model("em", "weights of given rules by inside-outside (Baker 1979)", "sentences",
                  "induction.counts.em", "inside_outside"),
            Model("ngrams", "n-grams with modified Kneser-Ney smoothing (Chen & Goodman 1999)",
                  "sentences", "induction.language.ngrams", "NGramModel.train"),
        )
    }
)  # fmt: skip
"""Every model by its name."""


def find_model(name: str) -> Model:
    """Return a model by its name.

    Raises
    ------
    OptionError
        If there is none; the hint names the nearest.

    Examples
    --------
    >>> find_model("latent").reads
    'treebank'
    """
    return named(name, MODELS, "model")
