"""The verbs about SCAN: interpret, generate, split, augment, train."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from treewright.augmenting import read_option
from treewright.pair_files import naming, read_pair_file, write_pair_file
from treewright.screen import Json, Quiet, Seed, progress, show_facts, warnings_said
from treewright.semantic_parsing import cogs, geoquery
from treewright.tabulating import table

if TYPE_CHECKING:
    from induction.corpus import Corpus

__all__ = ["app", "need_torch"]

app = typer.Typer(
    help="SCAN: its language, its splits, models for it; COGS and GeoQuery.", no_args_is_help=True
)
for verb in (table, cogs, geoquery):
    app.command()(verb)

PairsFile = Annotated[str, typer.Argument(help="Pairs: 'IN: ... OUT: ...' lines, or a corpus.")]


@app.command()
def generate(
    output: Annotated[
        str | None, typer.Option("--output", "-o", help=".txt for IN:/OUT: lines, or a corpus.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Enumerate all 20,910 commands with their actions.

    Example: treewright scan generate -o scan.txt
    """
    from scan.generator import generate as generate_language

    pairs = generate_language()
    if output is None:
        for row in pairs:
            print(f"IN: {row['text']} OUT: {row['target']}")
        return
    write_pair_file(pairs, output)
    show_facts({"output": output, "pairs": len(pairs)}, as_json=as_json, quiet=quiet)


@app.command()
def interpret(
    command: Annotated[str, typer.Argument(help="A command, or - for one a line.")],
    as_json: Json = False,
) -> None:
    """Print the actions of a command.

    Example: treewright scan interpret "jump around left twice"
    """
    from grammar.files import read_text
    from scan.language import interpret as actions_of

    for line in read_text("-").splitlines() if command == "-" else [command]:
        actions = actions_of(line)
        if as_json:
            show_facts({"command": line, "actions": list(actions)}, as_json=True)
        else:
            print(" ".join(actions))


@app.command()
def split(
    name: Annotated[str, typer.Argument(help="jump, length, around-right, ..., mcd1.")],
    output: Annotated[str, typer.Option("--output", "-o", help="A folder; made if not there.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the train and test part of a published split.

    Example: treewright scan split jump -o jump/
    """
    from grammar.files import made_folder
    from scan.splits import split as published_split
    from scan.splits import write_pairs

    parts = published_split(name)
    folder = made_folder(output)
    for part, pairs in (("train", parts.train), ("test", parts.test)):
        write_pairs(pairs, folder / f"{part}.txt")
    facts = {"split": name, "train": len(parts.train), "test": len(parts.test), "folder": output}
    show_facts(facts, as_json=as_json, quiet=quiet)


@app.command()
def augment(
    train: PairsFile,
    output: Annotated[str, typer.Option("--output", "-o", help="Where the new pairs go.")],
    method: Annotated[
        str,
        typer.Option(
            help="geca, synchronous, sub2, treemix, treemix-oracle, geca+treemix, "
            "worddrop or switchout."
        ),
    ] = "geca",
    n: Annotated[
        int | None,
        typer.Option("-n", min=0, help="How many; by default all of GECA, 10,000 of the others."),
    ] = None,
    size: Annotated[int, typer.Option(min=1, help="GECA: most words of an n-gram.")] = 1,
    gaps: Annotated[int, typer.Option(min=1, help="GECA: most n-grams of a fragment.")] = 2,
    faithful: Annotated[
        str, typer.Option(help="GECA: paper, or code (the released program).")
    ] = "paper",
    grammar: Annotated[
        str | None, typer.Option(help="GECA: also save the substitution grammar here (.json).")
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="Test pairs, to report how many were made.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make new pairs from training pairs alone; the interpreter only audits them.

    Only the methods with 'oracle' in their names, and geca+treemix, have targets from the
    interpreter.

    Example: treewright scan augment jump/train.txt -o jump/new.jsonl --method synchronous
    """
    from grammar.errors import OptionError
    from induction.formats import check_output
    from scan.augmenters import HALF_OF_SCAN, find_augmenter
    from scan.generator import audit

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
    facts["agree with the interpreter"] = f"{audit(made).rate:.2%}"
    if tests is not None:
        facts["test commands among them"] = len(tests.intersection(made.column("text")))
    show_facts(facts, as_json=as_json, quiet=quiet)


def _by_geca(
    pairs: Corpus, n: int | None, seed: int, grammar: str | None, **options: object
) -> Corpus:
    from sampling.geca import GECA

    sampler = GECA.induce(pairs, **options)
    if grammar is not None:
        sampler.grammar.save(grammar)
    return sampler.sample(n, seed=seed)


@app.command()
def train(
    train: PairsFile,
    output: Annotated[str, typer.Option("--output", "-o", help="The model: .safetensors.")],
    test: Annotated[str | None, typer.Option(help="Pairs to test on, after training.")] = None,
    augmented: Annotated[str | None, typer.Option(help="Made pairs to train on too.")] = None,
    model: Annotated[str, typer.Option(help="lstm or transformer.")] = "lstm",
    updates: Annotated[int | None, typer.Option(min=1, help="Updates at most.")] = None,
    set_option: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-O",
            help="Another value of the recipe, NAME=VALUE: copy=true, hidden=192, dropout=0.3, "
            "batch=16, peak_rate=0.001, augmented_share=0.5, mix=1.0 (SeqMix) ...",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="State file; if it is there, training goes on from it.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a sequence-to-sequence model; stops on training exact match, then tests once.

    Example: treewright scan train jump/train.txt --augmented jump/geca.jsonl --test jump/test.txt
    -o jump.safetensors
    """
    need_torch()
    from grammar.errors import OptionError
    from induction.synchronous_pairs import target_by_source
    from scan.experiment import unique_pairs
    from scan.recipe import Recipe
    from scan.training import exact_match
    from scan.training import train as train_model

    changes = dict(map(read_option, set_option or ()))
    if "model" in changes:
        raise OptionError("--set does not take the model", hint="use --model")
    changes |= {} if updates is None else {"updates": updates}
    recipe = Recipe.of(model, **{"seed": seed, **changes})
    with naming(train):
        targets = target_by_source(read_pair_file(train))
    pairs = [(" ".join(source), " ".join(target)) for source, target in targets.items()]
    made = unique_pairs(read_pair_file(augmented)) if augmented else []
    held_out = unique_pairs(read_pair_file(test)) if test else []
    with training_bar(f"seed {seed}", recipe.updates, quiet=quiet) as advance:
        trained = train_model(
            pairs, augmented=made, recipe=recipe, checkpoint=checkpoint, on_progress=advance
        )
    trained.save(output)
    last = trained.history[-1]
    facts: dict[str, object] = {
        "model": output,
        "updates": last.update,
        "train pairs": len(pairs),
        "augmented pairs": len(made),
        "train exact match": f"{last.exact_match:.4f}",
    }
    if held_out:
        facts["test exact match"] = f"{exact_match(trained, held_out):.4f}"
        made_texts = {text for text, _ in made}
        unseen = [pair for pair in held_out if pair[0] not in made_texts]
        if made and unseen:
            facts["... on tests not among the augmented"] = f"{exact_match(trained, unseen):.4f}"
    show_facts(facts, as_json=as_json, quiet=quiet)


def training_bar(what: str, updates: int, *, quiet: bool):  # type: ignore[no-untyped-def]
    """Return a context manager that gives a progress callback for :func:`scan.training.train`."""
    from contextlib import contextmanager

    @contextmanager
    def bar():  # type: ignore[no-untyped-def]
        with progress(quiet=quiet) as bars:
            task = bars.add_task(what, total=updates, note="")

            def advance(now) -> None:  # type: ignore[no-untyped-def]
                exact = f"train exact {now.check.exact_match:.3f}" if now.check else ""
                note = f"loss {now.loss:.4f} {exact}"
                bars.update(task, total=now.updates, completed=now.update, note=note)

            yield advance

    return bar()


def need_torch() -> None:
    """Raise a clear error if the neural extra is not installed."""
    from importlib.util import find_spec

    if find_spec("torch") is None or find_spec("safetensors") is None:
        from grammar.errors import MissingDataError

        raise MissingDataError(
            "training needs torch and safetensors, which are not installed",
            hint="pip install 'treewright[neural]'",
        )
