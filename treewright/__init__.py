"""The front door: the command line and a short list of public names.

Names are fetched when they are first used, so that ``treewright --help`` loads no numeric library.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import Any

__all__ = [
    "GECA",
    "Corpus",
    "Grammar",
    "Tree",
    "Treebank",
    "TreewrightError",
    "__version__",
    "induce_pcfg",
    "interpret",
    "read_corpus",
    "read_treebank",
    "sample_sentences",
]

__version__ = _version("treewright")

_HOMES = {
    "GECA": "sampling",
    "Corpus": "induction",
    "Grammar": "grammar",
    "Tree": "grammar",
    "Treebank": "grammar",
    "TreewrightError": "grammar",
    "induce_pcfg": "induction",
    "interpret": "scan",
    "read_corpus": "induction",
    "read_treebank": "induction",
    "sample_sentences": "sampling",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
