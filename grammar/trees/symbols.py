"""The symbol table: names to small whole numbers and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["SymbolTable"]


class SymbolTable:
    """A growing list of distinct names; the id of a name is its position.

    Parameters
    ----------
    names : iterable of str
        Initial names; repeated ones count once.

    Examples
    --------
    >>> table = SymbolTable(["S", "NP"])
    >>> table.add("VP"), table.add("NP")
    (2, 1)
    >>> table[2], table.id("S"), "PP" in table, len(table)
    ('VP', 0, False, 3)
    """

    __slots__ = ("_ids", "_names")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._ids: dict[str, int] = {}
        for name in names:
            self._ids.setdefault(name, len(self._ids))
        self._names = list(self._ids)

    def add(self, name: str) -> int:
        """Return the id of a name, adding it if it is new."""
        identifier = self._ids.setdefault(name, len(self._names))
        if identifier == len(self._names):
            self._names.append(name)
        return identifier

    def id(self, name: str) -> int:
        """Return the id of a name, or -1 if it is not there."""
        return self._ids.get(name, -1)

    def __getitem__(self, identifier: int) -> str:
        return self._names[identifier]

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolTable) and self._names == other._names

    def __hash__(self) -> int:
        return hash(tuple(self._names))

    def __repr__(self) -> str:
        return f"SymbolTable({len(self)} names)"
