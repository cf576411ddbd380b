"""The verb linda interpolate: texts between two texts."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet
from treewright.outputs import FILE, Encoding, Force
from treewright.permissions import AllowNetwork
from treewright.terminal import show

__all__ = ["interpolate"]


def interpolate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What linda train wrote.")],
    first: Annotated[str | None, typer.Argument(metavar="[FIRST]", help="A text.")] = None,
    second: Annotated[str | None, typer.Argument(metavar="[SECOND]", help="Another.")] = None,
    pairs: Annotated[
        str | None,
        typer.Option(help="Instead of a corpus: pairs, two texts a line separated by a tab."),
    ] = None,
    alpha: Annotated[
        str, typer.Option(help="Shares of the first text, with commas between.")
    ] = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9",
    beams: Annotated[int, typer.Option(min=1, help="Beams of the search.")] = 4,
    spread: Annotated[
        float,
        typer.Option(min=1e-9, help="What sigma is multiplied by half way: above 1, fewer copies."),
    ] = 3.2,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FILE, help="Write a corpus here; else shown."),
    ] = None,
    device: Annotated[
        str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:N.")
    ] = "auto",
    allow_network: AllowNetwork = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write texts between two texts (LINDA): at alpha 1 the first, at 0 the second.

    Example: treewright linda interpolate linda "I like tea." "She sold her car." --alpha 0.3,0.5
    """
    import json

    from grammar.errors import OptionError
    from sampling.neural.opening import needs_libraries
    from treewright.verbs.linda.reading import pairs_of_file, shares_of

    shares = shares_of(alpha)
    if pairs is not None and (first or second):
        raise OptionError("both texts and --pairs are given", hint="leave one of them out")
    if pairs is not None:
        given = pairs_of_file(pairs)
    elif first and second and first.strip() and second.strip():
        given = [(first, second)]
    else:
        raise OptionError("there are not two texts", hint="give two, or --pairs FILE")
    needs_libraries("linda")
    from sampling.neural.linda.folder import open_interpolator
    from sampling.neural.linda.tables import interpolated

    opened = open_interpolator(model, device=device)
    made = interpolated(opened, given, shares, beams=beams, spread=spread)
    if output is not None:
        from induction.corpus.formats import write_corpus

        write_corpus(made, output)
        return
    for row in made:
        kept = {name: row[name] for name in ("alpha", "text", "first", "second")}
        show(
            json.dumps(kept, ensure_ascii=False) if as_json else f"{row['alpha']:g}\t{row['text']}"
        )
