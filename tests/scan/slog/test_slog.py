"""SLOG: reading, conversion, what is held out, and what a grammar answers."""

import pytest

from grammar.errors import CorpusError, OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from induction.corpus.corpus import Corpus
from scan.cogs.experiment import grammar_answers
from scan.slog.conversion import convert_slog, to_published, to_term
from scan.slog.data import read_slog, slog
from scan.slog.experiment import Answers, hold_out, slog_answers, slog_pairs, whole
from scan.slog.structures import STRUCTURES

LINES = """\
A cat ran .\trun ( agent = cat )\tin_distribution

Ann saw the cake on a table .\tsee ( agent = Ann , theme = * cake ( nmod . on = table ) )\tpp
Who ran ?\trun ( agent = ? )\tquestion
"""


@pytest.fixture
def read(tmp_path) -> Corpus:
    (tmp_path / "a.tsv").write_text(LINES)
    return read_slog(tmp_path / "a.tsv")


def test_lines_are_read_and_converted_both_ways(read: Corpus) -> None:
    assert read.column("category") == ["in_distribution", "pp", "question"]
    assert read.column("id") == ["1", "3", "4"]
    assert slog_pairs(read)[:2] == [
        ("a cat ran .", "run ( agent = cat )"),
        ("Ann saw the cake on a table .",
         "see ( agent = Ann , theme = * cake ( nmod.on = table ) )"),
    ]  # fmt: skip
    back = convert_slog(convert_slog(read, "terms"), "published")
    assert back.column("target") == read.column("target")
    with pytest.raises(OptionError, match="published, terms"):
        convert_slog(read, "short")


@pytest.mark.parametrize(
    ("text", "message"),
    [("Ann ran .\trun", "not a line of SLOG"), ("\n", "no lines"), ("a\t\tb", "not a line")],
)
def test_what_is_no_file_of_slog(tmp_path, text: str, message: str) -> None:
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_slog(tmp_path / "a.tsv")


def test_there_is_no_generalisation_part() -> None:
    with pytest.raises(OptionError, match="give a file"):
        slog("gen")


def test_published_forms_come_back(data_folder) -> None:
    targets = slog("dev").column("target")
    assert [to_published(to_term(target)) for target in targets] == targets


def test_every_structure_is_there_and_none_is_left(data_folder) -> None:
    pairs = slog("dev")
    for name in STRUCTURES:
        rest, held = hold_out(pairs, name, most=50)
        assert 0 < len(held) <= 50, name
        assert len(hold_out(rest, name)[1]) == 0


def test_several_structures_are_held_out_at_once(data_folder) -> None:
    pairs = slog("dev")
    names = ("centre embedding", "relative clauses below that")
    rest, held = hold_out(pairs, *names, most=20)
    assert set(held.column("category")) == set(names)
    assert len(held) <= 40
    for name in names:
        assert len(hold_out(rest, name)[1]) == 0
    whole, none = hold_out(pairs)
    assert (len(whole), len(none)) == (len(pairs), 0)


def test_answers_are_counted(read: Corpus) -> None:
    grammar = SynchronousGrammar.parse("""
        %start S
        S -> a cat ran . ### run ( agent = cat ) [0.5]
        S -> Who ran '?' ### '?' ( ^ = run ( agent = Ann ) ) [0.5]
    """)
    found = slog_answers(grammar_answers(grammar, read.column("text")), read)
    assert found["in_distribution"] == Answers(1, 0, 0)
    assert found["pp"] == Answers(0, 0, 1)
    assert found["question"] == Answers(0, 1, 0)
    assert whole(list(found.values())) == Answers(1, 1, 1)
    assert whole([]).exact == 0.0
