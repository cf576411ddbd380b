"""Grammars as teachers: a language model reads sentences of a grammar before it reads text.

    TREEWRIGHT_DATA=FOLDER NLTK_DATA=FOLDER python -m benchmarks.teachers

A small transformer learns from as many tokens of each teacher, then from the validation part of
WikiText-2; its loss is that on the test part (nats a token). Teachers: nothing; nested brackets of
64 kinds; brackets that may cross; sentences of the grammar of NLTK's treebank, and these with each
word in the place of another (``renamed``). After Hu et al. 2025 (arXiv 2502.19249).
Runs that lie under docs/results/teachers are not repeated.
"""

from __future__ import annotations

import gzip
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import nn

from grammar.files import write_text
from induction import induce_pcfg, read_treebank
from sampling import sample_sentences

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "teachers" / "runs.jsonl"
WORDS, WIDTH, LAYERS, HEADS, WINDOW, ROWS = 2_000, 96, 2, 4, 64, 32
END, UNKNOWN, LESSONS, STEPS, JUDGED = 0, 1, 150, 200, 60_000
SEEDS, KINDS = (0, 1, 2), 64


class Model(nn.Module):
    """A causal transformer whose output shares the embeddings of its input."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(WINDOW, WIDTH)
        nn.init.normal_(self.words.weight, std=0.05)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(WIDTH)
        self.mask = nn.Transformer.generate_square_subsequent_mask(WINDOW)

    def loss(self, rows: torch.Tensor) -> torch.Tensor:
        seen = self.words(rows[:, :-1]) + self.places.weight
        found = self.norm(self.layers(seen, mask=self.mask, is_causal=True))
        logits = (found @ self.words.weight.T).flatten(0, 1)
        return nn.functional.cross_entropy(logits, rows[:, 1:].flatten())


def text_of(part: str) -> list[str]:
    path = Path(os.environ["TREEWRIGHT_DATA"]) / "text" / f"wikitext2.{part}.txt.gz"
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return [w for line in lines if not line.strip().startswith("=") for w in [*line.split(), "\n"]]


def brackets(rng: np.random.Generator, *, crossing: bool) -> Iterator[int]:
    """Yield brackets of 64 kinds, each opened with probability 0.49 where one may close."""
    waiting: list[int] = []
    while True:
        if not waiting or rng.random() < 0.49:
            waiting.append(int(rng.integers(KINDS)))
            yield 2 + waiting[-1]
        else:
            place = int(rng.integers(len(waiting))) if crossing else -1
            yield 2 + KINDS + waiting.pop(place)
        if not waiting:
            yield END


def teachers(number: dict[str, int], seed: int) -> dict[str, Callable[[int], np.ndarray]]:
    rng = np.random.default_rng(seed)

    def of_grammar(count: int) -> np.ndarray:
        grammar = induce_pcfg(read_treebank("nltk:treebank"))
        made = sample_sentences(grammar, count // 8, seed=seed, length=(3, 60))
        signs = (number.get(w, UNKNOWN) for t in made.column("text") for w in [*t.split(), "\n"])
        return np.fromiter(signs, np.int64)[:count]

    def renamed(count: int) -> np.ndarray:
        return np.append([END, UNKNOWN], 2 + rng.permutation(WORDS - 2))[of_grammar(count)]

    def of_brackets(count: int, *, crossing: bool) -> np.ndarray:
        return np.fromiter(islice(brackets(rng, crossing=crossing), count), np.int64)

    return {
        "nothing": lambda count: np.empty(0, np.int64),
        "nested": partial(of_brackets, crossing=False),
        "crossing": partial(of_brackets, crossing=True), "renamed": renamed, "grammar": of_grammar,
    }  # fmt: skip


def train(model: Model, tokens: np.ndarray, steps: int, rng: np.random.Generator) -> None:
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps)
    for _ in range(steps):
        begins = rng.integers(0, len(tokens) - WINDOW, ROWS)
        rows = torch.from_numpy(np.stack([tokens[b : b + WINDOW + 1] for b in begins]))
        optimiser.zero_grad()
        model.loss(rows).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        rate.step()


@torch.no_grad()
def judged(model: Model, tokens: np.ndarray) -> float:
    rows = torch.from_numpy(tokens[: len(tokens) // (WINDOW + 1) * (WINDOW + 1)])
    parts = rows.view(-1, WINDOW + 1).split(ROWS)
    return sum(float(model.loss(part)) * len(part) for part in parts) / sum(map(len, parts))


def main() -> None:
    torch.set_num_threads(1)
    learnt, held = text_of("valid"), text_of("test")[:JUDGED]
    frequent = [word for word, _ in Counter(learnt).most_common() if word not in ("\n", "<unk>")]
    number = {"\n": END, **{word: 2 + k for k, word in enumerate(frequent[: WORDS - 2])}}
    texts = [np.array([number.get(w, UNKNOWN) for w in part], np.int64) for part in (learnt, held)]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.touch()
    runs = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    for seed in SEEDS:
        for name, teach in teachers(number, seed).items():
            if any((r["teacher"], r["seed"]) == (name, seed) for r in runs):
                continue
            torch.manual_seed(seed)
            model, began = Model(), time.process_time()
            if len(lesson := teach(LESSONS * ROWS * WINDOW)):
                train(model, lesson, LESSONS, np.random.default_rng(seed))
            before = judged(model, texts[1])
            train(model, texts[0], STEPS, np.random.default_rng(seed))
            after, seconds = judged(model, texts[1]), time.process_time() - began
            runs.append({
                "teacher": name, "seed": seed, "tokens": len(lesson), "before": round(before, 4),
                "loss": round(after, 4), "seconds": round(seconds, 1),
            })  # fmt: skip
            write_text(RESULTS, "".join(f"{json.dumps(run)}\n" for run in runs))
    for name in teachers(number, 0):
        losses = [r["loss"] for r in runs if r["teacher"] == name]
        print(name, [f"{x:.3f}" for x in losses], f"mean {statistics.mean(losses):.3f}")


if __name__ == "__main__":
    main()
