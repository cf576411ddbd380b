"""An immutable, ordered, labelled tree: for people, and for the edges of the system.

Work that loops over many trees is done on :class:`grammar.trees.treebank.Treebank` columns instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from grammar.errors import BracketError, OptionError
from grammar.files import encode
from grammar.foreign_names.attributes import Hints, NamesOfOthers, attribute_hint, no_attribute
from grammar.trees.folding import below, fold, shape, shown, written

if TYPE_CHECKING:
    import nltk

    from grammar.arrays import IntArray
    from grammar.rules.rules import Production
    from grammar.trees.symbols import SymbolTable

__all__ = ["NO_WORDS", "Tree", "escape"]

_DRAWN = 200
"""Levels of a tree that are drawn with characters."""


class _Label(str):
    """A label, which NLTK's users call: ``tree.label()``."""

    __slots__ = ()

    def __call__(self) -> str:
        return str(self)


_OF_NLTK: Hints = {
    "NLTK's tree has it: tree.to_nltk().{name}": (
        *("convert", "copy", "flatten", "freeze"),
        *("leaf_treeposition", "pformat", "pformat_latex_qtree", "pprint"),
        *("treeposition_spanning_leaves", "treepositions"),
    ),
    "trees do not change; make one of NLTK's first, which does: tree = tree.to_nltk()": (
        *("chomsky_normal_form", "collapse_unary", "un_chomsky_normal_form"),
    ),
    "trees do not change; make another: Tree('NP', tree.children)": ("set_label",),
    "trees do not change; make another: Tree(tree.label(), [*tree.children, 'word'])": (
        *("append", "extend", "insert", "remove", "pop", "sort", "reverse", "clear"),
    ),
    "grammars have a graph: induce_pcfg([tree]).graph": ("to_networkx", "graph"),
    "grammar.draw_tree(tree, 'tree.svg') draws it": ("draw", "show", "render", "plot"),
    "Treebank([tree]).search('NP') finds it": ("search", "tgrep", "find", "findall", "query"),
    "[one for one in tree.subtrees() if one.label() == 'NP']": (
        *("noun_chunks", "find_data", "iter_subtrees", "find_pred", "get_subtrees", "constituents"),
    ),
    "tree.label() is it": ("data", "node", "tag", "cat", "value", "name", "type"),
    "Parser(grammar).viterbi(words) has a tree and its log_probability": (
        *("prob", "logprob", "log_prob", "set_prob"),
    ),
    "tree.leaves() has them": ("words", "tokens", "yield_", "leaf_labels", "terminals"),
    "str(tree) is it": ("to_string", "to_brackets", "parse_string", "brackets", "to_penn"),
    "tree.spans() has them": ("to_spans", "get_spans"),
    "Treebank([tree]).save('trees.arrow') saves it": ("save", "to_file", "write"),
}
"""What trees of NLTK, Lark, spaCy and Stanza have, and what gives it here."""
_MADE_ELSEWHERE: Hints = {
    "Tree.parse(text) reads brackets": (
        *("from_string", "from_str", "from_text", "from_brackets", "loads", "read", "load"),
    ),
    "Tree('S', [Tree('NP', ['we']), Tree('VP', ['slept'])]) makes a tree of its parts": (
        *("from_list", "from_tuple", "build", "make", "from_dict"),
    ),
}
_ESCAPES = {"(": "-LRB-", ")": "-RRB-"}


@dataclass(frozen=True, slots=True)
class Tree(metaclass=NamesOfOthers):
    """A labelled node over children that are trees or words (``str``).

    Parameters
    ----------
    label : str
        Category or part-of-speech tag.
    children : tuple or list of Tree or str
        At least one; they are kept as a tuple.

    Examples
    --------
    >>> tree = Tree.parse("(S (NP (PRP We)) (VP (VBD slept)))")
    >>> tree.leaves()
    ('We', 'slept')
    >>> tree.spans()
    (('S', 0, 2), ('NP', 0, 1), ('PRP', 0, 1), ('VP', 1, 2), ('VBD', 1, 2))
    >>> str(tree)
    '(S (NP (PRP We)) (VP (VBD slept)))'
    """

    _made_elsewhere: ClassVar[Hints] = _MADE_ELSEWHERE

    label: str
    children: tuple[Tree | str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", _Label(self.label))
        if isinstance(self.children, list):
            object.__setattr__(self, "children", tuple(self.children))
        if not self.children or not isinstance(self.children, tuple):
            is_text = self.label.lstrip()[:1] in ("(", "[")  # a tree of NLTK prints itself so, too
            raise BracketError(
                f"the children of {self.label!r} are {self.children!r}",
                hint="Tree.parse(text) reads brackets, and Tree.from_nltk(tree) a tree of NLTK"
                if is_text
                else "give a tuple of words and subtrees, such as ('word',)",
            )

    @classmethod
    def parse(cls, text: str, brackets: str = "()") -> Tree:
        """Read exactly one bracketed tree.

        An empty outer label, as in ``( (S ...))``, is read away. Brackets may be others, as in
        NLTK; round ones are words then.

        >>> print(Tree.parse("[S [NP we] [VP slept]]", brackets="[]"))
        (S (NP we) (VP slept))

        Raises
        ------
        BracketError
            If the brackets are unbalanced or empty, or there is not exactly one tree.
        UnreadableInputError
            If a character is half of a surrogate pair.
        """
        from grammar.trees.brackets import UNLABELLED_ROOT, read_brackets

        if brackets != "()":
            if len(brackets) != 2:
                raise OptionError(f"{brackets!r} are not two brackets", hint="for example '[]'")
            for sign, written in _ESCAPES.items():
                text = text.replace(sign, written)
            text = text.translate(str.maketrans(brackets, "()"))
        elif text.lstrip().startswith("["):
            raise BracketError(
                "the tree is in square brackets", hint="say so: Tree.parse(text, brackets='[]')"
            )
        names, label, size, offsets = read_brackets(encode(text, "<string>"), "<string>")
        if len(offsets) != 2:
            raise BracketError(f"expected one tree, found {len(offsets) - 1}", where=text[:60])
        return cls.from_columns([name or UNLABELLED_ROOT for name in names], label, size)

    @classmethod
    def from_columns(
        cls, names: Sequence[str] | SymbolTable, label: IntArray, size: IntArray, root: int = 0
    ) -> Tree:
        """Build a tree from columns in preorder.

        Parameters
        ----------
        names : sequence of str or SymbolTable
            What the numbers in ``label`` stand for.
        label, size : int32 arrays
            The name of each node and the number of nodes of its subtree; words have size 1.
        root : int
            Where the tree begins.
        """
        # from the end, so that the children of a node are made before it
        made: list[tuple[Tree | str, int]] = []
        for at in range(root + int(size[root]) - 1, root - 1, -1):
            name, left = names[label[at]], int(size[at]) - 1
            if left == 0:
                made.append((name, 1))
                continue
            children: list[Tree | str] = []
            while left:
                child, nodes = made.pop()
                children.append(child)
                left -= nodes
            made.append((cls(name, tuple(children)), int(size[at])))
        [(tree, _)] = made
        return tree if isinstance(tree, Tree) else cls(tree, ())

    @classmethod
    def from_nltk(cls, tree: nltk.Tree) -> Tree:
        """Convert an ``nltk.Tree`` whose leaves are strings."""

        def convert(node: Any, children: list[Any]) -> Any:
            return node if isinstance(node, str) else cls(str(node.label()), tuple(children))

        made: Tree = fold(tree, lambda node: () if isinstance(node, str) else node, convert)
        return made

    fromstring = parse
    """NLTK's name of :meth:`parse`."""

    def to_nltk(self) -> nltk.Tree:
        """Convert to an ``nltk.Tree``."""
        import nltk

        def convert(node: Tree | str, children: list[Any]) -> Any:
            return node if isinstance(node, str) else nltk.Tree(node.label, children)

        return fold(self, below, convert)

    @overload
    def __getitem__(self, index: int | Sequence[int]) -> Tree | str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Tree | str, ...]: ...
    def __getitem__(
        self, index: int | slice | Sequence[int]
    ) -> Tree | str | tuple[Tree | str, ...]:
        """Return a child, some of the children, or what a path of places leads to, as in NLTK.

        >>> tree = Tree.parse("(S (NP We) (VP (VBD slept)))")
        >>> str(tree[1]), tree[1, 0, 0], len(tree)
        ('(VP (VBD slept))', 'slept', 2)
        """
        if isinstance(index, int | slice):
            return self.children[index]
        node: Tree | str = self
        for place in index:
            if isinstance(node, str):
                raise IndexError(f"{tuple(index)} leads below the word {node!r}")
            node = node.children[place]
        return node

    def __len__(self) -> int:
        return len(self.children)

    def __iter__(self) -> Iterator[Tree | str]:
        return iter(self.children)

    def subtrees(self, filter: Callable[[Tree], bool] | None = None) -> Iterator[Tree]:
        """Yield every node in preorder, or those for which a function says so, as in NLTK.

        >>> tree = Tree.parse("(S (NP We) (VP (VBD slept)))")
        >>> [node.label for node in tree.subtrees(lambda node: node.height() == 2)]
        ['NP', 'VBD']
        """
        return (node for node in self.nodes() if filter is None or filter(node))

    def productions(self) -> list[Production]:
        """Return the rule of every node in preorder, as in NLTK; each is counted once.

        >>> [rule.text for rule in Tree.parse("(S (NP We) (VP (VBD slept)))").productions()]
        ['S -> NP VP', "NP -> 'We'", 'VP -> VBD', "VBD -> 'slept'"]
        """
        from grammar.rules.rules import Nonterminal, Production

        return [
            Production(
                Nonterminal(node.label),
                tuple(c if isinstance(c, str) else Nonterminal(c.label) for c in node.children),
                count=1,
            )
            for node in self.nodes()
        ]

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __setitem__(self, index: Any, value: Any) -> None:
            raise TypeError(
                "trees do not change\n  hint: make another, such as "
                "Tree(tree.label(), [Tree('NP', ['we']), *tree.children[1:]])"
            )

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, attribute_hint(name, _OF_NLTK))

    def pretty_print(self) -> None:
        """Print the tree drawn with characters (:meth:`pretty` returns it)."""
        print(self.pretty())

    def nodes(self) -> Iterator[Tree]:
        """Yield every node in preorder, the root first."""
        stack: list[Tree] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(c for c in reversed(node.children) if isinstance(c, Tree))

    def pos(self) -> list[tuple[str, str]]:
        """Return the words with the labels above them, left to right, as in NLTK.

        >>> Tree.parse("(S (NP We) (VP (VBD slept)))").pos()
        [('We', 'NP'), ('slept', 'VBD')]
        """
        return [
            (child, node.label)
            for node in self.nodes()
            for child in node.children
            if isinstance(child, str)
        ]

    def leaves(self) -> tuple[str, ...]:
        """Return the words, left to right: the yield of the tree."""
        words: list[str] = []
        stack: list[Tree | str] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                words.append(node)
            else:
                stack.extend(reversed(node.children))
        return tuple(words)

    def spans(self) -> tuple[tuple[str, int, int], ...]:
        """Return (label, start, end) of every node in preorder; its words are start to end - 1."""
        spans: list[tuple[str, int, int]] = []
        open_nodes: list[tuple[int, Iterator[Tree | str]]] = []
        word = 0
        coming: Iterator[Tree | str] = iter((self,))
        while True:
            node = next(coming, None)
            if isinstance(node, str):
                word += 1
            elif node is not None:
                open_nodes.append((len(spans), coming))
                spans.append((node.label, word, word))
                coming = iter(node.children)
            elif open_nodes:
                slot, coming = open_nodes.pop()
                spans[slot] = (*spans[slot][:2], word)
            else:
                return tuple(spans)

    def height(self) -> int:
        """Return the number of nodes on the longest path from the root to a word, as in NLTK.

        The word counts: a preterminal has the height 2.
        """
        return fold(self, below, lambda node, heights: 1 + max(heights, default=0))

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or shape(self) == shape(other)

    def __hash__(self) -> int:
        return hash(shape(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # flat, for pickle calls itself; what a subclass has besides comes behind
        return _again, (type(self), shape(self), [getattr(self, f.name) for f in fields(self)[2:]])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing in it can be changed

    def __str__(self) -> str:
        return written(
            self,
            opening=lambda node: f"({escape(node.label)} ",
            leaf=escape,
            between=" ",
            closing=lambda node: ")",
        )

    def __repr__(self) -> str:
        return shown(self)

    def pretty(self) -> str:
        """Return the tree drawn with characters, for a terminal.

        One that is higher than any screen is written in brackets.
        """
        import nltk.tree

        if self.height() > _DRAWN:
            return str(self)
        return str(nltk.tree.TreePrettyPrinter(self.to_nltk()).text())

    def _repr_svg_(self) -> str:
        from grammar.trees.draw import tree_svg

        return tree_svg(self)

    def _repr_html_(self) -> str:
        return self._repr_svg_()

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(self.pretty())


NO_WORDS = Tree("-NONE-", ("*",))
"""What stands under a node without words, as in the Penn Treebank."""


def _again(kind: type[Tree], flat: Sequence[Any], besides: Sequence[Any]) -> Tree:
    """Return the tree of a :func:`~grammar.trees.folding.shape`."""
    made: list[Tree | str] = []
    for node in reversed(flat[1:]):
        made.append(node if isinstance(node, str) else _of_last(Tree, node, made))
    return _of_last(kind, flat[0], made, *besides)


def _of_last(
    kind: type[Tree], node: tuple[str, int], made: list[Tree | str], *besides: Any
) -> Tree:
    label, count = node
    return kind(label, tuple(made.pop() for _ in range(count)), *besides)


def escape(token: str) -> str:
    """Return a token or label as it is written between brackets, in the Penn way.

    >>> escape("("), escape("a(b")
    ('-LRB-', 'a-LRB-b')

    Raises
    ------
    BracketError
        If it is empty or holds white space, which brackets cannot express.
    """
    # exactly the characters that the reader takes for space; others, such as U+00A0, are not
    if not token or any(character in " \t\n\v\f\r" for character in token):
        raise BracketError(
            f"the token {token!r} cannot be written between brackets",
            hint="tokens and labels must not be empty or contain white space",
        )
    for character, name in _ESCAPES.items():
        token = token.replace(character, name)
    return token
