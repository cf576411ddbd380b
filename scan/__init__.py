"""SCAN: the language, its interpreter, its splits, and models trained on it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scan.generator import Audit, Disagreement, audit, commands, commands_for, generate
    from scan.language import Actions, CommandError, expansions, interpret, meaning, parse
    from scan.recipe import Recipe
    from scan.splits import SPLITS, Split, read_pairs, split, write_pairs
    from scan.training import exact_match, train

__all__ = [
    "SPLITS",
    "Actions",
    "Audit",
    "CommandError",
    "Disagreement",
    "Recipe",
    "Split",
    "audit",
    "commands",
    "commands_for",
    "exact_match",
    "expansions",
    "generate",
    "interpret",
    "meaning",
    "parse",
    "read_pairs",
    "split",
    "train",
    "write_pairs",
]

# names are fetched when they are first used, so that `import scan` loads no Arrow, lark or torch
_NAMES_BY_MODULE: dict[str, tuple[str, ...]] = {
    "scan.generator": (
        "Audit",
        "Disagreement",
        "audit",
        "commands",
        "commands_for",
        "generate",
    ),
    "scan.language": ("Actions", "CommandError", "expansions", "interpret", "meaning", "parse"),
    "scan.recipe": ("Recipe",),
    "scan.training": ("exact_match", "train"),
    "scan.splits": ("SPLITS", "Split", "read_pairs", "split", "write_pairs"),
}
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'scan' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
