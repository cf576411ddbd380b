"""Exchange of constituents between GeoQuery pairs, and SQL aliases by their scope."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from sampling.stream import ShortfallWarning
from scan.geoquery.aliases import absolute_aliases, relative_aliases
from scan.geoquery.augmentation import augment_geoquery, hidden_pairs, induced_grammar
from scan.geoquery.data import GeoQuery, geoquery, template
from scan.geoquery.exchange import exchanges, three_words
from scan.geoquery.names import hide_names
from scan.geoquery.variables import absolute_variables, relative_variables

# --- aliases -----------------------------------------------------------------------------------


def test_published_queries_come_back_but_for_a_few(data_folder: Path) -> None:
    data = geoquery("sql", "query")
    forms = {row["target"] for part in (data.train, data.dev, data.test) for row in part}
    relative = {form: relative_aliases(form) for form in forms}
    # one numbers its aliases in another order, and one has a wrong alias
    assert sum(found is None for found in relative.values()) <= 3
    for form, found in relative.items():
        if found is not None:
            assert "alias" not in found
            assert absolute_aliases(found) == form


def test_a_query_is_written_alike_at_any_depth() -> None:
    def largest(outer: int, inner: int) -> str:
        return (
            f"SELECT Calias{outer}.N FROM C AS Calias{outer} WHERE Calias{outer}.P = "
            f"( SELECT MAX ( Calias{inner}.P ) FROM C AS Calias{inner} )"
        )

    deeper = f"SELECT Calias0.S FROM C AS Calias0 WHERE Calias0.N IN ( {largest(1, 2)} )"
    found = relative_aliases(f"{largest(0, 1)} ;")
    assert found == "SELECT C.N FROM C WHERE C.P = ( SELECT MAX ( C.P ) FROM C )"
    assert relative_aliases(f"{deeper} ;") == f"SELECT C.S FROM C WHERE C.N IN ( {found} )"


@pytest.mark.parametrize(
    ("query", "relative"),
    [
        # two of one kind, a query inside that asks of one outside, a derived table
        (
            "SELECT Balias0.X FROM B AS Balias0 , B AS Balias1 WHERE Balias1.X = Balias0.Y ;",
            "SELECT B.X FROM B , B WHERE B2.X = B.Y",
        ),
        (
            "SELECT Balias0.X FROM B AS Balias0 WHERE 1 = ( SELECT Calias0.X FROM C AS Calias0 WHERE Calias0.Y = Balias0.Y ) ;",  # noqa: E501
            "SELECT B.X FROM B WHERE 1 = ( SELECT C.X FROM C WHERE C.Y = B.Y )",
        ),
        (
            "SELECT MAX ( DERIVED_TABLEalias0.DERIVED_FIELDalias0 ) FROM ( SELECT COUNT ( 1 ) AS DERIVED_FIELDalias0 FROM C AS Calias0 ) AS DERIVED_TABLEalias0 ;",  # noqa: E501
            "SELECT MAX ( DERIVED_TABLE.DERIVED_FIELD ) FROM ( SELECT COUNT ( 1 ) AS DERIVED_FIELD FROM C ) AS DERIVED_TABLE",  # noqa: E501
        ),
        ('SELECT Calias0.X FROM C AS Calias0 WHERE Calias0.Y <> " usa " ;',
         'SELECT C.X FROM C WHERE C.Y <> " usa "'),
        # numbers out of order; not declared; hidden by another one; no end
        ("SELECT Calias1.X FROM C AS Calias1 ;", None),
        ("SELECT Calias1.X FROM C AS Calias0 ;", None),
        ("SELECT Calias0.X FROM C AS Calias0 WHERE 1 = ( SELECT Calias0.X FROM C AS Calias1 ) ;",
         None),
        ("SELECT Calias0.X FROM C AS Calias0", None),
    ],
)  # fmt: skip
def test_aliases_by_scope(query: str, relative: str | None) -> None:
    assert relative_aliases(query) == relative
    if relative is not None:
        assert absolute_aliases(relative) == query


def test_a_column_of_no_table_in_sight_has_no_alias() -> None:
    assert absolute_aliases("SELECT C.X FROM D") is None
    assert absolute_aliases("SELECT C2.X FROM C") is None
    # what a query inside declares cannot be seen outside
    assert absolute_aliases("SELECT D.X FROM C WHERE C.X IN ( SELECT D.X FROM D )") is None
    assert absolute_aliases("SELECT DERIVED_TABLE.DERIVED_FIELD FROM C") is None


NAMED = st.sampled_from(["CITY", "STATE", "BORDER_INFO"])


@st.composite
def queries(draw: st.DrawFn, around: tuple[str, ...] = (), depth: int = 3) -> str:
    """Queries whose columns are of tables that can be seen there."""
    tables = draw(st.lists(NAMED, min_size=1, max_size=3))
    names = [f"{name}{tables[:i].count(name) + 1 or ''}".replace("1", "")
             for i, name in enumerate(tables)]  # fmt: skip
    outside = [name for name in around if name.rstrip("23") not in tables]
    column = st.sampled_from(names + outside).map(lambda name: f"{name}.X")
    made = f"SELECT {draw(column)} FROM {' , '.join(tables)} WHERE {draw(column)}"
    kind = draw(st.sampled_from(["equal", "name", "query"] if depth else ["equal", "name"]))
    if kind == "query":
        inner = draw(queries(tuple(names + outside), depth - 1))
        return f"{made} IN ( {inner} ) AND {draw(column)} > 5"
    return f'{made} IN ( " new york " )' if kind == "name" else f"{made} = {draw(column)}"


@given(queries())
def test_relative_queries_come_back(query: str) -> None:
    absolute = absolute_aliases(query)
    assert absolute is not None
    aliases = [word for before, word in pairwise(absolute.split()) if before == "AS"]
    assert len(set(aliases)) == len(aliases)
    assert relative_aliases(absolute) == query


def test_names_of_states_are_of_one_kind_in_every_column() -> None:
    rivers = 'SELECT RIVER.X FROM RIVER WHERE RIVER.TRAVERSE IN ( " utah " )'
    assert hide_names("sql", "rivers of utah", rivers).target.endswith("( STATE_NAME0 )")


def test_variables_of_prolog_come_back(data_folder: Path) -> None:
    forms = set(geoquery("prolog", "query").train.column("target"))
    relative = {form: relative_variables(form) for form in forms}
    assert sum(found is None for found in relative.values()) < 0.05 * len(forms)
    for form, found in relative.items():
        assert found is None or absolute_variables(found) == form
    capital = (
        "_answer ( A , ( _capital ( A ) , _loc ( A , B ) , _const ( B , _stateid ( ohio ) ) ) )"
    )
    hidden = hide_names("prolog", "capital of ohio", relative_variables(capital) or "")
    assert hidden.target == "_answer ( v , ( _capital ( v0 ) , _loc ( v0 , v ) , STATE0 ) )"


# --- exchange ----------------------------------------------------------------------------------

PAIRS = [
    ("size of STATE0", "size ( STATE0 )"),
    ("size of the capital", "size ( capital )"),
    ("rivers of STATE0", "river ( STATE0 )"),
    ("rivers of the biggest state", "river ( largest ( state ) )"),
    ("all of the capital", "all ( capital )"),
    ("all of the capital of STATE0", "all ( in ( capital , STATE0 ) )"),
    ("STATE0 and all of STATE1", "and ( STATE0 , all ( STATE1 ) )"),
    ("nobody asks this", "odd ( STATE0 )"),
]
RULES = """
    size of NT_1 ### size ( NT_1 )
    rivers of NT_1 ### river ( NT_1 )
    all of NT_1 ### all ( NT_1 )
    NT_1 of NT_2 ### in ( NT_1 , NT_2 )
    NT_1 and NT_2 ### and ( NT_1 , NT_2 )
    the capital ### capital
    the biggest state ### largest ( state )
    STATE0 ### STATE0
    STATE1 ### STATE1
"""


def constituents_by_trial(rules: str) -> list[tuple[str, str, list[str], list[str], str]]:
    """Cut every part out of every pair, and ask whether both pieces can be derived."""
    whole = SynchronousParser(SynchronousGrammar.parse(rules))
    holed = SynchronousParser(SynchronousGrammar.parse(f"{rules}    HOLE ### HOLE\n"))
    found = []
    for text, target in PAIRS:
        source, written = text.split(), target.split()
        for i in range(len(source)):
            for j in range(i + 1, len(source) + 1):
                for a in range(len(written)):
                    for b in range(a + 1, len(written) + 1):
                        outer = ([*source[:i], "HOLE", *source[j:]],
                                 [*written[:a], "HOLE", *written[b:]])  # fmt: skip
                        part = source[i:j], written[a:b]
                        if whole.is_derivable(*part) and holed.is_derivable(*outer):
                            found.append((" ".join(part[0]), " ".join(part[1]), source[:i],
                                          source[j:], " ".join(outer[1])))  # fmt: skip
    return found


def test_exchanges_are_all_that_trial_finds() -> None:
    parts = constituents_by_trial(RULES)
    sources = {three for text, _ in PAIRS for three in three_words(text)}
    targets = {three for _, target in PAIRS for three in three_words(target)}
    known = {text for text, _ in PAIRS}
    expected: defaultdict[str, set[str]] = defaultdict(set)
    for _, _, before, after, holed in parts:
        for source, target, *_ in parts:
            # no two marks of one number, which would have to be renamed
            if set(source.split()) & {*before, *after} & {"STATE0", "STATE1"}:
                continue
            text = " ".join([*before, source, *after])
            made = holed.replace("HOLE", target)
            if sources.issuperset(three_words(text)) and targets.issuperset(three_words(made)):
                expected[text].add(made)
    made = list(exchanges(PAIRS, SynchronousGrammar.parse(RULES), seed=1))
    plain = {text: target for text, target in made if "STATE2" not in text}
    assert set(expected) - known <= set(plain)
    assert len(set(expected) - known) >= 5
    assert all(plain[text] in expected[text] for text in set(expected) - known)
    assert len({text for text, _ in made} | known) == len(made) + len(known)
    for text, target in made:
        assert sources.issuperset(three_words(text))
        assert targets.issuperset(three_words(target))


def test_the_seed_orders_exchanges_and_chooses_none() -> None:
    grammar = SynchronousGrammar.parse(RULES)
    first, again, other = (list(exchanges(PAIRS, grammar, seed=seed)) for seed in (0, 0, 5))
    assert first == again
    assert first != other
    assert {text for text, _ in first} == {text for text, _ in other}


def test_a_mark_that_is_in_use_gets_another_number() -> None:
    pairs = [("a STATE0 b b c", "A STATE0 B B c"), ("a c b b STATE0", "A c B B STATE0")]
    rules = "a NT_1 b b NT_2 ### A NT_1 B B NT_2\nc ### c\nSTATE0 ### STATE0\n"
    made = dict(exchanges(pairs, SynchronousGrammar.parse(rules), seed=0))
    forms = {("a STATE0 b b STATE1", "A STATE0 B B STATE1"),
             ("a STATE1 b b STATE0", "A STATE1 B B STATE0")}  # fmt: skip
    assert forms <= set(made.items())


def test_a_part_that_is_repeated_is_exchanged_everywhere() -> None:
    pairs = [("so twice a", "s t a a"), ("oh so twice b", "o s t b b")]
    rules = "so twice NT_1 ### s t NT_1 NT_1\noh NT_1 ### o NT_1\na ### a\nb ### b\n"
    made = dict(exchanges(pairs, SynchronousGrammar.parse(rules), seed=0))
    assert made["so twice b"] == "s t b b"


def first(data: GeoQuery, n: int) -> GeoQuery:
    part = Corpus(data.train.table.slice(0, n))
    return GeoQuery(data.representation, data.split, part, data.dev, data.test)


def rows(corpus: Corpus) -> list[tuple[str, str]]:
    return list(zip(corpus.column("text"), corpus.column("target"), strict=True))


@pytest.mark.parametrize(("representation", "pairs_given"), [("sql", 400), ("logic", 200)])
def test_exchanges_of_published_pairs(
    representation: str, pairs_given: int, data_folder: Path
) -> None:
    few = first(geoquery(representation, "query"), pairs_given)
    grammar = induced_grammar(few, "exchange")
    made, again = (rows(augment_geoquery(few, "exchange", n=90, seed=2, grammar=grammar))
                   for _ in range(2))  # fmt: skip
    assert made == again
    assert len(set(made)) == len(made) == 90
    assert not set(made) & set(rows(few.train))
    forms = {template(representation, target) for _, target in made}
    assert len(forms - set(few.train.column("template"))) > 5
    pairs = [(pair.text, pair.target) for pair in hidden_pairs(few)]
    seen = [{three for pair in pairs for three in three_words(pair[side])} for side in (0, 1)]
    for pair in exchanges(pairs, grammar, seed=2):
        assert all(seen[side].issuperset(three_words(pair[side])) for side in (0, 1))


def test_too_few_exchanges_are_told(data_folder: Path) -> None:
    with pytest.warns(ShortfallWarning, match="no more than"):
        augment_geoquery(first(geoquery("funql", "query"), 20), "exchange", n=10_000)
