"""A comparison as a page that needs nothing else: no script, no file, no address."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from grammar.pictures.html import html_table

__all__ = ["comparison_page"]

_CSS = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2d3d; max-width: 960px; margin: 2em auto;
  padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 3px 10px; text-align: left; border-bottom: 1px solid #d5dbe1; }
td + td, th + th { text-align: right; }
tr td:first-child, th:first-child { font-family: ui-monospace, monospace; }
svg { max-width: 100%; height: auto; }
.note { color: #5b6875; font-size: 13px; }
"""
_NOTE = (
    "Log-odds with an informative Dirichlet prior of 1,000 occurrences (Monroe, Colaresi & Quinn "
    "2008), positive where A has more, with intervals of 95 %. p: the larger of G² over the design "
    "effect between units (Rao & Scott) and the exact binomial test, corrected by Holm's method "
    "for how many are compared. Compared is what occurs five times or more. Divergences are the "
    "plug-in estimate; expected is its mean over 99 random divisions of all units, which p is of, "
    "too."
)
_HEADER = ("name", "A", "B", "per 1,000 in A", "in B", "log-odds", "95 %", "p (Holm)")


def comparison_page(facts: Mapping[str, Any], pictures: Mapping[str, str], *, whole: bool) -> str:
    """Return a page, or what stands inside of one.

    Parameters
    ----------
    facts : mapping
        As ``Comparison.to_dict`` returns them.
    pictures : mapping of str to str
        SVG of each kind of differences.
    whole : bool
        Whether it is a page.
    """
    a, b = map(str, facts["names"])
    title = f"{a} and {b} compared"
    body = "".join((_summary(facts), *(_section(k, facts, pictures) for k in facts["differences"])))
    body += f'<p class="note">{escape(_NOTE)}</p>'
    if not whole:
        return body
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_CSS}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>\n"
    )


def _summary(facts: Mapping[str, Any]) -> str:
    sizes = [
        (f"{side}: {name}", f"{trees:,} trees", f"{units:,} units")
        for side, name, trees, units in zip(
            "AB", facts["names"], facts["trees"], facts["units"], strict=True
        )
    ]
    coverage = [
        (
            kind,
            *(
                f"{one[share]:.1%}"
                for one in sides.values()
                for share in ("occurrences", "distinct")
            ),
        )
        for kind, sides in facts["coverage"].items()
    ]
    apart = [
        (
            kind,
            f"{one['jensen_shannon_bits']:.4f}",
            f"{one['expected_bits']:.4f}",
            f"{one['p']:.2f}",
        )
        for kind, one in facts["divergences"].items()
    ]
    of_a_by_b = ("A's occurrences in B", "distinct", "B's occurrences in A", "distinct")
    return (
        html_table(sizes)
        + "<h2>Coverage</h2>"
        + html_table(coverage, header=("", *of_a_by_b))
        + "<h2>Divergence</h2>"
        + html_table(apart, header=("", "Jensen-Shannon, bits", "expected", "p"))
    )


def _section(kind: str, facts: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    found = facts["differences"][kind]
    rows = [
        (
            row["name"],
            f"{row['count_a']:,}",
            f"{row['count_b']:,}",
            f"{row['per_1000_a']:.2f}",
            f"{row['per_1000_b']:.2f}",
            f"{row['log_odds']:+.2f}",
            f"{row['low']:+.2f} to {row['high']:+.2f}",
            f"{row['p_holm']:.2g}",
        )
        for row in found["rows"]
    ]
    passing = f"{found['passing']:,} of {found['compared']:,} pass 0.05."
    return (
        f"<h2>{escape(kind.capitalize())}</h2><p>{passing}</p>{pictures.get(kind, '')}"
        + html_table(rows, header=_HEADER)
    )
