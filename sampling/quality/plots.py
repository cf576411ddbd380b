"""The plots of a quality report, as SVG to stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from grammar.arrays import FloatArray
from sampling.quality.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NEW", "OLD", "plots"]

NEW, OLD = "#2563a8", "#c98a1b"
_INK, _QUIET, _GRID = "#1f2d3d", "#5b6875", "#e3e7ec"
_BINS = 40
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text, in the font of the page
    "svg.hashsalt": "treewright",  # equal reports are equal files
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _QUIET,
    "axes.labelcolor": _INK,
    "axes.axisbelow": True,
    "xtick.color": _QUIET,
    "ytick.color": _QUIET,
    "text.color": _INK,
}


_HISTOGRAMS = (
    ("labels", "fidelity_error", "Squared error of the classifier, per text",
     "0 agrees, 2 is certain of another class", None),
    ("overlap", "nearest_similarity", "Similarity to the nearest original",
     "Jaccard index of bigrams; 1 is a copy", 1.0),
    ("resemblance", "self_bleu_5", "Self-BLEU-5, per text", "BLEU-5 to the other texts", 1.0),
    ("resemblance", "bleu_to_originals_5", "BLEU-5 to the originals, per new text",
     "BLEU-5 to all originals", 1.0),
    ("shift", "mean_length", "Length of the texts", "words", None),
    ("derivations", "log_probability", "Log-probability of the derivations",
     "natural logarithm", None),
)  # fmt: skip


def plots(report: Results) -> Iterator[tuple[str, str, str]]:
    """Yield the group, the title and the SVG of every plot that the results allow."""
    results = report.results
    if "label_shift" in results:
        yield "labels", "Share of each class", _drawn(lambda axes: _classes(axes, report))
    for group, name, title, label, top in _HISTOGRAMS:
        if name in results:
            result = results[name]
            # against the originals, an original's own score would be that against the others
            old = None if name == "bleu_to_originals_5" else result.each_original
            series = [("augmented", result.each, NEW), ("originals", old, OLD)]
            yield group, title, _histogram(series, label, top=top)
    if "rarefied_distinct_1" in results:
        yield "variety", "distinct-n at equal size", _drawn(lambda axes: _distinct(axes, report))


def _drawn(draw: Callable[[Axes], None]) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(5.2, 2.7), layout="constrained")
        axes = figure.subplots()
        axes.grid(axis="y", color=_GRID)
        axes.tick_params(length=0)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    # the drawing alone: a page needs no second XML header, and sets the size itself
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"|(<svg)', r"\1\2", svg, count=1)


def _histogram(
    series: list[tuple[str, FloatArray | None, str]], label: str, *, top: float | None = None
) -> str:
    known = [(name, v[~np.isnan(v)], colour) for name, v, colour in series if v is not None]
    known = [(name, values, colour) for name, values, colour in known if len(values)]

    def draw(axes: Axes) -> None:
        low = 0.0 if top else min(float(v.min()) for _, v, _ in known)
        high = top or max(float(v.max()) for _, v, _ in known)
        whole = all(np.equal(v, np.round(v)).all() for _, v, _ in known)
        bins = _edges(low, high, whole=whole and top is None)
        for name, values, colour in known:
            shares = np.histogram(values, bins)[0] / len(values)
            axes.stairs(shares, bins, fill=True, color=colour, alpha=0.18)
            axes.stairs(shares, bins, color=colour, linewidth=1.8, label=name)
            axes.axvline(float(values.mean()), color=colour, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.set(xlabel=label, ylim=(0, None))
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
        if len(known) > 1:
            axes.legend(frameon=False)

    return _drawn(draw)


def _edges(low: float, high: float, *, whole: bool) -> FloatArray:
    if whole:
        step = max(1, int(np.ceil((high - low + 1) / _BINS)))
        return np.arange(low, high + step + 0.5, step) - 0.5
    return np.linspace(low, high if high > low else low + 1, _BINS + 1)


def _distinct(axes: Axes, report: Results) -> None:
    found = [report.results.get(f"rarefied_distinct_{n}") for n in (1, 2, 3)]
    there = [result for result in found if result and result.original]
    new = [result.score.value for result in there]
    old = [result.original.value for result in there if result.original]
    _beside(axes, np.array(old), np.array(new))
    axes.set(xlabel="length of the n-grams", ylim=(0, 1))
    axes.set_xticks(np.arange(len(there)), [str(n + 1) for n in range(len(there))])


def _classes(axes: Axes, report: Results) -> None:
    from sampling.examples.labels import has_sets
    from sampling.quality.measures.fidelity import shared_classes, shared_labels

    corpora = report.material.augmented, report.material.originals
    made, given = shared_labels(*corpora)
    _beside(axes, given.mean(axis=0), made.mean(axis=0))
    axes.set(xlabel="class", xlim=(-0.6, made.shape[1] - 0.4))
    if made.shape[1] <= 20:
        names = shared_classes(*corpora) if has_sets(corpora[1]) else report.material.class_names
        if len(names) == made.shape[1]:  # as text: $5 is no mathematics
            axes.set_xticks(np.arange(made.shape[1]), names, parse_math=False)
        else:
            axes.set_xticks(np.arange(made.shape[1]))


def _beside(axes: Axes, old: FloatArray, new: FloatArray) -> None:
    """Draw shares of the originals and of the augmented corpus side by side."""
    place = np.arange(len(old))
    axes.bar(place - 0.2, old, 0.38, color=OLD, label="originals")
    axes.bar(place + 0.2, new, 0.38, color=NEW, label="augmented")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    # above the bars, which may reach any height
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 0.98), ncols=2)
