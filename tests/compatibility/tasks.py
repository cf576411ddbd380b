"""Tasks of users of other tools: what one types first, and what its error asks for."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

__all__ = ["Task", "carried_out", "each"]

BEFORE = "import treewright as tw\nfrom treewright import *\n"


class Task(NamedTuple):
    """Lines as typed; if they end in an error, what its hint says, and the lines that follow it."""

    typed: str
    hint: str = ""
    mended: str = ""
    needs: Sequence[str] = ()


def each(tasks: dict[str, Task]) -> Any:
    """Parametrise a test by tasks."""
    return pytest.mark.parametrize("task", tasks.values(), ids=tasks.keys())


def carried_out(task: Task, folder: Any, monkeypatch: Any) -> None:
    """Run the lines of a task in a folder; where they fail, those that its hint asks for."""
    for name in task.needs:
        if name == "NLTK_DATA":
            if not os.environ.get(name):
                pytest.skip("NLTK's data are not here")
        elif importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    monkeypatch.chdir(folder)
    if not task.hint:
        exec(BEFORE + task.typed, {})
        return
    with pytest.raises(Exception) as caught:  # noqa: PT011 (the hint is what matters)
        exec(BEFORE + task.typed, {})
    assert task.hint in str(caught.value)
    exec(BEFORE + task.mended, {})
