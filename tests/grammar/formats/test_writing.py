"""What is written is consumed: samples are accepted, near misses are refused, by each tool."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import nltk
import pytest
from hypothesis import assume, example, given, settings

from grammar import ChartGrammarError, OptionError, Parser, Production, WeightError
from grammar.formats.reading import read_notation
from grammar.formats.writing import WRITTEN_FORMS, write_notation
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.shortest import shortest_derivations
from grammar.rules.rules import Nonterminal
from induction import induce_pcfg, read_treebank
from tests.grammar.formats.published import ALL_PUBLISHED, PUBLISHED
from tests.grammar.strategies import grammars

Accepts = Callable[[str], bool]

EMPTY = Grammar.parse("S -> [0.5] | 'a' S 'b' [0.5]")
CIRCLE = Grammar.parse("S -> S [0.25] | T [0.25] | 'a' [0.5] \n T -> S [0.5] | 'b' T 'c' [0.5]")


def llguidance(text: str) -> Accepts:
    guidance = pytest.importorskip("llguidance")
    tokens = guidance.LLTokenizer("byte")
    first = guidance.LLMatcher(tokens, guidance.LLMatcher.grammar_from_lark(text))
    assert not first.is_error(), first.get_error()

    def accepts(sentence: str) -> bool:
        matcher = first.deep_copy()
        given_tokens = tokens.tokenize_str(sentence)
        taken = matcher.try_consume_tokens(given_tokens)
        return bool(taken == len(given_tokens) and matcher.is_accepting())

    return accepts


def xgrammar(text: str) -> Accepts:
    xgr: Any = pytest.importorskip("xgrammar")
    vocabulary = [bytes([i]) for i in range(256)] + [b"</s>"]
    raw = xgr.VocabType.RAW
    info = xgr.TokenizerInfo(vocabulary, vocab_type=raw, stop_token_ids=[256])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(text))

    def accepts(sentence: str) -> bool:
        matcher.reset()
        return bool(matcher.accept_string(sentence) and matcher.accept_token(256))

    return accepts


def lark_itself(text: str) -> Accepts:
    import lark

    parser = lark.Lark(text)

    def accepts(sentence: str) -> bool:
        try:
            parser.parse(sentence)
        except lark.exceptions.UnexpectedInput:
            return False
        return True

    return accepts


CONSUMERS = {"llguidance": llguidance, "xgrammar": xgrammar, "lark": lark_itself}


def sentences_of(grammar: Grammar, n: int) -> Iterator[list[str]]:
    """Yield random sentences; a derivation of more than a hundred rules ends as soon as it can."""
    rng, shortest = random.Random(0), shortest_derivations(grammar).rule
    starts, bounds = grammar.rules.starts.tolist(), grammar.rules.offsets.tolist()
    for _ in range(n):
        waiting, words, used = [grammar.start_id], [], 0
        while waiting:
            symbol = waiting.pop()
            if symbol < 0:
                words.append(grammar.rules.words[-1 - symbol])
                continue
            used += 1
            rules = range(starts[symbol], starts[symbol + 1])
            [rule] = rng.choices(rules, grammar.weight[rules]) if used < 100 else [shortest[symbol]]
            waiting += grammar.rules.rhs[bounds[rule] : bounds[rule + 1]].tolist()[::-1]
        yield words


def near_misses(words: list[str], rng: random.Random, others: list[str]) -> list[str]:
    """Return a sentence with a word changed, left out, doubled or moved."""
    made, place = list(words), rng.randrange(len(words))
    kind = rng.randrange(4)
    if kind == 0:
        made[place] = rng.choice(others)
    elif kind == 1:
        del made[place]
    elif kind == 2:
        made.insert(place, rng.choice(others))
    else:
        made.insert(rng.randrange(len(made)), made.pop(place))
    return made


@cache
def parser_of_characters(grammar_name: str) -> Parser:
    """Return a parser of texts, character by character."""
    grammar = ALL_PUBLISHED[grammar_name]
    read = read_notation(write_notation(grammar, "gbnf", spacing="characters"), "gbnf")
    split = [
        Production(p.lhs, tuple(s for c in p.rhs for s in (c if isinstance(c, str) else [c])))
        for p in read
    ]
    return Parser(Grammar.from_productions(split, start=read.start, normalise=True))


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("name", ALL_PUBLISHED)
def test_samples_are_accepted_and_near_misses_refused(name: str, consumer: str) -> None:
    grammar = ALL_PUBLISHED[name]
    accepts = CONSUMERS[consumer](write_notation(grammar, consumer, spacing="characters"))
    parser = parser_of_characters(name)
    rng, signs = random.Random(0), sorted(set("".join(grammar.rules.words)))
    for words in sentences_of(grammar, 12 if consumer == "lark" else 100):
        text = "".join(words)
        assert accepts(text), text
        if text and (changed := "".join(near_misses(list(text), rng, signs))):
            inside = parser.inside(list(changed))
            valid = isinstance(inside, float) and math.isfinite(inside)
            assert accepts(changed) == valid, changed


@pytest.mark.parametrize("consumer", ["llguidance", "xgrammar"])
def test_a_treebank_grammar_is_consumed(consumer: str) -> None:
    grammar = induce_pcfg(read_treebank())
    accepts = CONSUMERS[consumer](write_notation(grammar, consumer))
    parser, rng = Parser(grammar), random.Random(0)
    for words in sentences_of(grammar, 40):
        assert accepts(" ".join(words))
        changed = near_misses(words, rng, list(grammar.rules.words)) or words
        inside = parser.inside(changed)
        valid = isinstance(inside, float) and math.isfinite(inside)
        assert accepts(" ".join(changed)) == valid


@pytest.mark.parametrize("consumer", ["llguidance", "xgrammar"])
@settings(max_examples=25, deadline=None)
@given(grammar=grammars(max_symbols=3))
@example(grammar=EMPTY)
@example(grammar=CIRCLE)
def test_random_grammars_are_consumed(consumer: str, grammar: Grammar) -> None:
    prefix = _whole(grammar)
    accepts = CONSUMERS[consumer](write_notation(grammar, consumer))
    rng = random.Random(0)
    texts = [[rng.choice("abc") for _ in range(rng.randrange(1, 6))] for _ in range(20)]
    for words in texts:
        assert accepts(" ".join(words)) == (prefix.extend(words).end > 0), words


def _whole(grammar: Grammar) -> Any:
    try:
        return grammar.prefix()
    except ChartGrammarError:
        return assume(False)


def test_nltk_reads_what_is_written_for_it() -> None:
    grammar = Grammar.parse(
        "S -> {N$} \"it's\" [0.5] | 'say \"so\"' [0.5] \n {N$} -> 'a' [1] | 'b' [0]"
    )
    theirs = nltk.PCFG.fromstring(write_notation(grammar, "nltk"))
    assert str(theirs.start()) == "S"
    found = {(str(p.lhs()), tuple(map(str, p.rhs()))): p.prob() for p in theirs.productions()}
    assert found == {("S", ("N", "it's")): 0.5, ("S", ('say "so"',)): 0.5, ("N", ("a",)): 1.0}
    with pytest.raises(OptionError, match="cannot be written for NLTK"):
        write_notation(Grammar.parse("S -> 'it\\'s \"so\"' [1]"), "nltk")


def test_grammarinator_gets_weights() -> None:
    text = write_notation(Grammar.parse("S -> 'a' [0.75] | 'b' S [0.25]"), "grammarinator")
    assert "s : {0.75}? 'a'\n  | {0.25}? 'b' ' ' s ;" in text


GENLM = re.compile(r"(\S+): (\S+) -> ?(.*)")
"""As its ``CFG.from_string`` reads a rule."""


@settings(max_examples=25, deadline=None)
@given(grammar=grammars(max_symbols=3))
@example(grammar=EMPTY)
def test_genlm_gets_the_same_distribution(grammar: Grammar) -> None:
    prefix = _whole(grammar)
    text = write_notation(grammar, "genlm")
    rules = [GENLM.fullmatch(line).groups() for line in text.splitlines()]  # type: ignore[union-attr]
    assert {lhs for _, lhs, _ in rules} >= {s for *_, r in rules for s in r.split() if s.isupper()}
    again = Grammar.from_productions(
        Production(
            Nonterminal(lhs),
            tuple(Nonterminal(s) if s[0].isupper() else s for s in rhs.split()),
            float(weight),
        )
        for weight, lhs, rhs in rules
    )
    for words in itertools.product("abc", repeat=2):
        assert again.prefix(words).mass == pytest.approx(prefix.extend(words).mass)


def test_genlm_reads_what_is_written_for_it() -> None:
    cfg = pytest.importorskip("genlm.grammar").CFG
    semiring = pytest.importorskip("genlm.grammar.semiring").Float
    grammar = Grammar.parse("S -> np S [0.25] | np ':' [0.75] \n np -> 'a' [0.5] | 'b' [0.5]")
    theirs = cfg.from_string(write_notation(grammar, "genlm"), semiring)
    assert theirs(["a", "b", ":"]) == pytest.approx(0.25 * 0.75 / 4)


def test_words_that_genlm_takes_for_symbols_are_refused() -> None:
    with pytest.raises(OptionError, match="'The' cannot be written for genlm"):
        write_notation(Grammar.parse("S -> 'The' 'end'"), "genlm")


@pytest.mark.parametrize("form", [f for f in WRITTEN_FORMS if f not in ("nltk", "genlm")])
@pytest.mark.parametrize("spacing", ["words", "tokens", "characters"])
def test_what_is_written_is_the_same_each_time(form: str, spacing: str) -> None:
    for grammar in PUBLISHED.values():
        assert write_notation(grammar, form, spacing=spacing) == write_notation(
            grammar, form, spacing=spacing
        )


def test_rules_that_begin_alike_share_their_beginning() -> None:
    grammar = Grammar.parse("S -> A A 'x' | A A 'y' \n A -> 'p' | 'q'")
    assert write_notation(grammar, "llguidance").splitlines() == [
        "start: s",
        's: A " " A " " s_rest',
        's_rest: "x"',
        '  | "y"',
        'A: "p" | "q"',
    ]


def test_faults_are_said() -> None:
    grammar = Grammar.parse("S -> 'a' [1]")
    with pytest.raises(OptionError, match="no notation 'yacc' is written"):
        write_notation(grammar, "yacc")
    with pytest.raises(OptionError, match="unknown spacing"):
        write_notation(grammar, "gbnf", spacing="none")
    with pytest.raises(WeightError, match="no derivation"):
        write_notation(Grammar.parse("S -> S [1]"), "gbnf")
