"""Stage 1 of ALP: the plausible trees of every text, each with its probability.

A text is one or more sentences, a sentence has one or more trees. They come with the corpus, or
from a parser; of a parser that knows how probable its trees are, all with P(t | s) >= τ max P are
taken, and their probabilities are made to sum to one.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, LongArray
from grammar.chart.parses import NoParse
from grammar.errors import CorpusError
from grammar.messages import tell
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.text.english_words import check_english
from induction.corpus.text.sentences import sentence_spans, sentences_of_words
from induction.corpus.text.tokens import penn_word, tokenise
from induction.corpus.tree_files import trees_of_corpus
from induction.parsers.protocol import TextParser, is_scoring
from induction.parsers.trees import AUTO, kept_parser
from sampling.alp.options import ALPOptions
from sampling.examples.examples import refuse_pairs
from sampling.examples.labels import check_corpus
from sampling.examples.text_columns import Side, read_side

__all__ = ["ParsedTexts", "UnparsedWarning", "parsed_texts", "without_idle_trees"]

_LOG = logging.getLogger(__name__)


class UnparsedWarning(UserWarning):
    """Some texts have no parse and are left out; the message names them."""


@dataclass(frozen=True, eq=False)
class ParsedTexts:
    """Texts with their trees.

    Attributes
    ----------
    corpus : Corpus
        The texts that have trees.
    side : Side
        Their words; those of all trees of a text are the same.
    treebank : Treebank
        The trees, sentence after sentence, the best first.
    weight : float64[trees]
        P(t | s) among the trees taken.
    trees : int64[sentences + 1]
        Where the trees of each sentence begin.
    sentences : int64[texts + 1]
        Where the sentences of each text begin.
    facts : dict
        Which parser made them, of how many sentences trees were cut off, which texts are left out.
    """

    corpus: Corpus
    side: Side
    treebank: Treebank
    weight: FloatArray
    trees: LongArray
    sentences: LongArray
    facts: dict[str, Any] = field(default_factory=dict)


class _Found(NamedTuple):
    """The trees of one sentence with their weights; ``cut`` says whether there are more."""

    trees: tuple[Tree, ...]
    weights: tuple[float, ...]
    cut: bool


def parsed_texts(corpus: Corpus, o: ALPOptions) -> ParsedTexts:
    """Return the plausible trees of all texts of a corpus.

    Parameters
    ----------
    corpus : Corpus
        With ``text``, and ``tree`` (one bracketing) or ``trees`` (a list of them, alike probable);
        without, texts are parsed, by their ``tokens`` if there are any.
    o : ALPOptions
        ``parser``, ``tau`` and ``most_trees``.

    Raises
    ------
    CorpusError
        If a text is empty or has no tree, trees do not have the words of their text, or no text
        has a parse.
    OptionError
        If the parser is not one.

    Warns
    -----
    UnparsedWarning
        If some texts have no parse.
    """
    _refuse_unfit(corpus)
    if "trees" in corpus.names:
        return _given(corpus, [list(map(_tree, row or ())) for row in corpus.column("trees")])
    if "tree" in corpus.names:
        treebank = trees_of_corpus(corpus)
        _refuse_sentiments(treebank)
        return _given(corpus, [[tree] for tree in treebank])
    return _parsed(corpus, o)


def _refuse_sentiments(treebank: Treebank) -> None:
    """Refuse the trees of SST, which have sentiments where others have phrases and tags."""
    symbols = list(treebank.symbols)
    labels = (symbols[code] for code in np.unique(treebank.label[~treebank.is_word]).tolist())
    if all(label.isdecimal() for label in labels):
        raise CorpusError(
            "the trees have sentiments for labels, and alp goes by phrases, tags and heads",
            where="column 'tree'",
            hint="name a parser, which then makes the trees: parser='english'",
        )


def without_idle_trees(corpus: Corpus, o: ALPOptions) -> Corpus:
    """Return the corpus without its trees if a parser is named that makes others.

    A name beats what happens to be there, so that no option is passed over in silence.
    """
    if isinstance(o.parser, str) and o.parser == AUTO:
        return corpus
    idle = [name for name in ("tree", "trees") if name in corpus.names]
    return Corpus(corpus.table.drop_columns(idle)) if idle else corpus


def _refuse_unfit(corpus: Corpus) -> None:
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least two examples a class")
    refuse_pairs(corpus, "alp")
    check_corpus(corpus)


def _tree(text: str) -> Tree:
    return Tree.parse(text)


def _given(corpus: Corpus, rows: list[list[Tree]]) -> ParsedTexts:
    """Return texts whose trees stand in the corpus."""
    ids = corpus.column("id")
    for name, trees in zip(ids, rows, strict=True):
        if not trees:
            raise CorpusError(
                "there is no tree", where=f"example {name!r}", hint="drop it, or parse its text"
            )
        if any(tree.leaves() != trees[0].leaves() for tree in trees[1:]):
            raise CorpusError(
                "its trees have different words", where=f"example {name!r}",
                hint="give trees of one text",
            )  # fmt: skip
    corpus = Corpus(corpus.table.drop_columns([n for n in ("trees",) if n in corpus.names]))
    corpus = corpus.with_column("tree", [str(trees[0]) for trees in rows])
    found = [[_Found(tuple(trees), (1 / len(trees),) * len(trees), False)] for trees in rows]
    return _assembled(corpus, read_side(corpus), found, {"parser": "trees of the corpus"})


def _parsed(corpus: Corpus, o: ALPOptions) -> ParsedTexts:
    if o.parser == AUTO:
        check_english(corpus)
    parser, name = kept_parser(o.parser)
    how = f"parsed by {name} (the option parser names another)"
    tell(f"{len(corpus):,} texts have no trees: {how}")
    texts, places = [], []
    given = corpus.column("tokens") if "tokens" in corpus.names else None
    for i, text in enumerate(corpus.column("text")):
        if given is not None:
            texts.append(sentences_of_words([penn_word(word) for word in given[i]]))
            places.append(given[i])
            continue
        sentences = [text[start:end] for start, end in sentence_spans(text)]
        tokens = list(map(tokenise, sentences))
        texts.append([list(each.words) for each in tokens])
        forms = zip(tokens, sentences, strict=True)
        places.append([form for each, sentence in forms for form in each.surfaces(sentence)])
    found = iter(_each(parser, (s for text in texts for s in text), o))
    rows = [[next(found) for _ in text] for text in texts]
    corpus = corpus.with_column("tokens", pa.array(places, pa.list_(pa.string())))
    corpus, kept, unparsed = _with_parse(corpus, rows)
    cut = sum(sentence.cut for text in kept for sentence in text)
    if cut:
        _LOG.info("%d sentences have more than %d trees above tau", cut, o.most_trees)
    facts = {"parser": name, "cut_off": cut, "unparsed": unparsed}
    return _assembled(corpus, read_side(corpus), kept, facts)


def _each(
    parser: TextParser, sentences: Iterable[Sequence[str]], o: ALPOptions
) -> Iterator[_Found | NoParse]:
    """Yield the plausible trees of every sentence."""
    if not is_scoring(parser):
        for tree in parser.parse_each(sentences):
            yield tree if isinstance(tree, NoParse) else _Found((tree,), (1.0,), False)
        return
    most = o.most_trees
    # one more is asked for, to see whether any are cut off
    for parses in parser.kbest_each(sentences, most + 1 if most > 1 else 1):
        if isinstance(parses, NoParse):
            yield parses
            continue
        best = parses[0].log_probability
        if best == -math.inf:  # a coarser parse, whose probability nothing tells
            yield _Found((parses[0].tree,), (1.0,), False)
            continue
        least = best + math.log(o.tau)
        likely = [p for p in parses if p.log_probability >= least or p is parses[0]]
        mass = np.exp([p.log_probability - best for p in likely[:most]])
        trees = tuple(p.tree for p in likely[:most])
        yield _Found(trees, tuple((mass / mass.sum()).tolist()), len(likely) > most)


def _with_parse(
    corpus: Corpus, rows: list[list[_Found | NoParse]]
) -> tuple[Corpus, list[list[_Found]], list[str]]:
    """Drop the texts with a sentence that has no parse, and say so."""
    ids = corpus.column("id")
    kept, numbers, lost, reasons = [], [], [], []
    for i, text in enumerate(rows):
        found = [s for s in text if not isinstance(s, NoParse)]
        if text and len(found) == len(text):
            kept.append(found)
            numbers.append(i)
            continue
        lost.append(str(ids[i]))
        reasons.append(next((s.reason for s in text if isinstance(s, NoParse)), "no words"))
    if not kept:
        raise CorpusError(
            f"no text has a parse: {reasons[0]}", where=f"example {lost[0]!r}",
            hint="give another parser, or a column 'tree'",
        )  # fmt: skip
    if lost:
        warnings.warn(
            f"{len(lost)} of {len(rows)} texts have no parse and are left out, the first "
            f"{lost[0]!r} ({reasons[0]})",
            UnparsedWarning,
            stacklevel=6,
        )
    return Corpus(corpus.table.take(numbers)), kept, lost


def _assembled(
    corpus: Corpus, side: Side, texts: list[list[_Found]], facts: dict[str, Any]
) -> ParsedTexts:
    sentences = [sentence for text in texts for sentence in text]
    for i, text in enumerate(texts):
        words = sum(len(sentence.trees[0].leaves()) for sentence in text)
        if words != side.lengths[i]:
            raise CorpusError(
                f"its trees have {words} words, and its text {side.lengths[i]}",
                where=f"example {corpus.column('id')[i]!r}",
                hint="the parser must keep the tokens that it is given",
            )
    treebank = Treebank.from_trees(tree for s in sentences for tree in s.trees)
    weight = np.array([w for s in sentences for w in s.weights], np.float64)
    return ParsedTexts(
        corpus,
        side,
        treebank,
        weight,
        _ends([len(s.trees) for s in sentences]),
        _ends([len(text) for text in texts]),
        facts,
    )


def _ends(sizes: list[int]) -> LongArray:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
