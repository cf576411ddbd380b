"""The verb classify predict: texts in, their classes out."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.console import Json, Quiet, show_facts, warnings_said
from treewright.outputs import FILE, Force
from treewright.permissions import AllowNetwork
from treewright.verbs.classify.reading import (
    Device,
    Format,
    TextColumn,
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
    device: Device = "auto",
    allow_network: AllowNetwork = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the class of each text, and the probability of every class.

    All columns are kept; predicted and p(CLASS) stand behind them.

    Example: treewright classify predict model new.csv -o named.csv
    """
    from classifiers.examples import texts_of
    from classifiers.saving import facts_of, open_classifier
    from induction.corpus.formats import check_output, write_corpus

    check_output(output)
    opened = open_classifier(model, device=device)
    with warnings_said(quiet=quiet):
        corpus = read_texts(source, text, format)
        texts = texts_of(corpus)
        say_what_is_cut(opened, texts, quiet=quiet)
        named = with_predictions(corpus, opened, texts, facts_of(model)["facts"])
    write_corpus(named, output)
    counts = {name: named.column(PREDICTED).count(name) for name in set(named.column(PREDICTED))}
    facts = {"output": output, "texts": len(named)}
    each = {f"  {name}": counts[name] for name in sorted(counts, key=str)}
    show_facts(facts | each, as_json=as_json, quiet=quiet)


def with_predictions(corpus: Any, model: Any, texts: Any, facts: dict[str, Any]) -> Any:
    """Return a corpus with the columns of predictions.

    Raises
    ------
    CorpusError
        If it has such columns already.
    """
    import pyarrow as pa

    from grammar.errors import CorpusError
    from sampling.examples.class_names import named

    shares = model.probabilities(list(texts))
    kind = facts.get("label_kind") or "string"
    classes = named(pa.array(shares.argmax(1)), tuple(model.classes), kind)
    made = {PREDICTED: classes}
    made |= {f"p({name})": pa.array(shares[:, k]) for k, name in enumerate(model.classes)}
    for name, column in made.items():
        if name in corpus.names:
            raise CorpusError(
                f"the input has a column {name!r} already", hint="rename it, or leave it out"
            )
        corpus = corpus.with_column(name, column)
    return corpus
