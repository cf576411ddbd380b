"""What a model folder may hold: its files are looked at here before a library sees any of them.

A folder is data of others. So the library is given another folder, made for the moment, with what
is on the list alone: weights in safetensors, pieces, and settings from which paths are taken out.
What is not on the list is not read, whatever its name. A folder is refused if its settings ask for
code, other packages or parts that are fetched, or if its weights are a pickle.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grammar.errors import MissingDataError, SchemaError
from grammar.saving.folders import read_object
from grammar.storage.inside import regular_file
from sampling.neural.tokenizer_file import TOKENIZER, check_tokenizer_file

__all__ = [
    "CONFIG",
    "PATTERNS",
    "PIECES",
    "TEMPORARY",
    "TOKENIZER_CONFIG",
    "linked",
    "looked_through",
    "settings_of",
    "weights_of",
]

CONFIG, TOKENIZER_CONFIG = "config.json", "tokenizer_config.json"
_MARKS, _GENERATION = "special_tokens_map.json", "generation_config.json"
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"
_SHARD = re.compile(r"model[\w.-]*\.safetensors")
_PICKLES = re.compile(r".*\.(bin|pt|pth|pkl|pickle|ckpt|h5|msgpack)(\.index\.json)?")

_SETTINGS = (CONFIG, TOKENIZER_CONFIG, _MARKS, _GENERATION)
_BESIDE = ("adapter_config.json", "preprocessor_config.json", "processor_config.json")
"""Settings that are not read, but may tell that a model needs code."""
PIECES = (
    "bpe.codes", "dict.txt", "entity_vocab.json", "merges.txt",
    "prophetnet.tokenizer", "sentencepiece.bpe.model", "sentencepiece.model", "source.spm",
    "spiece.model", "spm.model", "spm_char.model", "target.spm", "target_vocab.json",
    "tokenizer.json", "tokenizer.model", "vocab-src.json", "vocab-tgt.json", "vocab.json",
    "vocab.txt",
)  # fmt: skip
"""The names of the files of which any holds pieces of words."""

_ADDED = "added_tokens.json"
PATTERNS = (*_SETTINGS, *PIECES, _ADDED, _WEIGHTS, _INDEX, "model-*-of-*.safetensors")
"""The names of all files that are read of a model; of a model on the hub they are fetched."""

TEMPORARY = "treewright-model-"
"""How the names of the folders begin that are made for the moment."""

_CODE = {"auto_map", "custom_generate", "custom_pipelines", "trust_remote_code"}
_PARTS = {
    "audio_config", "backbone", "backbone_config", "detectron2_config_args", "distributed_config",
    "fusion_config", "kernel_config", "quantization_config", "use_kernels",
    "use_pretrained_backbone", "use_timm_backbone", "vision_config",
}  # fmt: skip
_KERNELS = re.compile(r"_?(attn|experts)_implementation(_internal)?")
_PLAIN = {"eager", "sdpa", "batched_mm", "grouped_mm"}
"""Ways to compute that the library has itself; all others are packages, or fetched from a hub."""

_PATHS = re.compile(
    r".*_(files?|paths?|dir|proto)|_?name_or_path|_commit_hash|transformers_weights"
)
_UNREAD = {"chat_template", "init_inputs"}
"""Settings of tokenizers that are left out: programs of chats, and values without a name."""


@contextmanager
def looked_through(
    folder: Path, *, files: Collection[str] | None = None, class_name: str = "AutoModel"
) -> Iterator[Path]:
    """Look through a model folder, and give one that holds what may be read of it.

    Parameters
    ----------
    folder : Path
        A folder as the library saves models; links in it may not lead out of it.
    files : collection of str, optional
        The names that may be read; else all that are on the list.
    class_name : str
        The class of the library that converts weights, for a hint.

    Raises
    ------
    MissingDataError
        If it holds no model.
    SchemaError
        If it asks for code, for packages or for parts that are fetched; if its weights are a
        pickle; if a file leads out of it; if its settings cannot be read; if its tokenizer makes
        texts very much longer, or may search them without end.
    """
    names = {name for name in os.listdir(folder) if files is None or name in files}
    if CONFIG not in names:
        raise MissingDataError("there is no model: config.json is missing", where=str(folder))
    for name in sorted(names.intersection((*_SETTINGS, *_BESIDE))):
        _refuse_requests(read_object(_file(folder, name)), folder / name)
    if TOKENIZER in names:
        check_tokenizer_file(_file(folder, TOKENIZER))
    weights = weights_of(folder, names)
    if not weights:
        raise _without_weights(folder, names, class_name)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as made:
        place = Path(made)
        for name in names.intersection(_SETTINGS):
            held = settings_of(name, read_object(_file(folder, name)))
            (place / name).write_text(json.dumps(held), "utf-8")
        for name in sorted(names.intersection((*PIECES, _ADDED)) | weights):
            linked(_file(folder, name), place / name)
        yield place


def weights_of(folder: Path, names: Collection[str]) -> frozenset[str]:
    """Return the names of the files with the weights of a folder; none if there are none.

    Raises
    ------
    SchemaError
        If the list of the parts of weights names anything but files in safetensors that are there.
    """
    if _WEIGHTS in names:
        return frozenset({_WEIGHTS})
    if _INDEX not in names:
        return frozenset()
    parts = read_object(_file(folder, _INDEX)).get("weight_map")
    named = list(parts.values()) if isinstance(parts, dict) else [None]
    for part in named:
        if not isinstance(part, str) or part not in names or not _SHARD.fullmatch(part):
            raise SchemaError(
                f"it names {part!r}, which is no part of weights in safetensors beside it",
                where=str(folder / _INDEX),
                hint="fetch the folder again, or save the model again",
            )
    return frozenset({_INDEX, *map(str, named)})


def settings_of(name: str, held: dict[str, Any]) -> dict[str, Any]:
    """Return what a file of settings says, without paths and what nothing here reads.

    >>> settings_of("tokenizer_config.json", {"vocab_file": "/etc/passwd", "do_lower_case": True})
    {'do_lower_case': True}
    """
    if name == _MARKS:
        return {key: held[key] for key in held if key.endswith(("_token", "_tokens"))}
    if name == TOKENIZER_CONFIG:
        held = {key: value for key, value in held.items() if key not in _UNREAD}
    clean: dict[str, Any] = _without_paths(held)
    return clean


def linked(file: Path, place: Path) -> None:
    """Give a file a second name: a link, or a copy where there are none."""
    try:
        place.symlink_to(file)
    except (OSError, NotImplementedError):
        shutil.copyfile(file, place)


def _file(folder: Path, name: str) -> Path:
    return regular_file(folder, name, home=_home(folder))


def _home(folder: Path) -> Path:
    """Return the folder that links may not lead out of: of a cache of the hub, that of the model.

    There the files of a snapshot are links to what lies beside all snapshots.
    """
    real = folder.resolve()
    kept = real.parent.name == "snapshots" and real.parent.parent.name.startswith("models--")
    return real.parent.parent if kept else real


def _refuse_requests(held: Mapping[str, Any], path: Path) -> None:
    """Refuse settings that ask for more than weights and pieces, however deep they stand."""
    waiting: list[Any] = [held]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        if not isinstance(value, dict):
            continue
        for key, inner in value.items():
            if _is_classes(key, inner):  # a class may have any name
                continue
            if inner not in (None, False):
                _refuse_request(key, inner, path)
            waiting.append(inner)


def _refuse_request(key: str, value: Any, path: Path) -> None:
    if key in _CODE:
        raise SchemaError(
            f"the model asks for custom code: {key!r}",
            where=str(path),
            hint="no code of a model is run: take one that needs none; if the library knows its "
            f"model_type, delete {key!r} from the file",
        )
    if key in _PARTS:
        raise SchemaError(
            f"the model asks for parts that are not read here: {key!r}",
            where=str(path),
            hint="take a model of texts alone that is not quantised, or a file in GGUF",
        )
    if _KERNELS.fullmatch(key) and not _is_plain(value):
        raise SchemaError(
            f"the model asks for code from elsewhere: {key!r} is {value!r}",
            where=str(path),
            hint=f"delete {key!r} from the file: the library then chooses what it has itself",
        )


def _is_classes(key: str, value: Any) -> bool:
    """Say whether a setting holds the names of classes with their numbers."""
    numbers = isinstance(value, dict) and all(isinstance(one, int) for one in value.values())
    return key == "label2id" and numbers


def _is_plain(value: Any) -> bool:
    each = value.values() if isinstance(value, dict) else [value]
    return all(one is None or (isinstance(one, str) and one in _PLAIN) for one in each)


def _without_paths(held: Any) -> Any:
    if isinstance(held, list):
        return [_without_paths(one) for one in held]
    if not isinstance(held, dict):
        return held
    return {
        key: value if _is_classes(key, value) else _without_paths(value)
        for key, value in held.items()
        if not _PATHS.fullmatch(key)
    }


def _without_weights(folder: Path, names: Collection[str], class_name: str) -> Exception:
    pickles = sorted(name for name in names if _PICKLES.fullmatch(name))
    if "adapter_config.json" in names and not pickles:
        return SchemaError(
            "it holds the adapter of a model, not a model",
            where=str(folder / "adapter_config.json"),
            hint="merge it into its model (merge_and_unload of peft) and save that",
        )
    if not pickles:
        return MissingDataError(
            f"there are no weights: {_WEIGHTS} is missing",
            where=str(folder),
            hint="fetch the folder again, or save the model again",
        )
    return SchemaError(
        "its weights are a pickle, which can hold code and is never read",
        where=str(folder / pickles[0]),
        hint="if you trust who made it, convert it, then name the folder again: python -c "
        f'"from transformers import {class_name} as M; '
        f"M.from_pretrained({str(folder)!r}, use_safetensors=False)"
        f'.save_pretrained({str(folder)!r})"',
    )
