"""Which architectures and tokenizers are opened: those of texts, that read nothing but their files.

The library knows hundreds. Some take programs, packages or other models by name from their
settings; such names in the settings of a folder are those of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grammar.errors import MissingDataError, OptionError, SchemaError

__all__ = ["check_architecture", "check_tokenizer"]

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

_WITHOUT_PIECES = {"ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer"}
"""Tokenizers of bytes and characters."""

_LAYERS = re.compile(r"n_layers?|num_\w*(layers|blocks)|\w*_layers|num_hidden_groups")


def check_architecture(settings: Mapping[str, Any], tensors: int, where: str) -> None:
    """Refuse a model that is not one of texts, or claims more layers than it has weights.

    Parameters
    ----------
    settings : mapping
        Of ``config.json``.
    tensors : int
        How many weights it has.
    where : str
        For messages.

    Raises
    ------
    OptionError
        If an architecture is none of texts, or the library does not know it.
    SchemaError
        If it has more layers than weights.
    """
    known = _architectures()
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
            if _LAYERS.fullmatch(name) and isinstance(value, int) and value > tensors:
                raise SchemaError(
                    f"it claims {value:,} {name}, and has {tensors:,} weights",
                    where=where,
                    hint="fetch the folder again, or save the model again",
                )


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
