"""Documents of spaCy: the ``.spacy`` files (DocBin) that it trains on, and values in memory.

Texts, tokens, tags (``tag_``), entities (``ents``) and classes (``cats`` with a share of a half or
more) come along, either way; of a document's other annotations nothing does.

References
----------
https://spacy.io/api/docbin
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError, MissingDataError, to_install
from grammar.storage.expanded_size import refuse_expanding_zlib
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.rows import Asked, Rows, Write, numbered_rows

__all__ = [
    "corpus_of_docs",
    "docs_of_corpus",
    "is_of_spacy",
    "read_docbin",
    "spacy_writer",
    "text_of",
]


_HALF = 0.5


def _library(name: str = "spacy") -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDataError(
            "documents of spaCy need the library spacy, which is not installed",
            hint=to_install("spacy"),
        ) from None


def corpus_of_docs(docs: Iterable[Any]) -> Corpus:
    """Return documents of spaCy as a corpus.

    Parameters
    ----------
    docs : iterable of spacy.tokens.Doc
        Read once; a single one is one, too. Empty ones are left out; ``tags`` are there if every
        token has a ``tag_``.

    Raises
    ------
    CorpusError
        If there are none.

    Examples
    --------
    >>> import spacy  # doctest: +SKIP
    >>> pipeline = spacy.load("en_core_web_md")  # doctest: +SKIP
    >>> corpus_of_docs([pipeline("Ann left.")]).column("spans")  # doctest: +SKIP
    [[{'start': 0, 'end': 3, 'label': 'PERSON'}]]
    """
    return Corpus.from_columns(**columns_of_docs(docs))


def is_of_spacy(value: Any) -> bool:
    """Say whether a value is a document of spaCy, a part of one, or an example to train on."""
    module = type(value).__module__
    return (module.startswith("spacy.tokens") and hasattr(value, "ents")) or (
        module.startswith("spacy.training") and hasattr(value, "reference")
    )


def text_of(value: Any) -> Any:
    """Return the text of a document of spaCy, or of a part of one; anything else as it is."""
    return value.text if is_of_spacy(value) and hasattr(value, "text") else value


def _document(value: Any) -> Any:
    """Return the document that a span or an example is."""
    if hasattr(value, "reference"):
        return value.reference
    return value.as_doc() if hasattr(value, "as_doc") else value


def columns_of_docs(docs: Iterable[Any], labels: Sequence[Any] = ()) -> dict[str, Any]:
    """Return the columns of a corpus of documents, spans or examples to train on.

    The classes are ``labels``, if there are any, else those of the documents (``cats``). Raises
    CorpusError if there are no documents with words.
    """
    docs = [docs] if is_of_spacy(docs) else docs
    columns: dict[str, list[Any]] = {"text": [], "tokens": [], "tags": [], "spans": []}
    classes: list[list[str]] = []
    given, kept = list(labels), []
    for number, doc in enumerate(map(_document, docs)):
        words = [token for token in doc if not token.is_space]
        if not words:
            continue
        columns["text"].append(doc.text)
        columns["tokens"].append([word.text for word in words])
        columns["tags"].append([word.tag_ for word in words])
        columns["spans"].append(
            [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents]
        )
        kept.append(number)
        classes.append([name for name, share in doc.cats.items() if share >= _HALF])
    if not columns["text"]:
        raise CorpusError("there are no documents with words", hint="give at least one")
    if not all(tag for row in columns["tags"] for tag in row):
        del columns["tags"]
    arrays = {name: pa.array(values, COLUMNS[name]) for name, values in columns.items()}
    if given:
        arrays["label"] = pa.array([given[number] for number in kept])
    elif all(len(names) == 1 for names in classes):
        arrays["label"] = pa.array([name for [name] in classes], pa.string())
    elif any(classes):
        arrays["labels"] = pa.array(classes, pa.list_(pa.string()))
    return arrays


def docs_of_corpus(corpus: Corpus, vocab: Any = None) -> list[Any]:
    """Return a corpus as documents of spaCy.

    Parameters
    ----------
    corpus : Corpus
        With ``spans``. Without ``tokens``, spaCy parts texts.
    vocab : spacy.vocab.Vocab, optional
        Of a pipeline, whose language then parts texts; by default an empty one.

    Raises
    ------
    CorpusError
        If there is no column ``spans``, a value is missing, a token does not stand in its text, or
        a span is not of whole tokens.
    MissingDataError
        If spaCy is not installed.

    Examples
    --------
    >>> from induction import Corpus
    >>> spans = [[{"start": 0, "end": 3, "label": "PER"}]]
    >>> corpus = Corpus.from_columns(text=["Ann left ."], spans=spans)
    >>> [doc] = docs_of_corpus(corpus)  # doctest: +SKIP
    >>> doc.ents  # doctest: +SKIP
    (Ann,)
    """
    spacy, tokens = _library(), _library("spacy.tokens")
    blank = spacy.blank("xx") if vocab is None else spacy.blank(vocab.lang, vocab=vocab)
    names = [name for name in ("tokens", "tags") if name in corpus.names]
    for name in ("text", *names, "spans"):
        corpus.complete(name)
    docs = []
    for number, row in enumerate(corpus):
        try:
            if "tokens" in names:
                given = _library("spacy.util").get_words_and_spaces(row["tokens"], row["text"])
                doc = tokens.Doc(blank.vocab, words=given[0], spaces=given[1])
            else:
                doc = blank.make_doc(row["text"])
            doc.set_ents([_entity(doc, span) for span in row["spans"]])
        except (CorpusError, ValueError) as error:
            what = error.what if isinstance(error, CorpusError) else "the tokens are not the text's"
            raise CorpusError(
                what, where=corpus.where(number), hint="give tokens of which spans consist"
            ) from None
        if names == ["tokens", "tags"]:
            words = [token for token in doc if not token.is_space]
            for token, tag in zip(words, row["tags"], strict=True):
                token.tag_ = tag
        docs.append(doc)
    for doc, cats in zip(docs, _cats(corpus), strict=False):
        doc.cats = cats
    return docs


def _cats(corpus: Corpus) -> Iterator[dict[str, float]]:
    """Yield the share of each class in each document; nothing if classes have no names."""
    name = next((name for name in ("label", "labels") if name in corpus.names), None)
    if name is None:
        return
    kind = corpus.table.schema.field(name).type
    if not pa.types.is_string(getattr(kind, "value_type", kind)):
        return
    held = [[value] if isinstance(value, str) else value or [] for value in corpus.column(name)]
    known = sorted({one for values in held for one in values})
    yield from ({one: float(one in values) for one in known} for values in held)


def _entity(doc: Any, span: dict[str, Any]) -> Any:
    found = doc.char_span(span["start"], span["end"], label=span["label"])
    if found is None:
        held = doc.text[span["start"] : span["end"]]
        raise CorpusError(f"the span {held!r} is not of whole tokens")
    return found


def read_docbin(data: Any, asked: Asked) -> Rows:
    """Read a ``.spacy`` file.

    Raises
    ------
    CorpusError
        If it is no such file, or has no documents.
    MissingDataError
        If spaCy is not installed.
    """
    spacy, tokens = _library(), _library("spacy.tokens")
    vocab = spacy.blank("xx").vocab
    held = data if isinstance(data, bytes) else data.read()
    refuse_expanding_zlib(held, asked.path)
    try:
        columns = columns_of_docs(tokens.DocBin().from_bytes(held).get_docs(vocab))
    except CorpusError as error:
        raise CorpusError(error.what, where=asked.path, hint=error.hint) from None
    except Exception as error:  # of zlib, msgpack and spaCy, which have no common class
        raise CorpusError(
            f"the file does not hold documents of spaCy: {error}",
            where=asked.path,
            hint="write it with DocBin.to_disk of spaCy 3",
        ) from None
    return Rows(pa.table(columns), numbered_rows(asked.path))


@contextmanager
def spacy_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write a ``.spacy`` file, from memory at the end (raises like :func:`docs_of_corpus`)."""
    Corpus(schema.empty_table()).arrow("spans")
    tables: list[pa.Table] = []
    yield tables.append
    made = itertools.chain.from_iterable(docs_of_corpus(Corpus(table)) for table in tables)
    path.write_bytes(_library("spacy.tokens").DocBin(docs=made).to_bytes())
