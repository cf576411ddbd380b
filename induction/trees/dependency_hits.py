"""Hits of requests written as CoNLL-U: the sentences as they stand in their file, hits as comments.

Sentences are read, searched and written block by block, so memory does not grow with files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from grammar.dependencies.hits import DependencyHits
from grammar.dependencies.searching import search_each
from grammar.dependencies.treebank import DependencyTreebank
from grammar.errors import OptionError
from grammar.files import PathLike, atomic_output
from induction.trees.dependency_files import (
    NEW_DOCUMENT,
    Documents,
    Reading,
    Sentence,
    SentenceBlock,
    is_conllu,
    no_sentences,
    sentence_blocks,
)

__all__ = ["WrittenHits", "write_hits"]


class WrittenHits(NamedTuple):
    """How many hits were written, in how many sentences, of how many that were searched."""

    hits: int
    sentences_with_hits: int
    sentences: int


def write_hits(
    source: PathLike,
    request: str,
    output: PathLike,
    *,
    encoding: str = "utf-8",
    steps: int | None = None,
) -> WrittenHits:
    r"""Search files of CoNLL-U, and write the sentences that have hits.

    A sentence is written as it stands, with ranges, empty nodes and enhanced dependencies. Each hit
    is a comment above its words, ``# hit = V:2,N:3``: the nodes of the pattern and the IDs of their
    words. Comments of documents are written again before the first sentence of each that has a hit.

    Parameters
    ----------
    source : str or path
        As for :func:`read_dependencies`.
    request : str
        As for :meth:`~grammar.DependencyTreebank.search`.
    output : str or path
        The file, which is called ``*.conllu``.
    encoding : str
        Of the files that are read, if they are not UTF-8.
    steps : int, optional
        Words that may be tried, as for the search.

    Returns
    -------
    WrittenHits
        Their numbers.

    Raises
    ------
    PatternError
        If the request does not follow the notation, or asks for too much.
    OptionError
        If the output is called otherwise.
    TreewrightError
        As :func:`read_dependencies`; if the output cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> place = tempfile.TemporaryDirectory()
    >>> file, found = pathlib.Path(place.name, "a.conllu"), pathlib.Path(place.name, "hits.conllu")
    >>> lines = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\thome\thome\tADV\t_\t_\t1\tadvmod\t_\t_\n"
    >>> _ = file.write_text("# sent_id = a\n" + lines)
    >>> write_hits(file, "pattern { V -[advmod]-> A }", found)
    WrittenHits(hits=1, sentences_with_hits=1, sentences=1)
    >>> found.read_text().splitlines()[:2]
    ['# sent_id = a', '# hit = V:1,A:2']
    >>> place.cleanup()

    Notes
    -----
    A block has 50,000 words; hits are those of the search of the whole.
    """
    if not is_conllu(str(output)) or str(output).endswith(".gz"):
        raise OptionError(
            "the output is CoNLL-U, which is not compressed",
            where=str(output),
            hint="name it *.conllu",
        )
    blocks = _Blocks(sentence_blocks(source, encoding))
    hits = sentences = 0
    with atomic_output(output) as temporary, open(temporary, "w", encoding="utf-8") as written:
        for found in search_each(blocks.treebanks(), request, steps=steps):
            hits, sentences = hits + len(found), sentences + len(found.found_in)
            for lines in blocks.written(found):
                written.write("\n".join([*lines, "", ""]))
        if not blocks.sentences:
            raise no_sentences(source)
    return WrittenHits(hits, sentences, blocks.sentences)


class _Blocks:
    """Blocks that are read one by one, and the lines of the one that was read last."""

    def __init__(self, blocks: Iterator[SentenceBlock]) -> None:
        self._blocks = blocks
        self._read, self._told = Documents(), Documents()
        self._written: tuple[int, dict[str, str]] | None = None
        self._block: SentenceBlock | None = None
        self.sentences = 0

    def treebanks(self) -> Iterator[DependencyTreebank]:
        """Yield the treebank of each block."""
        for block in self._blocks:
            self._block = block
            self.sentences += len(block.sentences)
            reading = Reading(self._read)
            reading.add(block)
            yield reading.treebank()

    def written(self, hits: DependencyHits) -> Iterator[list[str]]:
        """Yield the lines of the sentences of the block that have hits."""
        assert self._block is not None
        file, sentences = self._block
        comments: dict[int, list[str]] = {}
        words = [hits.word(name).tolist() for name in hits.named]
        for sentence, ids in zip(hits.sentence.tolist(), zip(*words, strict=True), strict=True):
            nodes = ",".join(f"{name}:{word}" for name, word in zip(hits.named, ids, strict=True))
            comments.setdefault(sentence, []).append(f"# hit = {nodes}")
        for number, sentence in enumerate(sentences):
            self._told.variables(file, sentence.comments)
            if number in comments:
                others = [line for line in sentence.lines if not line.startswith("#")]
                head = self._of_document(sentence)
                yield [*head, *sentence.comments, *comments[number], *others]

    def _of_document(self, sentence: Sentence) -> list[str]:
        """Return the comments of the document of a sentence that the output does not have yet."""
        number, lines = self._told.number, dict(self._told.lines)
        before = self._written
        self._written = number, lines
        known = before[1] if before is not None and before[0] == number else {}
        head = [
            line
            for name, line in lines.items()
            if known.get(name) != line and line not in sentence.comments
        ]
        if before is not None and before[0] != number and NEW_DOCUMENT not in lines:
            head.insert(0, f"# {NEW_DOCUMENT}")  # what was said of the one before does not hold
        return head
