"""Skeletons: sentences of a grammar whose content words are gaps with a tag."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grammar.errors import OptionError
from grammar.opening import open_grammar
from grammar.rng import stream_key
from grammar.sampling_kernels.ancestral import AncestralSampler
from grammar.trees.surfaces import surface_of
from grammar.trees.tree import Tree

__all__ = ["Skeletons", "fills", "skeleton_of", "skeletons_of"]

OPEN = frozenset(
    """
    NN NNS NNP NNPS VB VBD VBG VBN VBP VBZ JJ JJR JJS RB RBR RBS CD NOUN PROPN VERB ADJ ADV NUM
    """.split()  # noqa: SIM905
)
"""Tags of words that a model fills in, Penn's and the universal ones; other words stay."""
_BARE = re.compile(r"[^-=|^]+")
_GAP = re.compile(r"\[(\w+)\]")


def skeleton_of(tree: Tree) -> str:
    """Return the words of a tree with gaps for content words.

    Examples
    --------
    >>> skeleton_of(Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)))"))
    'the [NN] [VBZ]'
    """
    found = []
    for tag, word in _tagged(tree):
        bare = _BARE.match(tag)
        name = bare.group() if bare else tag
        found.append(f"[{name}]" if name in OPEN else surface_of(word))
    return " ".join(found)


def fills(text: str, skeleton: str) -> bool:
    """Return whether a text has one word for each gap of a skeleton, and its other words.

    Examples
    --------
    >>> fills("the cat sings", "the [NN] [VBZ]"), fills("a cat sings", "the [NN] [VBZ]")
    (True, False)
    """
    words, wanted = text.split(), skeleton.split()
    return len(words) == len(wanted) and all(
        not _GAP.search(word) if _GAP.fullmatch(want) else word.lower() == want.lower()
        for word, want in zip(words, wanted, strict=True)
    )


class Skeletons:
    """The skeletons of a grammar, each a function of a key and its number.

    Parameters
    ----------
    path : str
        A saved grammar with derivations: a PCFG, a lexicalised or a tree-substitution grammar.

    Raises
    ------
    OptionError
        If the grammar has none.
    UnreadableInputError, SchemaError
        If the file cannot be opened.
    """

    digest: str
    """The hash of the file."""

    def __init__(self, path: str) -> None:
        grammar: Any = open_grammar(path)
        if not hasattr(grammar, "tree_of") or not hasattr(grammar, "pcfg"):
            raise OptionError(
                f"the grammar {path!r} has no derivations to draw skeletons from",
                hint="give a PCFG, a lexicalised or a tree-substitution grammar: treewright induce",
            )
        self._grammar = grammar
        self._sampler = AncestralSampler(grammar.pcfg)
        self.digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()

    def drawn(self, seed: int, numbers: Sequence[int]) -> list[str]:
        """Return skeletons, drawn with the probabilities of the grammar."""
        key = stream_key(seed, "skeletons")
        made = []
        for number in numbers:
            one = self._sampler.draw(np.uint64(key), number, 1)
            made.append(skeleton_of(self._grammar.tree_of(one.rules.tolist())))
        return made


def skeletons_of(trees: Iterable[str]) -> list[str]:
    """Return the skeletons of trees in brackets."""
    return [skeleton_of(Tree.parse(tree)) for tree in trees]


def _tagged(tree: Tree) -> Iterator[tuple[str, str]]:
    for node in tree.nodes():
        if len(node.children) == 1 and isinstance(node.children[0], str):
            yield node.label, node.children[0]
