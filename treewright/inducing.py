"""The verb induce: a treebank, a file of pairs, or a corpus of examples becomes a grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.methods import METHODS, induce_method
from treewright.screen import Json, Quiet, progress, say, show_facts, warnings_said
from treewright.synchronous import induce_from_pairs, induce_from_term_pairs

if TYPE_CHECKING:
    from grammar.treebank import Treebank

__all__ = ["induce"]

MODELS = ("pcfg", "lpcfg", "dop", "double-dop", "bayes-tsg", "latent", "synchronous", "terms",
          *METHODS)  # fmt: skip


def induce(
    corpus: Annotated[
        str,
        typer.Argument(
            help="'embedded', nltk:NAME, a file or folder of brackets, or -; synchronous, terms: "
            "pairs, as 'IN: ... OUT: ...' lines (.txt) or a corpus with the columns text and "
            "target; sub2 ... alp: examples, as for treewright augment."
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="A .json or .json.gz file; pcfg, synchronous, terms: also .txt; latent, sub2, "
            "treemix, randmix, alp: .arrow.",
        ),
    ],
    model: Annotated[str, typer.Option(help=f"The family: {', '.join(MODELS)}.")] = "pcfg",
    steps: Annotated[
        str | None, typer.Option(help="Normalisation, in order: traces,functions,unaries,root ...")
    ] = None,
    direction: Annotated[
        str | None, typer.Option(help="Binarise: right, left, or head (outward).")
    ] = None,
    horizontal_markov: Annotated[
        int | None, typer.Option(min=0, help="Siblings that a binarised rule remembers.")
    ] = None,
    vertical_markov: Annotated[
        int | None, typer.Option(min=1, help="1: no parent annotation; 2: parents; 3: more.")
    ] = None,
    smoothing: Annotated[
        float | None, typer.Option(help="pcfg: added to every rule's count.")
    ] = None,
    rare_words: Annotated[
        int | None, typer.Option(min=0, help="Words seen at most so often become classes.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="dop: dop1, ewe, bonnema; double-dop: relative-frequency or those."),
    ] = None,
    prior: Annotated[str | None, typer.Option(help="bayes-tsg: pitman-yor or dirichlet.")] = None,
    iterations: Annotated[
        int | None, typer.Option(min=0, help="bayes-tsg: iterations of the chain.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="bayes-tsg: a file that the chain resumes from.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=0, help="latent: rounds of splitting and merging.")
    ] = None,
    grammars: Annotated[
        int | None, typer.Option(min=1, help="latent: how many grammars are multiplied.")
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            help="synchronous, what the grammar is for: sampling (the default; layers of rules, "
            "which rule out what nothing seen speaks for), parsing (types, which leave that "
            "improbable; sampled, it can make wrong pairs), or reading (bare rules of one type)."
        ),
    ] = None,
    types: Annotated[
        int | None, typer.Option(min=1, help="synchronous: types; else chosen by held-out pairs.")
    ] = None,
    parts: Annotated[
        int | None,
        typer.Option(min=1, help="synchronous: parts in which the search gets the pairs."),
    ] = None,
    lexicon: Annotated[
        str | None, typer.Option(help="synchronous: auto, necessity, association or ibm1.")
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(help="synchronous: a folder for the rules after each step, as graphs."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="bayes-tsg, latent, synchronous: random draws.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Threads; they change nothing.")] = 1,
    set_option: Annotated[
        list[str] | None,
        typer.Option("--set", "-O", help="sub2 ... alp: an option of the method, NAME=VALUE."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help="sub2 ... alp: of the corpus, if its name does not tell: sst, scan, ..."),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of bracket files.")] = "utf-8",
    graphml: Annotated[str | None, typer.Option(help="pcfg: also export the graph here.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Induce a grammar from a treebank, a synchronous grammar from pairs, or that of a method.

    Where the targets of pairs are terms such as sleep ( agent = Ann ), the model is terms.
    The grammar of a method of augmentation can be inspected, and sampled without the corpus:
    treewright induce train.jsonl -o g.arrow --model sub2 --set phrase=true

    Example: treewright induce nltk:treebank -o wsj.json --horizontal-markov 2
    """
    from induction.readers import read_treebank

    given = {
        "steps": None if steps is None else [step for step in steps.split(",") if step],
        "direction": direction,
        "horizontal_markov": horizontal_markov,
        "vertical_markov": vertical_markov,
        "smoothing": smoothing,
        "rare_words": rare_words,
        "weights": weights,
        "prior": prior,
        "iterations": iterations,
        "checkpoint": checkpoint,
        "rounds": rounds,
        "grammars": grammars,
        "purpose": purpose,
        "types": types,
        "parts": parts,
        "lexicon": lexicon,
        "trace": trace,
        "seed": seed,
        "graphml": graphml,
        "set": set_option,
        "format": format,
    }
    options = _checked(model, {name: value for name, value in given.items() if value is not None})
    _check_name(model, output)
    if model == "synchronous":
        induce_from_pairs(corpus, output, options, as_json=as_json, quiet=quiet)
        return
    if model == "terms":
        induce_from_term_pairs(corpus, output, as_json=as_json, quiet=quiet)
        return
    if model in METHODS:
        from treewright.augmenting import read_option

        chosen = dict(map(read_option, options.get("set", ())))
        induce_method(
            model, corpus, output, chosen, format=options.get("format"), as_json=as_json,
            quiet=quiet,
        )  # fmt: skip
        return
    with warnings_said(quiet=quiet):
        treebank = read_treebank(corpus, encoding=encoding)
    say(f"read {len(treebank):,} trees, {treebank.word_count:,} words", quiet=quiet)
    facts = _INDUCERS[model](treebank, output, options, workers, quiet)
    known = {"grammar": output, "model": model, "trees": len(treebank)}
    show_facts(known | facts, as_json=as_json, quiet=quiet)


Options = dict[str, Any]

_SUFFIXES = {
    **dict.fromkeys(("latent", *METHODS), (".arrow",)),
    "geca": (".json", ".json.gz"),
    "pcfg": (".json", ".json.gz", ".txt", ".pcfg", ".cfg"),
    **dict.fromkeys(("synchronous", "terms"), (".json", ".json.gz", ".txt")),
}
_GRAPH_SUFFIXES = (".json", ".json.gz")


def _check_name(model: str, output: str) -> None:
    """Refuse a name that would not tell what the file holds."""
    from grammar.errors import OptionError

    suffixes = _SUFFIXES.get(model, _GRAPH_SUFFIXES)
    if not output.endswith(suffixes):
        raise OptionError(
            f"{output!r} is no name for the model {model}",
            hint=f"it is saved as {', '.join(suffixes)}",
        )


_PREPARATION = ("steps", "direction", "horizontal_markov", "vertical_markov")


def _checked(model: str, options: Options) -> Options:
    """Return the options, having seen that the model takes them all."""
    import difflib

    from grammar.errors import OptionError

    if model not in _TAKES:
        near = difflib.get_close_matches(model, _TAKES, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise OptionError(
            f"unknown model {model!r}", hint=f"{meant}choose from {', '.join(_TAKES)}"
        )
    strange = [name for name in options if name not in _TAKES[model]]
    if strange:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in strange)
        takes = ", ".join(f"--{name.replace('_', '-')}" for name in _TAKES[model])
        raise OptionError(
            f"the model {model} does not take {flags}", hint=f"it takes {takes or 'none'}"
        )
    return options


def _pcfg(
    treebank: Treebank, output: str, options: Options, workers: int, quiet: bool
) -> dict[str, Any]:
    from induction.pcfg import induce_pcfg

    graphml = options.pop("graphml", None)
    grammar = induce_pcfg(treebank, **options)
    grammar.save(output)
    if graphml:
        grammar.write_graphml(graphml)
    return {
        "rules": len(grammar),
        "symbols": len(grammar.rules.nonterminals),
        "words": len(grammar.rules.words),
        "start": grammar.start,
    }


def _lpcfg(
    treebank: Treebank, output: str, options: Options, workers: int, quiet: bool
) -> dict[str, Any]:
    from induction.lpcfg import induce_lpcfg

    grammar = induce_lpcfg(treebank, **options)
    grammar.save(output)
    return {"rules": len(grammar), "start": grammar.start}


def _dop(
    treebank: Treebank, output: str, options: Options, workers: int, quiet: bool
) -> dict[str, Any]:
    from induction.dop import dop_reduction

    grammar = dop_reduction(treebank, **_fragment_options(options))
    grammar.save(output)
    return {
        "rules": len(grammar),
        "symbols": len(grammar.rules.nonterminals),
        "start": grammar.start,
    }


def _double_dop(
    treebank: Treebank, output: str, options: Options, workers: int, quiet: bool
) -> dict[str, Any]:
    from induction.dop import induce_double_dop

    grammar = induce_double_dop(treebank, **_fragment_options(options), workers=workers)
    grammar.save(output)
    return {"fragments": len(grammar), "start": grammar.start}


def _bayes_tsg(
    treebank: Treebank, output: str, options: Options, workers: int, quiet: bool
) -> dict[str, Any]:
    from induction.bayes_tsg import induce_bayes_tsg

    total = options.setdefault("iterations", 100)
    with progress(quiet=quiet) as bars:
        task = bars.add_task("bayes-tsg", total=total, note="")

        def tell(now: Any) -> None:
            note = f"log joint {now.log_joint:,.0f}, {now.fragments:,} fragments"
            bars.update(task, completed=now.number, note=note)

        grammar = induce_bayes_tsg(treebank, **_fragment_options(options), on_progress=tell)
    grammar.save(output)
    return {"fragments": len(grammar), "start": grammar.start}


def _latent(
    treebank: Treebank, output: str, options: Options, workers: int, quiet: bool
) -> dict[str, Any]:
    from induction.parser_training import induce_parser
    from induction.split_merge import SplitMerge

    how = SplitMerge(**{name: options[name] for name in ("rounds", "seed") if name in options})
    models = options.get("grammars", 4)
    binarisation = {n: options[n] for n in _PREPARATION[1:] if n in options}
    in_round = how.split_iterations + how.merge_iterations + 1
    with progress(quiet=quiet) as bars:
        tasks = [
            bars.add_task(f"grammar {k + 1}", total=how.rounds * in_round, note="")
            for k in range(models)
        ]

        def tell(number: int, round_: int, iteration: int, log_likelihood: float) -> None:
            done = (round_ - 1) * in_round + iteration
            note = f"round {round_}, log-likelihood {log_likelihood:,.0f}"
            bars.update(tasks[number], completed=done, note=note)

        parser = induce_parser(
            treebank,
            models=models,
            options=how,
            workers=workers,
            on_iteration=tell,
            **binarisation,
        )
    parser.save(output)
    states = [int(model.grammar.states.sum()) for model in parser.models]
    return {"rules": len(parser.skeleton.grammar), "states": states, "version": parser.version}


def _fragment_options(options: Options) -> Options:
    """Add the preparation that parsers of fragments need, binarised as chosen on development trees.

    See docs/latent-grammars.md, Accuracy.
    """
    from induction.skeleton_trees import SKELETON_STEPS

    return {"steps": SKELETON_STEPS, "direction": "head", "horizontal_markov": 1} | options


_TAKES: dict[str, tuple[str, ...]] = {
    "pcfg": (*_PREPARATION, "smoothing", "rare_words", "graphml"),
    "lpcfg": ("steps", "horizontal_markov", "vertical_markov"),
    "dop": (*_PREPARATION, "rare_words", "weights"),
    "double-dop": (*_PREPARATION, "rare_words", "weights"),
    "bayes-tsg": (*_PREPARATION, "rare_words", "prior", "iterations", "checkpoint", "seed"),
    "latent": (*_PREPARATION[1:], "rounds", "grammars", "seed"),
    "synchronous": ("purpose", "types", "parts", "lexicon", "trace", "seed"),
    "terms": (),
    **dict.fromkeys(METHODS, ("set", "format")),
}

_INDUCERS: dict[str, Callable[[Treebank, str, Options, int, bool], dict[str, Any]]] = {
    "pcfg": _pcfg,
    "lpcfg": _lpcfg,
    "dop": _dop,
    "double-dop": _double_dop,
    "bayes-tsg": _bayes_tsg,
    "latent": _latent,
}
