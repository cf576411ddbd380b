"""Which architectures and tokenizers are opened: those of texts, that read nothing but their files.

The library knows hundreds. Some take programs, packages or other models by name from their
settings; such names in the settings of a folder are those of others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from grammar.errors import MissingDataError, OptionError, SchemaError

__all__ = [
    "check_architecture",
    "check_lengths",
    "check_pieces",
    "check_tokenizer",
    "check_weights",
    "give_padding",
]

_MAPPINGS = ("MASKED_LM", "CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "SEQUENCE_CLASSIFICATION")
_FOREIGN = {"layoutlmv2"}
"""Reads texts, but hands its settings to a package of pictures."""

_IN_PYTHON = {
    "BertweetTokenizer", "BioGptTokenizer", "BlenderbotSmallTokenizer", "ByT5Tokenizer",
    "CTRLTokenizer", "CanineTokenizer", "EsmTokenizer", "FSMTTokenizer", "FlaubertTokenizer",
    "M2M100Tokenizer", "MarianTokenizer", "MyT5Tokenizer", "PerceiverTokenizer", "PhobertTokenizer",
    "ProphetNetTokenizer", "PythonBackend", "PreTrainedTokenizer", "RoCBertTokenizer",
    "XLMTokenizer",
}  # fmt: skip
"""Tokenizers that are programs of the library and read nothing but the files of their folder."""

_LARGEST = 1e6
"""Weights of models are below a thousand; larger ones overflow when they are multiplied."""
_WITHOUT_PIECES = {"ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer"}
"""Tokenizers of bytes and characters."""

_SIZES = re.compile(r"n_positions|max_\w+|\w*(_size|_dim|_model|_embeddings|_buckets)")
_LARGEST = 1 << 24
"""No model of texts has a larger size; for some the library makes a table of so many numbers."""
_WIDTHS = {
    "d_ff", "d_model", "decoder_ffn_dim", "dim", "emb_dim", "encoder_ffn_dim", "hidden_dim",
    "hidden_size", "intermediate_size", "n_embd", "vocab_size",
}  # fmt: skip
"""Sizes that are sides of weights: memory is taken by them before the weights are read."""
_SHORTEST, _LONGEST = 3, 1 << 30
"""Pieces of the longest text: two marks and a word are the least."""
_LAYERS = re.compile(r"n_layers?|num_\w*(layers|blocks)|\w*_layers|num_hidden_groups")
_HEADS = re.compile(r"n_heads?|\w*_heads")
_SHARES = re.compile(r"\w*dropout(_prob|_rate)?|dropout\w*|\w*drop")
"""What is between 0 and 1, and raises an error of torch where it is not."""


def check_architecture(
    settings: Mapping[str, Any], shapes: Collection[Sequence[int]], where: str
) -> None:
    """Refuse a model that is not one of texts, or claims to be larger than its weights.

    Parameters
    ----------
    settings : mapping
        Of ``config.json``.
    shapes : collection of sequences of int
        Those of its weights.
    where : str
        For messages.

    Raises
    ------
    OptionError
        If an architecture is none of texts, or the library does not know it.
    SchemaError
        If it has more layers than weights, or a size that no model has.
    """
    known, tensors = _architectures(), len(shapes)
    sides = {side for shape in shapes for side in shape}
    for one in _inside(settings):
        kind = one.get("model_type")
        if (kind is not None or one is settings) and (
            not isinstance(kind, str) or kind not in known
        ):
            raise OptionError(
                f"no architecture of texts is known by the model_type {kind!r}",
                where=where,
                hint="name a model of texts that this version of transformers knows",
            )
        for name, value in one.items():
            large = _SIZES.fullmatch(name) and isinstance(value, int | float) and value > _LARGEST
            if large or (name in _WIDTHS and isinstance(value, int) and value not in sides):
                raise SchemaError(
                    f"it claims a {name} of {value:,}, which no weights have",
                    where=where,
                    hint="fetch the folder again, or save the model again",
                )
            if _LAYERS.fullmatch(name) and isinstance(value, int) and value > tensors:
                raise SchemaError(
                    f"it claims {value:,} {name}, and has {tensors:,} weights",
                    where=where,
                    hint="fetch the folder again, or save the model again",
                )
            if _is_outside(name, value):
                raise SchemaError(
                    f"it claims {name} of {value}",
                    where=where,
                    hint="fetch the folder again, or save the model again",
                )


def _is_outside(name: str, value: object) -> bool:
    """Say whether a number of heads is negative, or a share is none.

    >>> _is_outside("num_attention_heads", -4), _is_outside("hidden_dropout_prob", float("nan"))
    (True, True)
    >>> _is_outside("num_attention_heads", 4), _is_outside("attention_dropout", 0.1)
    (False, False)
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    if _HEADS.fullmatch(name):
        return value < 0
    return _SHARES.fullmatch(name) is not None and not 0 <= value <= 1


def check_tokenizer(
    settings: Mapping[str, Any], of_tokenizer: Mapping[str, Any], where: str, *, has_pieces: bool
) -> None:
    """Refuse a tokenizer that reads more than its files, or has none.

    Parameters
    ----------
    settings, of_tokenizer : mapping
        Of ``config.json`` and ``tokenizer_config.json``, either of which can name one.
    where : str
        For messages.
    has_pieces : bool
        Whether there is a file with the pieces of words.

    Raises
    ------
    SchemaError
        If its class is not known to read its files alone.
    MissingDataError
        If there are no pieces of words, of which it would make up some.
    """
    import transformers
    from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

    by_type = TOKENIZER_MAPPING_NAMES.get(settings["model_type"])
    told = [
        held["tokenizer_class"] for held in (settings, of_tokenizer) if "tokenizer_class" in held
    ]
    for name in filter(None, [by_type, *told]):
        short = name.removesuffix("Fast") if isinstance(name, str) else ""
        found = getattr(transformers, short, None) if short.isidentifier() else ""
        if found is not None and not _reads_files_alone(found, short):
            raise SchemaError(
                f"the tokenizer {name!r} is not opened: it may read more than the files of its "
                "folder",
                where=where,
                hint="save the tokenizer as a fast one (tokenizer.json), or name another model",
            )
    if not has_pieces and not _WITHOUT_PIECES.intersection([by_type, *told]):
        raise MissingDataError(
            "there is no tokenizer: neither tokenizer.json nor a vocabulary is there",
            where=where,
            hint="save it to the folder, too: tokenizer.save_pretrained(FOLDER)",
        )


def check_lengths(config: Any, tokenizer: Any, where: str) -> None:
    """Refuse a longest text that is no length; of a tokenizer without one it becomes a large one.

    Raises
    ------
    SchemaError
        If what the model or its tokenizer says of it is no number of pieces.
    """
    for name, held in (
        ("max_position_embeddings", getattr(config, "max_position_embeddings", None)),
        ("model_max_length", tokenizer.model_max_length),
    ):
        number = isinstance(held, int | float) and not isinstance(held, bool)
        if held is not None and not (number and held >= _SHORTEST):
            raise SchemaError(
                f"{name} is {held!s:.40}, which is no length of texts",
                where=where,
                hint="fetch the folder again, or save the model again",
            )
    tokenizer.model_max_length = int(min(tokenizer.model_max_length or _LONGEST, _LONGEST))


def give_padding(model: Any, tokenizer: Any, where: str) -> None:
    """Let a tokenizer without a mark for padding, as GPT-2's, take that of the end of a text.

    What stands at padding is masked, so the mark changes nothing.

    Raises
    ------
    SchemaError
        If it has no mark of the end either.
    """
    if tokenizer.pad_token_id is not None:
        return
    mark = tokenizer.eos_token or tokenizer.sep_token
    if mark is None:
        raise SchemaError(
            "its tokenizer has no mark for padding, and none for the end of a text",
            where=where,
            hint="set tokenizer.pad_token, and save it again",
        )
    tokenizer.pad_token = mark
    model.config.pad_token_id = tokenizer.pad_token_id


def check_pieces(model: Any, tokenizer: Any, where: str) -> None:
    """Refuse a tokenizer whose pieces are not all known to the model (raises SchemaError).

    The marks around a text are not always among its pieces, so an empty text and a pair are cut; so
    is a rare letter, for which some tokenizers need a piece that may be missing.
    """
    most = model.get_input_embeddings().num_embeddings
    sides = getattr(model.config, "type_vocab_size", None) or most
    texts = ("",), ("", ""), ("ꙮ",)
    cut = [tokenizer(*sides, verbose=False) for sides in texts]
    pieces = {*tokenizer.get_vocab().values(), *(one for row in cut for one in row["input_ids"])}
    marked = {one for row in cut for one in row.get("token_type_ids", ())}
    for number, known in ((max(pieces, default=0), most), (max(marked, default=0), sides)):
        if number >= known:
            raise SchemaError(
                f"its tokenizer makes the number {number:,}, and the model knows {known:,}",
                where=where,
                hint="save model and tokenizer together, after model.resize_token_embeddings("
                "len(tokenizer))",
            )


def check_weights(model: Any, where: str) -> None:
    """Refuse weights of which a sum cannot be trusted: no numbers, or out of all bounds.

    Raises
    ------
    SchemaError
        If a weight is infinite, no number, or larger than a million.
    """
    for name, weight in model.named_parameters():
        if not weight.numel() or not weight.is_floating_point():
            continue
        least, most = (float(end) for end in weight.detach().aminmax())
        if not -_LARGEST <= least <= most <= _LARGEST:
            raise SchemaError(
                f"the model is damaged: the weights {name} lie between {least:g} and {most:g}",
                where=where,
                hint="fetch the folder again, or save the model again",
            )


def _reads_files_alone(found: Any, name: str) -> bool:
    import transformers

    if not isinstance(found, type) or name.startswith("_"):
        return False
    if "dummy" in found.__module__:  # it needs a library, and says so when it is used
        return name.endswith("Tokenizer")
    fast = transformers.TokenizersBackend, transformers.SentencePieceBackend
    return issubclass(found, fast) or name in {*_IN_PYTHON, "MistralCommonBackend"}


def _architectures() -> frozenset[str]:
    from transformers.models.auto import modeling_auto

    mappings = (getattr(modeling_auto, f"MODEL_FOR_{kind}_MAPPING_NAMES") for kind in _MAPPINGS)
    return frozenset().union(*mappings) - _FOREIGN


def _inside(held: Any) -> Iterator[Mapping[str, Any]]:
    """Yield settings, and all that stand in them."""
    waiting = [held]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
