"""How trees are prepared before their rules are counted; declared once, for every model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from grammar.errors import EmptyTreebankError, OptionError
from grammar.options import Checked, option, read_options, takes
from grammar.trees.given import given_trees, is_name_of_file
from grammar.trees.treebank import Treebank
from induction.corpus.readers import read_treebank
from induction.trees.binarise import Direction, binarise
from induction.trees.normalise import DEFAULT_STEPS, STEPS, chain_parts, normalise
from induction.trees.unknown import with_rare_classes

__all__ = ["Binarisation", "Preparation", "TreeOptions", "checked_treebank", "prepare"]

_MEANING = {
    "|<": "a part of a binarised rule",
    "^<": "a label with its ancestors",
    "+": "a chain of single constituents",
}


def checked_treebank(treebank: Any) -> Treebank:
    """Return a treebank, trees, brackets or a file of them as a treebank; refuse one without trees.

    >>> checked_treebank(["(S (NP we) (VP slept))"])
    Treebank(1 trees, 2 words, 5 symbols)
    >>> checked_treebank(["We slept."])
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: a list is no treebank
      hint: induction.treebank_of(...) has the trees of texts, tables and frames
    """
    if is_name_of_file(treebank):
        treebank = read_treebank(treebank)
    if isinstance(treebank, Iterator):
        treebank = list(treebank)
    found = given_trees(treebank)
    if found is None:
        raise OptionError(
            f"a {type(treebank).__name__} is no treebank",
            hint="induction.treebank_of(...) has the trees of texts, tables and frames",
        )
    if not len(found):
        raise EmptyTreebankError("the treebank has no trees", hint="read another one")
    return found


@dataclass(frozen=True, kw_only=True)
class TreeOptions(Checked):
    """What all grammars of treebanks take: which nodes stay, and what their labels remember."""

    steps: tuple[str, ...] = option(
        DEFAULT_STEPS,
        "Normalisation steps, in this order: traces and functions remove traces and "
        "function tags, unaries joins chains of single constituents, initials writes "
        "the first word without its capital, root puts a root above every tree.",
        choices=STEPS,
    )
    horizontal_markov: int | None = option(
        None,
        "Number of siblings that a binarised rule remembers; by default all.",
        source="Klein & Manning 2003",
        least=0,
    )
    vertical_markov: int = option(
        1,
        "Number of ancestors that a label remembers, itself included: 2 adds the parent's label.",
        source="Klein & Manning 2003",
        least=1,
    )

    def normalised(self, treebank: Treebank) -> Treebank:
        """Return the trees after the steps of normalisation (raises as :func:`prepare`)."""
        treebank = checked_treebank(treebank)
        steps = self.steps
        joining = steps.index("unaries") if "unaries" in steps else len(steps)
        trees = normalise(treebank, steps[:joining])
        _refuse_marks(trees, joined=joining < len(steps))
        trees = normalise(trees, steps[joining:])
        if not len(trees):
            raise EmptyTreebankError(
                "normalisation leaves nothing of the trees",
                where=f"steps {', '.join(steps)}",
                hint="the trees hold nothing but traces; read others, or leave out the step traces",
            )
        return trees


@dataclass(frozen=True, kw_only=True)
class Binarisation(TreeOptions):
    """How the trees of a model are normalised and binarised."""

    direction: Direction | None = option(
        None,
        "Direction of binarisation: from the right, from the left, or outward from the "
        "head. By default rules stay whole, unless a Markov option needs binarised ones"
        " (then from the right).",
        choices=get_args(Direction),
    )

    def apply(self, treebank: Treebank) -> Treebank:
        """Return the trees whose rules are to be counted (raises as :func:`prepare`)."""
        return self._binarised(self.normalised(treebank))

    def _binarised(self, trees: Treebank) -> Treebank:
        markov = self.horizontal_markov, self.vertical_markov
        if self.direction is None and markov == (None, 1):
            return trees
        return binarise(
            trees,
            direction=self.direction or "right",
            horizontal_markov=markov[0],
            vertical_markov=markov[1],
        )


@dataclass(frozen=True, kw_only=True)
class Preparation(Binarisation):
    """How trees are prepared whose rules have words in them."""

    rare_words: int = option(
        0,
        "Replace words seen at most this many times by classes of their shapes; 0 replaces none.",
        source="Petrov et al. 2006",
        least=0,
    )

    def apply(self, treebank: Treebank) -> Treebank:
        """Return the trees whose rules are to be counted (raises as :func:`prepare`)."""
        trees = self.normalised(treebank)
        return self._binarised(
            with_rare_classes(trees, self.rare_words) if self.rare_words else trees
        )


@takes(Preparation)
def prepare(treebank: Treebank, **options: Any) -> Treebank:
    """Return the trees whose rules :func:`induction.induce_pcfg` counts.

    Parsers and samplers undo binarisation, annotation and joined chains by the marks in labels.
    Labels of the treebank itself must be free of these, or trees would come back without them:
    ``|<``, ``^<``, and ``+`` between other signs (``PRP+VBP``, but not a tag ``+``). If chains
    are to be joined, constituents must not hold ``+`` at all. Words may be anything.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    **options
        See :class:`Preparation`.

    Raises
    ------
    EmptyTreebankError
        If there are no trees, or normalisation leaves nothing of them.
    OptionError
        If an option cannot be used, or a label holds a mark of the project's own.

    Examples
    --------
    >>> treebank = Treebank.parse("(S-1 (NP we) (VP (V saw) (NP it) (ADV now)))")
    >>> print(prepare(treebank, direction="left")[0])
    (TOP (S (NP we) (VP (VP|<V-NP> (V saw) (NP it)) (ADV now))))
    """
    return read_options(Preparation, options, "prepare").apply(treebank)


def _refuse_marks(treebank: Treebank, *, joined: bool) -> None:
    """Raise an error if a label would be taken for one that binarisation or joining made."""
    names = list(treebank.symbols)
    # a chain comes apart wherever it is shown, whether or not chains were joined
    always = ["|<" in name or "^<" in name or len(chain_parts(name)) > 1 for name in names]
    in_chains = [joined and "+" in name for name in names]
    bad = np.array(always, np.bool_)[treebank.label] & ~treebank.is_word
    bad |= np.array(in_chains, np.bool_)[treebank.label] & (treebank.size > 2)
    if bad.any():
        node = int(np.argmax(bad))
        label = names[treebank.label[node]]
        mark = next(sign for sign in _MEANING if sign in label)
        raise OptionError(
            f"the label {label} holds {mark}, which stands for {_MEANING[mark]}",
            where=f"tree {int(np.searchsorted(treebank.offsets, node, side='right'))}",
            hint="write another sign there, as in PRP_VBP for PRP+VBP; give trees as they were "
            "before binarisation or joining, and ask for these by options",
        )
