"""A corpus together with its new examples, as the papers train on it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError
from grammar.options import whole_number
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels, soften
from sampling.stream import Sampler

__all__ = ["augmented"]


def augmented(corpus: Corpus, sampler: Sampler, *, times: int, seed: int = 0) -> Corpus:
    """Return the originals ``times`` times over, and ``times`` as many new examples.

    Sub2 takes 20 times (section 4.1), TreeMix β = 2 or 5 (section 4.2); both replicate the
    originals, so that half of what a model sees is real. Copies have ids such as ``7#2``; hard
    labels become distributions where new ones are.

    Parameters
    ----------
    corpus : Corpus
        The originals.
    sampler : Sampler
        Induced from them.
    times : int
        1 or more.
    seed : int
        Of the new examples.

    Raises
    ------
    CorpusError
        If the corpus lacks a column of the new examples.

    Examples
    --------
    >>> from induction import Corpus
    >>> from sampling import AEDA
    >>> corpus = Corpus.from_columns(text=["we ran home", "they slept here"], label=[0, 1])
    >>> len(augmented(corpus, AEDA.induce(corpus), times=2))
    8
    """
    whole_number("times", times, 1)
    new = sampler.sample(times * len(corpus), seed=seed).table
    names = [name for name in new.column_names if name != "provenance"]
    for name in names:
        corpus.arrow(name)
    originals = corpus.table.select(names)
    if "label" in names and not originals.schema.field("label").type.equals(
        new.schema.field("label").type
    ):
        originals = originals.set_column(names.index("label"), "label", _soft(corpus, new))
    copies = [_copy(originals, k) for k in range(times)]
    return Corpus(pa.concat_tables([*copies, new], promote_options="default").combine_chunks())


def _soft(corpus: Corpus, new: pa.Table) -> pa.ListArray:
    width = pc.list_value_length(new.column("label").combine_chunks())
    classes = int(np.asarray(width)[0]) if len(width) else None
    if not pa.types.is_list(new.schema.field("label").type):
        raise CorpusError("the new examples have labels of another type than the corpus")
    return soften(read_labels(corpus, classes=classes))


def _copy(table: pa.Table, k: int) -> pa.Table:
    if k == 0:
        return table
    ids = pc.binary_join_element_wise(table.column("id"), f"#{k + 1}", "")
    return table.set_column(table.column_names.index("id"), "id", ids)
