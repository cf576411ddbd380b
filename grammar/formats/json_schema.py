"""JSON Schema as rules: the texts of the documents that a schema allows.

A document is written as Python's ``json.dumps`` writes it by default (``", "`` and ``": "``), with
the properties of an object in the order of the schema. What a context-free grammar cannot express
is refused; what only leaves documents out is named in :attr:`Parsed.left_out`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import unquote

from grammar.errors import NotationError
from grammar.expressions.positions import Automaton, UnreadableError
from grammar.formats.dialects import excerpt
from grammar.formats.json_values import (
    CHARACTER,
    RULES,
    STRINGS,
    choice_of,
    numbers_within,
    optional,
    repeated,
    row_of,
    rule,
    rules_in,
    text_of,
    whole_pattern,
)
from grammar.formats.parsing import MOST_REPEATS, Expression, Parsed

__all__ = ["parse_schema"]

_DEEPEST = 50
_MOST_OPTIONAL = 200
_SAYS_NOTHING = frozenset(
    {
        "$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "$vocabulary", "title",
        "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
        "contentMediaType", "contentEncoding", "contentSchema",
    }
)  # fmt: skip
_JOINING = ("$ref", "anyOf", "oneOf", "allOf", "enum", "const")
_OF_TYPE: Mapping[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "prefixItems", "additionalItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
_REFUSED = frozenset(
    {
        "not", "if", "then", "else", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "uniqueItems", "contains", "minContains", "maxContains", "multipleOf",
        "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedItems",
        "unevaluatedProperties", "$dynamicRef", "$recursiveRef",
    }
)  # fmt: skip
_DEMANDING = frozenset({"type"}.union(_JOINING, *_OF_TYPE.values()))
_KNOWN = _SAYS_NOTHING | _DEMANDING


def parse_schema(text: str, source: str) -> Parsed:
    """Read the rules of the documents that a schema allows; they begin with ``root``.

    Raises
    ------
    NotationError
        If the text is no JSON Schema, or demands what no rules can express.
    """
    try:
        document = json.loads(text)
        # halves of characters, and numbers that are none, are in no document
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        raise excerpt(f"this is not JSON: {error.msg}", text, error.pos, source) from None
    except (ValueError, RecursionError) as error:
        raise NotationError(f"this JSON cannot be read: {error}", where=source) from None
    return _Reader(document, source).rules()


class _Reader:
    def __init__(self, document: Any, source: str) -> None:
        self._document, self._source = document, source
        self._found = Parsed(start="root")
        self._names = {"": "root"}  # of what is referred to, by its place in the document
        self._waiting = [""]

    def rules(self) -> Parsed:
        found = self._found
        while self._waiting:
            place = self._waiting.pop()
            found.rules[self._names[place]] = self._schema(self._at(place), place)
        used = list(rules_in(found.rules.values()))
        while used:
            name = used.pop()
            if name not in found.rules:
                found.rules[name] = RULES[name]
                used += rules_in([RULES[name]])
        return found

    def _refuse(self, what: str, place: str, hint: str | None = None) -> NoReturn:
        raise NotationError(what, where=f"{self._source}#{place}", hint=hint)

    def _at(self, place: str) -> Any:
        node = self._document
        for step in place.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            try:
                node = node[int(name)] if isinstance(node, list) else node[name]
            except (KeyError, IndexError, ValueError, TypeError):
                self._refuse("a $ref names this place, and nothing is there", place)
        return node

    def _schema(self, schema: Any, place: str) -> Expression:
        if place.count("/") > _DEEPEST:
            self._refuse("it is nested too deeply", place, "put inner schemas into $defs")
        if schema is True:
            return rule("value")
        if schema is False:
            self._refuse("no value is allowed here", place, "leave this schema out")
        if not isinstance(schema, dict):
            self._refuse("a schema is an object, true or false", place)
        self._look_at_keywords(schema, place)
        unknown = [name for name in schema if name not in _KNOWN | _REFUSED]
        if not place and unknown and _DEMANDING.isdisjoint(schema):
            part = next((name for name in unknown if isinstance(schema[name], dict)), None)
            self._refuse(
                "nothing here says what a document is", place,
                part and f"give what stands under {part!r}, if that is the schema",
            )  # fmt: skip
        for keyword in _JOINING:
            if keyword in schema:
                return self._joined(keyword, schema, place)
        return choice_of(self._of_type(kind, schema, place) for kind in self._types(schema, place))

    def _symbol(self, schema: Any, place: str) -> Expression:
        """Return what a schema stands for where it is used in several ways: a rule, or a text."""
        found = self._schema(schema, place)
        return found if found.kind in ("rule", "text") else self._define(place, found)

    def _define(self, place: str, expression: Expression) -> Expression:
        """Name a rule by its place in the document."""
        self._found.rules[f"#{place}"] = expression
        return rule(f"#{place}")

    def _look_at_keywords(self, schema: Mapping[str, Any], place: str) -> None:
        for keyword, value in schema.items():
            if keyword in _REFUSED and value is not False:
                self._refuse(
                    f"no rules of a grammar express {keyword}", place,
                    f"leave {keyword} out; the grammar then allows more documents",
                )  # fmt: skip
            if keyword not in _KNOWN and keyword not in _REFUSED:
                self._found.left_out.add(f"the keyword {keyword}")

    def _types(self, schema: Mapping[str, Any], place: str) -> Sequence[str]:
        if "type" in schema:
            given = schema["type"]
            kinds = given if isinstance(given, list) and given else [given]
            if not all(isinstance(kind, str) and kind in _OF_TYPE for kind in kinds):
                self._refuse(
                    f"there is no type {given!r}", place, f"they are {', '.join(_OF_TYPE)}"
                )
            return kinds
        told = [kind for kind, words in _OF_TYPE.items() if not words.isdisjoint(schema)]
        if told:
            self._found.left_out.add("values of other types, where keywords are of one")
        return [kind for kind in told if kind != "integer"] or ["value"]

    def _joined(self, keyword: str, schema: Mapping[str, Any], place: str) -> Expression:
        value = schema[keyword]
        others = _DEMANDING.intersection(schema) - {keyword, "format"}
        if keyword in ("enum", "const"):
            others -= {"type"}
        if others:
            names = ", ".join(sorted(others))
            self._refuse(
                f"{keyword} and {names} are both demanded", place,
                f"write them as one schema: move {names} into {keyword}",
            )  # fmt: skip
        if keyword == "$ref":
            return self._reference(value, place)
        values = [value] if keyword == "const" else value
        if not isinstance(values, list) or not values:
            self._refuse(f"{keyword} has a list", place)
        if keyword in ("enum", "const"):
            return self._listed(values, schema, place)
        if keyword == "allOf" and len(values) > 1:
            self._refuse("no rules of a grammar express allOf", place, "join its schemas")
        if keyword == "oneOf":
            self._found.left_out.add("that one alone of oneOf holds")
        return choice_of(
            self._schema(one, f"{place}/{keyword}/{k}") for k, one in enumerate(values)
        )

    def _reference(self, target: Any, place: str) -> Expression:
        if not isinstance(target, str) or not (target == "#" or target.startswith("#/")):
            self._refuse(
                f"{target!r} is no place of this document", place,
                "copy what it names into $defs, and refer to #/$defs/NAME",
            )  # fmt: skip
        pointer = unquote(target[1:])
        if pointer not in self._names:
            name = re.sub(r"[^\w.-]", "_", pointer.rpartition("/")[2]) or "_"
            while name in RULES or name in self._names.values():
                name += "_"
            self._names[pointer] = name
            self._waiting.append(pointer)
        return rule(self._names[pointer])

    def _listed(self, values: list[Any], schema: Mapping[str, Any], place: str) -> Expression:
        if "type" in schema:
            kinds = self._types(schema, place)
            values = [value for value in values if any(_is_of(value, kind) for kind in kinds)]
        if not values:
            self._refuse("no value is allowed here", place, "correct the type, or the values")
        return choice_of(text_of(_in_json(value)) for value in values)

    def _of_type(self, kind: str, schema: Mapping[str, Any], place: str) -> Expression:
        if kind == "value" or _OF_TYPE[kind].isdisjoint(schema):
            return rule(kind)
        readers = {"object": self._object, "array": self._array, "string": self._string}
        if kind in readers:
            return readers[kind](schema, place)
        return self._number(kind, schema, place)

    def _object(self, schema: Mapping[str, Any], place: str) -> Expression:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if not isinstance(properties, dict):
            self._refuse("properties are an object", place)
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            self._refuse("required is a list of names", place)
        members, others = [], schema.get("additionalProperties", True)
        for name in dict.fromkeys([*properties, *required]):
            step = name.replace("~", "~0").replace("/", "~1")
            inner = self._symbol(properties.get(name, others), f"{place}/properties/{step}")
            members.append((row_of(f"{_in_json(name)}: ", inner), name in required))
        return row_of("{", self._members(members, self._member(schema, place), place), "}")

    def _member(self, schema: Mapping[str, Any], place: str) -> Expression | None:
        """Return a member that the schema does not name, if there may be such."""
        named, more = schema.get("properties"), schema.get("additionalProperties")
        if more is None and named:
            self._found.left_out.add("properties that have no name in the schema")
            return None
        if more is False:
            return None
        if named:
            self._found.left_out.add("that other properties have other names")
        inner = self._symbol(True if more is None else more, f"{place}/additionalProperties")
        return row_of(rule("string"), ": ", inner)

    def _members(
        self, members: list[tuple[Expression, bool]], more: Expression | None, place: str
    ) -> Expression:
        """Return a way for each member that may be the first, up to one that is required."""
        last = next((k for k, (_, required) in enumerate(members) if required), None)
        if (len(members) if last is None else last) > _MOST_OPTIONAL:
            self._refuse(
                f"more than {_MOST_OPTIONAL} properties may be the first", place,
                "put one that is required before them",
            )  # fmt: skip
        rest = [] if more is None else [repeated(row_of(", ", more), 0, None)]
        ways = [] if last is not None else [row_of()]
        if last is None and more is not None:
            ways.append(row_of(more, *rest))
        for k, (member, required) in reversed(list(enumerate(members))):
            if last is None or k <= last:
                ways.append(row_of(member, *rest))
            rest.insert(0, row_of(", ", member) if required else optional(", ", member))
        return choice_of(reversed(ways))

    def _array(self, schema: Mapping[str, Any], place: str) -> Expression:
        begins, more = schema.get("prefixItems", []), schema.get("items")
        if isinstance(more, list):  # as before 2020
            begins, more = more, schema.get("additionalItems")
        if not isinstance(begins, list):
            self._refuse("prefixItems is a list of schemas", place)
        if more is None and begins:
            self._found.left_out.add("items that have no schema")
        least, most = self._bounds("Items", schema, place)
        named = [self._symbol(one, f"{place}/prefixItems/{k}") for k, one in enumerate(begins)]
        inner = None
        if more is not False and not (more is None and begins):
            inner = self._symbol(True if more is None else more, f"{place}/items")
        else:
            most = min(len(named), len(named) if most is None else most)
        if most is not None and most < least:
            self._refuse(f"no list has {least} items here", place, "correct minItems")
        return row_of("[", _items(named[:most], inner, least, most), "]")

    def _bounds(self, what: str, schema: Mapping[str, Any], place: str) -> tuple[int, int | None]:
        least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
        for bound in (least, most):
            if bound is not None and (type(bound) is not int or bound < 0):
                self._refuse(f"{bound!r} is no number of {what.lower()}", place)
        if most is not None and most > MOST_REPEATS:
            self._found.left_out.add(f"max{what} above {MOST_REPEATS}")
            most = None
        if least > (MOST_REPEATS if most is None else most):
            self._refuse(
                f"min{what} is {least}", place,
                f"up to {MOST_REPEATS} are read, and no more than max{what}",
            )  # fmt: skip
        return least, most

    def _string(self, schema: Mapping[str, Any], place: str) -> Expression:
        form = str(schema.get("format", ""))
        has_length = not {"minLength", "maxLength"}.isdisjoint(schema)
        if "pattern" not in schema and form in STRINGS and not has_length:
            self._found.left_out.add(f"less usual strings of the format {form}")
            return row_of('"', self._pattern(STRINGS[form], f"{place}/format"), '"')
        if form:
            self._found.left_out.add(f"the format {form}")
        if "pattern" not in schema:
            return row_of('"', repeated(CHARACTER, *self._bounds("Length", schema, place)), '"')
        if has_length:
            self._refuse(
                "a pattern and a length are both demanded", place,
                "write the length into the pattern, as in ^[a-z]{2,8}$",
            )  # fmt: skip
        return row_of('"', self._pattern(schema["pattern"], f"{place}/pattern"), '"')

    def _pattern(self, pattern: Any, place: str) -> Expression:
        """Return the strings that have a match; there is a rule for each place of the pattern."""
        if not isinstance(pattern, str):
            self._refuse("a pattern is a string", place)
        try:
            automaton = Automaton(f"(?a){whole_pattern(pattern)}")
        except (UnreadableError, re.error, OverflowError, RecursionError) as error:
            self._refuse(f"the pattern cannot be read: {error}", place)
        if not automaton.exact:
            self._refuse(
                "the pattern looks around, or has an anchor within", place,
                "write it with classes, repetitions, and anchors at its ends",
            )  # fmt: skip
        if any(max(signs, default="") > "~" for signs in automaton.samples):
            self._found.left_out.add("characters beyond ASCII, in patterns")
        names = [f"#{place}/{state}" for state in range(len(automaton.nodes))]
        for state, name in enumerate(names):
            signs = [sign for sign in automaton.characters(state, broad=True) if sign <= "~"]
            if not signs:
                self._refuse("the pattern has a character that is not of ASCII", place)
            behind = [rule(names[after]) for after in automaton.follow[state]]
            ends = [row_of()] if state in automaton.ends else []
            taken = choice_of(text_of(_in_json(sign)[1:-1]) for sign in signs)
            self._found.rules[name] = row_of(taken, choice_of([*behind, *ends]))
        nothing = [row_of()] if automaton.empty else []
        return choice_of([*(rule(names[state]) for state in automaton.start), *nothing])

    def _number(self, kind: str, schema: Mapping[str, Any], place: str) -> Expression:
        """Return the numbers within limits."""
        limits = {name: schema[name] for name in sorted(_OF_TYPE["number"]) if name in schema}
        for name, limit in limits.items():
            if type(limit) not in (int, float):
                self._refuse(f"{name} is a number", place)
        found = numbers_within(limits, integers=kind == "integer")
        if found is None:
            self._refuse(
                f"{', '.join(limits)}: a grammar would have to compare digits", place,
                "give both limits, with whole numbers at most 1,000 apart, or minimum 0 alone",
            )  # fmt: skip
        return found


def _items(
    named: list[Expression], inner: Expression | None, least: int, most: int | None
) -> Expression:
    """Return the items of a list: some with a schema of their own, and then others."""
    if not named and inner is not None and most != 0:
        named = [inner]
    count = len(named)
    rest = row_of()
    if inner is not None:
        rest = repeated(
            row_of(", ", inner), max(0, least - count), None if most is None else most - count
        )
    for k in reversed(range(count)):
        one = row_of(*([", "] if k else []), named[k], rest)
        rest = one if k < least else optional(one)
    return rest


def _is_of(value: Any, kind: str) -> bool:
    if kind in ("integer", "number"):
        is_whole = type(value) is int or (type(value) is float and value.is_integer())
        return is_whole or (kind == "number" and type(value) is float)
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, types[kind])


def _in_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
