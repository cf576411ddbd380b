"""Models on the hub of Hugging Face: found in its cache, or fetched after a word."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from grammar.errors import MissingDataError
from grammar.messages import tell
from sampling.neural.model_folder import CONFIG, PATTERNS, weights_of

__all__ = ["cached_model", "fetched_model", "is_hub_name"]

_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


def is_hub_name(name: str) -> bool:
    """Say whether a model on the hub can have a name.

    >>> is_hub_name("google/flan-t5-small"), is_hub_name("../model")
    (True, False)
    """
    return _NAME.fullmatch(name) is not None


def cached_model(name: str) -> Path | None:
    """Return the folder of a model in the cache; None if not all of it is there."""
    import huggingface_hub

    try:
        found = Path(
            huggingface_hub.snapshot_download(
                name, local_files_only=True, allow_patterns=list(PATTERNS)
            )
        )
        names = {path.name for path in found.iterdir()}
        return found if CONFIG in names and weights_of(found, names) else None
    except (OSError, ValueError):
        return None


def fetched_model(name: str) -> Path:
    """Fetch a model into the cache, having said from where and how large it is.

    Only weights in safetensors, settings and pieces are fetched.

    Raises
    ------
    MissingDataError
        If there is no such model, none with weights in safetensors, or no network.
    """
    import huggingface_hub

    try:
        sizes = _sizes(huggingface_hub.HfApi().model_info(name, files_metadata=True))
        if not any(file.endswith(".safetensors") for file in sizes):
            raise MissingDataError(
                "it has no weights in safetensors, and pickles are not read",
                where=name,
                hint="ask its authors to convert it: https://huggingface.co/spaces/safetensors/"
                "convert",
            )
        where = huggingface_hub.constants.ENDPOINT
        tell(f"fetching the model {name} from {where}: {sum(sizes.values()) / 1e6:,.1f} MB")
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=list(PATTERNS)))
    except MissingDataError:
        raise
    except Exception as error:  # what fails in a network depends on the library
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise MissingDataError(f"the model {name!r} is not to be had: {lines[0]}") from None


def _sizes(found: Any) -> dict[str, int]:
    """Return the files of a model that are read, with their bytes."""
    files = {one.rfilename: int(one.size or 0) for one in found.siblings or ()}
    return {
        file: size
        for file, size in files.items()
        if any(fnmatch(file, pattern) for pattern in PATTERNS)
    }
