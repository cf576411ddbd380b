"""Levels of processors that machine code is compiled for."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import llvmlite.binding
import numba

__all__ = ["LEVELS", "Level", "fitting_levels"]


@dataclass(frozen=True)
class Level:
    """A level of a family of processors, by the names that LLVM has.

    Attributes
    ----------
    name : str
        What LLVM calls a processor of this level.
    machines : frozenset of str
        What ``platform.machine`` says on processors of the family.
    features : frozenset of str
        What a processor must have.
    """

    name: str
    machines: frozenset[str]
    features: frozenset[str]

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables with which numba compiles for this level."""
        return {"NUMBA_CPU_NAME": self.name, "NUMBA_CPU_FEATURES": ""}


_X86 = frozenset({"x86_64", "AMD64"})
LEVELS = (
    Level("x86-64-v3", _X86, frozenset(
        {"avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf",
         "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"}
    )),
    Level("x86-64", _X86, frozenset()),
    Level("generic", frozenset({"aarch64", "arm64", "ARM64"}), frozenset()),
)  # fmt: skip
"""The levels of each family, the highest first (the x86-64 psABI, chapter 3)."""


def fitting_levels() -> list[Level]:
    """Return the levels whose machine code runs here as it is asked for, the highest first.

    Where variables of numba ask for other code (another processor, checked bounds, other
    optimisation) there is none but that of the processor they name.
    """
    config: Any = numba.config
    if config.BOUNDSCHECK or config.DEBUGINFO_DEFAULT or int(config.OPT) != 3:
        return []
    family = [level for level in LEVELS if platform.machine() in level.machines]
    asked = (config.CPU_NAME, config.CPU_FEATURES)
    if asked != (None, None):
        return [level for level in family if asked == (level.name, "")]
    known = llvmlite.binding.get_host_cpu_features()
    has = {name for name, is_there in known.items() if is_there}
    return [level for level in family if level.features <= has]
