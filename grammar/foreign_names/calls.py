"""Functions that say of keyword arguments of other libraries how they are called here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from grammar.errors import OptionError
from grammar.options import refuse_unknown

__all__ = ["names_keywords"]

F = TypeVar("F", bound=Callable[..., Any])


def names_keywords(**hints: str) -> Callable[[F], F]:
    """Have a function refuse keyword arguments that it does not have with a hint.

    Parameters
    ----------
    **hints
        What to say of names that mean something for this function alone.

    Examples
    --------
    >>> @names_keywords(stratify="leave it out")
    ... def share(data, *, seed=0):
    ...     return seed
    >>> share([], seed=1)
    1
    >>> share([], random_state=1)
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: share has no option 'random_state'
      hint: it is called seed here
    """

    def naming(function: F) -> F:
        kinds = inspect.Parameter
        parameters = [
            name
            for name, one in inspect.signature(function).parameters.items()
            if one.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
        ]
        known = frozenset(parameters)
        called = function.__qualname__.removesuffix(".__init__")

        def refuse(given: set[str]) -> None:
            for name in given & hints.keys():
                raise OptionError(f"{called} has no option {name!r}", hint=hints[name])
            refuse_unknown(sorted(given), known - {"self", "cls"}, called)

        def checked(*values: Any, **named: Any) -> Any:
            if not known.issuperset(named):
                refuse(named.keys() - known)
            return function(*values, **named)

        # doctest knows a function of a module by its globals
        globals_: dict[str, Any] = inspect.unwrap(function).__globals__
        made = FunctionType(checked.__code__, globals_, closure=checked.__closure__)
        return cast("F", functools.update_wrapper(made, function))

    return naming
