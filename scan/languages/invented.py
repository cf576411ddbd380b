"""Languages invented from a seed: a few words, a few functions, and one way to put them together.

They follow the interpretation grammars of Lake & Baroni (2023, *Human-like systematic
generalization through a meta-learning neural network*, Nature): words that stand for a symbol each,
functions of one or two arguments that arrange copies of them, and concatenation. A function takes
words only, or whole phrases; of those that take phrases, the later one applies last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from grammar.errors import OptionError
from grammar.rng import stream_key
from grammar.synchronous.grammar import SynchronousGrammar
from induction.corpus.corpus import Corpus
from sampling.sentences.pairs import sample_pairs
from scan.languages.language import Language
from scan.splits import Split

__all__ = ["few_shot_split", "invented_language"]

_WORDS = (
    "dax", "wif", "lug", "zup", "fep", "blicket", "kiki", "tufa", "gazzer", "mip", "sopa", "renk",
)  # fmt: skip
_COLOURS = ("RED", "GREEN", "BLUE", "YELLOW", "PINK", "BLACK")
_LONGEST, _DEEPER = 6, 8
_MOST_COPIES = 5
_DRAWN = 2_000


def invented_language(seed: int, *, words: int = 4, functions: int = 3) -> Language:
    """Invent a language.

    Parameters
    ----------
    seed : int
        Everything is a function of it.
    words : int
        Words that stand for a symbol each, 2 to 6.
    functions : int
        Functions, 1 to 6.

    Raises
    ------
    OptionError
        If a number is out of range.

    Examples
    --------
    >>> language = invented_language(2)
    >>> language.grammar.start, language.about
    ('W1', '4 words and 3 functions')
    >>> language.holds([("kiki mip tufa", "RED BLACK RED BLACK RED BLACK RED BLACK RED BLACK")])
    [True]
    """
    for name, value, least, most in (
        ("words", words, 2, len(_COLOURS)),
        ("functions", functions, 1, len(_WORDS) - len(_COLOURS)),
    ):
        if not least <= value <= most:
            raise OptionError(
                f"{name}={value!r} is out of range", hint=f"give a number from {least} to {most}"
            )
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "invented-language"))))
    names = draw.permutation(_WORDS).tolist()
    colours = draw.permutation(_COLOURS).tolist()
    lines = [f"U -> {name} ### {c}" for name, c in zip(names, colours[:words], strict=False)]
    lines += ["T -> U_1 ### U_1", "C -> T_1 ### T_1", "C -> T_1 C_2 ### T_1 C_2"]
    top = "C"
    for number, name in enumerate(names[words : words + functions], start=1):
        two, phrases = bool(draw.integers(2)), bool(draw.integers(2))
        if not phrases:
            lines.append(_function("T", "U", "U", name, _arrangement(draw, two)))
            continue
        left, top = top, f"W{number}"
        lines.append(f"{top} -> {left}_1 ### {left}_1")
        lines.append(_function(top, left, left, name, _arrangement(draw, two)))
    grammar = SynchronousGrammar.parse("\n".join([f"%start {top}", *lines]))
    about = f"{words} words and {functions} functions"
    return Language(f"invented-{seed}", about, grammar, _LONGEST, _DEEPER)


def few_shot_split(
    language: Language, *, seed: int = 0, study: int = 14, queries: int = 10
) -> Split:
    """Draw the study pairs and the queries of a language.

    Every word is studied alone and every function in two short pairs at least, if so many are
    studied; queries are other pairs.

    Examples
    --------
    >>> parts = few_shot_split(invented_language(2))
    >>> parts.train.column("text")[:6]
    ['kiki', 'lug', 'mip', 'sopa', 'lug dax', 'mip dax']
    """
    lengths = (1, language.longest)
    made = sample_pairs(language.grammar, _DRAWN, seed=seed, source_length=lengths, flat=True)
    pairs = list(dict(zip(made.column("text"), made.column("target"), strict=True)).items())
    chosen = list(dict.fromkeys([*_needed(language.grammar, pairs), *pairs]))
    return Split(language.name, _corpus(chosen[:study]), _corpus(chosen[study:][:queries]))


def _needed(
    grammar: SynchronousGrammar, pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield all single words, and for every other word its two shortest pairs."""
    words = {symbol for rule in grammar.rules for symbol in rule.source if isinstance(symbol, str)}
    yield from sorted(pair for pair in pairs if " " not in pair[0])
    for word in sorted(words - {source for source, _ in pairs}):
        having = (pair for pair in pairs if word in pair[0].split())
        yield from sorted(having, key=_length)[:2]


def _length(pair: tuple[str, str]) -> int:
    return len(pair[0].split())


def _arrangement(draw: np.random.Generator, two: bool) -> str:
    """Draw which arguments follow each other in the target, each at least once."""
    while True:
        places = draw.integers(1, 3 if two else 2, size=int(draw.integers(2, _MOST_COPIES + 1)))
        if not two or {1, 2} <= set(places.tolist()):
            return " ".join(f"_{place}" for place in places)


def _function(lhs: str, first: str, second: str, name: str, arrangement: str) -> str:
    target = arrangement.replace("_1", f"{first}_1").replace("_2", f"{second}_2")
    source = f"{first}_1 {name} {second}_2" if "_2" in arrangement else f"{first}_1 {name}"
    return f"{lhs} -> {source} ### {target}"


def _corpus(pairs: Sequence[tuple[str, str]]) -> Corpus:
    return Corpus.from_columns(text=[s for s, _ in pairs], target=[t for _, t in pairs])
