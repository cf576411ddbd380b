"""Small grammars of languages that people write, in our notation; sentences need no spaces."""

from __future__ import annotations

import string

from grammar.pcfg.grammar import Grammar

__all__ = ["ALL_PUBLISHED", "PUBLISHED"]


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

_MORE = {
    # statements of one line, each of which Python compiles
    "python": "File -> Line | File Line\nLine -> Statement '\\n'\n"
    "Statement -> Small | 'if ' Test ': ' Small | 'while ' Test ': ' Small"
    " | 'for ' Name ' in ' Test ': ' Small | 'def ' Name '(' Names '): ' Small\n"
    "Small -> 'pass' | Test | Name ' = ' Test | Name ' += ' Test | 'import ' Name\n"
    "Names -> | Name | Name ', ' Name\n"
    "Test -> Or | Or ' if ' Or ' else ' Test | 'lambda: ' Test\n"
    "Or -> And | Or ' or ' And\nAnd -> Not | And ' and ' Not\nNot -> 'not ' Not | Comparison\n"
    "Comparison -> Sum | Comparison Sign Sum\nSum -> Product | Sum ' + ' Product\n"
    "Product -> Unary | Product ' * ' Unary\nUnary -> Power | '-' Unary\n"
    "Power -> Atom | Primary ' ** ' Unary\nAtom -> Primary | Number | '\\'' Letters '\\''"
    " | '[' Items ']' | '{' Pairs '}' | 'None' | 'True'\n"
    "Primary -> Name | '(' Test ')' | Primary '.' Name | Primary '(' Items ')'"
    " | Primary '[' Test ']'\nItems -> | Tests\nTests -> Test | Tests ', ' Test\n"
    "Pairs -> | Full\n"
    "Full -> Test ': ' Test | Full ', ' Test ': ' Test\nLetters -> | Letters Letter\n"
    "Number -> '0' | First Digits | First\n"
    + _choice("Sign", [" < ", " == ", " in ", " is not "])
    + _choice("Name", ["x", "y", "total", "f"])
    + _choice("Letter", "ab é")
    + _choice("First", "123456789")
    + _DIGITS,
    # OpenSMILES; which rings close is in no context-free grammar
    "smiles": "Chain -> Branched | Chain Branched | Chain Bond Branched | Chain '.' Branched\n"
    "Branched -> Atom Rings Branches\nRings -> | Rings Ring\nBranches -> | Branches Branch\n"
    "Ring -> Digit | Bond Digit | '%' Digit Digit\n"
    "Branch -> '(' Chain ')' | '(' Bond Chain ')' | '(' '.' Chain ')'\n"
    "Atom -> Organic | '[' Isotope Element Chiral Hydrogens Charge ']'\n"
    "Isotope -> | Digits\nChiral -> | '@' | '@@'\nHydrogens -> | 'H' | 'H' Digit\n"
    "Charge -> | '+' | '-' | '+' Digit | '-' Digit\n"
    + _choice("Organic", ["B", "Br", "C", "Cl", "N", "O", "S", "F", "c", "n", "o"])
    + _choice("Element", ["H", "C", "Fe", "Na", "Se", "c", "se"])
    + _choice("Bond", ["-", "=", "#", "$", ":", "/", "\\"])
    + _DIGITS,
    # moves in standard algebraic notation
    "chess": "Game -> Ply | Game ' ' Ply\nPly -> Move | Move '+' | Move '#'\n"
    "Move -> 'O-O' | 'O-O-O' | Piece From Takes Square | Square Becomes | File 'x' Square Becomes\n"
    "From -> | File | Rank | Square\nTakes -> | 'x'\nSquare -> File Rank\n"
    "Becomes -> | '=' Figure\n"
    + _choice("Piece", "KQRBN") + _choice("Figure", "QRBN")
    + _choice("File", "abcdefgh") + _choice("Rank", "12345678"),
    # regular expressions, each of which Python compiles
    "expressions": "Expression -> Row | Expression '|' Row\nRow -> | Row Part\n"
    "Part -> Atom | Atom '*' | Atom '+' | Atom '?'\n"
    "Atom -> Sign | '.' | '(' Expression ')' | '[' Set ']' | '[^' Set ']' | '\\\\' Escaped\n"
    "Set -> Member | Set Member\nMember -> Sign | Sign '-z'\n"
    + _choice("Sign", "abc01") + _choice("Escaped", "dws.*\\"),
    "lisp": "Form -> Atom | '(' ')' | '(' Forms ')' | '\\'' Form\nForms -> Form | Forms ' ' Form\n"
    + _choice("Atom", ["x", "car", "define", "+", "42", '"so"', "#t"]),
}  # fmt: skip

PUBLISHED = {name: Grammar.parse(text, source=name) for name, text in _TEXTS.items()}
"""Five small ones."""

ALL_PUBLISHED = PUBLISHED | {name: Grammar.parse(t, source=name) for name, t in _MORE.items()}
"""Those, and five with left recursion, empty rules and more kinds of rules."""
