"""The verb sample: sentences from a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.opening import open_grammar
from treewright.screen import Json, Quiet, Seed, counted, read_length, show_facts

if TYPE_CHECKING:
    from grammar.grammar import Grammar
    from sampling.sentences import Derivable

__all__ = ["sample"]


def sample(
    grammar: Annotated[str, typer.Argument(metavar="GRAMMAR", help="A .json or text file, or -.")],
    n: Annotated[int, typer.Option("-n", min=0, help="How many sentences.")] = 10,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help=".parquet .arrow .jsonl .csv .tsv .txt; else shown."),
    ] = None,
    length: Annotated[
        str | None, typer.Option(help="Only sentences of so many words, exactly: 5:20.")
    ] = None,
    trees: Annotated[bool, typer.Option("--trees", help="With their trees.")] = False,
    distribution: Annotated[
        str, typer.Option(help="Rule probabilities: mle uniform tempered inverse-frequency.")
    ] = "mle",
    temperature: Annotated[
        float, typer.Option(help="For tempered: above 1 flatter, below 1 sharper.")
    ] = 1.0,
    start: Annotated[int, typer.Option(min=0, help="Number of the first example.")] = 0,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="PCFG: make the weights of each symbol sum to one.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Threads; they change nothing.")] = 1,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw sentences from a grammar, each with exactly its probability.

    Other rule probabilities than the grammar's own may have sentences grow without end; a length
    band is then asked for, and conditioned on exactly.

    Example: treewright sample wsj.json -n 1000 --length 5:20 --trees -o sentences.jsonl
    """
    from induction.formats import check_output, write_batches
    from sampling.sentences import sentence_batches

    if output is not None:
        check_output(output)
    band = read_length(length)
    loaded = _open(grammar, normalise=normalise)
    loaded = _reweighted(loaded, distribution, temperature, bounded=band is not None)
    batches = sentence_batches(
        loaded, n, seed=seed, start=start, length=band, trees=trees, workers=workers
    )
    if output is None:
        _print_examples(batches, trees=trees, as_json=as_json)
        return
    rows = write_batches(counted(batches, n, "sampling", quiet=quiet), output)
    show_facts({"output": output, "sentences": rows, "seed": seed}, as_json=as_json, quiet=quiet)


def _open(path: str, *, normalise: bool) -> Grammar | Derivable:
    """Open a grammar that sentences can be drawn from."""
    from grammar.errors import OptionError
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.tsg import TreeSubstitutionGrammar
    from sampling.span_grammar import SpanGrammar
    from sampling.substitution import SubstitutionGrammar

    loaded = open_grammar(path, normalise=normalise)
    if isinstance(loaded, Grammar | TreeSubstitutionGrammar | LexicalisedGrammar):
        return loaded
    if isinstance(loaded, SubstitutionGrammar | SpanGrammar):
        raise OptionError(
            "this is a grammar of the family 'substitution', not 'pcfg', 'tsg' or 'lpcfg'",
            where=path,
            hint=f"its examples are made by the verb of its method, {loaded.method}",
        )
    raise OptionError(
        "a latent parser tells how probable trees are, but makes no sentences",
        where=path,
        hint="sample a grammar of the model pcfg, lpcfg, dop, double-dop or bayes-tsg",
    )


def _reweighted(
    grammar: Grammar | Derivable, distribution: Any, temperature: float, *, bounded: bool
) -> Grammar | Derivable:
    from grammar.grammar import Grammar
    from grammar.rule_distributions import check_tight, reweighted

    made = reweighted(grammar, distribution, temperature=temperature)
    if made is not grammar and not bounded:
        check_tight(made if isinstance(made, Grammar) else made.pcfg, "--length 1:40")
    return made


def _print_examples(batches: Any, *, trees: bool, as_json: bool) -> None:
    import json

    for batch in batches:
        for row in batch.to_pylist():
            if as_json:
                print(json.dumps(row, ensure_ascii=False))
            else:
                print(row["tree"] if trees else row["text"])
