"""The picture of a confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from classifiers.scores import Scores
from grammar.errors import CorpusError
from grammar.files import PathLike, atomic_output

__all__ = ["draw_confusion"]

CELL = 0.7
"""Inches."""
DARK = 0.6
"""From this share on, numbers are written in white."""


def draw_confusion(scores: Scores, path: PathLike) -> None:
    """Draw how many examples of each class are named as each, as an SVG image.

    Rows are the classes that the examples have, columns what they are named; the colour is the
    share of the row.

    Raises
    ------
    OutputError
        If the file cannot be written.
    CorpusError
        If the classifier names sets of classes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classifiers import read_config, read_examples, score, trainer
    >>> from induction import Corpus
    >>> corpus = Corpus.from_columns(text=["so good", "so bad"] * 4, label=["pos", "neg"] * 4)
    >>> model = trainer(read_config(encoder="tfidf"))(read_examples(corpus))
    >>> place = tempfile.TemporaryDirectory()
    >>> picture = pathlib.Path(place.name, "matrix.svg")
    >>> draw_confusion(score(model, corpus), picture)
    >>> picture.exists()
    True
    >>> place.cleanup()
    """
    if not scores.confusion:
        raise CorpusError(
            "sets of classes (multi-label) have no confusion matrix",
            hint="leave out --plot; precision and recall of each class are in the table",
        )
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    counts = np.array(scores.confusion)
    shares = counts / counts.sum(1, keepdims=True).clip(min=1)
    names = [one.name for one in scores.classes]
    side = CELL * len(names) + 1.8
    figure = Figure(figsize=(side, side), layout="tight")
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
    axes.set(
        xlabel="named", ylabel="class",
        title=f"accuracy {scores.accuracy:.3f}, majority class {scores.majority:.3f}",
    )  # fmt: skip
    plain: dict[str, Any] = {"parse_math": False}
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", **plain)
    axes.set_yticks(range(len(names)), names, **plain)
    for row, column in np.ndindex(*counts.shape):
        color = "white" if shares[row, column] >= DARK else "black"
        axes.text(column, row, f"{counts[row, column]:,}", ha="center", va="center", color=color)
    # the same picture is the same bytes
    same: Any = {"svg.hashsalt": "treewright", "svg.fonttype": "none"}
    with matplotlib.rc_context(same), atomic_output(path) as part:
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(part, metadata={"Date": None})
