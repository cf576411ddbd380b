"""The names of classes as a grammar: templates times names, with a start symbol a class.

What a class is called is knowledge that no labelled example has. ``names(positive="good, moving",
negative="bad, dull")`` says it, and makes labelled examples of it without any corpus: *it is
moving .* Names that occur in texts of the class are the best; those that are only said about them
can mislead, which :func:`classifiers.choose` finds out. With ``model=smollm2`` a language model
finds the names, from what the classes are called (:mod:`sampling.names.found`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grammar.errors import OptionError
from grammar.options import option, read_options
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from induction.corpus.corpus import Corpus
from sampling.english.wordnet import synonyms
from sampling.names.evidence import without_contradicted
from sampling.names.files import HOLE, ClassNames, read_names, split_names
from sampling.names.found import Reader, fits_templates, found_names
from sampling.names.labels import names_of_labels
from sampling.neural.packaged import check_installed
from sampling.sentences.class_grammars import marked
from sampling.sentences.method import GrammarSampler, notes_of, notes_of_classes
from sampling.sentences.options import classes_of
from sampling.sentences.written import join_starts, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TEMPLATES", "Names", "NamesOptions", "names_grammar"]

TEMPLATES = (
    "NAME",
    "it is NAME .",
    "this is NAME .",
    "it is about NAME .",
    "a case of NAME .",
    "what NAME !",
)
"""How names are said where nothing else is given: fit for topics, opinions and kinds of things."""


@dataclass(frozen=True, kw_only=True)
class NamesOptions:
    """The options of :meth:`Names.induce`."""

    gathers = "named"

    file: str | None = option(
        None,
        "A file with one line per class, `class: name, name`, and lines with the word NAME, "
        "which are templates. In an expression it comes first, without a name: "
        "names(classes.txt).",
    )
    named: Mapping[str, str] | None = option(
        None,
        "The names of each class, with commas. Every other option is a class too. Where nothing is "
        "named, labels that are words are the names.",
    )
    templates: str | None = option(
        None,
        "Texts with the word NAME, separated by |, instead of those of the file or the defaults.",
    )
    model: str = option(
        "",
        "A causal language model that finds the names, from what the classes are called: from "
        "the names that are given, or from the labels where these are words. smollm2 is in the "
        "extra lm.",
    )
    words: int = option(10, "Names per class that the model finds.", least=1, most=1000)
    tested: bool = option(
        True,
        "Drop found names that the labelled examples contradict: one-sided exact test of Fisher "
        "at 5 %.",
    )
    device: str = option("auto", "Device of the model: auto, cpu, cuda.")
    neighbours: int = option(
        0,
        "WordNet words per name, the most frequent sense first. They harm more often than they "
        "help.",
        least=0,
    )
    trees: bool = option(False, "Give the derivations as trees.")
    distinct: bool = option(
        True,
        "Give only new texts: no repeated text and none of the corpus. Without it, every draw is "
        "given.",
    )


class Names(GrammarSampler):
    """Labelled sentences of templates and the names of classes.

    The grammar is a PCFG: the start symbol leads to the classes, a class to its templates, and its
    names to words. It is looked at, given other weights, intersected, saved and explained as any
    other.

    Examples
    --------
    >>> sampler = Names.of(good="great, well made", bad="dull", templates="a NAME film | so NAME !")
    >>> for row in sorted(sampler.sample(6), key=lambda row: row["text"]):
    ...     print(row["label"], "-", row["text"])
    bad - a dull film
    good - a great film
    good - a well made film
    bad - so dull !
    good - so great !
    good - so well made !
    """

    method = "names"
    Options = NamesOptions  # type: ignore[assignment]

    @classmethod
    def recombines(cls, options: Mapping[str, Any]) -> bool:
        """Say that the method never goes by a corpus, so that it needs no trees either."""
        return False

    @classmethod
    def asks_wordnet(cls, options: Mapping[str, Any]) -> bool:
        """Say whether words of WordNet are names too."""
        return bool(read_options(NamesOptions, options, cls.method).neighbours)

    @classmethod
    def check_requirements(cls, options: Mapping[str, Any]) -> None:
        """Refuse it if its model needs what is not installed."""
        if model := read_options(NamesOptions, options, cls.method).model:
            check_installed(model)

    @classmethod
    def of(cls, **options: Any) -> Names:
        """Return the sampler of names without a corpus (options as :meth:`induce`)."""
        return cls.induce(Corpus.from_columns(text=[]), **options)

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Names:
        """Return the sampler of the names of the classes of a corpus.

        Parameters
        ----------
        corpus : Corpus
            Its ``label`` says which classes there are, and its texts are not given as new ones.
            Names that a model finds are tested on it; it is not used otherwise. Without ``label``
            the classes are those that are named. Where classes have numbers only, names count in
            the order in which they are written.
        **options
            Fields of :class:`NamesOptions`; any other name is a class, and its value the names with
            commas.

        Raises
        ------
        UnreadableInputError, NotationError
            If the file is none of names.
        CorpusError
            If the classes that are named are not those of the corpus.
        OptionError
            If less than two classes are named, an option cannot be used, or a model is to find the
            names of labels that are no words.
        MissingDataError, SchemaError
            If the model is not to be had or damaged.
        """
        chosen = read_options(NamesOptions, options, cls.method)
        classes = classes_of(corpus)
        given = _given(chosen, classes)
        numbers = numbers_of(list(given.names), classes)
        names: Mapping[str, Sequence[str] | Mapping[str, float]] = given.names
        if chosen.model:
            names = _found(given.names, chosen, corpus, numbers)
        grammar = names_grammar(names, given.templates, numbers=numbers)
        notes = notes_of(corpus) | notes_of_classes(corpus, classes or tuple(sorted(given.names)))
        drawing = {"trees": chosen.trees, "distinct": chosen.distinct}
        return cls(grammar.noted(method=cls.method, options=drawing, **notes))


def names_grammar(
    names: Mapping[str, Sequence[str] | Mapping[str, float]],
    templates: Sequence[str] = TEMPLATES,
    *,
    numbers: Mapping[str, int] | None = None,
) -> Grammar:
    """Return the grammar of names: all classes and all templates of one are alike probable.

    Parameters
    ----------
    names : mapping of str to sequence of str, or to mapping of str to float
        Of each class; names without weights are alike probable.
    templates : sequence of str
        With the word ``NAME``.
    numbers : mapping of str to int, optional
        The number of each class; by default they are numbered in the order of their names.

    Raises
    ------
    OptionError
        If a template has no ``NAME``, or a class no names.

    Examples
    --------
    >>> print(names_grammar({"b": ["bad"], "g": ["well made"]}, ["so NAME"]).to_text(), end="")
    CLASSES -> b^<label-0> [0.5]
    CLASSES -> g^<label-1> [0.5]
    NAME^<label-0> -> 'bad' [1.0]
    NAME^<label-1> -> 'well' 'made' [1.0]
    b^<label-0> -> 'so' NAME^<label-0> [1.0]
    g^<label-1> -> 'so' NAME^<label-1> [1.0]
    """
    for template in templates:
        if HOLE not in template.split():
            raise OptionError(
                f"the template {template!r} has no {HOLE}", hint=f"for example: it is {HOLE} ."
            )
    known = dict(numbers) if numbers is not None else {c: n for n, c in enumerate(sorted(names))}
    rules = [rule for label in names for rule in _rules(label, names[label], templates, known)]
    return join_starts(rules, known)


def _rules(
    label: str,
    names: Sequence[str] | Mapping[str, float],
    templates: Sequence[str],
    numbers: Mapping[str, int],
) -> Iterator[Production]:
    if not names:
        raise OptionError(f"the class {label!r} has no names", hint="name at least one")
    hole = Nonterminal(marked(HOLE, numbers[label]))
    for template in templates:
        rhs = tuple(hole if word == HOLE else word for word in template.split())
        yield Production(Nonterminal(label), rhs, 1 / len(templates))
    weights = names if isinstance(names, Mapping) else dict.fromkeys(names, 1 / len(names))
    for name, weight in weights.items():
        yield Production(hole, tuple(name.split()), weight)


def _found(
    names: Mapping[str, Sequence[str]],
    options: NamesOptions,
    corpus: Corpus,
    numbers: Mapping[str, int],
) -> Mapping[str, Mapping[str, float]]:
    """Return the names that the model finds, less those that the corpus contradicts."""
    # torch is imported here at the earliest
    opened = importlib.import_module("sampling.neural.causal.next_words").NextWords.opened
    reader: Reader = opened(options.model, options.device, fits_templates)
    found = found_names(names, reader, options.words)
    if not options.tested or "label" not in corpus.names:
        return found
    return without_contradicted(found, corpus, numbers)


def _given(options: NamesOptions, classes: Sequence[str] = ()) -> ClassNames:
    """Return the names and templates of the options and their file.

    Where nothing is named, labels that are words say what classes are called.
    """
    read = ClassNames({}) if options.file is None else read_names(options.file)
    said = {label: split_names(names) for label, names in (options.named or {}).items()}
    names = {**read.names, **said}
    if not names:
        names = names_of_labels(classes)
    if len(names) < 2:
        raise OptionError(
            "the names of at least two classes are needed",
            hint='for example names(positive="good, moving", negative="bad"), or names(FILE)',
        )
    if options.neighbours:
        names = _with_neighbours(names, options.neighbours)
    templates = (options.templates or "").split("|")
    own = tuple(" ".join(template.split()) for template in templates if template.strip())
    return ClassNames(names, own or read.templates or TEMPLATES)


def _with_neighbours(names: Mapping[str, tuple[str, ...]], most: int) -> dict[str, tuple[str, ...]]:
    """Return names with words of their synsets, less those that are near names of two classes."""
    found = {
        label: dict.fromkeys(word for name in own for word in synonyms(name)[:most])
        for label, own in names.items()
    }

    def elsewhere(label: str) -> Iterable[str]:
        return (w for other in names if other != label for w in (*names[other], *found[other]))

    return {
        label: tuple(dict.fromkeys((*own, *(w for w in found[label] if w not in elsewhere(label)))))
        for label, own in names.items()
    }
