"""What is compared: files of trees, or grammars, told apart by what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

__all__ = ["divided", "open_source"]

_TREES = ("nltk:", "embedded")


def open_source(name: str, *, encoding: str = "utf-8") -> tuple[Any, dict[str, list[Any]]]:
    """Open a treebank, with variables of its trees, or a grammar, which has none.

    A ``.json`` file is a grammar; so is an ``.arrow`` file that is no treebank, and a file of
    text that does not begin with a bracket and whose name is not that of a table.

    Raises
    ------
    TreewrightError
        As readers of treebanks and grammars do.
    """
    from grammar.opening import open_grammar
    from induction.corpus.tree_variables import read_tree_variables

    if _is_grammar(name):
        return open_grammar(name, encoding=encoding), {}
    return read_tree_variables(name, encoding=encoding)


def _is_grammar(name: str) -> bool:
    from grammar.errors import TreewrightError
    from grammar.files import read_bytes
    from grammar.trees.treebank import Treebank

    plain = PurePath(name.removesuffix(".gz"))
    if name.startswith(_TREES) or not Path(name).is_file():
        return False
    if plain.suffix == ".json":
        return True
    if plain.suffix == ".arrow":
        try:
            Treebank.load(name)
        except TreewrightError:
            return True
        return False
    if plain.suffix not in ("", ".txt", ".cfg", ".pcfg"):
        return False
    return not read_bytes(name).lstrip().startswith((b"(", b"#BOS"))


def divided(
    name: str, variables: Mapping[str, Sequence[Any]], unit: str | None, trees: int
) -> Sequence[Any]:
    """Return the unit of each tree: a variable of it, or the tree itself.

    Raises
    ------
    OptionError
        If the trees have no such variable.
    """
    from grammar.errors import OptionError

    if unit is None or trees == 0:
        return range(trees)
    if unit not in variables:
        raise OptionError(
            f"the trees have no variable {unit!r}",
            where=name,
            hint=f"there are: {', '.join(variables) or 'none; a folder has file'}",
        )
    return variables[unit]
