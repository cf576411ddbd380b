"""Places in object stores, by fsspec: ``s3://``, ``gs://``, ``hf://``, ``memory://``, ...

An object store has no links, no locks and no moves. So a file is written on this machine, sent
under a temporary key, and copied to its name, which the store does at once and as a whole: who
reads sees the old object or the complete new one.
"""

from __future__ import annotations

import errno
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from grammar.errors import to_install
from grammar.storage.location import Place, TakenError, is_many
from grammar.storage.permissions import names_found

__all__ = ["LAST", "StoreError", "Stored"]

LAST = "manifest.json"
"""Of a folder, the file that says that it is complete."""

_BUCKETS = {"s3", "s3a", "gs", "gcs", "az", "abfs", "oss", "r2"}
_LOGIN = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    "gs": "log in: gcloud auth application-default login",
    "hf": "log in: hf auth login",
}
_PART = ".part-"


class StoreError(OSError):
    """A place in a store cannot be reached: why, and what helps."""

    def __init__(self, number: int, why: str, hint: str) -> None:
        super().__init__(number, why)
        self.hint = hint


class Stored(Place):
    """An object, or a folder of objects."""

    def __init__(self, url: str) -> None:
        self.name = url
        self._scheme = url.partition("://")[0].lower()

    @property
    def identity(self) -> str:
        """The address, as its store writes it."""
        return f"{self._scheme}://{self._key}"

    @property
    def can_be_kept(self) -> bool:
        """Whether what is written can be read again."""
        return True

    def exists(self) -> bool:
        """Say whether there is an object, a folder of objects, or any of a name with a star."""
        if is_many(self.name):
            return bool(self.files())
        with self._told():
            self._store.invalidate_cache()
            return bool(self._store.exists(self._key))

    def is_folder(self) -> bool:
        """Say whether there are objects below the name."""
        with self._told():
            self._store.invalidate_cache()
            return bool(self._store.isdir(self._key))

    def is_filled(self) -> bool:
        """Say whether there are objects below the name; a folder without any is none."""
        return self.is_folder()

    def has_room(self) -> bool:
        """Say whether there is the bucket; there are no folders without objects."""
        if self._scheme not in _BUCKETS:
            return True
        with self._told():
            return bool(self._store.exists(self._key.partition("/")[0]))

    def is_same(self, other: Place) -> bool:
        """Say whether both have one address."""
        return isinstance(other, Stored) and self.identity == other.identity

    @contextmanager
    def at_hand(self) -> Iterator[Path]:
        """Give a copy of the object in a temporary file."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / PurePosixPath(self._key).name
            with self._told():
                self._store.invalidate_cache()
                self._store.get_file(self._key, str(copy))
            yield copy

    def files(self) -> dict[str, Place]:
        """Return all objects below the name, or those of a name with a star, in order, by name."""
        many = is_many(self.name)
        folder = self._key.rpartition("/")[0] if many else self._key.rstrip("/")
        with self._told():
            self._store.invalidate_cache()
            keys = self._store.glob(self._key) if many else self._store.find(folder)
        # what a killed process left is no file of anybody
        whole = [key for key in sorted(keys) if not PurePosixPath(key).name.startswith(_PART)]
        found = {key.removeprefix(f"{folder}/"): Stored(f"{self._scheme}://{key}") for key in whole}
        names_found(one.name for one in found.values())
        return dict(found)

    @contextmanager
    def drafted(self, *, over: bool) -> Iterator[Path]:
        """Give a temporary file of this machine, which is sent when the block has ended well."""
        with tempfile.TemporaryDirectory() as folder:
            draft = Path(folder) / PurePosixPath(self._key).name
            draft.touch()
            yield draft
            self._send(draft, over=over)

    def receive(self, made: Path, *, over: bool) -> None:
        """Send a complete file; of a folder all files, that which says that it is complete last."""
        if not made.is_dir():
            self._send(made, over=over)
            made.unlink()
            return
        before = self.files()
        (self / LAST).remove()  # what is there is no longer complete
        paths = sorted(path for path in made.rglob("*") if path.is_file())
        for path in sorted(paths, key=lambda path: path.name == LAST):
            name = path.relative_to(made).as_posix()
            (self / name)._send(path, over=True)
            before.pop(name, None)
        for old in before.values():
            old.remove()
        shutil.rmtree(made)

    def remove(self) -> None:
        """Remove the object."""
        with self._told(), suppress(FileNotFoundError):
            self._store.rm_file(self._key)

    def __truediv__(self, below: str) -> Stored:
        return Stored(f"{self.identity.rstrip('/')}/{below}")

    def _send(self, file: Path, *, over: bool) -> None:
        """Copy a file to a temporary key, and from there to the name."""
        above, _, last = self._key.rpartition("/")
        part = f"{above}/{_PART}{secrets.token_hex(8)}-{last}"
        with self._told():
            try:
                self._store.put_file(str(file), part)
                self._store.invalidate_cache()
                # nobody can hold a name in a store: of two that end at once, the later stays
                if not over and self._store.exists(self._key):
                    raise TakenError
                self._store.cp_file(part, self._key)
            finally:
                with suppress(Exception):  # what went wrong before is what is to be told
                    self._store.rm_file(part)

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        with self._told():
            try:
                from fsspec.core import url_to_fs
            except ImportError:
                raise StoreError(
                    errno.ENOSYS,
                    "the library fsspec, which reaches object stores, is not installed",
                    to_install("stores"),
                ) from None
            store, key = url_to_fs(self.name)
            return store, key

    @property
    def _store(self) -> Any:
        return self._opened[0]

    @property
    def _key(self) -> str:
        return self._opened[1]

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of whatever the library of a store raises what it means."""
        try:
            yield
        except (StoreError, TakenError):
            raise
        except Exception as error:  # of as many kinds as there are libraries
            raise self._meant(error) from None

    def _meant(self, error: Exception) -> StoreError:
        said = (str(error) or type(error).__name__).splitlines()[0]
        if isinstance(error, ImportError):
            return StoreError(errno.ENOSYS, f"a library is missing: {said}", "install it with pip")
        if isinstance(error, FileNotFoundError):
            what = "there is no such bucket" if "bucket" in said.lower() else "no such object"
            return StoreError(errno.ENOENT, what, "check the address")
        if isinstance(error, PermissionError) or "redentials" in type(error).__name__:
            hint = _LOGIN.get(self._scheme, "log in as its library asks")
            return StoreError(errno.EACCES, f"the store lets nobody in so: {said}", hint)
        if isinstance(error, ValueError) and "rotocol" in said:
            known = "for example s3://, gs://, hf://, or a path of this machine"
            return StoreError(errno.EINVAL, f"there is no storage scheme {self._scheme}://", known)
        hint = "see whether the store can be reached from here, and try again"
        return StoreError(errno.EIO, f"the store cannot be reached: {said}", hint)
