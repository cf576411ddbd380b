"""What made one example: its parents and what they gave, the rules of its grammar, its tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.opening import open_grammar
from grammar.storage.permissions import files_say
from grammar.trees.draw import tree_svg
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.drawn_passages import draw_passages, passages_svg
from sampling.examples.passages import Passage
from sampling.explanations.derived import draw_derived, trees_of_example
from sampling.explanations.edits import explain_edits
from sampling.explanations.exchanges import Explained, explain_exchange, explain_parents
from sampling.explanations.parents import grammar_again, made_with, parents_of, step_of
from sampling.expression import Step
from sampling.method import METHODS
from sampling.operators.method import Operator
from sampling.pipeline.augment import Augmentation
from sampling.pipeline.manifest import manifest_beside
from sampling.pipeline.sources import find_source
from sampling.stream import method_of

__all__ = ["Explanation", "explain"]

_OVER_SPANS = ("spans", "mixed spans")


@dataclass(frozen=True, repr=False)
class Explanation:
    """What made an example; it prints as a page for people, and draws itself in a notebook.

    Attributes
    ----------
    facts : dict
        The text of the example, its provenance, and the rules or fragments of its derivation.
    change : Explained
        Its parents and itself with marks, and what was exchanged or edited; empty if it has no
        parents.
    tree : Tree or None
        Its own, or that of its derivation.
    note : str or None
        What cannot be shown, and why.
    draw : callable
        Takes a path (``.svg`` or ``.png``) and saves a picture there: the parents with what was
        exchanged or edited, or else the derivation.

    Examples
    --------
    >>> from induction import read_reviews
    >>> from sampling import TreeMix, explain
    >>> reviews = read_reviews()[:20]
    >>> sampler = TreeMix.induce(reviews)
    >>> found = explain(sampler.sample(1), "treemix-0-0", source=reviews, grammar=sampler.grammar)
    >>> found.facts["method"]
    'treemix'
    """

    facts: dict[str, Any]
    change: Explained
    tree: Tree | None
    note: str | None
    draw: Callable[[PathLike], None]

    @property
    def passages(self) -> list[Passage]:
        """The parents and the example, with marks at what was exchanged or edited."""
        return self.change.passages

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold."""
        passages = [passage.to_dict() for passage in self.passages]
        return self.facts | ({"passages": passages} if passages else {}) | self.change.facts

    def lines(self) -> dict[str, Any]:
        """Return everything for people: texts with their marks, rules each on a line."""
        shown = {name: _on_lines(value) for name, value in self.facts.items()}
        if self.tree is not None and not self.passages:
            shown["tree"] = f"\n{self.tree.pretty()}"
        for passage in self.passages:
            who, _, which = passage.title.partition(": ")
            shown[who] = f"{which}\n  {passage.marked()}"
        return shown | {name: _on_lines(value) for name, value in self.change.facts.items()}

    def __repr__(self) -> str:
        lines = self.lines()
        width = max(map(len, lines))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())

    def _repr_html_(self) -> str:
        if self.passages:
            picture = passages_svg(self.passages, self.facts["id"])
        else:
            picture = "" if self.tree is None else tree_svg(self.tree)
        return f"{picture}<pre>{escape(repr(self))}</pre>"


def _on_lines(value: Any) -> Any:
    """Return texts of a list below each other, and all else as it is."""
    texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return "\n  " + "\n  ".join(value) if texts else value


def explain(
    made: Corpus | Augmentation | PathLike,
    identifier: str,
    *,
    grammar: Any | None = None,
    source: Any = None,
) -> Explanation:
    """Explain what made an example.

    Parameters
    ----------
    made : Corpus, Augmentation, str or path
        What was made. The manifest beside a file, or of an augmentation, says more than a corpus.
    identifier : str
        The id of the example.
    grammar : Weighted, str or path, optional
        The grammar that it was made with: shows its rules, and its tree.
    source : path, or data in memory, optional
        What it was made from, as :func:`induction.read_corpus` reads it: shows its parents. Without
        it, what the manifest names, if that is still the same.

    Raises
    ------
    OptionError
        If there is no such example, or it was made from another source or with another grammar.
    UnreadableInputError, CorpusError, SchemaError
        If a file cannot be read.
    NotAllowedError
        If the manifest names a URL, and neither ``source`` nor :func:`grammar.allowing` does.

    Examples
    --------
    >>> from sampling import Sub2
    >>> corpus = Corpus.from_columns(text=["a red car", "two blue bikes"])
    >>> sampler = Sub2.induce(corpus, phrase=False, length=True)
    >>> made = sampler.sample(1)
    >>> print(explain(made, "sub2-0-0", source=corpus).passages[-1].marked())
    ⟦+car⟧ blue bikes
    """
    corpus, name, manifest = _opened(made)
    row = _example(corpus, identifier, name)
    made_by = row.get("provenance") or {}
    known = open_grammar(grammar) if isinstance(grammar, str | Path) else grammar
    change, note = _change(row, known, name, manifest, source)
    facts = {k: row[k] for k in ("id", "text", "target", "tree") if row.get(k) is not None}
    facts |= {k: v for k, v in made_by.items() if v not in (None, [])}
    rules = made_by.get("rules") or []
    if known is not None and rules and "context" not in change.facts:
        where = grammar if isinstance(grammar, str | Path) else "the grammar"
        what, facts[what] = known.used(facts.pop("rules"), source=str(where))
    trees = trees_of_example(row, known)
    tree = trees.pop("tree", None)
    # pairs in brackets: drawn with letters, words beside nonterminals would change their order
    facts |= {side: str(half) for side, half in trees.items()}
    if change.passages:
        title = f"{made_by.get('method')}: {identifier}"
        draw = partial(draw_passages, change.passages, title=title)
    else:
        draw = partial(draw_derived, tree, known, rules, where=f"{name}, id {identifier}")
    return Explanation(facts, change, tree, note, draw)


def _opened(
    made: Corpus | Augmentation | PathLike,
) -> tuple[Corpus, str, Mapping[str, Any] | None]:
    """Return the examples, what to call them, and their manifest."""
    if isinstance(made, Corpus):
        return made, "the corpus", None
    if isinstance(made, Augmentation):
        return made.corpus, "the augmentation", made.manifest
    return read_corpus(made), str(made), manifest_beside(made)


def _example(corpus: Corpus, identifier: str, name: str) -> dict[str, Any]:
    ids = corpus.column("id")
    if identifier not in ids:
        raise OptionError(
            f"no example has the id {identifier!r}",
            where=name,
            hint=f"the ids are {', '.join(ids[:3])}, ... ({len(ids):,} in all)",
        )
    return corpus[ids.index(identifier)]


def _source(name: str, source: Any, manifest: Mapping[str, Any] | None) -> Corpus | None:
    if source is None or isinstance(source, str | Path):
        return find_source(name, source, manifest)
    return read_corpus(source)


def _change(
    row: dict[str, Any],
    grammar: Any | None,
    name: str,
    manifest: Mapping[str, Any] | None,
    source: Any,
) -> tuple[Explained, str | None]:
    """Explain an example by its parents, or say why that cannot be done."""
    made_by = row.get("provenance") or {}
    if not made_by.get("parents"):
        return Explained([]), None
    step, grammar = step_of(row, manifest), getattr(grammar, "beneath", grammar)
    method = _method(made_by["method"], step, grammar)
    sampler = METHODS[method].sampler if method in METHODS else None
    kind = getattr(sampler, "explained_as", "parents")
    spans = grammar if kind in _OVER_SPANS else None
    if spans is not None and not made_with(row, spans, method):
        raise OptionError(
            "the rules of the example are no derivation of this grammar",
            where=f"{name}, id {row['id']}",
            hint="name the grammar that the example was made with",
        )
    corpus = source if isinstance(source, Corpus) else _source(name, source, manifest)
    if corpus is None and getattr(grammar, "method", "") == method:
        kept = getattr(grammar, "examples", None)  # some keep those that they were induced from
        corpus = kept if isinstance(kept, Corpus) else None  # others the ids of these alone
    if corpus is None:
        return Explained([]), "the parents' texts are not shown: name their corpus as the source"
    parents = parents_of(row, corpus)
    if not parents:
        first, last = made_by["parents"][0], made_by["parents"][-1]
        raise OptionError(
            f"the source has no example {first!r}" + (f" or {last!r}" if last != first else ""),
            where=str(source) if isinstance(source, str | Path) else name,
            hint="name the corpus that the example was made from as the source",
        )
    if spans is None and kind in _OVER_SPANS:
        with files_say():  # the step is that of the manifest
            spans = grammar_again(step, row, corpus)
    return _by_kind(kind, row, parents, spans), None


def _method(said: str, step: Step | None, grammar: Any | None) -> str:
    """Return the method of an example; of an operator that which it is applied to, if known."""
    if step is not None:
        return step.method
    over = said in METHODS and issubclass(METHODS[said].sampler, Operator)
    return method_of(grammar) if over and grammar is not None else said


def _by_kind(
    kind: str, row: Mapping[str, Any], parents: list[dict[str, Any]], grammar: Any | None
) -> Explained:
    if kind == "words":
        return explain_edits(row, parents[0])
    if kind.endswith("parents") or len(parents) != 2:
        return explain_parents(row, parents)
    plain, mixes = kind == "holes", kind == "mixed spans"
    return explain_exchange(row, parents, plain=plain, mixes=mixes, grammar=grammar)
