"""What treebanks hold within their brackets that is no word: identifiers, codes, lemmas, quotes.

The parsed corpora of historical English and Icelandic end each tree with its identifier,
``(ID CMKEMPE,2.5)``, write traces without a node of their own, ``(NP-SBJ *T*-1)``, and the
Icelandic one writes lemmas behind words, ``(N konungur-konungur)``. Switchboard has the speaker in
``(CODE (SYM SpeakerA1))``.

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
    beginning = text[:_BEGINNING]
    if quoted := _QUOTED.search(beginning):
        leaves = len(_QUOTED.findall(beginning))
        if leaves >= 2 and not _UNQUOTED.search(beginning):
            tell(f"{source}: words stand in quotes ({quoted[0]}): they are read without them")
            return _QUOTED.sub(r"\1", text)
    return text


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
