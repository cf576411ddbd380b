"""What neural libraries keep for all threads of a process, used by one thread at a time.

torch has one stream of random numbers for all threads, from which ``generate`` and dropout draw;
a tokenizer keeps how it was last asked to cut and to fill up. Without these locks two threads would
mix what they draw, and cut texts as the other asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from grammar.engines.threads import SharedLock
from grammar.errors import SchemaError

__all__ = ["PANIC", "decoded", "lengths", "seeded", "tokenized"]

PANIC = "PanicException"
"""What the tokenizers of Rust raise, which is no Exception."""
_LONGEST = 200

_DRAWING = SharedLock()
_CUTTING = SharedLock()


@contextmanager
def seeded(seed: int, device: Any = None) -> Iterator[None]:
    """Let what torch draws in the block be a function of the seed; behind it, all is as it was.

    Parameters
    ----------
    seed : int
        Of the stream.
    device : torch.device, optional
        Where is drawn, besides this processor.

    Examples
    --------
    >>> import torch
    >>> with seeded(1):
    ...     first = torch.rand(2)
    >>> with seeded(1):
    ...     bool((torch.rand(2) == first).all())
    True
    """
    import torch

    place = torch.device("cpu" if device is None else device)
    with _DRAWING, torch.random.fork_rng([place] if place.type == "cuda" else []):
        if place.type == "cpu":
            torch.default_generator.manual_seed(seed)
        else:
            torch.manual_seed(seed)
        yield


def tokenized(tokenizer: Any, *texts: Any, **how: Any) -> Any:
    """Return what a tokenizer makes of texts.

    Raises
    ------
    SchemaError
        If it fails, or makes rows that are longer than was asked.
    """
    with _cutting(tokenizer):
        cut = tokenizer(*texts, **how)
    longest = how.get("max_length")
    rows = [cut["input_ids"]] if isinstance(texts[0], str) else cut["input_ids"]
    if longest is not None and any(len(row) > longest for row in rows):
        raise _damaged(tokenizer, f"it makes rows of more than {longest} pieces")
    return cut


def lengths(tokenizer: Any, texts: Sequence[str], **how: Any) -> list[int]:
    """Return how many pieces texts have."""
    return [
        len(row) for row in tokenized(tokenizer, list(texts), verbose=False, **how)["input_ids"]
    ]


def decoded(tokenizer: Any, ids: Any, **how: Any) -> list[str]:
    """Return the texts of rows of pieces, without marks."""
    with _cutting(tokenizer):
        texts: list[str] = tokenizer.batch_decode(ids, skip_special_tokens=True, **how)
    return texts


@contextmanager
def _cutting(tokenizer: Any) -> Iterator[None]:
    """Let one thread use tokenizers, and say what fails in them as an error of the model."""
    try:
        with _CUTTING:
            yield
    except BaseException as error:
        # the library raises what it calls a panic, which is no Exception, or a bare Exception
        if type(error) is not Exception and type(error).__name__ != PANIC:
            raise
        raise _damaged(tokenizer, str(error)[:_LONGEST]) from None


def _damaged(tokenizer: Any, what: str) -> SchemaError:
    return SchemaError(
        f"the tokenizer of the model fails: {what}",
        where=str(tokenizer.name_or_path),
        hint="save the tokenizer again, or name another model",
    )
