"""What the verbs of linda read: texts, pairs of texts, shares."""

from __future__ import annotations

__all__ = ["pairs_of_file", "shares_of", "texts_of"]


def texts_of(path: str, column: str | None) -> list[str]:
    """Return the texts of a corpus, or the lines of a text file."""
    from grammar.files import read_text
    from sampling.pipeline.sources import read_source

    if column is None and (path == "-" or path.endswith(".txt")):
        return [line.strip() for line in read_text(path).splitlines()]
    corpus = read_source(path, {} if column is None else {"text": column})
    texts: list[str] = [text or "" for text in corpus.column("text")]
    return texts


def pairs_of_file(path: str) -> list[tuple[str, str]]:
    """Return pairs of texts, two a line with a tab between (CorpusError says which are not)."""
    from grammar.errors import CorpusError
    from grammar.files import read_text

    pairs = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        first, tab, second = line.partition("\t")
        if not (tab and first.strip() and second.strip()) or "\t" in second:
            raise CorpusError(
                "the line is not two texts with a tab between",
                where=f"{path}, line {number}",
                hint="write FIRST<tab>SECOND, and leave no line empty",
            )
        pairs.append((first.strip(), second.strip()))
    return pairs


def shares_of(text: str) -> list[float]:
    """Read shares of the first text, such as ``0.5`` or ``0.1,0.5,0.9``.

    >>> shares_of("0.25, 1")
    [0.25, 1.0]
    """
    from grammar.errors import OptionError

    try:
        shares = [float(part) for part in text.split(",")]
    except ValueError:
        shares = []
    if not shares or not all(0 <= share <= 1 for share in shares):
        raise OptionError(
            f"--alpha {text} is not shares of the first text", hint="for example 0.1,0.5,0.9"
        )
    return shares
