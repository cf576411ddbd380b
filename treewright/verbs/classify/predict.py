"""The verb classify predict: texts in, their classes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any

import typer

from treewright.console import Json, Quiet, show_facts, warnings_said
from treewright.outputs import FILE, Encoding, Force
from treewright.permissions import AllowNetwork
from treewright.verbs.classify.reading import (
    AtLeastOne,
    Device,
    Format,
    TextColumn,
    Threshold,
    read_texts,
    say_what_is_cut,
)

__all__ = ["predict"]

PREDICTED = "predicted"


def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A folder of classify train.")],
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Texts, with or without labels; - for JSON lines.")
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar=FILE, help="The name tells the format: .jsonl .csv ..."
        ),
    ],
    text: TextColumn = None,
    format: Format = None,
    threshold: Threshold = 0.5,
    at_least_one: AtLeastOne = False,
    device: Device = "auto",
    allow_network: AllowNetwork = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the class of each text (or its set of classes), and the probability of every class.

    All columns are kept; predicted and p(CLASS) stand behind them.

    Example: treewright classify predict model new.csv -o named.csv
    """
    from classifiers.examples import texts_of
    from classifiers.saving import facts_of, open_classifier
    from classifiers.scores import names_sets
    from induction.corpus.formats import check_output, write_corpus

    check_output(output)
    opened = open_classifier(model, device=device)
    with warnings_said(quiet=quiet):
        corpus = read_texts(source, text, format)
        texts = texts_of(corpus)
        say_what_is_cut(opened, texts, quiet=quiet)
        shares = opened.probabilities(list(texts))
        kind = facts_of(model)["facts"].get("label_kind") or "string"
        found = predictions(opened, shares, kind, threshold=threshold, at_least_one=at_least_one)
        named = with_predictions(corpus, opened.classes, found, shares)
    write_corpus(named, output)
    classes = chain(*found.to_pylist()) if names_sets(opened) else found.to_pylist()
    counts = Counter(classes)
    facts = {"output": output, "texts": len(named)}
    each = {f"  {name}": counts[name] for name in sorted(counts, key=str)}
    show_facts(facts | each, as_json=as_json, quiet=quiet)


def predictions(model: Any, shares: Any, kind: str, *, threshold: float, at_least_one: bool) -> Any:
    """Return the class of each text, of the type that labels had, or its set of classes."""
    import pyarrow as pa

    from classifiers.predicting import typed_classes
    from classifiers.scores import members, names_sets

    if not names_sets(model):
        return pa.array(typed_classes(model.classes, kind)[shares.argmax(1)])
    mine = members(shares, threshold=threshold, at_least_one=at_least_one)
    sets = [[name for name, own in zip(model.classes, row, strict=True) if own] for row in mine]
    return pa.array(sets, pa.list_(pa.string()))


def with_predictions(corpus: Any, classes: Sequence[str], found: Any, shares: Any) -> Any:
    """Return a corpus with the columns of predictions.

    Raises
    ------
    CorpusError
        If it has such columns already.
    """
    import pyarrow as pa

    from grammar.errors import CorpusError

    made = {PREDICTED: found}
    made |= {f"p({name})": pa.array(shares[:, k]) for k, name in enumerate(classes)}
    for name, column in made.items():
        if name in corpus.names:
            raise CorpusError(
                f"the input has a column {name!r} already", hint="rename it, or leave it out"
            )
        corpus = corpus.with_column(name, column)
    return corpus
