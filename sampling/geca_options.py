"""The options of GECA, and what the two modes of ``faithful`` set them to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from grammar.errors import OptionError

__all__ = ["Draw", "Pool", "Settings", "settings_of", "whole_number"]

Draw = Literal["uniform", "weighted", "corpus"]
Pool = Literal["fragments", "templates"]

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "paper": {
            "draw": "uniform",
            "pool": "fragments",
            "disjoint": False,
            "max_host_length": None,
            "max_adjacencies": None,
            "variants": None,
            "limit": None,
        },
        "code": {
            "draw": "corpus",
            "pool": "templates",
            "disjoint": True,
            "max_host_length": 39,
            "max_adjacencies": 1000,
            "variants": 2,
            "limit": 1000,
        },
    }
)
"""What each mode of ``faithful`` sets; see :meth:`GECA.induce`."""


@dataclass(frozen=True)
class Settings:
    """How GECA induces and draws; see :meth:`sampling.geca.GECA.induce`."""

    gaps: int
    size: int
    window: int | None
    max_count: int | None
    max_length: int | None
    max_host_length: int | None
    pool: str
    disjoint: bool
    max_adjacencies: int | None
    variants: int | None
    limit: int | None
    draw: str


def settings_of(faithful: str, options: Mapping[str, Any]) -> Settings:
    """Fill in what the mode sets for every option that is None, and check the values.

    Raises
    ------
    OptionError
        If the mode is not known, or an option has a value that cannot be used.
    """
    if faithful not in PRESETS:
        raise OptionError(
            f"faithful={faithful!r} is not a mode", hint=f"use one of {', '.join(PRESETS)}"
        )
    preset = PRESETS[faithful]
    chosen: dict[str, Any] = {
        name: preset.get(name) if value is None else value for name, value in options.items()
    }
    _check(chosen)
    return Settings(**chosen)


def _check(options: Mapping[str, Any]) -> None:
    """Refuse option values that cannot be used."""
    for name in ("gaps", "size"):
        whole_number(name, options[name], 1)
    optional = (
        "window",
        "max_count",
        "max_length",
        "max_host_length",
        "max_adjacencies",
        "variants",
        "limit",
    )
    for name in optional:
        if options[name] is not None:
            whole_number(name, options[name], 1)
    for name, values in (
        ("pool", ("fragments", "templates")),
        ("draw", ("uniform", "weighted", "corpus")),
    ):
        if options[name] not in values:
            raise OptionError(
                f"{name}={options[name]!r} is not known", hint=f"use one of {', '.join(values)}"
            )
    if not isinstance(options["disjoint"], bool):
        raise OptionError(
            f"disjoint={options['disjoint']!r} is not known", hint="use True or False"
        )
    if options["max_adjacencies"] is not None and options["pool"] == "fragments":
        raise OptionError(
            "max_adjacencies limits neighbouring templates, but pool='fragments' has none",
            hint="leave it out, or add pool='templates'",
        )


def whole_number(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of ``least`` or more (OptionError)."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(
            f"{name}={value!r} is not a whole number >= {least}", hint=f"for example {name}={least}"
        )
