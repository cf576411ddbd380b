"""An immutable, ordered, labelled tree: for people, and for the edges of the system.

Work that loops over many trees is done on :class:`grammar.trees.treebank.Treebank` columns instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grammar.errors import BracketError

if TYPE_CHECKING:
    import nltk

    from grammar.arrays import IntArray
    from grammar.trees.symbols import SymbolTable

__all__ = ["Tree", "escape"]

_ESCAPES = {"(": "-LRB-", ")": "-RRB-"}


@dataclass(frozen=True, slots=True)
class Tree:
    """A labelled node over children that are trees or words (``str``).

    Parameters
    ----------
    label : str
        Category or part-of-speech tag.
    children : tuple of Tree or str
        At least one.

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

    label: str
    children: tuple[Tree | str, ...]

    def __post_init__(self) -> None:
        if not self.children or not isinstance(self.children, tuple):
            raise BracketError(
                f"the children of {self.label!r} are {self.children!r}",
                hint="give a tuple of words and subtrees, such as ('word',)",
            )

    @classmethod
    def parse(cls, text: str) -> Tree:
        """Read exactly one bracketed tree.

        An empty outer label, as in ``( (S ...))``, is read away.

        Raises
        ------
        BracketError
            If the brackets are unbalanced or empty, or there is not exactly one tree.
        """
        from grammar.trees.brackets import UNLABELLED_ROOT, read_brackets

        names, label, size, offsets = read_brackets(text.encode("utf-8"), "<string>")
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
        children: list[Tree | str] = []
        child, end = root + 1, root + int(size[root])
        while child < end:
            is_word = size[child] == 1
            children.append(
                names[label[child]] if is_word else cls.from_columns(names, label, size, child)
            )
            child += int(size[child])
        return cls(names[label[root]], tuple(children))

    @classmethod
    def from_nltk(cls, tree: nltk.Tree) -> Tree:
        """Convert an ``nltk.Tree`` whose leaves are strings."""
        children = (c if isinstance(c, str) else cls.from_nltk(c) for c in tree)
        return cls(str(tree.label()), tuple(children))

    def to_nltk(self) -> nltk.Tree:
        """Convert to an ``nltk.Tree``."""
        import nltk

        return nltk.Tree(
            self.label, [c if isinstance(c, str) else c.to_nltk() for c in self.children]
        )

    def nodes(self) -> Iterator[Tree]:
        """Yield every node in preorder, the root first."""
        stack: list[Tree] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(c for c in reversed(node.children) if isinstance(c, Tree))

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

        def visit(node: Tree, start: int) -> int:
            slot = len(spans)
            spans.append((node.label, start, start))
            end = start
            for child in node.children:
                end = end + 1 if isinstance(child, str) else visit(child, end)
            spans[slot] = (node.label, start, end)
            return end

        visit(self, 0)
        return tuple(spans)

    def height(self) -> int:
        """Return the number of nodes on the longest path from the root to a preterminal."""
        return 1 + max((c.height() for c in self.children if isinstance(c, Tree)), default=0)

    def __str__(self) -> str:
        pieces = [escape(c) if isinstance(c, str) else str(c) for c in self.children]
        return f"({escape(self.label)} {' '.join(pieces)})"

    def pretty(self) -> str:
        """Return the tree drawn with characters, for a terminal."""
        import nltk.tree

        return str(nltk.tree.TreePrettyPrinter(self.to_nltk()).text())

    def _repr_svg_(self) -> str:
        from grammar.trees.draw import tree_svg

        return tree_svg(self)

    def _repr_html_(self) -> str:
        return self._repr_svg_()

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(self.pretty())


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
