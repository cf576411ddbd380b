"""The grammar of a neural method: texts of a corpus, and what a model makes of them.

A new text goes back to one text or two, and where texts are mixed to a share of the first. The
model itself stays where it is: the grammar keeps its name and a hash of its weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import networkx as nx

from grammar.arrays import FloatArray, LongArray
from grammar.codecs import ArrayCodec
from grammar.errors import OptionError
from grammar.options import MOST
from grammar.saving import facts as kinds
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.examples.examples import checked, saved_examples

__all__ = ["SHARE", "START", "TEXT", "ModelGrammar"]

START, TEXT, SHARE = "a new text", "a text", "a share"


@dataclass(frozen=True, eq=False, repr=False)
class ModelGrammar(Weighted):
    """Texts that a model makes new ones of.

    Rule 0 is what the model does. Behind it stands a rule for each text that can be used, and one
    for each share of a mix.

    Parameters
    ----------
    method, version : str
        The method.
    options : mapping
        Its options, the name of the model among them.
    examples : Corpus
        The texts, and their labels.
    hosts : int64[n]
        The numbers of the texts that can be used.
    weights : str
        The hash of the model's weights.
    parents : int
        How many texts make a new one.
    shares : float64[k]
        The shares of the first text that may be drawn; empty if none is.
    """

    method: str
    version: str
    options: Mapping[str, Any]
    examples: Corpus
    hosts: LongArray
    weights: str
    parents: int
    shares: FloatArray

    family = "models"
    codec = ArrayCodec(
        "treewright.models/1",
        "a grammar of texts for a model",
        kinds.Fields({
            "method": kinds.TEXT, "version": kinds.TEXT,
            "options": kinds.Fields({"model": kinds.TEXT}, others=kinds.ANY),
            "weights": kinds.TEXT, "parents": kinds.whole(1, MOST),
        }),
        {"examples": "rows", "hosts": "int64", "shares": "float64"},
    )  # fmt: skip
    start = START

    def __len__(self) -> int:
        return 1 + len(self.hosts) + len(self.shares)

    def __repr__(self) -> str:
        return f"ModelGrammar({self.method}: {len(self.hosts):,} texts, {self.options['model']})"

    @property
    def children(self) -> tuple[str, ...]:
        """What a new text is made of."""
        return (TEXT,) * self.parents + ((SHARE,) if len(self.shares) else ())

    def rule_text(self, number: int) -> str:
        """Return a rule as text: what the model does, a text, or a share."""
        number = self.numbered(number) - 1
        if number < 0:
            return f"{START} -> {', '.join(self.children)} [{self.options['model']}]"
        if number < len(self.hosts):
            return f"{TEXT} -> {self._text(number)}"
        return f"{SHARE} -> {self.shares[number - len(self.hosts)]:g}"

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph: a new text leads to texts, and to a share."""
        graph = nx.MultiDiGraph(family=self.family, start=START, method=self.method)
        for name in dict.fromkeys((START, *self.children)):
            graph.add_node(f"symbol:{name}", kind="symbol", name=name)
        said = {"pattern": self.rule_text(0)}
        graph.add_node("rule:0", kind="rule", **said)
        graph.add_edge(f"symbol:{START}", "rule:0", 0, weight=1.0)
        for position, child in enumerate(self.children):
            graph.add_edge("rule:0", f"symbol:{child}", position, position=position)
        for number in range(1, len(self)):
            left, _, right = self.rule_text(number).partition(" -> ")
            count = len(self.hosts) if left == TEXT else len(self.shares)
            graph.add_node(f"rule:{number}", kind="rule", pattern=right)
            graph.add_edge(f"symbol:{left}", f"rule:{number}", 0, weight=1 / count)
        return graph

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and the columns of its file.

        Raises
        ------
        OptionError
            If labels are those of a function.
        """
        if callable(self.options.get("teacher")):
            raise OptionError(
                "a teacher that is a function cannot be saved",
                hint="induce the method again, or name a classifier by its folder",
            )
        facts = {
            "method": self.method, "version": self.version, "options": dict(self.options),
            "weights": self.weights, "parents": self.parents,
        }  # fmt: skip
        examples = self.examples.table.to_struct_array().combine_chunks()
        return facts, {"examples": examples, "hosts": self.hosts, "shares": self.shares}

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> Self:
        """Make a grammar of what its file holds (ValueError if parts do not fit)."""
        corpus = checked(saved_examples(columns["examples"]))
        hosts, shares = columns["hosts"], columns["shares"]
        if not len(hosts) or not 0 <= int(hosts.min()) <= int(hosts.max()) < len(corpus):
            raise ValueError("the texts that can be used are not those of its examples")
        if facts["parents"] > len(hosts):
            raise ValueError("a text cannot go back to so many texts")
        if not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError("a share is not between 0 and 1")
        return cls(
            facts["method"], facts["version"], facts["options"], corpus, hosts,
            facts["weights"], facts["parents"], shares,
        )  # fmt: skip

    def _text(self, number: int) -> str:
        row = self.hosts[number].item()
        sides = [name for name in ("text", "text_pair") if name in self.examples.names]
        return " | ".join(str(self.examples.arrow(name)[row].as_py()) for name in sides)
