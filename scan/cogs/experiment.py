"""One cell of the COGS experiment: a method of augmentation, a seed.

Training pairs alone decide what is induced and drawn. The model writes terms in their short form;
they are converted back to the original logical forms, and both are compared. ``dev`` was looked at
for choices; ``test`` and ``gen`` are read after training has ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grammar.chart.parses import NoParse
from grammar.errors import OptionError, TreewrightError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.terms.induce import induce_from_terms
from induction.terms.terms import Term
from scan.cogs.conversion import convert, with_small_article
from scan.cogs.data import LEXICAL, STRUCTURAL, cogs
from scan.cogs.forms import to_original, to_variable_free
from scan.cogs.training import model_answers, train_on_terms

if TYPE_CHECKING:
    from scan.models.config import TrainingConfig
    from scan.models.files import TrainedModel
    from scan.models.training import Progress

__all__ = [
    "METHODS",
    "CogsOutcome",
    "Scores",
    "grammar_answers",
    "induce_cogs",
    "run",
    "score",
    "term_pairs",
]

METHODS = ("none", "synchronous")


@dataclass(frozen=True)
class Scores:
    """Exact match on the generalisation set.

    Attributes
    ----------
    original, variable_free : float
        Over all sentences, of the two forms.
    lexical, structural : float
        Means of the original form over the 18 lexical and the 3 structural categories.
    categories : dict of str to float
        The original form, by category.
    unanswered : int
        Sentences without an answer that is a logical form of the sentence.
    """

    original: float
    variable_free: float
    lexical: float
    structural: float
    categories: dict[str, float]
    unanswered: int


@dataclass(frozen=True)
class CogsOutcome:
    """What one training run found: exact match of the original form, as shares.

    Attributes
    ----------
    method, seed
        The cell.
    train_pairs, synthetic_pairs : int
        Distinct pairs.
    agreeing : float
        Share of synthetic pairs that the grammar parses back to their targets.
    sampled_gen : int
        Sentences of the generalisation set among the synthetic ones.
    steps : int
        Updates until training stopped.
    train_exact, dev_exact, test_exact : float
        Training pairs (synthetic ones included), and the two published parts.
    gen : Scores
        The generalisation set.
    seconds : float
        Wall time of training, the last run of it if it was interrupted.
    """

    method: str
    seed: int
    train_pairs: int
    synthetic_pairs: int
    agreeing: float
    sampled_gen: int
    steps: int
    train_exact: float
    dev_exact: float
    test_exact: float
    gen: Scores
    seconds: float

    def to_json(self) -> str:
        """Return the outcome as one JSON object."""
        return json.dumps(asdict(self), indent=2) + "\n"


def term_pairs(corpus: Corpus) -> list[tuple[str, str]]:
    """Return sentences and their terms; an article that begins a sentence gets a small letter.

    >>> corpus = Corpus.from_columns(text=["A cat slept ."],
    ...     target=["cat ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )"])
    >>> term_pairs(corpus)
    [('a cat slept .', 'sleep ( agent = cat )')]
    """
    terms = convert(corpus, "variable-free")
    return list(zip(terms.column("text"), terms.column("target"), strict=True))


def induce_cogs(train: Corpus) -> SynchronousGrammar:
    """Induce the grammar of the training part."""
    return induce_from_terms(term_pairs(train)).grammar


def score(corpus: Corpus, answers: Sequence[Term | None]) -> Scores:
    """Compare answers with the logical forms of a part that has categories.

    Parameters
    ----------
    corpus : Corpus
        With the columns ``text``, ``target`` and ``category``.
    answers : sequence of Term or None
        One for each sentence; None is no answer.
    """
    right: dict[str, list[bool]] = {}
    same_term = unanswered = 0
    columns = (corpus.column(name) for name in ("text", "target", "category"))
    for text, form, category, term in zip(*columns, answers, strict=True):
        written = None if term is None else _original(term, text)
        unanswered += written is None
        same_term += term == to_variable_free(form)
        right.setdefault(category, []).append(written == form)
    shares = {name: sum(found) / len(found) for name, found in sorted(right.items())}
    return Scores(
        original=sum(map(sum, right.values())) / len(corpus),
        variable_free=same_term / len(corpus),
        lexical=_mean(shares, LEXICAL),
        structural=_mean(shares, STRUCTURAL),
        categories=shares,
        unanswered=unanswered,
    )


def _original(term: Term, text: str) -> str | None:
    try:
        return to_original(term, text)
    except TreewrightError:
        return None


def _mean(shares: dict[str, float], names: Iterable[str]) -> float:
    found = [shares[name] for name in names if name in shares]
    return sum(found) / len(found) if found else 0.0


def grammar_answers(grammar: SynchronousGrammar, texts: Iterable[str]) -> list[Term | None]:
    """Return the target of the best parse of each sentence; None where there is no parse."""
    parser = SynchronousParser(grammar)
    answers: list[Term | None] = []
    for text in texts:
        found = parser.translations(with_small_article(text).split())
        answers.append(None if isinstance(found, NoParse) else Term.parse(found[0].target))
    return answers


def run(
    method: str,
    *,
    config: TrainingConfig,
    checkpoint: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> tuple[CogsOutcome, TrainedModel]:
    """Induce, draw, train and test one cell; ``config.seed`` is the seed of all of it.

    Raises
    ------
    OptionError
        If there is no such method, or the checkpoint belongs to another cell.
    """
    if method not in METHODS:
        raise OptionError(f"unknown method {method!r}", hint=f"choose from {', '.join(METHODS)}")
    published = cogs("train")
    pairs = term_pairs(published)
    model = train_on_terms(
        pairs,
        induce_cogs(published) if method == "synchronous" else None,
        config=config,
        checkpoint=checkpoint,
        on_progress=on_progress,
    )
    trained = model.trained
    parts = {name: cogs(name) for name in ("dev", "test", "gen")}
    scores = {
        name: score(part, model_answers(trained, part.column("text")))
        for name, part in parts.items()
    }
    drawn = {source for source, _ in model.made}
    outcome = CogsOutcome(
        method=method,
        seed=config.seed,
        train_pairs=len(pairs),
        synthetic_pairs=len(model.made),
        agreeing=model.agreeing,
        sampled_gen=sum(with_small_article(text) in drawn for text in parts["gen"].column("text")),
        steps=trained.history[-1].update,
        train_exact=trained.history[-1].exact_match,
        dev_exact=scores["dev"].original,
        test_exact=scores["test"].original,
        gen=scores["gen"],
        seconds=model.seconds,
    )
    return outcome, trained
