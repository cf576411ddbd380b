"""The verb scan language: one small language, to read or as files."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, Seed, show_facts
from treewright.outputs import FOLDER, Force
from treewright.terminal import show

__all__ = ["LanguageName", "language"]

LanguageName = Annotated[
    str, typer.Argument(help="A feature, such as order or modifiers; or invented-7 for seed 7.")
]


def language(
    name: LanguageName,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FOLDER, help="Output folder; created if needed."),
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the grammar of a small language, or write it with training and held-out pairs.

    A language has one feature, or is invented from a seed.

    Example: treewright scan language order -o order
    """
    from grammar.files import made_folder
    from scan.languages.tasks import named_task
    from scan.splits import write_pairs

    spoken, parts = named_task(name, seed=seed)
    if output is None:
        show(f"# {spoken.about}\n{spoken.grammar.to_text()}".rstrip())
        return
    folder = made_folder(output)
    spoken.grammar.save(folder / "grammar.txt")
    for part, pairs in (("train", parts.train), ("test", parts.test)):
        write_pairs(pairs, folder / f"{part}.txt")
    sizes = {"train": len(parts.train), "test": len(parts.test)}
    facts = {"language": name, "about": spoken.about, "rules": len(spoken.grammar), **sizes}
    show_facts({**facts, "folder": output}, as_json=as_json, quiet=quiet)
