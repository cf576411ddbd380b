"""What a choice tries by itself: names, written grammars, ways to recombine, and two amounts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from classifiers.choice import Candidate
from grammar.errors import CorpusError, MissingDataError, OptionError
from grammar.messages import heard_by, tell
from grammar.options import options_of
from induction.corpus.corpus import Corpus
from induction.parsers.trees import TreeMaker
from sampling.expression import Expression, Step, read_expression
from sampling.method import find_method
from sampling.names.files import parse_names
from sampling.names.labels import label_names, names_of_labels
from sampling.names.method import NamesOptions
from sampling.neural.packaged import check_installed
from sampling.pipeline.augment import augment
from sampling.pipeline.chains import recombines
from sampling.stream import shortfalls_heard

__all__ = [
    "LIGHT",
    "RECOMBINING",
    "WEIGHTS",
    "candidates_of",
    "offered_names",
    "read_class_names",
    "tried_by_itself",
]

PER_CLASS = 40
"""At most so many examples of a class, where they are not made of the labelled ones."""
FINDER = "smollm2"
"""The language model that finds names where it is installed."""
LIGHT = 0.3
WEIGHTS = (LIGHT, 1.0)
"""What new examples weigh together, relative to the labelled ones."""
RECOMBINING = (
    "eda",
    "aeda",
    "randmix",
    "sub2(phrase=true)",
    "treemix",
    "alp",
    "fluent(sub2(phrase=true))",
    "0.5*sub2(phrase=true) + 0.5*treemix",
)
"""Methods that recombine labelled examples, one of them tilted, and a mixture."""


def candidates_of(
    expressions: Iterable[str],
    corpus: Corpus,
    *,
    weights: Sequence[float] = WEIGHTS,
    amount: Mapping[str, Any] | None = None,
) -> list[Candidate]:
    """Return candidates for :func:`~classifiers.choice.choose`.

    Parameters
    ----------
    expressions : iterable of str
        As :func:`sampling.augment` takes them. Those whose methods go by no corpus are tried first.
    corpus : Corpus
        The labelled examples. Texts are parsed once, when a method is tried that needs trees.
    weights : sequence of float
        What new examples weigh together, relative to the labelled ones; each is tried.
    amount : mapping, optional
        How many are made, as settings of :func:`sampling.augment`. By default as many as there are
        labelled ones where these are recombined, and 40 a class else.

    Raises
    ------
    OptionError
        If an expression cannot be read.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a", "b"], label=["good", "bad"])
    >>> for way in candidates_of(["eda", "names(good=fine, bad=poor)"], corpus, weights=[1]):
    ...     print(way.name, way.recombines)
    names(good=fine, bad=poor), weight 1 False
    eda, weight 1 True
    """
    parsed = _Parsed(corpus)
    read = [read_expression(text) for text in expressions]
    read.sort(key=recombines)
    return [
        Candidate(f"{one}, weight {weight:g}", make, weight, recombines(one))
        for one in read
        for make in [_maker(one, parsed, amount)]
        for weight in weights
    ]


def read_class_names(classes: str) -> dict[str, str]:
    """Return the names of classes that were written in one line, as options of the method names.

    Parameters
    ----------
    classes : str
        The lines of a file of names (:func:`~sampling.names.files.parse_names`), parted by
        semicolons: each class, a colon, and its names with commas between them.

    Raises
    ------
    NotationError
        If a part is neither names of a class nor a template, or there are fewer than two classes.
    OptionError
        If a class is called as an option of the method.

    Examples
    --------
    >>> read_class_names("positive: good, great; negative: bad; so NAME !")
    {'positive': 'good, great', 'negative': 'bad', 'templates': 'so NAME !'}
    """
    read = parse_names(classes.replace(";", "\n"), source="the classes")
    own = {one.name for one in options_of(NamesOptions)}
    for label in read.names:
        if label in own:
            raise OptionError(
                f"the class {label!r} is called as an option of the method names",
                hint="write the names to a file, a class a line, and use --names FILE",
            )
    given = {label: ", ".join(names) for label, names in read.names.items()}
    templates = {"templates": "|".join(read.templates)} if read.templates else {}
    return {**given, **templates}


def offered_names(classes: Sequence[str]) -> str | None:
    """Return what labels that are words say of their classes, as :func:`read_class_names` reads it.

    A choice tries these names by itself; more words that stand in such texts are worth more.

    Returns
    -------
    str or None
        None if a label is no word: a number, a code, one letter.

    Examples
    --------
    >>> offered_names(["Sci/Tech", "world_news"])
    'Sci/Tech: science, technology; world_news: world news'
    >>> offered_names(["0", "1"])
    """
    if any(set(label) & set(":;,#\n") or "NAME" in label for label in classes):
        return None
    found = {label: label_names(label) for label in classes}
    if not all(found.values()):
        return None
    return "; ".join(f"{label}: {', '.join(names)}" for label, names in found.items())


def tried_by_itself(classes: Sequence[str]) -> tuple[str, ...]:
    """Return the methods that a choice tries where nobody names any.

    They are those that recombine, and before them, if labels are words, the labels alone as names,
    and the names that a language model finds from them, if it is installed. One line says if it is
    not; nothing is fetched. Found names are not tested on the labelled examples, which are to judge
    them.

    Parameters
    ----------
    classes : sequence of str
        The labels.

    Examples
    --------
    >>> tried_by_itself(["0", "1"]) == RECOMBINING
    True
    >>> from grammar.messages import heard_by
    >>> with heard_by(lambda message: None):
    ...     tried_by_itself(["sports", "politics"])[0]
    'names'
    """
    try:
        said = names_of_labels(classes)
    except OptionError:  # the labels are numbers or codes
        return RECOMBINING
    if len(said) < 2:  # labels without names, or sets of classes
        return RECOMBINING
    labels = str(Step("names", {}))
    try:
        check_installed(FINDER)
    except MissingDataError as error:
        tell(f"names of the classes are not looked for, there is no language model: {error.hint}")
        return (labels, *RECOMBINING)
    return (labels, str(Step("names", {"model": FINDER, "tested": False})), *RECOMBINING)


def _needs_trees(expression: Expression) -> bool:
    first = [part.steps[0] for part in expression.parts]
    return any(find_method(step.method).sampler.needs_trees(step.options) for step in first)


def _maker(
    expression: Expression, parsed: _Parsed, amount: Mapping[str, Any] | None
) -> Callable[[Corpus, int], Corpus]:
    mixing, by_trees = recombines(expression), _needs_trees(expression)
    before: dict[tuple[object, ...], Corpus] = {}

    def make(part: Corpus, seed: int) -> Corpus:
        # each weight asks for the same examples of the same folds
        key = (seed, *part.column("id"), *part.column("text"))
        if key not in before:
            before[key] = made_anew(part, seed)
        return before[key]

    def made_anew(part: Corpus, seed: int) -> Corpus:
        if not mixing:  # so all else that the corpus has is of no use to it
            part = Corpus(part.table.select(["id", "text", "label"]))
            asked = amount or {"per_class": PER_CLASS}
            return _made(part, str(expression), seed, **asked)
        with heard_by(_of_no_interest):
            part = parsed.of(part) if by_trees else part
            return _made(part, str(expression), seed, **(amount or {"n": len(part)}))

    return make


def _made(part: Corpus, expression: str, seed: int, **asked: Any) -> Corpus:
    """Return new examples, as many as there are of those asked for."""
    with shortfalls_heard(_of_no_interest):
        made = augment(part, expression, seed=seed, columns="none", **asked).corpus
    if not len(made):
        raise CorpusError("no new example can be made", hint="give more labelled examples")
    return made


def _of_no_interest(message: object) -> None:
    """Hear what is told of columns that new examples lose: a classifier reads texts and labels."""


class _Parsed:
    """The trees of a corpus, made once, when they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._trees: dict[str, str] | None = None

    def of(self, part: Corpus) -> Corpus:
        """Return some of the examples with their trees; those without a parse are left out."""
        if "tree" in part.names:
            return part
        if self._trees is None:
            parsed = TreeMaker()(self._corpus)
            self._trees = dict(zip(parsed.column("text"), parsed.column("tree"), strict=True))
        texts = part.column("text")
        rows = [row for row, text in enumerate(texts) if text in self._trees]
        trees = [self._trees[texts[row]] for row in rows]
        return Corpus(part.table.take(rows)).with_column("tree", trees)
