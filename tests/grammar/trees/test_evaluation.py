"""Bracketing scores: cases worked out by hand, and evalb's procedure written plainly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import MismatchError, NotationError, OptionError, TreewrightError
from grammar.trees.evalb_parameters import EvalbParameters
from grammar.trees.evaluation import NO_PARSE, evalb
from grammar.trees.scores import SentenceScore
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from treewright.verbs.evalb import evalb as evalb_verb
from treewright.verbs.evalb import read_predicted

# --- evalb's procedure with COLLINS.prm, written plainly -------------------------------------

DELETE = {"TOP", "-NONE-", ",", ":", "``", "''", "."}


def read_line(tree: Tree) -> tuple[list[tuple[str, str]], list[list[object]], int]:
    """Words with tags, brackets, and the length, of one tree."""
    words: list[tuple[str, str]] = []
    brackets: list[list[object]] = []
    length = 0

    def visit(node: Tree) -> None:
        nonlocal length
        if len(node.children) == 1 and isinstance(node.children[0], str):
            length += node.label != "-NONE-"
            if node.label not in DELETE:
                words.append((node.children[0], node.label))
            return
        bracket: list[object] = [node.label, len(words), -1]
        brackets.append(bracket)
        for child in node.children:
            assert isinstance(child, Tree)
            visit(child)
        bracket[2] = len(words)

    visit(tree)
    return words, brackets, length


def labels_alike(one: str, other: str) -> bool:
    return one == other or {one, other} == {"ADVP", "PRT"}


def plain_evalb(gold: Tree, test: Tree) -> SentenceScore:
    words1, brackets1, length = read_line(gold)
    words2, brackets2, _ = read_line(test)
    if not words2:
        return SentenceScore("skipped", length)
    if [w for w, _ in words1] != [w for w, _ in words2]:
        return SentenceScore("error", length)
    kept: list[list[list[object]]] = []
    for brackets in (brackets1, brackets2):
        kept.append([])
        for label, start, end in brackets:
            label = re.split("[-=]", str(label))[0]
            if start != end and label not in DELETE:
                kept[-1].append([label, start, end])
    matched, used = 0, set()
    for label, start, end in kept[0]:
        for j, (other, begin, stop) in enumerate(kept[1]):
            alike = labels_alike(str(label), str(other))
            if j not in used and (start, end) == (begin, stop) and alike:
                used.add(j)
                matched += 1
                break
    crossing = sum(
        any(a < c < b < d or c < a < d < b for _, a, b in kept[0])  # type: ignore[operator]
        for _, c, d in kept[1]
    )
    tags = sum(labels_alike(a, b) for (_, a), (_, b) in zip(words1, words2, strict=True))
    return SentenceScore(
        "valid", length, len(kept[0]), len(kept[1]), matched, crossing, len(words1), tags
    )


TAGS = st.sampled_from(["NN", "VB", ",", ".", "-NONE-", "``"])
LABELS = st.sampled_from(["S", "NP", "NP-SBJ", "ADVP", "PRT", "TOP", "NP=2"])


@st.composite
def trees_over(draw: st.DrawFn, words: list[str]) -> Tree:
    """A random tree over words, unary chains and all."""
    nodes = [Tree(draw(TAGS), (word,)) for word in words]
    while len(nodes) > 1:
        start = draw(st.integers(0, len(nodes) - 2))
        end = draw(st.integers(start + 1, min(start + 3, len(nodes))))
        nodes[start:end] = [Tree(draw(LABELS), tuple(nodes[start:end]))]
        if draw(st.integers(0, 9)) == 0:
            break
    return Tree("TOP", tuple(nodes))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    words = [f"w{i}" for i in range(draw(st.integers(1, 8)))]
    gold = draw(trees_over(words))
    choice = draw(st.integers(0, 9))
    if choice == 0:
        return gold, NO_PARSE
    if choice == 1:
        return gold, Tree("TOP", tuple(Tree("NN", (word,)) for word in [*words, "more"]))
    return gold, draw(trees_over(words))


@settings(max_examples=300, deadline=None)
@given(st.lists(pairs(), min_size=1, max_size=5))
def test_every_count_is_that_of_the_plain_procedure(given_pairs: list[tuple[Tree, Tree]]) -> None:
    gold, test = [g for g, _ in given_pairs], [t for _, t in given_pairs]
    result = evalb(gold, test, max_length=4)
    assert list(result.sentences) == [plain_evalb(g, t) for g, t in given_pairs]
    assert evalb(Treebank.from_trees(gold), Treebank.from_trees(test), max_length=4) == result
    missing = [None if t is NO_PARSE else t for t in test]
    assert evalb(gold, missing, max_length=4) == result
    for name in ("gold", "predicted", "matched"):
        total = sum(getattr(label, name) for label in result.labels)
        assert total == getattr(result.all, name)
    assert result.short.sentences == sum(s.length <= 4 for s in result.sentences)


@settings(max_examples=100, deadline=None)
@given(st.lists(pairs(), min_size=1, max_size=5))
def test_swapping_the_sides_swaps_recall_and_precision(
    given_pairs: list[tuple[Tree, Tree]],
) -> None:
    kept = [(g, t) for g, t in given_pairs if plain_evalb(g, t).status == "valid"]
    one = evalb([g for g, _ in kept], [t for _, t in kept]).all
    other = evalb([t for _, t in kept], [g for g, _ in kept]).all
    assert (one.recall, one.precision, one.f1) == (other.precision, other.recall, other.f1)
    assert (one.complete_match, one.tagging) == (other.complete_match, other.tagging)


@given(st.lists(pairs(), max_size=4))
def test_a_tree_matches_itself(given_pairs: list[tuple[Tree, Tree]]) -> None:
    trees = [g for g, t in given_pairs if plain_evalb(g, g).status == "valid"]
    score = evalb(trees, trees).all
    assert score.valid == len(trees)
    if score.gold:
        assert (score.recall, score.precision, score.f1) == (100.0, 100.0, 100.0)
    if trees:
        assert (score.complete_match, score.no_crossing, score.tagging) == (100.0, 100.0, 100.0)
        assert score.average_crossing == 0.0


# --- cases worked out by hand ----------------------------------------------------------------


def score_of(gold: str, predicted: str) -> SentenceScore:
    return evalb([Tree.parse(gold)], [Tree.parse(predicted)]).sentences[0]


def test_the_example_of_evalbs_readme() -> None:
    # (, ,) and (. .) are deleted and TOP does not count, so the brackets over
    #   No it was n't Black Monday   are   S 0-6, INTJ 0-1, NP 1-2, VP 2-6, NP 4-6
    # "n't" tagged as NN: 5 of the 6 tags; evalb prints 8 words, 5 brackets, 5 of 6 tags
    gold = (
        "(TOP (S (INTJ (RB No)) (, ,) (NP (PRP it)) (VP (VBD was) (RB n't) "
        "(NP (NNP Black) (NNP Monday))) (. .)))"
    )
    predicted = gold.replace("(RB n't)", "(NN n't)")
    assert score_of(gold, predicted) == SentenceScore("valid", 8, 5, 5, 5, 0, 6, 5)


def test_attachment() -> None:
    # gold:      S 0-6  NP 0-1  VP 1-6  NP 2-6  NP 2-3  PP 3-6  NP 4-6
    # predicted: S 0-6  NP 0-1  VP 1-6          NP 2-3  PP 3-6  NP 4-6
    # all 6 predicted brackets are right; gold NP 2-6 is missed: recall 6/7
    gold = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NNS men)) (PP (IN with) (NP (DT a) (NN hat))))))"
    flat = "(S (NP (PRP I)) (VP (VBD saw) (NP (NNS men)) (PP (IN with) (NP (DT a) (NN hat)))))"
    result = evalb([Tree.parse(gold)], [Tree.parse(flat)])
    assert result.sentences[0] == SentenceScore("valid", 6, 7, 6, 6, 0, 6, 6)
    assert result.all.recall == pytest.approx(100 * 6 / 7)
    assert result.all.precision == 100.0
    assert result.all.f1 == pytest.approx(100 * 12 / 13)
    assert result.all.complete_match == 0.0
    by_label = {score.label: score for score in result.labels}
    assert (by_label["NP"].gold, by_label["NP"].predicted, by_label["NP"].matched) == (4, 3, 3)
    assert by_label["NP"].recall == 75.0


def test_crossing_brackets_are_those_of_the_predicted_tree() -> None:
    # gold has X 0-2, and X 1-2 in it; predicted Y 1-3 and Z 1-4 both cross X 0-2, and nothing
    # else: two crossing brackets
    gold = "(S (X (A a) (X (A b) (, ,))) (A c) (A d))"
    predicted = "(S (A a) (Z (Y (A b) (, ,) (A c)) (A d)))"
    assert score_of(gold, predicted).crossing == 2
    # swapped, X 0-2 crosses both Y 1-3 and Z 1-4, which makes it one crossing bracket
    assert score_of(predicted, gold).crossing == 1


def test_average_crossing_and_its_shares() -> None:
    # three sentences with 0, 2 and 3 crossing brackets
    gold = Treebank.parse(
        "(S (A a) (A b)) (S (X (A a) (A b)) (A c) (A d)) (S (X (A a) (A b)) (A c) (A d) (A e))"
    )
    predicted = Treebank.parse(
        "(S (A a) (A b)) (S (A a) (Y (Y (A b) (A c)) (A d)))"
        "(S (A a) (Y (Y (Y (A b) (A c)) (A d)) (A e)))"
    )
    score = evalb(gold, predicted).all
    assert [s.crossing for s in evalb(gold, predicted).sentences] == [0, 2, 3]
    assert score.average_crossing == pytest.approx(5 / 3)
    assert score.no_crossing == pytest.approx(100 / 3)
    assert score.few_crossing == pytest.approx(200 / 3)


def test_equal_labels_over_equal_words_count_as_often_as_they_stand() -> None:
    # gold NP NP NP, predicted NP NP over the same word: 2 of 3
    assert score_of("(S (NP (NP (NP (A a)))) (A b))", "(S (NP (NP (A a))) (A b))") == SentenceScore(
        "valid", 2, 4, 3, 3, 0, 2, 2
    )


def test_labels_are_cut_and_prt_is_advp() -> None:
    gold = "(S (NP-SBJ=1 (A a)) (PRT (B b)) (ADVP-TMP (C c)))"
    predicted = "(S (NP (A a)) (ADVP (B b)) (PRT (C c)))"
    assert score_of(gold, predicted).matched == 4
    assert {s.label for s in evalb([Tree.parse(gold)], [Tree.parse(predicted)]).labels} == {
        "S", "NP", "ADVP",
    }  # fmt: skip


def test_tags_are_compared_whole() -> None:
    assert score_of("(S (PRP$ my) (NN-X a))", "(S (PRP my) (NN a))").tags == 0


def test_traces_and_what_covers_only_them_do_not_count() -> None:
    # over the words "he left": S 0-2, NP 0-1, VP 1-2; the length leaves the traces out
    gold = "(S (NP (PRP he)) (VP (VBD left) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (NP (-NONE- *)))"
    assert score_of(gold, "(S (NP (PRP he)) (VP (VBD left)))") == SentenceScore(
        "valid", 2, 3, 3, 3, 0, 2, 2
    )


def test_punctuation_may_be_spelt_otherwise_and_moved() -> None:
    # deleted words are not compared, and where they hang does not matter
    gold = "(S (`` ``) (NP (NN x)) (. .))"
    assert score_of(gold, '(TOP (S (NP (`` ") (NN x))) (. .))').status == "valid"


def test_a_mistagged_comma_makes_an_error_as_in_evalb() -> None:
    gold = "(S (NP (NN a)) (, ,) (NP (NN b)))"
    predicted = "(S (NP (NN a)) (NN ,) (NP (NN b)))"
    score = evalb([Tree.parse(gold)] * 2, [Tree.parse(predicted), Tree.parse(gold)])
    assert (score.all.errors, score.all.valid, score.all.f1) == (1, 1, 100.0)
    assert score.numbers("error") == [1]
    # deleted here and there, so that as many words are left, but not the same
    moved = score_of("(S (NN a) (, ,) (NN b))", "(S (, a) (NN ,) (NN b))")
    assert moved == SentenceScore("error", 3)


def test_sentences_of_other_length_are_errors_and_without_parse_are_skipped() -> None:
    gold = Treebank.parse("(S (A a) (A b)) (S (A a)) (S (A c))")
    result = evalb(gold, [Tree.parse("(S (A a))"), None, Tree.parse("(S (A c))")])
    assert [s.status for s in result.sentences] == ["error", "skipped", "valid"]
    assert (result.all.sentences, result.all.valid, result.all.gold) == (3, 1, 1)
    assert "skipped, for want of a parse: sentences 2" in str(result)
    assert "errors, for words that do not pair up: sentences 1" in str(result)


def test_short_sentences_are_those_of_the_gold_tree_with_punctuation() -> None:
    gold = Treebank.parse("(S (A a) (A b) (. .)) (S (A c) (-NONE- *) (-NONE- *))")
    assert evalb(gold, gold, max_length=2).short.sentences == 1
    assert evalb(gold, gold, max_length=3).short.sentences == 2


def test_the_table_and_the_dictionary_say_the_same() -> None:
    gold = [Tree.parse("(S (NP (NN a)) (VP (VB b)))")]
    result = evalb(gold, [Tree.parse("(S (NP (NN a)) (VB b))")])
    facts = json.loads(json.dumps(result.to_dict()))
    assert facts["all"]["recall"] == pytest.approx(200 / 3)
    assert facts["labels"]["VP"] == {
        "gold": 1, "predicted": 0, "matched": 0, "recall": 0.0, "precision": 0.0, "f1": 0.0
    }  # fmt: skip
    lines = str(result).splitlines()
    assert lines[0].split() == ["<=", "40", "words", "all"]
    assert ["F1", "80.00", "80.00"] in [line.split() for line in lines]
    assert ["VP", "1", "0", "0.00", "0.00", "0.00"] in [line.split() for line in lines]


def test_no_trees_at_all() -> None:
    assert evalb([], []).all.f1 == 0.0


def test_what_is_not_the_same_is_said() -> None:
    one, other = Treebank.parse("(S (A a)) (S (A b))"), Treebank.parse("(S (A a)) (S (A c))")
    mismatch = evalb(one, other)
    assert [score.status for score in mismatch.sentences] == ["valid", "error"]
    assert mismatch.all.errors == 1
    with pytest.raises(MismatchError, match="2 gold trees, but 1 predicted"):
        evalb(one, other[:1])
    with pytest.raises(OptionError, match="max_length is -1"):
        evalb(one, one, max_length=-1)


@pytest.mark.parametrize("root", ["TOP", "ROOT", "S1", ""])
def test_names_of_roots_are_one_thing(root: str) -> None:
    inner = Tree.parse("(S (NP (PRP we)) (VP (VBD swam)))")
    result = evalb([Tree("TOP", (inner,))], [Tree(root, (inner,))])
    assert (result.all.f1, result.sentences[0].gold) == (100.0, 3)


PRM = """\
## Debug mode ##
DEBUG 0
MAX_ERROR 10
CUTOFF_LEN 3
LABELED 1
DELETE_LABEL TOP
DELETE_LABEL .
DELETE_LABEL_FOR_LENGTH .
EQ_LABEL ADVP PRT
EQ_WORD Example example
"""


def test_a_number_of_many_digits_is_none():
    with pytest.raises(NotationError, match="CUTOFF_LEN 99.* is no parameter of evalb") as caught:
        EvalbParameters.parse("CUTOFF_LEN " + "9" * 5000)
    assert len(str(caught.value)) < 400


def test_parameters_of_a_file() -> None:
    parameters = EvalbParameters.parse(PRM)
    assert parameters.deleted == {"TOP", "."}
    gold = Tree.parse("(TOP (S (NP (NN example)) (VP (VB ran) (ADVP (RB on))) (. .)))")
    guess = Tree.parse("(ROOT (S (NP (NN Example)) (VP (VB ran) (PRT (RP on))) (. .)))")
    result = evalb([gold], [guess], parameters=parameters)
    assert result.all.f1 == 100.0
    assert result.sentences[0].length == 3
    assert (result.max_length, result.short.sentences) == (3, 1)
    without = evalb([gold], [guess], parameters=EvalbParameters.parse("DELETE_LABEL_FOR_LENGTH x"))
    assert without.all.errors == 1  # the words differ, unless they are said to be alike
    bare = EvalbParameters.parse(PRM.replace("LABELED 1", "LABELED 0"))
    other = Tree.parse("(ROOT (X (Y (NN Example)) (Z (VB ran) (V (RP on))) (. .)))")
    assert evalb([gold], [other], parameters=bare).all.f1 == 100.0


@pytest.mark.parametrize("line", ["DELETE_LABEL", "EQ_LABEL A", "LABELED yes", "NOTHING 1"])
def test_a_line_that_is_no_parameter_is_said(line: str) -> None:
    with pytest.raises(NotationError, match="line 2: .* is no parameter of evalb"):
        EvalbParameters.parse(f"DEBUG 0\n{line}")
    with pytest.raises(NotationError, match="discontinuous"):
        EvalbParameters.parse("DISC_ONLY 1")


def test_words_with_siblings_have_no_tag() -> None:
    assert score_of("(S a b)", "(S a b)") == SentenceScore("valid", 2, 1, 1, 1, 0, 2, 2)


# --- the verb --------------------------------------------------------------------------------

GOLD = "(S (A a) (. .))\n(S (A b))\n(S (A c))\n"


@pytest.mark.parametrize("missing", ["()", "(())", " ( ( ) ) ", ""])
def test_missing_parses_keep_their_lines(tmp_path: Path, missing: str) -> None:
    file = tmp_path / "parsed.mrg"
    file.write_text(f"(S (A a) (. .))\n{missing}\n(S (A c))\n\n")
    trees = read_predicted(str(file), 3)
    assert list(trees)[1] == NO_PARSE
    assert np.array_equal(trees.lengths, [2, 1, 1])


def test_empty_lines_between_trees_are_nothing(tmp_path: Path) -> None:
    file = tmp_path / "parsed.mrg"
    file.write_text("(S (A a)\n   (. .))\n\n(S (A b))\n")
    assert len(read_predicted(str(file), 2)) == 2
    assert len(read_predicted(str(file), 3)) == 2


def test_the_verb_prints_the_table_or_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, parsed = tmp_path / "gold.mrg", tmp_path / "parsed.mrg"
    gold.write_text(GOLD)
    parsed.write_text(GOLD.replace("(S (A b))", "()"))
    evalb_verb(str(gold), str(parsed))
    shown = capsys.readouterr()
    assert "skipped sentences               1            1" in shown.out
    assert "1 sentences are in no score" in shown.err
    evalb_verb(str(gold), str(parsed), as_json=True, quiet=True)
    shown = capsys.readouterr()
    assert json.loads(shown.out)["skipped_sentences"] == [2]
    assert shown.err == ""
    with pytest.raises(TreewrightError, match="both files are standard input"):
        evalb_verb("-", "-")


# --- quotes, and what else .prm files hold ----------------------------------------------------

GOLD_QUOTE = Treebank.parse("(S (NP (NNP Al) (POS ')) (VP (VBD ran)) (. .))")
OTHER_QUOTE = Treebank.parse("(S (NP (NNP Al)) ('' ') (VP (VBD ran)) (. .))")
DELETED = "DELETE_LABEL ''\nDELETE_LABEL .\n"


@pytest.mark.parametrize(("gold", "test"), [(GOLD_QUOTE, OTHER_QUOTE), (OTHER_QUOTE, GOLD_QUOTE)])
def test_quotes_that_are_tagged_otherwise_pair_up_if_it_is_asked_for(gold, test):
    plain = EvalbParameters.parse(DELETED)
    paired = EvalbParameters.parse(f"{DELETED}QUOTE_LABEL ''\nQUOTE_LABEL POS\n")
    assert evalb(gold, test, parameters=plain).all.errors == 1
    result = evalb(gold, test, parameters=paired)
    assert (result.all.errors, result.all.tagging) == (0, 100.0)


def test_words_are_deleted_and_what_is_only_printed_is_passed_over():
    text = "DEBUG 0\nTED 1\nLA 0\nDELETE_ROOT_PRETERMS 0\nDELETE_WORD '\n"
    parameters = EvalbParameters.parse(text)
    assert evalb(GOLD_QUOTE, OTHER_QUOTE, parameters=parameters).all.errors == 0
    with pytest.raises(NotationError, match="are not deleted here"):
        EvalbParameters.parse("DELETE_ROOT_PRETERMS 1")
