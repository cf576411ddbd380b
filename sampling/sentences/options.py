"""Options of grammar sampling, and the grammars it induces: one a class, joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from grammar.errors import CorpusError, OptionError, located
from grammar.options import option
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.tree_files import trees_of_corpus
from induction.counts.pcfg import induce_pcfg
from induction.fragments.dop import induce_double_dop
from induction.lexicalised.lpcfg import induce_lpcfg
from induction.parsers.trees import AUTO, treebank_of, with_trees
from induction.trees.normalise import lower_initials
from sampling.examples.labels import Labels, read_labels
from sampling.sentences.class_grammars import join_classes
from sampling.sentences.written import read_labelled

if TYPE_CHECKING:
    from induction.parsers.protocol import TextParser

__all__ = [
    "GrammarOptions",
    "classes_of",
    "induce_grammar",
    "read_band",
    "trees_and_classes",
    "written_grammar",
]


@dataclass(frozen=True, kw_only=True)
class GrammarOptions:
    """The options of :meth:`GrammarSampler.induce`."""

    file: str | None = option(
        None,
        "A hand-written grammar with one start symbol per class, instead of those of the corpus. "
        "In an expression it comes first, without a name: grammar(labelled.txt).",
    )
    model: str | None = option(
        None,
        "The grammar: rules of the trees (pcfg), rules with head words (lpcfg), or recurring "
        "fragments (double-dop). By default lpcfg, or pcfg if words have no tags of their own. "
        "With a hand-written grammar only pcfg.",
        choices=("pcfg", "lpcfg", "double-dop"),
    )
    distribution: str = option(
        "mle",
        "Probabilities of the rules of a symbol: their frequencies (mle), all equal (uniform), "
        "frequencies to the power of 1 / temperature (tempered), the inverse of their counts "
        "(inverse-frequency); or examples drawn for the least used rules (coverage).",
        source="uniform: Yao & Koller 2024, arXiv:2401.09815",
        choices=("mle", "uniform", "tempered", "inverse-frequency", "coverage"),
    )
    temperature: float = option(
        1.0, "For tempered: above 1 flatter, below 1 sharper.", least=1e-3, most=1e6
    )
    length: str | None = option(
        "corpus",
        "Words per sentence, such as 5:20 (or a pair of numbers), an exact condition. corpus: "
        "from the shortest to the longest text of the corpus. any: no condition, which is "
        "refused if sentences would grow without end, and for coverage.",
    )
    contains: str | None = option(
        None, "Words that must all occur, separated by spaces; an exact condition."
    )
    avoid: str | None = option(None, "Words that must not occur, separated by spaces.")
    shares: str = option(
        "corpus",
        "Shares of the classes: those of the corpus, or equal. With coverage they follow from "
        "the rules.",
        choices=("corpus", "equal"),
    )
    horizontal_markov: int | None = option(
        None,
        "Siblings that binarised rules remember. none: rules are not binarised (1 for lpcfg).",
        least=0,
    )
    vertical_markov: int | None = option(
        None,
        "Ancestors that symbols remember, themselves included. By default 2, so that a whole "
        "sentence has other rules than a clause (it ends in a full stop). With a hand-written "
        "grammar, which has plain symbols, 1.",
        least=1,
    )
    trees: bool = option(True, "Give the trees of the examples.")
    distinct: bool = option(
        True,
        "Give only new texts: no repeated text and none of the corpus. Without it, every draw is "
        "given.",
    )


def read_band(length: str | None, corpus: str | None) -> tuple[int, int] | None:
    """Read the option ``length``; raise OptionError if it is not a band.

    Parameters
    ----------
    length : str or None
        The option; None is any.
    corpus : str or None
        The band of the corpus, if it is known.
    """
    if length == "corpus":
        length = corpus or "any"
    if length in (None, "any"):
        return None
    shortest, colon, longest = str(length).partition(":")
    ends = shortest, longest if colon else shortest
    if not all(end.strip().isdecimal() for end in ends) or int(ends[0]) > int(ends[1]):
        raise OptionError(
            f"length={length!r} is not a band", hint="for example 5:20, or 12, or any"
        )
    return int(ends[0]), int(ends[1])


_ONE_CLASS = "give each text one class, or drop 'label' for one grammar of all"


def trees_and_classes(
    corpus: Corpus, parser: TextParser | str = AUTO
) -> tuple[Treebank, LongArray | None]:
    """Return the trees of a corpus, and their classes, if it has labels.

    Raises and leaves out as :meth:`sampling.sentences.method.GrammarSampler.induce` says.
    """
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least one example")
    labels = None
    if "label" in corpus.names:
        read = read_labels(corpus)
        if read.soft is not None:
            raise CorpusError(
                "the labels are distributions, but each class needs trees of its own",
                hint=_ONE_CLASS,
            )
        _refuse_sets(read)
        labels = read.hard
    if labels is None:
        return treebank_of(corpus, parser), None
    row = Corpus(corpus.table.append_column("row", pa.array(range(len(corpus)))))
    kept = with_trees(row, parser)
    return trees_of_corpus(kept), labels[kept.arrow("row").to_numpy()]


def _inducer(o: GrammarOptions, model: str) -> Callable[[Treebank], Any]:
    ancestors = (2 if o.file is None else 1) if o.vertical_markov is None else o.vertical_markov
    memory: dict[str, Any] = {"vertical_markov": ancestors}
    if o.horizontal_markov is not None:
        memory["horizontal_markov"] = o.horizontal_markov
    induce: Any = {"pcfg": induce_pcfg, "lpcfg": induce_lpcfg, "double-dop": induce_double_dop}
    return lambda trees: induce[model](trees, **memory)


def _all_tagged(trees: Treebank) -> bool:
    """Say whether every word is the only child of a constituent: its tag."""
    words = np.flatnonzero(trees.is_word)
    return bool((trees.size[trees.parent[words]] == 2).all())


def written_grammar(
    corpus: Corpus, options: GrammarOptions, parser: TextParser | str = AUTO
) -> tuple[Any, tuple[str, ...]]:
    """Return the grammar of the file of the options, and its classes.

    The grammar of the whole corpus, whatever the class, gives what it lacks.
    """

    def frames() -> Any:
        if not len(corpus):
            raise CorpusError("the corpus is empty", hint="give at least one example")
        return _inducer(options, "pcfg")(treebank_of(corpus, parser))

    if options.model not in (None, "pcfg"):
        raise OptionError(
            f"a written grammar cannot be mixed with model={options.model!r}",
            hint="use model='pcfg'",
        )
    return read_labelled(str(options.file), classes_of(corpus), frames)


def classes_of(corpus: Corpus) -> tuple[str, ...]:
    """Return what the classes of a corpus are called; none if it has no labels.

    >>> classes_of(Corpus.from_columns(text=["a", "b"], label=[0, 2]))
    ('0', '1', '2')
    """
    if corpus.classes or "label" not in corpus.names or not len(corpus):
        return corpus.classes
    labels = read_labels(corpus)
    _refuse_sets(labels)
    return tuple(map(str, range(labels.classes)))


def _refuse_sets(labels: Labels) -> None:
    if labels.sets is not None:
        raise CorpusError(
            "the labels are sets of classes (multi-label), and each class has sentences of its own",
            hint=_ONE_CLASS,
        )


def induce_grammar(trees: Treebank, labels: LongArray | None, options: GrammarOptions) -> Any:
    """Return the grammar of some trees: one of each class, joined, or one of all.

    First words lose their capitals, so that a word is one word wherever it stands.
    """
    trees = lower_initials(trees)
    induce = _inducer(options, options.model or ("lpcfg" if _all_tagged(trees) else "pcfg"))
    if labels is None:
        return induce(trees)
    grammars, sizes = {}, {}
    for label in np.unique(labels).tolist():
        mine = np.flatnonzero(labels == label)
        with located(f"label {label}"):
            grammars[label] = induce(trees.take(mine))
        sizes[label] = len(mine)
    return join_classes(grammars, sizes)
