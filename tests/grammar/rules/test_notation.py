"""The text notation: any names round trip, NLTK's strings are read, faults are located."""

from __future__ import annotations

import nltk
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grammar.errors import NotationError, WeightError
from grammar.pcfg.grammar import Grammar
from grammar.rules.notation import format_productions, parse_productions
from grammar.rules.rules import Nonterminal, Production, format_symbol
from tests.grammar.strategies import names, tokens


def rules(text: str, **options: str) -> list[tuple[str, tuple[str, ...], float]]:
    """Return (left, right, weight), nonterminals of the right-hand side in angle brackets."""
    productions, _ = parse_productions(text, **options)
    return [
        (p.lhs.name, tuple(c if isinstance(c, str) else f"<{c}>" for c in p.rhs), p.weight)
        for p in productions
    ]


# --- round trips ------------------------------------------------------------------------------

symbols = names() | names().map(Nonterminal)


@given(names())
@example("")
@example("\\")
@example("\\\\n")
@example("a\nb")
@example("\ud800")
@example("'\"")
def test_any_word_is_read_back(word):
    assert parse_productions(f"S -> {format_symbol(word)}")[0][0].rhs == (word,)


@given(names())
@example("")
@example("A->B")
@example("a}{b")
@example("\\}")
@example("%start")
@example("\ud800")
def test_any_nonterminal_is_read_back(name):
    symbol = Nonterminal(name)
    (production,), start = parse_productions(f"{format_symbol(symbol)} -> {format_symbol(symbol)}")
    assert (production.lhs, production.rhs, start) == (symbol, (symbol,), name)


@given(
    st.lists(
        st.builds(
            Production,
            names().map(Nonterminal),
            st.lists(symbols, max_size=4).map(tuple),
            st.floats(0, 1),
        ),
        min_size=1,
        max_size=5,
    ),
    names(),
)
def test_productions_are_read_back_with_equal_weights(productions, start):
    text = format_productions(productions, start)
    assert parse_productions(text) == (productions, start)
    assert len(text.split("\n")) <= len(productions) + 2


@given(st.lists(names(), max_size=4), st.floats(0, 1))
def test_a_production_prints_as_its_notation(words, weight):
    production = Production(Nonterminal("S"), tuple(words), weight)
    assert parse_productions(str(production))[0] == [production]


def test_weights_of_numpy_print_as_numbers():
    import numpy as np

    assert str(Production(Nonterminal("S"), ("a",), np.float64(0.1))) == "S -> 'a' [0.1]"


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("fish", "'fish'"),
        ("it's", '"it\'s"'),
        ("'\"", "'\\'\"'"),
        ("\\", "'\\\\'"),
        ("a\nb", "'a\\u000ab'"),
        ("\u00a0", "'\\u00a0'"),
        ("𝒳\U000e0001", "'𝒳\\U000e0001'"),
        (Nonterminal("NP-SBJ"), "NP-SBJ"),
        (Nonterminal("VP/NP^S<x>"), "VP/NP^S<x>"),
        (Nonterminal("É1"), "É1"),
        (Nonterminal("PRP$"), "{PRP$}"),
        (Nonterminal("-LRB-"), "{-LRB-}"),
        (Nonterminal("a b}"), "{a b\\}}"),
    ],
)
def test_symbols_are_written_as_plainly_as_can_be(symbol, text):
    assert format_symbol(symbol) == text


# --- NLTK's strings ---------------------------------------------------------------------------

NLTK_GRAMMARS = [
    """
    S -> NP VP [1.0]
    NP -> Det N [0.5] | NP PP [0.25] | 'John' [0.1] | 'I' [0.15]
    Det -> 'the' [0.8] | 'my' [0.2]
    N -> 'man' [0.5] | 'telescope' [0.5]
    VP -> VP PP [0.1] | V NP [0.7] | V [0.2]
    V -> 'ate' [0.35] | 'saw' [0.65]
    PP -> P NP [1.0]
    P -> 'with' [0.61] | 'under' [0.39]
    """,
    """
    # a comment
    S    -> NP VP         [1.0]

    VP   -> V NP          [.59]
    VP   -> V             [.40]
    VP   -> VP PP         [.01]
    NP   -> Det N         [.41]
    NP   -> Name          [.28]
    NP   -> NP PP         [.31]
    PP   -> P NP          [1.0]
    V    -> 'saw' [.21] | 'ate' [.51] | 'ran' [.28]
    N    -> 'boy' [.11] | 'cookie' [.12] | 'table' [.13] | "telescope" [.64]
    Name -> 'Jack' [.52] | 'Bob' [.48]
    P    -> 'with' [.61] | 'under' [.39]
    Det  -> 'the' [.41] | 'a' [.31] | 'my' [.28]
    """,
    """
    %start VP/NP
    NP-SBJ -> 'x' [1.0]
    VP/NP -> NP-SBJ "it's" [0.25] | [0.75]
    S^VP -> VP/NP NP-SBJ '"' 'C:\\dir' [1.0]
    _x1 -> 'a b' [1]
    """,
    "S -> A 'b' [0.5] | \\\n  'c' [0.5]\nA -> 'a' [1.0]",
]


@pytest.mark.parametrize("text", NLTK_GRAMMARS)
def test_nltk_strings_mean_what_they_mean_to_nltk(text):
    theirs = nltk.PCFG.fromstring(text)
    _, start = parse_productions(text)
    assert start == str(theirs.start())
    assert rules(text) == [
        (
            str(p.lhs()),
            tuple(c if isinstance(c, str) else f"<{c}>" for c in p.rhs()),
            p.prob(),
        )
        for p in theirs.productions()
    ]
    assert Grammar.parse(text) == Grammar.from_nltk(theirs)


@given(
    st.lists(
        st.tuples(
            st.text("abc'._-", min_size=1, max_size=3), st.text("ABab/<>^-", min_size=1, max_size=3)
        ),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_written_for_plain_names_is_read_by_nltk(pairs):
    productions = [
        Production(Nonterminal(f"N{name}"), (word, Nonterminal(f"N{name}")), 1.0 / len(pairs))
        for word, name in pairs
    ]
    text = "\n".join(map(str, productions))
    theirs, _ = nltk.grammar.read_grammar(
        text, nltk.grammar.standard_nonterm_parser, probabilistic=True
    )
    start = theirs[0].symbol() if isinstance(theirs, list) else theirs.symbol()
    assert start == productions[0].lhs.name


# --- the rest of the notation -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "weight"),
    [
        ("1", 1.0), ("1.", 1.0), (".5", 0.5), ("0.50", 0.5), ("+0.5", 0.5), ("5e-1", 0.5),
        ("1E-3", 0.001), ("1/3", 1 / 3), ("2/3", 2 / 3), ("0.5/2", 0.25), (" 1 ", 1.0),
        ("1e-320", 1e-320), ("4.9e-324", 5e-324), ("0", 0.0),
    ],
)  # fmt: skip
def test_weights_are_decimals_exponents_and_fractions(written, weight):
    assert rules(f"S -> 'a' [{written}]") == [("S", ("a",), weight)]


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_fractions_are_correctly_rounded(over, under):
    assert rules(f"S -> 'a' [{over}/{under}]")[0][2] == over / under


@pytest.mark.parametrize(
    "written",
    ["-1", "nan", "inf", "-Infinity", "1/0", "0/0", "1e999", "1e999/3", "9" * 5000 + "/3"],
)
def test_numbers_that_are_no_probabilities_are_weight_errors(written):
    with pytest.raises(WeightError, match="is not a probability"):
        Grammar.parse(f"S -> 'a' [{written}]")


def test_a_denominator_of_any_length_is_read():
    assert rules(f"S -> 'a' [1/{'9' * 5000}]") == [("S", ("a",), 0.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n# nothing\n\n", []),
        ("S -> 'a'", [("S", ("a",), 1.0)]),
        ("\n\n  S -> 'a'  \n\n", [("S", ("a",), 1.0)]),
        ("# one\n# two\n\n# three\nS -> 'a' # four\n# five\n\n# six", [("S", ("a",), 1.0)]),
        ("S -> '#' # '", [("S", ("#",), 1.0)]),
        ("S -> {#}", [("S", ("<#>",), 1.0)]),
        ("S → 'a'", [("S", ("a",), 1.0)]),
        ("S->'a'|'b'", NotationError),
        ("S ->'a'|'b'", [("S", ("a",), 0.5), ("S", ("b",), 0.5)]),
        ("S ->", [("S", (), 1.0)]),
        ("S -> | 'a' |", [("S", (), 1 / 3), ("S", ("a",), 1 / 3), ("S", (), 1 / 3)]),
        ("S -> [0.25] | 'a' [0.75]", [("S", (), 0.25), ("S", ("a",), 0.75)]),
        ("S -> ''", [("S", ("",), 1.0)]),
        ("S -> 'a''b'A{B}", [("S", ("a", "b", "<A>", "<B>"), 1.0)]),
        ("S -> 'a' \\\n 'b' \\\r\n 'c'", [("S", ("a", "b", "c"), 1.0)]),
        ("S -> 'a'\r\n\r\n# x\r\nT -> 'b'\r\n", [("S", ("a",), 1.0), ("T", ("b",), 1.0)]),
        ("S\t->\t'a'\t[1]\t", [("S", ("a",), 1.0)]),
        (r"S -> '\x41\u00e9\U0001d4b3\n\t\r\\'", [("S", ("Aé𝒳\n\t\r\\",), 1.0)]),
        (r"S -> '\d\x4\u12\U00110000'", [("S", (r"\d\x4\u12\U00110000",), 1.0)]),
        (r"S -> '\{\}\'\"'", [("S", ("{}'\"",), 1.0)]),
        (r"{a\u0020b} -> {\}}", [("a b", ("<}>",), 1.0)]),
        ("S -> 'a'\nT -> 'b' [1]", [("S", ("a",), 1.0), ("T", ("b",), 1.0)]),
        ("S -> 1 2/3", [("S", ("<1>", "<2/3>"), 1.0)]),
    ],
)
def test_texts_mean(text, expected):
    if expected is NotationError:
        with pytest.raises(NotationError):
            rules(text)
    else:
        assert rules(text) == expected


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("", None),
        ("S -> 'a'\nT -> 'b'", "S"),
        ("%start T\nS -> 'a'\nT -> 'b'", "T"),
        ("S -> 'a'\nT -> 'b'\n%start T # last", "T"),
        ("%start {a b}\nS -> 'a'", "a b"),
    ],
)
def test_the_start_symbol_is_the_first_unless_named(text, start):
    assert parse_productions(text)[1] == start


def test_a_symbol_without_weights_gets_equal_ones():
    assert [w for _, _, w in rules("S -> 'a' | 'b'\nT -> 'c' [1]\nS -> 'd' | 'e'")] == [
        0.25, 0.25, 1.0, 0.25, 0.25,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["S -> 'a' [0.5] | 'b'", "S -> 'a'\nT -> 'b'\nS -> 'c' [0.5]"])
def test_a_symbol_with_some_weights_is_refused(text):
    with pytest.raises(NotationError, match="1 of the 2 rules of S have no weight") as caught:
        parse_productions(text, source="g.txt")
    assert caught.value.where == "g.txt"


@pytest.mark.parametrize(
    ("text", "where", "excerpt"),
    [
        ("S", "1:2", "S"),
        ("S -> 'a'\nT", "2:2", "T"),
        ("S -> 'a' [", "1:11", "S -> 'a' ["),
        ("S -> 'a\nT -> 'b'", "1:6", "S -> 'a"),
        ("S -> 'a' @ 'b'", "1:10", "S -> 'a' @ 'b'"),
        ("S -> 'a'\n\n# ok\n  T -> 'é𝒳' ] 'b'", "4:13", "  T -> 'é𝒳' ] 'b'"),
        ("S -> 'a' [x]", "1:11", "S -> 'a' [x]"),
        ("S -> 'a' [1] [1]", "1:14", "S -> 'a' [1] [1]"),
        ("-> 'a'", "1:1", "-> 'a'"),
        ("S T -> 'a'", "1:3", "S T -> 'a'"),
        ("S -> 'a' -> 'b'", "1:10", "S -> 'a' -> 'b'"),
        ("'S' -> 'a'", "1:1", "'S' -> 'a'"),
        ("S -> {a", "1:6", "S -> {a"),
        ("S -> 'a'\r\n%start\r\n", "2:7", "%start"),
        ("S -> 'a\x0c\u2028b'\nT -> ] 'c'", "2:6", "T -> ] 'c'"),
    ],
)
def test_a_fault_is_shown_with_line_column_and_excerpt(text, where, excerpt):
    with pytest.raises(NotationError, match="this is not a rule") as caught:
        parse_productions(text, source="g.txt")
    assert caught.value.where == f"g.txt:{where}"
    _, shown, caret = caught.value.what.split("\n")
    assert shown.strip() == excerpt.strip()
    assert caret.index("^") == 3 + int(where.split(":")[1])


@given(st.text("SA->|'\"{}[]1/. \n#\\%", max_size=12))
def test_any_text_is_read_or_refused_with_a_position(text):
    try:
        productions, start = parse_productions(text)
    except NotationError as error:
        fault = error
    else:
        again = (productions, start)
        if start is not None:
            again = parse_productions(format_productions(productions, start))
        assert str(again) == str((productions, start))
        return
    assert fault.where.count(":") == (0 if "have no weight" in fault.what else 2)


def test_a_large_grammar_is_read():
    lines = [f"N{i % 50} -> 'w{i}' N{(i * 7) % 50} [1/40]" for i in range(2000)]
    productions, start = parse_productions("\n".join(lines))
    assert (len(productions), start) == (2000, "N0")
    assert productions[1999].rhs == ("w1999", Nonterminal("N43"))
    assert len(Grammar.parse("\n".join(lines))) == 2000


@given(st.lists(tokens(), min_size=1, max_size=3))
def test_one_line_is_written_for_each_production(words):
    text = format_productions([Production(Nonterminal("S"), tuple(words))], "S")
    assert len(text.splitlines()) == 1
