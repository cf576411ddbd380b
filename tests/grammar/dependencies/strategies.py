"""Requests as text, small treebanks, and what requests mean, tried by enumeration."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from hypothesis import strategies as st

from grammar.dependencies.requests import (
    ANY_NODE,
    Block,
    Edge,
    FeatureTest,
    LabelTest,
    Relation,
    RelationKind,
    Value,
    parse_request,
)
from grammar.dependencies.treebank import DependencyTreebank

LABELS = ("a", "b", "a:x", "b:x:y", "root")
TESTS = (
    "form=u", "form<>u", "form=u|v", 'lemma=re"[uv]"', 'lemma<>re"u.*"', "N=s", "N<>s", "N", "!N",
    "N=*", "upos=A, N=p", "deprel=a", "L__x=u", "form=w", 'form="u"',
)  # fmt: skip
ARROWS = (
    "->", "-[a]->", "-[a|b]->", "-[^a]->", '-[re"a.*"]->', "-[1=a]->", "-[1=b, 2=x|y]->",
    "-[2<>x]->", "-[root]->", '-[^re"a.*"|b]->',
)  # fmt: skip
FEATURES = ("form", "lemma", "N", "deprel")
Chosen = Mapping[str, int]


@st.composite
def treebanks(draw: st.DrawFn, *, most_words: int = 4) -> DependencyTreebank:
    """Up to two sentences with trees, some of which are not projective."""
    rows = []
    for _ in range(draw(st.integers(1, 2))):
        length = draw(st.integers(1, most_words))
        # a word has a head among those before it in an order of its own, so there is no circle
        order = draw(st.permutations(range(length)))
        heads = [0] * length
        for place, word in enumerate(order[1:], start=1):
            heads[word] = order[draw(st.integers(0, place - 1))] + 1
        rows.append(heads)

    def each(*values: str) -> list[list[str]]:
        return [[draw(st.sampled_from(values)) for _ in row] for row in rows]

    return DependencyTreebank.from_columns(
        form=each("u", "v", "uv"),
        lemma=each("u", "v", "_"),
        upos=each("A", "B"),
        features=each("_", "N=s", "N=p", "L[x]=u|N=s"),
        deprel=each(*LABELS),
        misc=each("_", "N=p|SpaceAfter=No"),
        head=rows,
    )


@st.composite
def requests(draw: st.DrawFn) -> str:
    """Requests of up to three nodes, and blocks that have up to one more."""

    def item(nodes: list[str], known: list[str]) -> str:
        one, other = draw(st.sampled_from(nodes)), draw(st.sampled_from(nodes))
        kind = draw(st.integers(0, 6))
        if kind <= 1:
            tests = " | ".join(
                f"[{draw(st.sampled_from(TESTS))}]" for _ in range(draw(st.integers(1, 2)))
            )
            return f"{one} {tests}"
        if kind <= 3:
            return f"{one} {draw(st.sampled_from(ARROWS))} {other}"
        if kind == 4:
            ends = draw(st.sampled_from([("*", one), (one, "*")]))
            return f" {draw(st.sampled_from(ARROWS))} ".join(ends)
        if kind == 5:
            return f"{one} {draw(st.sampled_from(['<', '<<', '>', '>>']))} {other}"
        one, other = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        sign = draw(st.sampled_from(["=", "<>"]))
        features = [draw(st.sampled_from(FEATURES)) for _ in range(2)]
        return f"{one}.{features[0]} {sign} {other}.{features[1]}"

    def block(kind: str, nodes: list[str], known: list[str]) -> str:
        items = [item(nodes, known) for _ in range(draw(st.integers(1, 3)))]
        return (
            f"{kind} {{ {'; '.join([*(f'{n} []' for n in known if kind == 'pattern'), *items])} }}"
        )

    nodes = ["X", "Y", "Z"][: draw(st.integers(1, 3))]
    texts = [block("pattern", nodes, nodes)]
    for _ in range(draw(st.integers(0, 2))):
        kind = draw(st.sampled_from(["without", "with"]))
        texts.append(block(kind, [*nodes, "W"], nodes))
    return " ".join(texts)


class Twin:
    """The meaning of a request in one sentence, by trying every choice of words."""

    def __init__(self, treebank: DependencyTreebank, sentence: int) -> None:
        self.begin, end = treebank.offsets[sentence : sentence + 2].tolist()
        self.words = range(end - self.begin)
        self._treebank = treebank
        self._head = [int(h) - self.begin for h in treebank.heads[self.begin : end]]

    def hits(self, text: str) -> set[tuple[int, ...]]:
        """Return the words that are nodes of the pattern, in the order of the nodes."""
        request = parse_request(text)
        return {
            tuple(chosen[name] for name in request.pattern.nodes)
            for chosen in self._choices(request.pattern, {})
            if all(
                any(True for _ in self._choices(block, chosen)) == (block.kind == "with")
                for block in request.others
            )
        }

    def _choices(self, block: Block, given: Chosen) -> Iterator[Chosen]:
        new = [name for name in block.nodes if name not in given]
        left = [word for word in self.words if word not in given.values()]
        for words in itertools.permutations(left, len(new)):
            chosen = {**given, **dict(zip(new, words, strict=True))}
            if self._holds(block, chosen):
                yield chosen

    def _holds(self, block: Block, at: Chosen) -> bool:
        return (
            all(
                any(all(self._passes(t, at[name]) for t in tests) for tests in alternatives)
                for name, alternatives in block.tests
            )
            and all(self._has(edge, at) for edge in block.edges)
            and all(self._related(relation, at) for relation in block.relations)
        )

    def _value(self, word: int, feature: str) -> str | None:
        def of(name: str) -> str | None:
            number = self._treebank.columns[name][self.begin + word]
            return None if number < 0 else self._treebank.symbols[number]

        if feature in ("form", "lemma", "upos", "deprel"):
            return of(feature)
        for name in ("features", "misc"):
            for part in (of(name) or "").split("|"):
                if part.startswith(feature.replace("L__x", "L[x]") + "="):
                    return part.split("=")[1]
        return None

    def _passes(self, test: FeatureTest, word: int) -> bool:
        value = self._value(word, test.name)
        if not test.values:
            return (value is None) == test.negated
        return value is not None and _is_one(value, test.values) != test.negated

    def _has(self, edge: Edge, at: Chosen) -> bool:
        if edge.source == ANY_NODE:
            return self._labelled(edge, at[edge.target])
        if edge.target == ANY_NODE:
            return any(
                self._head[w] == at[edge.source] and self._labelled(edge, w) for w in self.words
            )
        target = at[edge.target]
        return self._head[target] == at[edge.source] and self._labelled(edge, target)

    def _labelled(self, edge: Edge, word: int) -> bool:
        label = self._value(word, "deprel")
        assert label is not None
        return all(self._label_passes(test, label) for test in edge.tests)

    def _label_passes(self, test: LabelTest, label: str) -> bool:
        first, colon, rest = label.partition(":")
        part = [label, first, rest if colon else None][test.part]
        return (part is not None and _is_one(part, test.values)) != test.negated

    def _related(self, relation: Relation, at: Chosen) -> bool:
        one, other = at[relation.left], at[relation.right]
        if relation.kind == RelationKind.JUST_BEFORE:
            return one + 1 == other
        if relation.kind == RelationKind.BEFORE:
            return one < other
        left = self._value(one, relation.features[0])
        right = self._value(other, relation.features[1])
        is_same = relation.kind == RelationKind.SAME
        return left is not None and right is not None and (left == right) == is_same


def _is_one(value: str, values: tuple[Value, ...]) -> bool:
    return any(
        re.fullmatch(each.text, value) is not None if each.is_regex else each.text == value
        for each in values
    )
