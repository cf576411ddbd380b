"""Tags that stand for labelled spans of words: BIO, BILOU and their kin.

A tag is ``O``, or a prefix, a hyphen and a label. B begins a span, I goes on with it; in BILOU, L
is its last word and U a span of one word (in BIOES, E and S). Prefixes are taken as conlleval takes
them: a span also begins at I where nothing of its label goes on, so files in the older IOB, which
have B only between neighbours, are read by the same rule.

References
----------
Ramshaw & Marcus 1995 (IOB); Tjong Kim Sang & De Meulder 2003 (conlleval); Ratinov & Roth 2009
(BILOU).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from grammar.errors import CorpusError, OptionError

__all__ = [
    "OUTSIDE",
    "SCHEMES",
    "Interval",
    "are_word_tags",
    "in_scheme",
    "is_scheme",
    "tagged_words",
    "words_of_tags",
]

SCHEMES = ("bio", "bilou")
OUTSIDE = "O"
Interval = tuple[int, int, str]
"""First word, the word behind the last, and the label."""

_TAG = re.compile(r"([BILUESM])-(\S.*)", re.DOTALL)
_LIKE_A_TAG = re.compile(r"([BIESLUM])[_:|](\S+)")
_BEHIND = re.compile(r"(\S.*)[-_]([BILUESM])", re.DOTALL)
_BEGINS, _ENDS = "BUS", "LUES"
_MOST_LABELS = 200
_OF_SPEECH = frozenset(
    {"NN", "NNS", "NNP", "VB", "VBD", "VBZ", "DT", "IN", "JJ", "NOUN", "VERB", "DET", "PRON"}
)

_UNIVERSAL = frozenset(
    {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON",
     "PROPN", "PRT", "PUNCT", "SCONJ", "SYM", "VERB", "X", "."}
)  # fmt: skip
_PENN = frozenset(
    {"CC", "CD", "DT", "EX", "FW", "HYPH", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP",
     "NNPS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD",
     "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", ".", ",", ":", "#", "$", "``", "''",
     "(", ")", "-LRB-", "-RRB-", "NFP", "ADD", "AFX"}
)  # fmt: skip
"""The universal parts of speech, and those of the Penn Treebank and of OntoNotes."""
_OF_TWEETS = frozenset("NO^SZLMVA!RD&TXPYGU~@#E$,")
"""Those of tweets (Gimpel et al. 2011), of one character each; ``O`` is a pronoun there."""
_FEWEST_TAGS = 3


def are_word_tags(tags: Collection[str]) -> bool:
    """Say whether all tags are parts of speech, for sure.

    >>> are_word_tags({"DET", "NOUN", "VERB"}), are_word_tags({"DET", "LOC", "O"})
    (True, False)
    """
    found = {*tags}
    if found <= _OF_TWEETS and len(found) > _FEWEST_TAGS:
        return True
    return len(found) >= _FEWEST_TAGS and (found <= _UNIVERSAL or found <= _PENN)


def words_of_tags(tags: Sequence[str]) -> list[Interval]:
    """Return the spans of words that the tags of a sentence stand for.

    Raises
    ------
    CorpusError
        If a tag is of no scheme.

    Examples
    --------
    >>> words_of_tags(["B-PER", "I-PER", "O", "U-LOC", "U-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    >>> words_of_tags(["I-PER", "I-PER", "B-PER"])  # IOB
    [(0, 2, 'PER'), (2, 3, 'PER')]
    """
    found: list[Interval] = []
    open_label: str | None = None
    for word, tag in enumerate(tags):
        if tag == OUTSIDE:
            open_label = None
            continue
        match = _TAG.fullmatch(tag or "")
        if match is None:
            raise CorpusError(
                f"the tag {tag!r} says nothing of a span",
                hint="tags of spans are O, B-LABEL and I-LABEL (or L, U of BILOU; E, S of BIOES), "
                "in capitals",
            )
        prefix, label = match.groups()
        if prefix in _BEGINS or label != open_label:
            found.append((word, word + 1, label))
        else:
            found[-1] = (found[-1][0], word + 1, label)
        open_label = None if prefix in _ENDS else label
    return found


def tagged_words(spans: Iterable[Interval], words: int, scheme: str = "bio") -> list[str]:
    """Return the tags of a sentence of so many words.

    Raises
    ------
    OptionError
        If there is no such scheme.

    Examples
    --------
    >>> tagged_words([(0, 2, "PER"), (3, 4, "LOC")], 4)
    ['B-PER', 'I-PER', 'O', 'B-LOC']
    >>> tagged_words([(0, 2, "PER"), (3, 4, "LOC")], 4, "bilou")
    ['B-PER', 'L-PER', 'O', 'U-LOC']
    """
    if scheme not in SCHEMES:
        raise OptionError(f"there is no scheme {scheme!r}", hint=f"use {' or '.join(SCHEMES)}")
    tags = [OUTSIDE] * words
    for first, stop, label in spans:
        prefixes = ["B", *"I" * (stop - first - 1)]
        if scheme == "bilou":
            prefixes[-1] = "U" if stop - first == 1 else "L"
        tags[first:stop] = [f"{prefix}-{label}" for prefix in prefixes]
    return tags


def is_scheme(tags: Iterable[str | None]) -> bool:
    """Say whether distinct tags stand for spans: all of them are of a scheme, and not only O.

    >>> is_scheme(["O", "B-PER", "I-PER"]), is_scheme(["O", "NN"]), is_scheme(["O"])
    (True, False, False)
    """
    others = [tag for tag in tags if tag is not None and tag != OUTSIDE]
    return bool(others) and all(map(_TAG.fullmatch, others))


def in_scheme(tags: Iterable[str]) -> tuple[dict[str, str], str]:
    """Return the tags of a scheme for tags that are written in another way, and what to tell.

    Prefixes may stand behind labels; or there are none (IO), so that neighbours of one label are
    one span.

    Parameters
    ----------
    tags : iterable of str
        The distinct tags of a file.

    Returns
    -------
    dict, str
        A tag of the scheme for each; nothing if they are of the scheme, or of none.

    Examples
    --------
    >>> in_scheme({"PER-B", "O"})[0] == {"PER-B": "B-PER", "O": "O"}
    True
    >>> in_scheme({"PER", "O"})[1]
    'tags have no B- and I- (IO), so that words of one label beside one another are one span'
    >>> in_scheme({"B-PER", "O"}), in_scheme({"NN", "DT"})
    (({}, ''), ({}, ''))
    """
    known = {*tags}
    others = sorted(known - {OUTSIDE})
    if not others or any(map(_TAG.fullmatch, others)) or len(others) > _MOST_LABELS:
        return {}, ""
    lower = [_LIKE_A_TAG.fullmatch(tag) for tag in others]
    if all(lower):
        made = {match[0]: f"{match[1]}-{match[2]}" for match in lower if match}
        return {**made, OUTSIDE: OUTSIDE}, f"tags such as {others[0]} are read as {made[others[0]]}"
    behind = [_BEHIND.fullmatch(tag) for tag in others]
    if all(behind):
        made = {match[0]: f"{match[2]}-{match[1]}" for match in behind if match}
        return {**made, OUTSIDE: OUTSIDE}, f"tags such as {others[0]} are read as {made[others[0]]}"
    if OUTSIDE in known and not _OF_SPEECH & known and all(tag.strip("_-.") for tag in others):
        told = "tags have no B- and I- (IO), so that words of one label beside one another are one"
        return {**{tag: f"I-{tag}" for tag in others}, OUTSIDE: OUTSIDE}, f"{told} span"
    return {}, ""
