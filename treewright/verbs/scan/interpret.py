"""The verb scan interpret: the actions of a command."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, show_facts
from treewright.terminal import show

__all__ = ["interpret"]


def interpret(
    command: Annotated[
        str, typer.Argument(help="A command, or - for commands on standard input, one a line.")
    ],
    as_json: Json = False,
) -> None:
    """Print the actions of a command.

    Example: treewright scan interpret "jump around left twice"
    """
    from grammar.files import read_text
    from scan.language import interpret as actions_of

    for line in read_text("-").splitlines() if command == "-" else [command]:
        actions = actions_of(line)
        if as_json:
            show_facts({"command": line, "actions": list(actions)}, as_json=True)
        else:
            show(" ".join(actions))
