"""The verb explain: what made one example, drawn."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.opening import open_grammar
from treewright.screen import Json, Quiet, say, show_facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from induction.corpus import Corpus
    from treewright.exchanges import Explained
    from treewright.opening import AnyGrammar

__all__ = ["explain"]


def explain(
    output: Annotated[str, typer.Argument(help="A corpus that treewright made.")],
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of the example.")],
    grammar: Annotated[
        str | None, typer.Option(help="The grammar it was made with: shows the rules used.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="The corpus it was made from: shows the parents. Without it, the one that the "
            "manifest beside OUT names."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Draw here (.svg or .png): the parents with what was exchanged or edited, or the "
            "derivation as a tree."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what made an example: its parents and what they gave, its rules or fragments, its tree.

    Example: treewright explain new.jsonl treemix-0-17 --source train.jsonl --plot mix.svg
    """
    from grammar.svg import checked_suffix
    from induction.formats import read_corpus
    from treewright.derived import draw_derived, rules_used, tree_of_example, trees_of_pair
    from treewright.passages_drawn import draw_passages

    if plot:
        checked_suffix(plot)
    row = _find(read_corpus(output), identifier, output)
    made_by = row.get("provenance") or {}
    loaded = open_grammar(grammar) if grammar else None
    explained = _explained(row, loaded, output, source, quiet=quiet)
    facts = {k: row[k] for k in ("id", "text", "target", "tree") if row.get(k) is not None}
    facts |= {k: v for k, v in made_by.items() if v not in (None, [])}
    numbers = made_by.get("rules") or []
    if loaded is not None and numbers and "context" not in explained.facts:
        what, rules = rules_used(loaded, numbers, grammar or "")
        facts.pop("rules")
        facts[what] = rules if as_json else "\n  " + "\n  ".join(rules)
    tree = tree_of_example(row, loaded)
    if tree is not None and not as_json and not explained.passages:
        facts["tree"] = "\n" + tree.pretty()
    for side, half in trees_of_pair(row, loaded).items():
        # in brackets: drawn with letters, words beside nonterminals would change their order
        facts[f"tree of the {side}"] = str(half)
    facts |= _shown(explained, as_json=as_json)
    show_facts(facts, as_json=as_json)
    if not plot:
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        if explained.passages:
            draw_passages(explained.passages, plot, f"{made_by.get('method')}: {identifier}")
        else:
            draw_derived(tree, loaded, numbers, plot, f"{output}, id {identifier}")
    if caught:  # one for each character that the fonts at hand lack
        say(f"some characters are not shown for want of a font: {caught[0].message}", quiet=quiet)
    say(f"drawn in {plot}", quiet=quiet)


def _explained(
    row: dict[str, Any], loaded: AnyGrammar | None, output: str, source: str | None, *, quiet: bool
) -> Explained:
    """Explain an example by its parents; nothing if it has none."""
    from grammar.errors import OptionError
    from sampling.span_grammar import SpanGrammar
    from treewright.exchanges import Explained
    from treewright.parents import find_source, made_with, manifest_of, parents_of

    made_by = row.get("provenance") or {}
    if not made_by.get("parents"):
        return Explained([])
    spans = loaded if isinstance(loaded, SpanGrammar) else None
    if spans is not None and not made_with(row, spans):
        raise OptionError(
            "the rules of the example are no derivation of this grammar",
            where=f"{output}, id {row['id']}",
            hint="name the grammar that the example was made with",
        )
    manifest = manifest_of(output)
    corpus = find_source(output, source, manifest)
    if corpus is None and spans is not None:
        corpus = spans.examples
    if corpus is None:
        say("the parents' texts are not shown: name their corpus with --source", quiet=quiet)
        return Explained([])
    parents = parents_of(row, corpus)
    if not parents:
        _refuse_other_source(source, output, made_by["parents"])
    return _by_method(row, parents, spans, corpus, manifest)


def _by_method(
    row: dict[str, Any],
    parents: list[dict[str, Any]],
    spans: Any,
    corpus: Corpus,
    manifest: Mapping[str, Any] | None,
) -> Explained:
    from sampling.protocol import METHODS
    from sampling.span_exchange import SpanSampler
    from sampling.token_sampler import TokenSampler
    from sampling.treemix import MixOptions
    from treewright.edits import explain_edits
    from treewright.exchanges import explain_exchange, explain_parents
    from treewright.parents import grammar_of_manifest

    method = row["provenance"]["method"]
    sampler = METHODS[method].sampler if method in METHODS else None
    if sampler is not None and issubclass(sampler, TokenSampler):
        return explain_edits(row, parents[0])
    is_geca = method in METHODS and method.startswith("geca")
    if len(parents) == 2 and (is_geca or issubclass(sampler or object, SpanSampler)):
        mixes = issubclass(getattr(sampler, "Options", object), MixOptions)
        if spans is None and not is_geca:
            spans = grammar_of_manifest(row, corpus, manifest)
        return explain_exchange(row, parents, method=method, mixes=mixes, grammar=spans)
    return explain_parents(row, parents)


def _refuse_other_source(source: str | None, output: str, parents: list[str]) -> None:
    from grammar.errors import OptionError

    raise OptionError(
        f"the source has no example {parents[0]!r} or {parents[-1]!r}"
        if len(parents) > 1
        else f"the source has no example {parents[0]!r}",
        where=source or output,
        hint="name the corpus that the example was made from with --source",
    )


def _shown(explained: Explained, *, as_json: bool) -> dict[str, Any]:
    """Return passages and facts for people or for machines."""
    if not explained.passages:
        return {}
    if as_json:
        passages = [
            {
                "title": passage.title,
                "text": passage.text,
                "marks": [
                    {"start": mark.start, "end": mark.end, "kind": mark.kind}
                    for mark in passage.marks
                ],
            }
            for passage in explained.passages
        ]
        return {"passages": passages, **explained.facts}
    facts: dict[str, Any] = {
        passage.title.partition(":")[0]: f"{passage.title.partition(': ')[2]}\n  {passage.marked()}"
        for passage in explained.passages
    }
    for name, value in explained.facts.items():
        facts[name] = "\n  " + "\n  ".join(value) if isinstance(value, list) else value
    return facts


def _find(corpus: Corpus, identifier: str, source: str) -> dict[str, Any]:
    ids = corpus.column("id")
    if identifier not in ids:
        from grammar.errors import OptionError

        raise OptionError(
            f"no example has the id {identifier!r}",
            where=source,
            hint=f"the ids are {', '.join(ids[:3])}, ... ({len(ids):,} in all)",
        )
    return corpus[ids.index(identifier)]
