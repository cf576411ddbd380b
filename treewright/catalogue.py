"""What there is, models or methods: each with its options, their defaults, meaning and source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treewright.flags import panels
from treewright.terminal import show

if TYPE_CHECKING:
    from induction.models import Model
    from sampling.method import Method

__all__ = ["show_catalogue"]

Table = Mapping[str, "Model | Method"]


def show_catalogue(table: Table, name: str | None, what: str, *, as_json: bool) -> None:
    """Print the names of a table, or one of them with its options.

    Raises
    ------
    OptionError
        If there is no such name; the hint has the nearest.
    """
    from grammar.options import named

    if name is not None:
        one = named(name, table, what)
        show(json.dumps(described(one), indent=2, ensure_ascii=False) if as_json else _page(one))
        return
    if as_json:
        show(json.dumps([described(one) for one in table.values()], indent=2, ensure_ascii=False))
        return
    width = max(map(len, table))
    for one in table.values():
        show(f"{one.name:<{width}}  {one.title}")


def described(one: Model | Method) -> dict[str, Any]:
    """Return all that is declared of a model or a method, as values that JSON can hold."""
    options = [
        {
            "name": o.name,
            "kind": o.kind,
            "default": _plain(o.default),
            "code": _plain(o.code),
            "can be": o.bounds,
            "help": o.help,
            "source": o.source,
        }
        for o in one.options
    ]
    return {
        "name": one.name,
        "title": one.title,
        "reads": one.reads,
        "saved as": list(one.suffixes),
        "python": f"{one.module}.{one.qualname}",
        "options": options,
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | tuple) else str(value)


def _page(one: Model | Method) -> str:
    saved = ", ".join(one.suffixes) or "no file"
    lines = (
        f"{one.name}: {one.title}",
        f"reads      {one.reads}",
        f"saved as   {saved}",
        f"in Python  {one.module}.{one.qualname}",
    )
    return "\n".join(lines) + "\n" + panels({one.name: one.options}, sources=True).rstrip()
