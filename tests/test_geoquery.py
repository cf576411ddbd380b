"""GeoQuery: its representations and splits as published, and clear errors."""

import json
from collections import Counter
from pathlib import Path

import pytest

from grammar.errors import CorpusError, MissingDataError, OptionError
from induction.corpus import Corpus
from scan.geoquery import REPRESENTATIONS, SPLITS, geoquery, template

# training and development together, and test, for what is published; the data README has these
PUBLISHED = {
    ("funql", "question"): (600, 280),
    ("lambda", "question"): (600, 280),
    ("prolog", "question"): (600, 280),
    ("logic", "question"): (549 + 49, 279),
    ("sql", "question"): (549 + 49, 279),
    ("logic", "query"): (543 + 148, 186),
    ("sql", "query"): (536 + 159, 182),
}
PUBLISHED_DEV = {
    ("logic", "question"): 49,
    ("sql", "question"): 49,
    ("logic", "query"): 148,
    ("sql", "query"): 159,
}
TOTAL = {"funql": 880, "lambda": 880, "prolog": 880, "logic": 877, "sql": 877}
ALL = [(representation, split) for representation in REPRESENTATIONS for split in SPLITS]


@pytest.mark.parametrize(("representation", "split"), ALL)
def test_counts(representation: str, split: str, data_folder: Path) -> None:
    data = geoquery(representation, split)
    sizes = len(data.train), len(data.dev), len(data.test)
    assert sum(sizes) == TOTAL[representation]
    if (representation, split) in PUBLISHED:
        assert (sizes[0] + sizes[1], sizes[2]) == PUBLISHED[representation, split]
    if (representation, split) in PUBLISHED_DEV:
        assert sizes[1] == PUBLISHED_DEV[representation, split]
    ids = [id for part in (data.train, data.dev, data.test) for id in part.column("id")]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_the_query_split_shares_no_template_with_the_test(
    representation: str, data_folder: Path
) -> None:
    data = geoquery(representation, "query")
    test = set(data.test.column("template"))
    assert test.isdisjoint(data.train.column("template"))
    assert test.isdisjoint(data.dev.column("template"))
    # while questions of one template are on both sides of the question split
    data = geoquery(representation, "question")
    assert not set(data.test.column("template")).isdisjoint(data.train.column("template"))


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_the_length_split_tests_longer_targets(representation: str, data_folder: Path) -> None:
    data = geoquery(representation, "length")
    lengths = [
        [len(target.split()) for target in part.column("target")]
        for part in (data.train, data.dev, data.test)
    ]
    assert max(lengths[0]) <= min(lengths[1])
    assert max(lengths[1]) <= min(lengths[2])


def test_the_test_part_of_funql_is_the_published_one(data_folder: Path) -> None:
    published = json.loads((data_folder / "geoquery/geo880_funql/testids.set").read_text())
    assert sorted(map(int, geoquery("funql", "question").test.column("id"))) == sorted(published)


def rows_of(*parts: Corpus) -> dict[str, str]:
    return {row["text"]: row["target"] for part in parts for row in part}


@pytest.mark.parametrize(
    ("representation", "question", "target"),
    [
        (
            "funql",
            "how many people live in austin texas",
            "answer ( population_1 ( cityid ( ' austin ' , ' tx ' ) ) )",
        ),
        ("lambda", "peopl in c0", "( population:i c0 )"),
        (
            "logic",
            "what is the capital of new jersey",
            "( A , ( _capital ( A ) , _loc ( A , B ) , _const ( B , _stateid ( new jersey ) ) ) )",
        ),
        (
            "sql",
            "where is baton rouge",
            "SELECT CITYalias0.STATE_NAME FROM CITY AS CITYalias0 "
            'WHERE CITYalias0.CITY_NAME = " baton rouge " ;',
        ),
        (
            "prolog",
            "which state is the smallest ?",
            "_answer ( A , _smallest ( A , _state ( A ) ) )",
        ),
    ],
)  # fmt: skip
def test_targets_are_tokens(
    representation: str, question: str, target: str, data_folder: Path
) -> None:
    data = geoquery(representation, "question")
    found = rows_of(data.train, data.dev, data.test)
    assert found[question] == target


def test_no_variable_is_left(data_folder: Path) -> None:
    for representation in ("logic", "sql"):
        data = geoquery(representation, "query")
        words = Counter(
            word
            for part in (data.train, data.dev, data.test)
            for name in ("text", "target")
            for side in part.column(name)
            for word in side.split()
        )
        assert not [word for word in words if word.startswith(("var", "state_name", "city_name"))]


def test_template_of_a_form_without_names_is_the_form() -> None:
    form = "( lambda $0 e ( loc:t c0 $0 ) )"
    assert template("lambda", form) == form
    assert template("funql", "answer ( largest ( state ( all ) ) )").endswith("( all ) ) )")
    assert template("funql", "cityid ( ' austin ' , ' tx ' )") == "cityid ( ' NAME ' , ' NAME ' )"


@pytest.mark.parametrize(
    ("representation", "split", "message"),
    [
        ("funqul", "query", r"representation 'funqul'[^\n]*\n.*did you mean 'funql'"),
        ("sql", "quest", r"split 'quest'[^\n]*\n.*did you mean 'quest"),
        ("sql", "Zq", r"unknown split 'Zq' of GeoQuery\n  hint: Choose from question, query"),
    ],
)
def test_unknown_names_are_told_with_the_nearest(
    representation: str, split: str, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        geoquery(representation, split)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_absent_data_is_told(
    representation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    with pytest.raises(MissingDataError):
        geoquery(representation, "question")


@pytest.mark.parametrize(
    ("representation", "files", "message"),
    [
        (
            "funql",
            {"questions.txt": "a\nb\n", "queries.funql": "f(a)\n", "test_indexes.txt": "0\n"},
            "2 questions but 1 queries",
        ),
        (
            "funql",
            {"questions.txt": "a\n", "queries.funql": "f(a)\n", "test_indexes.txt": "x\n"},
            r"test_indexes\.txt: .*'x'",
        ),
        ("lambda", {"train.txt": "a\tb\nno tab here\n", "test.txt": "a\tb\n"}, r"train\.txt:2"),
        ("sql", {"geography.json": "[{"}, r"geography\.json"),
        ("sql", {"geography.json": '[{"sql": []}]'}, r"geography\.json"),
        ("sql", {"geography.json": '[{"sql": ["S"], "query-split": "train", "sentences": [1]}]'},
         r"geography\.json"),
    ],
)  # fmt: skip
def test_malformed_files_are_told(
    representation: str,
    files: dict[str, str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = {"funql": "geo880_funql", "lambda": "geo880_lambda", "sql": "text2sql"}
    place = tmp_path / "geoquery" / folder[representation]
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / name).write_text(text)
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    with pytest.raises(CorpusError, match=message):
        geoquery(representation, "question")
