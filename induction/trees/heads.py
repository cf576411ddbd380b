"""Head rules: which child of a constituent is its head (Collins 1999, appendix A).

Tables for other treebanks are read from text (:func:`read_head_rules`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.errors import NotationError, OptionError
from grammar.files import PathLike, read_text
from grammar.trees.given import as_treebank
from grammar.trees.treebank import Treebank, list_children
from induction.trees.normalise import chain_parts, overt_nodes

__all__ = [
    "COLLINS",
    "HeadRules",
    "HeadTable",
    "head_children",
    "head_words",
    "parse_head_rules",
    "read_head_rules",
]

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
are searched from that side; if none matches, the first child on that side that is no punctuation
is the head. Noun phrases and coordination have rules of their own, see :func:`head_children`."""

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
_PUNCTUATION = (",", ":", ".", "``", "''", "-LRB-", "-RRB-")
_TRACE, _MARK, _FULL = 2, 1, 0  # how little a child says, see `_emptiness`
_SIDES = {"LEFT-TO-RIGHT": _LEFT, "RIGHT-TO-LEFT": _RIGHT}


@dataclass(frozen=True)
class HeadTable:
    """Head rules whose labels are compared without regard to case.

    Attributes
    ----------
    steps : mapping of str to tuple of (str, str)
        By label in capitals: sides to search from, "left" or "right", each with the labels of
        falling priority, in capitals.
    """

    steps: Mapping[str, tuple[tuple[str, str], ...]]


HeadRules = Mapping[str, tuple[str, str]] | HeadTable
"""A table such as :data:`COLLINS`, or one that was read."""


def read_head_rules(path: PathLike) -> HeadTable:
    """Read head rules from a file, see :func:`parse_head_rules`.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    NotationError
        At the first malformed line, with file and line.
    """
    return parse_head_rules(read_text(path), source=str(path))


def parse_head_rules(text: str, *, source: str = "<string>") -> HeadTable:
    """Read head rules in the notation of the Negra rules, as disco-dop has them.

    A line is a label, ``left-to-right`` or ``right-to-left`` (the order in which the children are
    searched), and labels of children by falling priority; what follows ``%`` is a comment. Lines
    with equal labels are tried in order. Case is ignored.

    Raises
    ------
    NotationError
        At the first malformed line, with its place, or if there is no rule at all.

    Examples
    --------
    >>> table = parse_head_rules("S right-to-left VVFIN VMFIN  % the finite verb")
    >>> table.steps["S"]
    (('right', 'VVFIN VMFIN'),)
    """
    steps: dict[str, tuple[tuple[str, str], ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        label, *rest = line.partition("%")[0].upper().split() or [""]
        if not label:
            continue
        if not rest or rest[0] not in _SIDES:
            raise NotationError(
                f"the head rule of {label} has no direction",
                where=f"{source}:{number}",
                hint="write: LABEL left-to-right CHILD CHILD, or right-to-left",
            )
        step = (_SIDES[rest[0]], " ".join(rest[1:]))
        steps[label] = (*steps.get(label, ()), step)
    if not steps:
        raise NotationError("there are no head rules", where=source, hint="one a line")
    return HeadTable(steps)


def head_children(
    treebank: Treebank, table: HeadRules = COLLINS, *, strict: bool = False
) -> IntArray:
    """Return, for every node, which of its children (from 0) is the head; -1 for words.

    Labels are read without parent annotation or function tags. A joined label such as ``S+VP``
    counts as ``VP`` where its own head is looked for, and as ``S`` where it may be one. In a
    coordination with ``CC`` the head is the conjunct before the conjunction, as in Collins (1999);
    punctuation between the two is passed over. Where no rule matches, the head is punctuation only
    if there is nothing else. What covers nothing but traces (``-NONE-``) is a head only there too.

    Parameters
    ----------
    treebank : Treebank
        Trees.
    table : mapping or HeadTable
        Head rules. ``NP`` and ``NX`` have Collins' rules unless the table has some for them.
    strict : bool
        Refuse labels without a rule that have several children. Otherwise these take their first
        child that is no punctuation.

    Raises
    ------
    OptionError
        If ``strict``, and a label has no rule.

    Examples
    --------

    >>> from grammar.trees.treebank import Treebank
    >>> trees = Treebank.parse("(VP (MD will) (VP (VB see) (NP (DT the) (NN film))))")
    >>> [int(h) for h in head_children(trees)]
    [0, 0, -1, 0, 0, -1, 1, 0, -1, 0, -1]
    """
    folded = isinstance(table, HeadTable)
    # every table entry becomes steps: (label set as a row of a boolean matrix, side to search from)
    chains = [chain_parts(name) for name in treebank.symbols]
    bare = [_bare(chain[-1], folded) for chain in chains]
    if strict:
        _refuse_undefined(treebank, bare, table)
    spellings: dict[str, list[int]] = {}
    for identifier, chain in enumerate(chains):
        spellings.setdefault(_bare(chain[0], folded), []).append(identifier)
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
        _emptiness(treebank),
        first,
        np.array(steps, np.int64).reshape(-1, 2),
        np.array(rows),
        last_resort,
        treebank.symbols.id("CC"),
    )


def head_words(
    treebank: Treebank, table: HeadRules = COLLINS, *, strict: bool = False
) -> LongArray:
    """Return, for every node, the node that is its head word; a word is its own.

    Parameters and errors are those of :func:`head_children`.

    >>> from grammar.trees.treebank import Treebank
    >>> trees = Treebank.parse("(VP (MD will) (VP (VB see) (NP (DT the) (NN film))))")
    >>> [int(h) for h in head_words(trees)]
    [2, 2, 2, 5, 5, 5, 10, 8, 8, 10, 10]
    """
    treebank = as_treebank(treebank)
    return _follow(treebank.size, head_children(treebank, table, strict=strict))


def _emptiness(treebank: Treebank) -> IntArray:
    """Tell of every node whether it is a trace beside something else, punctuation, or neither."""
    marks = [i for sign in _PUNCTUATION if (i := treebank.symbols.id(sign)) >= 0]
    emptiness = np.where(~treebank.is_word & np.isin(treebank.label, marks), _MARK, _FULL)
    overt = overt_nodes(treebank)
    emptiness[~overt & (treebank.parent >= 0) & overt[treebank.parent]] = _TRACE
    return emptiness.astype(np.int32)


def _bare(name: str, folded: bool) -> str:
    match = _BARE_LABEL.match(name)
    bare = match.group() if match else name
    return bare.upper() if folded else bare


def _side(name: str, table: HeadRules) -> str:
    steps = _steps(name, table)
    # the last resort of noun phrases is the last child
    return _RIGHT if steps is _NP_RULES else steps[0][0]


def _groups(name: str, table: HeadRules) -> tuple[tuple[str, str], ...]:
    steps = _steps(name, table)
    if steps is _NP_RULES:
        return steps
    return tuple((side, label) for side, labels in steps for label in labels.split())


def _steps(name: str, table: HeadRules) -> tuple[tuple[str, str], ...]:
    if isinstance(table, HeadTable):
        found = table.steps.get(name)
    else:
        found = (table[name],) if name in table else None
    if found is None:
        found = _NP_RULES if name in _NOUN_PHRASES else ((_LEFT, ""),)
    return found


def _refuse_undefined(treebank: Treebank, bare: list[str], table: HeadRules) -> None:
    """Raise an error if a label without rules has a choice of heads."""
    known = table.steps if isinstance(table, HeadTable) else table
    undefined = np.array([name not in known and name not in _NOUN_PHRASES for name in bare])
    children = np.bincount(treebank.parent[treebank.parent >= 0], minlength=len(treebank.label))
    nodes = np.flatnonzero((children > 1) & undefined[treebank.label])
    if len(nodes):
        tree = int(np.searchsorted(treebank.offsets, nodes[0], side="right"))
        raise OptionError(
            f"the label {treebank.symbols[treebank.label[nodes[0]]]} has no head rule",
            where=f"tree {tree}",
            hint="add a rule for it, or leave out strict to take its first child",
        )


@kernel()
def _find_heads(
    label: IntArray,
    size: IntArray,
    emptiness: IntArray,
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
        choice = _outermost(emptiness, children, count, last_resort[label[node]])
        found = False
        for step in range(first[label[node]], first[label[node] + 1]):
            for i in range(count):
                at = count - 1 - i if steps[step, 1] else i
                child = children[at]
                if (
                    size[child] > 1
                    and emptiness[child] != _TRACE
                    and rows[steps[step, 0], label[child]]
                ):
                    choice = at
                    found = True
                    break
            if found:
                break
        between = _full_before(emptiness, children, choice)
        if between >= 0 and label[children[between]] == conjunction and size[children[between]] > 1:
            conjunct = _full_before(emptiness, children, between)
            choice = conjunct if conjunct >= 0 else choice
        head[node] = choice
    return head


@kernel()
def _outermost(emptiness: IntArray, children: LongArray, count: int, from_right: bool) -> int:
    """Return the first child from one side among those that are least empty."""
    choice = count - 1 if from_right else 0
    for i in range(1, count):
        at = count - 1 - i if from_right else i
        if emptiness[children[at]] < emptiness[children[choice]]:
            choice = at
    return choice


@kernel()
def _full_before(emptiness: IntArray, children: LongArray, at: int) -> int:
    """Return the nearest child before a place that is no punctuation and no trace, or -1."""
    at -= 1
    while at >= 0 and emptiness[children[at]] != _FULL:
        at -= 1
    return at


@kernel()
def _follow(size: IntArray, head: IntArray) -> LongArray:
    """Return the word that head children lead to from every node."""
    leaf = np.arange(len(size))
    for node in range(len(size) - 1, -1, -1):
        if size[node] > 1:
            child = node + 1
            for _ in range(head[node]):
                child += size[child]
            leaf[node] = leaf[child]
    return leaf
