"""Lazy imports: public names are fetched when they are first used.

The public names of a package are listed once, in its ``__init__.pyi``, as type checkers and
editors read it: ``from grammar.trees.tree import Tree as Tree``. The ``__init__`` beside it
calls :func:`open_package`, so that importing a package loads no library.

These top-level names are used by other projects, too: there are distributions called ``grammar``
and ``induction``, and a user's folder may hold a ``sampling.py``. So each package first checks
that the packages that it imports lie beside it, and runs no foreign code. For the same reason a
package reads this file by its path, and not by the name ``grammar.lazy_imports``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from opcode import opmap
from pathlib import Path
from types import FrameType
from typing import Any

__all__ = ["open_package"]

_BELOW = {
    "grammar": (),
    "induction": ("grammar",),
    "sampling": ("grammar", "induction"),
    "scan": ("grammar", "induction", "sampling"),
    "classifiers": ("grammar", "induction", "sampling"),
    "treewright": ("grammar", "induction", "sampling", "scan", "classifiers"),
}
_COMPILED = {".nbi", ".nbc", ".pyc"}
_SIGN = "open_package(__file__)"


def open_package(init: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__``, which also knows ``__all__``, and ``__dir__`` of a package.

    Parameters
    ----------
    init : str
        The ``__file__`` of the package.

    Raises
    ------
    ImportError
        If something else is found in the place of a package that this one imports.

    Examples
    --------
    >>> import grammar
    >>> fetch, listed = open_package(grammar.__file__)
    >>> str(fetch("Tree").parse("(S (NP fish) (VP swim))")), "Tree" in listed()
    ('(S (NP fish) (VP swim))', True)
    """
    file = Path(init).resolve()
    package, root = file.parent.name, file.parents[1]
    for below in _BELOW[package]:
        _check_package(below, root)

    @cache
    def homes() -> dict[str, str]:
        return _read_stub(file.with_suffix(".pyi"))

    def fetch(name: str) -> Any:
        if name == "__all__":
            return sorted(homes())
        if name not in homes():
            hint = _called_here(name)
            # a module that is half imported is found where all modules are
            there = f"{package}.{name}" in sys.modules
            if hint and not there and _is_importing(sys._getframe(1)):
                what = f"cannot import name {name!r} from {package!r}{hint}"
                raise ImportError(what, name=package, path=str(file))
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        home = import_module(homes()[name])
        if not hasattr(home, name):  # a module of functions that are best read behind its name
            import_module(f"{home.__name__}.{name}")
        value = getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    return fetch, lambda: sorted(homes())


def _is_importing(frame: FrameType) -> bool:
    """Say whether a frame is at ``from package import name``: it drops what an error would say."""
    at = frame.f_lasti
    return at >= 0 and frame.f_code.co_code[at] == opmap["IMPORT_FROM"]


def _called_here(name: str) -> str:
    """Return the hint of a name that other toolkits have for something that is here."""
    from grammar.foreign_names.top_level import name_hint

    hint = name_hint(name)
    return f"\n  hint: {hint}" if hint else ""


def _read_stub(stub: Path) -> dict[str, str]:
    """Return the module of each name; a star stands for all names of another package."""
    homes: dict[str, str] = {}
    for line in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(line, ast.ImportFrom) and line.module is not None:
            if line.names[0].name == "*":
                homes |= _read_stub(stub.parents[1] / line.module / stub.name)
            else:
                homes |= {alias.name: line.module for alias in line.names}
    return homes


def _check_package(package: str, root: Path) -> None:
    """Refuse whatever else is found by the name of a package; no code of it runs."""
    found = _find(package)
    ours = root / package / "__init__.py"
    if found == ours and _SIGN in ours.read_text("utf-8"):
        return
    if found is None:
        what, hint = f"Treewright's package {package} is not found", "install treewright again"
        raise ImportError(f"{ours}: {what}\n  hint: {hint}")
    owner = _owner(found)
    of = f"of the distribution {owner} " if owner else ""
    what = f"this {'folder' if found.is_dir() else 'file'} {of}is found in the place of"
    if owner:
        hint = f"pip uninstall {owner}, then install treewright again; or give each a venv"
    elif left := _left_over(found):
        hint = "an earlier installation left it, with what it had compiled: rm -r " + " ".join(left)
    elif found in (ours, ours.parent):
        hint = "it was written over: install treewright again"
    else:
        hint = "rename it, or start in another folder: on Python's path it comes before Treewright"
    message = f"{found}: {what} Treewright's package {package}\n  hint: {hint}"
    raise ImportError(message, name=package, path=str(found))


def _find(package: str) -> Path | None:
    """Return the file, or else the folder, that the name of a package leads to."""
    try:
        spec = find_spec(package)
    except ValueError:  # a module without a specification was put there by hand
        origin = getattr(sys.modules[package], "__file__", None)
        return None if origin is None else Path(origin).resolve()
    if spec is None:
        return None
    if spec.origin is not None:
        return Path(spec.origin).resolve()
    return next((Path(folder).resolve() for folder in spec.submodule_search_locations or ()), None)


def _left_over(found: Path) -> list[str]:
    """Return the folders beside one, and itself, that hold compiled kernels and nothing else."""
    packages = [found.parent / name for name in _BELOW] if found.is_dir() else []
    left = [one for one in packages if one.is_dir() and not _holds_more(one)]
    return [str(one) for one in left] if found in left else []


def _holds_more(folder: Path) -> bool:
    kept = (file for file in folder.rglob("*") if file.is_file())
    return any(file.suffix not in _COMPILED for file in kept) or not any(folder.iterdir())


def _owner(found: Path) -> str | None:
    """Return the name of the other distribution that a file belongs to, if it is known."""
    from importlib.metadata import distributions

    for one in distributions():
        folder = Path(str(one.locate_file(""))).resolve()
        if one.name != "treewright" and found.is_relative_to(folder):
            inside = found.relative_to(folder).as_posix()
            if any(str(file) == inside for file in one.files or ()):
                return one.name
    return None
