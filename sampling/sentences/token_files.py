"""Corpora for language models on disk: shards of tokens or texts, a vocabulary, and a card.

The folder holds what no other data set has: the grammar that every token was drawn from, so its
entropy is known exactly, and the seed, so that any shard can be made again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from grammar.arrays import pack_strings
from grammar.engines.engine import Engine
from grammar.engines.units import Kept, Unit, opened
from grammar.errors import OptionError
from grammar.files import atomic_output, made_folder, write_text
from grammar.opening import open_grammar
from grammar.options import named, whole_number
from grammar.trees.brackets import write_words
from grammar.trees.surfaces import surface_of
from sampling.examples.splicing import as_strings
from sampling.sentences.shards import kept_grammar
from sampling.sentences.token_streams import END, TokenStream

__all__ = ["FORMS", "Shard", "token_shards", "write_card"]

FORMS = {"tokens": ".npy", "texts": ".parquet"}
"""What shards hold, and how their names end: packed arrays, or sentences in a column ``text``, in
which brackets are written as people write them."""

_SHARD = "sampling.sentences.token_files:drawn_shard"


@dataclass(frozen=True)
class Shard:
    """A file of a corpus: its number, name and digest, and how much it holds."""

    number: int
    file: Kept
    tokens: int
    sentences: int

    @property
    def num_rows(self) -> int:
        """How many tokens, for who counts."""
        return self.tokens


def token_shards(
    stream: TokenStream, tokens: int, folder: Path, engine: Engine, form: str = "tokens"
) -> Iterator[Shard]:
    """Let workers write the shards of a stream, which share the tokens; their sentences are whole.

    Parameters
    ----------
    stream : TokenStream
        What is drawn.
    tokens : int
        How many in all, end marks included, at least.
    folder : Path
        Where shards are written; it is made.
    engine : Engine
        Who works.
    form : {"tokens", "texts"}
        See :data:`FORMS`.

    Raises
    ------
    OptionError
        If there are fewer tokens than shards, or the form is unknown.
    """
    whole_number("tokens", tokens, 1)
    ending = named(form, FORMS, "form of shards")
    if tokens < stream.shards:
        raise OptionError(
            f"{tokens:,} tokens are fewer than {stream.shards:,} shards", hint="use fewer shards"
        )
    kept = kept_grammar(stream.grammar, engine)
    part = {"seed": stream.seed, "length": stream.length, "form": form}
    made_folder(folder)
    bounds = [tokens * number // stream.shards for number in range(stream.shards + 1)]
    return engine.map(
        Unit(_SHARD, (kept,), part, number, bounds[number + 1] - bounds[number],
             out=str(folder / f"shard-{number:05}{ending}"))
        for number in range(stream.shards)
    )  # fmt: skip


def drawn_shard(unit: Unit) -> Shard:
    """Do a unit of :func:`token_shards`: its first number is that of the shard."""
    stream = _stream(unit.given[0], unit.part["seed"], unit.part["length"])
    parts = stream.sentences(unit.first, unit.count)
    with atomic_output(unit.out, renewed=True) as temporary:
        if unit.part["form"] == "texts":
            tokens, sentences = _write_texts(stream, parts, temporary)
        else:
            tokens, sentences = _write_tokens(parts, temporary)
    return Shard(unit.first, Kept.of(unit.out), tokens, sentences)


@functools.lru_cache(maxsize=2)
def _stream(kept: Kept, seed: int, length: tuple[int, int] | None) -> TokenStream:
    return TokenStream(opened(kept, open_grammar), seed, length)


def _write_tokens(parts: Iterable[Any], path: Path) -> tuple[int, int]:
    arrays, sentences = [], 0
    for packed, _, taken in parts:
        arrays.append(packed)
        sentences += taken
    together = np.concatenate(arrays)
    with open(path, "wb") as out:
        np.save(out, together, allow_pickle=False)
    return len(together), sentences


def _write_texts(stream: TokenStream, parts: Iterable[Any], path: Path) -> tuple[int, int]:
    words, tokens, sentences = pack_strings(map(surface_of, stream.vocabulary)), 0, 0
    schema = pa.schema([("text", pa.string())])
    with pa.OSFile(str(path), "wb") as sink, pq.ParquetWriter(sink, schema) as writer:
        for packed, draws, taken in parts:
            texts = as_strings(*write_words(draws.words, draws.word_offsets, *words))
            writer.write_table(pa.table([texts.slice(0, taken)], schema=schema))
            tokens, sentences = tokens + len(packed), sentences + taken
    return tokens, sentences


def write_card(stream: TokenStream, shards: Iterable[Shard], folder: Path) -> Mapping[str, Any]:
    """Write the vocabulary, the grammar, the card, and at last the manifest; return what it says.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    every = sorted(shards, key=lambda shard: shard.number)
    drawn: Any = stream.grammar
    grammar = f"grammar{drawn.codec.suffixes[0]}"
    drawn.save(folder / grammar)
    write_text(folder / "vocabulary.json", json.dumps(stream.vocabulary, ensure_ascii=False))
    facts: dict[str, Any] = {
        "schema": "treewright.tokens/1",
        "grammar": grammar,
        "grammar sha256": Kept.of(folder / grammar).sha256,
        "family": stream.grammar.family,
        "seed": stream.seed,
        "length": list(stream.length) if stream.length else None,
        "vocabulary": len(stream.vocabulary),
        "end mark": END,
        "type": stream.dtype.name,
        "tokens": sum(shard.tokens for shard in every),
        "sentences": sum(shard.sentences for shard in every),
        **_expected(stream),
    }
    write_text(folder / "README.md", _card(facts))
    files = {Path(s.file.path).name: [s.file.sha256, s.tokens, s.sentences] for s in every}
    whole = {**facts, "shards": files}
    write_text(folder / "manifest.json", json.dumps(whole, ensure_ascii=False, indent=1) + "\n")
    return facts


def _expected(stream: TokenStream) -> dict[str, float]:
    """Return what the grammar says of its sentences, which a band of lengths would change."""
    if stream.length is not None:
        return {}
    report = stream.grammar.pcfg.check()
    tokens = report.expected_length + 1
    return {
        "expected words a sentence": report.expected_length,
        "entropy of a derivation in bits": report.entropy,
        "entropy a token in bits": report.entropy / tokens,
    }


def _card(facts: Mapping[str, Any]) -> str:
    rows = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    return f"""---
pretty_name: Sentences of a grammar
tags: [synthetic, treewright]
---

# Sentences of a grammar

Every sentence was drawn from the grammar in this folder with exactly its probability, and is
followed by an end mark. Shard k is a function of the grammar, the seed and k alone. The entropy is
that of derivations: the loss of a perfect model where no sentence has two, else above it.

| | |
| --- | --- |
{rows}
"""
