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

__all__ = ["decoded", "lengths", "seeded", "tokenized"]


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
    """Return what a tokenizer makes of texts."""
    with _CUTTING:
        return tokenizer(*texts, **how)


def lengths(tokenizer: Any, texts: Sequence[str], **how: Any) -> list[int]:
    """Return how many pieces texts have."""
    return [
        len(row) for row in tokenized(tokenizer, list(texts), verbose=False, **how)["input_ids"]
    ]


def decoded(tokenizer: Any, ids: Any, **how: Any) -> list[str]:
    """Return the texts of rows of pieces, without marks."""
    with _CUTTING:
        texts: list[str] = tokenizer.batch_decode(ids, skip_special_tokens=True, **how)
    return texts
