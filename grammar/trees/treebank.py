"""A treebank as columns: what every loop over many trees runs on.

Nodes lie in preorder, words included, so the subtree of node ``i`` is the stretch
``i : i + size[i]`` and a word is a node of size 1 (every other node has something below it).
"""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import BoolArray, IntArray, LongArray, kernel, pack_strings
from grammar.errors import BracketError, OptionError, SchemaError, UnreadableInputError
from grammar.files import PathLike, at_hand, atomic_output, decode, encode, read_bytes, write_text
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute
from grammar.indexing import places_chosen
from grammar.messages import tell
from grammar.saving.array_checks import check_length, check_numbers, check_offsets
from grammar.saving.arrow_sizes import refuse_expanding_arrow
from grammar.trees.brackets import (
    UNLABELLED_ROOT,
    read_brackets,
    write_brackets,
    write_words,
)
from grammar.trees.symbols import SymbolTable
from grammar.trees.tree import Tree, escape

__all__ = ["Treebank", "list_children"]

_OF_OTHERS: Hints = {
    "NLTK's {name}() is list(treebank) here": ("parsed_sents",),
    "NLTK's {name}() is treebank.sentences() here": ("sents",),
    "NLTK's {name}() is [word for sentence in treebank.sentences() for word in sentence] here": (
        "words",
    ),
    "NLTK's {name}() is [tree.pos() for tree in treebank] here": ("tagged_sents",),
    "[pair for tree in treebank for pair in tree.pos()] has them": ("tagged_words",),
    "[rule for tree in treebank for rule in tree.productions()] has them": ("productions",),
    "list(treebank) has them": ("trees", "data", "items"),
    "corpus_of_trees(treebank).to_pandas() of induction makes a frame": (
        *("to_pandas", "to_df", "to_polars", "to_dataset", "df"),
    ),
    "write_corpus(corpus_of_trees(treebank), 'trees.mrg') of induction writes brackets": (
        *("to_file", "write", "to_brackets", "to_mrg"),
    ),
    "draw_trees(treebank[:3], 'trees.svg') draws trees": ("draw", "show", "plot", "render"),
    "treebank + Treebank([tree]) has one more": ("append", "extend", "add"),
}
"""What corpora of NLTK and frames have, and what gives it here."""
_CHOICE = "treebank[[len(tree.leaves()) > 3 for tree in treebank]]"
_TEXTUAL = (".mrg", ".ptb", ".txt", ".brackets", ".psd", ".csv", ".tsv", ".json", ".jsonl")
_SCHEMA = b"treewright.treebank/1"
_PRETERMINAL = 2
"""Nodes of a tag and its word; a phrase has more."""


@dataclass(frozen=True, eq=False, init=False)
class Treebank:
    """Many trees as four columns; ``Treebank(trees)`` makes them.

    Attributes
    ----------
    label : int32 array, shape (nodes,)
        Symbol id of each node, in preorder; of a word, the id of the word.
    size : int32 array, shape (nodes,)
        Number of nodes in the subtree, the node included; 1 for words.
    offsets : int64 array, shape (trees + 1,)
        Tree ``t`` is the stretch ``offsets[t] : offsets[t + 1]``.
    symbols : SymbolTable
        Names of labels and words.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP we) (VP slept)) ( (S (VP (VB Go)) (. !)) )")
    >>> len(treebank), treebank.sentences()
    (2, [('we', 'slept'), ('Go', '!')])
    >>> print(treebank[1])
    (S (VP (VB Go)) (. !))
    >>> Treebank([treebank[1], treebank[0]]).sentences()
    [('Go', '!'), ('we', 'slept')]
    """

    label: IntArray
    size: IntArray
    offsets: LongArray
    symbols: SymbolTable

    @overload
    def __init__(self, label: object) -> None: ...
    @overload
    def __init__(
        self, label: IntArray, size: IntArray, offsets: LongArray, symbols: SymbolTable
    ) -> None: ...
    def __init__(
        self,
        label: Any,
        size: IntArray | None = None,
        offsets: LongArray | None = None,
        symbols: SymbolTable | None = None,
    ) -> None:
        columns = (label, size, offsets, symbols)
        if size is None or offsets is None or symbols is None:
            # named and not imported, as it stands above
            made = importlib.import_module("grammar.trees.given").as_treebank(label)
            columns = (made.label, made.size, made.offsets, made.symbols)
        for name, column in zip(("label", "size", "offsets", "symbols"), columns, strict=True):
            object.__setattr__(self, name, column)

    @classmethod
    def parse(cls, text: str | bytes, *, source: str = "<string>") -> Treebank:
        """Read bracketed trees (see :func:`read_brackets` for what is accepted).

        A wrapping bracket without a label is dropped; if it wraps several trees it becomes one
        tree labelled ``TOP``, which is told where more than one of them is a phrase.

        Raises
        ------
        BracketError
            At the first fault, with line and column.
        UnreadableInputError
            If bytes are not UTF-8 text, or a character is half of a surrogate pair.
        """
        data = encode(text if isinstance(text, str) else decode(text, source), source)
        names, label, size, offsets = read_brackets(data, source)
        symbols = SymbolTable(names)
        treebank = cls(label, size, offsets, symbols)
        # wrappers are only kept, all of them, if one of them wraps several trees
        if "" not in symbols:
            return treebank
        wrapper = label == symbols.id("")
        starts = np.flatnonzero(wrapper)
        single = size[starts + 1] == size[starts] - 1
        _tell_of_several(treebank, starts[~single], source)
        label[starts[~single]] = symbols.add(UNLABELLED_ROOT)
        keep = np.ones(len(label), np.bool_)
        keep[starts[single]] = False
        return treebank.keep_nodes(keep)

    @classmethod
    def read(cls, path: PathLike, *, encoding: str = "utf-8") -> Treebank:
        """Read a file of bracketed trees; ``.gz`` is unzipped, ``-`` is standard input.

        Raises
        ------
        UnreadableInputError
            If the file cannot be read or is not text in that encoding.
        BracketError
            At the first malformed tree, with file, line and column.
        """
        text = decode(read_bytes(path), str(path), encoding)
        return cls.parse(text, source=str(path))

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> Treebank:
        """Build columns from trees.

        Raises
        ------
        BracketError
            If a tree is a bare word rather than a :class:`~grammar.trees.tree.Tree`.
        """
        symbols = SymbolTable()
        label: list[int] = []
        size: list[int] = []
        offsets = [0]

        for tree in trees:
            if not isinstance(tree, Tree):
                raise BracketError(f"{tree!r} is not a Tree", hint="use Tree.parse or Tree(...)")
            _append(tree, label, size, symbols)
            offsets.append(len(label))
        return cls(
            np.array(label, np.int32),
            np.array(size, np.int32),
            np.array(offsets, np.int64),
            symbols,
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

    def __add__(self, other: object) -> Treebank:
        """Return the trees of both.

        >>> len(Treebank.parse("(S a)") + Treebank.parse("(S b) (S c)"))
        3
        """
        if not isinstance(other, Treebank):
            return NotImplemented
        return Treebank.concatenate([self, other])

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Treebank: ...
    def __getitem__(self, index: int | slice | Sequence[int] | NDArray[Any]) -> Tree | Treebank:
        """Return a tree, or those of a slice, of places or of truth values as a treebank.

        >>> Treebank.parse("(S a) (S b) (S c)")[[0, 2]].sentences()
        [('a',), ('c',)]
        """
        if not isinstance(index, Integral) or isinstance(index, bool):
            return self.take(places_chosen(index, len(self), _CHOICE))
        tree = range(len(self))[index]
        return Tree.from_columns(self.symbols, self.label, self.size, int(self.offsets[tree]))

    def __iter__(self) -> Iterator[Tree]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Treebank({len(self)} trees, {self.word_count} words, {len(self.symbols)} symbols)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Treebank):
            return NotImplemented
        return (
            np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.size, other.size)
            and other._names_of(other.label) == self._names_of(self.label)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_word(self) -> BoolArray:
        """Boolean array, shape (nodes,): which nodes are words."""
        return self.size == 1

    @property
    def word_count(self) -> int:
        """Number of words in all trees together."""
        return int(np.count_nonzero(self.size == 1))

    @cached_property
    def parent(self) -> IntArray:
        """int32 array, shape (nodes,): index of each node's parent, -1 for roots."""
        return _parents(self.size)

    @cached_property
    def words_before(self) -> LongArray:
        """int64 array, shape (nodes + 1,): number of words before each node, and of all."""
        return np.concatenate(([0], np.cumsum(self.is_word)))

    @cached_property
    def lengths(self) -> LongArray:
        """int64 array, shape (trees,): number of words of each tree."""
        return np.diff(self.words_before[self.offsets])

    @cached_property
    def search_index(self) -> Any:
        """What searches read (:class:`~grammar.search.tree_index.TreeIndex`), made once."""
        # named and not imported, as it stands above
        return importlib.import_module("grammar.search.tree_index").TreeIndex(self)

    def search(self, pattern: str, *, steps: int | None = None) -> Any:
        """Find the nodes of which a pattern of TGrep2 holds.

        Parameters
        ----------
        pattern : str
            Such as ``S < (NP=subject $.. VP)``; docs/how-to/search.md has the whole language.
        steps : int, optional
            Nodes, and pairs of nodes, that may be looked at; rows that are kept weigh ten times
            as much. Else only what memory cannot hold is refused.

        Returns
        -------
        Hits
            See :class:`grammar.Hits`.

        Raises
        ------
        PatternError
            If the pattern does not follow the notation, or asks for too much.

        Examples
        --------
        >>> treebank = Treebank.parse("(S (NP we) (VP ran)) (S (NP they) (VP (V saw) (NP us)))")
        >>> treebank.search("NP > VP").words()
        ['us']
        >>> treebank.search("S < (NP=n $.. VP)").words("n")
        ['we', 'they']
        """
        found: Any = importlib.import_module("grammar.search.searching")
        return found.search(self, pattern, steps=steps)

    def sentences(self) -> list[tuple[str, ...]]:
        """Return the words of each tree."""
        names = list(self.symbols)
        words = [names[i] for i in self.label[self.is_word].tolist()]
        bounds = np.concatenate(([0], np.cumsum(self.lengths))).tolist()
        return [tuple(words[a:b]) for a, b in itertools.pairwise(bounds)]

    def take(self, indices: Sequence[int] | LongArray | BoolArray) -> Treebank:
        """Return the treebank of the chosen trees, in the order asked for."""
        chosen = np.asarray(indices)
        # an empty list is of floats to numpy; the rest is as it indexes: masks, negative numbers
        chosen = np.arange(len(self))[chosen if len(chosen) else np.zeros(0, np.int64)]
        starts, ends = self.offsets[chosen], self.offsets[chosen + 1]
        offsets = np.concatenate(([0], np.cumsum(ends - starts))).astype(np.int64)
        index = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], ends - starts)
        return Treebank(self.label[index], self.size[index], offsets, self.symbols)

    def keep_nodes(self, keep: BoolArray) -> Treebank:
        """Return the trees without the other nodes, whose children move up to their parents.

        Trees of which nothing is left disappear. The caller sees to it that each tree keeps one
        root and that no node but words ends up without children.
        """
        before = np.concatenate(([0], np.cumsum(keep)))
        size = before[np.arange(len(keep)) + self.size] - before[:-1]
        offsets = before[self.offsets]
        offsets = offsets[np.concatenate(([True], offsets[1:] > offsets[:-1]))]
        return Treebank(self.label[keep], size[keep].astype(np.int32), offsets, self.symbols)

    def relabel(self, label: IntArray, symbols: SymbolTable) -> Treebank:
        """Return the same shapes with other labels."""
        return Treebank(label, self.size, self.offsets, symbols)

    def brackets(self) -> pa.LargeStringArray:
        """Return every tree as a one-line bracketing, as Arrow strings."""
        used = np.zeros(len(self.symbols), np.bool_)
        used[self.label] = True
        names, bounds = pack_strings(
            escape(name) if use else "" for name, use in zip(self.symbols, used, strict=True)
        )
        data, offsets = write_brackets(self.label, self.size, self.offsets, names, bounds)
        return _large_strings(data, offsets)

    def texts(self) -> pa.LargeStringArray:
        """Return every sentence with single spaces between words, as Arrow strings."""
        names, bounds = pack_strings(self.symbols)
        words = self.label[self.is_word]
        starts = np.concatenate(([0], np.cumsum(self.lengths)))
        data, offsets = write_words(words, starts, names, bounds)
        return _large_strings(data, offsets)

    def write(self, path: PathLike) -> None:
        """Write bracketed trees, one a line, atomically."""
        write_text(path, "".join(f"{line}\n" for line in self.brackets().to_pylist()))

    def save(self, path: PathLike) -> None:
        """Save as an Arrow IPC file: one row a tree, the symbol table as a dictionary.

        Raises
        ------
        OptionError
            If the name is that of a file of text.
        OutputError
            If it cannot be written.
        """
        if str(path).lower().removesuffix(".gz").endswith(_TEXTUAL):
            raise OptionError(
                "this writes a file of Arrow, and the name is one of text",
                where=str(path),
                hint=f"write_corpus(corpus_of_trees(treebank), {str(path)!r}) of induction writes "
                "it; or end the name in .arrow",
            )
        offsets = pa.array(self.offsets)
        label = pa.DictionaryArray.from_arrays(pa.array(self.label), pa.array(list(self.symbols)))
        columns = {
            "label": pa.LargeListArray.from_arrays(offsets, label),
            "size": pa.LargeListArray.from_arrays(offsets, pa.array(self.size)),
        }
        table = pa.table(columns).replace_schema_metadata({b"schema": _SCHEMA})
        with (
            atomic_output(path) as temporary,
            pa.OSFile(os.fsencode(temporary), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)

    @classmethod
    def load(cls, path: PathLike) -> Treebank:
        """Map a saved treebank into memory; nothing is copied until it is used.

        Raises
        ------
        UnreadableInputError
            If the file cannot be opened.
        SchemaError
            If it is not a treebank saved by this version.
        """
        try:
            with at_hand(path) as file:
                mapped = pa.memory_map(os.fsencode(file)).read_buffer()
                refuse_expanding_arrow(mapped, path)
                table = pa.ipc.open_file(mapped).read_all()
        except UnreadableInputError:
            raise
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError):
            raise _not_a_treebank(path) from None
        except OSError as error:
            raise UnreadableInputError(
                f"cannot read the file: {error.strerror or error}", where=str(path)
            ) from None
        if (table.schema.metadata or {}).get(b"schema") != _SCHEMA:
            raise _not_a_treebank(path)
        if table.num_rows == 0:
            return cls.from_trees([])
        try:
            table.validate(full=True)
            return _checked(*(table.column(name).chunk(0) for name in ("label", "size")))
        except (pa.ArrowException, AttributeError, LookupError, TypeError, ValueError) as error:
            raise SchemaError(
                f"the treebank is damaged: {error}".splitlines()[0],
                where=str(path),
                hint="save it again with Treebank.save",
            ) from None

    @classmethod
    def concatenate(cls, treebanks: Sequence[Treebank]) -> Treebank:
        """Return one treebank of all trees, in order."""
        symbols = SymbolTable(name for treebank in treebanks for name in treebank.symbols)
        label, size, offsets, end = [], [], [np.zeros(1, np.int64)], 0
        for treebank in treebanks:
            ids = np.array([symbols.id(name) for name in treebank.symbols], np.int32)
            label.append(ids[treebank.label] if len(ids) else treebank.label)
            size.append(treebank.size)
            offsets.append(treebank.offsets[1:] + end)
            end += len(treebank.label)
        empty = [np.zeros(0, np.int32)]
        return cls(
            np.concatenate(label or empty),
            np.concatenate(size or empty),
            np.concatenate(offsets),
            symbols,
        )

    def _names_of(self, identifiers: IntArray) -> list[str]:
        names = list(self.symbols)
        return [names[i] for i in identifiers.tolist()]


def _large_strings(data: object, offsets: LongArray) -> pa.LargeStringArray:
    return pa.LargeStringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data)
    )


def _checked(label: pa.Array, size: pa.Array) -> Treebank:
    """Return the treebank of the columns of a file, whose numbers kernels can take as they are.

    Raises
    ------
    ValueError
        If they are no trees; of what a column lacks Arrow raises errors of its own.
    """
    names = label.values.dictionary.cast(pa.string()).to_pylist()
    symbols = SymbolTable(names)
    found = Treebank(
        label.values.indices.to_numpy(), size.values.to_numpy(), label.offsets.to_numpy(), symbols
    )
    nodes = len(found.label)
    check_offsets("offsets", found.offsets, len(label), nodes, least=2)
    if not np.array_equal(found.offsets, size.offsets.to_numpy()):
        raise ValueError("label and size are of different trees")
    check_numbers("label", found.label, 0, len(names))
    check_length("size", found.size, nodes)
    check_numbers("size", found.size, 1, nodes + 1)
    if len(symbols) != len(names) or None in names:
        raise ValueError("a symbol has no name, or two have one")
    if not _are_nested(found.size, found.offsets):
        raise ValueError("the sizes of nodes do not fit into each other")
    return found


@kernel()
def _are_nested(size: IntArray, offsets: LongArray) -> bool:
    """Say whether every node ends where the one above it does, or before."""
    ends = np.empty(len(size) + 1, np.int64)
    for t in range(len(offsets) - 1):
        if offsets[t] + size[offsets[t]] != offsets[t + 1]:
            return False
        ends[0] = offsets[t + 1]
        depth = 1
        for i in range(offsets[t], offsets[t + 1]):
            while ends[depth - 1] <= i:
                depth -= 1
            if i + size[i] > ends[depth - 1]:
                return False
            ends[depth] = i + size[i]
            depth += 1
    return True


def _not_a_treebank(path: PathLike) -> SchemaError:
    return SchemaError(
        "not a treebank saved by this version of treewright",
        where=str(path),
        hint="brackets are read with Treebank.read, a corpus with read_corpus (--format arrow)",
    )


@kernel()
def list_children(size: IntArray, node: int, children: LongArray) -> int:
    """Write the children of a node into ``children`` and return how many there are."""
    count = 0
    child = node + 1
    while child < node + size[node]:
        children[count] = child
        child += size[child]
        count += 1
    return count


@kernel()
def _parents(size: IntArray) -> IntArray:
    parent = np.full(len(size), -1, np.int32)
    for i in range(len(size)):
        child = i + 1
        while child < i + size[i]:
            parent[child] = i
            child += size[child]
    return parent


def _append(tree: Tree, label: list[int], size: list[int], symbols: SymbolTable) -> None:
    """Append the nodes of a tree to columns, in preorder."""
    open_nodes: list[tuple[int, Iterator[Tree | str]]] = []
    coming: Iterator[Tree | str] = iter((tree,))
    while True:
        node = next(coming, None)
        if node is not None:
            slot = len(label)
            label.append(symbols.add(node if isinstance(node, str) else node.label))
            size.append(1)
            if not isinstance(node, str):
                open_nodes.append((slot, coming))
                coming = iter(node.children)
        elif open_nodes:
            slot, coming = open_nodes.pop()
            size[slot] = len(label) - slot
        else:
            return


def _tell_of_several(treebank: Treebank, wrappers: LongArray, source: str) -> None:
    """Tell of brackets without a label that hold several phrases: they may be sentences.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     made = Treebank.parse("( (S (NP we) (VP ran)) (S (NP we) (VP ate)) )", source="a.mrg")
    a.mrg: a bracket without a label holds several trees (S S), which are read as one (TOP)
    """
    several = []
    for wrapper in wrappers.tolist():
        child, stop, phrases = wrapper + 1, wrapper + int(treebank.size[wrapper]), []
        while child < stop:
            if treebank.size[child] > _PRETERMINAL:
                phrases.append(treebank.symbols[int(treebank.label[child])])
            child += int(treebank.size[child])
        if len(phrases) > 1:
            several.append(phrases)
    if several:
        held = "a bracket" if len(several) == 1 else f"{len(several):,} brackets"
        tell(
            f"{source}: {held} without a label hold{'s' * (len(several) == 1)} several trees "
            f"({' '.join(several[0][:4])}), which are read as one ({UNLABELLED_ROOT})"
        )
