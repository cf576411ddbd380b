"""Texts without trees get them from the parser that ships, once, and it is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from grammar import Tree
from grammar.errors import CorpusError, MissingDataError, OptionError
from grammar.messages import heard_by
from induction import find_model, open_parser, treebank_of, with_trees, write_corpus
from induction.corpus.corpus import Corpus
from induction.corpus.sources import embedded_file
from induction.models import MODELS
from induction.parsers.latent import LatentParser
from induction.parsers.protocol import TextParser, is_scoring
from induction.parsers.shipped import ShippedParser
from induction.parsers.trees import TreeMaker, cache_file, choose_parser
from sampling import ALP, GrammarSampler, Shuffle, Sub2, TreeMix, augment
from tests.treewright import test_command_line

run = test_command_line.run

TEXTS = [
    "The soup was cold, but the staff were kind.",
    "I can't wait to go back to that hotel!",
    "Nobody told us that the room had no window.",
    "The second half of the book is a mess — really.",
    "the food is great and they have a nice garden",
    "Her new album surprised me with its quiet songs.",
]
CORPUS = Corpus.from_columns(text=TEXTS, label=["good", "good", "bad", "bad", "good", "good"])


class Flat(TextParser):
    name, version = "flat", "1"

    def __init__(self) -> None:
        self.parsed = 0

    def parse_each(self, sentences: Any, *, tags: Any = None) -> Iterator[Tree]:
        for sentence in sentences:
            self.parsed += 1
            yield Tree("S", tuple(Tree("W", (word,)) for word in sentence.split()))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_parser_that_ships_parses_raw_text(cache: Path) -> None:
    told: list[str] = []
    with heard_by(told.append):
        parsed = with_trees(CORPUS)
    assert told[0].startswith("6 texts have no trees: parsed by the parser of English that ships")
    assert parsed.column("text") == TEXTS
    assert [str(label) for label in parsed.column("label")] == CORPUS.column("label")
    trees = [Tree.parse(tree) for tree in parsed.column("tree")]
    assert trees[0].label == "TOP"
    assert trees[0].leaves()[:4] == ("The", "soup", "was", "cold")
    assert cache_file().parent == cache
    assert cache_file().exists()
    assert with_trees(CORPUS).table == parsed.table
    assert with_trees(parsed) is parsed


def test_a_parser_as_a_value_is_not_cached(cache: Path) -> None:
    flat, told, done = Flat(), [], []
    corpus = Corpus.from_columns(text=["a b", "c d"])
    maker = TreeMaker(flat, told.append, lambda *now: done.append(now))
    assert maker(corpus).column("tree") == ["(S (W a) (W b))", "(S (W c) (W d))"]
    maker(corpus)
    assert flat.parsed == 4
    assert not cache.exists()
    assert told[0] == "2 texts have no trees: parsed by flat 1 (the option parser names another)"
    assert done[:2] == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (TreeMix, {}),
        (Sub2, {"phrase": True}),
        (Shuffle, {"structure": "tree"}),
        (GrammarSampler, {"length": "3:9", "vertical_markov": 1}),
        (ALP, {"synonym": 0.0, "quantile": 0}),
    ],
)
@pytest.mark.filterwarnings("ignore:no examples")
def test_every_method_that_needs_trees_parses(
    method: Any, options: dict[str, Any], cache: Path
) -> None:
    corpus = CORPUS.with_column("label", [0, 0, 1, 1, 0, 0])
    told: list[str] = []
    with heard_by(told.append):
        sampler = method.induce(corpus, **options)
    assert any("the parser of English" in message for message in told)
    assert sampler.sample(2).column("text")


def test_other_options_need_no_trees() -> None:
    assert not Sub2.needs_trees({"phrase": False})
    assert Sub2.needs_trees({"phrase": True})
    assert not Sub2.needs_trees({"phrase": True, "label": False, "sentiment": True})
    assert not Shuffle.needs_trees({})


def test_the_parser_that_ships_is_known_before_it_is_opened() -> None:
    opened, shipped = open_parser(), ShippedParser()
    assert (shipped.name, shipped.version) == (opened.name, opened.version)
    assert is_scoring(shipped)
    sentences = ["The plot was good.", ["It", "rained"]]
    assert shipped.parse(sentences) == opened.parse(sentences)
    assert list(shipped.kbest_each(sentences, 2)) == list(opened.kbest_each(sentences, 2))
    assert list(shipped.spans_each(sentences)) == list(opened.spans_each(sentences))


def test_kept_trees_need_no_parser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    corpus = Corpus.from_columns(text=["The plot was good."])
    first = TreeMaker()(corpus)

    def never(*_: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr("induction.parsers.shipped.open_parser", never)
    assert TreeMaker()(corpus).column("tree") == first.column("tree")


def test_names_of_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_parser("embedded")[1] == "lexicalised PCFG of embedded"
    assert choose_parser("english")[0].name == "latent"
    with pytest.raises(OptionError, match="not a parser"):
        choose_parser(3)
    monkeypatch.setattr("induction.parsers.opening._SHIPPED", "none.arrow")
    with pytest.raises(MissingDataError, match="make parser"):
        open_parser()


def test_trees_of_alp_are_kept_too(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ALP.induce(CORPUS, synonym=0.0, quantile=0).grammar

    def once_more(*_: object, **__: object) -> None:
        raise AssertionError("it was asked once more")

    monkeypatch.setattr(LatentParser, "kbest_each", once_more)
    again = ALP.induce(CORPUS, synonym=0.0, quantile=0).grammar
    assert again == first


def test_an_unwritable_cache_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "file"))
    assert "tree" in with_trees(CORPUS).names


def test_augment_parses_raw_text_and_says_so(run: Any, cache: Path) -> None:
    Path("reviews.csv").write_text(
        "text,label\n" + "".join(f'"{text}",{i % 2}\n' for i, text in enumerate(TEXTS))
    )
    done = run("augment", "reviews.csv", "-o", "more.csv", "-m", "treemix", "-n", "4")
    assert done.code == 0, done.err
    assert done.err.count("have no trees: parsed by the parser of English") == 1
    manifest = json.loads(Path("more.csv.manifest.json").read_text())
    assert manifest["versions"]["parser"] == f"latent {open_parser().version}"
    assert run("replay", "more.csv").code == 0
    manifest["versions"]["parser"] = "latent 0"
    Path("more.csv.manifest.json").write_text(json.dumps(manifest))
    assert "its texts were parsed by latent 0" in run("replay", "more.csv").err
    named = run(
        "augment", "reviews.csv", "-o", "m.csv", "-m", "sub2(phrase=true)", "-n", "2", "--parser",
        "embedded",
    )  # fmt: skip
    assert "lexicalised PCFG of embedded" in named.err
    mixed = augment(CORPUS, "0.5*treemix + 0.5*sub2(phrase=true)", n=4, parser="english")
    assert len(mixed.corpus) == 4
    plain = run("parse-corpus", "reviews.csv", "-o", "trees.jsonl")
    assert plain.code == 0
    lines = run("parse", "english", "reviews.csv")
    assert lines.out.count("(TOP") == len(TEXTS) + 1
    assert "each line is a sentence here; parse-corpus reads columns" in lines.err


def test_the_file_is_small_and_has_a_card() -> None:
    assert embedded_file("english.arrow").stat().st_size <= 8_000_000
    card = embedded_file("english.md").read_text(encoding="utf-8")
    assert open_parser().version in card
    for name in ("CC BY 4.0", "CC BY-SA 4.0", "Zeldes", "EWT"):
        assert name in card


def test_the_parser_is_made_again_with_the_same_bytes(data_folder: Path, tmp_path: Path) -> None:
    from benchmarks.english_parser import gum, train

    made = []
    for name in ("one.arrow", "two.arrow"):
        quick = {"models": 1, "rounds": 1, "split_iterations": 2, "merge_iterations": 1}
        train(gum("train")[:1], sentences=50, **quick).save(tmp_path / name)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    assert "tagged.words" in pa.ipc.open_file(tmp_path / "one.arrow").schema.names


ROWS = [{"review": "The soup was cold .", "stars": 1}, {"review": "We slept .", "stars": 2}]


@pytest.mark.parametrize("kind", ["rows", "table", "texts", "columns", "corpus", "file"])
def test_whatever_texts_are_in_their_trees_become_a_grammar(
    kind: str, cache: Path, tmp_path: Path
) -> None:
    texts = [row["review"] for row in ROWS]
    corpus = Corpus.from_columns(text=texts)
    write_corpus(corpus, tmp_path / "r.csv")
    data: Any = {
        "rows": ROWS, "table": pa.Table.from_pylist(ROWS), "texts": texts,
        "columns": {"text": texts}, "corpus": corpus, "file": tmp_path / "r.csv",
    }[kind]  # fmt: skip
    treebank = treebank_of(data)
    assert list(map(str, treebank)) == with_trees(corpus).column("tree")
    assert find_model("double-dop").induce(data) == find_model("double-dop").induce(treebank)
    assert treebank_of(treebank) is treebank


def test_without_texts_there_is_no_treebank() -> None:
    with pytest.raises(CorpusError, match="the corpus is empty"):
        treebank_of(Corpus.from_columns(text=[]))


@pytest.mark.parametrize("model", [one.name for one in MODELS.values() if one.reads == "treebank"])
@pytest.mark.parametrize("data", [["We slept ."], pa.Table.from_pylist(ROWS), None])
def test_what_is_no_treebank_is_told_what_has_its_trees(model: str, data: Any) -> None:
    with pytest.raises(OptionError, match="is no treebank\n.*induction.treebank_of"):
        find_model(model).function(data)
