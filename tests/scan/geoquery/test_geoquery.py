"""GeoQuery: its representations and splits as published, new pairs, and clear errors."""

import json
import warnings
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, MissingDataError, NothingNewError, OptionError, SchemaError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from sampling.stream import ShortfallWarning
from scan.geoquery.augmentation import (
    METHODS,
    augment_geoquery,
    hidden_pairs,
    induce_geoquery,
    triples,
)
from scan.geoquery.data import REPRESENTATIONS, SPLITS, GeoQuery, geoquery, template
from scan.geoquery.database import GeoDatabase
from scan.geoquery.names import Hidden, NameBook, hide_names
from scan.geoquery.variables import absolute_variables, relative_variables

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
FORMS = {"sql": 246, "logic": 316}
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


@pytest.mark.parametrize("representation", FORMS)
def test_questions_are_grouped_by_as_many_forms_as_published(
    representation: str, data_folder: Path
) -> None:
    data = geoquery(representation, "query")
    ids = [id for part in (data.train, data.dev, data.test) for id in part.column("id")]
    assert len({id.partition("-")[0] for id in ids}) == FORMS[representation]


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
    with pytest.raises((CorpusError, SchemaError), match=message):
        geoquery(representation, "question")


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("representation", "text", "target", "hidden"),
    [
        (
            "funql",
            "is new york city in new york",
            "answer ( intersection ( cityid ( ' new york ' , _ ) , stateid ( ' new york ' ) ) )",
            # the first term takes the name; the second is not in the question any more
            (
                "is CITY0 city in CITY0",
                "answer ( intersection ( CITY0 , stateid ( ' new york ' ) ) )",
            ),
        ),
        (
            "funql",
            "rivers of us",
            "answer ( river ( loc_2 ( countryid ( ' usa ' ) ) ) )",
            ("rivers of us", "answer ( river ( loc_2 ( countryid ( ' usa ' ) ) ) )"),
        ),
        (
            "logic",
            "ohio without iowa",
            "( A , _const ( A , _stateid ( iowa ) ) , _const ( B , _stateid ( ohio ) ) )",
            ("STATE1 without STATE0", "( A , _const ( A , STATE0 ) , _const ( B , STATE1 ) )"),
        ),
        (
            "sql",
            "cities of ohio ohio",
            'WHERE C.STATE_NAME = " ohio " AND D.STATE_NAME = " ohio " ;',
            ("cities of STATE_NAME0 STATE_NAME0",
             "WHERE C.STATE_NAME = STATE_NAME0 AND D.STATE_NAME = STATE_NAME0 ;"),
        ),
    ],
)  # fmt: skip
def test_names_are_hidden(
    representation: str, text: str, target: str, hidden: tuple[str, str]
) -> None:
    found = hide_names(representation, text, target)
    assert (found.text, found.target) == hidden


@given(
    states=st.lists(st.sampled_from(["ohio", "new york", "iowa", "utah"]), min_size=2, max_size=2,
                    unique=True),
    seed=st.integers(0, 99),
    index=st.integers(0, 10**6),
)  # fmt: skip
def test_hidden_names_come_back_as_names_of_their_kind(
    states: list[str], seed: int, index: int
) -> None:
    pairs = [
        hide_names("funql", f"size of {name}", f"answer ( size ( stateid ( ' {name} ' ) ) )")
        for name in states
    ]
    assert {pair.text for pair in pairs} == {"size of STATE0"}
    book = NameBook(pairs)
    text, target = book.fill("STATE0 or STATE1", "( STATE1 , STATE0 , STATE1 )", seed=seed,
                             index=index)  # fmt: skip
    first, second = text.split(" or ")
    assert {first, second} == set(states)
    a, b = (f"stateid ( ' {name} ' )" for name in (first, second))
    assert target == f"( {b} , {a} , {b} )"
    assert book.fill(
        "STATE0 or STATE1", "( STATE1 , STATE0 , STATE1 )", seed=seed, index=index
    ) == (
        text,
        target,
    )


def test_all_published_names_are_put_back(data_folder: Path) -> None:
    for representation in ("funql", "logic", "sql", "prolog"):
        hidden = hidden_pairs(geoquery(representation, "query"))
        assert len([pair for pair in hidden if pair.names]) > 0.5 * len(hidden)
        for pair in hidden:
            text, target = pair.text, pair.target
            for mark, (name, term) in pair.names.items():
                text, target = (
                    " ".join(put if word == mark else word for word in side.split())
                    for side, put in ((text, name), (target, term))
                )
            assert hide_names(representation, text, target) == pair


def test_variables_of_training_forms_come_back(data_folder: Path) -> None:
    data = geoquery("logic", "query")
    forms = [row["target"] for part in (data.train, data.dev) for row in part]
    relative = {form: relative_variables(form) for form in forms}
    assert sum(found is None for found in relative.values()) < 0.02 * len(relative)
    for form, found in relative.items():
        if found is not None:
            assert absolute_variables(found) == form
    # one phrase is written alike at any depth
    border = "_state ( v0 ) , _next_to ( v0 , v ) , _const ( v0 , _stateid ("
    assert sum(border in (found or "") for found in relative.values()) > 10


@pytest.mark.parametrize(
    "form",
    [
        "( B , _state ( B ) )",  # not in alphabetical order
        "( A , ( _state ( A ) , ( _loc ( A , B ) ) , _state ( B ) ) )",  # used where it is hidden
    ],
)
def test_forms_without_relative_variables(form: str) -> None:
    assert relative_variables(form) is None


@given(words=st.lists(st.sampled_from(["(", ")", ",", "v", "v0", "v1", "f"]), max_size=12))
def test_what_can_be_made_absolute_can_be_undone(words: list[str]) -> None:
    relative = " ".join(words)
    found = absolute_variables(relative)
    if found is not None:
        assert relative_variables(found) == relative


# --- new pairs ---------------------------------------------------------------------------------


def of_state(form: str, names: str, question: str) -> list[tuple[str, str]]:
    terms = {name: f"stateid ( ' {name} ' )" for name in names.split()}
    return [
        (f"{question} {name}", f"answer ( {form.format(term)} )") for name, term in terms.items()
    ]


BIGGEST = "largest ( state ( all ) )"
WITHHELD = ("capital of the biggest state", f"answer ( capital ( loc_2 ( {BIGGEST} ) ) )")
TOY_PAIRS = [
    *of_state("size ( {} )", "ohio utah iowa", "size of"),
    *of_state("capital ( loc_2 ( {} ) )", "ohio iowa", "capital of"),
    *of_state("population_1 ( {} )", "ohio iowa", "people in"),
    *of_state("river ( loc_2 ( {} ) )", "utah iowa", "rivers of"),
    ("size of the biggest state", f"answer ( size ( {BIGGEST} ) )"),
    ("rivers of the biggest state", f"answer ( river ( loc_2 ( {BIGGEST} ) ) )"),
]


def toy() -> GeoQuery:
    """Questions about names and about the biggest state, of which some are withheld."""
    part = Corpus.from_columns(
        text=[text for text, _ in TOY_PAIRS],
        target=[target for _, target in TOY_PAIRS],
        template=[template("funql", target) for _, target in TOY_PAIRS],
    )
    return GeoQuery("funql", "query", part, part, part)


def rows(corpus: Corpus) -> list[tuple[str, str]]:
    return list(zip(corpus.column("text"), corpus.column("target"), strict=True))


@pytest.fixture(scope="module")
def toy_grammar() -> SynchronousGrammar:
    return induce_geoquery(hidden_pairs(toy()), types=1).grammar


@pytest.mark.parametrize("method", METHODS)
def test_new_pairs_are_new_distinct_and_repeatable(
    method: str, toy_grammar: SynchronousGrammar
) -> None:
    data = toy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        made, again = (
            rows(augment_geoquery(data, method, n=6, seed=3, grammar=toy_grammar)) for _ in range(2)
        )
    assert made == again
    assert len(set(made)) == len(made) <= 6
    assert not set(made) & set(rows(data.train))
    # no three words of the toy's questions would be new and old enough for an exchange
    if method in ("none", "exchange"):
        assert made == []
    else:
        assert made


def test_the_grammar_makes_the_withheld_template(toy_grammar: SynchronousGrammar) -> None:
    parser = SynchronousParser(toy_grammar)
    unlike = ("people in the biggest state", f"answer ( population_1 ( {BIGGEST} ) )")
    for text, target in (WITHHELD, unlike):
        assert parser.is_derivable(text.split(), target.split())
    with pytest.warns(ShortfallWarning, match="pairs were asked for"):
        made = rows(augment_geoquery(toy(), "synchronous", n=100, grammar=toy_grammar))
    assert WITHHELD in made
    # a function stands only where it stood in training: people were never asked of the biggest
    assert unlike not in made
    seen = {triple for pair in hidden_pairs(toy()) for triple in triples(pair.target)}
    assert all(seen.issuperset(triples(hide_names("funql", *pair).target)) for pair in made)


def test_other_names_make_no_new_template(toy_grammar: SynchronousGrammar) -> None:
    data = toy()
    with pytest.warns(ShortfallWarning):
        made = rows(augment_geoquery(data, "names", n=50))
    assert {template("funql", target) for _, target in made} <= set(data.train.column("template"))


def test_wrong_methods_and_numbers_are_told() -> None:
    with pytest.raises(OptionError, match="'gecka'"):
        augment_geoquery(toy(), "gecka")
    with pytest.raises(OptionError, match="n is -1"):
        augment_geoquery(toy(), "geca", n=-1)


def test_the_most_frequent_target_of_a_question_is_learnt() -> None:
    pairs = [Hidden("size of X", "a ( X )", {})] + 2 * [Hidden("size of X", "b ( X )", {})]
    found = induce_geoquery(pairs, types=1)
    assert found.explained.pairs == 1
    assert "b" in str(found.rules)
    assert "a (" not in str(found.rules)


def test_geca_makes_new_templates_of_geoquery(data_folder: Path) -> None:
    data = geoquery("logic", "query")
    made = augment_geoquery(data, "geca", n=1000)
    forms = {template("logic", target) for target in made.column("target")}
    assert len(made) == 1000
    assert len(forms - set(data.train.column("template"))) > 50
    assert forms & set(data.test.column("template"))


def test_geca_has_three_parts_for_sql() -> None:
    """A name in the question and, far apart, its number and its letters in the query."""
    known = [
        ("capital of ohio", "F 35 and then X and OH"),
        ("capital of iowa", "F 16 and then X and IA"),
        ("size of ohio", "G 35 or else Y or OH"),
    ]
    part = Corpus.from_columns(
        text=[text for text, _ in known], target=[target for _, target in known]
    )
    made = augment_geoquery(GeoQuery("sql", "query", part, part, part), "geca")
    assert rows(made) == [("size of iowa", "G 16 or else Y or IA")]
    with pytest.raises(NothingNewError):
        augment_geoquery(GeoQuery("funql", "query", part, part, part), "geca")


# --- answers -----------------------------------------------------------------------------------


def test_queries_are_compared_by_their_answers(data_folder: Path) -> None:
    database = GeoDatabase()
    capital = 'SELECT S.CAPITAL FROM STATE AS S WHERE S.STATE_NAME = " texas " ;'
    assert database.answer(capital) == Counter([("austin",)])
    other = 'SELECT STATE.CAPITAL FROM STATE WHERE STATE.STATE_NAME IN ( " texas " ) ;'
    assert database.same_answer(other, capital)
    assert not database.same_answer(capital.replace("texas", "ohio"), capital)
    # what fails has no answer, but is the same as itself
    assert database.answer("SELECT FROM ;") is None
    assert not database.same_answer("SELECT FROM ;", "SELECT WHERE ;")
    assert database.same_answer("SELECT FROM ;", "SELECT FROM ;")
    # the order of rows is no matter, how often they come is
    names = "SELECT STATE_NAME FROM RIVER"
    assert database.same_answer(f"{names} ORDER BY STATE_NAME", names) is False  # no such column
    rivers = "SELECT TRAVERSE FROM RIVER"
    assert database.same_answer(f"{rivers} ORDER BY TRAVERSE ;", rivers)
    assert not database.same_answer(rivers.replace("SELECT", "SELECT DISTINCT"), rivers)


def test_a_database_is_only_read_and_not_for_ever(data_folder: Path) -> None:
    database = GeoDatabase()
    for query in (
        "DROP TABLE STATE",
        "INSERT INTO STATE ( STATE_NAME ) VALUES ( ' x ' )",
        "ATTACH DATABASE ' x.db ' AS X",
        "PRAGMA user_version = 1",
        "SELECT COUNT ( * ) FROM CITY A , CITY B , CITY C , CITY D",
        "SELECT 1 ; SELECT 2",
    ):
        assert database.answer(query) is None
    states = database.answer("SELECT STATE_NAME FROM STATE")
    assert states is not None
    assert sum(states.values()) == 51


def test_published_queries_run_but_for_two(data_folder: Path) -> None:
    database = GeoDatabase()
    data = geoquery("sql", "query")
    queries = [row["target"] for part in (data.train, data.dev, data.test) for row in part]
    answers = {query: database.answer(query) for query in queries}
    failing = [query for query, answer in answers.items() if answer is None]
    assert [" > ALL ( " in query for query in failing] in ([True, False], [False, True])
    assert sum(bool(answers[query]) for query in queries) == 843


def test_a_dump_without_tables_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "geoquery" / "text2sql"
    place.mkdir(parents=True)
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    for text in ("", "CREATE TABLE `a` (\n  wrong(\n) ENGINE"):
        (place / "geography-db.sql").write_text(text)
        with pytest.raises(CorpusError, match=r"geography-db\.sql"):
            GeoDatabase()
