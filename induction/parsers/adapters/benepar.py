"""The Berkeley Neural Parser, alone and as a part of a spaCy pipeline (Kitaev et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grammar.trees.tree import Tree
from induction.parsers.adapters.foreign import ForeignParser, imported, loading, version_of
from induction.parsers.protocol import MAX_WORDS, Given

__all__ = ["BeneparParser", "SpacyBeneparParser"]

_DOWNLOAD = "python -c \"import benepar; benepar.download('{}')\""


class BeneparParser(ForeignParser):
    """``benepar.Parser`` as a parser of text.

    Given tags stand in the trees, but the model does not look at them. benepar reads its models
    with pickle: name one whose maker you trust.

    Parameters
    ----------
    model : str
        Name of an installed model, or a path to one.
    batch_size : int
        Sentences that are handed over at once.
    max_words : int
        Longer sentences are refused.

    Raises
    ------
    MissingDataError
        If the package or the model is not installed.

    Examples
    --------
    >>> parser = BeneparParser("benepar_en3")  # doctest: +SKIP
    >>> print(parser.parse(["We slept."])[0])  # doctest: +SKIP
    (S (NP (PRP We)) (VP (VBD slept)) (. .))
    """

    name = "benepar"
    reads_tags = True

    def __init__(
        self, model: str = "benepar_en3", *, batch_size: int = 64, max_words: int = MAX_WORDS
    ) -> None:
        self._benepar = imported("benepar")
        with loading(model, _DOWNLOAD.format(model)):
            self._parser = self._benepar.Parser(model, batch_size=batch_size)
        super().__init__(f"{version_of('benepar')}-{model}", batch_size, max_words)

    def _parse_batch(self, batch: Sequence[Given]) -> list[Tree]:
        inputs = [
            self._benepar.InputSentence(
                words=list(given.surfaces),
                space_after=None if given.space_after is None else list(given.space_after),
                tags=None if given.tags is None else list(given.tags),
                escaped_words=list(given.words),
            )
            for given in batch
        ]
        return [Tree.from_nltk(tree) for tree in self._parser.parse_sents(inputs)]


class SpacyBeneparParser(ForeignParser):
    """A spaCy pipeline with the pipe ``benepar`` as a parser of text.

    Parameters
    ----------
    pipeline : str
        Name of an installed spaCy pipeline, or a path to one.
    model : str
        Name of an installed benepar model, or a path to one.
    batch_size : int
        Sentences that are handed over at once.
    max_words : int
        Longer sentences are refused.

    Raises
    ------
    MissingDataError
        If a package, the pipeline or the model is not installed.

    Examples
    --------
    >>> parser = SpacyBeneparParser("en_core_web_md")  # doctest: +SKIP
    >>> print(parser.parse(["We slept."])[0])  # doctest: +SKIP
    (S (NP (PRP We)) (VP (VBD slept)) (. .))
    """

    name = "spacy-benepar"

    def __init__(
        self,
        pipeline: str = "en_core_web_md",
        model: str = "benepar_en3",
        *,
        batch_size: int = 64,
        max_words: int = MAX_WORDS,
    ) -> None:
        spacy = imported("spacy")
        imported("benepar")  # makes its pipe known to spaCy
        with loading(pipeline, f"python -m spacy download {pipeline}"):
            self._pipeline = spacy.load(pipeline)
        with loading(model, _DOWNLOAD.format(model)):
            self._pipeline.add_pipe("benepar", config={"model": model})
        self._document = imported("spacy.tokens").Doc
        version = f"{version_of('spacy')}-{pipeline}-{version_of('benepar')}-{model}"
        super().__init__(version, batch_size, max_words)

    def _parse_batch(self, batch: Sequence[Given]) -> Iterator[Tree]:
        documents = [
            self._document(
                self._pipeline.vocab,
                words=list(given.surfaces),
                spaces=None if given.space_after is None else list(given.space_after),
                # so that the pipeline does not split the sentence
                sent_starts=[True] + [False] * (len(given.words) - 1),
            )
            for given in batch
        ]
        for document in self._pipeline.pipe(documents):
            (sentence,) = document.sents
            yield Tree.parse(sentence._.parse_string)
