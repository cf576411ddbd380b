"""A lexicalised PCFG has a vote in the default parser: counted, saved, and refused if damaged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from grammar.errors import OptionError, SchemaError
from grammar.saving.array_file import array_schema, load_arrays, save_arrays
from grammar.trees.evaluation import evalb
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import induce_lpcfg, induce_parser, normalise, read_treebank
from induction.counts.tagged_words import TaggedWords
from induction.parsers.forest import ParsedForest, log_posterior
from induction.parsers.latent import LatentParser
from induction.parsers.lexicalised import LexicalisedParser
from treewright.cli import app

QUICK: dict[str, Any] = {"rounds": 1, "split_iterations": 4, "merge_iterations": 2}


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return read_treebank()[:150]


@pytest.fixture(scope="module")
def parser(treebank: Treebank) -> LatentParser:
    return induce_parser(treebank, models=2, **QUICK)


@pytest.fixture(scope="module")
def alone(treebank: Treebank) -> LexicalisedParser:
    """The same lexicalised PCFG as its own family has it."""
    return LexicalisedParser(induce_lpcfg(treebank, horizontal_markov=0))


def saved(parser: LatentParser, path: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return schema, facts and columns of a parser's file, which is gone then."""
    parser.save(path)
    schema = array_schema(path)
    assert schema
    facts, columns = load_arrays(path, schema, what="", hint="")
    path.unlink()
    return schema, facts, columns


def forests(parser: LatentParser, count: int = 20) -> list[ParsedForest]:
    sentences = normalise(read_treebank()[150 : 150 + count]).sentences()
    return [found for found in parser.forests_each(sentences) if isinstance(found, ParsedForest)]


def test_heads_have_three_votes_for_each_four_of_states(
    parser: LatentParser, alone: LexicalisedParser
) -> None:
    for found in forests(parser):
        of_states = [m.posteriors(found.forest, found.known) for m in parser.models]
        of_heads = alone.edge_posteriors(found.forest, found.known)
        wanted = sum(map(log_posterior, of_states)) + 0.75 * 2 * log_posterior(of_heads)
        np.testing.assert_allclose(parser.scores(found.forest, found.known), wanted)
        mean = (np.mean(of_states, axis=0) + 0.75 * of_heads) / 1.75
        np.testing.assert_allclose(parser.edge_posteriors(found.forest, found.known), mean)


def test_heads_help_where_trees_are_few(parser: LatentParser) -> None:
    gold = normalise(read_treebank()[150:])
    without = replace(parser, heads=None)
    with_heads, alone = (evalb(gold, p.parse(gold.sentences())).all.f1 for p in (parser, without))
    assert with_heads > alone + 1.0


def test_steps_count_edges_with_heads(parser: LatentParser, alone: LexicalisedParser) -> None:
    for found in forests(parser, 5):
        without = replace(parser, heads=None).steps(found.forest)
        assert parser.steps(found.forest) == without + alone.steps(found.forest) > without


def test_a_saved_parser_is_the_same(parser: LatentParser, tmp_path: Path) -> None:
    parser.save(tmp_path / "p.arrow")
    opened = LatentParser.load(tmp_path / "p.arrow")
    assert (opened, opened.version) == (parser, parser.version)
    for found in forests(parser, 5):
        again = opened.scores(found.forest, found.known)
        np.testing.assert_array_equal(again, parser.scores(found.forest, found.known))


def test_the_version_tells_heads_and_how_they_are_smoothed(parser: LatentParser) -> None:
    assert parser.heads
    smoothing = replace(parser.heads.smoothing, word_weight=3.0)
    others = [None, replace(parser.heads, smoothing=smoothing)]
    assert len({parser.version, *(replace(parser, heads=each).version for each in others)}) == 3


def test_words_with_tags_from_elsewhere_reach_the_heads(parser: LatentParser) -> None:
    tags = parser.skeleton.grammar.rules.words
    knowing = parser.with_tagged_words(TaggedWords.of([("quux", "VBZ")] * 9, tags, {}))
    assert knowing.heads
    assert parser.heads
    row = knowing.heads.lexicon.emission(("it", "quux"))[1]
    assert tags[int(row.argmax())] == "VBZ"
    assert tags[int(parser.heads.lexicon.emission(("it", "quux"))[1].argmax())] != "VBZ"


def test_without_heads_a_parser_has_states_alone(treebank: Treebank, tmp_path: Path) -> None:
    found = induce_parser(treebank[:40], models=1, lexicalised=False, direction="right", **QUICK)
    assert found.heads is None
    found.save(tmp_path / "p.arrow")
    assert LatentParser.load(tmp_path / "p.arrow") == found


def test_heads_need_rules_that_grow_from_them(treebank: Treebank) -> None:
    with pytest.raises(OptionError, match="direction='right'.*\n.*lexicalised=False"):
        induce_parser(treebank[:10], direction="right")


def test_the_command_line_leaves_them_out(tmp_path: Path) -> None:
    few = ["induce", "embedded", "--model", "latent", "--models", "1", "--rounds", "0"]
    for more, heads in (["--no-lexicalised"], False), ([], True):
        path = tmp_path / f"{heads}.arrow"
        done = CliRunner().invoke(app, [*few, *more, "-o", str(path)])
        assert done.exit_code == 0, done.output
        assert (LatentParser.load(path).heads is not None) == heads


Change = Callable[[dict[str, Any]], None]


def put(name: str, value: int) -> Change:
    def change(columns: dict[str, Any]) -> None:
        columns[f"heads.{name}"][0] = value

    return change


def shorten(name: str) -> Change:
    def change(columns: dict[str, Any]) -> None:
        columns[f"heads.{name}"] = columns[f"heads.{name}"][:-1]

    return change


def where(
    name: str, condition: Callable[..., Any], value: Callable[[dict[str, Any]], Any]
) -> Change:
    """Return what changes the first number of a column for which a condition holds."""

    def change(columns: dict[str, Any]) -> None:
        at = int(np.flatnonzero(condition(columns))[0])
        columns[f"heads.{name}"][at] = value(columns)

    return change


def starting(columns: dict[str, Any]) -> Any:
    return columns["heads.word"][columns["heads.lhs"]] < 0


def headed_first(columns: dict[str, Any]) -> Any:
    return (columns["heads.second"] >= 0) & (columns["heads.head"] == 0)


def start_symbol(columns: dict[str, Any]) -> Any:
    return columns["heads.word"].argmin()


def root(columns: dict[str, Any]) -> Any:
    return columns["heads.first"][starting(columns)][0]


def leaf(columns: dict[str, Any]) -> Any:
    return columns["heads.lhs"][columns["heads.first"] < 0][0]


DAMAGE: dict[str, Change] = {
    "heads.category: a number": put("category", 10_000),
    "heads.word: a number": put("word", -2),
    "heads.tag: a number": put("tag", 10_000),
    "heads.lhs: a number": put("lhs", -1),
    "heads.first: a number": put("first", 10_000_000),
    "heads.second: a number": put("second", -2),
    "heads.head: a number": put("head", 2),
    "heads.count: a number": put("count", 0),
    "heads.tag: .* values": shorten("tag"),
    "heads.count: .* values": shorten("count"),
    "a word without a tag": where("tag", lambda c: c["heads.tag"] >= 0, lambda _: -1),
    "start symbol is below": where("second", headed_first, start_symbol),
    "word is not below its tag": where("second", lambda c: c["heads.first"] < 0, root),
    "child with the head has another": where("head", headed_first, lambda _: 1),
    "start symbol has not one child": where("second", starting, root),
    "not above roots of trees": where("first", starting, leaf),
    "none of the grammar without heads": where("second", headed_first, root),
    "not counts of the same trees": put("count", 2**30),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_damaged_columns_are_refused(message: str, parser: LatentParser, tmp_path: Path) -> None:
    path = tmp_path / "p.arrow"
    schema, facts, columns = saved(parser, path)
    DAMAGE[message](columns)
    save_arrays(path, schema, facts, columns)
    with pytest.raises(SchemaError, match=message):
        LatentParser.load(path)


def test_a_column_that_lacks_is_refused(parser: LatentParser, tmp_path: Path) -> None:
    path = tmp_path / "p.arrow"
    schema, facts, columns = saved(parser, path)
    del columns["heads.tag"]
    save_arrays(path, schema, facts, columns)
    with pytest.raises(SchemaError, match="heads.tag"):
        LatentParser.load(path)


@pytest.mark.parametrize(
    "options",
    [
        None, [], "x", 5, {"word_weight": "much"}, {"word_weight": -1.0}, {"rare_words": 2.7},
        {"tag_weight": float("nan")}, {"choice_weight": 1e308}, {"rare_words": float("inf")},
        {"rare_words": 10**400}, {"word_weight": 10**400}, {"rare_words": True},
    ],
)  # fmt: skip
def test_strange_options_are_refused(options: Any, parser: LatentParser, tmp_path: Path) -> None:
    path = tmp_path / "p.arrow"
    schema, facts, columns = saved(parser, path)
    save_arrays(path, schema, {**facts, "heads": options}, columns)
    with pytest.raises(SchemaError):
        LatentParser.load(path)


def test_whatever_names_a_file_has_its_heads_are_over_its_skeleton(
    parser: LatentParser, tmp_path: Path
) -> None:
    """Their order, and rules that no tree has, are tried in tests.induction.lexicalised."""
    path = tmp_path / "p.arrow"
    schema, facts, columns = saved(parser, path)
    at = columns["nonterminals"].index("NP")
    columns["nonterminals"][at] = "ZP"
    save_arrays(path, schema, facts, columns)
    sentences = [found.words for found in forests(parser, 5)]
    trees = [str(tree).replace("(NP", "(ZP") for tree in parser.parse(sentences)]
    assert list(map(str, LatentParser.load(path).parse(sentences))) == trees


def test_heads_of_another_skeleton_are_refused(parser: LatentParser, treebank: Treebank) -> None:
    other = induce_parser(treebank[:40], models=1, **QUICK)
    with pytest.raises(OptionError, match="another skeleton"):
        replace(parser, heads=other.heads)


def test_words_with_a_zero_at_their_end_are_words(tmp_path: Path) -> None:
    trees = [Tree("S", (Tree("N", (word,)), Tree("V", ("swims",)))) for word in ("a", "a\0")]
    found = induce_parser(Treebank.from_trees(trees), models=1, rounds=0)
    assert found.lexicon.words == ("a", "a\0", "swims")
    found.save(tmp_path / "p.arrow")
    assert LatentParser.load(tmp_path / "p.arrow") == found
