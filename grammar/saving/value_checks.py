"""What JSON of a file must be before anything uses it, declared as a value of the same form.

A declaration is a type (``str``, ``int``, ``float``, ``bool``), ``None``, ``object`` for anything,
a tuple of alternatives, a list with the kind of every item, a dictionary of fields (a name that
ends in ``?`` may be missing), ``{ANY: kind}`` for a dictionary with any names, :class:`Whole` for
whole numbers between bounds, or :class:`Only` for one of some texts. Fields that are not declared
are nobody's business.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grammar.errors import SchemaError
from grammar.files import PathLike, read_text

__all__ = ["ANY", "Only", "Whole", "read_declared", "value_fault"]

ANY = ""
"""Stands in a declaration for all names of a dictionary."""
_MOST = 2**63 - 1
_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false",
          list: "a list", dict: "an object"}  # fmt: skip


@dataclass(frozen=True)
class Whole:
    """A whole number from ``least`` to ``most``."""

    least: int = 0
    most: int = _MOST

    def __str__(self) -> str:
        return f"a whole number from {self.least}" + (f" to {self.most}" * (self.most != _MOST))


@dataclass(frozen=True)
class Only:
    """One of some texts."""

    texts: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(map(repr, self.texts))


def value_fault(value: Any, declared: Any, at: str = "") -> str | None:
    """Return the first place where a value is not what is declared, and what it is; None if it is.

    >>> declared = {"path": str, "rows?": Whole(), "columns": {ANY: (str, None)}}
    >>> value_fault({"path": "a", "columns": {"text": None}}, declared)
    >>> value_fault({"path": "a", "columns": {"text": 3}}, declared)
    'columns.text is 3, not a text or null'
    >>> value_fault({"path": "a", "columns": [], "rows": -1}, declared)
    'rows is -1, not a whole number from 0'
    >>> value_fault({"columns": {}}, declared)
    'path is missing'
    """
    if isinstance(declared, Mapping) and isinstance(value, dict):
        return _fields_fault(value, declared, at)
    if isinstance(declared, list) and isinstance(value, list):
        faults = (
            value_fault(item, declared[0], f"{at}[{number}]") for number, item in enumerate(value)
        )
        return next(filter(None, faults), None)
    if isinstance(declared, tuple):
        within = [one for one in declared if isinstance(one, Mapping | list)]
        if within and isinstance(value, dict | list):
            return value_fault(value, within[0], at)
        fits = any(value_fault(value, one, at) is None for one in declared)
    else:
        fits = _fits(value, declared)
    return None if fits else f"{at or 'it'} is {_shown(value)}, not {_told(declared)}"


def read_declared(path: PathLike, declared: Any, *, what: str, hint: str) -> Any:
    """Return the value that a JSON file holds.

    Parameters
    ----------
    path : str or path
        The file.
    declared : Any
        What it must hold.
    what, hint : str
        What the file should be, and how to get one, for the error.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    SchemaError
        If it holds no JSON, or something else than what is declared.
    """
    try:
        held = json.loads(read_text(path))
        fault = value_fault(held, declared)
    except (ValueError, RecursionError) as error:
        fault = str(error)
    if fault is not None:
        raise SchemaError(f"not {what}: {fault}", where=str(path), hint=hint)
    return held


def _fields_fault(value: Mapping[str, Any], declared: Mapping[str, Any], at: str) -> str | None:
    before = f"{at}." if at else ""
    if ANY in declared:
        wanted = dict.fromkeys(value, declared[ANY])
    else:
        wanted = {name.removesuffix("?"): kind for name, kind in declared.items()}
        missing = next((k for k in declared if not k.endswith("?") and k not in value), None)
        if missing is not None:
            return f"{before}{missing} is missing"
    faults = (
        value_fault(value[name], kind, f"{before}{name:.40}")
        for name, kind in wanted.items()
        if name in value
    )
    return next(filter(None, faults), None)


def _fits(value: Any, declared: Any) -> bool:
    if declared is object or value is declared is None:
        return True
    if isinstance(declared, Only):
        return isinstance(value, str) and value in declared.texts
    if isinstance(declared, Whole):
        return type(value) is int and declared.least <= value <= declared.most
    if declared is float:
        return type(value) is float or (type(value) is int and abs(value) <= _MOST)
    return isinstance(declared, type) and type(value) is declared


def _told(declared: Any) -> str:
    if isinstance(declared, tuple):
        return " or ".join(map(_told, declared))
    if declared is None:
        return "null"
    if isinstance(declared, list | Mapping):
        declared = list if isinstance(declared, list) else dict
    return _NAMES.get(declared) or str(declared)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return _NAMES[type(value)]
    shown = "null" if value is None else f"{value!a}"
    return shown if len(shown) <= 40 else f"{shown[:40]}..."
