"""What folders of trained models have in common: the encoder, the head beside it, one clear error.

How such a folder is saved, sealed and checked is said in :mod:`grammar.saving.folders`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import MissingDataError, SchemaError, TreewrightError, located, to_install
from grammar.files import PathLike
from grammar.saving.folders import check_files, read_facts

__all__ = [
    "arrays_of",
    "damage_told",
    "facts_of_model",
    "read_head",
    "write_encoder",
    "write_head",
]

_HEAD = "head.safetensors"

_KINDS = {
    "treewright.classifier": ("a classifier", "treewright classify predict"),
    "treewright.structured": ("a tagger or parser on an encoder", "treewright structured predict"),
    "treewright.tagger": ("a tagger without an encoder", "treewright structured predict"),
}
"""What folders hold, by their schema, and what takes them."""


def facts_of_model(folder: PathLike, schema: str, what: str, verb: str) -> dict[str, Any]:
    """Return what a folder says of its model (:func:`~grammar.saving.folders.read_facts`)."""
    return read_facts(folder, schema, what, verb, _KINDS)


@contextmanager
def damage_told(
    folder: Path, held: Mapping[str, Any], what: str, hint: str
) -> Iterator[dict[str, Path]]:
    """Open a model in this context: damage becomes one clear error.

    It gives the files that may be read, by name.

    Raises
    ------
    SchemaError
        If a file is not as it was saved, or they do not make a model.
    MissingDataError
        If a library is missing.
    """
    files = check_files(folder, held, hint)
    with located(str(folder)):
        try:
            yield files
        except TreewrightError:
            raise
        except ImportError as error:
            raise MissingDataError(
                f"opening it needs {error.name}", hint=to_install("neural")
            ) from None
        except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
            raise SchemaError(f"{what} is damaged: {error}", hint=hint) from None


def arrays_of(module: Any) -> dict[str, NDArray[Any]]:
    """Return the weights of a module by name."""
    return {name: value.detach().cpu().numpy() for name, value in module.state_dict().items()}


def write_encoder(encoder: Any, model: Any, folder: Path, classes: Sequence[str] = ()) -> None:
    """Write an encoder with the weights of a model, and the names of classes, if there are any."""
    if classes:
        model.config.id2label = dict(enumerate(classes))
        model.config.label2id = {name: number for number, name in enumerate(classes)}
    model.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)


def write_head(arrays: Mapping[str, NDArray[Any]], folder: Path) -> None:
    """Write the arrays of a head."""
    from safetensors.numpy import save_file

    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()},
              folder / _HEAD)  # fmt: skip


def read_head(files: Mapping[str, Path], hint: str) -> dict[str, NDArray[Any]]:
    """Read the arrays of a head (raises SchemaError if they are damaged)."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(files[_HEAD]))
    except (OSError, SafetensorError) as error:
        raise SchemaError(f"its head is damaged: {error}", hint=hint) from None
