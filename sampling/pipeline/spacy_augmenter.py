"""New examples while spaCy trains: ``[corpora.train.augmenter]`` of its configuration.

The grammar is induced once, from a file of examples with entities; spaCy then gets so many new ones
behind every example that it reads. It reads again in every epoch, and the stream goes on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from grammar.options import whole_number
from grammar.storage.permissions import files_say
from induction.corpus.corpus import Corpus
from induction.corpus.entities.spacy_docs import docs_of_corpus
from induction.corpus.formats import read_corpus
from sampling.expression import read_step
from sampling.method import find_method
from sampling.stream import Sampler

__all__ = ["spacy_augmenter"]

_AT_ONCE = 256


def spacy_augmenter(
    corpus: Any, method: str = "mention-replacement", times: int = 1, seed: int = 0
) -> Callable[[Any, Any], Iterator[Any]]:
    """Return an augmenter for spaCy, registered as ``treewright.augment.v1``.

    Parameters
    ----------
    corpus : path or Corpus
        What the method is induced from, with ``spans``: a ``.spacy``, ``.conll`` or other file.
    method : str
        With its options, as in ``sub2(task=spans)``; it must carry spans.
    times : int
        New examples behind every one that spaCy reads; when the method has no more, from the
        first one on.
    seed : int
        Of the stream.

    Returns
    -------
    callable
        Takes the pipeline and an ``Example``; yields that example and the new ones.

    Raises
    ------
    CorpusError
        If the file cannot be read or the method cannot use it.
    OptionError
        If there is no such method or option.
    NotAllowedError
        If an address stands in the configuration, and :func:`allowing` does not allow it.

    Examples
    --------
    >>> augmenter = spacy_augmenter("entities.conll", "mention-replacement")  # doctest: +SKIP
    """
    whole_number("times", times, 0)
    step = read_step(method)
    with files_say():  # all that is given stands in a file of settings
        given = read_corpus(corpus)
        given.arrow("spans")
        sampler = find_method(step.method).induce(given, **dict(step.options))
    rows = _for_ever(sampler, seed)

    def augment(nlp: Any, example: Any) -> Iterator[Any]:
        yield example
        for row in itertools.islice(rows, times):
            gold = docs_of_corpus(row, nlp.vocab)[0]
            yield type(example)(nlp.make_doc(gold.text), gold)

    return augment


def _for_ever(sampler: Sampler, seed: int) -> Iterator[Corpus]:
    """Yield the examples of a stream one by one, round after round."""
    while True:
        start, made = 0, sampler.sample(_AT_ONCE, seed=seed)
        while len(made):
            yield from (made[k : k + 1] for k in range(len(made)))
            start += len(made)
            if len(made) < _AT_ONCE:
                break
            made = sampler.sample(_AT_ONCE, seed=seed, start=start)
        if not start:
            return
