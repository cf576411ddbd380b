"""The verb structured predict: sentences in, their tags, spans, trees or dependencies out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FILE, Encoding, Force
from treewright.permissions import AllowNetwork
from treewright.terminal import say
from treewright.verbs.structured.reading import read_sentences_of

if TYPE_CHECKING:
    from induction.corpus.corpus import Corpus

__all__ = ["predict"]


def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A folder of structured train.")],
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A corpus with tokens, or words between spaces.")
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar=FILE, help="Output file; its suffix selects the format."
        ),
    ],
    device: Annotated[
        str, typer.Option(help="Where the encoder computes: auto, cpu, cuda, cuda:N.")
    ] = "auto",
    allow_network: AllowNetwork = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what a tagger or a parser says of sentences, in the place of what they had.

    Where they had right answers, those found are scored by them. Raw text is parsed by
    treewright parse MODEL.

    Example: treewright structured predict tagger test.conllu -o found.conllu
    """
    from classifiers.tagging.saving import holds_tagger
    from induction.corpus.formats import check_output, write_corpus

    check_output(output)
    read = _tagged if holds_tagger(model) else _answered
    found, scores = read(model, read_sentences_of(source), device)
    write_corpus(found, output)
    facts: dict[str, object] = {"output": output, "sentences": len(found)}
    if scores:
        say("what the sentences had scores what was found, which is written", quiet=quiet)
        facts |= {name: round(value, 2) for name, value in scores.items()}
    show_facts(facts, as_json=as_json, quiet=quiet)


def _answered(model: str, corpus: Corpus, device: str) -> tuple[Corpus, dict[str, float]]:
    """Return what a model on an encoder says, and how right it is, if that is known."""
    from classifiers.structured.saving import open_structured

    opened = open_structured(model, device=device)
    found = opened.apply(corpus)
    known = {*opened.task.columns} <= {*corpus.names}
    return found, opened.task.score(corpus, found) if known else {}


def _tagged(model: str, corpus: Corpus, device: str) -> tuple[Corpus, dict[str, float]]:
    """Return the same of a perceptron, which computes where it is."""
    from classifiers.tagging.saving import open_tagger
    from classifiers.tagging.scores import points

    tagger = open_tagger(model)
    found = tagger.tag(corpus)
    return found, points(tagger.task, corpus, found) if tagger.task in corpus.names else {}
