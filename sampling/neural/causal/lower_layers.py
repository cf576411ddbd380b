"""The first layers of a model: what they make of pieces, with or without changes of low rank.

Nothing behind them computes. Their weights are those of the model, not copies, but for matrices
that are changed.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn

from sampling.neural.causal.adapter import Adapter

__all__ = ["Trunk"]


class Trunk:
    """The layers of a model before one.

    Parameters
    ----------
    body : torch.nn.Module
        A model of Hugging Face without its head.
    layer : int
        So many layers compute; with 0 there are only the embeddings.
    adapter : Adapter, optional
        What changes their matrices.

    Raises
    ------
    ValueError
        If the adapter is of other matrices.
    """

    def __init__(self, body: Any, layer: int, adapter: Adapter | None = None) -> None:
        self._body = copy.deepcopy(body, {id(weight): weight for weight in body.parameters()})
        children = self._body.children()
        layers = next(each for each in children if isinstance(each, nn.ModuleList))
        layers[layer].register_forward_pre_hook(_reach)
        self.matrices = [
            each for one in layers[:layer] for each in one.modules() if isinstance(each, nn.Linear)
        ]
        """Those of the layers, in order."""
        if adapter is not None:
            self._adapt(adapter)

    def states(self, ids: torch.Tensor, **how: Any) -> torch.Tensor:
        """Return what the layers make of pieces, ``[rows, pieces, width]``; ``how`` is the body's.

        Parameters
        ----------
        ids : torch.Tensor
            The numbers of pieces, ``[rows, pieces]``.
        """
        try:
            self._body(input_ids=ids, use_cache=False, **how)
        except _Reached as reached:
            return reached.states
        raise AssertionError("the layer was not reached")

    def _adapt(self, adapter: Adapter) -> None:
        mine = [side for matrix in self.matrices for side in matrix.weight.shape]
        if adapter.shapes.tolist() != mine:  # before one is made that the file has no room for
            raise ValueError("the changes are of other matrices")
        for matrix, change in zip(self.matrices, adapter.changes(), strict=True):
            weight = matrix.weight.detach()
            changed = (weight.float() + torch.from_numpy(change).to(weight.device)).to(weight.dtype)
            matrix.weight = nn.Parameter(changed, requires_grad=False)


class _Reached(Exception):  # noqa: N818 (no error: it ends a computation where it may end)
    """The states that the layers so far have made."""

    def __init__(self, states: torch.Tensor) -> None:
        super().__init__()
        self.states = states


def _reach(_: nn.Module, given: tuple[torch.Tensor, ...]) -> None:
    raise _Reached(given[0])
