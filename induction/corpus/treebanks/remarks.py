"""What treebanks hold within their brackets that is no word: identifiers, codes, lemmas, quotes.

The parsed corpora of historical English and Icelandic end each tree with its identifier,
``(ID CMKEMPE,2.5)``, write traces without a node of their own, ``(NP-SBJ *T*-1)``, and the
Icelandic one writes lemmas behind words, ``(N konungur-konungur)``. Switchboard has the speaker in
``(CODE (SYM SpeakerA1))``. The treebanks of SPMRL have features in labels,
``(NP##g=m|n=s## ...)``, and that of AnCora lemmas beside words, ``(d El el)``.

References
----------
Kroch & Taylor (2000), The Penn-Helsinki Parsed Corpus of Middle English. Wallenberg, Ingason,
Sigurdsson & Rognvaldsson (2011), Icelandic Parsed Historical Corpus (IcePaHC).
"""

from __future__ import annotations

import re

from grammar.messages import tell

__all__ = ["without_remarks"]

_IDENTIFIER = re.compile(r"\(ID [^\s()]+,[^\s()]*\)")
_REMARK = re.compile(
    r"\((?:ID (?=[^\s()]+,)|CODE(?=[\s(])|METADATA(?=[\s(]))"
    r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
)
_NOTHING = re.compile(r"\(\s*\)")
_TRACE = re.compile(r"\((?!-NONE-|CODE)([^\s()]+)\s+(0|\*[^\s()]*)\)")
_LEAF = re.compile(r"\((?!-NONE-)[^\s()]+ ([^\s()]+)\)")
_LEMMA = re.compile(r"(?<= )([^\s()]+)-[^\s()-]+(?=\))")
_WITH_LEMMA = re.compile(r"[^\s()]+-[^\s()-]+")
_IN_LABEL = re.compile(r"(?<=\()([^\s()#]+)##[^\s()]*##(?=[\s(])")
_OF_WORDS = re.compile(r"\([^\s()]+\s+([^\s()][^()]*)\)")
_TWO_WORDS = re.compile(r"\(([^\s()]+)\s+([^\s()]+)\s+[^\s()]+\)")
_FEWEST_LEMMAS, _LIKE_THEIR_WORDS = 4, 5
"""For one word in so many at least, its lemma is like it: for signs, names, and particles."""
_QUOTED = re.compile(r'(?<=\s)"([^\s()"]+)"(?=[\s)])')
_UNQUOTED = re.compile(r'(?<=[\s)])[^\s()"]+(?=\s*\))')
_FEW = 20
_BEGINNING = 20_000


def without_remarks(text: str, source: str) -> str:
    r"""Return brackets without what is no word; each kind that is left out is told.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     print(without_remarks("( (IP (PRO he) (C 0) (VB cam)) (ID CM,1.1))", "a.psd"))
    a.psd: what is no word is left out: nodes ID
    a.psd: traces without a node of their own get one: (C 0) is read as (C (-NONE- 0))
    ( (IP (PRO he) (C (-NONE- 0)) (VB cam)) )
    >>> with heard_by(print):
    ...     print(without_remarks('(S (NP "a" "dog") (VP "barks"))', "a.txt"))
    a.txt: words stand in quotes ("a"): they are read without them
    (S (NP a dog) (VP barks))
    """
    historical = "(ID " in text and bool(_IDENTIFIER.search(text))
    if historical or "(CODE" in text:
        text = _without_nodes(text, source)
    if historical:
        text = _with_empty_nodes(text, source)
        text = _without_lemmas(text, source)
    if "##" in text and (first := _IN_LABEL.search(text)) is not None:
        tell(
            f"{source}: features within labels, as in {first[0]!r:.60}, are left out (the form of "
            "SPMRL)"
        )
        text = _IN_LABEL.sub(r"\1", text)
    beginning = text[:_BEGINNING]
    if _have_lemmas_beside(beginning):
        tell(f"{source}: each word has its lemma behind it in its bracket: lemmas are left out")
        return _TWO_WORDS.sub(r"(\1 \2)", text)
    if quoted := _QUOTED.search(beginning):
        leaves = len(_QUOTED.findall(beginning))
        if leaves >= 2 and not _UNQUOTED.search(beginning):
            tell(f"{source}: words stand in quotes ({quoted[0]}): they are read without them")
            return _QUOTED.sub(r"\1", text)
    return text


def _have_lemmas_beside(text: str) -> bool:
    """Say whether all brackets around words hold two, of which some are alike: word and lemma.

    >>> _have_lemmas_beside("(S (d El el) (n gato gato) (v duerme dormir) (f . .))")
    True
    >>> _have_lemmas_beside("(S (NP the dog) (VP sees cats) (PP in it) (NP a tree))")
    False
    """
    words = [found[1].split() for found in _OF_WORDS.finditer(text)]
    if len(words) < _FEWEST_LEMMAS or any(len(pair) != 2 for pair in words):
        return False
    alike = sum(word.casefold() == lemma.casefold() for word, lemma in words)
    return alike * _LIKE_THEIR_WORDS >= len(words)


def _without_nodes(text: str, source: str) -> str:
    """Leave out nodes of identifiers and codes, and what is empty without them."""
    found = sorted({re.split(r"[\s(]", node[1:], maxsplit=1)[0] for node in _REMARK.findall(text)})
    if not found:
        return text
    tell(f"{source}: what is no word is left out: nodes {', '.join(found)}")
    text, more = _REMARK.sub("", text), 1
    while more:
        text, more = _NOTHING.subn("", text)
    return text


def _with_empty_nodes(text: str, source: str) -> str:
    if (first := _TRACE.search(text)) is None:
        return text
    tell(
        f"{source}: traces without a node of their own get one: {first[0]} is read as "
        f"({first[1]} (-NONE- {first[2]}))"
    )
    return _TRACE.sub(r"(\1 (-NONE- \2))", text)


def _without_lemmas(text: str, source: str) -> str:
    leaves = [match[1] for match in _LEAF.finditer(text[:_BEGINNING])]
    if len(leaves) < 2 or not all(_WITH_LEMMA.fullmatch(leaf) for leaf in leaves):
        return text
    tell(f"{source}: words have their lemmas behind them ({leaves[0]}): they are read without them")
    return re.sub(_LEAF, lambda match: _LEMMA.sub(r"\1", match[0]), text)
