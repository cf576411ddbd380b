"""Trains the parser of English that ships, and writes its file and its card.

    python -m benchmarks.english_parser [--output FOLDER] [--documents N] [--rounds R] [--models M]

Trees: those of GUM whose texts are CC BY (``gum/train`` below TREEWRIGHT_DATA), and the reviews
that the package brings; then those that a parser of these finds for the training part of UD English
EWT, with its tags, guided by its dependencies (self-training, McClosky, Charniak & Johnson 2006;
Huang & Harper 2009 for latent states). Words with their tags: the same trees, and EWT. Nothing of
the Penn Treebank goes in; where NLTK's sample of it is installed, it is tested on.
The same data, program and options give the same bytes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.accuracy import LONGEST, split
from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import MissingDataError
from grammar.files import write_text
from grammar.trees.evaluation import evalb
from grammar.trees.scores import Score
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import normalise, read_reviews, read_treebank
from induction.corpus.conllu import read_conllu
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file, embedded_file
from induction.counts.tagged_words import TaggedWords
from induction.parsers.latent import LatentParser
from induction.parsers.protocol import TextParser
from induction.parsers.training import induce_parser
from induction.trees.dependency_brackets import dependency_brackets

GENRES = ("academic", "court", "interview", "news")
OPTIONS: dict[str, Any] = {
    "rule_smoothing": 0.06, "word_smoothing": 0.3,
}  # fmt: skip
EWT = "ud/UD_English-EWT/en_ewt-ud-train.conllu.gz"
BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-"}
LONGEST_GUIDED = 50
ALIKE = {"ADD": "NNP", "NFP": ":", "GW": "FW", "AFX": "JJ", "XX": "FW"}
"""Tags of EWT that the treebank lacks, and those that stand for them."""
PUNCTUATION = frozenset({",", ":", "``", "''", "."})


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--output", type=Path, default=embedded_file(""))
    arguments.add_argument("--documents", type=int, help="of GUM, the first so many")
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--models", type=int, default=4)
    chosen = arguments.parse_args()
    began = time.process_time()
    parser = train(gum("train")[: chosen.documents], rounds=chosen.rounds, models=chosen.models)
    parser.save(chosen.output / "english.arrow")
    print(f"trained in {time.process_time() - began:.0f} s of processor time", flush=True)
    parser = LatentParser.load(chosen.output / "english.arrow")
    size = (chosen.output / "english.arrow").stat().st_size
    write_text(chosen.output / "english.version", f"{parser.version}\n")
    write_text(chosen.output / "english.md", card(parser, size))


def train(
    documents: Sequence[Path], *, sentences: int | None = None, **options: Any
) -> LatentParser:
    """Train on documents of GUM, the reviews, and the first so many sentences of EWT."""
    trees = [tree for path in documents for tree in read_treebank(path)]
    treebank = Treebank.from_trees([*trees, *Treebank.parse("\n".join(_reviews()))])
    ewt = read_conllu(data_file(EWT), tags="xpos")
    first = _knowing(induce_parser(treebank, **OPTIONS, **options), treebank, ewt)
    more = islice(guided_trees(first, ewt), sentences)
    both = Treebank.from_trees([*treebank, *treebank, *more])
    return _knowing(induce_parser(both, **OPTIONS, **options).compact(), treebank, ewt)


def _knowing(parser: LatentParser, treebank: Treebank, ewt: Corpus) -> LatentParser:
    """Return the parser with the tags of the words of trees and of EWT."""
    tags = parser.skeleton.grammar.rules.words
    tagged = [*_tagged(normalise(treebank)), *_tagged_words(ewt)]
    return parser.with_tagged_words(TaggedWords.of(tagged, tags, ALIKE))


def guided_trees(parser: LatentParser, ewt: Corpus) -> Iterator[Tree]:
    """Yield the trees of the sentences of 2 to 50 words, where there are any."""
    known = set(parser.skeleton.grammar.rules.words)
    columns = (ewt.column(name) for name in ("tokens", "tags", "heads", "deprels"))
    rows = [row for row in zip(*columns, strict=True) if 1 < len(row[0]) <= LONGEST_GUIDED]
    found = parser.parse_guided(
        ([BRACKETS.get(word, word) for word in words] for words, _, _, _ in rows),
        (dependency_brackets(heads, relations) for _, _, heads, relations in rows),
        tags=[[t if t in known else ALIKE.get(t, t) for t in own] for _, own, _, _ in rows],
    )
    return (tree for tree in found if not isinstance(tree, (NoParse, CoarseTree)))


def gum(part: str) -> list[Path]:
    """Return the documents of a part of GUM, in order of name."""
    return sorted(data_file(f"gum/{part}").glob("*.ptb"))


def _reviews() -> list[str]:
    trees: list[str] = read_reviews().column("tree")
    return trees


def _tagged(treebank: Treebank) -> Iterator[tuple[str, str]]:
    for tree in treebank:
        yield from zip(tree.leaves(), tags(tree), strict=True)


def _tagged_words(corpus: Corpus) -> Iterator[tuple[str, str]]:
    for words, given in zip(corpus.column("tokens"), corpus.column("tags"), strict=True):
        yield from zip(words, given, strict=True)


def tags(tree: Tree) -> list[str]:
    """Return the tags of the words of a tree."""
    if len(tree.children) == 1 and isinstance(tree.children[0], str):
        return [tree.label]
    return [tag for child in tree.children if isinstance(child, Tree) for tag in tags(child)]


def score(parser: TextParser, test: Treebank) -> Score:
    """Return the scores on trees of at most forty words, each of which counts.

    A word whose tag is of punctuation in one of two trees alone would make its sentence an error,
    which evalb leaves out; here the gold tag decides what is punctuation.
    """
    gold = normalise(test.take(normalise(test).lengths <= LONGEST))
    pairs = zip(gold, parser.parse(gold.sentences()), strict=True)
    return evalb(gold, [_with_punctuation(tree, tags(right)) for right, tree in pairs]).all


def _with_punctuation(tree: Tree, right: list[str]) -> Tree:
    given = iter(right)

    def again(node: Tree) -> Tree:
        if len(node.children) == 1 and isinstance(node.children[0], str):
            tag = next(given)
            differ = (tag in PUNCTUATION) != (node.label in PUNCTUATION)
            return Tree(tag if differ else node.label, node.children)
        return Tree(node.label, tuple(again(child) for child in node.children))  # type: ignore[arg-type]

    return again(tree)


def card(parser: LatentParser, size: int) -> str:
    """Return the text of the card."""
    rows = []
    for genre in GENRES:
        paths = [path for path in gum("test") if f"_{genre}_" in path.name]
        rows.append((f"GUM test, {genre}", paths))
    rows.append(("GUM test, all", gum("test")))
    lines = [_row(name, score(parser, _together(paths))) for name, paths in rows]
    try:
        lines.append(
            _row("Penn Treebank, NLTK's sample", score(parser, split(development=False)[1]))
        )
    except MissingDataError:
        print("NLTK's treebank is not installed, and not on the card")
    states = ", ".join(str(int(model.grammar.states.sum())) for model in parser.models)
    facts = {
        "SIZE": f"{size / 1e6:.1f} MB", "VERSION": parser.version, "STATES": states,
        "WORDS": f"{len(parser.lexicon.words):,}",
        "HEADS": f"{len(parser.heads.grammar):,}" if parser.heads else "0",
        "TAGGED": f"{len(parser.lexicon.tagged.words):,}" if parser.lexicon.tagged else "0",
        "SCORES": "\n".join(lines),
    }  # fmt: skip
    text = (Path(__file__).parent / "english_parser.md").read_text(encoding="utf-8")
    for name, fact in facts.items():
        text = text.replace(f"{{{name}}}", fact)
    return text


def _together(paths: Sequence[Path]) -> Treebank:
    return Treebank.from_trees(tree for path in paths for tree in read_treebank(path))


def _row(name: str, found: Score) -> str:
    line = (
        f"| {name} | {found.sentences} | {found.f1:.1f} | {found.precision:.1f} | "
        f"{found.recall:.1f} | {found.tagging:.1f} |"
    )
    print(line, flush=True)
    return line


if __name__ == "__main__":
    main()
