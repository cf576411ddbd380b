"""What was done to the words of an example: replaced, put in, deleted or moved, and where."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sampling.examples.passages import IN, MOVED, OUT, Span, read_sentence
from sampling.explanations.exchanges import Explained, label_text

__all__ = ["Edit", "edits_of", "explain_edits"]


@dataclass(frozen=True)
class Edit:
    """One operation: what was done, with which words of the source and of the new text.

    ``before`` and ``after`` are (start, end) in words; one of them is empty if words were only put
    in or deleted.
    """

    what: str
    before: tuple[int, int]
    after: tuple[int, int]


def explain_edits(row: Mapping[str, Any], parent: Mapping[str, Any]) -> Explained:
    """Explain an example that was made by editing the words of one text."""
    kept = {"id", "text", *(column for column in row if row[column] is not None)}
    old = read_sentence({k: v for k, v in parent.items() if k in kept})
    new = read_sentence(row)
    put = [
        (span["start"], span["end"])
        for span in row["provenance"]["spans"] or ()
        if span["end"] <= len(new.words)
    ]
    edits = edits_of(old.words, new.words, put)
    kinds = {"replaced": (OUT, IN), "put in": (OUT, IN), "deleted": (OUT, IN)}
    before = [Span(*edit.before, kinds.get(edit.what, (MOVED,))[0]) for edit in edits]
    after = [Span(*edit.after, kinds.get(edit.what, (MOVED, MOVED))[1]) for edit in edits]
    said = []
    for edit in edits:
        source, result = old.said(*edit.before), new.said(*edit.after)
        said.append(_sentence(edit, source, result))
    label = f", label {label_text(row['label'])}" if row.get("label") is not None else ""
    return Explained(
        [
            old.passage(f"source: {parent['id']}{label}", before),
            new.passage(f"new: {row['id']}{label}", after),
        ],
        {"operations": said},
    )


def _sentence(edit: Edit, source: str, result: str) -> str:
    if edit.what == "replaced":
        return f"replaced {source!r} (word {_words(edit.before)}) by {result!r}"
    if edit.what == "put in":
        return f"put in {result!r} (word {_words(edit.after)})"
    if edit.what == "deleted":
        return f"deleted {source!r} (word {_words(edit.before)})"
    return f"moved {source!r} from word {_words(edit.before)} to {_words(edit.after)}"


def _words(span: tuple[int, int]) -> str:
    start, end = span[0] + 1, span[1]
    return str(start) if start == end else f"{start}-{end}"


def edits_of(old: Sequence[str], new: Sequence[str], put: Sequence[tuple[int, int]]) -> list[Edit]:
    """Return the operations that lead from one text to the other, in the order of the new one.

    Parameters
    ----------
    old, new : sequence of str
        Words.
    put : sequence of (start, end)
        Spans of the new words that were put in, as provenance says.

    Examples
    --------
    >>> old, new = "a good old film".split(), "a fine film old !".split()
    >>> for edit in edits_of(old, new, [(1, 2), (4, 5)]):
    ...     print(edit)
    Edit(what='replaced', before=(1, 2), after=(1, 2))
    Edit(what='moved', before=(3, 4), after=(2, 3))
    Edit(what='put in', before=(4, 4), after=(4, 5))
    """
    foreign = {word for start, end in put for word in range(start, end)}
    # words that were put in are none of the source, even if they read alike
    marked = [f"\0{word}" if n in foreign else word for n, word in enumerate(new)]
    matcher = difflib.SequenceMatcher(a=list(old), b=marked, autojunk=False)
    blocks = [block[1:] for block in matcher.get_opcodes() if block[0] != "equal"]
    gone = [n for a, b, _, _ in blocks for n in range(a, b)]
    come = [n for _, _, c, d in blocks for n in range(c, d) if n not in foreign]
    edits = list(_moved(old, new, gone, come))
    settled = {edit.before[0] for edit in edits}, {edit.after[0] for edit in edits}
    for a, b, c, d in blocks:
        left = [n for n in range(a, b) if n not in settled[0]]
        spans = [(n, n + 1) for n in range(c, d) if n not in foreign | settled[1]]
        spans += [(start, end) for start, end in put if c <= start < d]
        edits += _in_block(left, sorted(spans), b, d)
    return sorted(edits, key=lambda edit: (edit.after, edit.before))


def _moved(
    old: Sequence[str], new: Sequence[str], gone: Sequence[int], come: Sequence[int]
) -> Iterator[Edit]:
    """Pair words that stand elsewhere now, the nearest of equal ones."""
    left = list(gone)
    for after in come:
        same = [n for n in left if old[n] == new[after]]
        if same:
            before = min(same, key=lambda n: abs(n - after))
            left.remove(before)
            yield Edit("moved", (before, before + 1), (after, after + 1))


def _in_block(
    gone: Sequence[int], come: Sequence[tuple[int, int]], old_end: int, new_end: int
) -> Iterator[Edit]:
    """Pair the words that left one place with what came there, in order."""
    for n, span in zip(gone, come, strict=False):
        yield Edit("replaced", (n, n + 1), span)
    for span in come[len(gone) :]:
        yield Edit("put in", (old_end, old_end), span)
    for n in gone[len(come) :]:
        yield Edit("deleted", (n, n + 1), (new_end, new_end))
