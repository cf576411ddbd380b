"""Every written grammar is tried by its consumer: samples are accepted, near misses are refused.

    python -m benchmarks.consumers [--antlr JAR] [--gbnf PROGRAM] [--grammarinator FOLDER]
                                   [--only GRAMMAR,...] [--by CONSUMER,...] [--seconds S]

Ten published grammars of the tests and two of treebanks are written for each consumer, which then
gets samples, and near misses: texts one edit away from a sample, of which our chart says that the
grammar lacks them. A consumer gets up to 10,000 of each, or as many as S seconds (10) allow; the
table says how many. It gets a third list, edits that stay in the grammar.

Consumers: llguidance, xgrammar, lark, nltk and genlm-grammar are Python packages (those that are
not installed are left out). ANTLR needs its tool as JAR, and a Java compiler: it makes a parser in
Java. llama.cpp needs its program ``test-gbnf-validator``, and runs it once for each text.
grammarinator (the folder of its programs) and Hypothesis write texts, which our chart reads.
"""

from __future__ import annotations

import argparse
import base64
import math
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cover import generated
from grammar import Grammar, MissingDataError, Parser, write_notation
from grammar.formats.surfaces import grammar_of_texts
from grammar.pcfg.spelling import Spelling
from induction import induce_pcfg, read_treebank
from sampling import sample_sentences
from tests.grammar.formats.published import ALL_PUBLISHED

Accepts = Callable[[str], bool]

TEXTS = 10_000
LONGEST = 60
"""Seconds for one text."""


@dataclass(frozen=True)
class Language:
    """A grammar, its texts, and what our chart says of edited ones."""

    name: str
    grammar: Grammar
    spacing: str
    samples: list[str]
    edited_inside: list[str]
    near_misses: list[str]
    parsed: Grammar

    @classmethod
    def of(cls, name: str, grammar: Grammar, spacing: Any, seconds: float) -> Language:
        """Draw texts of all lengths, and edit them until there are enough near misses."""
        table = sample_sentences(
            grammar, TEXTS, seed=0, length=(1, 40), flat=True, spacing=spacing
        )  # fmt: skip
        samples = table.column("text")
        of_texts = grammar if spacing == "characters" else grammar_of_texts(grammar)
        parsed = Spelling.of(of_texts, spacing).parsed
        reads = exact(parsed, spacing)
        rng, known = random.Random(0), set(samples)
        words = sorted({sign for text in samples for sign in text})
        others = sorted(of_texts.rules.words)
        inside, outside = [], []
        began = time.process_time()
        while len(outside) < TEXTS and time.process_time() - began < seconds:
            text = rng.choice(samples)
            if spacing == "words" and rng.random() < 0.5:
                made = " ".join(edited(text.split(" "), rng, others))
            else:
                made = "".join(edited(text, rng, words))
            if made and made not in known:
                known.add(made)
                (inside if reads(made) else outside).append(made)
        return cls(name, grammar, spacing, samples, inside, outside, parsed)


def exact(parsed: Grammar, spacing: str) -> Accepts:
    """Return what our chart says: whether a text has a parse."""
    parser = Parser(parsed)

    def accepts(text: str) -> bool:
        inside = parser.inside(text.split(" ") if spacing == "words" else list(text))
        return isinstance(inside, float) and math.isfinite(inside)

    return accepts


def edited(signs: Iterable[str], rng: random.Random, others: list[str]) -> list[str]:
    """Return a text with one sign changed, left out, put in or exchanged with the next."""
    made = list(signs)
    place, kind = rng.randrange(len(made)), rng.randrange(4)
    if kind == 0:
        made[place] = rng.choice(others)
    elif kind == 1:
        del made[place]
    elif kind == 2:
        made.insert(place, rng.choice(others))
    else:
        made[place : place + 2] = reversed(made[place : place + 2])
    return made


def llguidance(language: Language) -> Accepts:
    """Return what llguidance accepts, byte by byte, with its default limits."""
    import llguidance as guidance

    tokens = guidance.LLTokenizer("byte")
    first = guidance.LLMatcher(
        tokens, guidance.LLMatcher.grammar_from_lark(written(language, "llguidance"))
    )
    if first.is_error():
        raise RuntimeError(first.get_error())

    def accepts(text: str) -> bool:
        matcher, given = first.deep_copy(), tokens.tokenize_str(text)
        return bool(matcher.try_consume_tokens(given) == len(given) and matcher.is_accepting())

    return accepts


def xgrammar(language: Language) -> Accepts:
    """Return what xgrammar accepts, followed by the end of a text."""
    import xgrammar as xgr

    info = xgr.TokenizerInfo(
        [bytes([i]) for i in range(256)] + [b"</s>"],
        vocab_type=xgr.VocabType.RAW, stop_token_ids=[256],
    )  # fmt: skip
    compiled = xgr.GrammarCompiler(info).compile_grammar(written(language, "xgrammar"))
    matcher = xgr.GrammarMatcher(compiled)

    def accepts(text: str) -> bool:
        matcher.reset()
        return bool(matcher.accept_string(text) and matcher.accept_token(256))

    return accepts


def lark(language: Language) -> Accepts:
    """Return what Lark's Earley parser accepts."""
    from lark import Lark
    from lark.exceptions import UnexpectedInput

    parser = Lark(written(language, "lark"))

    def accepts(text: str) -> bool:
        try:
            parser.parse(text)
        except UnexpectedInput:
            return False
        return True

    return accepts


def nltk(language: Language) -> Accepts:
    """Return what NLTK's chart parser accepts; where nothing divides words they are characters."""
    from nltk import PCFG, BottomUpLeftCornerChartParser

    theirs = PCFG.fromstring(write_notation(language.parsed, "nltk"))
    parser = BottomUpLeftCornerChartParser(theirs)
    divide = str.split if language.spacing == "words" else list

    def accepts(text: str) -> bool:
        try:
            return next(iter(parser.parse(divide(text))), None) is not None
        except ValueError:  # a word is unknown
            return False

    return accepts


def genlm(language: Language) -> Accepts:
    """Return what genlm-grammar gives the probability that ours has."""
    from genlm.grammar import CFG, Float

    theirs = CFG.from_string(write_notation(language.parsed, "genlm"), Float)
    parser = Parser(language.parsed)
    divide: Any = str.split if language.spacing == "words" else list

    def accepts(text: str) -> bool:
        signs = divide(text)
        inside = parser.inside(signs)
        ours = math.exp(inside) if isinstance(inside, float) else 0.0
        return bool(theirs(signs) > 0 and math.isclose(theirs(signs), ours, rel_tol=1e-6))

    return accepts


_DRIVER = """
import java.io.*; import java.nio.charset.StandardCharsets; import java.util.Base64;
import org.antlr.v4.runtime.*;
public class Driver {
  public static void main(String[] given) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String text = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
      boolean[] failed = {false};
      BaseErrorListener listener = new BaseErrorListener() {
        @Override public void syntaxError(Recognizer<?, ?> r, Object o, int l, int c, String m,
            RecognitionException e) { failed[0] = true; } };
      SentencesLexer lexer = new SentencesLexer(CharStreams.fromString(text));
      lexer.removeErrorListeners(); lexer.addErrorListener(listener);
      SentencesParser parser = new SentencesParser(new CommonTokenStream(lexer));
      parser.removeErrorListeners(); parser.addErrorListener(listener);
      parser.start_();
      System.out.println(failed[0] ? 0 : 1);
    }
  }
}
"""


def antlr(language: Language, *, jar: str, folder: Path) -> Accepts:
    """Return what the parser accepts that ANTLR makes in Java."""
    place = folder / f"antlr-{language.name}"
    place.mkdir()
    (place / "Sentences.g4").write_text(written(language, "antlr"), "utf-8")
    (place / "Driver.java").write_text(_DRIVER, "utf-8")
    jar = str(Path(jar).resolve())
    ran(["java", "-cp", jar, "org.antlr.v4.Tool", "-no-listener", "Sentences.g4"], place)
    ran(["javac", "-nowarn", "-cp", jar, "-d", ".", *map(str, place.glob("*.java"))], place)
    program = subprocess.Popen(
        ["java", "-Xss512m", "-cp", f"{jar}:{place}", "Driver"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdin is not None
    assert program.stdout is not None
    put, got = program.stdin, program.stdout

    def accepts(text: str) -> bool:
        put.write(base64.b64encode(text.encode()) + b"\n")
        put.flush()
        limit = threading.Timer(LONGEST, program.kill)
        limit.start()
        answer = got.readline().strip()
        limit.cancel()
        if not answer:
            raise RuntimeError(f"the parser that ANTLR made gave no answer within {LONGEST} s")
        return answer == b"1"

    return accepts


def gbnf(language: Language, *, program: str, folder: Path) -> Accepts:
    """Return what llama.cpp accepts."""
    grammar, text_file = folder / f"{language.name}.gbnf", folder / "text"
    grammar.write_text(written(language, "gbnf"), "utf-8")

    def accepts(text: str) -> bool:
        text_file.write_bytes(text.encode())
        done = subprocess.run(
            [program, grammar, text_file], capture_output=True, check=False, timeout=LONGEST
        )
        if b"is valid" not in done.stdout and b"is invalid" not in done.stdout:
            raise RuntimeError((done.stdout + done.stderr).decode(errors="replace")[-200:])
        return b"is valid" in done.stdout

    return accepts


def ran(command: list[str], folder: Path) -> None:
    """Run a program (RuntimeError with its last words if it fails)."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-300:])


def written(language: Language, form: str) -> str:
    """Return the grammar as its consumer reads it."""
    return write_notation(language.grammar, form, spacing=language.spacing)


def asked(accepts: Accepts, texts: list[str], seconds: float) -> tuple[int, int, float, str]:
    """Return how many texts were asked for, accepted, the ms of one, and the first refused."""
    taken, first, began, number = 0, "", time.perf_counter(), 0
    for text in texts:
        number += 1
        if accepts(text):
            taken += 1
        else:
            first = first or text
        if time.perf_counter() - began > seconds:
            break
    return number, taken, 1e3 * (time.perf_counter() - began) / max(number, 1), first


def tried(
    language: Language, name: str, consumer: Callable[[Language], Accepts], seconds: float
) -> None:
    """Print what a consumer accepts and refuses."""
    label = f"{language.name:<12} {name:<14}"
    try:
        accepts = consumer(language)
        n, taken, ms, refused = asked(accepts, language.samples, seconds)
        more, inside, _, refused_too = asked(accepts, language.edited_inside, seconds)
        m, wrong, miss_ms, _ = asked(accepts, language.near_misses, seconds)
    except ImportError:
        print(f"{label} not installed", flush=True)
        return
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{label} no result: {what[:240]}", flush=True)
        return
    verdict = "right" if (taken, inside, wrong) == (n, more, 0) else "WRONG"
    print(
        f"{label} {verdict}: samples accepted {taken:,} of {n:,} ({ms:.2f} ms), "
        f"edits inside {inside:,} of {more:,}, "
        f"near misses refused {m - wrong:,} of {m:,} ({miss_ms:.2f} ms)"
        + (f"; refused {refused or refused_too!r}" if refused or refused_too else ""),
        flush=True,
    )


def of_hypothesis(language: Language) -> Iterator[str]:
    """Yield texts that the strategy draws."""
    from hypothesis import HealthCheck, Phase, given, settings

    drawn: list[str] = []

    @settings(
        max_examples=2_000, database=None, derandomize=True, deadline=None,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(language.grammar.strategy(spacing=language.spacing))
    def collect(text: str) -> None:
        drawn.append(text)

    collect()
    yield from dict.fromkeys(drawn)


def of_grammarinator(language: Language, *, programs: str) -> Iterator[str]:
    """Yield texts that grammarinator draws, at most 12 rules deep."""
    for seed in range(2):
        yield from generated(language.grammar, programs, 12, seed, spacing=language.spacing)


def read_here(
    language: Language, name: str, texts: Callable[[Language], Iterator[str]], seconds: float
) -> None:
    """Print how many texts of another tool our chart accepts."""
    label = f"{language.name:<12} {name:<14}"
    try:
        drawn = [text for text in texts(language) if text and len(text) <= 200]
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{label} no result: {what[:240]}", flush=True)
        return
    n, taken, _, first = asked(exact(language.parsed, language.spacing), drawn, seconds)
    verdict = "right" if n == taken else "WRONG"
    print(f"{label} {verdict}: of its texts in the grammar {taken:,} of {n:,} {first}", flush=True)


def languages(only: list[str], seconds: float) -> Iterator[Language]:
    """Yield the twelve, or those asked for."""
    for name, grammar in ALL_PUBLISHED.items():
        if not only or name in only:
            yield Language.of(name, grammar, "characters", seconds)
    for name in ("embedded", "nltk:treebank"):
        if not only or name in only:
            try:
                yield Language.of(name, induce_pcfg(read_treebank(name)), "words", seconds)
            except MissingDataError as error:
                print(f"{name:<12} {error}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--antlr", "--gbnf", "--grammarinator"):
        parser.add_argument(option)
    parser.add_argument("--only", default="")
    parser.add_argument("--by", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        consumers: dict[str, Callable[[Language], Accepts]] = {
            "llguidance": llguidance, "xgrammar": xgrammar, "lark": lark, "nltk": nltk,
            "genlm": genlm,
        }  # fmt: skip
        if given.antlr:
            consumers["antlr"] = partial(antlr, jar=given.antlr, folder=folder)
        if given.gbnf:
            consumers["gbnf"] = partial(gbnf, program=given.gbnf, folder=folder)
        writers: dict[str, Callable[[Language], Iterator[str]]] = {"hypothesis": of_hypothesis}
        if given.grammarinator:
            writers["grammarinator"] = partial(of_grammarinator, programs=given.grammarinator)
        wanted = [one for one in given.by.split(",") if one]
        for language in languages([o for o in given.only.split(",") if o], 6 * given.seconds):
            print(
                f"{language.name}: {len(language.grammar):,} rules, "
                f"{len(set(language.samples)):,} samples that differ, "
                f"{len(language.edited_inside):,} edits inside, "
                f"{len(language.near_misses):,} near misses",
                flush=True,
            )
            for which, consumer in consumers.items():
                if not wanted or which in wanted:
                    tried(language, which, consumer, given.seconds)
            for which, texts in writers.items():
                if not wanted or which in wanted:
                    read_here(language, which, texts, given.seconds)


if __name__ == "__main__":
    main()
