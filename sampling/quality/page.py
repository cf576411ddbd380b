"""A quality report as one HTML page that needs no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.metadata import version

from sampling.quality.examples import Pair, Piece, example_pairs
from sampling.quality.measures_table import GROUPS, MEASURES
from sampling.quality.plots import NEW, OLD, plots
from sampling.quality.results import Result, Results, written

__all__ = ["page"]

_TILES = (
    "fidelity",
    "affinity",
    "novelty",
    "duplicates",
    "leakage",
    "self_bleu_5",
    "bleu_to_originals_5",
    "length_shift",
)
_TRACK = 120
_ARROW = {"higher": "higher is better", "lower": "lower is better", "near 1": "1 is best", "": ""}

_CSS = f"""
:root {{ --new: {NEW}; --old: {OLD}; --ink: #1f2d3d; --quiet: #5b6875; --line: #e3e7ec; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: #f4f6f8; color: var(--ink); line-height: 1.5;
  font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; }}
main {{ max-width: 1080px; margin: 0 auto; padding: 40px 24px 64px; }}
h1 {{ font-size: 30px; margin: 0; letter-spacing: -0.01em; }}
h2 {{ font-size: 20px; margin: 0 0 12px; }}
h3 {{ font-size: 14px; font-weight: 600; margin: 0 0 8px; }}
.sizes {{ color: var(--quiet); margin: 4px 0 0; }}
.key b {{ font-weight: 600; }}
.key .new {{ color: var(--new); }} .key .old {{ color: var(--old); }}
.tiles {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr));
  gap: 12px; margin: 24px 0; }}
.tile, section {{ background: #fff; border: 1px solid var(--line); border-radius: 10px; }}
.tile {{ padding: 14px 16px; }}
.tile .name {{ color: var(--quiet); font-size: 13px; }}
.tile .value {{ font-size: 26px; font-weight: 650; color: var(--new);
  font-variant-numeric: tabular-nums; }}
.tile .beside {{ font-size: 12.5px; color: var(--quiet); }}
section {{ padding: 22px 24px; margin: 0 0 20px; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }}
th {{ text-align: left; font-size: 12px; font-weight: 600; color: var(--quiet);
  border-bottom: 1px solid var(--line); padding: 4px 10px 4px 0; }}
td {{ padding: 7px 10px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; }}
tr:last-child td {{ border-bottom: 0; }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
td.value {{ color: var(--new); font-weight: 600; }}
td .meaning {{ color: var(--quiet); font-size: 13px; display: block; }}
td code {{ font-size: 12px; color: var(--quiet); }}
.figures {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(380px, 1fr));
  gap: 20px; margin-top: 18px; }}
figure {{ margin: 0; }} figure svg {{ width: 100%; height: auto; max-width: 520px;
  font-family: inherit; }}
.figures svg text {{ font-family: inherit !important; }}
.figures:empty {{ display: none; }}
.pair {{ padding: 10px 0; border-top: 1px solid var(--line); }}
.pair p {{ margin: 2px 0; overflow-wrap: anywhere; }}
.pair .label {{ color: var(--quiet); font-size: 12.5px; display: inline-block; }}
del, ins {{ text-decoration: none; border-radius: 3px; padding: 0 3px; }}
del {{ background: #fbefd6; color: #7a5208; }}
ins {{ background: #dbe9f8; color: #123e6e; }}
h3.examples {{ margin: 20px 0 6px; }}
ul {{ margin: 0; padding-left: 20px; }}
footer {{ color: var(--quiet); font-size: 13px; }}
"""


def page(report: Results, title: str) -> str:
    """Return the page."""
    sizes = ", ".join(f"{count:,} {name}" for name, count in report.sizes.items())
    body = "".join(
        (
            f"<header><h1>{escape(title)}</h1>",
            f'<p class="sizes">{sizes}</p>',
            '<p class="sizes key"><b class="new">Blue</b> is the augmented corpus, '
            '<b class="old">amber</b> the originals, measured alike. '
            "Dashed lines are means.</p></header>",
            f'<div class="tiles">{"".join(_tiles(report))}</div>',
            *_sections(report),
            _examples(report),
            _left_out(report),
            _footer(report),
        )
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_CSS}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _tiles(report: Results) -> Iterator[str]:
    for name in _TILES:
        result = report.results.get(name)
        if result is None:
            continue
        measure = MEASURES[name]
        beside = ""
        if result.original:
            beside = f"originals: {written(result.original.value, measure.share)}"
        yield (
            f'<div class="tile"><div class="name">{escape(measure.title)}</div>'
            f'<div class="value">{written(result.score.value, measure.share)}</div>'
            f'<div class="beside">{beside or _ARROW[measure.better] or "&nbsp;"}</div></div>'
        )


def _sections(report: Results) -> Iterator[str]:
    drawn = list(plots(report))
    for group, question in GROUPS.items():
        rows = [r for name, r in report.results.items() if MEASURES[name].group == group]
        if not rows:
            continue
        figures = "".join(
            f"<figure><h3>{escape(title)}</h3>{svg}</figure>"
            for place, title, svg in drawn
            if place == group
        )
        yield (
            f"<section><h2>{escape(question)}</h2>{_table(rows)}"
            f'<div class="figures">{figures}</div></section>'
        )


def _table(results: Iterable[Result]) -> str:
    rows = "".join(map(_row, results))
    return (
        '<table><thead><tr><th>measure</th><th class="number">augmented</th>'
        '<th class="number">95 % interval</th><th></th><th class="number">originals</th>'
        f"</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(result: Result) -> str:
    measure, score = MEASURES[result.name], result.score
    between = ""
    if score.low is not None and score.high is not None:
        between = f"{written(score.low, measure.share)} to {written(score.high, measure.share)}"
    beside = written(result.original.value, measure.share) if result.original else ""
    better = f"; {_ARROW[measure.better]}" if measure.better else ""
    return (
        f"<tr><td>{escape(measure.title)} <code>{result.name}</code>"
        f'<span class="meaning">{escape(measure.meaning)}{better}</span></td>'
        f'<td class="number value">{written(score.value, measure.share)}</td>'
        f'<td class="number">{between}</td><td>{_track(result)}</td>'
        f'<td class="number">{beside}</td></tr>'
    )


def _track(result: Result) -> str:
    """Draw a score between 0 and 1 on a line, with its interval and the originals' score."""
    score, original = result.score, result.original
    known = [score.value, *(v for v in (score.low, score.high) if v is not None)]
    bounded = MEASURES[result.name].share or MEASURES[result.name].group == "resemblance"
    if not bounded or min(known) < 0 or max(known) > 1:
        return ""

    def at(value: float) -> float:
        return round(6 + (_TRACK - 12) * value, 2)

    marks = [f'<line x1="6" x2="{_TRACK - 6}" y1="9" y2="9" stroke="#e3e7ec" stroke-width="4"/>']
    if score.low is not None and score.high is not None:
        marks.append(
            f'<line x1="{at(score.low)}" x2="{at(score.high)}" y1="9" y2="9" '
            f'stroke="{NEW}" stroke-opacity="0.45" stroke-width="4"/>'
        )
    if original:
        x = at(original.value)
        marks.append(f'<line x1="{x}" x2="{x}" y1="2" y2="16" stroke="{OLD}" stroke-width="2.5"/>')
    marks.append(f'<circle cx="{at(score.value)}" cy="9" r="4.5" fill="{NEW}"/>')
    return (
        f'<svg width="{_TRACK}" height="18" role="img" '
        f'aria-label="on a line from 0 to 1">{"".join(marks)}</svg>'
    )


def _examples(report: Results) -> str:
    parts = []
    for heading, pairs in example_pairs(report):
        parts.append(f'<h3 class="examples">{escape(heading)}</h3>')
        parts.extend(map(_pair, pairs))
    return (
        "<section><h2>Examples</h2><p>Each new text below the original it was made from, or the "
        "nearest one: <del>words that went</del>, <ins>words that came</ins>.</p>"
        f"{''.join(parts)}</section>"
    )


def _pair(pair: Pair) -> str:
    old = " ".join(_marked(piece) for piece in pair.pieces if piece.side != "new")
    new = " ".join(_marked(piece) for piece in pair.pieces if piece.side != "old")
    return (
        f'<div class="pair"><p>{old} <span class="label">{_tag(pair.origin, pair.old_label)}</span>'
        f'</p><p>{new} <span class="label">{_tag(pair.name, pair.new_label)}</span></p></div>'
    )


def _marked(piece: Piece) -> str:
    tag = {"both": "", "old": "del", "new": "ins"}[piece.side]
    text = escape(piece.words)
    return f"<{tag}>{text}</{tag}>" if tag else text


def _tag(name: str, label: str) -> str:
    return escape(f"[{name}; label {label}]" if label else f"[{name}]")


def _left_out(report: Results) -> str:
    if not report.left_out:
        return ""
    items = "".join(
        f"<li><b>{escape(part)}</b>: {escape(why)}</li>" for part, why in report.left_out.items()
    )
    return f"<section><h2>Left out</h2><ul>{items}</ul></section>"


def _footer(report: Results) -> str:
    return (
        "<footer><p>Words are what white space separates. BLEU is that of sentences, with the "
        "closest reference length and a floor of 0.1 matches. Intervals are percentile bootstraps "
        "(1,000 samples; examples of one original are drawn together) or, for types over tokens, "
        f"jackknives; seed {report.material.seed}. treewright {version('treewright')}.</p></footer>"
    )
