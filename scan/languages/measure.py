"""What synchronous induction finds of a language, from its training pairs alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

from grammar.chart.parses import NoParse
from grammar.errors import LengthBandError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.synchronous.induce import induce_synchronous
from sampling.sentences.pairs import sample_pairs
from scan.languages.language import Language
from scan.splits import Split
from scan.table import markdown_table

__all__ = ["Finding", "findings_table", "measure_language"]

_SAMPLED = 1_000


@dataclass(frozen=True)
class Finding:
    """What was found of one language.

    Attributes
    ----------
    language : str
        Its name.
    pairs : int
        Training pairs.
    rules, true_rules : int
        Rules found, before types; and rules of the language.
    exact : float
        Share of the held-out pairs whose best target, by the grammar for parsing, is right.
    samples : float
        Share of pairs from the grammar for sampling, all lengths alike, that are in the language.
    reached : float
        Share of the held-out pairs that the grammar for sampling derives: where it only repeats
        the training pairs, all samples are right, and none of these is reached.
    seconds : float
        Processor time of induction.

    Examples
    --------
    >>> Finding("order", 50, 12, 12, 1.0, 1.0, 1.0, 0.2).exact
    1.0
    """

    language: str
    pairs: int
    rules: int
    true_rules: int
    exact: float
    samples: float
    reached: float
    seconds: float


def measure_language(language: Language, parts: Split, *, seed: int = 0) -> Finding:
    """Induce a grammar from the training part, with all options at their defaults, and try it.

    Parameters
    ----------
    language : Language
        Says which samples are right; induction does not see it.
    parts : Split
        Training and held-out pairs.
    seed : int
        Of induction and of the samples.

    Examples
    --------
    >>> from scan import feature_language, language_split
    >>> language = feature_language("order")
    >>> measure_language(language, language_split(language, train=40, test=20)).language
    'order'
    """
    began = time.process_time()
    found = induce_synchronous(parts.train, seed=seed)
    seconds = time.process_time() - began
    core = SynchronousParser(found.core)
    held = [(s.split(), t.split()) for s, t in _pairs(parts.test)]
    return Finding(
        language=language.name,
        pairs=len(parts.train),
        rules=len(found.rules),
        true_rules=len(language.grammar),
        exact=_exact(found.grammar, held),
        samples=_right(language, found.core, seed),
        reached=sum(core.is_derivable(*pair) for pair in held) / len(held),
        seconds=seconds,
    )


def findings_table(findings: Iterable[Finding]) -> str:
    """Return a table in Markdown, one language a line."""
    header = [each.name.replace("_", " ") for each in fields(Finding)]
    rows = [[_text(*item) for item in asdict(finding).items()] for finding in findings]
    return markdown_table(header, rows)


_SHARES = ("exact", "samples", "reached")


def _text(name: str, value: float | str) -> str:
    if name in _SHARES:
        return f"{value:.1%}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _exact(grammar: SynchronousGrammar, held: Sequence[tuple[list[str], list[str]]]) -> float:
    parser = SynchronousParser(grammar)
    best = ((parser.translations(source), target) for source, target in held)
    right = sum(
        not isinstance(found, NoParse) and list(found[0].target) == target for found, target in best
    )
    return right / len(held)


def _right(language: Language, core: SynchronousGrammar, seed: int) -> float:
    lengths = (1, language.deeper)
    try:
        made = sample_pairs(core, _SAMPLED, seed=seed, source_length=lengths, flat=True)
    except LengthBandError:  # it derives nothing but longer ones
        return 0.0
    held = language.holds(_pairs(made))
    return sum(held) / len(held)


def _pairs(corpus: Corpus) -> list[tuple[str, str]]:
    return list(zip(corpus.column("text"), corpus.column("target"), strict=True))
