"""The card of a trained classifier: on what, how and how well it was trained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["card_rows", "card_text"]


def card_text(held: Mapping[str, Any]) -> str:
    """Return the card of a classifier as Markdown.

    Parameters
    ----------
    held : mapping
        ``kind``, ``classes``, ``config``, and ``facts`` with ``data``, ``manifest``,
        ``unlabelled``, ``training`` and ``scores``, each a mapping of what to what, or absent.

    Examples
    --------
    >>> print(card_text({"kind": "tfidf", "classes": ["a", "b"], "config": {"C": 1.0},
    ...                  "facts": {"scores": {"accuracy": 0.5}}}).split("## Scores")[1].strip())
    | | |
    | --- | --- |
    | accuracy | 0.5 |
    """
    return "\n".join(_lines(held)) + "\n"


def _lines(held: Mapping[str, Any]) -> Iterator[str]:
    yield from ("---", "library_name: treewright", "pipeline_tag: text-classification", "---", "")
    yield f"# A text classifier of {len(held['classes'])} classes"
    if held["config"].get("multilabel"):
        yield from ("", "A text is of any number of classes (multi-label).")
    yield from ("", f"Classes: {', '.join(held['classes'])}.", "")
    yield "Use it with `treewright classify predict`, or `classifiers.open_classifier`."
    if held["kind"] not in ("tfidf", "from scratch"):
        yield (
            "`AutoModel` and `AutoTokenizer` of transformers open its encoder; the head lies in "
            "`head.safetensors`."
        )
    yield from card_rows(held["facts"], held["config"], tfidf=held["kind"] == "tfidf")


def card_rows(facts: Mapping[str, Any], config: Mapping[str, Any], *, tfidf: bool) -> Iterator[str]:
    """Yield the tables of a card: data, config, training and scores.

    Parameters
    ----------
    facts, config : mapping
        As in :func:`card_text`.
    tfidf : bool
        Whether the options about encoders are left out.
    """
    if tfidf:
        config = {
            name: config[name]
            for name in ("encoder", "C", "ngrams", "class_weight", "multilabel")
            if name in config
        }
    named = (
        ("Data", facts.get("data")),
        ("New examples", facts.get("manifest")),
        ("Unlabelled texts", facts.get("unlabelled")),
        ("TrainingConfig", config),
        ("Training", facts.get("training")),
        ("Scores", facts.get("scores")),
    )
    for title, rows in named:
        if rows:
            yield from ("", f"## {title}", "", "| | |", "| --- | --- |")
            yield from (f"| {name} | {_cell(value)} |" for name, value in rows.items())
    if not facts.get("scores"):
        yield from ("", "## Scores", "", "It was not tested when it was trained.")


def _cell(value: Any) -> str:
    shown = f"{value:.4g}" if isinstance(value, float) else str(value)
    return shown.replace("|", "\\|").replace("\n", " ")
