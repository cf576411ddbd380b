"""TIGER-XML: sentences as graphs of words (``t``) and constituents (``nt``).

References
----------
Mengel & Lezius (2000), An XML-based representation format for syntactically annotated corpora.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

from grammar.errors import BracketError, located
from grammar.storage.signatures import OF_XML
from induction.corpus.treebanks.constituents import Constituent, Sentence, Word
from induction.corpus.treebanks.graphs import Part, linked
from induction.corpus.treebanks.other_xml import SENTENCES

__all__ = ["is_xml", "tiger_sentences"]

_ROOTS = ("VROOT", "ROOT", "TOP")
"""How constituents are called that only hold together what is at the top."""
_TOP = ""
_HINT = "TIGER-XML has sentences <s> with a <graph> of <terminals> and <nonterminals>"


def is_xml(data: bytes) -> bool:
    """Say whether a file begins as XML does.

    >>> is_xml(b"<?xml version='1.0'?>"), is_xml(b"(S a)")
    (True, False)
    """
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith((b"<?xml", b"<corpus", b"<!--"))


def tiger_sentences(data: bytes, source: str) -> Iterator[Sentence]:
    """Yield the sentences of a file; lemmas, morphology and secondary edges are left out.

    Elements of other treebanks in XML are sentences, too: see
    :mod:`induction.corpus.treebanks.other_xml`.

    Raises
    ------
    BracketError
        If it is no XML, or other XML, it declares entities, or constituents are no tree.
    """
    if b"<!ENTITY" in data or b"<!DOCTYPE" in data:
        raise BracketError(
            "the file declares entities, which are not read", where=source, hint="write them out"
        )
    found, number = False, 0
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(data), events=("end",)):
            if element.tag == "s" and element.find("graph") is not None:
                found = True
                where = f"{source}, sentence {element.get('id', '')}"
                yield Sentence(_top(element, where), where)
                element.clear()
            elif element.tag in SENTENCES:
                number += 1
                where = f"{source}, sentence {element.get('nb') or element.get('id') or number}"
                with located(where):
                    sentence = SENTENCES[element.tag](element, where)
                if sentence.top:
                    found = True
                    yield sentence
                element.clear()
    except ElementTree.ParseError as error:
        line, column = error.position
        raise BracketError(
            f"this is no XML: {error}", where=f"{source}:{line}:{column + 1}", hint=_HINT
        ) from None
    if not found:
        raise BracketError(
            "this is XML, but no treebank that is known (TIGER, Alpino, French Treebank, CoreNLP)",
            where=source,
            hint=f"{_HINT}; of XML that holds texts, {OF_XML}",
        )


def _top(sentence: ElementTree.Element, where: str) -> list[Part]:
    words = [
        (one.get("id", ""), Word(number, one.get("word", ""), one.get("pos", "--")))
        for number, one in enumerate(sentence.iter("t"))
    ]
    constituents: dict[str, Constituent] = {}
    above: dict[str, str] = {}
    edges: dict[str, str] = {}
    for one in sentence.iter("nt"):
        name = one.get("id", "")
        constituents[name] = Constituent(one.get("cat", "--"))
        for edge in one.iter("edge"):
            child = edge.get("idref", "")
            if child in above:
                raise BracketError(
                    f"{child} is in two constituents", where=where, hint="keep one edge to it"
                )
            above[child], edges[child] = name, edge.get("label", "")
    named: list[tuple[str, Part]] = [*words, *constituents.items()]
    for name, part in named:
        part.edge = edges.get(name, "")
    top = linked([(part, above.get(name, _TOP)) for name, part in named], constituents, _TOP, where)
    if len(top) == 1 and isinstance(top[0], Constituent) and top[0].label in _ROOTS:
        return top[0].parts
    return top
