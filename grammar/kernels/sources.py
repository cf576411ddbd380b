"""The sources that a kernel is made of: its module, and those of kernels and constants it uses."""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

__all__ = ["ROOT", "digest_of", "sources_of"]

ROOT = Path(__file__).parents[2]
"""The folder that holds the packages."""

_FROZEN = (Dispatcher, bool, int, float, str, tuple, np.generic, np.ndarray, ModuleType)
"""What a kernel takes from another module when it is compiled."""


@functools.cache
def digest_of(source: str) -> str:
    """Return the hash of a source, named from :data:`ROOT`; of one that is not there, nothing."""
    try:
        return hashlib.sha256((ROOT / source).read_bytes()).hexdigest()
    except OSError:
        return ""


@functools.cache
def sources_of(module: str) -> list[str]:
    """Return the files that the kernels of an imported module are made of, named from ROOT.

    >>> sources_of("grammar.rng")
    ['grammar/rng.py']
    """
    found: dict[str, None] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _path_of(name)
        if path is not None and path not in found:
            found[path] = None
            waiting.extend(_used_modules(name, (ROOT / path).read_text("utf-8")))
    return sorted(found)


def _path_of(name: str) -> str | None:
    """Return the file of a module of these packages."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None or not Path(file).is_relative_to(ROOT):
        return None
    inside = Path(file).relative_to(ROOT)
    return None if "site-packages" in inside.parts else inside.as_posix()


def _used_modules(name: str, text: str) -> Iterator[str]:
    """Yield the modules from which a module has what its kernels may be compiled with."""
    here: dict[str, Any] = vars(sys.modules[name])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                value = here.get(alias.asname or alias.name)
                if isinstance(value, ModuleType):
                    yield value.__name__
                elif isinstance(value, _FROZEN):
                    yield node.module
                    if isinstance(value, Dispatcher):
                        yield value.py_func.__module__
