"""Streams of tokens: shards are functions of the seed and their number, with or without files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from torch.utils.data import DataLoader

from classifiers.on_the_fly import TokenBlocks
from grammar.errors import NotTightError, OptionError
from grammar.opening import open_grammar
from grammar.pcfg.grammar import Grammar
from grammar.rng import stream_key
from grammar.sampling_kernels.ancestral import AncestralSampler
from sampling.sentences.token_streams import END, TokenStream
from tests.treewright import test_command_line

run = test_command_line.run

GRAMMAR = Grammar.parse("S -> A S [0.4] | A [0.6] \n A -> 'a' [0.5] | 'b' [0.3] | 'c' 'd' [0.2]")


def by_hand(shard: int, sentences: int, seed: int = 0) -> list[str]:
    """Draw the sentences of a shard one by one, and put the end marks behind them."""
    sampler = AncestralSampler(GRAMMAR)
    key = stream_key(seed, f"pcfg tokens, shard {shard}")
    found = []
    for number in range(sentences):
        words = sampler.draw(key, number, 1).words
        found += [*(GRAMMAR.rules.words[word] for word in words), END]
    return found


def words_of(stream: TokenStream, tokens) -> list[str]:
    return [stream.vocabulary[token] for token in tokens]


def test_blocks_are_the_sentences_of_the_shard() -> None:
    stream = TokenStream(GRAMMAR, seed=4)
    blocks = stream.blocks(shard=3, size=7)
    found = words_of(stream, np.concatenate([next(blocks) for _ in range(20)]))
    assert found == by_hand(3, 140, seed=4)[: len(found)]


def test_shards_and_seeds_differ() -> None:
    streams = [(TokenStream(GRAMMAR, seed=s), k) for s, k in ((0, 0), (0, 1), (1, 0))]
    first = [next(stream.blocks(k, 64)).tolist() for stream, k in streams]
    assert len({tuple(block) for block in first}) == 3


def test_a_block_may_be_larger_than_what_is_drawn_at_once() -> None:
    stream = TokenStream(GRAMMAR)
    small, large = stream.blocks(0, 1000), stream.blocks(0, 100_000)
    assert next(large).tolist() == np.concatenate([next(small) for _ in range(100)]).tolist()


def test_types_are_as_small_as_the_vocabulary() -> None:
    assert TokenStream(GRAMMAR).dtype == np.uint16
    many = " | ".join(f"'w{number}' [{1 / 2**16}]" for number in range(2**16))
    stream = TokenStream(Grammar.parse(f"S -> {many}"))
    assert stream.dtype == np.uint32
    assert next(stream.blocks(0, 2))[1] == 2**16


def test_bad_input_is_refused() -> None:
    with pytest.raises(OptionError, match="shards"):
        TokenStream(GRAMMAR, shards=0)
    with pytest.raises(OptionError, match="marks the ends"):
        TokenStream(Grammar.parse(f"S -> '{END}' [1]"))
    with pytest.raises(NotTightError):
        TokenStream(Grammar.parse("S -> S S [0.9] | 'a' [0.1]"))
    with pytest.raises(OptionError, match="size"):
        next(TokenStream(GRAMMAR).blocks(0, 0))


def test_torch_workers_share_the_shards() -> None:
    stream = TokenStream(GRAMMAR, shards=4)
    alone = iter(TokenBlocks(stream, 16))
    wanted = {tuple(next(alone).tolist()) for _ in range(12)}
    loader = iter(DataLoader(TokenBlocks(stream, 16), batch_size=None, num_workers=2))
    assert {tuple(next(loader).tolist()) for _ in range(12)} == wanted
    both = [next(iter(TokenBlocks(stream, 16, rank=r, world_size=2))) for r in (0, 1)]
    assert not torch.equal(*both)
    with pytest.raises(OptionError, match="not enough for 5"):
        TokenBlocks(stream, 16, world_size=5)


def test_hugging_face_has_the_same_blocks() -> None:
    pytest.importorskip("datasets")
    stream = TokenStream(GRAMMAR, shards=2)
    dataset = stream.to_dataset(8)
    assert dataset.num_shards == 2
    for shard in (0, 1):
        blocks = stream.blocks(shard, 8)
        for row in dataset.shard(num_shards=2, index=shard).take(5):
            assert list(row["input_ids"]) == next(blocks).tolist()


@pytest.fixture
def folder(run) -> Path:
    GRAMMAR.save("g.json")
    words = "sample g.json --tokens 3e4 --shards 3 -o corpus --seed 5"
    done = run(*words.split())
    assert done.code == 0, done.err
    return Path("corpus")


def test_a_folder_holds_shards_a_vocabulary_a_grammar_and_a_card(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    vocabulary = json.loads((folder / "vocabulary.json").read_text())
    total = sentences = 0
    for number, (name, (digest, tokens, count)) in enumerate(sorted(manifest["shards"].items())):
        data = (folder / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == digest
        shard = np.load(folder / name, mmap_mode="r", allow_pickle=False)
        assert shard.dtype == np.uint16
        assert [vocabulary[token] for token in shard] == by_hand(number, count, seed=5)
        assert 10_000 <= len(shard) == tokens
        assert tokens - 10_000 < 100  # no more than the rest of a sentence
        total, sentences = total + tokens, sentences + count
    assert (manifest["tokens"], manifest["sentences"]) == (total, sentences)
    assert open_grammar(folder / "grammar.json") == GRAMMAR
    report = GRAMMAR.check()
    per_token = report.entropy / (report.expected_length + 1)
    assert manifest["entropy a token in bits"] == pytest.approx(per_token)
    card = (folder / "README.md").read_text()
    assert "entropy a token in bits" in card
    assert total / sentences == pytest.approx(report.expected_length + 1, rel=0.05)


def test_engines_change_nothing(folder: Path, run) -> None:
    words = "sample g.json --tokens 3e4 --shards 3 -o again --seed 5 --engine processes --workers 2"
    assert run(*words.split()).code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 7
    assert all((folder / name).read_bytes() == Path("again", name).read_bytes() for name in names)


def test_texts_are_the_same_sentences(folder: Path, run) -> None:
    words = "sample g.json --tokens 3e4 --shards 3 -o texts --seed 5 --form texts"
    assert run(*words.split()).code == 0
    vocabulary = json.loads((folder / "vocabulary.json").read_text())
    for number in range(3):
        tokens = np.load(folder / f"shard-{number:05}.npy")
        texts = pq.read_table(f"texts/shard-{number:05}.parquet").column("text").to_pylist()
        assert [vocabulary[token] for token in tokens] == [
            word for text in texts for word in (*text.split(), END)
        ]


def test_texts_have_brackets_as_people_write_them(folder: Path, run) -> None:
    Grammar.parse("S -> '-LRB-' 'a' '-RRB-' [1]").save("brackets.json")
    words = "sample brackets.json --tokens 40 -o those --form texts"
    assert run(*words.split()).code == 0
    texts = pq.read_table("those/shard-00000.parquet").column("text").to_pylist()
    assert texts == ["( a )"] * 10


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("-o corpus", "not empty"),
        ("", "name it"),
        ("-o x --shards 99999", "fewer than"),
        ("-o x --form words", "unknown form"),
        ("-o x --trees", "--trees is for"),
        ("-o x --start 3", "--start is for"),
    ],
)
def test_what_cannot_be_made_is_said(folder: Path, run, more: str, said: str) -> None:
    done = run(*f"sample g.json --tokens 3e4 {more}".split())
    assert done.code != 0
    assert said in done.err
    assert not list(Path().glob("x*"))


def test_with_force_a_folder_is_replaced_as_a_whole(folder: Path, run) -> None:
    words = "sample g.json --tokens 100 -o corpus --force"
    done = run(*words.split())
    assert done.code == 0, done.err
    assert [path.name for path in folder.glob("shard-*")] == ["shard-00000.npy"]
