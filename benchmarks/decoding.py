"""Constrained against unconstrained decoding: processor time for a token, one text at a time.

    python -m benchmarks.decoding [MODEL]

The model is a folder or a name; by default a small GPT-2 of bytes that has learnt nothing. Both
read the same prompt and the same number of tokens. Set OMP_NUM_THREADS=1 on busy machines.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from grammar.arrays import FloatArray
from grammar.pcfg.grammar import Grammar
from grammar.rng import stream_key, uniforms_of
from induction import induce_pcfg, read_treebank
from sampling.neural.causal.model import CausalModel
from sampling.neural.decoding.decoder import Decoder
from sampling.neural.decoding.language import END
from sampling.neural.opening import open_model

JSON = Grammar.parse("""
    S -> '{' Pairs '}' [1]
    Pairs -> Pair [0.5] | Pair ',' Pairs [0.5]
    Pair -> Key ':' Value [1]
    Key -> '"name"' [0.4] | '"food"' [0.3] | '"price"' [0.3]
    Value -> '"good"' [0.3] | '"bad"' [0.2] | Number [0.3] | 'true' [0.1] | '[' List ']' [0.1]
    List -> Value [0.5] | Value ',' List [0.5]
    Number -> '1' [0.2] | '25' [0.2] | '300' [0.2] | '4.5' [0.2] | '0' [0.2]
""")
PROMPT = "A record in JSON:"
TEXTS, MOST = 4, 32
KEY = stream_key(0, "benchmarks.decoding")


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of a piece of work, and what it returns."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def small_model(folder: Path) -> str:
    """Save a GPT-2 of two layers with one token for each byte."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    letters = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    held = Tokenizer(models.BPE(vocab={name: k for k, name in enumerate(letters)}, merges=[]))
    held.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    held.decoder = decoders.ByteLevel()
    make: Any = PreTrainedTokenizerFast
    make(tokenizer_object=held, eos_token="<|endoftext|>").save_pretrained(folder)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(letters), n_embd=64, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def unconstrained(decoder: Decoder, index: int, tokens: int) -> None:
    """Draw so many tokens from the model alone."""
    read = decoder.begun.branch(np.zeros(1, np.int64))
    for uniform in uniforms_of(KEY, index, tokens):
        sums: FloatArray = np.cumsum(np.exp(read.following[0].astype(np.float64)))
        read.extend(np.searchsorted(sums, [uniform * sums[-1]]))


def mask_times(decoder: Decoder, texts: int) -> Iterator[float]:
    """Yield the time of each new state of texts that the grammar alone writes."""
    for index in range(texts):
        state = decoder.language.start()
        for uniform in uniforms_of(KEY, index, 40):
            taken, choices = seconds(lambda state=state: decoder.language.choices(state))
            yield taken
            sums = np.cumsum(np.exp(choices.log_ratio))
            state = choices.state(int(np.searchsorted(sums, uniform * sums[-1])))
            if state.node == END:
                break


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        name = sys.argv[1] if sys.argv[1:] else small_model(Path(folder))
        causal = CausalModel(*open_model(name, "causal", device="cpu"))
    taken, decoder = seconds(lambda: Decoder.of(causal, JSON.prefix(), PROMPT, max_tokens=MOST))
    print(f"preparation with the prompt: {taken:.2f} s; {causal.model.config.vocab_size} tokens")
    decoder.draw(KEY, TEXTS, 1)
    with_mask, without = [], []
    for index in range(TEXTS):
        taken, drawn = seconds(lambda index=index: decoder.draw(KEY, index, 1))
        tokens = len(drawn.tokens) + 1 if drawn is not None else MOST + 1
        with_mask.append(taken / tokens)
        taken, _ = seconds(lambda i=index, m=tokens: unconstrained(decoder, i, m))
        without.append(taken / tokens)
    one, other = statistics.median(with_mask), statistics.median(without)
    print(f"a token: {1e3 * one:.2f} ms constrained, {1e3 * other:.2f} ms unconstrained")
    print(f"ratio: {one / other:.2f}")
    grammar = induce_pcfg(read_treebank("embedded"))
    taken, decoder = seconds(lambda: Decoder.of(causal, grammar.prefix(), "", max_tokens=MOST))
    print(f"preparation of the embedded grammar, {len(list(grammar))} rules: {taken:.2f} s")
    times = sorted(mask_times(decoder, 20))
    print(
        f"its masks: median {1e3 * statistics.median(times):.2f} ms, "
        f"95 % below {1e3 * times[int(0.95 * len(times))]:.2f} ms, {len(times)} states"
    )


if __name__ == "__main__":
    main()
