"""The precision of numbers: bfloat16 where this machine multiplies faster in it, else float32.

A processor without instructions for bfloat16 emulates it, at a tenth of the speed of float32. So a
product is timed once in each, and the answer holds for the process. Weights are rounded to bfloat16
either way, so that models differ in the last bits of what they compute, and in nothing else.
"""

from __future__ import annotations

import copy
import functools
import time
from contextlib import AbstractContextManager
from typing import Any

import torch

__all__ = ["bfloat16_is_fast", "is_low", "lowered", "number_type", "rounded", "seconds_of_product"]

_ROWS, _WIDTH = 64, 512
_TRIES = 5
_FASTER = 1.5
"""By so much bfloat16 must be faster: with instructions for it, it is twice as fast or more."""


def number_type(device: torch.device) -> torch.dtype:
    """Return the type of numbers in which a device reads fastest: bfloat16 or float32."""
    return torch.bfloat16 if bfloat16_is_fast(device) else torch.float32


@functools.cache
def bfloat16_is_fast(device: torch.device) -> bool:
    """Say whether a device multiplies faster in bfloat16 than in float32; of a processor, measured.

    Parameters
    ----------
    device : torch.device
        Where models compute.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu":
        return True
    short, long = (seconds_of_product(kind) for kind in (torch.bfloat16, torch.float32))
    return _FASTER * short < long


def seconds_of_product(kind: torch.dtype) -> float:
    """Return the seconds that the processor takes for a small product of matrices, the fewest."""
    rows, matrix = torch.ones(_ROWS, _WIDTH, dtype=kind), torch.ones(_WIDTH, _WIDTH, dtype=kind)
    taken = []
    with torch.inference_mode():
        for _ in range(_TRIES + 1):  # the first prepares what the others use
            began = time.perf_counter()
            rows @ matrix
            taken.append(time.perf_counter() - began)
    return min(taken[1:])


def rounded(model: Any) -> Any:
    """Return a copy of a model for reading: weights rounded to bfloat16, in the fastest type.

    Parameters
    ----------
    model : torch.nn.Module
        It is left as it is; others may hold it.
    """
    held = copy.deepcopy(model).requires_grad_(False)
    numbers = [each for each in (*held.parameters(), *held.buffers()) if each.is_floating_point()]
    if numbers and bfloat16_is_fast(numbers[0].device):
        return held.to(torch.bfloat16)
    for each in numbers:  # where they lie, as they need not be allocated anew
        each.copy_(each.to(torch.bfloat16))
    return held.to(torch.float32)


def is_low(asked: str, device: torch.device) -> bool:
    """Say whether training multiplies in bfloat16: ``bf16``, ``fp32``, or ``auto`` where fast.

    >>> is_low("bf16", torch.device("cpu")), is_low("fp32", torch.device("cpu"))
    (True, False)
    """
    return asked == "bf16" or (asked == "auto" and bfloat16_is_fast(device))


def lowered(asked: str, device: torch.device) -> AbstractContextManager[Any]:
    """Return a context in which a model of float32 multiplies as :func:`is_low` says."""
    return torch.autocast(device.type, torch.bfloat16, enabled=is_low(asked, device))
