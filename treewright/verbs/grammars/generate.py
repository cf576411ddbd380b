"""The verb generate: a language model continues a prompt with sentences of a grammar."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from treewright.console import (
    Backbone,
    GrammarEncoding,
    Json,
    Normalise,
    Quiet,
    Seed,
    show_facts,
    warnings_said,
)
from treewright.outputs import FILE, Force
from treewright.permissions import AllowNetwork
from treewright.terminal import show

__all__ = ["generate"]


def generate(
    grammar: Annotated[
        str, typer.Argument(metavar="GRAMMAR", help="A PCFG, or one of fragments or heads.")
    ],
    model: Annotated[
        str, typer.Option(help="A causal language model: a folder, smollm2, a name on the hub.")
    ],
    prompt: Annotated[str, typer.Option(help="The text that is continued.")] = "",
    n: Annotated[int, typer.Option("-n", min=0, help="Number of texts.")] = 10,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar=FILE,
            help=".jsonl .csv .tsv .parquet .arrow .txt. By default printed.",
        ),
    ] = None,
    particles: Annotated[
        int, typer.Option(min=1, help="Particles for each text. 1: token masks alone, biased.")
    ] = 16,
    weighted: Annotated[
        bool,
        typer.Option(
            "--weighted/--unweighted",
            help="Model times grammar, or the model alone over all sentences of the grammar.",
        ),
    ] = True,
    max_tokens: Annotated[int, typer.Option(min=1, help="The most subword tokens of a text.")] = 64,
    stop: Annotated[
        str, typer.Option(help="Also ends a text; \\n is a line end. In no word of the grammar.")
    ] = "",
    seed: Seed = 0,
    device: Annotated[
        str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:N.")
    ] = "auto",
    allow_network: AllowNetwork = False,
    encoding: GrammarEncoding = "utf-8",
    backbone: Backbone = False,
    normalise: Normalise = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let a causal language model continue a prompt with sentences of a grammar.

    Texts are distributed as the model times the grammar, over all ways to cut them into subword
    tokens. Each has its log-probabilities and the weight that corrects for few particles.

    Example: treewright generate g.json --model smollm2 --prompt "The food was" -o texts.jsonl
    """
    from grammar.opening import open_grammar
    from induction.corpus.formats import check_output, write_corpus
    from sampling.neural.decoding.constrained import generate_constrained

    if output is not None:
        check_output(output)
    opened = open_grammar(grammar, normalise=normalise, encoding=encoding, backbone=backbone)
    with warnings_said(quiet=quiet):
        made = generate_constrained(
            model, opened, prompt, n, seed=seed, particles=particles,
            weighted=weighted, max_tokens=max_tokens, stop=stop.replace("\\n", "\n"),
            device=device,
        )  # fmt: skip
    if output is not None:
        write_corpus(made.corpus(), output)
        facts = {"output": output, "texts": len(made), "seed": seed}
        if len(made):
            facts["log normaliser"] = round(made.log_normaliser, 4)
        show_facts(facts, as_json=as_json, quiet=quiet)
        return
    for row in made.corpus():
        show(json.dumps(row, ensure_ascii=False) if as_json else row["text"])
