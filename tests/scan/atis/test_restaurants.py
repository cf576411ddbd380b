"""Restaurants: queries of Prolog read as forms, and what a grammar answers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from grammar.errors import CorpusError
from induction.terms.meanings import same_meaning
from scan.atis.data import fold
from scan.atis.experiment import atis_score, induce_atis
from scan.atis.forms import from_flat, to_flat
from scan.atis.restaurants import read_restaurants, restaurants

QUERY = (
    "parse([where,is,'joe''s',in,'elk creek',?],"
    "select([house_no,max(rating),count(*)],(name(A),const(A,nameid('joe''s')),"
    "town(_12),const(_12,townid('elk creek'))))).\n"
)


def read(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    path = tmp_path / "restaurants.txt"
    path.write_text(text, encoding="utf-8")
    corpus = read_restaurants(path)
    return list(zip(corpus.column("text"), corpus.column("target"), strict=True))


def test_a_query_is_what_is_selected_and_its_conditions(tmp_path: Path) -> None:
    assert read(tmp_path, QUERY) == [
        (
            "where is joe's in elk creek ?",
            "( lambda $0 e ( and ( house_no $0 ) ( max_rating $0 ) ( count $0 )"
            " ( name $0 joe's : nameid ) ( town $0 elk_creek : townid ) ) )",
        )
    ]


def test_order_spaces_and_names_of_variables_say_nothing(tmp_path: Path) -> None:
    other = (
        "parse([where, is, 'joe''s', in, 'elk creek', ?], select([count(*), house_no, "
        "max(rating)], (const(B, townid('elk creek')), town(B), name(C), "
        "const(C, nameid('joe''s'))))),\n"
    )
    (text, target), (same_text, same) = read(tmp_path, QUERY + "\n" + other)
    assert text == same_text
    assert target != same
    assert same_meaning(target, same)
    assert not same_meaning(target, target.replace("elk_creek", "elk"))


@pytest.mark.parametrize(
    "line",
    [
        "where is joe's",
        "parse([where],answer(A)).",
        QUERY.replace("const(A,", "const(B,"),
        QUERY.replace("town(_12),", ""),
        "parse([where],select([house_no],())).",
    ],
)
def test_what_is_no_query_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(CorpusError, match="not a query of restaurants") as caught:
        read(tmp_path, QUERY + line + "\n")
    assert str(caught.value.where).endswith(":2")


def test_a_file_without_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no lines"):
        read(tmp_path, "\n\n")


def test_every_value_of_the_questions_is_read(data_folder: Path) -> None:
    """Values are counted by another way: no form may lack one."""
    corpus = restaurants()
    raw = gzip.decompress((data_folder / "atis" / "restaurants.txt.gz").read_bytes()).decode()
    lines = [line for line in raw.split("\n") if line.strip()]
    assert len(corpus) == len(lines) == 251
    for target, line in zip(corpus.column("target"), lines, strict=True):
        assert target.count(" : ") == line.count("const(")
        assert same_meaning(from_flat(to_flat(target)), target)


@pytest.mark.usefixtures("data_folder")
def test_a_grammar_answers_questions_that_are_not_among_the_given_ones() -> None:
    train, asked = fold(restaurants(), 0)
    known = set(train.column("text"))
    score = atis_score(induce_atis(train).answers(asked.column("text")), asked)
    assert sum(text in known for text in asked.column("text")) < score["right"]
    assert score["right"] >= 9 * (score["wrong"] + score["silent"])
