"""Head rules: which child of a constituent is its head (Collins 1999, appendix A)."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.treebank import Treebank, list_children

__all__ = ["COLLINS", "head_children"]

_LEFT, _RIGHT = "left", "right"
_BARE_LABEL = re.compile(r"[^-=^]+")

COLLINS: Mapping[str, tuple[str, str]] = {
    "ADJP": (_LEFT, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (_RIGHT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (_RIGHT, "CC RB IN"),
    "FRAG": (_RIGHT, ""),
    "INTJ": (_LEFT, ""),
    "LST": (_RIGHT, "LS :"),
    "NAC": (_LEFT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": (_RIGHT, "IN TO VBG VBN RP FW"),
    "PRN": (_LEFT, ""),
    "PRT": (_RIGHT, "RP"),
    "QP": (_LEFT, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": (_RIGHT, "VP NP ADVP ADJP PP"),
    "S": (_LEFT, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (_LEFT, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (_LEFT, "SQ S SINV SBARQ FRAG"),
    "SINV": (_LEFT, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (_LEFT, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (_RIGHT, ""),
    "VP": (_LEFT, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (_LEFT, "CC WRB JJ ADJP"),
    "WHADVP": (_RIGHT, "CC WRB"),
    "WHNP": (_LEFT, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (_RIGHT, "IN TO FW"),
}
"""Label -> (side to search from, labels by falling priority). For each label in turn the children
are searched from that side; if none matches, the first child on that side is the head. Noun
phrases and coordination have rules of their own, see :func:`head_children`."""

# The rules for noun phrases: groups of labels, each searched as a set from one side. The first
# group that matches gives the head; the last resort is the last child.
_NP_RULES: tuple[tuple[str, str], ...] = (
    (_RIGHT, "NN NNP NNPS NNS NX POS JJR"),
    (_LEFT, "NP"),
    (_RIGHT, "$ ADJP PRN"),
    (_RIGHT, "CD"),
    (_RIGHT, "JJ JJS RB QP"),
)
_NOUN_PHRASES = ("NP", "NX")


def head_children(treebank: Treebank, table: Mapping[str, tuple[str, str]] = COLLINS) -> IntArray:
    """Return, for every node, which of its children (from 0) is the head; -1 for words.

    Labels are read without parent annotation or function tags. In a coordination the head is the
    conjunct before the conjunction, as in Collins (1999). A label that is not in the table takes
    its first child.

    >>> from grammar.treebank import Treebank
    >>> trees = Treebank.parse("(VP (MD will) (VP (VB see) (NP (DT the) (NN film))))")
    >>> [int(h) for h in head_children(trees)]
    [0, 0, -1, 0, 0, -1, 1, 0, -1, 0, -1]
    """
    # every table entry becomes steps: (label set as a row of a boolean matrix, side to search from)
    bare = [_bare(name) for name in treebank.symbols]
    spellings: dict[str, list[int]] = {}
    for identifier, name in enumerate(bare):
        spellings.setdefault(name, []).append(identifier)
    width = len(bare)
    rows: list[BoolArray] = [np.zeros(width, np.bool_)]
    steps: list[tuple[int, bool]] = []
    first = np.zeros(width + 1, np.int64)
    for identifier, name in enumerate(bare):
        for side, group in _groups(name, table):
            row = np.zeros(width, np.bool_)
            row[[i for label in group.split() for i in spellings.get(label, ())]] = True
            rows.append(row)
            steps.append((len(rows) - 1, side == _RIGHT))
        first[identifier + 1] = len(steps)
    last_resort = np.array([_side(name, table) == _RIGHT for name in bare], np.bool_)
    return _find_heads(
        treebank.label,
        treebank.size,
        first,
        np.array(steps, np.int64).reshape(-1, 2),
        np.array(rows),
        last_resort,
        treebank.symbols.id("CC"),
    )


def _bare(name: str) -> str:
    match = _BARE_LABEL.match(name)
    return match.group() if match else name


def _side(name: str, table: Mapping[str, tuple[str, str]]) -> str:
    return _RIGHT if name in _NOUN_PHRASES else table.get(name, (_LEFT, ""))[0]


def _groups(name: str, table: Mapping[str, tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    if name in _NOUN_PHRASES:
        return _NP_RULES
    side, labels = table.get(name, (_LEFT, ""))
    return tuple((side, label) for label in labels.split())


@kernel()
def _find_heads(
    label: IntArray,
    size: IntArray,
    first: LongArray,
    steps: LongArray,
    rows: BoolArray,
    last_resort: BoolArray,
    conjunction: int,
) -> IntArray:
    head = np.full(len(label), -1, np.int32)
    children = np.empty(len(label) + 1, np.int64)
    for node in range(len(label)):
        count = list_children(size, node, children)
        if count == 0:
            continue
        choice = count - 1 if last_resort[label[node]] else 0
        found = False
        for step in range(first[label[node]], first[label[node] + 1]):
            for i in range(count):
                at = count - 1 - i if steps[step, 1] else i
                if size[children[at]] > 1 and rows[steps[step, 0], label[children[at]]]:
                    choice = at
                    found = True
                    break
            if found:
                break
        if (
            choice >= 2
            and label[children[choice - 1]] == conjunction
            and size[children[choice - 1]] > 1
        ):
            choice -= 2
        head[node] = choice
    return head
