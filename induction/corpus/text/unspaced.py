"""Texts that are written without spaces between words, as Chinese, Japanese and Thai are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray
from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.corpus import Corpus

__all__ = ["are_unspaced", "refuse_unspaced"]

_SCRIPTS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_SIGNS = rf"[{_SCRIPTS}]"
_RUNS = rf"[{_SCRIPTS}][{_SCRIPTS}\pP\pN]*"
"""Where people write spaces they write them beside a comma, too."""
_LETTERS = r"\pL"
_WORD = 6
"""So many signs of these scripts in a row are more than one word, on the average of a text."""
_TOKENISERS = "jieba (Chinese), fugashi (Japanese) or PyThaiNLP (Thai)"


def are_unspaced(texts: pa.Array) -> BoolArray:
    """Return which texts are written without spaces between their words.

    Most of their letters are of a script that has none, and stand in long rows.

    >>> are_unspaced(pa.array(["今天天气真不错", "今天 天气 真 不错", "so good", "天气"])).tolist()
    [True, False, False, False]
    >>> are_unspaced(pa.array(["房间太小，设施陈旧。", "房间 太 小 ， 设施 陈旧 。"])).tolist()
    [True, False]
    """
    signs, runs, letters = (
        pc.fill_null(pc.count_substring_regex(texts, pattern), 0).to_numpy(zero_copy_only=False)
        for pattern in (_SIGNS, _RUNS, _LETTERS)
    )
    return np.asarray((2 * signs > letters) & (signs >= _WORD * np.maximum(runs, 1)))


def refuse_unspaced(corpus: Corpus, *, reads_tokens: bool = True, by_trees: bool = False) -> None:
    """Refuse texts in which whoever goes by words finds none.

    A few of them are only told of: each is one word.

    Parameters
    ----------
    corpus : Corpus
        Any. Where columns say what the words are, nothing is refused.
    reads_tokens : bool
        Whether the column ``tokens`` is read.
    by_trees : bool
        Whether trees are needed, which the parser that ships would make.

    Raises
    ------
    CorpusError
        If most of the texts have no spaces between words.
    """
    given = {"tree", "tree_pair"} | ({"tokens"} if reads_tokens and not by_trees else set())
    if "text" not in corpus.names or given & set(corpus.names) or not len(corpus):
        return
    found = are_unspaced(corpus.arrow("text").combine_chunks())
    many = int(found.sum())
    if not many:
        return
    what = "have no spaces between words, as Chinese, Japanese and Thai are written"
    if 2 * many <= len(corpus):
        tell(f"{many:,} of {len(corpus):,} texts {what}: what is between spaces is one word")
        return
    hint = f"give a column 'tokens' with the words of each text, as {_TOKENISERS} find them"
    if by_trees:
        hint = "give a column 'tree', or a parser of your own; the one that ships knows English"
    elif not reads_tokens:
        hint = f"write a space between the words that {_TOKENISERS} find"
    raise CorpusError(
        f"{many:,} of {len(corpus):,} texts {what}, so no words are found in them",
        where=corpus.where(int(np.flatnonzero(found)[0])),
        hint=hint,
    )
