"""Variables of logical forms by their distance, so that a part means the same wherever it stands.

In ``( A , ( _capital ( A ) , _loc ( A , B ) , _state ( B ) , _next_to ( B , C ) , ... ) )`` the
letters say in which order the variables came, so *states that border* is written with other
letters in every question. Here a variable is ``v`` where it stands first, and after that ``v0``
if it is the latest one that can be seen, ``v1`` if it is the one before that, and so on (as the
indices of de Bruijn 1972). A variable can be seen until the list in which it first stood is closed.
"""

from __future__ import annotations

import re

__all__ = ["absolute_variables", "relative_variables"]

_LETTER = re.compile(r"[A-Z]")
_DISTANCE = re.compile(r"v(\d+)")


class _Scope:
    """The variables that can be seen, with the depth of the bracket whose end hides them."""

    def __init__(self) -> None:
        self.lists = [True]
        self.visible: list[tuple[str, int]] = []
        self.known = 0

    def read(self, word: str, before: str) -> None:
        """Open or close a bracket; one without a function before it is a list."""
        if word == "(":
            self.lists.append(before in ("", "(", ","))
        elif word == ")" and len(self.lists) > 1:
            self.lists.pop()
            while self.visible and self.visible[-1][1] >= len(self.lists):
                self.visible.pop()

    def introduce(self) -> str:
        letter = chr(ord("A") + self.known)
        self.known += 1
        owner = max(depth for depth, is_list in enumerate(self.lists) if is_list)
        self.visible.append((letter, owner))
        return letter


def relative_variables(target: str) -> str | None:
    """Write the variables of a form by their distance; None if it cannot be done.

    It cannot if variables do not come in alphabetical order, or one is used where it is hidden.

    Examples
    --------
    >>> relative_variables("( A , ( _state ( A ) , _loc ( B , A ) , _major ( B ) ) )")
    '( v , ( _state ( v0 ) , _loc ( v , v1 ) , _major ( v0 ) ) )'
    """
    scope, words, before = _Scope(), [], ""
    for word in target.split():
        scope.read(word, before)
        before = word
        if _LETTER.fullmatch(word):
            letters = [letter for letter, _ in reversed(scope.visible)]
            if word in letters:
                word = f"v{letters.index(word)}"
            elif word == scope.introduce():
                word = "v"
            else:
                return None
        words.append(word)
    return " ".join(words)


def absolute_variables(target: str) -> str | None:
    """Undo :func:`relative_variables`; None if a distance leads to no variable.

    Examples
    --------
    >>> absolute_variables("( v , _largest ( v0 , _state ( v0 ) ) )")
    '( A , _largest ( A , _state ( A ) ) )'
    >>> absolute_variables("( v0 )")
    """
    scope, words, before = _Scope(), [], ""
    for word in target.split():
        scope.read(word, before)
        before = word
        distance = _DISTANCE.fullmatch(word)
        if word == "v":
            word = scope.introduce()
        elif distance:
            place = int(distance[1])
            if place >= len(scope.visible):
                return None
            word = scope.visible[-1 - place][0]
        words.append(word)
    return " ".join(words)
