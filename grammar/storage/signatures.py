"""Files that are neither text nor a table of this project: how they begin, and what to do.

One table says of each kind its first bytes, the endings of its names, what it is, and a hint. A
file is told by its first bytes first: downloads and exports often have another name.

References
----------
https://www.garykessler.net/library/file_sigs.html, and the specifications of the formats.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

__all__ = ["LOOKED_AT", "OF_XML", "Signature", "signature_of", "signature_of_suffix"]

LOOKED_AT = 512
"""So many first bytes tell every kind."""


@dataclass(frozen=True)
class Signature:
    """A kind of file: what it is, what to do with it, how it begins, and how its names end."""

    what: str
    hint: str
    begins: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()
    at: int = 0
    """Where the mark stands."""
    is_read: bool = False
    """Whether a reader of this project reads it, so that only readers of text refuse it."""
    is_text: bool = False
    """Whether it is text, so that a person may ask for it as such."""

    def is_of(self, data: bytes) -> bool:
        """Say whether the first bytes of a file are of this kind."""
        part = data[self.at : self.at + LOOKED_AT]
        if self.is_text:
            part = part.removeprefix(codecs.BOM_UTF8).lstrip().lower()
        return part.startswith(self.begins) if self.begins else False


OF_XML = "write a row for each text as .csv or .jsonl, with columns such as text and label"
"""What to do with XML that is no treebank."""
_SHEET = "save the sheet as .csv"
_TEXTS = "save its texts as .csv or .txt"
_ROWS = "write the rows as .parquet where it was made"
_UNPACK = "unpack it first"
_FETCH = "read the texts, and not what was recorded or drawn of them"

SIGNATURES = (
    Signature(
        "a pointer of Git LFS, and not the file",
        "fetch the file: git lfs pull",
        (b"version https://git-lfs.github.com/spec/",),
    ),
    Signature(
        "a web page (HTML), and no corpus",
        "fetch the file itself; or say what the page is: --format text",
        (b"<!doctype html", b"<html"),
        is_text=True,
    ),
    Signature(
        "a document in SGML",
        OF_XML,
        suffixes=(".sgm", ".sgml"),
        is_text=True,
    ),
    Signature("a workbook", _SHEET, suffixes=(".xlsx", ".xlsm", ".xls", ".ods", ".numbers")),
    Signature("a document", _TEXTS, suffixes=(".docx", ".doc", ".odt", ".rtf", ".epub")),
    Signature("a PDF", "save its text as .txt", (b"%PDF-",), (".pdf",)),
    Signature(
        "a ZIP archive, as documents of Word and workbooks of Excel are",
        "unpack it, or save its texts as .csv or .txt",
        (b"PK\x03\x04", b"PK\x05\x06"),
    ),
    Signature(
        "a document or workbook of an older Office",
        _TEXTS,
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
    ),
    Signature("a document in rich text (RTF)", "save its text as .txt", (b"{\\rtf1",)),
    Signature(
        "compressed by gzip under another name",
        "end its name in .gz, as .csv.gz",
        (b"\x1f\x8b\x08",),
    ),
    Signature("compressed by bzip2", _UNPACK, (b"BZh91AY&SY",), (".bz2",)),
    Signature("compressed by xz", _UNPACK, (b"\xfd7zXZ\0",), (".xz",)),
    Signature("compressed by Zstandard", _UNPACK, (b"\x28\xb5\x2f\xfd",), (".zst",)),
    Signature("an archive of 7-Zip", _UNPACK, (b"7z\xbc\xaf\x27\x1c",), (".7z",)),
    Signature("an archive of RAR", _UNPACK, (b"Rar!\x1a\x07",), (".rar",)),
    Signature("an archive of tar", _UNPACK, (b"ustar",), (".tar", ".tgz"), at=257),
    Signature("an archive", _UNPACK, suffixes=(".zip",)),
    Signature(
        "a memory of translations (XML)",
        "write a row for each pair as .tsv or .jsonl, with the columns text and target",
        suffixes=(".tmx", ".xlf", ".xliff"),
    ),
    Signature(
        "a pickle, which runs code when it is read",
        _ROWS,
        tuple(bytes((0x80, version)) for version in range(2, 6)),
        (".pkl", ".pickle", ".pt", ".joblib"),
    ),
    Signature(
        "an array of NumPy", "write the texts as .jsonl or .csv", (b"\x93NUMPY",), (".npy", ".npz")
    ),
    Signature("HDF5", _ROWS, (b"\x89HDF\r\n\x1a\n",), (".h5", ".hdf5", ".hdf")),
    Signature(
        "a database of SQLite",
        "export the table as .csv",
        (b"SQLite format 3\0",),
        (".db", ".sqlite", ".sqlite3"),
    ),
    Signature(
        "data of Stata", "export them as .csv", (b"<stata_dta>",), (".dta",)
    ),
    Signature("data of SPSS", "export them as .csv", (b"$FL2@(#)", b"$FL3@(#)"), (".sav", ".zsav")),
    Signature("data of R", "write them as .csv: write.csv(data, 'data.csv')",
              (b"RDX2\n", b"RDX3\n"), (".rdata", ".rda", ".rds")),
    Signature("Avro", _ROWS, (b"Obj\x01",), (".avro",)),
    Signature("a file of Feather, version 1", _ROWS, (b"FEA1\0",)),
    Signature("records of TensorFlow", _ROWS, suffixes=(".tfrecord", ".tfrecords")),
    Signature("ARFF", "save the table as .csv", (b"@relation ",), (".arff",), is_text=True),
    Signature(
        "a model of fastText",
        "read the texts that it was trained on",
        (b"\xba\x16\x4f\x2f",),
    ),
    Signature("a picture (PNG)", _FETCH, (b"\x89PNG\r\n\x1a\n",), (".png",)),
    Signature("a picture (JPEG)", _FETCH, (b"\xff\xd8\xff",), (".jpg", ".jpeg")),
    Signature("a picture", _FETCH, suffixes=(".gif", ".webp", ".bmp")),
    Signature("a picture (TIFF)", _FETCH, (b"II*\0", b"MM\0*"), (".tif", ".tiff")),
    Signature("sound or a film", _FETCH, (b"OggS\0", b"fLaC\0"),
              (".wav", ".mp3", ".ogg", ".flac", ".mp4", ".avi")),
    Signature("a program (ELF)", "name the file of texts", (b"\x7fELF",)),
    Signature("a program of Windows", "name the file of texts", (b"MZ\x90\0",), (".exe",)),
    Signature(
        "WebAnno TSV",
        "export it as CoNLL 2002 or CoNLL-U from INCEpTION, or say that lines are texts: --format "
        "text",
        (b"#format=webanno",),
        is_text=True,
    ),
    Signature(
        "a file of graphs of semantic dependencies (SDP)",
        "read the texts, or the trees of dependencies (.conllu) of the same sentences",
        (b"#sdp 20",),
        (".sdp",),
        is_text=True,
    ),
    Signature(
        "a TextGrid of Praat",
        "write its texts a line, as .txt",
        (b'file type = "ootextfile"',),
        (".textgrid",),
        is_text=True,
    ),
    Signature(
        "a table in Parquet under another name",
        "end its name in .parquet, or say so: --format parquet",
        (b"PAR1\x15",),
        is_read=True,
    ),
    Signature(
        "a table of Arrow under another name",
        "end its name in .arrow, or say so: --format arrow",
        (b"ARROW1\0\0",),
        is_read=True,
    ),
    Signature(
        "a program, and no corpus",
        "write the rows that are in it as .jsonl: {\"text\": ..., \"label\": ...} a line",
        suffixes=(".py", ".ipynb", ".r", ".js"),
        is_text=True,
    ),
    Signature(
        "a file of settings, or a catalogue of translations (gettext)",
        OF_XML,
        suffixes=(".toml", ".ini", ".properties", ".po"),
        is_text=True,
    ),
    Signature(
        "a page",
        "write rows as .jsonl or .csv; of Rasa, give the file with headings '## intent:NAME'",
        suffixes=(".md",),
        is_text=True,
    ),
)  # fmt: skip
"""What is told by its first bytes, or by its name."""


def signature_of(data: bytes, *, text: bool = True) -> Signature | None:
    r"""Return which kind of file begins so, if it is none that is read.

    Parameters
    ----------
    data : bytes
        The beginning of a file, :data:`LOOKED_AT` bytes or more.
    text : bool
        Whether it is read as text; tables in Parquet and Arrow are refused then, too.

    Examples
    --------
    >>> signature_of(b"%PDF-1.7\n").what, signature_of(b"text,label\n")
    ('a PDF', None)
    >>> signature_of(b"PAR1\x15", text=False), signature_of(b"<html>").is_text
    (None, True)
    """
    found = (one for one in SIGNATURES if one.is_of(data))
    return next((one for one in found if text or not one.is_read), None)


def signature_of_suffix(suffix: str) -> Signature | None:
    """Return which kind of file has names that end so, if it is none that is read.

    >>> signature_of_suffix(".XLSX").hint, signature_of_suffix(".csv")
    ('save the sheet as .csv', None)
    """
    return next((one for one in SIGNATURES if suffix.lower() in one.suffixes), None)
