"""Hypothesis strategies for tokens, trees and grammars: small, and nasty where it costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from grammar.forest.skeleton import Skeleton
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.tree import Tree

__all__ = ["grammars", "names", "skeletons", "texts_of", "tokens", "trees"]

_SIGNS = [
    "'", '"', "\\", "\\n", "\\u0041", "{", "}", "{}", "[1]", "|", "->", "→", "#", ";", "*",
    "%start", "-LRB-", "S", "NP-SBJ=1", "TOP", "é", "e\u0301", "ﬀ", "漢字", "𝒳", "👩‍🚀", "\u202e",
    "\u00a0", "\u0085", "\u2028", "\ufeff", "\x00", "\x1f", "a\x00", "<b>&amp;", "nan", "0.5",
]  # fmt: skip
_SPACE_AND_BRACKETS = " \t\n\v\f\r()"


def tokens() -> st.SearchStrategy[str]:
    """Tokens that brackets can hold: not empty, without ASCII white space and round brackets."""
    signs = st.sampled_from(_SIGNS)
    characters = st.characters(codec="utf-8", exclude_characters=_SPACE_AND_BRACKETS)
    return (
        st.text("abxyz", min_size=1, max_size=2)
        | signs
        | st.lists(signs, min_size=1, max_size=3).map("".join)
        | st.text(characters, min_size=1, max_size=4)
    )


def names() -> st.SearchStrategy[str]:
    """Any names at all, white space, brackets and the empty name included."""
    return tokens() | st.text(st.characters(codec="utf-8"), max_size=5)


def trees(
    *,
    labels: st.SearchStrategy[str] | None = None,
    words: st.SearchStrategy[str] | None = None,
    max_leaves: int = 8,
) -> st.SearchStrategy[Tree]:
    """Trees of up to about ``max_leaves`` words, by default over :func:`tokens`."""
    labels = tokens() if labels is None else labels
    words = tokens() if words is None else words

    def node(below: st.SearchStrategy[Tree | str]) -> st.SearchStrategy[Tree]:
        return st.builds(Tree, labels, st.lists(below, min_size=1, max_size=4).map(tuple))

    return node(st.recursive(words, node, max_leaves=max_leaves))


@st.composite
def grammars(
    draw: st.DrawFn,
    *,
    unary_cycles: bool = True,
    empty_rules: bool = True,
    recursive: bool = True,
    max_symbols: int = 4,
    max_children: int = 3,
) -> Grammar:
    """Proper grammars, each of whose symbols derives a sentence; often recursive, at times wild.

    Weights are small whole numbers, normalised. Without ``unary_cycles`` and ``empty_rules`` the
    derivations of a sentence are finitely many. (Empty rules make cycles of their own:
    ``S -> S E`` where E may be empty.) Unless ``recursive``, all derivations are.
    """
    symbols = [Nonterminal(name) for name in "SABC"[: draw(st.integers(1, max_symbols))]]
    words = st.sampled_from(["a", "b", "c"])
    weights = st.integers(1, 9)
    productions = []
    for place, symbol in enumerate(symbols):
        # the first rule leads to words only, so the symbol is productive
        shortest = 0 if empty_rules else 1
        ground = draw(st.lists(words, min_size=shortest, max_size=2))
        productions.append(Production(symbol, tuple(ground), float(draw(weights))))
        for _ in range(draw(st.integers(0, 3))):
            below = symbols if recursive else symbols[place + 1 :]
            child = words | st.sampled_from(below) if below else words
            children = draw(st.lists(child, min_size=shortest, max_size=max_children))
            alone = len(children) == 1 and isinstance(children[0], Nonterminal)
            if alone and not unary_cycles and children[0] in symbols[: place + 1]:
                children.append(draw(words))
            productions.append(Production(symbol, tuple(children), float(draw(weights))))
    return Grammar.from_productions(productions, normalise=True)


@st.composite
def skeletons(draw: st.DrawFn, *, max_symbols: int = 3, max_tags: int = 3) -> Skeleton:
    """Small coarse grammars over tags: binary rules at will, unary ones without circles."""
    symbols = [Nonterminal(name) for name in "SAB"[: draw(st.integers(1, max_symbols))]]
    tags = [Nonterminal(name) for name in "XYZ"[: draw(st.integers(1, max_tags))]]
    weights = st.integers(1, 9).map(float)
    productions = [Production(tag, (tag.name,)) for tag in tags]
    for place, symbol in enumerate(symbols):
        below = [*symbols[place + 1 :], *tags]
        productions.append(Production(symbol, (draw(st.sampled_from(below)),), draw(weights)))
        for _ in range(draw(st.integers(0, 3))):
            pair = st.tuples(*[st.sampled_from([*symbols, *tags])] * 2)
            productions.append(Production(symbol, draw(pair), draw(weights)))
    return Skeleton(Grammar.from_productions(productions, start="S", normalise=True))


def texts_of(pieces: Sequence[str]) -> st.SearchStrategy[str]:
    """Return texts that are put together of pieces, and any other ones."""
    made = st.lists(st.sampled_from(pieces), max_size=14).map("".join)
    return made | st.text(st.characters(codec="utf-8"), max_size=20)
