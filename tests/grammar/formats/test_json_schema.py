"""JSON Schema as a grammar: its documents are valid, what it cannot keep is told or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar import NotationError
from grammar.formats.json_values import STRINGS
from grammar.formats.reading import read_notation
from grammar.messages import heard_by
from grammar.pcfg.grammar import Grammar
from sampling import sample_sentences
from tests.grammar.formats.test_reading import accepted, by_character

PERSON = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Person",
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z][a-z]+( [A-Z]\\.)?$"},
        "age": {"type": "integer", "minimum": 0},
        "size": {"type": ["number", "null"]},
        "friend": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "minItems": 1, "maxItems": 2},
    },
    "required": ["age", "friend"],
    "additionalProperties": False,
    "$defs": {"tag": {"enum": ["a", 'b"c', 3, None]}},
}


def read(schema: object) -> tuple[object, list[str]]:
    told: list[str] = []
    with heard_by(told.append):
        grammar = read_notation(json.dumps(schema), "jsonschema", source="s.json")
    return grammar, told


def texts_of(grammar: object, count: int) -> list[str]:
    return sample_sentences(grammar, count, spacing="characters").column("text")


def test_samples_are_valid_documents():
    validator = pytest.importorskip("jsonschema").Draft202012Validator(PERSON)
    grammar, told = read(PERSON)
    assert told == []
    documents = [json.loads(text) for text in texts_of(grammar, 300)]
    assert [d for d in documents if not validator.is_valid(d)] == []
    assert {key for d in documents for key in d} == set(PERSON["properties"])
    assert {len(d["tags"]) for d in documents if "tags" in d} == {1, 2}


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ('{"age": 3, "friend": null}', True),
        ('{"name": "Ann B.", "age": 0, "friend": {"age": 10, "friend": null}}', True),
        ('{"age": 3, "size": -1.5e+3, "friend": null, "tags": ["b\\"c", 3]}', True),
        ('{"age": 3}', False),
        ('{"age": 03, "friend": null}', False),
        ('{"age": -3, "friend": null}', False),
        ('{"name": "ann", "age": 3, "friend": null}', False),
        ('{"name": "Ann B", "age": 3, "friend": null}', False),
        ('{"age": 3, "friend": null, "tags": []}', False),
        ('{"age": 3, "friend": null, "tags": [3, 3, 3]}', False),
        ('{"age": 3, "friend": null, "more": 1}', False),
        ('{"age": 3, "friend": null, }', False),
    ],
)
def test_a_document_is_a_sentence_if_it_is_valid(text, valid):
    assert accepted(by_character(read(PERSON)[0]), text) is valid


NAMES = ("the first", "the second", "a third", "none of them")


def schemas() -> st.SearchStrategy[object]:
    """Schemas of a few properties, within one another."""
    bounds = st.tuples(st.integers(0, 2), st.none() | st.integers(2, 3))

    def with_bounds(what: str, schema: dict, given: tuple[int, int | None]) -> dict:
        least, most = given
        upper = {} if most is None else {f"max{what}": most}
        return {**schema, f"min{what}": least, **upper}

    leaves = st.one_of(
        st.sampled_from([{"type": t} for t in ("integer", "number", "string", "boolean", "null")]),
        st.just(True),
        st.lists(st.sampled_from(["x", 1, None, [1, "y"], {"k": 1}]), min_size=1, max_size=3).map(
            lambda values: {"enum": values}
        ),
        st.builds(
            lambda kind, low, most, above, below: {
                "type": kind,
                "exclusiveMinimum" if above else "minimum": low,
                "exclusiveMaximum" if below else "maximum": low + most,
            },
            st.sampled_from(["integer", "number"]),
            st.integers(-3, 3),
            st.integers(2, 5),
            st.booleans(),
            st.booleans(),
        ),
        st.just({"type": "number", "exclusiveMinimum": 0}),
        bounds.map(lambda given: with_bounds("Length", {"type": "string"}, given)),
    )

    def within(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        properties = st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
        objects = st.builds(
            lambda named, required, more: {
                "type": "object", "properties": named, "additionalProperties": more,
                "required": [name for name in named if name in required],
            },
            properties, st.sets(st.sampled_from(NAMES)), st.just(False) | inner,
        )  # fmt: skip
        lists = st.builds(
            lambda begins, items, given: with_bounds(
                "Items", {"type": "array", "prefixItems": begins, "items": items}, given
            ),
            st.lists(inner, max_size=2), inner, bounds,
        )  # fmt: skip
        choices = st.lists(inner, min_size=1, max_size=3).map(lambda ways: {"anyOf": ways})
        return objects | lists | choices

    return st.recursive(leaves, within, max_leaves=6)


@settings(max_examples=60)
@given(schema=schemas(), seed=st.integers(0, 5))
def test_samples_of_any_schema_are_valid(schema, seed):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    sampled = sample_sentences(read(schema)[0], 20, seed=seed, spacing="characters")
    for text in sampled.column("text"):
        # names are so long that no other property is called so, which is told
        assert validator.is_valid(json.loads(text)), text


def test_a_grammar_of_a_schema_is_written_and_read():
    grammar, _ = read(PERSON)
    assert Grammar.parse(grammar.to_text()).productions() == grammar.productions()


def test_objects_of_many_members_within_one_another_stay_small():
    schema: object = {"type": "boolean"}
    for _ in range(8):
        others = {f"name {k}": {"type": ["integer", "null"]} for k in range(12)}
        schema = {"type": "object", "properties": {"first": schema, **others}}
    assert len(read(schema)[0]) < 1_000


def test_optional_members_begin_or_are_absent():
    schema = {"properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}},
              "required": ["b"], "additionalProperties": False, "type": "object"}  # fmt: skip
    found = {*texts_of(read(schema)[0], 200)}
    assert found == {
        '{"b": 2}', '{"a": 1, "b": 2}', '{"b": 2, "c": 3}', '{"a": 1, "b": 2, "c": 3}'
    }  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"properties": {"a": True}}, "properties that have no name in the schema"),
        ({"type": "object", "properties": {"a": True}, "additionalProperties": {"type": "null"}},
         "that other properties have other names"),
        ({"type": "string", "format": "date"}, "less usual strings of the format date"),
        ({"type": "string", "format": "color"}, "the format color"),
        ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, "that one alone of oneOf holds"),
        ({"type": "string", "pattern": "^[^a]$"}, "characters beyond ASCII, in patterns"),
        ({"type": "null", "x-order": 3}, "the keyword x-order"),
        ({"type": "array", "prefixItems": [True]}, "items that have no schema"),
        ({"type": "string", "maxLength": 255}, "maxLength above 100"),
        ({"minLength": 2}, "values of other types, where keywords are of one"),
    ],
)  # fmt: skip
def test_what_is_not_kept_is_told(schema, told):
    assert f"s.json: left out: {told}" in read(schema)[1]


@pytest.mark.parametrize(
    ("schema", "where", "message"),
    [
        ({"properties": {"a/b": {"not": {}}}}, "#/properties/a~1b", "no rules .* express not"),
        ({"uniqueItems": True}, "#", "express uniqueItems"),
        ({"allOf": [{}, {}]}, "#", "express allOf"),
        ({"$ref": "#/$defs/a"}, "#/\\$defs/a", "nothing is there"),
        ({"$ref": "https://example.org/a"}, "#", "is no place of this document"),
        ({"$ref": "#", "minLength": 2}, "#", "are both demanded"),
        ({"type": "text"}, "#", "there is no type 'text'"),
        ({"items": False, "minItems": 2}, "#", "no list has 2 items here"),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "#", "minLength is 3"),
        ({"type": "string", "minLength": "3"}, "#", "'3' is no number of length"),
        ({"pattern": "a(?=b)"}, "#/pattern", "looks around"),
        ({"pattern": "(^a)b"}, "#/pattern", "an anchor within"),
        ({"pattern": "("}, "#/pattern", "cannot be read"),
        ({"pattern": "a", "maxLength": 3}, "#", "both demanded"),
        ({"name": "a", "schema": {"type": "null"}}, "#", "nothing here says what a document is"),
        ({"name": "a", "description": "b", "parameters": {}}, "#", "nothing here says what"),
        ({"required": ["a"], "additionalProperties": False}, "#/properties/a", "no value is"),
        ({"type": "number", "minimum": 10**400, "maximum": 0.5}, "#", "compare digits"),
        ({"type": "integer", "minimum": 10**400}, "#", "would have to compare digits"),
        ({"type": "number", "minimum": 0.5, "maximum": 1}, "#", "would have to compare digits"),
        ({"type": "number", "minimum": 2}, "#", "would have to compare digits"),
        ({"type": "integer", "maximum": 2}, "#", "would have to compare digits"),
        ({"type": "integer", "exclusiveMinimum": True}, "#", "exclusiveMinimum is a number"),
        ({"properties": {"a": False}}, "#/properties/a", "no value is allowed"),
        ({"enum": [1], "type": "string"}, "#", "no value is allowed"),
        ([], "#", "a schema is an object"),
    ],
)
def test_what_no_rules_express_is_refused_where_it_is(schema, where, message):
    with pytest.raises(NotationError, match=f"s.json{where}: .*{message}"):
        read(schema)


@pytest.mark.parametrize("form", STRINGS)
def test_strings_of_a_format_have_it(form):
    library = pytest.importorskip("jsonschema")
    schema = {"type": "string", "format": form}
    checker = library.Draft202012Validator.FORMAT_CHECKER
    validator = library.Draft202012Validator(schema, format_checker=checker)
    assert all(validator.is_valid(json.loads(text)) for text in texts_of(read(schema)[0], 100))


@pytest.mark.parametrize(
    ("limits", "good", "bad"),
    [
        ({"minimum": 0, "maximum": 1}, ["0", "0.5", "1", "1.0"], ["1.01", "-0.1", "2"]),
        ({"exclusiveMinimum": 0}, ["0.01", "7", "30.5"], ["0", "0.0", "-1"]),
        ({"minimum": -2, "exclusiveMaximum": 2}, ["-2", "-1.5", "0.3", "1.9"], ["2", "-2.1", "-3"]),
        ({"exclusiveMinimum": -2, "maximum": -1}, ["-1.99", "-1"], ["-2", "-0.5", "1", "-2.0"]),
    ],
)
def test_numbers_within_limits(limits, good, bad):
    grammar = by_character(read({"type": "number", **limits})[0])
    assert [text for text in good if not accepted(grammar, text)] == []
    assert [text for text in bad if accepted(grammar, text)] == []


def test_references_are_read_as_pointers_of_an_address():
    schema = {
        "$ref": "#/$defs/a%20b~1c",
        "$defs": {"a b/c": {"$ref": "#/$defs/"}, "": {"const": 1}},
    }
    assert {*texts_of(read(schema)[0], 5)} == {"1"}


def test_values_are_of_their_types_however_large():
    schema = {"enum": [10**400, 2.0, 2.5, True], "type": "integer"}
    assert {*texts_of(read(schema)[0], 50)} == {str(10**400), "2.0"}


def test_lists_of_items_are_read_as_before_2020():
    schema = {"type": "array", "items": [{"const": 1}, {"const": 2}], "additionalItems": False}
    assert {*texts_of(read(schema)[0], 50)} == {"[]", "[1]", "[1, 2]"}


NOT_JSON = ["{", "[" * 100_000, '{"const": ' + "9" * 5_000 + "}", '{"const": NaN}',
            '{"enum": [1e999]}', r'{"const": "\ud800"}']  # fmt: skip


@pytest.mark.parametrize("text", NOT_JSON, ids=range(len(NOT_JSON)))
def test_what_is_no_json_is_refused(text):
    with pytest.raises(NotationError, match="JSON"):
        read_notation(text, "jsonschema")


def test_a_schema_within_a_schema_without_end_is_refused():
    schema: object = True
    for _ in range(60):
        schema = {"items": schema}
    with pytest.raises(NotationError, match="nested too deeply"):
        read(schema)


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("^a|b$", ["a", "ax", "xb"], ["xa", "bx", ""]),
        ("ab", ["ab", "xabx"], ["a", "ba"]),
        (r"^\d\w$", ["1b", "1_"], ["11a", "a1"]),
        ("^[^a]$", ["b", "\\\\", '\\"'], ["a", "", "\\", '"']),
        ("^(ab|c){1,2}$", ["ab", "cab"], ["", "abcc"]),
    ],
)
def test_patterns_are_found_anywhere_in_a_string(pattern, good, bad):
    grammar = by_character(read({"type": "string", "pattern": pattern})[0])
    assert [text for text in good if not accepted(grammar, f'"{text}"')] == []
    assert [text for text in bad if accepted(grammar, f'"{text}"')] == []
