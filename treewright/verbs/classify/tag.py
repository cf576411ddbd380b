"""The verb classify tag: entities of texts are found by a tagger trained on others."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, Seed, show_facts
from treewright.outputs import FILE, Encoding, Force
from treewright.terminal import say

__all__ = ["tag"]


def tag(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="Texts with spans: .conll, .jsonl, .spacy, ...")
    ],
    texts: Annotated[str, typer.Argument(metavar="TEXTS", help="A corpus; - is standard input.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FILE, help="TEXTS with the spans found.")
    ],
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Sentences that the tagger looks at; else all ten times."),
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find labelled spans (entities) by a perceptron that is trained on the spot.

    Where TEXTS have spans, those found are scored by them, strictly, and written in their place.

    Example: treewright classify tag train.conll test.conll -o found.conll
    """
    from classifiers.tagging.scores import span_scores
    from classifiers.tagging.tagger import EntityTagger
    from grammar.errors import OptionError
    from induction.corpus.formats import check_output, read_corpus, write_corpus

    if train == texts == "-":
        raise OptionError("both files are standard input", hint="give at least one file by name")
    check_output(output)
    tagger = EntityTagger.train(read_corpus(train), steps=steps, seed=seed)
    corpus = read_corpus(texts)
    found = tagger.tag(corpus)
    write_corpus(found, output)
    count = sum(map(len, found.column("spans")))
    facts: dict[str, object] = {"output": output, "texts": len(found), "spans": count}
    if "spans" in corpus.names:
        say("the spans of the texts score those found, which are written", quiet=quiet)
        for label, scores in span_scores(corpus, found).items():
            name = f"F1 of {label}" if label else "F1"
            facts[name] = round(100 * scores.f1, 1)
            if not label:
                facts["precision"] = round(100 * scores.precision, 1)
                facts["recall"] = round(100 * scores.recall, 1)
    show_facts(facts, as_json=as_json, quiet=quiet)
