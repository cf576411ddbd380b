"""Files with a token a line and its tag of a span in the last column, as CoNLL's shared tasks have.

Two to four columns with tabs or spaces between: the token; a part of speech, if there are three;
that and a tag of its chunk, which is not kept, if there are four; the tag of its span. Sentences
end with a blank line. ``-DOCSTART-`` begins a document and is passed over, as are comments: lines
that begin with ``#`` and are not of as many columns. Texts are made of the tokens, with single
spaces. A first column that counts the words of each sentence is left out, and so are spans within
spans (a second column of their tags); two columns may also be the tag and the token. It is told.
Wider tables are of dependencies (:mod:`induction.corpus.entities.dependency_tables`).

References
----------
Tjong Kim Sang & De Meulder 2003, Introduction to the CoNLL-2003 Shared Task.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.conllu import parse_conllu
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.entities.columns import spans_of_words, tags_of_spans, word_places
from induction.corpus.entities.dependency_tables import holds_dependencies, in_ten_columns
from induction.corpus.entities.ontonotes import holds_ontonotes, rows_of_ontonotes
from induction.corpus.entities.schemes import (
    OUTSIDE,
    are_word_tags,
    in_scheme,
    is_scheme,
    words_of_tags,
)
from induction.corpus.rows import Asked, Rows, Write, Writer

__all__ = ["conll_writer", "is_conll", "read_conll"]

_WIDTHS = (2, 3, 4)
_CHUNKED = "-X-"
_OF_SPAN = re.compile(r"[BILUESM]-|[BILUESM]_")
_TOKEN_NAMES = frozenset({"text", "token", "tokens", "word", "words", "form"})
_TAG_NAMES = frozenset(
    {"ner", "ner_tag", "ner_tags", "ne", "tag", "tags", "label", "labels", "entity", "bio", "iob"}
)
_BY_CHANCE = 3
"""So few words may be numbers that count."""
_NUMBER = re.compile(r"\d{1,9}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*:")
_BEGINNING, _LOOKED_AT = 1 << 18, 1_000
_DOCUMENT, _NOTHING = "-DOCSTART-", ("_", "-X-", "O")


@dataclass
class _Sentence:
    """The columns of the lines of a sentence, and the line where it begins."""

    line: int
    rows: list[list[str]] = field(default_factory=list)


def read_conll(data: bytes, asked: Asked) -> Rows:
    """Read tokens and their tags; BIO, IOB, BILOU and BIOES are told apart by what they say.

    Returns
    -------
    Rows
        ``text``, ``tokens``, ``spans``, and ``tags`` where there are parts of speech. Ids are the
        numbers of sentences, from 0.

    Raises
    ------
    CorpusError
        If there are no sentences, a line has another number of columns than the first, a token is
        empty, or a tag is of no scheme. File and line are given.
    """
    text = data.decode("utf-8-sig")
    if (table := in_ten_columns(text, asked.path)) is not None:
        return parse_conllu(table.encode(), asked)
    if (rows := rows_of_ontonotes(text, asked.path)) is not None:
        return rows
    _refuse_whole_sentences(text, asked.path)
    sentences = _sentences(text, asked.path)
    if not sentences:
        raise CorpusError(
            "the file has no tokens", where=asked.path, hint="give a token and its tag a line"
        )
    _leave_out_names(sentences, asked.path)
    _leave_out_annotators(sentences, asked.path)
    _leave_out_lemmas(sentences, asked.path)
    _leave_out_numbers(sentences, asked.path)
    _leave_out_inner(sentences, asked.path)
    _put_tags_last(sentences, asked.path)
    _leave_out_language(sentences, asked.path)
    tokens = [[row[0] for row in sentence.rows] for sentence in sentences]
    columns: dict[str, Sequence[object]] = {"text": [" ".join(row) for row in tokens]}
    columns["tokens"] = tokens
    width = len(sentences[0].rows[0])
    tags = [[row[1] for row in sentence.rows] for sentence in sentences]
    if width == _WIDTHS[0] and _are_parts_of_speech({tag for row in tags for tag in row}):
        tell(f"{asked.path}: the second column says nothing of spans: it is read as tags of words")
        columns["tags"] = tags
    else:
        columns["spans"] = _spans(sentences, asked.path)
    if width > _WIDTHS[0] and any(tag not in _NOTHING for row in tags for tag in row):
        columns["tags"] = tags
    if width == _WIDTHS[-1]:
        tell(f"{asked.path}: chunks (the third column) are not kept")
    table = pa.table({name: pa.array(rows, COLUMNS[name]) for name, rows in columns.items()})
    return Rows(table, lambda row: f"{asked.path}:{sentences[row].line}")


def _refuse_whole_sentences(text: str, path: str) -> None:
    """Refuse lines that are a sentence, a tab, and the tags of all its words, as ATIS has them."""
    lines = [line for line in text.split("\n")[:_LOOKED_AT] if line.strip()]
    halves = [line.split("\t") for line in lines]
    if lines and all(
        len(half) == 2 and len(half[0].split()) == len(half[1].split()) > 1 for half in halves
    ):
        raise CorpusError(
            "a line holds a whole sentence and the tags of its words",
            where=f"{path}:1",
            hint="write a token and its tag a line, with a tab between, and a blank line behind "
            "each sentence",
        )


def _spans(sentences: Sequence[_Sentence], path: str) -> list[object]:
    spans: list[object] = []
    written, told = in_scheme({row[-1] for sentence in sentences for row in sentence.rows})
    if written:
        tell(f"{path}: {told}")
        for sentence in sentences:
            sentence.rows = [[*row[:-1], written[row[-1]]] for row in sentence.rows]
    for sentence in sentences:
        words = [row[0] for row in sentence.rows]
        places = word_places(" ".join(words), words)
        spans.append(spans_of_words(places, _intervals(sentence, path)))
    return spans


def _are_parts_of_speech(tags: set[str]) -> bool:
    """Say whether tags are of words: none is of a span, and none says that a word is in none.

    A span that is written in small letters, as ``b-per`` beside ``o``, is one, too.

    >>> _are_parts_of_speech({"DT", "NN"}), _are_parts_of_speech({"LOC", "O"})
    (True, False)
    """
    return are_word_tags(tags) or (
        OUTSIDE not in tags
        and not (OUTSIDE.lower() in tags and any(_OF_SPAN.match(tag.upper()) for tag in tags))
        and not any(map(_OF_SPAN.match, tags))
        and any(tag.isalpha() for tag in tags)
    )


def _leave_out_names(sentences: list[_Sentence], path: str) -> None:
    """Leave out a first line that names the columns; it is told."""
    first = sentences[0]
    if len(first.rows) > 1 and _are_names(first.rows[0]):
        tell(f"{path}: the first line names its columns, and is left out")
        first.rows, first.line = first.rows[1:], first.line + 1


def _are_names(row: Sequence[str]) -> bool:
    """Say whether a row has names of columns of tokens and of tags.

    >>> _are_names(["text", "ner"]), _are_names(["text", "O"])
    (True, False)
    """
    first, last = (row[at].casefold() for at in (0, -1))
    return first in _TOKEN_NAMES and last in _TAG_NAMES


def _leave_out_numbers(sentences: list[_Sentence], path: str) -> None:
    """Leave out a first column that counts the words of each sentence, from 0 or from 1."""
    width = len(sentences[0].rows[0])
    first = sentences[0].rows[0][0]
    counted = first in ("0", "1") and all(
        row[0] == str(number)
        for sentence in sentences
        for number, row in enumerate(sentence.rows, int(first))
    )
    _refuse_numbers_of_sentences(sentences, path)
    counted = counted and any(len(sentence.rows) > 1 for sentence in sentences)
    if counted and width > _WIDTHS[0]:
        for sentence in sentences:
            sentence.rows = [row[1:] for row in sentence.rows]
        tell(f"{path}: the first column counts the words of each sentence, and is left out")
    elif width > _WIDTHS[-1] or (counted and sum(len(s.rows) for s in sentences) > _BY_CHANCE):
        raise CorpusError(
            f"the line has {width} columns, "
            + ("of which the first counts words" if counted else f"not 2 to {_WIDTHS[-1]}"),
            where=f"{path}:{sentences[0].line}",
            hint="give a token and its tag, with a tab between; a blank line ends a sentence",
        )


def _refuse_numbers_of_sentences(sentences: list[_Sentence], path: str) -> None:
    """Refuse a first column that numbers sentences: 1, 1, 1, 2, 2, ..."""
    rows = [row for sentence in sentences for row in sentence.rows]
    first = [row[0] for row in rows]
    steps = itertools.pairwise(int(cell) for cell in first if _NUMBER.fullmatch(cell))
    if (
        len(rows[0]) > _WIDTHS[0]
        and all(map(_NUMBER.fullmatch, first))
        and first[0] in ("0", "1")
        and len({*first}) <= len(first) // 2
        and all(0 <= after - before <= 1 for before, after in steps)
    ):
        raise CorpusError(
            "the first column numbers the sentences",
            where=f"{path}:{sentences[0].line}",
            hint="leave it out, and put an empty line behind each sentence",
        )


def _leave_out_annotators(sentences: list[_Sentence], path: str) -> None:
    """Leave out the two columns behind the tags that Universal NER has; it is told."""
    if _have_annotators([row for sentence in sentences for row in sentence.rows]):
        for sentence in sentences:
            sentence.rows = [row[:-2] for row in sentence.rows]
        tell(f"{path}: what stands behind the tags (annotators) is not kept")


def _have_annotators(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether rows are a number, a token, its tag, that of a second annotator, and a name.

    >>> _have_annotators([["1", "Ann", "B-PER", "-", "x"]]), _have_annotators([["Ann", "B-PER"]])
    (True, False)
    """
    return (
        len(rows[0]) == _WIDTHS[-1] + 1
        and rows[0][0] in ("0", "1")
        and all(map(_NUMBER.fullmatch, (row[0] for row in rows)))
        and is_scheme({row[2] for row in rows})
        and not is_scheme({row[-1] for row in rows})
    )


def _leave_out_lemmas(sentences: list[_Sentence], path: str) -> None:
    """Leave out lemmas behind the tokens of five columns, as CoNLL-2003 has them in German."""
    rows = [row for sentence in sentences for row in sentence.rows]
    if len(rows[0]) != _WIDTHS[-1] + 1 or not _are_chunks({row[-2] for row in rows}):
        return
    if is_scheme({row[-1] for row in rows} - {_CHUNKED}):
        for row in rows:
            del row[1]
        tell(f"{path}: lemmas (the second column) are not kept")


def _leave_out_language(sentences: list[_Sentence], path: str) -> None:
    """Leave out the code of a language before all tokens, as WikiANN has it; it is told."""
    rows = [row for sentence in sentences for row in sentence.rows]
    found = _LANGUAGE.match(rows[0][0])
    if found is None or len(rows) < _BY_CHANCE:
        return
    if all(row[0].startswith(found[0]) and row[0] != found[0] for row in rows):
        for row in rows:
            row[0] = row[0].removeprefix(found[0])
        tell(f"{path}: all tokens begin with {found[0]!r}, a language, which is left out")


def _put_tags_last(sentences: list[_Sentence], path: str) -> None:
    """Exchange the two columns, if tags stand before the words, as MIT's sets have them."""
    rows = [row for sentence in sentences for row in sentence.rows]
    if len(rows[0]) == _WIDTHS[0] and _tags_come_first(rows):
        for sentence in sentences:
            sentence.rows = [row[::-1] for row in sentence.rows]
        tell(f"{path}: tags stand in the first column, and tokens in the second")


def _tags_come_first(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first column holds tags of spans, and the last none.

    >>> _tags_come_first([["O", "in"], ["B-LOC", "O"]]), _tags_come_first([["B-52", "O"]])
    (True, False)
    """
    first, last = ({row[at] for row in rows} for at in (0, -1))
    return is_scheme(first) and not is_scheme(last) and last != {OUTSIDE}


def _leave_out_inner(sentences: list[_Sentence], path: str) -> None:
    """Leave out tags of spans within spans, which stand behind those of the outer ones."""
    if len(sentences[0].rows[0]) <= _WIDTHS[0]:
        return
    last_but_one = {row[-2] for sentence in sentences for row in sentence.rows}
    if is_scheme(last_but_one - {_CHUNKED}) and not _are_chunks(last_but_one):
        for sentence in sentences:
            sentence.rows = [row[:-1] for row in sentence.rows]
        tell(f"{path}: spans within spans (the last column) are not kept")


def _are_chunks(tags: set[str]) -> bool:
    """Say whether tags are of phrases, as the third column of CoNLL's shared task has them."""
    return bool({tag.partition("-")[2] for tag in tags} & {"NP", "VP", "PP", "NC", "PC"})


def is_conll(data: bytes) -> bool:
    r"""Say whether a file holds tokens and their tags of spans, or heads, a line each, for sure.

    >>> is_conll(b"EU\tB-ORG\nrejects\tO\n"), is_conll(b"text\tlabel\nA film.\tpos\n")
    (True, False)
    """
    lines = data[:_BEGINNING].decode("utf-8-sig", errors="replace").split("\n")[:_LOOKED_AT]
    if holds_dependencies(lines) or holds_ontonotes(lines):
        return True
    rows = [_fields(line) for line in lines if not line.startswith("#")]
    rows = [row for row in rows if row and row[0] != _DOCUMENT]
    rows = rows[1:] if rows and _are_names(rows[0]) else rows
    if not rows or len({len(row) for row in rows}) > 1 or not 1 < len(rows[0]) <= _WIDTHS[-1] + 1:
        return False
    last, before = ({row[at] for row in rows} for at in (-1, -2))
    if len(rows) < 2:
        return False
    tagged = is_scheme(last) or (last == {OUTSIDE} and is_scheme(before))
    if len(rows[0]) == _WIDTHS[0] and any(map(_is_blank, lines)):
        often = Counter(row[-1] for row in rows).most_common(1)[0][0]
        if are_word_tags(last) or (often == OUTSIDE and len(last) > 1):
            return True
    first = len(rows[0]) == _WIDTHS[0] and _tags_come_first(rows)
    return tagged or first or _have_annotators(rows)


def _is_blank(line: str) -> bool:
    return not line.strip()


def _intervals(sentence: _Sentence, path: str) -> list[tuple[int, int, str]]:
    tags = [row[-1] for row in sentence.rows]
    try:
        return words_of_tags(tags)
    except CorpusError as error:
        for number, tag in enumerate(tags):
            try:
                words_of_tags([tag])
            except CorpusError:
                where = f"{path}:{sentence.line + number}"
                raise CorpusError(error.what, where=where, hint=error.hint) from None
        raise


def _sentences(text: str, path: str) -> list[_Sentence]:
    found: list[_Sentence] = []
    lines = text.split("\n")
    is_comment = _comments(lines)
    inside, width = False, 0
    for number, line in enumerate(lines, start=1):
        fields = _fields(line)
        if not fields or fields[0] == _DOCUMENT or (not inside and is_comment(line, fields)):
            inside = False
            continue
        width = width or len(fields)
        if len(fields) != width or not 1 < width <= _WIDTHS[-1] + 1:
            wanted = width if 1 < width <= _WIDTHS[-1] + 1 else f"2 to {_WIDTHS[-1]}"
            raise CorpusError(
                f"the line has {len(fields)} columns, not {wanted}",
                where=f"{path}:{number}",
                hint="give a token and its tag, with a tab between; a blank line ends a sentence",
            )
        if not all(map(str.strip, fields)):
            raise CorpusError(
                "a column of the line is empty", where=f"{path}:{number}", hint="fill it in"
            )
        if not inside:
            found.append(_Sentence(number))
            inside = True
        found[-1].rows.append(fields)
    return found


def _comments(lines: Sequence[str]) -> Callable[[str, Sequence[str]], bool]:
    """Return what says whether a line before a sentence is a comment: it is unlike all others.

    It has other columns, no tab, or at its end no tag where all others have one of a span.
    """
    plain = [_fields(line) for line in lines if line.strip() and not line.startswith("#")]
    plain = [fields for fields in plain if fields[0] != _DOCUMENT]
    width = len(plain[0]) if plain else _WIDTHS[0]
    parted = all("\t" in line for line in lines if line.strip() and not line.startswith(("#", "-")))
    tagged = is_scheme({fields[-1] for fields in plain})

    def is_comment(line: str, fields: Sequence[str]) -> bool:
        return line.startswith("#") and (
            len(fields) != width
            or (parted and "\t" not in line)
            or (tagged and not is_scheme({fields[-1], "B-A"}))
        )

    return is_comment


def _fields(line: str) -> list[str]:
    line = line.rstrip("\r")
    if not line.strip():
        return []
    return line.split("\t") if "\t" in line else line.split()


@contextmanager
def _writer(scheme: str, path: Path, schema: pa.Schema) -> Iterator[Write]:
    Corpus(schema.empty_table()).arrow("spans")
    with open(path, "w", encoding="utf-8", newline="") as out:
        yield lambda table: out.writelines(_lines(Corpus(table), scheme))


def conll_writer(scheme: str) -> Writer:
    """Return what writes tokens and their tags in a scheme, with ``tags`` between.

    Raises, when it writes, CorpusError if a span is not of whole words, or a token or tag would not
    be read back.
    """
    return functools.partial(_writer, scheme)


def _lines(corpus: Corpus, scheme: str) -> Iterator[str]:
    spans = tags_of_spans(corpus, scheme)
    texts = corpus.column("text")
    tokens = corpus.column("tokens") if "tokens" in corpus.names else [None] * len(texts)
    between = [corpus.column("tags")] if {"tokens", "tags"} <= set(corpus.names) else []
    for row, (text, given, tags) in enumerate(zip(texts, tokens, spans, strict=True)):
        words = given if given is not None else [text[a:b] for a, b in word_places(text)]
        columns = [words, *(column[row] for column in between), tags]
        for fields in zip(*columns, strict=True):
            if any(field.split() != [field] for field in fields) or fields[0] == _DOCUMENT:
                raise CorpusError(
                    f"the line {' '.join(fields)!r} would not be read back",
                    where=corpus.where(row),
                    hint="tokens and tags must not be empty or hold white space",
                )
            yield "\t".join(fields) + "\n"
        yield "\n"
