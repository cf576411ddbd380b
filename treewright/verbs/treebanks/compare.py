"""The verb compare: how two treebanks or grammars differ."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, Seed, show_facts
from treewright.outputs import FILE, Force
from treewright.terminal import say, show

__all__ = ["compare"]


def compare(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A treebank (file, folder, a name with a star, a table with a column tree, "
            "nltk:NAME, embedded), or a grammar, of which trees are sampled.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="What it is compared with.")],
    unit: Annotated[
        str | None,
        typer.Option(
            help="What is independent: a column of the table, or file. Else each tree by itself, "
            "which finds too much if documents differ."
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option("-n", "--samples", min=1, help="Trees to sample from a grammar.")
    ] = 2000,
    top: Annotated[int, typer.Option(min=1, help="How many rules and words to show.")] = 10,
    html: Annotated[
        str | None, typer.Option(metavar=FILE, help="Write a page with tables and plots here.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar=FILE, help="Draw the rules that differ here: .svg or .png."),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of files of text.")] = "utf-8",
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two treebanks or grammars: rules and words, lengths and depths, coverage.

    Differences are tested against how much units vary, and corrected for how many are compared.

    Example: treewright compare 'gum/GUM_academic_*.ptb' 'gum/GUM_interview_*.ptb' --unit file
    --html genres.html
    """
    from grammar.errors import OptionError
    from grammar.pictures.svg import checked_suffix
    from grammar.trees.treebank import Treebank
    from sampling.comparison.comparison import compare as compared
    from sampling.comparison.comparison import sampled_trees
    from sampling.comparison.sources import divided, open_source

    if a == b == "-":
        raise OptionError("both are standard input", hint="give at least one by name")
    if plot:
        checked_suffix(plot)
    trees, units = [], []
    for place, name in enumerate((a, b)):
        opened, variables = open_source(name, encoding=encoding)
        is_treebank = isinstance(opened, Treebank)
        sampled = opened if is_treebank else sampled_trees(opened, samples, seed + place)
        trees.append(sampled)
        # sampled trees are independent
        units.append(divided(name, variables, unit if is_treebank else None, len(sampled)))
    found = compared(*trees, names=(a, b), units=(units[0], units[1]), seed=seed)
    if as_json:
        show_facts(found.to_dict(top), as_json=True)
    elif not quiet:
        for line in found.lines(top):
            show(line)
    if plot:
        found.show().save(plot)
        say(f"drawn in {plot}", quiet=quiet)
    if html:
        found.save_html(html)
        say(f"written to {html}", quiet=quiet)
