"""A folder of folders of texts: each is a class, as scikit-learn's ``load_files`` takes them."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.files import other_encoding, read_text
from grammar.messages import tell
from grammar.storage.inside import check_links
from grammar.storage.location import is_url
from induction.corpus.inputs.brat import ANNOTATIONS, rows_of_brat
from induction.corpus.rows import Asked, Rows

__all__ = ["rows_of_class_folders"]

_FEWEST = 2
_OF_SYSTEMS = {"thumbs.db", "desktop.ini"}
"""What Windows leaves in folders."""
_WITHOUT_CLASS = {"unsup", "unlabeled", "unlabelled"}
"""Folders of texts without a class; the first is that of IMDB."""
_OF_OTHERS = {
    ".in": ("texts and their tags in files of their own (seq.in, seq.out)",
            "write a token and its tag a line, and name it .conll"),
}  # fmt: skip


def rows_of_class_folders(asked: Asked) -> Rows | None:
    """Return the texts of a folder whose folders are classes; None of another folder.

    Which classes there are is told. A folder with files of brat's annotations is read as such.

    Raises
    ------
    CorpusError
        If the folder is of another tool, or its folders hold such folders.
    SchemaError
        If a file is a symbolic link out of the folder.
    UnreadableInputError
        If a file cannot be read, or is not UTF-8.
    """
    if is_url(asked.path):
        return None
    root = Path(asked.path)
    if annotations := sorted(root.glob(f"*{ANNOTATIONS}")):
        return rows_of_brat(annotations, asked)
    _refuse_others(root)
    annotated = next(root.glob(f"*/*{ANNOTATIONS}"), None)
    if annotated is not None:
        raise CorpusError(
            "its folders hold texts with annotations of brat",
            where=asked.path,
            hint=f"name one of them, such as {annotated.parent}",
        )
    folders = [path for path in sorted(root.iterdir()) if path.is_dir() and _is_seen(path)]
    without = [path for path in folders if path.name.casefold() in _WITHOUT_CLASS]
    folders = [path for path in folders if path not in without]
    classes = {folder.name: _texts(folder) for folder in folders}
    if len(classes) < _FEWEST or not all(classes.values()):
        inner = [folder for folder in folders if len([*filter(Path.is_dir, folder.iterdir())]) > 1]
        if inner:
            raise CorpusError(
                "there are folders within its folders",
                where=asked.path,
                hint=f"name the one whose folders are classes, such as {inner[0]}",
            )
        _refuse_mixed(folders, classes, asked.path)
        return None
    for folder in without:
        tell(f"{folder} holds texts without a class, and is left out: --unlabelled of classify")
    tell(f"each folder in {asked.path} is a class, and each file a text: {', '.join(classes)}")
    files = [(name, file) for name, texts in classes.items() for file in texts]
    texts = []
    with other_encoding(asked.encoding):
        for _, file in files:
            check_links(asked.path, str(file), str(file))
            texts.append(read_text(file))
    table = pa.table({"text": texts, "label": [name for name, _ in files]})
    return Rows(table, lambda row: os.fspath(files[row][1]))


def _is_seen(path: Path) -> bool:
    return not path.name.startswith((".", "_")) and path.name.casefold() not in _OF_SYSTEMS


def _texts(folder: Path) -> list[Path]:
    """Return the files of a folder, if all are texts by their names; else none."""
    files = [path for path in sorted(folder.iterdir()) if _is_seen(path)]
    return files if all(map(_is_text, files)) else []


def _is_text(path: Path) -> bool:
    return path.is_file() and (path.suffix in ("", ".txt") or path.suffix[1:].isdigit())


def _refuse_mixed(folders: list[Path], classes: dict[str, list[Path]], path: str) -> None:
    """Refuse folders of which some hold texts, and others what is none by its name."""
    if len(folders) < _FEWEST or not any(classes.values()):
        return
    odd = next(folder for folder in folders if not classes[folder.name])
    files = [file for file in sorted(odd.iterdir()) if _is_seen(file)]
    strange = next((file for file in files if file.is_dir() or not _is_text(file)), None)
    what = f"holds {strange.name!r}, which is no text by its name" if strange else "is empty"
    raise CorpusError(
        f"its folders seem to be classes, and {odd.name!r} {what}",
        where=path,
        hint="leave texts alone in each, as .txt, and remove folders that are no classes",
    )


def _refuse_others(root: Path) -> None:
    for path in sorted(root.iterdir()):
        if path.suffix in _OF_OTHERS:
            what, hint = _OF_OTHERS[path.suffix]
            raise CorpusError(f"the folder holds {what}", where=os.fspath(root), hint=hint)
