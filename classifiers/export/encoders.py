"""A classifier on an encoder as a graph of ONNX: from pieces to probabilities."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.encoders.encoding import pool
from classifiers.export.heads import dense_head
from classifiers.networks.finetuning import FineTuned
from classifiers.training.frozen import FrozenClassifier

__all__ = ["write_graph"]

OPSET = 17


class _Whole(nn.Module):
    """Encoder, pooling and head in one, in float32."""

    def __init__(self, model: FrozenClassifier | FineTuned, names: list[str]) -> None:
        super().__init__()
        self.names, self.pooling = names, model.config.pooled
        self.frozen = isinstance(model, FrozenClassifier)
        self.multilabel = model.multilabel
        self.body, self.head = _body(model), _head(model)

    def forward(self, *inputs: Tensor) -> Tensor:
        """Return the probabilities of all classes."""
        given = dict(zip(self.names, inputs, strict=True))
        states = self.body(**given).last_hidden_state
        vectors = pool(states, given["attention_mask"], self.pooling)
        if self.frozen:
            vectors = vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1e-12)
        scores: Tensor = self.head(vectors)
        return scores.sigmoid() if self.multilabel else scores.softmax(1)


def write_graph(model: FrozenClassifier | FineTuned, path: Path) -> list[str]:
    """Write the graph of a model, and return the names of its inputs."""
    # of unlike length, so that what fills up a batch is part of the graph
    batch = model.encoder.pieces(["a", "a b c d e f"])
    names = list(batch)
    whole = _Whole(model, names).cpu().eval()
    free = {name: {0: "texts", 1: "pieces"} for name in names}
    with warnings.catch_warnings(), torch.inference_mode(False), torch.no_grad():
        warnings.simplefilter("ignore")  # of the tracer, on sizes that do not change
        torch.onnx.export(
            whole, tuple(value.cpu() for value in batch.values()), str(path), input_names=names,
            output_names=["probabilities"], opset_version=OPSET, dynamo=False,
            dynamic_axes={**free, "probabilities": {0: "texts"}},
        )  # fmt: skip
    return names


def _body(model: FrozenClassifier | FineTuned) -> Any:
    """Return the encoder as it reads for the classifier: what does not learn is rounded."""
    frozen_layers = 0 if isinstance(model, FrozenClassifier) else model.model.frozen_layers
    if isinstance(model, FrozenClassifier) or frozen_layers:
        body = copy.deepcopy(model.encoder.half).float()
    else:
        body = copy.deepcopy(model.model.body).float()
    body.set_attn_implementation("eager")
    if frozen_layers:
        upper = model.model.body.layer
        for layer, learnt in zip(body.encoder.layer[frozen_layers:], upper, strict=True):
            layer.load_state_dict(learnt.state_dict())
        body.encoder.layer[frozen_layers].register_forward_pre_hook(_rounded)
    return body


def _rounded(_: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Round states as they are kept between the lower half and the upper one."""
    states, *others = inputs
    return (states.to(torch.bfloat16).float(), *others)


def _head(model: FrozenClassifier | FineTuned) -> nn.Module:
    if isinstance(model, FineTuned):
        head: nn.Module = model.model.head
        return head
    weight, bias = dense_head(model.model, len(model.classes))
    made = nn.Linear(*weight.shape)
    made.load_state_dict({"weight": torch.tensor(weight.T), "bias": torch.tensor(bias)})
    return made
