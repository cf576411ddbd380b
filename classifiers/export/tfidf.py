"""A TF-IDF classifier as a graph of ONNX: words, their runs, weights, a linear head."""

from __future__ import annotations

from typing import Any

import numpy as np

from classifiers.export.heads import dense_head
from classifiers.training.frozen import TfidfClassifier

__all__ = ["tfidf_graph"]

OPSET, FORMAT = 20, 9
"""The set that has StringSplit, and the version of the file format that goes with it."""


def tfidf_graph(model: TfidfClassifier) -> Any:
    """Return the model, from ``text`` (in lower case, words between single spaces).

    Returns
    -------
    onnx.ModelProto
        With one output, ``probabilities``, float32 of shape (texts, classes).
    """
    from onnx import TensorProto, checker, helper, numpy_helper

    weight, bias = dense_head(model.model, len(model.classes))
    held = {
        "idf": np.asarray(model.vectoriser.idf_, np.float32),
        "weight": weight,
        "bias": bias,
        "one": np.float32(1),
        "tiny": np.float32(1e-12),
        "axis": np.array([1], np.int64),
    }
    graph = helper.make_graph(
        _nodes(model),
        "classifier",
        [helper.make_tensor_value_info("text", TensorProto.STRING, ["texts"])],
        [
            helper.make_tensor_value_info(
                "probabilities", TensorProto.FLOAT, ["texts", len(model.classes)]
            )
        ],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in held.items()],
    )
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=FORMAT,
        producer_name="treewright",
    )  # fmt: skip
    checker.check_model(made)
    return made


def _nodes(model: TfidfClassifier) -> list[Any]:
    """Return the steps of the vectoriser (sublinear counts, idf, length 1), and of the head."""
    from onnx import helper

    last = "Sigmoid" if model.multilabel else "Softmax"
    node = helper.make_node
    return [
        node("StringSplit", ["text"], ["words", "numbers"], delimiter=" "),
        node("TfIdfVectorizer", ["words"], ["counts"], **_pool(model.vectoriser)),
        # 1 + log(count), and 0 of 0
        node("Max", ["counts", "one"], ["at_least_one"]),
        node("Log", ["at_least_one"], ["logs"]),
        node("Min", ["counts", "one"], ["whether"]),
        node("Add", ["whether", "logs"], ["sublinear"]),
        node("Mul", ["sublinear", "idf"], ["weighed"]),
        node("ReduceL2", ["weighed", "axis"], ["length"], keepdims=1),
        node("Max", ["length", "tiny"], ["divisor"]),
        node("Div", ["weighed", "divisor"], ["vector"]),
        node("Gemm", ["vector", "weight", "bias"], ["scores"]),
        node(last, ["scores"], ["probabilities"]),
    ]


def _pool(vectoriser: Any) -> dict[str, Any]:
    """Return the n-grams of a vectoriser as attributes: those of one word first, then of two."""
    terms = [str(term).split(" ") for term in vectoriser.get_feature_names_out()]
    order = sorted(range(len(terms)), key=lambda place: len(terms[place]))
    longest = len(terms[order[-1]])
    starts, pool = [], list[str]()
    for size in range(1, longest + 1):
        starts.append(len(pool))
        pool += [word for place in order if len(terms[place]) == size for word in terms[place]]
    return {
        "mode": "TF", "min_gram_length": 1, "max_gram_length": longest, "max_skip_count": 0,
        "ngram_counts": starts, "ngram_indexes": order, "pool_strings": pool,
    }  # fmt: skip
