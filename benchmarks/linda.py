"""LINDA's figure 2 on sentences of Tatoeba that the model has not seen, beside two controls.

``python -m benchmarks.linda split FOLDER`` writes train.txt, dev.txt and test.txt, of which the
first is what ``treewright linda train`` is given; ``python -m benchmarks.linda measure FOLDER MODEL
--part test`` measures the model on 300 pairs and prints facts, also as JSON and as a picture.
Settings were chosen on the part dev alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAIRS, HELD = 300, 1000
SHARES = [round(0.1 * k, 1) for k in range(1, 10)]
WORD = re.compile(r"\w+(?:'\w+)?|[^\w\s]")

Mixer = Callable[[Sequence[str], Sequence[str], float], list[str]]


def split(folder: Path) -> None:
    source = Path(os.environ.get("TREEWRIGHT_DATA", "")) / "text" / "tatoeba_eng.txt.gz"
    with gzip.open(source, "rt", encoding="utf-8") as text:
        lines = text.read().splitlines()
    random.Random(0).shuffle(lines)
    parts = {"test": lines[:HELD], "dev": lines[HELD : 2 * HELD], "train": lines[2 * HELD :]}
    for name, texts in parts.items():
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        print(name, len(texts))


def words(text: str) -> list[str]:
    return WORD.findall(text)


def precision(made: str, parent: str) -> float:
    """The share of words that the parent has, each as often as there."""
    own, other = Counter(words(made)), Counter(words(parent))
    return sum((own & other).values()) / max(1, sum(own.values()))


def trigrams(text: str) -> list[tuple[str, ...]]:
    found = words(text)
    return list(zip(found, found[1:], found[2:], strict=False))


def shuffler(first: Sequence[str], second: Sequence[str], alpha: float) -> list[str]:
    """A control: the word at each place is that of one parent or of the other, by chance."""
    made = []
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        draw = random.Random(f"{number} {alpha}")
        a, b = one.split(), other.split()
        length = int(np.ceil(alpha * len(a) + (1 - alpha) * len(b)))
        places = range(length)
        mine = [(a if draw.random() < alpha else b, place / max(1, length - 1)) for place in places]
        made.append(" ".join(w[round(at * (len(w) - 1))] for w, at in mine))
    return made


def switch(first: Sequence[str], second: Sequence[str], alpha: float) -> list[str]:
    """A control: the parent with the larger share; at a half, each in turn."""
    return [
        one if alpha > 0.5 or (alpha == 0.5 and number % 2) else other
        for number, (one, other) in enumerate(zip(first, second, strict=True))
    ]


def curve(mixer: Mixer, first: list[str], second: list[str], seen: set[Any]) -> dict[str, Any]:
    rows, middle = [], []
    for alpha in SHARES:
        made = mixer(first, second, alpha)
        a, b = (
            float(np.mean([precision(m, p) for m, p in zip(made, side, strict=True)]))
            for side in (first, second)
        )
        rows.append([alpha, round(a, 4), round(b, 4)])
        if alpha == 0.5:
            middle = made
    pairs = [w for m in middle for w in zip(words(m), words(m)[1:], strict=False)]
    three = [t for m in middle for t in trigrams(m)]
    to_a, to_b = (np.array([row[k] for row in rows]) for k in (1, 2))
    return {
        "curve": rows,
        "ends": [rows[-1][1], rows[0][2]],
        "rises and falls within .01": bool(
            (np.diff(to_a) >= -0.01).all() and (np.diff(to_b) <= 0.01).all()
        ),
        "precision at .5": rows[4][1:],
        "copies at .5": float(
            np.mean([m in (a, b) for m, a, b in zip(middle, first, second, strict=True)])
        ),
        "attested trigrams at .5": float(np.mean([t in seen for t in three])),
        "adjacent repeats at .5": float(np.mean([one == other for one, other in pairs])),
        "marks of unknown words": sum("<unk>" in m or "�" in m for m in middle),
        "mixes": middle,
    }


def conditions(model: Any, first: list[str], second: list[str], spread: float) -> dict[str, Any]:
    """C1 to C4, with alpha as the share of the first text (the paper's are the other way round)."""
    shares = [alpha for alpha in SHARES if alpha != 0.5]
    of: dict[float, Any] = {}
    for alpha in SHARES:
        both = [
            np.array(
                model.log_probabilities(texts, first, second, [alpha] * len(first), spread=spread)
            )
            for texts in (first, second)
        ]
        of[alpha] = both
    sums = {alpha: np.exp(a) + np.exp(b) for alpha, (a, b) in of.items()}
    above = [(of[s][0] > of[s][1]).mean() for s in shares if s > 0.5]
    below = [(of[s][0] < of[s][1]).mean() for s in shares if s < 0.5]
    finite = all(np.isfinite(v).all() for pair in of.values() for v in pair)
    return {
        "C1 first likelier above .5": float(np.mean(above)),
        "C2 second likelier below .5": float(np.mean(below)),
        "C3 both above zero": bool(finite),
        "C4 median of p(first) + p(second)": {
            str(share): round(float(np.median(v)), 4) for share, v in sums.items()
        },
    }


def throughput(model: Any, first: list[str], second: list[str], beams: int) -> dict[str, float]:
    """Mixes a processor second beside texts of a bare generate(), in batches of like lengths."""
    import torch

    texts = sorted(first, key=len)

    def bare() -> None:
        for begin in range(0, len(texts), 64):
            batch = model.tokenizer(texts[begin : begin + 64], padding=True, return_tensors="pt")
            with torch.no_grad():
                model.model.generate(
                    input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                    num_beams=beams, do_sample=False,
                    max_length=2 * batch["input_ids"].shape[1] + 8,
                )  # fmt: skip

    def mixing() -> None:
        model.interpolate(first, second, [0.5] * len(first), beams=beams, spread=3.2)

    took: dict[str, list[float]] = {"bare": [], "mixing": []}
    for _ in range(3):
        for name, run in (("bare", bare), ("mixing", mixing)):
            began = time.process_time()
            run()
            took[name].append(time.process_time() - began)
    best = {name: min(times) for name, times in took.items()}
    return {
        "mixes / s": len(first) / best["mixing"],
        "generate / s": len(texts) / best["bare"],
        "ratio": best["bare"] / best["mixing"],
    }


def draw(found: dict[str, Any], path: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
    for axis, name in zip(axes, ("LINDA", "word shuffler", "switch"), strict=True):
        alpha, a, b = zip(*found[name]["curve"], strict=True)
        axis.plot(alpha, a, marker="o", markersize=3, label="to the first text")
        axis.plot(alpha, b, marker="s", markersize=3, label="to the second text")
        copies = found[name]["copies at .5"]
        axis.set_title(f"{name}: {100 * copies:.0f} % copies at .5", fontsize=10)
        axis.set_xlabel("α, the share of the first text")
        axis.set_ylim(0, 1.03)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("unigram precision")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(path, dpi=120)


def measure(arguments: argparse.Namespace) -> None:
    import torch

    from sampling.neural.linda.folder import facts_of, open_interpolator

    torch.set_num_threads(1)
    lines = {
        name: (Path(arguments.folder) / f"{name}.txt").read_text("utf-8").splitlines()
        for name in ("train", arguments.part)
    }
    seen = {t for text in lines["train"] for t in trigrams(text)}
    held = lines[arguments.part]
    first, second = held[:PAIRS], held[PAIRS : 2 * PAIRS]
    model = open_interpolator(arguments.model)

    def linda(one: Sequence[str], other: Sequence[str], alpha: float) -> list[str]:
        return model.interpolate(
            one, other, [alpha] * len(one), beams=arguments.beams, spread=arguments.spread
        )

    found: dict[str, Any] = {
        "part": arguments.part, "pairs": PAIRS, "beams": arguments.beams,
        "spread": arguments.spread, "training": facts_of(arguments.model),
        "real sentences: attested trigrams": float(
            np.mean([t in seen for text in held[:PAIRS] for t in trigrams(text)])
        ),
        "LINDA": curve(linda, first, second, seen),
        "word shuffler": curve(shuffler, first, second, seen),
        "switch": curve(switch, first, second, seen),
        "conditions": conditions(model, first, second, 1.0),
        "throughput": throughput(model, first, second, arguments.beams),
    }  # fmt: skip
    mixes = found["LINDA"].pop("mixes")
    for control in ("word shuffler", "switch"):
        del found[control]["mixes"]
    print(json.dumps(found, indent=1))
    for a, b, m in list(zip(first, second, mixes, strict=True))[: arguments.show]:
        print(f"| {a} | {b} | {m} |")
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    if arguments.plot:
        draw(found, arguments.plot)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(required=True)
    one = verbs.add_parser("split")
    one.add_argument("folder")
    one.set_defaults(run=lambda a: split(Path(a.folder)))
    two = verbs.add_parser("measure")
    two.add_argument("folder")
    two.add_argument("model")
    two.add_argument("--part", choices=("dev", "test"), default="dev")
    two.add_argument("--beams", type=int, default=4)
    two.add_argument("--spread", type=float, default=3.2)
    two.add_argument("--show", type=int, default=50)
    two.add_argument("--out")
    two.add_argument("--plot")
    two.set_defaults(run=measure)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
