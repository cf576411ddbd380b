"""The same bytes from any engine with any number of workers, one of which is killed meanwhile."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grammar.engines.engine import Engine, open_engine
from grammar.engines.units import Unit
from grammar.errors import SchemaError
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_batches
from induction.corpus.pieces import in_pieces, lines_of, mapped, write_pieces
from induction.counts.pcfg import induce_pcfg
from induction.fragments.dop import induce_double_dop
from induction.parsers.corpora import parse_corpus
from induction.parsers.opening import open_parser
from induction.parsers.remote import EngineParser
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.resuming import PartialWork
from sampling.pipeline.settings import read_settings
from sampling.sentences.sentences import sentence_batches
from sampling.sentences.shards import sentence_pieces
from sampling.words.eda import EDA
from tests.treewright import test_command_line

run = test_command_line.run

TREES = """
(S (NP (DT the) (NN cat)) (VP (VB saw) (NP (DT a) (NN dog))))
(S (NP (DT a) (NN dog)) (VP (VB saw) (NP (NP (DT the) (NN cat)) (PP (IN of) (NP (PRP her))))))
(S (NP (PRP we)) (VP (VB saw) (NP (DT the) (NN dog))))
"""
TEXTS = ["we saw the dog of the cat", "the cat saw a dog", "a cat of the dog saw her", "her dog"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster that is there already: to start one takes longer than a test."""
    pytest.importorskip("ray")
    with open_engine("ray", 2):
        yield


@pytest.fixture(
    scope="module", params=["threads 2", "processes 1", "processes 2", "ray 1", "ray 2"]
)
def engine(request) -> Iterator[Engine]:
    name, workers = request.param.split()
    if name == "ray":
        request.getfixturevalue("cluster")
    with open_engine(name, int(workers)) as opened:
        yield opened


def with_a_death(results: Iterable[Any], engine: Engine) -> Iterator[Any]:
    """Pass results through; behind the first, a process dies that was given more of them."""
    for number, result in enumerate(results):
        if number == 0 and engine.apart:
            mark = Path(engine.new_file("")).absolute()
            mark.mkdir()
            part = {"folder": str(mark)}
            list(engine.map([Unit("tests.grammar.engines.tasks:die_once", part=part)]))
        yield result


@pytest.fixture(scope="module")
def grammar():
    return induce_pcfg(Treebank.parse(TREES))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_sentences(engine: Engine, grammar, name: str, tmp_path: Path) -> None:
    how = {"seed": 3, "start": 5, "length": (2, 9)}
    write_batches(sentence_batches(grammar, 40_000, **how), tmp_path / "whole" / name)
    pieces = sentence_pieces(grammar, 40_000, engine, lines=lines_of(name), **how)
    rows = write_pieces(with_a_death(pieces, engine), tmp_path / name)
    assert rows == 40_000
    assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.fixture(autouse=True)
def whole(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()


@pytest.fixture(scope="module")
def examples() -> Corpus:
    texts = [f"{text} {number} times and more" for number in range(20) for text in TEXTS]
    return Corpus.from_columns(
        text=texts, label=["ab"[len(text) % 2] for text in texts], day=list(range(len(texts)))
    )


def test_examples_of_a_method(engine: Engine, examples: Corpus, tmp_path: Path) -> None:
    sampler = EDA.induce(examples)
    write_batches(sampler.batches(4000, start=7), tmp_path / "whole" / "out.jsonl")
    pieces = sampler.pieces(4000, engine, start=7, size=500, lines="jsonl")
    write_pieces(pieces, tmp_path / "out.jsonl")
    assert same(tmp_path / "out.jsonl")


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_the_pipeline(engine: Engine, examples: Corpus, name: str, tmp_path: Path) -> None:
    method = "0.4*eda + 0.3*aeda + 0.3*shuffle|aeda"
    settings = read_settings({"method": method, "per_class": 1500, "length": "3:12"})
    write_batches(Pipeline(examples, settings).run(), tmp_path / "whole" / name)
    pipeline = Pipeline(examples, settings)
    pipeline.work_with(engine)
    if lines_of(name):
        batches = with_a_death(pipeline.pieces(), engine)
        names = pipeline.written_names
        write_pieces(in_pieces(batches, name, names, engine), tmp_path / name)
    else:
        write_batches(with_a_death(pipeline.run(), engine), tmp_path / name)
    assert same(tmp_path / name)


def test_what_workers_wrote_is_gone_on_from_by_threads(
    engine: Engine, examples: Corpus, tmp_path: Path
) -> None:
    settings = read_settings({"method": "0.6*eda + 0.4*aeda", "n": 900, "keep_originals": True})
    write_batches(Pipeline(examples, settings).run(), tmp_path / "whole" / "out.jsonl")
    pipeline = Pipeline(examples, settings)
    pipeline.work_with(engine)
    how = {"plan": {"seed": 0}, "shard": 100}
    with PartialWork(tmp_path / "out.jsonl", **how) as work:
        work.begin(pipeline, resume=False, force=False)
        batches = work.tables(pipeline.pieces(), pipeline.state)
        list(itertools.islice(batches, 3))
    again = Pipeline(examples, settings)
    with PartialWork(tmp_path / "out.jsonl", **how) as work:
        assert work.begin(again, resume=True, force=False) > len(examples)
        write_batches(map(mapped, work.tables(again.pieces(), again.state)), tmp_path / "out.jsonl")
        assert same(tmp_path / "out.jsonl")
        changed = sorted(work.folder.glob("*.arrow"))[0]
        changed.write_bytes(changed.read_bytes()[:-1] + b"?")
        with pytest.raises(SchemaError, match="changed"):
            work.begin(Pipeline(examples, settings), resume=True, force=False)
        work.remove()


def test_parses(engine: Engine, grammar, tmp_path: Path) -> None:
    grammar.save(tmp_path / "g.json")
    corpus = Corpus.from_columns(text=[*TEXTS * 20, "unknown words", "the " * 60])
    alone = parse_corpus(corpus, open_parser(tmp_path / "g.json", max_words=50))
    parser = EngineParser(str(tmp_path / "g.json"), engine, max_words=50)
    found = parse_corpus(corpus, parser)
    assert found.corpus.table == alone.corpus.table
    assert (found.unparsed, found.coarse) == (alone.unparsed, alone.coarse)
    assert alone.coarse
    assert (parser.name, parser.version) == (
        open_parser(tmp_path / "g.json", max_words=50).name,
        parser.version,
    )


def test_fragments(engine: Engine) -> None:
    trees = Treebank.parse(TREES)
    assert induce_double_dop(trees, engine=engine) == induce_double_dop(trees)


def same(path: Path) -> bool:
    return path.read_bytes() == (path.parent / "whole" / path.name).read_bytes()


def test_the_command_line(run, examples: Corpus, grammar) -> None:
    grammar.save("g.json")
    Path("trees.mrg").write_text(TREES)
    write_batches([examples.table], "corpus.jsonl")
    EDA.induce(read_corpus("corpus.jsonl")).grammar.save("eda.arrow")
    for out in ("whole", "made"):
        engine = "--engine processes --workers 2" if out == "made" else "--workers 2"
        Path(out).mkdir(exist_ok=True)
        assert run(*f"sample g.json -n 20000 -o {out}/s.jsonl {engine}".split()).code == 0
        assert run(*f"sample eda.arrow -n 500 -o {out}/m.jsonl {engine}".split()).code == 0
        assert (
            run(*f"augment corpus.jsonl -m eda -n 900 -o {out}/a.jsonl {engine}".split()).code == 0
        )
        cache = f"--cache {out}/cache.db"
        parse = f"parse-corpus g.json corpus.jsonl -o {out}/p.jsonl {cache} {engine}"
        assert run(*parse.split()).code == 0
        assert (
            run(*f"induce trees.mrg --model double-dop -o {out}/g.json {engine}".split()).code == 0
        )
    for name in ("s.jsonl", "m.jsonl", "a.jsonl", "p.jsonl", "g.json"):
        assert Path("made", name).read_bytes() == Path("whole", name).read_bytes(), name
    manifest = json.loads(Path("made/a.jsonl.manifest.json").read_text())
    assert manifest["output"]["examples"] == 900
    assert not list(Path("made").glob("*.partial"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sample g.json -n 5 -o x.jsonl --engine dask", "unknown engine 'dask'"),
        ("induce trees.mrg -o x.json --engine processes", "in this process alone"),
        ("parse-corpus - corpus.jsonl -o x.jsonl --engine processes", "from standard input"),
    ],
)
def test_what_cannot_be_done_is_said(run, words, said, grammar, tmp_path) -> None:
    grammar.save("g.json")
    Path("trees.mrg").write_text(TREES)
    write_batches([Corpus.from_columns(text=["a b"]).table], "corpus.jsonl")
    done = run(*words.split())
    assert done.code != 0
    assert said in done.err
    assert not list(tmp_path.glob("x.*"))
