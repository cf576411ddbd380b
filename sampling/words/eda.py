"""EDA: synonym replacement, random insertion, random swap, random deletion (Wei & Zou 2019)."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.errors import CorpusError, MissingDataError, OptionError
from grammar.messages import tell
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from sampling.english.stop_words import STOP_WORDS
from sampling.english.wordnet import (
    MissingWordNetWarning,
    match_case,
    part_of_speech,
    synonyms,
    wordnet,
)
from sampling.examples.entities import refuse_schemes
from sampling.joins.spacing import MENDED, named_repairs
from sampling.words.casing import Mends, mended, read_mends
from sampling.words.eda_kernels import DELETE, INSERT, REPLACE, SWAP, EdaTables, eda_edits
from sampling.words.grammar import EDIT, INSERTED, REPLACED, WORD, Operation, WordGrammar
from sampling.words.pools import Pools, as_pools
from sampling.words.sampler import TokenOptions, TokenSampler, refuse_columns
from sampling.words.texts import Slots, TokenTexts, read_texts, room_for

__all__ = ["EDA", "EDAOptions", "clean_text"]

_INSERTED = ("tags", "heads", "deprels", "tree")
_DELETED = ("heads", "deprels", "tree")
_NOT_LETTERS = re.compile(r"[^a-z ]")
_BLOCK = 9


@dataclass(frozen=True, kw_only=True)
class EDAOptions(TokenOptions):
    """The options of :meth:`EDA.induce`."""

    alpha_sr: float = option(
        0.1,
        "Share of the words replaced by synonyms (SR); 0 leaves the operation out.",
        source="section 2; Table 3 recommends 0.05 for fewer than 5,000 texts",
        least=0,
        most=1,
    )
    alpha_ri: float = option(
        0.1, "Synonyms inserted (RI), as a share of the words.", source="section 2", least=0, most=1
    )
    alpha_rs: float = option(
        0.1, "Swaps (RS), as a share of the words.", source="section 2", least=0, most=1
    )
    alpha_rd: float = option(
        0.1,
        "Probability that a word is deleted (RD), p in the paper.",
        source="section 2",
        least=0,
        most=1,
    )
    stop_words: str = option(
        "english",
        "Words that get no synonyms: the English list of the program, or none.",
        source="section 2",
        choices=("english", "none"),
    )
    pos: str = option(
        "any",
        "Synonyms of any part of speech (any, as published), or of the one in the column 'tags' "
        "(tag).",
        choices=("any", "tag"),
    )
    senses: str = option(
        "frequent",
        "Synonyms of the frequent senses of a word, which are frequent in these senses "
        "themselves (frequent); or of all senses, with numbers, units and offensive words (all).",
        code="all",
        choices=("frequent", "all"),
    )
    never: str = option(
        "english",
        "With senses=frequent: words that have no synonyms and are not used as synonyms "
        "(ordinals, numbers, units, vulgar words): english (the list that ships), none, or a "
        "file with one word per line.",
    )
    inflect: bool = option(
        True,
        "Inflect synonyms like the word, and leave out those without exactly one known form.",
        code=False,
    )
    phrases: bool = option(
        True,
        "Synonyms may be several words. Never in a corpus with tokens, tags, heads or trees, whose "
        "words must stay aligned.",
    )
    at_end: bool = option(True, "RI may insert after the last word.", code=False)
    all_occurrences: bool = option(
        False, "SR replaces a chosen word wherever it occurs in the text.", code=True
    )
    insert_stop_words: bool = option(
        False, "RI inserts synonyms of stop words too.", source="section 2", code=True
    )
    first_synonym: bool = option(
        False, "RI inserts the first synonym of a word, not any.", source="section 2", code=True
    )
    redraws: int | None = option(
        None,
        "Most draws of the second word of RS. If each draw gives the first word, nothing is "
        "swapped. By default the two words are different.",
        code=3,
        least=1,
    )
    balanced: bool = option(
        False,
        "Use all operations equally often per text in each block of num_aug examples, except for "
        "a random few left out. By default operations are drawn independently.",
        code=True,
    )
    num_aug: int = option(_BLOCK, "Examples per text in a block; used with balanced.", least=1)
    repair: str = option(
        "article,capital,spacing",
        "Repairs of a new text, with commas between: a or an by the sound of the next word "
        "(article), capitals where a sentence begins and only there (capital), punctuation that "
        "stays in place when words move (spacing); or none. Not used in a corpus with tokens or "
        "trees, whose words stay as they are.",
        code="none",
    )
    clean: bool = option(
        False,
        "Make texts of lower-case letters a to z and spaces only, as the program does.",
        code=True,
    )


class EDA(TokenSampler):
    """Edit each text by one of four operations on random words.

    SR replaces n words that are not stop words by a random synonym each; RI inserts n times a
    random synonym of a random such word at a random place; RS swaps two words n times; RD
    deletes each word with probability ``alpha_rd``. n is alpha times the words of the text,
    at least 1 (section 2). RI refuses tags, heads and trees; RD refuses heads and trees.

    Without WordNet, SR and RI are left out with a MissingWordNetWarning, and MissingDataError is
    raised if neither RS nor RD is asked for. The grammar holds the synonyms, so it is sampled
    without WordNet.

    Not taken over from the program: its seed, which does not fix its output; RI there takes
    synonyms of inserted words too, and gives up after ten words without any; its original
    text at the end of the list (replicate the corpus instead). Empty texts, on which it
    fails, are refused.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a sad , superior human comedy"])
    >>> swaps = EDA.induce(corpus, alpha_sr=0, alpha_ri=0, alpha_rd=0)
    >>> swaps.sample(2).column("text")
    ['a sad superior , human comedy', 'a sad human superior , comedy']

    References
    ----------
    Jason Wei, Kai Zou. 2019. EDA: Easy Data Augmentation Techniques for Boosting Performance on
    Text Classification Tasks. EMNLP-IJCNLP.
    """

    method = "eda"
    version = "2"
    Options = EDAOptions
    unusable = "no text can be edited: none has a word with a synonym, or two words to swap"

    @classmethod
    def asks_wordnet(cls, options: Mapping[str, Any]) -> bool:
        """Say whether words are replaced by synonyms, or synonyms put in."""
        return _has_synonyms(read_options(EDAOptions, options, cls.method))

    @classmethod
    def read(cls, corpus: Corpus, options: EDAOptions) -> WordGrammar:
        """Return the grammar: the operations, and the synonyms of all words."""
        o = _without_wordnet(options)
        if o.num_aug != _BLOCK and not o.balanced:
            tell("num_aug counts only with balanced=True; n or times say how many texts there are")
        if o.clean:
            corpus = _cleaned(corpus)
        if o.alpha_ri or o.alpha_rs or o.alpha_rd:
            refuse_schemes(corpus, cls.method)
        texts = read_texts(corpus, o.protect, cores="spacing" in named_repairs(o.repair, MENDED))
        if o.alpha_ri:
            refuse_columns(texts, _INSERTED, "random insertion", "new words have no values there")
        if o.alpha_rd:
            refuse_columns(texts, _DELETED, "random deletion", "what hangs on a word would be lost")
        pools, names, replaced, inserted = _synonym_pools(texts, o)
        return cls.grammar_of(
            texts,
            o,
            _operations(o),
            usable=_usable(texts, _tables(replaced, inserted, o)),
            names=names,
            pools=pools,
            replaced=replaced,
            inserted=inserted,
        )

    @cached_property
    def _tables(self) -> EdaTables:
        return _tables(self.grammar.replaced, self.grammar.inserted, self.options)

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Apply an operation to each text."""
        alpha = self._tables.alpha_ri
        extra = np.maximum(1, (alpha * self.texts.side.lengths[hosts]).astype(np.int64))
        slots = room_for(self.texts.words, hosts, extra if alpha else np.zeros_like(extra))
        eda_edits(key, index, rounds, hosts, self.texts.words, self.pools, self._tables, slots)
        return slots

    def mended(self, slots: Slots) -> tuple[Pools, Slots]:
        """Return edits with capitals, articles and marks as the texts have them."""
        if self._mends is None:
            return super().mended(slots)
        return self._mends.pools, mended(self.texts.words, self._mends, slots)

    @cached_property
    def _mends(self) -> Mends | None:
        names = named_repairs(self.options.repair, MENDED)
        if not names or {"tokens", "tree"} & set(self.texts.corpus.names):
            return None
        return read_mends(self.texts.side, self.texts.words, self.pools, names)

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        words, tables = self.texts.words, self._tables
        row = slice(int(words.offsets[host]), int(words.offsets[host + 1]))
        length, free = row.stop - row.start, int(words.free[row].sum())
        sizes = np.diff(self.pools.offsets)
        total = 0
        for operation in tables.operations.tolist():
            if operation == REPLACE:
                pools = tables.replace[row][words.free[row]]
                n = max(1, int(tables.alpha_sr * length))
                total += _choices(sizes[pools[pools >= 0]].tolist(), n)
            elif operation == INSERT:
                pools = tables.insert[row][words.free[row]]
                many = int(sizes[np.unique(pools[pools >= 0])].sum())
                n = max(1, int(tables.alpha_ri * length))
                total += math.prod(many * (length + 1 + k) for k in range(n))
            elif operation == SWAP:
                n = max(1, int(tables.alpha_rs * length))
                total += min(math.factorial(free), math.comb(free, 2) ** n)
            else:
                total += 2**free - 1
        return total


def _choices(sizes: list[int], n: int) -> int:
    """Return in how many ways n of several words take one of so many values each."""
    ways = [1] + [0] * min(n, len(sizes))
    for size in sizes:
        for k in range(len(ways) - 1, 0, -1):
            ways[k] += ways[k - 1] * size
    return ways[-1]


def clean_text(text: str) -> str:
    """Return a text as the released program of EDA cleans it.

    >>> clean_text("Isn't it re-made in 2003?")
    'isnt it re made in '
    """
    text = text.replace("’", "").replace("'", "")
    text = re.sub(r"[-\t\n]", " ", text).lower()
    return re.sub(" +", " ", _NOT_LETTERS.sub(" ", text)).removeprefix(" ")


def _cleaned(corpus: Corpus) -> Corpus:
    for name in ("tokens", "tags", "heads", "deprels", "tree", "spans"):
        if name in corpus.names:
            raise CorpusError(
                f"clean=True cannot keep the column {name!r}: it makes other words",
                hint=f"use clean=False, or drop {name!r}",
            )
    texts = [text and clean_text(text) for text in corpus.column("text")]
    return corpus.with_column("text", texts)


def _has_synonyms(o: EDAOptions) -> bool:
    return bool(o.alpha_sr or o.alpha_ri)


def _without_wordnet(o: EDAOptions) -> EDAOptions:
    """Leave SR and RI out where WordNet is absent, and say so."""
    if not (o.alpha_sr or o.alpha_ri or o.alpha_rs or o.alpha_rd):
        raise OptionError(
            "all of alpha_sr, alpha_ri, alpha_rs and alpha_rd are 0",
            hint="leave one of them at its default, 0.1",
        )
    if not _has_synonyms(o):
        return o
    try:
        wordnet()
    except MissingDataError as error:
        if not (o.alpha_rs or o.alpha_rd):
            raise
        warnings.warn(
            f"{error.what}, so there is no synonym replacement and no random insertion "
            f"({error.hint})",
            MissingWordNetWarning,
            stacklevel=3,
        )
        return replace(o, alpha_sr=0, alpha_ri=0)
    return o


def _synonym_pools(texts: TokenTexts, o: EDAOptions) -> tuple[Pools, list[str], IntArray, IntArray]:
    """Return the synonyms of all words, what each pool is for, and the pool of every word."""
    kind = texts.words.kind
    none = np.full(len(kind), -1, np.int32)
    if not (o.alpha_sr or o.alpha_ri):
        return as_pools([], []), [], none, none
    tags = np.zeros(len(kind), np.int64)
    tag_names = [""]
    if o.pos == "tag":
        coded = texts.corpus.arrow("tags").combine_chunks().flatten().dictionary_encode()
        tags = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        tag_names = coded.dictionary.to_pylist()
    width = len(tag_names)
    keys, key_of_word = np.unique(kind.astype(np.int64) * width + tags, return_inverse=True)
    numbers: dict[str, int] = {}
    rows: list[list[int]] = []
    names: list[str] = []
    pool_of_key = np.full(len(keys), -1, np.int32)
    stop_of_key = np.zeros(len(keys), np.bool_)
    phrases = o.phrases and not texts.single_words
    for k, key in enumerate(keys.tolist()):
        word, tag = texts.kinds[key // width], tag_names[key % width]
        stop_of_key[k] = o.stop_words == "english" and word.lower() in STOP_WORDS
        if stop_of_key[k] and not (o.insert_stop_words and o.alpha_ri):
            continue
        found = _synonyms(word, tag if o.pos == "tag" else None, phrases, o)
        if found:
            pool_of_key[k] = len(rows)
            rows.append([numbers.setdefault(form, len(numbers)) for form in found])
            names.append(f"{word}/{tag}" if o.pos == "tag" else word)
    inserted = pool_of_key if o.insert_stop_words else np.where(stop_of_key, -1, pool_of_key)
    replaced = np.where(stop_of_key, -1, pool_of_key)
    pools = as_pools(rows, list(numbers))
    return pools, names, *(a.astype(np.int32)[key_of_word.ravel()] for a in (replaced, inserted))


def _synonyms(word: str, tag: str | None, phrases: bool, o: EDAOptions) -> Iterable[str]:
    pos = None if tag is None else part_of_speech(tag)
    if not any(map(str.isalpha, word)) or (tag is not None and pos is None):
        return ()
    found = synonyms(word, pos=pos, feature=tag, inflect=o.inflect, senses=o.senses, never=o.never)
    cased = (match_case(form, word) for form in found if phrases or " " not in form)
    return [form for form in dict.fromkeys(cased) if form != word]


def _operations(o: EDAOptions) -> list[Operation]:
    said = {
        f"replace {100 * o.alpha_sr:g} % of the words": (o.alpha_sr, (REPLACED,)),
        f"insert synonyms, {100 * o.alpha_ri:g} % of the words": (o.alpha_ri, (INSERTED,)),
        f"swap two words, for {100 * o.alpha_rs:g} % of the words": (o.alpha_rs, ()),
        "delete words": (o.alpha_rd, (WORD,)),
    }
    used = {text: children for text, (alpha, children) in said.items() if alpha}
    each = [Operation(WORD, "delete it", o.alpha_rd), Operation(WORD, "keep it", 1 - o.alpha_rd)]
    edits = [Operation(EDIT, text, 1 / len(used), children) for text, children in used.items()]
    return [*edits, *(each if o.alpha_rd else [])]


def _tables(replaced: IntArray, inserted: IntArray, o: EDAOptions) -> EdaTables:
    alphas = {
        REPLACE: o.alpha_sr, INSERT: o.alpha_ri, SWAP: o.alpha_rs, DELETE: o.alpha_rd
    }  # fmt: skip
    return EdaTables(
        replaced,
        inserted,
        np.array([operation for operation, alpha in alphas.items() if alpha], np.int64),
        float(o.alpha_sr),
        float(o.alpha_ri),
        float(o.alpha_rs),
        float(o.alpha_rd),
        o.all_occurrences,
        o.first_synonym,
        o.at_end,
        o.redraws or 0,
        o.num_aug if o.balanced else 0,
    )


def _usable(texts: TokenTexts, tables: EdaTables) -> BoolArray:
    """Return which texts some operation can change."""
    lengths, free = texts.side.lengths, texts.free_words()
    usable = np.zeros(len(lengths), np.bool_)
    for operation in tables.operations.tolist():
        if operation in (REPLACE, INSERT):
            pool = tables.replace if operation == REPLACE else tables.insert
            usable |= texts.free_words(pool >= 0) > 0
        elif operation == SWAP:
            usable |= free >= 2
        else:
            usable |= (lengths >= 2) & (free >= 1)
    return usable
