"""Languages with one feature each, in the notation of synchronous grammars.

A class of words is a line ``V: walk run``: for each word a rule such as ``V -> walk ### WALK``. A
word whose target is not itself in capitals is a rule of its own.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from grammar.options import named
from grammar.synchronous.grammar import SynchronousGrammar
from scan.languages.language import Language

__all__ = ["FEATURES", "feature_language"]

_CLASS = re.compile(r"\s*(\w+):\s+(.*)")

_VERBS = "V: walk run jump look sing dance swim climb cook paint"
_NOUNS = "N: dog cat bird fox horse mouse snake frog bear duck"
_PLACES = "P: house garden river tower bridge harbour"
_QUALITIES = "A: big small red old quick wise"


class _Feature(NamedTuple):
    """What is special about a language, its rules, and the lengths at which it is shown."""

    about: str
    rules: tuple[str, ...]
    longest: int
    deeper: int


_FEATURES = {
    "order": _Feature(
        "the target turns a verb and a noun round",
        ("S -> V_1 the N_2 ### N_2 V_1", _VERBS, _NOUNS), 3, 3,
    ),
    "order-alone": _Feature(
        "the same, and verbs and nouns are sentences, too",
        ("S -> V_1 the N_2 ### N_2 V_1", "S -> V_1 ### V_1", "S -> N_1 ### N_1", _VERBS, _NOUNS),
        3, 3,
    ),
    "three-places": _Feature(
        "a rule with three open places",
        ("S -> V_1 the N_2 to P_3 ### V_1 P_3 N_2", _VERBS, _NOUNS, _PLACES), 5, 5,
    ),
    "four-places": _Feature(
        "a rule with four open places",
        ("S -> A_1 N_2 will V_3 near P_4 ### P_4 V_3 N_2 A_1", _VERBS, _NOUNS, _PLACES, _QUALITIES),
        6, 6,
    ),
    "brackets": _Feature(
        "targets are terms",
        ("S -> V_1 the N_2 ### V_1 ( N_2 )", "S -> N_1 V_2 ### V_2 ( N_1 )", _VERBS, _NOUNS), 3, 3,
    ),
    "nested-brackets": _Feature(
        "targets are terms within terms",
        ("S -> V_1 the M_2 ### V_1 ( M_2 )", "M -> N_1 ### N_1",
         "M -> N_1 of M_2 ### OF ( N_1 , M_2 )", _VERBS, _NOUNS), 7, 9,
    ),
    "agreement": _Feature(
        "verbs agree with nouns in number",
        ("S -> the N_1 V_2 ### V_2 N_1", "S -> the M_1 W_2 ### W_2 M_1 PL",
         _VERBS.replace("V: ", "W: "), _NOUNS,
         *(f"V -> {w}s ### {w.upper()}" for w in _VERBS.split()[1:]),
         *(f"M -> {w}s ### {w.upper()}" for w in _NOUNS.split()[1:])), 3, 3,
    ),
    "optional-word": _Feature(
        "a word without a meaning that may be left out",
        ("S -> C_1 ### C_1", "S -> please C_1 ### C_1", "C -> V_1 ### V_1",
         "C -> V_1 N_2 ### V_1 N_2", _VERBS, _NOUNS), 3, 3,
    ),
    "null-words": _Feature(
        "words without a meaning that must be there",
        ("S -> so N_1 does V_2 ### N_1 V_2", "S -> well V_1 it ### V_1", _VERBS, _NOUNS), 4, 4,
    ),
    "inserted-words": _Feature(
        "words of the target that no word of the source stands for",
        ("S -> V_1 ### DO V_1 NOW", "S -> V_1 N_2 ### DO V_1 TO N_2 NOW", _VERBS, _NOUNS), 2, 2,
    ),
    "synonyms": _Feature(
        "two words with one meaning",
        ("S -> V_1 the N_2 ### V_1 N_2", "S -> V_1 ### V_1", _VERBS, _NOUNS,
         "V -> stroll ### WALK", "V -> leap ### JUMP", "N -> hound ### DOG", "N -> puss ### CAT"),
        3, 3,
    ),
    "homonyms": _Feature(
        "words that are a verb and a noun with two meanings",
        ("S -> V_1 the N_2 ### V_1 N_2", "S -> the N_1 V_2 ### N_1 V_2", _VERBS, _NOUNS,
         "V -> duck ### BEND", "V -> bear ### CARRY", "N -> jump ### FENCE", "N -> run ### TRACK"),
        3, 3,
    ),
    "word-groups": _Feature(
        "several words with one meaning",
        ("S -> V_1 ### V_1", "S -> V_1 the N_2 ### V_1 N_2", _VERBS, _NOUNS,
         "V -> look after ### TEND", "V -> give up ### QUIT", "V -> make up ### INVENT",
         "N -> guinea pig ### CAVY"), 4, 5,
    ),
    "long-meanings": _Feature(
        "words with several words of the target",
        ("S -> V_1 ### V_1", "S -> V_1 and V_2 ### V_1 V_2", "S -> V_1 the N_2 ### N_2 V_1", _NOUNS,
         *(f"V -> {word} ### {target}" for word, target in (
             ("walk", "STEP STEP"), ("run", "STEP STEP STEP"), ("jump", "UP DOWN"),
             ("sit", "DOWN"), ("rise", "UP"), ("turn", "LEFT LEFT"), ("spin", "LEFT RIGHT LEFT"),
             ("wave", "UP RIGHT LEFT"), ("nod", "DOWN UP"), ("go", "STEP")))), 3, 3,
    ),
    "doubling": _Feature(
        "phrases that are copied",
        ("S -> C_1 ### C_1", "S -> C_1 twice ### C_1 C_1", "S -> C_1 thrice ### C_1 C_1 C_1",
         "C -> V_1 ### V_1", "C -> V_1 N_2 ### V_1 N_2", _VERBS, _NOUNS), 3, 3,
    ),
    "swap": _Feature(
        "phrases that change places",
        ("S -> C_1 ### C_1", "S -> C_1 after C_2 ### C_2 C_1", "S -> C_1 before C_2 ### C_1 C_2",
         "C -> V_1 ### V_1", "C -> V_1 N_2 ### V_1 N_2", _VERBS, _NOUNS), 5, 5,
    ),
    "around": _Feature(
        "words that stand before and behind a phrase of the target",
        ("S -> C_1 ### C_1", "S -> not C_1 ### NE C_1 PAS", "C -> V_1 ### V_1",
         "C -> V_1 the N_2 ### V_1 N_2", _VERBS, _NOUNS), 4, 4,
    ),
    "gender": _Feature(
        "one word whose meaning the class of the next decides",
        ("S -> V_1 the N_2 ### V_1 DER N_2", "S -> V_1 the F_2 ### V_1 DIE F_2",
         "S -> V_1 a N_2 ### V_1 EIN N_2", "S -> V_1 a F_2 ### V_1 EINE F_2", _VERBS, _NOUNS,
         "F: cow hen mare goat bee wasp owl ewe"), 3, 3,
    ),
    "case-order": _Feature(
        "two orders without words between, of which the forms of nouns say who does what",
        ("S -> K_1 O_2 V_3 ### V_3 K_1 O_2", "S -> O_1 K_2 V_3 ### V_3 K_2 O_1", _VERBS,
         *(f"{case} -> {noun}{form} ### {noun.upper()}" for case, form in (("K", "ga"), ("O", "wo"))
           for noun in _NOUNS.split()[1:])), 3, 3,
    ),
    "modifiers": _Feature(
        "modifiers that pile up before a noun, and in the target behind it",
        ("S -> V_1 the M_2 ### V_1 M_2", "M -> N_1 ### N_1", "M -> A_1 M_2 ### M_2 A_1",
         _VERBS, _NOUNS, _QUALITIES), 5, 7,
    ),
    "right-recursion": _Feature(
        "phrases that end in phrases of their kind",
        ("S -> V_1 M_2 ### V_1 M_2", "M -> the N_1 ### N_1",
         "M -> the N_1 with M_2 ### M_2 HAS N_1", _VERBS, _NOUNS), 6, 9,
    ),
    "left-recursion": _Feature(
        "phrases that begin with phrases of their kind",
        ("S -> M_1 V_2 ### V_2 M_1", "M -> N_1 ### N_1", "M -> M_1 of N_2 ### N_2 OF M_1",
         _VERBS, _NOUNS), 6, 8,
    ),
    "centred-recursion": _Feature(
        "phrases that surround phrases of their kind",
        ("S -> V_1 ### V_1", "S -> when S_1 then V_2 ### V_2 IF S_1 END", _VERBS), 7, 10,
    ),
    "precedence": _Feature(
        "of two words that join, one joins more tightly",
        ("S -> T_1 ### T_1", "S -> T_1 or S_2 ### { T_1 | S_2 }", "T -> V_1 ### V_1",
         "T -> V_1 and T_2 ### ( V_1 & T_2 )", _VERBS), 5, 7,
    ),
    "passive": _Feature(
        "two orders of the source with one meaning",
        ("S -> the N_1 will V_2 the N_3 ### V_2 N_1 N_3",
         "S -> the N_1 gets V_2 by the N_3 ### V_2 N_3 N_1", _VERBS, _NOUNS), 7, 7,
    ),
    "questions": _Feature(
        "sentences, and questions about their parts",
        ("S -> N_1 will V_2 N_3 ### V_2 N_1 N_3", "S -> who will V_1 N_2 ### ASK V_1 X N_2",
         "S -> whom will N_1 V_2 ### ASK V_2 N_1 X", "S -> will N_1 V_2 N_3 ### ASK V_2 N_1 N_3",
         _VERBS, _NOUNS), 4, 4,
    ),
    "relatives": _Feature(
        "a noun that a sentence of its own describes",
        ("S -> M_1 V_2 ### V_2 M_1", "M -> the N_1 ### N_1",
         "M -> the N_1 that V_2 ### N_1 WHO V_2", "M -> the N_1 that V_2 M_3 ### N_1 WHO V_2 M_3",
         _VERBS, _NOUNS), 9, 12,
    ),
}  # fmt: skip

FEATURES: tuple[str, ...] = tuple(_FEATURES)
"""Names of the languages with one feature."""


def feature_language(name: str) -> Language:
    """Return a language with one feature.

    Raises
    ------
    OptionError
        If there is no such language.

    Examples
    --------
    >>> language = feature_language("order")
    >>> language.about
    'the target turns a verb and a noun round'
    >>> print(language.grammar.rules[0])
    S -> V_1 the N_2 ### N_2 V_1
    >>> language.holds([("walk the dog", "DOG WALK"), ("walk the dog", "WALK DOG")])
    [True, False]
    """
    feature = named(name, _FEATURES, "language")
    lines = [line for rule in feature.rules for line in _lines(rule)]
    grammar = SynchronousGrammar.parse("\n".join(lines), source=name)
    return Language(name, feature.about, grammar, feature.longest, feature.deeper)


def _lines(rule: str) -> list[str]:
    found = _CLASS.fullmatch(rule)
    if found is None:
        return [rule]
    return [f"{found[1]} -> {word} ### {word.upper()}" for word in found[2].split()]
