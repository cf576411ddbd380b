"""How models learnt, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from grammar.files import PathLike, atomic_output

if TYPE_CHECKING:
    from scan.models.files import Check

__all__ = ["draw_learning_curves"]


def draw_learning_curves(
    histories: Mapping[str, Sequence[Check]],
    tests: Mapping[str, float],
    path: PathLike,
    *,
    title: str,
) -> None:
    """Plot exact match on training pairs against steps; a star is the one look at the test.

    Parameters
    ----------
    histories : mapping of str to sequence of Check
        What each model was during training: its ``history``.
    tests : mapping of str to float
        Its exact match on the test pairs.
    path : path
        A PNG image.
    title : str
        What stands above.

    Raises
    ------
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> from scan import train
    >>> model = train(pairs)  # doctest: +SKIP
    >>> histories, tests = {"lstm": model.history}, {"lstm": 0.4}  # doctest: +SKIP
    >>> draw_learning_curves(histories, tests, "jump.png", title="jump")  # doctest: +SKIP
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 5.5), layout="constrained")
    matches, losses = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for method, history in histories.items():
        steps = [check.update for check in history]
        (line,) = matches.plot(
            steps, [check.exact_match for check in history], marker=".", label=f"{method}, train"
        )
        losses.plot(steps, [check.loss for check in history], marker=".", color=line.get_color())
        matches.plot(
            steps[-1], tests[method], marker="*", markersize=16, linestyle="none",
            color=line.get_color(), label=f"{method}, test: {tests[method]:.2%}", clip_on=False,
        )  # fmt: skip
    matches.set(title=title, ylabel="exact match", ylim=(-0.03, 1.03))
    losses.set(xlabel="steps", ylabel="loss", yscale="log")
    for axes in (matches, losses):
        axes.grid(alpha=0.3)
    matches.legend(title="augmentation", loc="center right")
    with atomic_output(path) as temporary:
        FigureCanvasAgg(figure).print_figure(temporary, dpi=150, format="png")
