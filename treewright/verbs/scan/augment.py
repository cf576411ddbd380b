"""The verb scan augment: new pairs from training pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, Seed, naming, show_facts, warnings_said
from treewright.outputs import FILE, Encoding, Force
from treewright.pair_files import PairsFile, read_pair_file, write_pair_file

if TYPE_CHECKING:
    from induction.corpus.corpus import Corpus

__all__ = ["augment"]


def augment(
    train: PairsFile,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FILE, help="Output file of the new pairs.")
    ],
    method: Annotated[
        str,
        typer.Option(
            help="geca, synchronous, sub2, treemix, treemix-oracle, geca+treemix, "
            "worddrop or switchout."
        ),
    ] = "geca",
    n: Annotated[
        int | None,
        typer.Option(
            "-n", min=0, help="Number of pairs; by default all of GECA, 10,000 of the others."
        ),
    ] = None,
    size: Annotated[
        int, typer.Option(min=1, help="GECA: the largest number of words of an n-gram.")
    ] = 1,
    gaps: Annotated[
        int, typer.Option(min=1, help="GECA: the largest number of n-grams of a fragment.")
    ] = 2,
    faithful: Annotated[
        str, typer.Option(help="GECA: paper, or code (the released program).")
    ] = "paper",
    grammar: Annotated[
        str | None,
        typer.Option(metavar=FILE, help="GECA: also save the substitution grammar here (.json)."),
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="Test pairs, to report how many were made.")
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make new pairs from training pairs alone; the interpreter only verifies them.

    Only the methods with 'oracle' in their names, and geca+treemix, have targets from the
    interpreter.

    Example: treewright scan augment jump/train.txt -o jump/new.jsonl --method synchronous
    """
    from grammar.errors import OptionError
    from induction.corpus.formats import check_output
    from scan.augmenters import HALF_OF_SCAN, find_augmenter
    from scan.generator import verify

    check_output(output)
    chosen = find_augmenter(method)
    pairs = read_pair_file(train)
    tests = None if test is None else set(read_pair_file(test).column("text"))
    with warnings_said(quiet=quiet), naming(train):
        if method == "geca":
            made = _by_geca(pairs, n, seed, grammar, size=size, gaps=gaps, faithful=faithful)
        elif grammar is not None:
            raise OptionError("--grammar goes with --method geca", hint="leave it out")
        else:
            made = chosen.make(pairs, HALF_OF_SCAN if n is None else n, seed)
    write_pair_file(made, output)
    facts: dict[str, object] = {"output": output, "pairs": len(made), "seed": seed}
    facts["targets"] = "the interpreter (an oracle)" if chosen.oracle else "training pairs alone"
    facts["agree with the interpreter"] = f"{verify(made).rate:.2%}"
    if tests is not None:
        facts["test commands among them"] = len(tests.intersection(made.column("text")))
    show_facts(facts, as_json=as_json, quiet=quiet)


def _by_geca(
    pairs: Corpus, n: int | None, seed: int, grammar: str | None, **options: object
) -> Corpus:
    from sampling.geca.method import GECA

    sampler = GECA.induce(pairs, **options)
    if grammar is not None:
        sampler.grammar.save(grammar)
    return sampler.sample(n, seed=seed)
