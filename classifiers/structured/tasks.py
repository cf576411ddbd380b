"""What there is to learn: which columns a task reads and writes, and how right answers are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from classifiers.structured.constituency import ConstituencyNetwork
from classifiers.structured.dependencies import Arcs, DependencyNetwork
from classifiers.structured.network import StructuredNetwork
from classifiers.structured.tags import TagNetwork
from classifiers.structured.trees import Spans, spans_of_tree, tree_of_spans
from classifiers.tagging.scores import points
from grammar.errors import CorpusError, OptionError
from grammar.trees.evaluation import evalb
from grammar.trees.surfaces import surface_of
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import COLUMNS, PROVENANCE, Corpus
from induction.corpus.entities.columns import tags_of_spans, with_spans
from induction.trees.normalise import normalise

__all__ = ["TASKS", "Task", "find_task", "with_new", "words_of"]

Words = tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """Something that words of sentences are given.

    Attributes
    ----------
    name : str
        What it is called.
    columns : tuple of str
        What a corpus to learn from has to have.
    network : type of StructuredNetwork
        What learns it.
    gold : callable
        The right answers that a corpus has.
    written : callable
        A corpus with answers in the place of what it had.
    score : callable
        How good a corpus with answers is, beside the same with right ones: numbers from 0 to 100 by
        name, the one that counts first.
    parts : callable
        What of the answers of each sentence can be right or wrong by itself.
    """

    name: str
    columns: tuple[str, ...]
    network: type[StructuredNetwork]
    gold: Callable[[Corpus], list[Any]]
    written: Callable[[Corpus, Sequence[Any]], Corpus]
    score: Callable[[Corpus, Corpus], dict[str, float]]
    parts: Callable[[Corpus], list[set[Any]]]


def words_of(corpus: Corpus) -> list[Words]:
    """Return the words of texts in ordinary spelling: tokens, those of trees, or between spaces.

    Raises
    ------
    CorpusError
        If a text has no words.

    Examples
    --------
    >>> tree = "(S (-LRB- -LRB-) (RB so) (-RRB- -RRB-))"
    >>> words_of(Corpus.from_columns(text=["( so )"], tree=[tree]))
    [('(', 'so', ')')]
    """
    if "tokens" in corpus.names:
        made = [tuple(words or ()) for words in corpus.column("tokens")]
    elif "tree" in corpus.names:
        made = [tuple(map(surface_of, words)) for words in _trees(corpus).sentences()]
    else:
        made = [tuple(text.split()) for text in corpus.complete("text")]
    empty = next((row for row, words in enumerate(made) if not words), None)
    if empty is not None:
        where = corpus.places(empty) if corpus.places else f"row {empty}"
        raise CorpusError("the text has no words", where=where, hint="leave it out")
    return made


def find_task(name: str) -> Task:
    """Return a task by its name (raises OptionError if there is none)."""
    if name not in TASKS:
        raise OptionError(f"there is no task {name!r}", hint=f"tasks are {', '.join(TASKS)}")
    return TASKS[name]


def with_new(task: Task, corpus: Corpus, new: Corpus) -> Corpus:
    """Return sentences and new ones behind them, which are told apart by their provenance.

    Raises
    ------
    CorpusError
        If either lacks what the task learns from, or a new one has no provenance.
    """
    if "provenance" not in new.names:
        raise CorpusError(
            "there is no provenance, so new sentences cannot be told from given ones",
            hint="make them with treewright augment, as .jsonl, .parquet or .conllu",
        )
    names = ["text", *(("tokens",) if "tokens" in corpus.names else ()), *task.columns]
    parts = [Corpus.from_columns(**{n: each.arrow(n) for n in names}) for each in (corpus, new)]
    rows = pa.concat_tables([part.table for part in parts])
    made = pa.concat_arrays([pa.nulls(len(corpus), PROVENANCE), *new.arrow("provenance").chunks])
    return Corpus(rows).with_column("provenance", made)


def _trees(corpus: Corpus) -> Treebank:
    """Return the trees of a corpus, without traces and functions, and with a root."""
    trees = normalise(Treebank.parse("\n".join(corpus.complete("tree"))))
    if len(trees) != len(corpus):
        raise CorpusError("some of the trees have no words", hint="leave these out")
    return trees


def _spans(corpus: Corpus) -> list[Spans]:
    return [spans_of_tree(tree) for tree in _trees(corpus)]


def _with_trees(corpus: Corpus, answers: Sequence[Spans]) -> Corpus:
    words = words_of(corpus)
    trees = [
        str(tree_of_spans(own, answer.tags, answer.constituents))
        for own, answer in zip(words, answers, strict=True)
    ]
    return corpus.with_column("tree", pa.array(trees, COLUMNS["tree"]))


def _evalb(gold: Corpus, found: Corpus) -> dict[str, float]:
    result = evalb(_trees(gold), Treebank.parse("\n".join(found.column("tree")))).all
    return {
        "F1": result.f1, "precision": result.precision, "recall": result.recall,
        "tags": result.tagging, "exact match": result.complete_match,
    }  # fmt: skip


def _tags(corpus: Corpus) -> list[Words]:
    return [tuple(tags) for tags in corpus.complete("tags")]


def _with_tags(corpus: Corpus, answers: Sequence[Words]) -> Corpus:
    return _with_tokens(corpus).with_column("tags", pa.array(map(list, answers), COLUMNS["tags"]))


def _accuracy(gold: Corpus, found: Corpus) -> dict[str, float]:
    return points("tags", gold, found)


def _arcs(corpus: Corpus) -> list[Arcs]:
    columns = (corpus.column(name) for name in ("heads", "deprels"))
    pairs = zip(*columns, strict=True)
    return [Arcs(tuple(heads), tuple(relations)) for heads, relations in pairs]


def _with_arcs(corpus: Corpus, answers: Sequence[Arcs]) -> Corpus:
    heads = pa.array([list(answer.heads) for answer in answers], COLUMNS["heads"])
    relations = pa.array([list(answer.relations) for answer in answers], COLUMNS["deprels"])
    plain = _with_tokens(corpus).with_column("heads", heads)
    return plain.with_column("deprels", relations)


def _attachment(gold: Corpus, found: Corpus) -> dict[str, float]:
    """Return how many words have the right head and relation, and how many the right head."""
    words = [
        (head == mine, head == mine and name == own)
        for right, answer in zip(_arcs(gold), _arcs(found), strict=True)
        for head, mine, name, own in zip(
            right.heads, answer.heads, right.relations, answer.relations, strict=True
        )
    ]
    heads, both = (100 * sum(each) / len(words) for each in zip(*words, strict=True))
    return {"LAS": both, "UAS": heads}


def _bio(corpus: Corpus) -> list[Words]:
    return [tuple(tags) for tags in tags_of_spans(_with_tokens(corpus))]


def _with_entities(corpus: Corpus, answers: Sequence[Words]) -> Corpus:
    plain = _with_tokens(corpus)
    rest = plain.table.select(["id", "text", "tokens"])
    named = with_spans(Corpus(rest).with_column("tags", pa.array(map(list, answers))))
    return plain.with_column("spans", named.arrow("spans"))


def _entities(gold: Corpus, found: Corpus) -> dict[str, float]:
    return points("spans", gold, found)


def _with_tokens(corpus: Corpus) -> Corpus:
    """Return a corpus whose words are said."""
    if "tokens" in corpus.names:
        return corpus
    return corpus.with_column("tokens", pa.array(map(list, words_of(corpus)), COLUMNS["tokens"]))


def _constituents(corpus: Corpus) -> list[set[Any]]:
    return [set(tree.constituents) for tree in _spans(corpus)]


def _placed_tags(corpus: Corpus) -> list[set[Any]]:
    return [set(enumerate(tags)) for tags in _tags(corpus)]


def _placed_arcs(corpus: Corpus) -> list[set[Any]]:
    return [set(enumerate(zip(tree.heads, tree.relations, strict=True))) for tree in _arcs(corpus)]


def _named_spans(corpus: Corpus) -> list[set[Any]]:
    return [
        {(span["start"], span["end"], span["label"]) for span in spans}
        for spans in corpus.complete("spans")
    ]


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        task.name: task
        for task in (
            Task(
                "constituency",
                ("tree",),
                ConstituencyNetwork,
                _spans,
                _with_trees,
                _evalb,
                _constituents,
            ),
            Task("tags", ("tags",), TagNetwork, _tags, _with_tags, _accuracy, _placed_tags),
            Task(
                "dependencies",
                ("heads", "deprels"),
                DependencyNetwork,
                _arcs,
                _with_arcs,
                _attachment,
                _placed_arcs,
            ),
            Task("spans", ("spans",), TagNetwork, _bio, _with_entities, _entities, _named_spans),
        )
    }
)
"""What there is to learn, by name."""
