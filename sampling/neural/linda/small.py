"""A small encoder-decoder from scratch, for those without a pretrained one.

Its pieces are of bytes (Sennrich et al. 2016; Radford et al. 2019), so every text of every script
has them, and there is no mark for unknown words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sampling.neural.threads import seeded

__all__ = ["LONGEST", "small_model", "small_tokenizer"]

LONGEST = 128
"""How many pieces a text can have."""
_MARKS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def small_tokenizer(texts: Sequence[str], pieces: int = 5000) -> Any:
    """Learn pieces of words from texts.

    Parameters
    ----------
    texts : sequence of str
        What they are counted in.
    pieces : int
        At most so many; there are the 256 bytes at least.

    Returns
    -------
    transformers.PreTrainedTokenizerFast

    Examples
    --------
    >>> tokenizer = small_tokenizer(["the dog", "the cat"], 300)
    >>> tokenizer.decode(tokenizer("ein Häuschen")["input_ids"], skip_special_tokens=True).strip()
    'ein Häuschen'
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=pieces,
        special_tokens=list(_MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    begin, _, end, _, _ = _MARKS
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        special_tokens=[(mark, tokenizer.token_to_id(mark)) for mark in (begin, end)],
    )
    made: Any = PreTrainedTokenizerFast
    return made(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=LONGEST,
    )


def small_model(tokenizer: Any, *, width: int = 256, layers: int = 2, seed: int = 0) -> Any:
    """Return an untrained BART with these pieces, whose weights are a function of the seed."""
    from transformers import BartConfig, BartForConditionalGeneration

    of: Any = BartConfig
    config = of(
        vocab_size=len(tokenizer),
        attn_implementation="eager",  # for short texts the quicker one
        d_model=width,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        max_position_embeddings=LONGEST,
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=tokenizer.eos_token_id,
    )
    with seeded(seed):
        return BartForConditionalGeneration(config)
