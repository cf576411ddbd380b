"""New GeoQuery pairs from training pairs alone: GECA, a synchronous grammar, and a control.

- ``geca``: Andreas (2020) with the settings of its semantic parsing runs, n-grams of up to four
  words that occur at most 50 times; two of them to a fragment, three for SQL.
- ``synchronous``: names are hidden behind typed marks, a synchronous grammar is induced and
  sampled, and new names are put in. Of the samples stay those whose target has nothing but
  (function, place of the argument, argument) triples of training targets. This stands for the
  grammar of FunQL that Qiu et al. (2022) are given: it is read off the training pairs.
- ``exchange``: the same grammar only says what the constituents of the training pairs are; one of
  them takes the place of another (see :mod:`scan.geoquery.exchange`).
- ``names``: training pairs with other names of the same kinds, a control that makes no new
  template (the entity rule of Jia & Liang 2016).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from grammar.errors import OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from induction.corpus.corpus import Corpus
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from sampling.geca.method import GECA
from sampling.sentences.pairs import sample_pairs
from sampling.stream import Shortfall, ShortfallWarning, warn_of
from scan.geoquery.aliases import absolute_aliases, relative_aliases
from scan.geoquery.data import GeoQuery
from scan.geoquery.exchange import exchanges
from scan.geoquery.names import Hidden, NameBook, hide_names
from scan.geoquery.variables import absolute_variables, relative_variables

__all__ = [
    "METHODS",
    "augment_geoquery",
    "hidden_pairs",
    "induce_geoquery",
    "induced_grammar",
    "triples",
]

METHODS = ("none", "names", "geca", "synchronous", "exchange")
"""Names of the methods."""

TYPES = 16
"""Types of the grammar, see :func:`induction.synchronous.induce.induce_synchronous`."""
DEPTH = (1, 7)
DRAWS_PER_PAIR = 20
"""Samples looked at for each pair asked for, before a shortfall is reported."""
# the values of Qiu et al. (2022) for GeoQuery
SEARCH: dict[str, Any] = {
    "word_size": 8,
    "slot_size": 1,
    "source_given_target": 4,
    "target_given_source": 16,
    "max_slots": 4,
    "max_steps": 20,
    # of few questions, many are exceptions, and two that differ in one place say little
    "tolerance": 0.0,
    "compare": False,
    "lexicon": "necessity",
}

# how targets are written so that a part means the same wherever it stands, and back
_FORMS: dict[str, tuple[Callable[[str], str | None], Callable[[str], str | None]]] = {
    "logic": (relative_variables, absolute_variables),
    "prolog": (relative_variables, absolute_variables),
    "sql": (relative_aliases, absolute_aliases),
}

Pair = tuple[str, str]
Triple = tuple[str, int, str]


def augment_geoquery(
    data: GeoQuery,
    method: str,
    *,
    n: int = 1000,
    seed: int = 0,
    grammar: SynchronousGrammar | None = None,
) -> Corpus:
    """Make new pairs from the training part.

    Parameters
    ----------
    data : GeoQuery
        Only its training part is read.
    method : {"none", "names", "geca", "synchronous", "exchange"}
        See the head of this module.
    n : int
        How many at most.
    seed : int
        Of the draws.
    grammar : SynchronousGrammar, optional
        For "synchronous" and "exchange", what :func:`induced_grammar` found, if it is there.

    Returns
    -------
    Corpus
        Columns ``id``, ``text`` and ``target``: distinct pairs, none of them in training.

    Warns
    -----
    ShortfallWarning
        If fewer than ``n`` were found.

    Raises
    ------
    OptionError
        If there is no such method, or ``n`` is negative.
    CorpusError
        If GECA finds nothing to exchange.
    """
    if method not in METHODS:
        raise OptionError(f"unknown method {method!r}", hint=f"choose from {', '.join(METHODS)}")
    if n < 0:
        raise OptionError(f"n is {n}", hint="give a number of 0 or more")
    if method == "geca":
        gaps = 3 if data.representation == "sql" else 2
        sampler = GECA.induce(data.train, size=4, gaps=gaps, max_count=50)
        made = sampler.sample(min(n, sampler.count()), seed=seed)
        return _corpus(zip(made.column("text"), made.column("target"), strict=True))
    if method == "none":
        return _corpus(())
    hidden = hidden_pairs(data)
    absolute = _FORMS.get(data.representation, (str, str))[1]
    if method == "names":
        draws = _other_names(hidden, n, seed)
    elif method == "exchange":
        draws = _from_exchanges(hidden, grammar or induced_grammar(data, method), seed)
    else:
        prefix = data.representation == "lambda"
        draws = _from_grammar(hidden, grammar or induced_grammar(data), n, seed, prefix=prefix)
    known = set(zip(data.train.column("text"), data.train.column("target"), strict=True))
    pairs: dict[Pair, None] = {}
    for text, drawn in draws:
        target = absolute(drawn)
        if target is not None and (text, target) not in known:
            pairs[text, target] = None
        if len(pairs) == n:
            break
    if len(pairs) < n:
        shortfall = Shortfall(len(pairs), f"no more than {len(pairs)} were found")
        message = f"{n} pairs were asked for, but {shortfall}"
        warn_of(ShortfallWarning(message, shortfall))
    return _corpus(pairs)


def hidden_pairs(data: GeoQuery) -> list[Hidden]:
    """Return the training pairs with their names hidden (see :mod:`scan.geoquery.names`).

    Variables of ``logic`` and ``prolog`` are relative (see :mod:`scan.geoquery.variables`), and so
    are aliases of ``sql`` (see :mod:`scan.geoquery.aliases`); pairs that cannot be so written are
    left out.
    """
    rows = zip(data.train.column("text"), data.train.column("target"), strict=True)
    relative = _FORMS.get(data.representation, (str, str))[0]
    pairs = [(text, relative(target)) for text, target in dict.fromkeys(rows)]
    return [hide_names(data.representation, text, target) for text, target in pairs if target]


def induce_geoquery(hidden: Iterable[Hidden], *, types: int = TYPES) -> SynchronousInduction:
    """Induce a synchronous grammar from pairs with hidden names.

    Where a question with hidden names has several targets, the most frequent one is learnt. Marks
    are rules from the start, as words that are the same on both sides are in Qiu et al. (2022).

    >>> from scan import hide_names
    >>> names = ("ohio", "iowa", "utah")
    >>> pairs = [(f"capital of {name}", f"capital ( ' {name} ' )") for name in names]
    >>> found = induce_geoquery([hide_names("funql", *pair) for pair in pairs], types=1)
    >>> len(found.rules.rules) > 0
    True
    """
    pairs = _one_target(hidden)
    marks = {
        word
        for text, target in pairs
        for word in set(text.split()) & set(target.split())
        if word[-1].isdigit() and not word.isdigit()
    }
    known = {text for text, _ in pairs}
    seeds = [(mark, mark) for mark in sorted(marks) if mark not in known]
    return induce_synchronous(
        pairs + seeds, licensing=False, closure=False, types=types, parts=1, **SEARCH
    )


def induced_grammar(data: GeoQuery, method: str = "synchronous") -> SynchronousGrammar:
    """Return the grammar that ``synchronous`` samples from, or the rules for ``exchange``."""
    if method == "exchange":
        return induce_geoquery(hidden_pairs(data), types=1).rules
    return induce_geoquery(hidden_pairs(data)).grammar


def triples(target: str, *, prefix: bool = False) -> Iterator[Triple]:
    """Yield (function, place of the argument, argument) of a target with brackets.

    Numbers at the end of marks are left out, so that all marks of a kind are one argument.

    Parameters
    ----------
    target : str
        Its tokens.
    prefix : bool
        Functions stand behind their opening bracket, as in lambda calculus here; otherwise before
        it, with commas between arguments, and a bracket without a function counts as ``(``.

    Examples
    --------
    >>> list(triples("answer ( size ( STATE0 ) )"))
    [('', 0, 'answer'), ('answer', 0, 'size'), ('size', 0, 'STATE')]
    >>> list(triples("( A , size ( A ) )"))[-2:]
    [('(', 1, 'size'), ('size', 0, 'A')]
    >>> list(triples("( argmax $0 ( city:t $0 ) )", prefix=True))
    [('', 0, 'argmax'), ('argmax', 0, '$'), ('argmax', 1, 'city:t'), ('city:t', 0, '$')]
    """
    open_brackets: list[tuple[str, int]] = [("", 0)]
    before = ""
    for word in target.split():
        function, place = open_brackets[-1]
        if word == "(":
            open_brackets.append(("" if prefix else before if before not in "(," else "(", 0))
        elif word == ")":
            del open_brackets[1 if len(open_brackets) == 1 else -1 :]
        elif word == ",":
            open_brackets[-1] = (function, place + 1)
        elif prefix and before == "(":
            outside, number = open_brackets[-2]
            yield outside, number, word
            open_brackets[-2:] = [(outside, number + 1), (word, 0)]
        else:
            yield function, place, word.rstrip("0123456789") or word
            if prefix:
                open_brackets[-1] = (function, place + 1)
        before = word


def _other_names(hidden: list[Hidden], n: int, seed: int) -> Iterator[Pair]:
    named = [pair for pair in hidden if pair.names]
    book = NameBook(named)
    for index in range(DRAWS_PER_PAIR * n if named else 0):
        pair = named[index % len(named)]
        yield book.fill(pair.text, pair.target, seed=seed, index=index)


def _from_grammar(
    hidden: list[Hidden], grammar: SynchronousGrammar, n: int, seed: int, *, prefix: bool
) -> Iterator[Pair]:
    book = NameBook(hidden)
    seen = {triple for pair in hidden for triple in triples(pair.target, prefix=prefix)}
    firsts = {pair.target.split()[0] for pair in hidden}
    known = {pair.text for pair in hidden}
    for start in range(0, DRAWS_PER_PAIR * n, n):
        draws = sample_pairs(grammar, n, seed=seed, start=start, depth=DEPTH)
        for index, pair in enumerate(
            zip(draws.column("text"), draws.column("target"), strict=True), start=start
        ):
            # a question is taken once, with whatever target comes first
            if (
                pair[0] in known
                or not _is_whole(pair, firsts, book)
                or not seen.issuperset(triples(pair[1], prefix=prefix))
            ):
                continue
            known.add(pair[0])
            yield book.fill(*pair, seed=seed, index=index)


def _from_exchanges(hidden: list[Hidden], grammar: SynchronousGrammar, seed: int) -> Iterator[Pair]:
    book = NameBook(hidden)
    firsts = {pair.target.split()[0] for pair in hidden}
    made = exchanges(_one_target(hidden), grammar, seed=seed)
    for index, pair in enumerate(made):
        if _is_whole(pair, firsts, book):
            yield book.fill(*pair, seed=seed, index=index)


def _one_target(hidden: Iterable[Hidden]) -> list[Pair]:
    """Return every question once, with its most frequent target."""
    targets: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pair in hidden:
        targets[pair.text][pair.target] += 1
    return [(text, counts.most_common(1)[0][0]) for text, counts in targets.items()]


def _is_whole(pair: Pair, firsts: set[str], book: NameBook) -> bool:
    """Say whether a sample looks like a whole question with its meaning."""
    text, target = pair
    marks = book.marks(text, target)
    # the same mark twice may have been two places
    return target.split()[0] in firsts and len(set(marks)) == len(marks)


def _corpus(pairs: Iterable[Sequence[str]]) -> Corpus:
    rows = list(pairs)
    return Corpus.from_columns(text=[text for text, _ in rows], target=[t for _, t in rows])
