"""Trees in XML whose elements are the constituents: Alpino, the French Treebank; and CoreNLP's.

Alpino has ``<node cat="np" begin="0">`` over ``<node word="kat" pos="noun" begin="1">``; nodes
without a word that only point to another are left out. The French Treebank has ``<NP>`` over
``<w cat="N">chat</w>``, and words of several parts as ``w`` within ``w``. CoreNLP has brackets in
``<parse>``.

References
----------
Bouma, van Noord & Malouf (2001), Alpino: wide-coverage computational analysis of Dutch. Abeille,
Clement & Toussenel (2003), Building a treebank for French. Manning et al. (2014), The Stanford
CoreNLP natural language processing toolkit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from xml.etree.ElementTree import Element

from grammar.trees.folding import fold
from grammar.trees.tree import Tree
from induction.corpus.treebanks.constituents import Constituent, Sentence, Word

__all__ = ["SENTENCES"]


def _of_alpino(element: Element, where: str) -> Sentence:
    made = [fold(node, _nodes, _alpino_part) for node in _nodes(element)]
    top = [part for part in made if part is not None]
    words = sorted(_words(top), key=lambda word: word.position)
    for place, word in enumerate(words):  # a node may stand for several, and numbers be missing
        word.position = place
    return Sentence(top, where)


def _nodes(element: Element) -> list[Element]:
    return [child for child in element if child.tag == "node"]


def _alpino_part(
    node: Element, parts: list[Constituent | Word | None]
) -> Constituent | Word | None:
    word = node.get("word")
    if word is not None:
        tag = node.get("pos") or node.get("pt") or "--"
        return Word(int(node.get("begin", "0")), word, tag, _edge(node.get("rel")))
    held = [part for part in parts if part is not None]
    return Constituent(node.get("cat", "--"), held, _edge(node.get("rel"))) if held else None


def _edge(relation: str | None) -> str:
    return "HD" if relation == "hd" else relation or ""


def _words(parts: list[Constituent | Word]) -> Iterator[Word]:
    waiting = parts[::-1]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Word):
            yield part
        else:
            waiting.extend(reversed(part.parts))


def _of_french(element: Element, where: str) -> Sentence:
    made = [fold(child, list, _french_part) for child in element]
    top = [part for part in made if part is not None]
    for place, word in enumerate(_words(top)):
        word.position = place
    return Sentence(top, where)


def _french_part(
    node: Element, parts: list[Constituent | Word | None]
) -> Constituent | Word | None:
    held = [part for part in parts if part is not None]
    if node.tag == "w":
        tag = node.get("cat") or node.get("catint") or "--"
        if held:
            return Constituent(tag, held)
        form = "".join((node.text or "").split())
        return Word(0, form, tag) if form else None
    return Constituent(node.tag, held) if held else None


def _of_corenlp(element: Element, where: str) -> Sentence:
    tree = Tree.parse((element.text or "").strip())
    place = iter(range(len(tree.leaves())))

    def part(node: Tree | str, parts: list[Constituent | Word]) -> Constituent | Word:
        if isinstance(node, str):
            return Word(next(place), node)
        if len(parts) == 1 and isinstance(parts[0], Word) and parts[0].tag is None:
            return Word(parts[0].position, parts[0].form, node.label)
        return Constituent(node.label, parts)

    top = fold(tree, lambda node: getattr(node, "children", ()), part)
    return Sentence([top], where)


SENTENCES: Mapping[str, Callable[[Element, str], Sentence]] = MappingProxyType(
    {"alpino_ds": _of_alpino, "SENT": _of_french, "parse": _of_corenlp}
)
"""What makes a sentence of an element, by its name."""
