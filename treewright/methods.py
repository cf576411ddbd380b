"""Grammars of methods of augmentation: induced into a file, looked at, and sampled from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treewright.screen import counted, say, show_facts, warnings_said

if TYPE_CHECKING:
    from sampling.alp_grammar import ALPGrammar
    from treewright.families import Look

__all__ = ["alp_rules", "induce_method", "look_at_alp", "sample_method"]

METHODS = ("sub2", "treemix", "randmix", "geca", "alp")


def induce_method(
    method: str,
    corpus: str,
    output: str,
    options: dict[str, Any],
    *,
    format: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Induce the grammar of a method from a corpus of examples, and save it."""
    from induction.formats import read_corpus
    from sampling.protocol import induce

    with warnings_said(quiet=quiet):
        examples = read_corpus(corpus, format=format)
        say(f"read {len(examples):,} examples", quiet=quiet)
        sampler = induce(method, examples, **options)
    sampler.grammar.save(output)
    facts = {
        "grammar": output,
        "model": method,
        "examples": len(examples),
        "holds": str(sampler.grammar),
        "licensed": sampler.count(),
    }
    show_facts(facts, as_json=as_json, quiet=quiet)


def sample_method(
    path: str,
    n: int,
    output: str | None,
    *,
    seed: int,
    start: int,
    workers: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw new examples from the saved grammar of a method; the corpus is not needed."""
    from induction.formats import check_output, write_batches
    from sampling.protocol import sample_batches
    from sampling.saved import open_sampler

    if output is not None:
        check_output(output)
    batches = sample_batches(open_sampler(path), n, seed=seed, start=start, workers=workers)
    with warnings_said(quiet=quiet):
        if output is not None:
            rows = write_batches(counted(batches, n, "sampling", quiet=quiet), output)
            facts = {"output": output, "examples": rows, "seed": seed}
            show_facts(facts, as_json=as_json, quiet=quiet)
            return
        for batch in batches:
            for row in batch.to_pylist():
                if as_json:
                    print(json.dumps(row, ensure_ascii=False))
                else:
                    beside = [row[name] for name in ("text_pair", "target") if row.get(name)]
                    print("\t".join([row["text"], *beside]))


def look_at_alp(grammar: ALPGrammar, symbol: str | None, top: int) -> Look:
    """Look at a grammar of ALP, and at one of its pools (else the start) more closely.

    Raises
    ------
    OptionError
        If the grammar has no such symbol.
    """
    from grammar.neighbourhood import draw_neighbourhood
    from sampling.alp_grammar import START
    from treewright.families import Look, known_symbol

    graph = grammar.graph
    names = [data["name"] for _, data in graph.nodes(data=True) if data["kind"] == "symbol"]
    chosen = known_symbol(symbol or START, names)
    edges = sorted(
        graph.out_edges(f"symbol:{chosen}", data="weight"), key=lambda edge: (-edge[2], edge[1])
    )
    sizes = {name: graph.out_degree(f"symbol:{name}") for name in names if name != START}
    largest = sorted(sizes, key=lambda name: (-sizes[name], name))[:top]
    facts = {
        "options": {name: str(value) for name, value in grammar.facts["options"].items()},
        "parser": grammar.facts.get("parser"),
        "examples": len(grammar.ids),
        "classes": len(grammar.classes),
        "trees": len(grammar.texts.root),
        "constituents in pools": len(grammar.pool_node),
        "pools": len(grammar.pool_names),
        "words in contexts": len(grammar.model.form),
        "synonyms": len(grammar.synonym),
    }
    details: dict[str, Any] = {
        "largest pools": [{"symbol": name, "rules": sizes[name]} for name in largest],
        f"rules of {chosen}": [
            f"{_pattern(graph, rule)} [{weight:.4g}]" for _, rule, weight in edges[:top]
        ],
    }
    return Look(
        "alp",
        lambda path: draw_neighbourhood(graph, chosen, path, top=top),
        facts=facts,
        details=details,
        graph=lambda: graph,
    )


def _pattern(graph: Any, rule: str) -> str:
    """Return the words that a rule puts in."""
    data = graph.nodes[rule]
    if "pattern" in data:
        return str(data["pattern"])
    return " ".join(graph.nodes[child]["name"] for _, child in graph.out_edges(rule))


def alp_rules(grammar: ALPGrammar, numbers: list[int], source: str) -> list[str]:
    """Return what the rules of an example put in.

    Raises
    ------
    OptionError
        If the grammar has no such rule.
    """
    from grammar.errors import OptionError

    try:
        return [grammar.rule_text(number) for number in numbers]
    except IndexError as error:
        raise OptionError(
            f"the example uses a rule that the grammar lacks: {error.args[0]}",
            where=source,
            hint="name the grammar that the example was made with",
        ) from None
