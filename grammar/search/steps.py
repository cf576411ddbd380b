"""How much work a search may take."""

from __future__ import annotations

from grammar.errors import PatternError
from grammar.progress import checkpoint

__all__ = ["Steps"]

_OF_A_ROW = 10
"""What is kept takes memory, too, and weighs as much as so many nodes that are looked at."""


class Steps:
    """What is left of the work that a search may take.

    Parameters
    ----------
    most : int, optional
        Nodes, and pairs of nodes, that may be looked at; no limit if it is None.

    Examples
    --------
    >>> steps = Steps(100)
    >>> steps.take(60)
    >>> steps.take(60)
    Traceback (most recent call last):
    ...
    grammar.errors.PatternError: <pattern>: the search takes more than 100 steps
      hint: name fewer nodes, say more of each, or search fewer trees
    """

    def __init__(self, most: int | None) -> None:
        self._most, self._left = most, most

    @property
    def left(self) -> int | None:
        """How many steps may still be taken; None if there is no limit."""
        return self._left

    def take(self, looked_at: int) -> None:
        """Count nodes or pairs of nodes that are looked at; a search can be ended here.

        Raises
        ------
        PatternError
            If it is more than what is left.
        """
        checkpoint()
        if self._left is None:
            return
        self._left -= looked_at
        if self._left < 0:
            raise PatternError(
                f"the search takes more than {self._most:,} steps",
                where="<pattern>",
                hint="name fewer nodes, say more of each, or search fewer trees",
            )

    def take_rows(self, rows: int, columns: int) -> None:
        """Count rows that are kept (raises as :meth:`take`)."""
        self.take(_OF_A_ROW * rows * columns)
