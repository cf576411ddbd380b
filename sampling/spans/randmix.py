"""RandMix: random spans of two examples exchanged, and their labels mixed (Zhang et al. 2022)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from sampling.examples.examples import read_examples
from sampling.examples.labels import refuse_sets
from sampling.examples.protection import protected_words
from sampling.examples.text_columns import Side
from sampling.joins.spacing import WHOLE
from sampling.spans.induction import assemble
from sampling.spans.repairs import repair_names, wholes
from sampling.spans.sampler import SpanSampler
from sampling.spans.sites import UNCUT, Spans, all_spans, sites_of, unprotected
from sampling.spans.treemix import MixOptions, label_pools

__all__ = ["RandMix", "RandMixOptions", "length_probabilities"]

VERSION = "2"
"""Raised whenever the same seed would give other bytes."""

COLUMNS = ("text", "text_pair", "label", "tokens", "tags", "spans")
_GRID = (Fraction(1, 10), Fraction(2, 10), Fraction(3, 10))


@dataclass(frozen=True, kw_only=True)
class RandMixOptions(MixOptions):
    """The options of :meth:`RandMix.induce`."""

    threshold: float = option(
        0.3, "Largest share of a span in the words of its sentence.", source="section 5.2",
        least=0, most=1,
    )  # fmt: skip
    draw: str = option(
        "uniform",
        "How the share λ is drawn for source and insert. uniform: λ ~ U(0, threshold), then any "
        "span of a share up to λ. fixed: any span of a share up to the threshold. grid: λ is "
        "0.1, 0.2 or 0.3, and the span has λ of the words, rounded down.",
        source="section 5.2, footnote 4",
        code="grid",
        choices=("uniform", "fixed", "grid"),
    )
    same_length: bool = option(
        False,
        "Inserted and removed spans have the same number of words.",
        source="appendix D.2",
        code=True,
    )


class RandMix(SpanSampler):
    """Put a random span of one example into another, and mix their labels by words.

    Build one with :meth:`induce`, or from a loaded grammar.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["no plot at all", "a fine film !"], label=[0, 1])
    >>> sampler = RandMix.induce(corpus, mix="cross")
    >>> sampler.count()
    32
    >>> sampler.sample(1)[0]["label"] in ([0.75, 0.25], [0.25, 0.75])
    True

    References
    ----------
    Le Zhang, Zichao Yang, Diyi Yang. 2022. TreeMix (section 5.2). NAACL.
    """

    method = "randmix"
    version = VERSION
    explained_as = "mixed spans"
    Options = RandMixOptions

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> RandMix:
        """Induce the grammar: every span that can be drawn is a slot and a substitute.

        Parameters
        ----------
        corpus : Corpus
            With ``text`` and ``label``; for pairs also ``text_pair``.
        **options
            Fields of :class:`RandMixOptions`; none of them is needed.

        Raises
        ------
        CorpusError
            If a column is missing or not valid, or no span can be exchanged.
        OptionError
            If an option is unknown or has a value that cannot be used.
        """
        chosen = read_options(RandMixOptions, options, cls.method)
        corpus.arrow("label")
        refuse_sets(corpus)
        examples = read_examples(
            corpus, tokenised=chosen.tokenised, cores="spacing" in repair_names(chosen.repair)
        )
        spans, weights = [], []
        for side in examples.sides:
            found, weight = _weighted(side, chosen, examples.corpus)
            spans.append(found)
            weights.append(weight)
        sites = sites_of(spans)
        weight = np.prod([w[sites.span[:, k]] for k, w in enumerate(weights)], axis=0)
        features = [
            ("words", sites.end[:, k] - sites.start[:, k])
            for k in range(len(spans))
            if chosen.same_length
        ]
        grammar = assemble(
            cls.method,
            VERSION,
            examples,
            sites,
            label_pools(sites, features, weight, examples.corpus, chosen.mix),
            columns=COLUMNS,
            mixes=True,
            options=asdict(chosen),
        )
        return cls(grammar)


def _weighted(side: Side, o: RandMixOptions, corpus: Corpus) -> tuple[Spans, NDArray[np.float64]]:
    """Return the spans of a side that can be drawn, and their probabilities in their text."""
    lengths = side.lengths
    tables = {n: length_probabilities(n, o.threshold, o.draw) for n in np.unique(lengths).tolist()}
    longest = np.array([len(tables[n]) - 1 for n in lengths.tolist()], np.int64)
    spans = all_spans(lengths, 1, longest)
    spans = spans.keep(spans.words <= longest[spans.example], f"of a ratio up to {o.threshold}")
    width = max(len(table) for table in tables.values())
    known = np.array(sorted(tables))
    rows = np.array([np.pad(tables[n], (0, width - len(tables[n]))) for n in known.tolist()])
    length = lengths[spans.example]
    by_length = rows[np.searchsorted(known, length), spans.words]
    weight = by_length / (length - spans.words + 1)
    possible = weight > 0
    mask = protected_words(corpus, side, o.protect)
    kept = spans.keep(possible, "that the draw of the ratio can give")
    weight = weight[possible]
    whole = wholes(kept, side, o.repair)
    if not whole.all():
        kept, weight = kept.keep(whole, WHOLE), weight[whole]
    begin = side.offsets[kept.example]
    good = side.uncut(begin + kept.start, begin + kept.end)
    if not good.all():
        kept, weight = kept.keep(good, UNCUT), weight[good]
    if mask.any():
        free = unprotected(kept, side.offsets, mask)
        kept, weight = kept.keep(free, "without a protected word"), weight[free]
    return kept, weight


def length_probabilities(words: int, threshold: float, draw: str) -> NDArray[np.float64]:
    """Return the probability that a span of 0, 1, 2, ... words is drawn from a text.

    Where λ ~ U(0, threshold) leaves no span (λ below 1 / words), λ is drawn again.

    Examples
    --------
    >>> length_probabilities(10, 0.2, "fixed").tolist()  # 10 spans of 1 word, 9 of 2
    [0.0, 0.5263157894736842, 0.47368421052631576]
    >>> length_probabilities(10, 0.3, "grid").tolist()
    [0.0, 0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    bound = Fraction(str(threshold))
    most = math.floor(bound * words)
    chances = np.zeros(most + 1)
    if most < 1:
        return chances
    spans = np.array([words - m + 1 for m in range(1, most + 1)], np.float64)
    if draw == "fixed":
        chances[1:] = spans / spans.sum()
    elif draw == "grid":
        for ratio in _GRID:
            if ratio <= bound and math.floor(ratio * words) > 0:
                chances[math.floor(ratio * words)] += 1
        chances /= max(chances.sum(), 1)
    else:
        # with λ between m / words and (m + 1) / words, spans of up to m words are alike
        edges = [Fraction(m, words) for m in range(1, most + 1)] + [bound]
        band = np.diff(np.array([float(edge) for edge in edges]))
        if not band.sum():
            band[-1] = 1.0  # the threshold is 1 / words: only λ equal to it leaves a span
        share = band / band.sum() / np.cumsum(spans)
        chances[1:] = spans * np.cumsum(share[::-1])[::-1]
    return chances
