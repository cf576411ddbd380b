"""Reading what a test writes."""

from __future__ import annotations

from typing import Any

from grammar.messages import heard_by
from induction import read_corpus

__all__ = ["read"]


def read(folder: Any, name: str, text: str, **how: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a file without ids, and what was said."""
    (folder / name).write_text(text, encoding="utf-8")
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus(folder / name, **how)
    rows = corpus.table.drop_columns(["id"]).to_pylist()
    return rows, [message.replace(str(folder / name), name) for message in said]
