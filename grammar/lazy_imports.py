"""The face of a room: names fetched when they are first used, from rooms that are all our own.

What a room offers stands once, in its ``__init__.pyi``, as type checkers and editors read it:
``from grammar.trees.tree import Tree as Tree``. The ``__init__`` beside it opens the face, so that
importing a room loads no library, and a name costs what its module costs.

The rooms are top-level packages with names that others use, too: there are distributions called
``grammar`` and ``induction``, and a person's folder may hold a ``sampling.py``. So a room looks
first whether those it stands on are found where it lies itself, and runs none of a stranger's code.
For the same reason a room reads this file from where it lies, and not by the name
``grammar.lazy_imports``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["open_face"]

_BELOW = {
    "grammar": (),
    "induction": ("grammar",),
    "sampling": ("grammar", "induction"),
    "scan": ("grammar", "induction", "sampling"),
    "classifiers": ("grammar", "induction", "sampling"),
    "treewright": ("grammar", "induction", "sampling", "scan", "classifiers"),
}
_NAMES_OF_OTHERS = {
    "Grammar": ("CFG", "PCFG"),
    "Parser": (
        *("ViterbiParser", "ChartParser", "InsideChartParser", "EarleyChartParser"),
        *("BottomUpChartParser", "RecursiveDescentParser", "ShiftReduceParser"),
    ),
    "split": ("train_test_split",),
    "read_corpus": ("load_dataset",),
    "TreeSubstitutionGrammar": ("TSG",),
    "dop_reduction": ("dopreduction",),
}
"""What is here, and how it is called in NLTK, scikit-learn, datasets and disco-dop."""
_COMPILED = {".nbi", ".nbc", ".pyc"}
_SIGN = "open_face(__file__)"


def open_face(init: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__``, which also knows ``__all__``, and ``__dir__`` of a room.

    Parameters
    ----------
    init : str
        The ``__file__`` of the room.

    Raises
    ------
    ImportError
        If something else is found in the place of a room that this one stands on.

    Examples
    --------
    >>> import grammar
    >>> fetch, listed = open_face(grammar.__file__)
    >>> str(fetch("Tree").parse("(S (NP fish) (VP swim))")), "Tree" in listed()
    ('(S (NP fish) (VP swim))', True)
    """
    file = Path(init).resolve()
    room, house = file.parent.name, file.parents[1]
    for below in _BELOW[room]:
        _check_room(below, house)

    @cache
    def homes() -> dict[str, str]:
        return _read_stub(file.with_suffix(".pyi"))

    def fetch(name: str) -> Any:
        if name == "__all__":
            return sorted(homes())
        if name not in homes():
            raise AttributeError(f"module {room!r} has no attribute {name!r}{_called_here(name)}")
        home = import_module(homes()[name])
        if not hasattr(home, name):  # a module of functions that are best read behind its name
            import_module(f"{home.__name__}.{name}")
        value = getattr(home, name)
        setattr(sys.modules[room], name, value)
        return value

    return fetch, lambda: sorted(homes())


def _called_here(name: str) -> str:
    """Return the hint of a name that other toolkits have for something that is here."""
    here = next((here for here, names in _NAMES_OF_OTHERS.items() if name in names), None)
    return f"\n  hint: {name} is called {here} here" if here else ""


def _read_stub(stub: Path) -> dict[str, str]:
    """Return the module of each name; a star stands for all names of another room."""
    homes: dict[str, str] = {}
    for line in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(line, ast.ImportFrom) and line.module is not None:
            if line.names[0].name == "*":
                homes |= _read_stub(stub.parents[1] / line.module / stub.name)
            else:
                homes |= {alias.name: line.module for alias in line.names}
    return homes


def _check_room(room: str, house: Path) -> None:
    """Refuse whatever else is found by the name of a room; nothing of it is run."""
    found = _place(room)
    ours = house / room / "__init__.py"
    if found == ours and _SIGN in ours.read_text("utf-8"):
        return
    if found is None:
        what, hint = f"Treewright's package {room} is not found", "install treewright again"
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
    message = f"{found}: {what} Treewright's package {room}\n  hint: {hint}"
    raise ImportError(message, name=room, path=str(found))


def _place(room: str) -> Path | None:
    """Return the file, or else the folder, that the name of a room leads to."""
    try:
        spec = find_spec(room)
    except ValueError:  # a module without a specification was put there by hand
        origin = getattr(sys.modules[room], "__file__", None)
        return None if origin is None else Path(origin).resolve()
    if spec is None:
        return None
    if spec.origin is not None:
        return Path(spec.origin).resolve()
    return next((Path(folder).resolve() for folder in spec.submodule_search_locations or ()), None)


def _left_over(found: Path) -> list[str]:
    """Return the folders beside one, and itself, that hold compiled kernels and nothing else."""
    rooms = [found.parent / room for room in _BELOW] if found.is_dir() else []
    left = [room for room in rooms if room.is_dir() and not _holds_more(room)]
    return [str(room) for room in left] if found in left else []


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
