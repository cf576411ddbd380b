"""Reading and writing files so that a fault is one clear error and nothing is left half-written."""

from __future__ import annotations

import codecs
import difflib
import gzip
import itertools
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from grammar.errors import OptionError, OutputError, TreewrightError, UnreadableInputError
from grammar.storage.expanded_size import gunzipped, read_whole
from grammar.storage.location import PathLike, Place, TakenError, check_name, is_many, is_url
from grammar.storage.opening import place_of
from grammar.storage.signatures import signature_of

__all__ = [
    "PathLike",
    "as_utf8",
    "at_hand",
    "atomic_output",
    "check_encoding",
    "check_free",
    "check_here",
    "encode",
    "half_in_json",
    "is_stream",
    "is_utf8",
    "made_folder",
    "moved_output",
    "near_names",
    "nothing_overwritten",
    "other_encoding",
    "outputs_together",
    "read_bytes",
    "read_text",
    "reading",
    "refuse_other_content",
    "refuse_unmarked",
    "same_file",
    "text_pieces",
    "write_text",
    "writing",
]

_CHECK = "check the path"
_MOST_NAMES = 1_000
"""So many names of a folder are compared with one that is missing."""


@contextmanager
def at_hand(path: PathLike) -> Iterator[Path]:
    """Give a file of this machine with the content of a file: itself, or a copy of an object.

    Raises
    ------
    UnreadableInputError
        If it cannot be fetched; of a file that is here nothing is asked.
    """
    if (run := _RUN.get()) is not None:
        run.given.append(os.fspath(path))
    with ExitStack() as held:
        with reading(path):
            file = held.enter_context(place_of(path).at_hand())
        yield file


def read_bytes(path: PathLike) -> bytes:
    """Return the content of a file, unzipped if its name ends in ``.gz``; ``-`` is standard input.

    Raises
    ------
    UnreadableInputError
        If the file is missing, is a folder, a pipe or a device, may not be read, is not a valid
        gzip file, or expands to more than it may (:mod:`grammar.storage.expanded_size`).
    """
    if str(path) == "-":
        return _standard_input()
    with at_hand(path) as file, reading(path):
        data = read_whole(file, path)
    return gunzipped(data, path) if str(path).endswith(".gz") else data


@contextmanager
def reading(path: PathLike) -> Iterator[None]:
    """Say why a file cannot be read (raises UnreadableInputError)."""
    try:
        yield
    except TreewrightError:
        raise
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read the file: {error.strerror or error}",
            where=str(path),
            hint=getattr(error, "hint", None) or near_names(path),
        ) from None


def near_names(path: PathLike) -> str:
    """Say what to do about a file that is missing: whether one with a name like it is there.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> pathlib.Path(folder.name, "reviews.csv").touch()
    >>> near_names(pathlib.Path(folder.name, "review.csv")).partition(": ")[0]
    'check the path'
    >>> near_names("no-such-folder/a.csv")
    'check the path'
    >>> folder.cleanup()
    """
    place = Path(path)
    try:
        if place.exists():
            return _CHECK
        names = list(itertools.islice((one.name for one in place.parent.iterdir()), _MOST_NAMES))
    except (OSError, ValueError):
        return _CHECK
    near = difflib.get_close_matches(place.name, names, n=1, cutoff=0.8)
    return f"{_CHECK}: there is {os.fspath(place.with_name(near[0]))!r}" if near else _CHECK


def check_encoding(encoding: str) -> None:
    """Refuse an encoding of text that there is not (OptionError).

    >>> check_encoding("latin-1")
    """
    try:
        " ".encode(encoding)
    except (LookupError, TypeError, ValueError):  # a manifest may hold anything
        raise OptionError(
            f"there is no text encoding {encoding!r}", hint="for example utf-8 or latin-1"
        ) from None


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
"""Marks at the front of a file that say its encoding; the longer ones first."""
_UTF_8 = "utf-8"
_OF_LATIN_9 = re.compile(r"[^\W\d_][½¼¾][^\W\d_]|\d ?¤")
"""What œ, Œ, Ÿ and € of Latin-9 are in cp1252: no text has such signs there."""
_BEGINNING = 4096
_LARGE = re.compile(rb"[\x80-\xff]+")
_FEWEST_LARGE, _TELLING = 8, 30
_FEWEST_OF_WORD = 2
_MANY = 0.3
"""A share of bytes that many small letters have in one encoding of Cyrillic, and few in others."""
_CENTRAL = frozenset((0x8D, 0x8F, 0x9D))
"""Letters of cp1250, and nothing in cp1252."""
_OF_POLISH = re.compile(r"[^\W\d_][³¹¿][^\W\d_]")
"""What Polish texts of cp1250 seem to hold as cp1252."""
_OTHER: ContextVar[str] = ContextVar("other_encoding", default=_UTF_8)


@contextmanager
def other_encoding(encoding: str | None) -> Iterator[None]:
    """Read files of text that are not UTF-8 in an encoding, in this block (None: as outside it).

    Raises
    ------
    OptionError
        If there is no such encoding.

    Examples
    --------
    >>> with other_encoding("latin-1"):
    ...     decode(b"caf\\xe9", "menu.txt"), decode("café".encode(), "menu.txt")
    ('café', 'café')
    """
    if encoding is None:
        yield
        return
    check_encoding(encoding)
    token = _OTHER.set(encoding)
    try:
        yield
    finally:
        _OTHER.reset(token)


def decode(data: bytes, name: str, encoding: str = _UTF_8) -> str:
    """Decode bytes, locating the first byte that is not text.

    A mark at the front says that a text is UTF-16 or UTF-32, unless another encoding is asked for.

    >>> decode("café".encode("utf-16"), "menu.txt")
    'café'
    >>> decode(b"caf\\xe9", "menu.txt")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: menu.txt:1:4: byte 0xe9 is not utf-8 text
      hint: name its encoding: --encoding cp1252, in Python encoding='cp1252'
    """
    refuse_other_content(data, name)
    if encoding == _UTF_8:
        encoding = _encoding_of(data)
    if encoding == _UTF_8:
        refuse_unmarked(data, name)
    try:
        # editors on Windows mark UTF-8 text so; the mark is no part of the text
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise UnreadableInputError(
            f"byte 0x{data[error.start]:02x} is not {encoding} text",
            where=f"{name}:{line}:{column}",
            hint=_name_it(_likely(data)),
        ) from None


def refuse_unmarked(data: bytes, name: str) -> None:
    """Refuse UTF-16 without a mark: UTF-8 would have its zeros within the text.

    >>> refuse_unmarked("so it is".encode("utf-16-le"), "menu.txt")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: menu.txt: this is UTF-16 without a mark
      hint: name its encoding: --encoding utf-16-le, in Python encoding='utf-16-le'
    """
    if (wide := _unmarked(data)) is not None:
        raise UnreadableInputError("this is UTF-16 without a mark", where=name, hint=_name_it(wide))


def refuse_other_content(data: bytes, name: str, *, text: bool = True, pages: bool = False) -> None:
    """Refuse what is no text and no table, whatever it is called, by how it begins.

    Parameters
    ----------
    data : bytes
        The first ones of the file, or all.
    name : str
        Of the file.
    text : bool
        Whether it is read as text; tables in Parquet and Arrow are refused then, too.
    pages : bool
        Whether text of another kind is refused, too, such as web pages.

    Raises
    ------
    UnreadableInputError
        If it is of a kind of :mod:`grammar.storage.signatures`.

    >>> refuse_other_content(b"version https://git-lfs.github.com/spec/v1\\noid sha256:0", "a.csv")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: a.csv: this is a pointer of Git LFS, and not the file
      hint: fetch the file: git lfs pull
    """
    found = signature_of(data, text=text)
    if found is not None and (pages or not found.is_text):
        raise UnreadableInputError(f"this is {found.what}", where=name, hint=found.hint)


def as_utf8(data: bytes, name: str, encoding: str = _UTF_8) -> bytes:
    """Return the bytes of a text in UTF-8; those that are UTF-8 already are not copied.

    Raises
    ------
    UnreadableInputError
        If it is not text in its encoding (line and column are given).

    Examples
    --------
    >>> as_utf8("café".encode("utf-16"), "menu.txt").decode()
    'café'
    """
    text = decode(data, name, encoding)
    return data if encoding == _UTF_8 == _encoding_of(data) else text.encode()


def is_utf8(data: bytes) -> bool:
    """Say whether bytes are to be read as UTF-8: no mark and no option says otherwise.

    >>> is_utf8(b"so"), is_utf8("so".encode("utf-16"))
    (True, False)
    """
    return _encoding_of(data) == _UTF_8


def _encoding_of(data: bytes) -> str:
    """Return the encoding that a mark says; else UTF-8, or the other one if it is not that."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    other = _OTHER.get()
    if other == _UTF_8:
        return other
    try:
        data.decode(_UTF_8)
    except UnicodeDecodeError:
        return other
    # what such an encoding writes with small bytes alone is UTF-8 by chance
    by_chance = max("éあ中".encode(other, errors="ignore"), default=0) < 0x80
    return other if by_chance or _unmarked(data) else _UTF_8


def _unmarked(data: bytes) -> str | None:
    """Return which UTF-16 a text without a mark is in, if it is mostly ASCII.

    >>> _unmarked("so it is".encode("utf-16-be")), _unmarked(b"so it is")
    ('utf-16-be', None)
    """
    part = data[:_BEGINNING]
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros = part[first::2]
        if len(zeros) > 1 and zeros.count(0) * 2 > len(zeros) and not part[1 - first :: 2].count(0):
            return encoding
    return None


def _likely(data: bytes) -> str:
    """Return an encoding that a file may have which is not UTF-8, and can be read in.

    >>> _likely("so".encode("cp1252")), _likely(b"\\x81"), _likely("bœuf".encode("iso8859-15"))
    ('cp1252', 'latin-1', 'iso-8859-15')
    """
    if (wide := _unmarked(data)) is not None:
        return wide
    if (east := _east_asian(data)) is not None:
        return east
    if (other := _of_other_letters(data)) is not None:
        return other
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return "cp1250" if _CENTRAL.intersection(data) and _is(data, "cp1250") else "latin-1"
    of_czech = "ø" in text and not frozenset("ìèù").isdisjoint(text)
    if (of_czech or _OF_POLISH.search(text)) and _is(data, "cp1250"):
        return "cp1250"
    return "iso-8859-15" if _OF_LATIN_9.search(text) else "cp1252"


def _is(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _of_other_letters(data: bytes) -> str | None:
    """Return which encoding a text in Cyrillic or Greek letters may have; None of a Latin one.

    In Latin texts a large byte is an accented letter, and seldom stands beside another.

    >>> [_of_other_letters("хороший фильм был".encode(e)) for e in ("koi8-r", "cp1251", "cp866")]
    ['koi8-r', 'cp1251', 'cp866']
    >>> _of_other_letters("μια καλή ταινία".encode("cp1253")), _of_other_letters(b"so")
    ('cp1253', None)
    """
    runs = _LARGE.findall(data[: 1 << 16])
    letters = b"".join(runs)
    in_words = sum(len(run) for run in runs if len(run) > _FEWEST_OF_WORD)
    if len(letters) < _FEWEST_LARGE or in_words * 2 < len(letters):
        return None

    def share(kinds: Iterable[int]) -> float:
        return sum(map(letters.count, kinds)) / len(letters)

    for encoding, first in (("cp866", 0xA0), ("koi8-r", 0xC0), ("iso-8859-5", 0xD0)):
        if share(range(first, first + 0x10)) > _MANY:
            return encoding
    return "cp1253" if share((0xE0, 0xE8, 0xEE)) < share((0xE1, 0xE9, 0xEF)) else "cp1251"


def _east_asian(data: bytes) -> str | None:
    """Return which encoding of Chinese, Japanese or Korean a text may have; None if none.

    In all of them a letter has two bytes, both large, and those of the West have letters of one.
    Of a few letters, Chinese and Korean cannot be told apart: Chinese is supposed.

    >>> _east_asian("浦东开发".encode("gbk")), _east_asian("日本のことば".encode("euc-jp"))
    ('gb18030', 'euc-jp')
    >>> _east_asian("한국어로 쓴 글".encode("euc-kr") * 5), _east_asian("Käse".encode("cp1252"))
    ('euc-kr', None)
    """
    runs = _LARGE.findall(data[: 1 << 16])
    letters = b"".join(runs)
    if len(letters) < _FEWEST_LARGE or any(len(run) % 2 for run in runs[:-1]):
        return None
    kinds = letters[::2]
    if sum(0xA4 <= kind <= 0xA5 for kind in kinds) >= 0.3 * len(kinds):
        encoding = "euc-jp"
    elif len(kinds) >= _TELLING and all(0xB0 <= kind <= 0xC8 for kind in kinds):
        encoding = "euc-kr"
    else:
        encoding = "gb18030"
    return encoding if _decodes(data, encoding) else None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _name_it(encoding: str) -> str:
    return f"name its encoding: --encoding {encoding}, in Python encoding={encoding!r}"


def encode(text: str, name: str) -> bytes:
    """Encode a text as UTF-8, locating the first character that is none.

    >>> encode("(S " + chr(0xD800), "<string>")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: <string>:1:4: '\\ud800' is half of a surrogate pair
      hint: correct the text it came from
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise UnreadableInputError(
            f"{text[error.start]!r} is half of a surrogate pair",
            where=f"{name}:{line}:{column}",
            hint="correct the text it came from",
        ) from None


def half_in_json(text: str) -> str | None:
    """Return half of a surrogate pair that JSON holds, and no text can; None if there is none.

    >>> half_in_json('["\\\\ud83d\\\\ude00"]'), half_in_json('["\\\\ud83d"]')
    (None, '\\ud83d')
    """
    if not _MAY_BE_HALF.search(text):
        return None
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return str(error.object[error.start])
    except (ValueError, RecursionError):
        pass  # it is no JSON, which is told where it is read
    return None


def read_text(path: PathLike, *, encoding: str = "utf-8") -> str:
    """Return the text of a file (see :func:`read_bytes` for ``.gz`` and ``-``).

    Raises
    ------
    UnreadableInputError
        If it cannot be read, or is not text in that encoding (line and column are given).
    """
    return decode(read_bytes(path), str(path), encoding)


_PIECE = 1 << 20


def text_pieces(path: PathLike, *, encoding: str = _UTF_8) -> Iterator[str]:
    """Yield the text of a file in pieces of whole lines.

    Of a file of UTF-8 no more than a piece is held; what is compressed, comes from standard input
    or has another encoding is one piece.

    Raises
    ------
    UnreadableInputError
        As :func:`read_text`.
    """
    is_plain = encoding == _UTF_8 == _OTHER.get() and str(path) != "-"
    if not is_plain or str(path).endswith(".gz"):
        yield read_text(path, encoding=encoding)
        return
    with at_hand(path) as file, reading(path), open(file, "rb") as source:
        first = source.read(_PIECE) + source.readline()
        if not is_utf8(first):
            yield read_text(path)
            return
        yield decode(first, str(path))
        while piece := source.read(_PIECE) + source.readline():
            try:
                text = piece.decode()
            except UnicodeDecodeError:
                text = read_text(path)  # which says in which line it is no text
            yield text


_MAY_BE_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_OF_SYSTEM = re.compile(r"\(os error (\d{1,6})\)")


@dataclass
class _Run:
    """What a run was given and what it made, so that it writes over nothing else."""

    force: bool
    given: list[str] = field(default_factory=list)
    made: set[str] = field(default_factory=set)


_RUN: ContextVar[_Run | None] = ContextVar("run", default=None)


@contextmanager
def nothing_overwritten(*, force: bool = False, given: Iterable[str] = ()) -> Iterator[None]:
    """Let no file that is written in this block take the place of one that was there.

    This holds for all that goes through :func:`atomic_output`. What is ``given``, and whatever
    :func:`read_bytes` reads in the block, is never written over; other files are with ``force``.
    """
    token = _RUN.set(_Run(force, list(given)))
    try:
        yield
    finally:
        _RUN.reset(token)


def check_free(path: PathLike) -> None:
    """Refuse a path that :func:`nothing_overwritten` keeps from being written; else do nothing.

    Raises
    ------
    OutputError
        If it is a file that was given, or one that is there and may not be replaced, or a store
        cannot be reached.
    """
    run = _RUN.get()
    if run is None:
        return
    place = place_of(path)
    with writing(path):
        if not place.exists() or not place.can_be_kept or place.identity in run.made:
            return
        if any(_leads_to(place, one) for one in run.given):
            raise OutputError(
                "the output is also an input", where=str(path), hint="write to another file"
            )
        if not run.force:
            raise _there(path)


def same_file(one: PathLike, other: PathLike) -> bool:
    """Say whether two paths lead to one file; False if one of them leads to none."""
    return _leads_to(place_of(one), other)


def _leads_to(place: Place, path: PathLike) -> bool:
    """Say whether a path leads to a place; a text that is no path, as of an option, does not."""
    try:
        return place.is_same(place_of(path))
    except OptionError:
        return False


def is_stream(path: PathLike) -> bool:
    """Say whether a path is a device or a pipe, such as ``/dev/stdout``."""
    return not place_of(path).can_be_kept


@contextmanager
def atomic_output(path: PathLike, *, renewed: bool = False) -> Iterator[Path]:
    """Give a temporary name to write to, and move it to ``path`` only when all went well.

    So a reader sees either the old content or the complete new one, whatever happens meanwhile. On
    this machine the temporary file lies in the folder of ``path``, and what a killed process left
    of an output to the same path is deleted; an object of a store is sent at the end. Devices and
    pipes (such as ``/dev/stdout``) cannot be replaced, so they get the complete content at the end.

    Parameters
    ----------
    path : path
        The file; one that is there is replaced, except in :func:`nothing_overwritten`.
    renewed : bool
        Whether it is a state that is read and written again, and may be replaced there, too.

    Raises
    ------
    OutputError
        If the folder does not exist or may not be written, the disk is full, or the file is there
        and may not be replaced.
    """
    place = place_of(path)
    with writing(path):
        if not renewed and not place.is_folder():
            check_free(path)
        with place.drafted(over=renewed or _may_replace(place)) as temporary:
            if (run := _RUN.get()) is not None:
                # what writes it may itself come this way
                run.made.add(place_of(temporary).identity)
            yield temporary
        _note_made(place)


def moved_output(made: Path, path: PathLike) -> None:
    """Give a complete file or folder the name that it was made for, as :func:`atomic_output` does.

    A folder takes the place of an older one as a whole.

    Raises
    ------
    OutputError
        If it cannot be moved, or something is there that may not be replaced.
    """
    if is_many(path):
        with outputs_together(path) as names:
            for name, one in sorted(place_of(made).files().items()):
                target = os.fsdecode(path).removesuffix(made.name) + name
                moved_output(Path(one.name), target)
                names.append(target)
        return
    place = place_of(path)
    with writing(path):
        if made.is_dir():
            check_free(path)
        place.receive(made, over=_may_replace(place))
        _note_made(place)


@contextmanager
def outputs_together(path: PathLike) -> Iterator[list[str]]:
    """Give a list for the names of the many files that are written under a name with a star.

    Each appears when it is complete. Files of an older output that are not among them are removed
    at the end; if the block raises, those that were written are.

    Raises
    ------
    OutputError
        If there are such files already, and they may not be replaced.
    """
    check_free(path)
    with writing(path):
        before = place_of(path).files()
    names: list[str] = []
    try:
        yield names
    except BaseException:
        for name in names:
            with suppress(OSError):
                place_of(name).remove()
        raise
    new = {place_of(name).identity for name in names}
    with writing(path):
        for old in before.values():
            if old.identity not in new:
                old.remove()


def _may_replace(place: Place) -> bool:
    run = _RUN.get()
    return run is None or run.force or place.identity in run.made


def _note_made(place: Place) -> None:
    if (run := _RUN.get()) is not None:
        run.made.add(place.identity)


@contextmanager
def writing(path: PathLike) -> Iterator[None]:
    """Say why a file cannot be written (raises OutputError)."""
    try:
        yield
    except TreewrightError:
        raise
    except TakenError:
        raise _there(path) from None
    except OSError as error:
        raise _unwritable(path, error) from None
    except Exception as error:
        # libraries in Rust, such as safetensors and tokenizers, have errors of their own for a disk
        found = _OF_SYSTEM.search(str(error))
        if found is None:
            raise
        number = int(found[1])
        raise _unwritable(path, OSError(number, os.strerror(number))) from None


def write_text(path: PathLike, text: str, *, renewed: bool = False) -> None:
    """Write UTF-8 text by :func:`atomic_output`, gzipped (reproducibly) if it ends in ``.gz``."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise OutputError(
            f"the character {text[error.start]!r} cannot be written as UTF-8",
            where=str(path),
            hint="it is half of a surrogate pair: correct the text it came from",
        ) from None
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with atomic_output(path, renewed=renewed) as temporary:
        temporary.write_bytes(data)


def check_here(path: PathLike) -> None:
    """Refuse a URL where files are made one by one, or changed (raises OutputError)."""
    if is_url(path):
        raise OutputError(
            "what is written here is added to, which no object store can do",
            where=os.fspath(path),
            hint="name a path of this machine, and copy it when all is done",
        )


def made_folder(path: PathLike) -> Path:
    """Return a folder that is there, made with the folders above it if need be.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    check_here(path)
    check_name(path)
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot make the folder: {error.strerror}",
            where=str(path),
            hint="choose a path where you may make one",
        ) from None
    return Path(path)


def _there(path: PathLike) -> OutputError:
    return OutputError(
        "the output exists", where=str(path), hint="use --force to replace it, or another name"
    )


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UnreadableInputError(
            "standard input is closed", where="-", hint="name a file, or pipe something in"
        )
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read standard input: {error.strerror}",
            where="-",
            hint="name a file, or pipe something in",
        ) from None


def _unwritable(path: PathLike, error: OSError) -> OutputError:
    usual = "choose a path in an existing folder that you may write to, on a disk with free space"
    return OutputError(
        f"cannot write the file: {error.strerror or error}",
        where=str(path),
        hint=getattr(error, "hint", usual),
    )
