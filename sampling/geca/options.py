"""The options of GECA, with the paper's values and those of the released program.

Where the program differs between experiments, its values are those of the SCAN runs, and the help
names the others. GECA by walks has the values of the language models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from grammar.errors import NothingNewError, OptionError
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from sampling.examples.labels import has_classes, has_sets

__all__ = [
    "FragmentOptions",
    "GECAOptions",
    "GECAStreamOptions",
    "hinted",
    "read_geca_options",
    "within_classes",
]


@dataclass(frozen=True, kw_only=True)
class FragmentOptions:
    """What fragments are, and which of them may be exchanged."""

    gaps: int = option(
        2,
        "Most n-grams in a fragment (wug_count in the program). The paper uses 2 for SCAN and "
        "semantic parsing (the program: 3 for SQL), 1 for language models.",
        source="section 3, 'a fragment consisting of a set of spans'; the experiments",
        least=1,
        most=64,
    )
    size: int = option(
        1,
        "Most words in an n-gram (wug_size): 1 for SCAN, 4 for semantic parsing, 2 for language "
        "models. Time and memory grow with (words x size) to the power of gaps.",
        source="the experiments",
        least=1,
        most=1_000,
    )
    window: int | None = option(
        None,
        "Words on either side of every slot that make its environment (sim_window_size). none: "
        "the whole context. Language models use 2.",
        source="section 3, environments",
        least=1,
    )
    max_count: int | None = option(
        None,
        "Ignore n-grams that occur more often (wug_limit): 20 for language models, 50 for "
        "logical forms.",
        source="not in the paper",
        least=1,
    )
    max_length: int | None = option(
        None,
        "Most words of a new example, with both sides and the separator; 99 for language models.",
        least=1,
    )
    labels: str | None = option(
        None,
        "With classes: exchange fragments only among examples of one label (same), or among all "
        "(source); a new example has the label of its source. By default same, unless labels are "
        "distributions or faithful is given.",
        source="not in the paper",
        choices=("source", "same"),
    )
    protect: str | None = option(
        None,
        "A regular expression. Words of text or target that overlap a match are neither cut out "
        "nor inserted. A column 'protected' does the same by word numbers of the text, or "
        "entities.",
    )


@dataclass(frozen=True, kw_only=True)
class GECAOptions(FragmentOptions):
    """The options of :meth:`sampling.geca.method.GECA.induce`."""

    max_source_length: int | None = option(
        None,
        "Most words of an example that is cut. Longer ones still count as known.",
        source="not in the paper; the program: under 40 (100 for language models)",
        code=39,
        least=1,
    )
    pool: str | None = option(
        "fragments",
        "Weight of fillers: the number of examples with the fragment (fragments), or of "
        "neighbouring templates with it (templates).",
        source="section 3, the boxed operation",
        code="templates",
        choices=("fragments", "templates"),
    )
    disjoint: bool | None = option(
        False,
        "Refuse a filler that shares an n-gram with every filler of the context.",
        source="not in the paper",
        code=True,
    )
    max_adjacencies: int | None = option(
        None,
        "Most neighbours of a template that share one filler with it. Needs pool=templates.",
        source="not in the paper",
        code=1000,
        least=1,
    )
    variants: int | None = option(
        None,
        "Most fillers drawn per context, new or not. none: all.",
        source="section 3; the program: 2 (1 for language models)",
        code=2,
        least=1,
        most=10_000,
    )
    limit: int | None = option(
        None,
        "Most examples per seed (n_sample).",
        source="the experiments: 1,000 (SQL 2,000, language models 5,000)",
        code=1000,
        least=1,
    )
    draw: str | None = option(
        "uniform",
        "Order of the examples: random (uniform), random by their probability under the grammar "
        "(weighted), or by context in the order of the corpus (corpus).",
        source="not in the paper",
        code="corpus",
        choices=("uniform", "weighted", "corpus"),
    )
    separator: str = option(
        "##", "The word between text and target; it must not occur in the corpus."
    )
    faithful: str = option(
        "paper",
        "The defaults of the paper's operation, or of the released program for SCAN.",
        choices=("paper", "code"),
    )


def _for_language_models(name: str, default: int) -> Any:
    """Return a field of :class:`FragmentOptions` with another default."""
    shared = next(each for each in fields(FragmentOptions) if each.name == name)
    return field(default=default, metadata={**shared.metadata, "code": default})


@dataclass(frozen=True, kw_only=True)
class GECAStreamOptions(FragmentOptions):
    """The options of :meth:`sampling.geca.stream.GECAStream.induce`."""

    gaps: int = _for_language_models("gaps", 1)
    size: int = _for_language_models("size", 2)
    window: int | None = _for_language_models("window", 2)
    max_count: int | None = _for_language_models("max_count", 20)
    max_length: int | None = _for_language_models("max_length", 99)


F = TypeVar("F", bound=FragmentOptions)


def within_classes(chosen: F, given: Mapping[str, Any], corpus: Corpus) -> F:
    """Return options that say whether fragments pass between classes.

    Where nothing says it, they do not, if there are classes.
    """
    if chosen.labels is not None:
        return chosen
    same = has_sets(corpus) or (has_classes(corpus) and given.get("faithful") is None)
    return replace(chosen, labels="same" if same else "source")


def hinted(error: NothingNewError, given: Mapping[str, Any], chosen: FragmentOptions) -> Exception:
    """Return an error that names what keeps fragments within classes, if nobody asked for that."""
    if chosen.labels != "same" or given.get("labels") is not None:
        return error
    hint = "or let fragments pass between classes (labels=source)"
    return NothingNewError(error.what, where=error.where, hint=f"{error.hint}, {hint}")


def read_geca_options(options: Mapping[str, Any]) -> GECAOptions:
    """Check the options and fill in what the mode sets for every one that is absent or None.

    Raises
    ------
    OptionError
        If an option is unknown, or has a value that cannot be used.
    """
    given = {name: value for name, value in options.items() if value is not None}
    chosen = read_options(GECAOptions, given, "geca")
    if chosen.max_adjacencies is not None and chosen.pool == "fragments":
        raise OptionError(
            "max_adjacencies limits neighbouring templates, but pool='fragments' has none",
            hint="leave it out, or add pool='templates'",
        )
    return chosen
