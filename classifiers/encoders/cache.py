"""Vectors of texts kept on the disk, by encoder and text, so that no text is encoded twice."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from classifiers.encoders.encoding import Text, pooled
from classifiers.encoders.opening import Encoder
from grammar.errors import OutputError
from grammar.files import atomic_output

__all__ = ["cached_vectors", "fingerprint"]

_HELD: WeakKeyDictionary[Encoder, dict[Path, dict[str, NDArray[np.float32]]]] = WeakKeyDictionary()
"""What was read or encoded, as long as its encoder lives: a choice asks for the same again and
again."""
_SEEN: WeakKeyDictionary[Encoder, dict[Path, int]] = WeakKeyDictionary()
"""When each file was last changed for an encoder, in nanoseconds: it need not be read again."""
VARIABLE = "TREEWRIGHT_CACHE"
"""Names the folder of kept vectors; by default one below the person's own cache folder."""


def cached_vectors(
    encoder: Encoder,
    texts: Sequence[Text],
    *,
    pooling: str = "mean",
    max_length: int | None = None,
    every_layer: bool = False,
) -> NDArray[np.float32]:
    """Return pooled states, and keep those that are new.

    Parameters
    ----------
    encoder, texts, pooling, max_length
        See :func:`~classifiers.encoders.encoding.pooled`.
    every_layer : bool
        Those of the embeddings and of all layers, one behind the other; else of the topmost layer.

    Returns
    -------
    float32 array, shape (texts, width), or (texts, (depth + 1) * width)

    Notes
    -----
    Kept are float32 rows in an Arrow file a model, pooling and length, under hashes of the texts. A
    file that cannot be read or written is no error: texts are then encoded again.
    """
    layers = range(encoder.depth + 1) if every_layer else (-1,)
    kind = str(encoder.half.dtype).removeprefix("torch.")
    name = f"{fingerprint(encoder)}-{kind}-{pooling}-{max_length or encoder.max_length}"
    path = _folder() / f"{name}{'-layers' if every_layer else ''}.arrow"
    known = _HELD.setdefault(encoder, {}).setdefault(path, {})
    if not known:
        known |= _read(path)
    keys = [_key(text) for text in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        fresh = list(missing.values())
        vectors = pooled(
            encoder, fresh, pooling=pooling, layers=tuple(layers), max_length=max_length
        )
        known |= dict(zip(missing, vectors.reshape(len(fresh), -1), strict=True))
        seen = _SEEN.setdefault(encoder, {})
        if _changed(path) != seen.get(path):
            known |= _read(path)  # what another program has made meanwhile
        _write(path, known)
        seen[path] = _changed(path)
    width = encoder.width * (2 if pooling == "ends" else 1) * len(layers)
    return np.array([known[key] for key in keys], np.float32).reshape(len(keys), width)


def fingerprint(encoder: Encoder) -> str:
    """Return a hash of what an encoder computes: its settings and a part of all its weights."""
    digest = hashlib.sha256(str(encoder.model.config.to_dict()).encode())
    for name, weight in sorted(encoder.model.state_dict().items()):
        some = weight.flatten()[:: max(1, weight.numel() // 64)][:64].float().cpu().numpy()
        digest.update(name.encode() + some.tobytes())
    return digest.hexdigest()[:16]


def _key(text: Text) -> str:
    whole = text if isinstance(text, str) else "\x1f".join(text)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _folder() -> Path:
    given = os.environ.get(VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(given) if given else Path(home) / "treewright" / "vectors"


def _changed(path: Path) -> int:
    """Return when a file was last changed, in nanoseconds; 0 if it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _read(path: Path) -> dict[str, NDArray[np.float32]]:
    try:
        with pa.memory_map(os.fspath(path)) as source:
            table = pa.ipc.open_file(source).read_all()
            keys = table["key"].to_pylist()
            flat = table["vector"].combine_chunks().flatten().to_numpy()
            rows = flat.reshape(len(keys), -1)
    except (OSError, KeyError, ValueError, pa.ArrowException):
        return {}
    return dict(zip(keys, np.array(rows, np.float32), strict=True))


def _write(path: Path, vectors: dict[str, NDArray[np.float32]]) -> None:
    vectors = dict(vectors)  # another thread may add to it meanwhile
    rows = np.array(list(vectors.values()), np.float32)
    kept = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])
    table = pa.table({"key": list(vectors), "vector": kept})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            atomic_output(path, renewed=True) as part,
            pa.OSFile(os.fspath(part), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)
    except (OSError, OutputError):
        return
