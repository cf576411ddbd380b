"""Tiny models that have learnt nothing, and the sum over all tokenisations of all texts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grammar.pcfg.grammar import Grammar
from sampling.neural.causal.model import CausalModel
from sampling.neural.decoding.vocabulary import token_bytes
from sampling.neural.opening import open_model

LETTERS = "abcdst"
MERGES = ["a b", "Ġ a", "Ġ b", "ab a", "t Ġ", "s Ġa", "Ġ ab"]
"""Tokens of several letters: before, in and over the space between words."""


def byte_tokenizer(merges: Sequence[str] = MERGES, letters: str = LETTERS) -> Any:
    """A tokenizer of bytes, as GPT-2 has."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["<|endoftext|>", *letters, "Ġ", "Ċ", ":", "Ã", "©", "x"]
    pairs = [tuple(merge.split()) for merge in merges]
    names += [first + second for first, second in pairs]
    vocabulary = {name: k for k, name in enumerate(dict.fromkeys(names))}
    held = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
    held.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    held.decoder = decoders.ByteLevel()
    make: Any = PreTrainedTokenizerFast
    return make(
        tokenizer_object=held, eos_token="<|endoftext|>", bos_token="<|endoftext|>",
        model_max_length=64,
    )  # fmt: skip


def save_gpt2(folder: Path, tokenizer: Any, seed: int = 0) -> None:
    """Save a GPT-2 whose weights are drawn at random, far from uniform."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=64,
        initializer_range=0.15, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    GPT2LMHeadModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture(scope="session")
def gpt2_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 with tokens of bytes."""
    folder = tmp_path_factory.mktemp("models") / "bytes"
    save_gpt2(folder, byte_tokenizer())
    return folder


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama with tokens of SentencePiece, which puts a space before a text."""
    import torch
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    names = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    names += ["▁", *LETTERS, "ab", "▁a", "▁ab", "s▁"]
    pairs = [("a", "b"), ("▁", "a"), ("▁", "ab"), ("s", "▁")]
    held = Tokenizer(
        models.BPE(
            vocab={name: k for k, name in enumerate(names)}, merges=pairs, unk_token="<unk>",
            byte_fallback=True, fuse_unk=True,
        )
    )  # fmt: skip
    held.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    held.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )  # fmt: skip
    make: Any = PreTrainedTokenizerFast
    tokenizer = make(
        tokenizer_object=held, unk_token="<unk>", bos_token="<s>", eos_token="</s>",
        model_max_length=64,
    )  # fmt: skip
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(names), hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=64,
        initializer_range=0.15, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("models") / "pieces"
    LlamaForCausalLM(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class Bigrams:
    """A model whose next token depends on the last one alone, by a table of logarithms."""

    device = "cpu"
    generation_config = None

    def __init__(self, table: Any) -> None:
        self.table = table
        self.config = SimpleNamespace(vocab_size=len(table), max_position_embeddings=64)
        self.read = 0

    def forward(
        self, input_ids: Any, attention_mask: Any = None, position_ids: Any = None,
        past_key_values: Any = None, use_cache: bool = False,
    ) -> Any:  # fmt: skip
        self.read += input_ids.numel()
        return SimpleNamespace(logits=self.table[input_ids])

    __call__ = forward


def bigrams(chances: Mapping[tuple[str, str], float]) -> CausalModel:
    """Return a model of bytes with these probabilities of tokens after others."""
    import torch

    tokenizer = byte_tokenizer()
    table = torch.full((len(tokenizer), len(tokenizer)), -60.0, dtype=torch.float64)
    for pair, chance in chances.items():
        before, token = tokenizer.convert_tokens_to_ids(list(pair))
        table[before, token] = math.log(chance)
    return CausalModel(Bigrams(table), tokenizer)


def random_bigrams(seed: int, letters: str = LETTERS) -> CausalModel:
    """Return a model of bytes whose table is drawn at random."""
    import torch

    tokenizer = byte_tokenizer(letters=letters)
    draw = torch.Generator().manual_seed(seed)
    table = torch.randn((len(tokenizer), len(tokenizer)), generator=draw, dtype=torch.float64)
    table[:, 0] += 1.5
    return CausalModel(Bigrams(table), tokenizer)


def opened(folder: Path) -> CausalModel:
    return CausalModel(*open_model(str(folder), "causal", device="cpu"))


def segmentations(text: bytes, strings: Mapping[int, bytes]) -> Iterator[list[int]]:
    """Yield every sequence of tokens that makes up a text."""
    if not text:
        yield []
    for k, string in strings.items():
        if string and text.startswith(string):
            yield from ([k, *rest] for rest in segmentations(text[len(string) :], strings))


def sentences(grammar: Grammar, longest: int) -> dict[str, float]:
    """Return the sentences of a finite grammar by brute force, with their probabilities."""
    words = grammar.rules.words
    found = {}
    for length in range(longest + 1):
        for sentence in itertools.product(words, repeat=length):
            prefix = grammar.prefix(sentence)
            if prefix.mass * prefix.end > 0:
                found[" ".join(sentence)] = prefix.mass * prefix.end
    return found


def log_sum(causal: CausalModel, text: str, before: Sequence[int], limit: int = 99) -> float:
    """Return the model's log-probability of a text and its end, over all tokenisations."""
    import torch

    strings = token_bytes(causal.tokenizer, causal.model.config.vocab_size)
    total = -math.inf
    for tokens in segmentations(text.encode(), strings):
        if len(tokens) <= limit:
            ids = [causal.first, *before, *tokens]
            with torch.no_grad():
                logits = causal.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
            each = [logits[len(before) + k, token] for k, token in enumerate(tokens)]
            ends = logits[-1, sorted(causal.ends)].logsumexp(0)
            total = np.logaddexp(total, float(sum(each) + ends))
    return float(total)
