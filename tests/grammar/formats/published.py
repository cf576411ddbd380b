"""Small grammars of languages that people write, in our notation; sentences need no spaces."""

from __future__ import annotations

import string

from grammar.pcfg.grammar import Grammar

__all__ = ["PUBLISHED"]


def _choice(symbol: str, words: str | list[str]) -> str:
    listed = " | ".join("'" + w.replace("\\", "\\\\").replace("'", "\\'") + "'" for w in words)
    return f"{symbol} -> {listed}\n"


_DIGITS = _choice("Digit", string.digits) + "Digits -> Digit | Digit Digits\n"

_TEXTS = {
    "json": "Value -> Object | Array | Text | Number | 'true' | 'false' | 'null'\n"
    "Object -> '{' '}' | '{' Members '}'\nMembers -> Pair | Members ',' Pair\n"
    "Pair -> Text ':' Value\nArray -> '[' ']' | '[' Values ']'\n"
    "Values -> Value | Values ',' Value\nText -> '\"' Signs '\"'\nSigns -> | Sign Signs\n"
    + _choice("Sign", ["a", "b", "'", "\\\\", '\\"', "é", "日"])
    + "Number -> Digits | '-' Digits | Digits '.' Digits\n"
    + _DIGITS,
    "arithmetic": "Sum -> Sum '+' Product | Sum '-' Product | Product\n"
    "Product -> Product '*' Power | Product '/' Power | Power\nPower -> Atom | Atom '^' Power\n"
    "Atom -> Digits | '(' Sum ')' | '-' Atom\n" + _DIGITS,
    "sql": "Query -> 'SELECT ' Columns ' FROM ' Name Where Order\n"
    "Columns -> '*' | Names\nNames -> Name | Names ', ' Name\nWhere -> | ' WHERE ' Condition\n"
    "Condition -> Test | Condition ' AND ' Test | Condition ' OR ' Test\n"
    "Test -> Name Sign Digits | '(' Condition ')' | 'NOT ' Test\nOrder -> | ' ORDER BY ' Names\n"
    + _choice("Sign", ["=", "<", ">", "<=", ">=", "<>"])
    + _choice("Name", ["a", "ab", "b", "name", "order_id"])
    + _DIGITS,
    "dates": "Date -> Year '-' Month '-' Day | Day '.' Month '.' Year | Name ' ' Day ', ' Year\n"
    "Year -> Digit Digit Digit Digit\nMonth -> '0' Digit | '10' | '11' | '12'\n"
    "Day -> '0' Digit | '1' Digit | '2' Digit | '30' | '31'\n"
    + _choice("Name", ["January", "June", "July"])
    + _choice("Digit", string.digits),
    "urls": "Url -> Scheme '://' Host Port Path Query\nScheme -> 'http' | 'https'\n"
    "Host -> Label '.' Label | Label '.' Host\nLabel -> Letter | Letter Label\n"
    "Port -> | ':' Digits\nPath -> | '/' Path | '/' Label Path\nQuery -> | '?' Pairs\n"
    "Pairs -> Pair | Pairs '&' Pair\nPair -> Label '=' Label\n"
    + _choice("Letter", "abcxyz-")
    + _DIGITS,
}

PUBLISHED = {name: Grammar.parse(text, source=name) for name, text in _TEXTS.items()}
