"""Constituents that a dependency tree tells of, against subtrees that are walked through."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from induction.corpus.conllu import read_conllu
from induction.trees.dependency_brackets import PHRASES, dependency_brackets

RELATIONS = ("nsubj", "obl:tmod", "acl:relcl", "det", "conj", "punct")


def by_hand(heads: list[int], relations: list[str]) -> list[tuple[int, int]]:
    def below(word: int) -> set[int]:
        found = {word}
        for other, head in enumerate(heads):
            if head == word + 1:
                found |= below(other)
        return found

    signs = {word for word, relation in enumerate(relations) if relation == "punct"}
    made = set()
    for word, relation in enumerate(relations):
        words = below(word) - signs
        if relation.split(":")[0] in PHRASES and len(words) > 1:
            begin, end = min(words), max(words) + 1
            if words == set(range(begin, end)) - signs:
                made.add((begin, end))
    return sorted(made)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[str]]:
    words = draw(st.integers(1, 9))
    order = draw(st.permutations(range(words)))
    heads = [0] * words
    for n, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, n - 1))] + 1
    return heads, draw(st.lists(st.sampled_from(RELATIONS), min_size=words, max_size=words))


@given(trees())
def test_brackets_are_subtrees_without_gaps(tree: tuple[list[int], list[str]]) -> None:
    assert dependency_brackets(*tree) == by_hand(*tree)


def test_coordination_and_what_is_not_one_piece_are_left_out() -> None:
    # the cat and the dog ran
    relations = ["det", "nsubj", "cc", "det", "conj", "root"]
    assert dependency_brackets([2, 6, 5, 5, 2, 0], relations) == [(0, 5)]
    # a hearing was held on it
    relations = ["det", "nsubj:pass", "aux", "root", "case", "nmod"]
    assert dependency_brackets([2, 4, 4, 0, 6, 2], relations) == [(4, 6)]


def test_the_subtrees_of_a_treebank_are_mostly_pieces(data_folder: Path, tmp_path: Path) -> None:
    packed = data_folder / "ud" / "UD_English-EWT" / "en_ewt-ud-dev.conllu.gz"
    corpus = read_conllu(packed)
    rows = zip(corpus.column("heads"), corpus.column("deprels"), strict=True)
    brackets = [dependency_brackets(*row) for row in rows]
    assert 2.0 < sum(map(len, brackets)) / len(brackets) < 4.0
