"""A grammar under a tilt: that of another method, and the score that its examples are drawn by.

The rules are those of the other grammar, whose file stands whole in this one's; the score is data
(see :mod:`sampling.joins.score`,
:mod:`sampling.operators.agreement` and :mod:`sampling.neural.causal.fit`). So one file gives the
same bytes again, without the corpus.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from grammar.codecs import ArrayCodec
from grammar.errors import OptionError
from grammar.opening import open_grammar
from grammar.saving.facts import ANY, OPTIONS, TEXT, Fields, one_of
from grammar.weighted import Weighted
from sampling.joins.score import SeamScore
from sampling.neural.causal.fit import LanguageFit
from sampling.operators.agreement import Agreement

__all__ = ["TiltedGrammar"]

_SCORES: Mapping[str, Any] = {
    "joins": SeamScore,
    "agreement": Agreement,
    "language": LanguageFit,
}


@dataclass(frozen=True, eq=False, repr=False)
class TiltedGrammar(Weighted):
    """The grammar of a method, and a score by a power of which its examples are drawn.

    Parameters
    ----------
    method : str
        The operator: ``fluent`` or ``agree``.
    base : Weighted
        The grammar of the method that it is applied to.
    score : SeamScore, Agreement, LanguageFit or callable
        What says how good examples are. A function can be sampled with, but not saved.
    options : mapping
        How much the score weighs, and how it was learnt.
    """

    method: str
    base: Weighted
    score: Any
    options: Mapping[str, Any]

    family = "tilted"
    codec = ArrayCodec(
        "treewright.tilted/3",
        "a grammar under a tilt",
        Fields({
            "method": TEXT, "options": OPTIONS, "suffix": one_of(".arrow", ".json"),
            "kind": one_of(*_SCORES), "score": ANY,
        }),
        {"base": "uint8", **{k: v for score in _SCORES.values() for k, v in score.columns.items()}},
    )  # fmt: skip

    @property
    def start(self) -> str:  # type: ignore[override]
        """The start symbol of the other grammar."""
        return self.base.start

    @property
    def beneath(self) -> Weighted:
        """The grammar of the method, beneath all operators."""
        beneath: Weighted = getattr(self.base, "beneath", self.base)
        return beneath

    def __repr__(self) -> str:
        by = f" by {self.score.model}" if isinstance(self.score, LanguageFit) else ""
        return f"TiltedGrammar({self.method}{by}: {self.base!r})"

    def __len__(self) -> int:
        return len(self.base)

    def rule_text(self, number: int) -> str:
        """Return a rule of the other grammar as text."""
        return self.base.rule_text(number)

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Return the rules of a derivation as text (as those of the other grammar)."""
        return self.base.used(rules, source=source)

    def build_graph(self) -> nx.MultiDiGraph:
        """Return the graph of the other grammar, with its weights before the tilt."""
        graph = nx.MultiDiGraph(self.base.graph)
        graph.graph.pop("notes", None)
        graph.graph.update(family=self.family, method=self.method, options=dict(self.options))
        return graph

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and columns of the saved file.

        Raises
        ------
        OptionError
            If the score is a function.
        """
        kind = next((k for k, score in _SCORES.items() if type(self.score) is score), None)
        if kind is None:
            raise OptionError(
                "a score that is a function cannot be saved",
                hint="save the grammar of the method itself, and apply fluent to it again",
            )
        facts, columns = self.score.to_arrays()
        suffix = self.base.codec.suffixes[0]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"base{suffix}")
            self.base.save(path)
            held = np.frombuffer(path.read_bytes(), np.uint8)
        whole = {
            "method": self.method,
            "options": dict(self.options),
            "suffix": suffix,
            "kind": kind,
            "score": facts,
        }
        return whole, {"base": held, **columns}

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> TiltedGrammar:
        """Read a grammar off what :meth:`to_arrays` returned."""
        kind = _SCORES[facts["kind"]]
        kind.facts("score", facts["score"])
        score = kind.from_arrays(facts["score"], columns)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"base{facts['suffix']}")
            path.write_bytes(columns["base"].tobytes())
            base = open_grammar(path)
        return cls(facts["method"], base, score, facts["options"])
