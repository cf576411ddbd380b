"""How a text reads where a span of another one is put into it: spacing, capitals, a and an.

What a seam looks like is told by the words on both sides of it, each as it stands in its own text:
whether it touches the word before or behind it, whether it begins a sentence, and with what sound.
:func:`read_joints` gathers these facts once a corpus; :func:`joint` decides for a pair of spans.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, Bytes, Index, IntArray, LongArray, kernel, pack_strings
from grammar.errors import OptionError
from induction.corpus.text.markup import tags_in
from sampling.english.articles import wants_an
from sampling.english.stop_words import STOP_WORDS
from sampling.examples.text_columns import Side

__all__ = [
    "CAPITAL",
    "INITIAL",
    "KEPT",
    "MENDED",
    "NOTHING",
    "SPACE",
    "SPACED",
    "WHOLE",
    "Joints",
    "initial_words",
    "joint",
    "named_repairs",
    "read_joints",
    "sound_of",
    "torn",
    "touching_words",
    "wants_other",
    "with_capital",
    "without_capital",
]

KEPT, NOTHING, SPACE = 0, 1, 2
"""What stands at a seam: what stood at the hole, nothing, or one space."""

MENDED = ("article", "capital", "spacing")
"""What is mended at seams."""
WHOLE = "that tear no contraction, and no pair of brackets or quotes"
"""What :func:`torn` spans are not, as errors say it."""

INITIAL, CAPITAL, _TO_LEFT, _TO_RIGHT = 1, 2, 4, 8
SPACED, _SOUND, _VOWEL, _AN = 16, 32, 64, 128

_ENDS = re.compile(r"[.!?…]['\"”’)\]]*$")
_ABBREVIATION = re.compile(
    r"(?:[a-z]|mr|mrs|ms|dr|jr|sr|st|vs|prof|gen|rep|sen|inc|co|corp|ltd|no|etc|e\.g|i\.e|a\.m|p\.m)"
    r"\.?|(?:[a-z]\.)+",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\W_]+|-L[RSC]B-|-R[RSC]B-", re.IGNORECASE)
_CLOSING = frozenset(",.;:!?)]}%'\"’”…»")
_OPENING = frozenset("([{'\"‘“$#£€«")
_JOINING = frozenset("-–—/")
_SURFACES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": "“", "''": "”"}
_ARTICLES = {"a": "an", "an": "a", "A": "An", "An": "A"}
_PAIRS = {
    "(": (0, 1), "-lrb-": (0, 1), ")": (0, -1), "-rrb-": (0, -1), "[": (1, 1), "-lsb-": (1, 1),
    "]": (1, -1), "-rsb-": (1, -1), "{": (1, 1), "-lcb-": (1, 1), "}": (1, -1), "-rcb-": (1, -1),
    "``": (2, 1), "''": (2, -1), "“": (2, 1), "”": (2, -1),
}  # fmt: skip
_QUOTE = 3
"""The kind of plain quotes, of which there must be an even number."""


def named_repairs(value: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the repairs that a list such as ``"article, capital"`` names; none for ``"none"``.

    Raises
    ------
    OptionError
        If one is not among those known.
    """
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    if names == ("none",):
        return ()
    for name in names:
        if name not in known:
            raise OptionError(
                f"repair={value!r} names {name!r}, which is not a repair",
                hint=f"use some of {', '.join(known)}; or none",
            )
    return names


class Joints(NamedTuple):
    """Facts about the words of sides, for kernels.

    Of word w, ``flags[w]`` says what :func:`joint` goes by; ``upper[w]`` and ``lower[w]`` are the
    numbers of its form with and without a capital, and ``other[w]`` that of the other article, or
    -1. Variant v is ``text[bounds[v]:bounds[v + 1]]``. ``start`` and ``end`` are those of its
    side.
    """

    flags: Bytes
    upper: IntArray
    lower: IntArray
    other: IntArray
    start: LongArray
    end: LongArray
    text: Bytes
    bounds: LongArray

    @property
    def variants(self) -> list[str]:
        """The forms that words may take instead of their own."""
        data = self.text.tobytes()
        bounds = self.bounds.tolist()
        return [data[a:b].decode() for a, b in itertools.pairwise(bounds)]


@kernel(inline="always")
def joint(
    j: Joints, begin: int, stop: int, hole: tuple[Index, Index], fill: tuple[Index, Index]
) -> tuple[Index, Index, Index, int, int]:
    """Decide how a span of words stands in the place of another.

    Parameters
    ----------
    j : Joints
        The facts.
    begin, stop : int
        The first word of the host's text, and the one behind its last.
    hole, fill : (int, int)
        First and last word of the span cut out, and of the one put in.

    Returns
    -------
    article, first, last
        The variants that the word before the hole, the first word put in and the last take, or -1.
    left, right
        What stands on either side of the span: KEPT, NOTHING or SPACE.
    """
    article: Any = np.int32(-1)
    first: Any = np.int32(-1)
    last: Any = np.int32(-1)
    left, right = KEPT, KEPT
    at, to = j.flags[hole[0]], j.flags[fill[0]]
    if at & INITIAL and at & CAPITAL:
        first = j.upper[fill[0]]
    elif to & INITIAL:
        first = j.lower[fill[0]]
    if hole[0] > begin:
        before = hole[0] - 1
        if j.flags[before] & _TO_RIGHT or to & _TO_LEFT:
            left = NOTHING
        elif j.start[hole[0]] == j.end[before]:
            left = SPACE
        spaced = left == SPACE or (left == KEPT and at & SPACED)
        if spaced and wants_other(j.other[before], j.flags[before], to):
            article = j.other[before]
    if hole[1] + 1 < stop:
        behind, ends = hole[1] + 1, j.flags[fill[1]]
        if ends & _TO_RIGHT or j.flags[behind] & _TO_LEFT:
            right = NOTHING
        elif j.start[behind] == j.end[hole[1]]:
            right = SPACE
        spaced = right == SPACE or (right == KEPT and j.flags[behind] & SPACED)
        if spaced and fill[1] > fill[0] and wants_other(j.other[fill[1]], ends, j.flags[behind]):
            last = j.other[fill[1]]
    return article, first, last, left, right


@kernel(inline="always")
def wants_other(other: Any, article: Any, word: Any) -> bool:
    """Say whether a word with these flags wants the other article."""
    return other >= 0 and (word & _SOUND) != 0 and ((word & _VOWEL) != 0) != ((article & _AN) != 0)


def read_joints(sides: Sequence[Side], names: Sequence[str]) -> Joints:
    """Gather the facts of sides; their words are counted one side after the other.

    Parameters
    ----------
    sides : sequence of Side
        The words of texts.
    names : sequence of str
        What is mended: ``article``, ``capital``, ``spacing``. Facts of other things are left out.
    """
    variants: dict[str, int] = {}
    parts = [_facts(side, names, variants) for side in sides]
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    text, bounds = pack_strings(list(variants))
    return Joints(*[*columns, text, bounds])


def _facts(side: Side, names: Sequence[str], variants: dict[str, int]) -> tuple[Any, ...]:
    """Return the columns of one side; new variants are added to those there are."""
    forms: list[str] = side.forms.to_pylist()
    flags = np.zeros(len(side.codes), np.uint8)
    upper, lower, other = (np.full(len(side.codes), -1, np.int32) for _ in range(3))
    flags[_spaced(side.text, side.start, side.end)] |= SPACED
    if "spacing" in names:
        left, right = touching_words(_touching_before(side), side.codes, forms)
        unspaced = np.repeat(side.unspaced, side.lengths)
        left, right = left | unspaced, right | unspaced
        flags[left] |= _TO_LEFT
        flags[right] |= _TO_RIGHT
    if "article" in names:
        other = _variants(_ARTICLES.get, forms, variants)[side.codes]
        flags |= np.array([sound_of(form) for form in forms], np.uint8)[side.codes]
    if "capital" in names:
        initial = initial_words(side)
        flags[initial] |= INITIAL
        capital = np.array([form[:1].isupper() for form in forms], np.bool_)[side.codes]
        flags[capital] |= CAPITAL
        upper = _variants(with_capital, forms, variants)[side.codes]
        known, (name, tagged) = _common_words(side, forms, initial), _tags(side)
        plain = _variants(without_capital, forms, variants)[side.codes]
        lower = np.where(initial & (known | (tagged & ~name)), plain, -1).astype(np.int32)
    kept = side.begun_by_unit  # a name, as @bob, is written as it is wherever it stands
    kept = kept if side.marks is None else kept | side.marks.inside
    for variant in (upper, lower, other):
        variant[kept] = -1
    return flags, upper, lower, other, side.start, side.end


def _variants(
    make: Callable[[str], str | None], forms: list[str], variants: dict[str, int]
) -> IntArray:
    """Return the number of what is made of each form, or -1."""
    made = map(make, forms)
    numbers = [-1 if form is None else variants.setdefault(form, len(variants)) for form in made]
    return np.array(numbers, np.int32)


def sound_of(form: str) -> int:
    """Return the flags of a word that say which article it wants, or is."""
    if form in _ARTICLES:  # what stands before an article is none that it could mend
        return _AN if form in ("an", "An") else 0
    vowel = wants_an(form)
    return 0 if vowel is None else _SOUND | (_VOWEL if vowel else 0)


def with_capital(form: str) -> str | None:
    """Return a word with a capital; None if it has one or can have none."""
    made = form[:1].upper() + form[1:]
    return made if form[:1].islower() and len(form[:1].upper()) == 1 else None


def without_capital(form: str) -> str | None:
    """Return a word without its only capital; None if it has none, or keeps it anywhere."""
    # the pronoun, and words with other capitals, keep theirs
    plain = form[:1].isupper() and form[1:] == form[1:].lower() and form != "I"
    return form[:1].lower() + form[1:] if plain and not form.startswith(("I'", "I’")) else None


def initial_words(side: Side) -> BoolArray:
    """Return which words begin a sentence, quotes and brackets passed over."""
    forms: list[str] = side.forms.to_pylist()
    ends = [bool(_ENDS.search(f)) and not _ABBREVIATION.fullmatch(f) for f in forms]
    short = [_ABBREVIATION.fullmatch(form) is not None for form in forms]
    signs = [_SIGNS.fullmatch(form) is not None for form in forms]
    by_form = (np.array(flag, np.bool_) for flag in (ends, short, signs))
    return _sentence_starts(side.text, side.offsets, side.start, side.end, side.codes, *by_form)


@kernel()
def _sentence_starts(
    text: Bytes, offsets: LongArray, start: LongArray, end: LongArray, codes: IntArray,
    ends: BoolArray, short: BoolArray, signs: BoolArray,
) -> BoolArray:  # fmt: skip
    found = np.zeros(len(start), np.bool_)
    for i in range(len(offsets) - 1):
        for w in range(offsets[i], offsets[i + 1]):
            if w == offsets[i]:
                found[w] = True
                continue
            before = codes[w - 1]
            found[w] = ends[before] or (signs[before] and found[w - 1])
            for at in range(end[w - 1], start[w]):
                mark = text[at] == 33 or text[at] == 46 or text[at] == 63
                if mark and not short[before]:
                    found[w] = True
    return found


@kernel()
def _spaced(text: Bytes, start: LongArray, end: LongArray) -> BoolArray:
    """Return before which words of texts white space stands, and nothing else."""
    found = np.zeros(len(start), np.bool_)
    for w in range(1, len(start)):
        found[w] = start[w] > end[w - 1]
        for at in range(end[w - 1], start[w]):
            if not (text[at] == 32 or 9 <= text[at] <= 13):
                found[w] = False
    return found


def touching_words(
    touches: BoolArray, codes: IntArray, forms: Sequence[str]
) -> tuple[BoolArray, BoolArray]:
    """Return which words touch the word before them, and behind them, because of what they are.

    Of two that touch, it is the sign that does: one that closes touches to the left, one that
    opens to the right, a dash or slash to both. Where letters touch letters (*do|n't*), it is the
    second.

    Parameters
    ----------
    touches : bool[words]
        Which words touch the one before them.
    codes, forms : int32[words], sequence of str
        Word w is written ``forms[codes[w]]``.
    """
    left, right = np.zeros(len(codes), np.bool_), np.zeros(len(codes), np.bool_)
    surfaces = [_SURFACES.get(form, form) for form in forms]
    for w in np.flatnonzero(touches).tolist():
        a, b = surfaces[codes[w - 1]], surfaces[codes[w]]
        opens = a[-1:] in _OPENING and _SIGNS.fullmatch(a) and not left[w - 1]
        if b[:1] in _CLOSING and not (opens and b[:1] in "'\"’" and a[-1:] not in "'\"‘“"):
            left[w] = True
        elif opens:
            right[w - 1] = True
        elif a[-1:] in _JOINING or b[:1] in _JOINING:
            right[w - 1] |= a[-1:] in _JOINING
            left[w] |= b[:1] in _JOINING
        else:
            left[w] = True
    return left, right


def _common_words(side: Side, forms: list[str], initial: BoolArray) -> BoolArray:
    """Return which words are rather written without a capital where no sentence begins."""
    inside = np.bincount(side.codes[~initial], minlength=len(forms))
    number = dict(zip(forms, inside.tolist(), strict=True))
    common = [
        form.lower() in STOP_WORDS or number.get(form.lower(), 0) > number[form] for form in forms
    ]
    return np.array(common, np.bool_)[side.codes] if forms else initial


def _tags(side: Side) -> tuple[BoolArray, BoolArray]:
    """Return which words have the tag of a name, and whether they have tags."""
    words = len(side.codes)
    if side.treebank is None or not words:
        return np.zeros(words, np.bool_), np.zeros(words, np.bool_)
    bank = side.treebank
    leaves = np.flatnonzero(bank.is_word)
    label = bank.label[np.maximum(bank.parent[leaves], 0)]
    names = [name.startswith(("NNP", "PROPN")) for name in bank.symbols]
    tags = [re.fullmatch(r"[A-Z]{2,4}\$?", name) is not None for name in bank.symbols]
    return np.array(names, np.bool_)[label], np.array(tags, np.bool_)[label]


def torn(side: Side, example: Any, start: Any, end: Any) -> BoolArray:
    """Return which spans tear a written word apart, or hold one of two brackets, quotes or tags.

    Parameters
    ----------
    side : Side
        The words of texts.
    example, start, end : int32[S]
        Text of each span, its first word, and the word behind its last.

    Examples
    --------
    >>> from sampling.examples.text_columns import read_side
    >>> from induction.corpus.corpus import Corpus
    >>> tokens = ["I", "did", "n't", "(", "ever", ")", "go", "."]
    >>> side = read_side(Corpus.from_columns(text=["I didn't (ever) go."], tokens=[tokens]))
    >>> spans = np.array([[1, 2], [1, 3], [2, 7], [3, 6], [3, 5]], np.int32).T.copy()
    >>> torn(side, np.zeros(5, np.int32), *spans).tolist()
    [True, False, True, False, True]
    """
    begin = side.offsets[example]
    first, last = begin + start, begin + end - 1
    glued = np.append(_glued(side), False)
    forms: list[str] = side.forms.to_pylist()
    words = np.array([_pairs_in(form) for form in forms], np.int64).reshape(-1, 4)[side.codes]
    gaps = _pairs_between(side.text, side.offsets, side.start, side.end)
    none = np.zeros((1, 4), np.int64)
    of_words, of_gaps = (np.concatenate((none, np.cumsum(x, axis=0))) for x in (words, gaps))
    held = of_words[last + 1] - of_words[first] + of_gaps[last] - of_gaps[first]
    unpaired = held[:, :_QUOTE].any(axis=1) | (held[:, _QUOTE] % 2 == 1)
    of_tags = np.cumsum(_tags_before(side))
    unpaired |= of_tags[last] != of_tags[first]
    return np.asarray(unpaired | glued[first] | glued[last + 1])


def _tags_before(side: Side) -> LongArray:
    """Return of each word how many tags of markup open before it, less those that close."""
    found = np.zeros(len(side.start) + 1, np.int64)
    for place, step in tags_in(side.text.tobytes()):
        found[np.searchsorted(side.start, place, side="right")] += step
    return found


def _pairs_in(form: str) -> tuple[int, int, int, int]:
    found = [0, 0, 0, form.count('"')]
    for sign in (form.lower(),) if form.lower() in _PAIRS else form:
        kind, step = _PAIRS.get(sign, (0, 0))
        found[kind] += step
    return found[0], found[1], found[2], found[3]


@kernel()
def _pairs_between(text: Bytes, offsets: LongArray, start: LongArray, end: LongArray) -> LongArray:
    """Return the brackets and quotes that stand between each word and the next of its text."""
    found = np.zeros((max(len(start) - 1, 0), 4), np.int64)
    for i in range(len(offsets) - 1):
        for w in range(offsets[i], offsets[i + 1] - 1):
            for at in range(end[w], start[w + 1]):
                found[w, 0] += (text[at] == 40) - (text[at] == 41)
                found[w, 1] += (text[at] == 91) - (text[at] == 93)
                found[w, 1] += (text[at] == 123) - (text[at] == 125)
                found[w, 3] += text[at] == 34
    return found


def _glued(side: Side) -> BoolArray:
    """Return which words are glued to the one before them: letters touch letters, or a clitic."""
    forms: list[str] = side.forms.to_pylist()
    letter = np.array([form[-1:].isalnum() for form in forms], np.bool_)
    follows = [form[:1].isalnum() or re.match(r"['’]\w", form) is not None for form in forms]
    glued = _touching_before(side)
    glued[1:] &= letter[side.codes[:-1]]
    return glued & np.array(follows, np.bool_)[side.codes]


def _touching_before(side: Side) -> BoolArray:
    """Return which words touch the word before them."""
    touching = np.zeros(len(side.codes), np.bool_)
    touching[1:] = side.start[1:] == side.end[:-1]
    begins = side.offsets[:-1]
    touching[begins[begins < len(touching)]] = False
    return touching
