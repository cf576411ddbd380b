"""What a model said of texts: known for as long as there is room, and kept on the disk if asked.

Choices ask about the same texts again, as hosts come round and proposals are drawn anew. What was
answered is then not computed a second time. A run that may be stopped keeps its answers in a file,
in the order in which it asked. The run that goes on asks the same in the same order, and takes
what is there instead of reading again, to the last bit.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from grammar.arrays import FloatArray
from grammar.errors import OutputError

__all__ = ["Readings"]

MOST = 1 << 16
"""So many answers are known, of the texts asked about last."""
_DIGEST = 16
_NUMBER = 8


class Readings:
    """Answers of a model by the texts that they are about, for one stream of choices.

    Parameters
    ----------
    file : path, optional
        Where answers are kept. Those that a stopped run left there are taken in their order; what
        was written last may be cut off, or be of another run: from there on the model is asked,
        and the file written anew.

    Examples
    --------
    >>> readings = Readings()
    >>> asked = []
    >>> def ask(rows):
    ...     asked.append(rows)
    ...     return np.array(rows, float)
    >>> readings.of(["a", "b"], ask).tolist(), readings.of(["b", "c"], ask).tolist()
    ([0.0, 1.0], [1.0, 1.0])
    >>> asked
    [[0, 1], [1]]
    """

    def __init__(self, file: Path | None = None) -> None:
        self._known: OrderedDict[str, float] = OrderedDict()
        self._file = file
        self._kept = file.read_bytes() if file is not None and file.exists() else b""
        self._read = 0

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def of(self, keys: Sequence[str], ask: Callable[[list[int]], FloatArray]) -> FloatArray:
        """Return an answer for each key; those not known are asked for, all together.

        Parameters
        ----------
        keys : sequence of str
            Which texts, and what is asked about them.
        ask : callable
            Takes the rows that are asked for, and returns their answers.
        """
        rows = [row for row, key in enumerate(keys) if key not in self._known]
        if rows:
            held = [keys[row] for row in rows]
            answers = self._answered(held, lambda: ask(rows))
            self._known.update(zip(held, answers.tolist(), strict=True))
        for key in keys:
            self._known.move_to_end(key)
        found = np.array([self._known[key] for key in keys], np.float64)
        while len(self._known) > max(MOST, len(keys)):
            self._known.popitem(last=False)
        return found

    def _answered(self, keys: Sequence[str], ask: Callable[[], FloatArray]) -> FloatArray:
        """Return answers as they were kept, or ask; write them down where they are kept."""
        size = _NUMBER * len(keys)
        record = self._kept[self._read : self._read + size + _DIGEST]
        kept = record[:size]
        if len(record) < size + _DIGEST or record[size:] != _digest(keys, kept):
            kept = np.asarray(ask(), "<f8").tobytes()
            record = kept + _digest(keys, kept)
            if self._file is not None:
                self._write(self._file, record)
        self._read += len(record)
        return np.frombuffer(kept, "<f8").astype(np.float64)

    def _write(self, path: Path, record: bytes) -> None:
        """Write down what was answered, in the place of whatever stood from there on."""
        self._kept = b""
        try:
            with open(path, "r+b" if path.exists() else "wb") as file:
                file.truncate(self._read)
                file.seek(self._read)
                file.write(record)
        except OSError as error:
            raise OutputError(
                f"what was read cannot be kept: {error.strerror}", where=str(path)
            ) from None


def _digest(keys: Sequence[str], kept: bytes) -> bytes:
    """Return a digest of what was asked and answered."""
    held = hashlib.blake2b(kept, digest_size=_DIGEST)
    for key in keys:
        held.update(len(key).to_bytes(8, "little") + key.encode("utf-8", "surrogatepass"))
    return held.digest()
