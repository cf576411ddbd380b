"""Reading Penn brackets: our kernel against ``nltk.Tree.fromstring`` over the same text."""

from __future__ import annotations

import nltk
from nltk.corpus import treebank as sample

from benchmarks.timing import compare
from grammar import Treebank


def main() -> None:
    text = sample.raw(sample.fileids())
    pieces = [str(tree) for tree in Treebank.parse(text)]
    lines = "\n".join(pieces)
    print(f"NLTK's treebank sample: {len(pieces):,} trees, {len(lines):,} characters")
    compare(
        "read brackets, one tree a line",
        lambda: Treebank.parse(lines),
        lambda: [nltk.Tree.fromstring(piece) for piece in pieces],
        bar=20,
    )
    raw = list(_top_level(text))
    compare(
        "read brackets, the files as they are",
        lambda: Treebank.parse(text),
        lambda: [nltk.Tree.fromstring(chunk) for chunk in raw],
        bar=20,
    )


def _top_level(text: str) -> list[str]:
    chunks, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character == "(":
            if depth == 0:
                start = i
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                chunks.append(text[start : i + 1])
    return chunks


if __name__ == "__main__":
    main()
