"""The SCAN language: trees, meanings, the whole language, the way back, and audits."""

import functools
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scan
from grammar.errors import CorpusError, OptionError, TreewrightError
from grammar.trees.tree import Tree
from induction.corpus.corpus import Corpus
from scan.generator import commands, commands_for, generate, verify
from scan.language import CommandError, actions_of, expansions, interpret, meaning, parse
from scan.splits import read_pairs

clauses = st.sampled_from(expansions("s"))
verb_phrases = st.sampled_from(expansions("v"))
all_commands = st.sampled_from(expansions("c"))
primitives = st.sampled_from(expansions("u"))
directions = st.sampled_from(expansions("d2"))


@pytest.fixture(scope="module")
def published(data_folder: Path) -> Corpus:
    return read_pairs(data_folder / "scan" / "tasks.txt.gz")


@pytest.mark.parametrize(
    "text", ["", "walk and", "walk twice twice", "walk and run and look", "wlk"]
)
def test_what_is_no_command_has_no_actions(text: str) -> None:
    assert actions_of(text) is None
    with pytest.raises(CommandError):
        interpret(text)


def test_every_published_pair_is_interpreted_as_published(published: Corpus) -> None:
    assert len(published) == 20_910
    report = verify(published)
    assert report.agreeing == report.total == 20_910, str(report)


def test_the_generated_language_is_the_published_one(published: Corpus) -> None:
    def pairs(corpus: Corpus) -> Counter[tuple[str, str]]:
        return Counter(zip(corpus.column("text"), corpus.column("target"), strict=True))

    assert pairs(generate()) == pairs(published)


def test_commands_come_once_each_in_the_documented_order() -> None:
    texts = commands()
    assert len(texts) == len(set(texts)) == 20_910
    conjunctions = [
        "and" if " and " in text else "after" if " after " in text else "" for text in texts
    ]
    assert conjunctions == [""] * 102 + ["and"] * 102**2 + ["after"] * 102**2
    assert texts[102:104] == ("walk and walk", "walk and look")
    assert generate().column("text") == list(texts)
    assert generate().column("id") == [str(place) for place in range(20_910)]


@pytest.mark.parametrize(
    ("command", "actions"),
    [
        # the examples of Lake & Baroni 2018, figure 1
        ("jump", "I_JUMP"),
        ("jump left", "I_TURN_LEFT I_JUMP"),
        ("jump around right", "I_TURN_RIGHT I_JUMP " * 4),
        ("turn left twice", "I_TURN_LEFT I_TURN_LEFT"),
        ("jump thrice", "I_JUMP I_JUMP I_JUMP"),
        ("jump opposite left and walk thrice", "I_TURN_LEFT I_TURN_LEFT I_JUMP" + " I_WALK" * 3),
        (
            "jump opposite left after walk around left",
            "I_TURN_LEFT I_WALK " * 4 + "I_TURN_LEFT I_TURN_LEFT I_JUMP",
        ),
        # "turn" adds no action of its own
        ("turn right", "I_TURN_RIGHT"),
        ("turn opposite right", "I_TURN_RIGHT I_TURN_RIGHT"),
        ("turn around left", "I_TURN_LEFT " * 4),
    ],
)
def test_meanings_of_the_paper(command: str, actions: str) -> None:
    assert interpret(command) == tuple(actions.split())


@pytest.mark.parametrize(
    ("command", "tree"),
    [
        ("walk", "(C (S (V (U walk))))"),
        ("turn left", "(C (S (V (D (D1 turn) (D2 left)))))"),
        ("run opposite right", "(C (S (V (D1 (U run)) opposite (D2 right))))"),
        (
            "look thrice after jump left twice",
            "(C (S (V (U look)) thrice) after (S (V (D (D1 (U jump)) (D2 left))) twice))",
        ),
    ],
)
def test_trees(command: str, tree: str) -> None:
    assert str(parse(command)) == tree
    assert parse(command) == Tree.parse(tree)


@given(all_commands)
def test_a_tree_yields_its_command_and_its_meaning(command: str) -> None:
    tree = parse(command)
    assert " ".join(tree.leaves()) == command
    # interpret looks clauses up; the tree says the same
    assert meaning(tree) == interpret(command)


@given(clauses, clauses)
def test_conjunctions(first: str, second: str) -> None:
    assert interpret(f"{first} and {second}") == interpret(first) + interpret(second)
    assert interpret(f"{first} after {second}") == interpret(second) + interpret(first)


@given(verb_phrases)
def test_repetition(phrase: str) -> None:
    assert interpret(f"{phrase} twice") == interpret(phrase) * 2
    assert interpret(f"{phrase} thrice") == interpret(phrase) * 3


@given(primitives, directions)
def test_directions(verb: str, direction: str) -> None:
    turn, act = interpret(f"turn {direction}"), interpret(verb)
    assert interpret(f"{verb} {direction}") == turn + act
    assert interpret(f"{verb} opposite {direction}") == turn * 2 + act
    assert interpret(f"{verb} around {direction}") == (turn + act) * 4


@given(clauses)
def test_length_formula(clause: str) -> None:
    words = clause.split()
    turns = {"opposite": 2, "around": 4}.get(words[1] if len(words) > 1 else "", 1)
    turns = turns if {"left", "right"} & set(words) else 0
    acts = 0 if words[0] == "turn" else 4 if "around" in words else 1
    times = {"twice": 2, "thrice": 3}.get(words[-1], 1)
    assert len(interpret(clause)) == (turns + acts) * times


@given(all_commands, st.sampled_from([" ", "  ", "\t", "\n"]))
def test_white_space_does_not_matter(command: str, gap: str) -> None:
    assert interpret(gap + command.replace(" ", gap) + gap) == interpret(command)


@given(all_commands)
def test_mirror_image(command: str) -> None:
    swapped = {"left": "right", "right": "left", "I_TURN_LEFT": "I_TURN_RIGHT"}
    swapped["I_TURN_RIGHT"] = "I_TURN_LEFT"
    mirrored = " ".join(swapped.get(word, word) for word in command.split())
    assert interpret(mirrored) == tuple(swapped.get(a, a) for a in interpret(command))


@functools.cache
def followers() -> dict[tuple[str, ...], set[str]]:
    """What follows each beginning of a command in the language, "" for its end: by listing all."""
    table: dict[tuple[str, ...], set[str]] = {}
    for command in commands():
        words = command.split()
        for place, word in enumerate([*words, ""]):
            table.setdefault(tuple(words[:place]), set()).add(word)
    return table


known_words = st.sampled_from(sorted(set(" ".join(expansions("c")).split())))


@given(all_commands, st.integers(0, 9), st.lists(known_words, max_size=3))
def test_word_salad_is_a_command_or_one_exact_error(
    command: str, kept: int, salad: list[str]
) -> None:
    words = [*command.split()[:kept], *salad]
    place = 0
    while place <= len(words) and [*words, ""][place] in followers()[tuple(words[:place])]:
        place += 1
    if place > len(words):
        assert list(parse(" ".join(words)).leaves()) == words
        return
    with pytest.raises(CommandError) as caught:
        interpret(" ".join(words))
    follow = followers()[tuple(words[:place])]
    assert set(re.split(r",? (?:or go on |start |go on )?with |, ", caught.value.hint)[1:]) == (
        follow - {""}
    )
    assert ("may end there" in caught.value.hint) == ("" in follow)
    if place < len(words):
        assert caught.value.where.startswith(f"word {place + 1} of ")
    elif words:
        assert caught.value.where.startswith("end of ")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the command is empty\n  hint: it may start with jump, look, run, turn, walk"),
        (" \n", "the command is empty\n  hint: it may start with jump, look, run, turn, walk"),
        (
            "walk and jmup",
            "word 3 of 'walk and jmup': unknown word 'jmup'\n  hint: did you mean 'jump'? "
            "The words are after, and, around, jump, left, look, opposite, right, run, thrice, "
            "turn, twice, walk",
        ),
        ("Walk", "word 1 of 'Walk': unknown word 'Walk'\n  hint: did you mean 'walk'? The words"),
        ("fly", "word 1 of 'fly': unknown word 'fly'\n  hint: The words are after, and"),
        ("walk, run", "word 1 of 'walk, run': unknown word 'walk,'\n  hint: did you mean 'walk'?"),
        (
            "twice",
            "word 1 of 'twice': 'twice' cannot start a command\n"
            "  hint: it may start with jump, look, run, turn, walk",
        ),
        (
            "walk after",
            "end of 'walk after': the command breaks off after 'after'\n"
            "  hint: it may go on with jump, look, run, turn, walk",
        ),
        (
            "run around twice",
            "word 3 of 'run around twice': 'twice' cannot follow 'run around'\n"
            "  hint: it may go on with left, right",
        ),
        (
            "turn left left",
            "word 3 of 'turn left left': 'left' cannot follow 'turn left'\n"
            "  hint: the command may end there, or go on with after, and, thrice, twice",
        ),
        (
            "walk and run and jump",
            "word 4 of 'walk and run and jump': 'and' cannot follow 'walk and run'\n"
            "  hint: the command may end there, or go on with around, left, opposite, right, "
            "thrice, twice",
        ),
        (None, "None: a command is text, not NoneType\n  hint: join the words with spaces"),
        (["jump"], "['jump']: a command is text, not list\n  hint: join the words with spaces"),
    ],
)
@pytest.mark.parametrize("call", [parse, interpret])
def test_bad_commands(call: Callable[[str], object], command: str, message: str) -> None:
    with pytest.raises(CommandError) as caught:
        call(command)
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, TreewrightError)
    assert isinstance(caught.value, ValueError)


def test_expansions_of_an_unknown_symbol() -> None:
    with pytest.raises(OptionError, match="unknown symbol 'x'") as caught:
        expansions("x")
    assert caught.value.hint == "the symbols are c, d, d1, d2, s, u, v"


def test_a_long_command_is_quoted_in_part() -> None:
    with pytest.raises(CommandError) as caught:
        interpret("walk " * 1000)
    assert len(str(caught.value)) < 300
    with pytest.raises(CommandError) as caught:
        interpret("walk" * 1000)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["(V (U fly))", "(S a b c d)", "(C (U walk) (X and) (U run))"])
def test_trees_of_another_language_have_no_meaning(text: str) -> None:
    with pytest.raises(CommandError):
        meaning(Tree.parse(text))


def test_commands_for_is_the_inverse() -> None:
    back: Counter[str] = Counter()
    for actions in {interpret(command) for command in commands()}:
        found = commands_for(actions)
        back.update(found)
        assert all(interpret(command) == actions for command in found)
    assert back == Counter(commands())


@given(all_commands)
def test_commands_for_takes_text_or_actions(command: str) -> None:
    actions = interpret(command)
    assert command in commands_for(actions)
    assert commands_for(actions) == commands_for(" ".join(actions)) == commands_for(iter(actions))


@pytest.mark.parametrize("actions", ["", "I_FLY", [], "i_jump", "I_JUMP " * 49])
def test_commands_for_meanings_outside_the_language(actions: str) -> None:
    assert commands_for(actions) == ()


def test_audit_finds_planted_errors() -> None:
    texts, targets = generate().column("text"), generate().column("target")
    targets[3] = "I_WALK"
    texts[1_000] = "jump and jump and jump"
    targets[20_909] = None
    report = verify(Corpus.from_columns(text=texts, target=targets))
    assert (report.total, report.agreeing, report.outside) == (20_910, 20_907, 1)
    assert report.rate == 20_907 / 20_910
    assert [pair.id for pair in report.disagreements] == ["3", "1000", "20909"]
    first, second, _ = report.disagreements
    assert (first.text, first.target, first.expected) == ("jump", "I_WALK", "I_JUMP")
    assert second.expected == (
        "word 4 of 'jump and jump and jump': 'and' cannot follow 'jump and jump'"
    )
    assert "20907 of 20910 pairs agree with the interpreter (99.99%)" in str(report)


def test_audit_lists_only_the_first_few() -> None:
    report = verify(Corpus.from_columns(text=["walk"] * 9, target=["I_RUN"] * 9))
    assert (report.agreeing, report.outside, len(report.disagreements)) == (0, 0, 5)
    assert str(report).endswith("... and 4 more")


def test_audit_of_nothing_and_of_no_pairs() -> None:
    report = verify(Corpus.from_columns(text=[], target=[]))
    assert (report.rate, str(report)) == (1.0, "0 of 0 pairs agree with the interpreter")
    with pytest.raises(CorpusError, match="no column 'target'"):
        verify(Corpus.from_columns(text=["walk"]))


def test_importing_scan_loads_nothing_heavy() -> None:
    code = (
        "import sys, scan; heavy = {'torch', 'lark', 'pyarrow'} & set(sys.modules); "
        "assert not heavy, heavy; scan.split, scan.verify, scan.interpret; "
        "assert not {'torch', 'lark'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))


def test_the_front_names_are_there() -> None:
    for name in scan.__all__:
        assert getattr(scan, name) is not None
    assert set(scan.__all__) <= set(dir(scan))
    with pytest.raises(AttributeError, match="no attribute 'splitt'"):
        _ = scan.splitt
