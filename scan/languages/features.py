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
_PEOPLE = "H: anna ben carla david emma frank gina hans"
_THINGS = "O: cup book key lamp coat drum"
_NUMBERS = "D: one two three four five six seven"


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
    "agreement-across": _Feature(
        "verbs agree in number with a noun that another one separates from them",
        ("S -> the N_1 of the H_2 V_3 ### V_3 N_1 H_2",
         "S -> the M_1 of the H_2 W_3 ### W_3 M_1 PL H_2", _VERBS.replace("V: ", "W: "), _PEOPLE,
         *(f"V -> {w}s ### {w.upper()}" for w in _VERBS.split()[1:]), _THINGS.replace("O: ", "N: "),
         *(f"M -> {w}s ### {w.upper()}" for w in _THINGS.split()[1:])), 6, 6,
    ),
    "circumfixes": _Feature(
        "two words around a verb that have one meaning",
        ("S -> V_1 the N_2 ### V_1 N_2", "S -> ge V_1 t the N_2 ### PAST V_1 N_2",
         "S -> zu V_1 en the N_2 ### WISH V_1 N_2", _VERBS, _NOUNS), 5, 5,
    ),
    "counted-copies": _Feature(
        "numerals that say how often a word is written",
        ("S -> V_1 Q_2 ### V_1 Q_2", "Q -> one N_1 ### N_1", "Q -> two N_1 ### N_1 N_1",
         "Q -> three N_1 ### N_1 N_1 N_1", "Q -> four N_1 ### N_1 N_1 N_1 N_1", _VERBS, _NOUNS),
        3, 3,
    ),
    "reversal": _Feature(
        "the words of the target stand in the reverse order",
        ("S -> N_1 ### N_1", "S -> N_1 S_2 ### S_2 N_1", _NOUNS), 4, 7,
    ),
    "classifiers": _Feature(
        "a word between a numeral and a noun that the class of the noun decides",
        ("S -> V_1 D_2 N_3 ### V_1 D_2 HEAD N_3", "S -> V_1 D_2 O_3 ### V_1 D_2 PIECE O_3",
         _VERBS, _NOUNS, _THINGS, _NUMBERS), 3, 3,
    ),
    "negation": _Feature(
        "negations that pile up",
        ("S -> V_1 the N_2 ### V_1 N_2", "S -> not S_1 ### NOT ( S_1 )", _VERBS, _NOUNS), 5, 8,
    ),
    "shared-subjects": _Feature(
        "two verbs share a subject, which is written twice",
        ("S -> H_1 V_2 ### V_2 ( H_1 )", "S -> H_1 V_2 and V_3 ### V_2 ( H_1 ) & V_3 ( H_1 )",
         _PEOPLE, _VERBS), 4, 4,
    ),
    "adverbs": _Feature(
        "a modifier that may be left out and stands first or last",
        ("S -> V_1 the N_2 ### V_1 N_2", "S -> A_1 V_2 the N_3 ### V_2 N_3 A_1",
         "S -> V_1 the N_2 A_3 ### V_1 N_2 A_3", _VERBS, _NOUNS,
         "A: often slowly today again never here"), 4, 4,
    ),
    "fronting": _Feature(
        "the part that is asked for stands first",
        ("S -> H_1 did V_2 O_3 ### V_2 ( H_1 , O_3 )", "S -> what did H_1 V_2 ### V_2 ( H_1 , ? )",
         "S -> where did H_1 V_2 O_3 ### V_2 ( H_1 , O_3 , ? )",
         "S -> O_1 H_2 did V_3 ### V_3 ( H_2 , O_1 ) TOP", _PEOPLE, _VERBS, _THINGS), 5, 5,
    ),
    "particles": _Feature(
        "verbs of two words, the second of which stands beside the first or behind the object",
        ("S -> V_1 the N_2 ### V_1 N_2", _VERBS, _NOUNS,
         *(f"S -> {a} {b} the N_1 ### {c} N_1" for a, b, c in (
             ("pick", "up", "LIFT"), ("turn", "off", "STOP"), ("bring", "down", "LOWER"))),
         *(f"S -> {a} the N_1 {b} ### {c} N_1" for a, b, c in (
             ("pick", "up", "LIFT"), ("turn", "off", "STOP"), ("bring", "down", "LOWER")))), 4, 4,
    ),
    "possessors": _Feature(
        "chains of possessors",
        ("S -> V_1 M_2 ### V_1 M_2", "M -> H_1 ### H_1", "M -> M_1 s N_2 ### N_2 ( M_1 )",
         _VERBS, _NOUNS, _PEOPLE), 6, 8,
    ),
    "case-words": _Feature(
        "words behind nouns that say who does what, in any order",
        ("S -> H_1 ga O_2 wo V_3 ### V_3 H_1 O_2", "S -> O_1 wo H_2 ga V_3 ### V_3 H_2 O_1",
         "S -> H_1 ga V_2 ### V_2 H_1", _PEOPLE, _VERBS, _THINGS), 5, 5,
    ),
    "honorifics": _Feature(
        "a title, and with it another form of the verb",
        ("S -> H_1 V_2 ### V_2 H_1", "S -> H_1 sama o V_2 naru ### HON V_2 H_1", _PEOPLE, _VERBS),
        5, 5,
    ),
    "numerals": _Feature(
        "numerals that multiply and add",
        ("S -> X_1 N_2 ### N_2 = X_1", "X -> D_1 ### D_1", "X -> D_1 ten ### D_1 * 10",
         "X -> D_1 ten D_2 ### D_1 * 10 + D_2", _NUMBERS, _NOUNS), 4, 4,
    ),
    "conditionals": _Feature(
        "clauses that change places with the place of a conjunction",
        ("S -> if C_1 then C_2 ### C_1 => C_2", "S -> C_1 if C_2 ### C_2 => C_1",
         "S -> C_1 unless C_2 ### ! C_2 => C_1", "C -> H_1 V_2 ### V_2 ( H_1 )",
         _PEOPLE, _VERBS), 6, 6,
    ),
    "comparatives": _Feature(
        "a quality that two things are compared by is written twice",
        ("S -> H_1 is more A_2 than H_3 ### A_2 ( H_1 ) > A_2 ( H_3 )",
         "S -> H_1 is as A_2 as H_3 ### A_2 ( H_1 ) = A_2 ( H_3 )",
         "S -> H_1 is A_2 ### A_2 ( H_1 )", _PEOPLE, _QUALITIES), 6, 6,
    ),
    "distribution": _Feature(
        "two do the same, together or each",
        ("S -> H_1 and H_2 V_3 ### V_3 ( H_1 , H_2 )",
         "S -> H_1 and H_2 each V_3 ### V_3 ( H_1 ) & V_3 ( H_2 )", "S -> H_1 V_2 ### V_2 ( H_1 )",
         _PEOPLE, _VERBS), 5, 5,
    ),
    "ellipsis": _Feature(
        "a verb that the second clause leaves out and the target repeats",
        ("S -> H_1 V_2 the N_3 ### V_2 H_1 N_3",
         "S -> H_1 V_2 the N_3 and H_4 does too ### V_2 H_1 N_3 & V_2 H_4 N_3", _PEOPLE, _VERBS,
         _NOUNS), 8, 8,
    ),
    "respectively": _Feature(
        "two subjects and two verbs that go together crosswise",
        ("S -> H_1 V_2 ### V_2 ( H_1 )",
         "S -> H_1 and H_2 V_3 and V_4 respectively ### V_3 ( H_1 ) & V_4 ( H_2 )",
         _PEOPLE, _VERBS), 7, 7,
    ),
    "complements": _Feature(
        "sentences within sentences, whose verb stands last",
        ("S -> H_1 V_2 ### V_2 ( H_1 )", "S -> H_1 says that S_2 ### SAY ( H_1 , S_2 )",
         "S -> H_1 hopes that S_2 ### HOPE ( H_1 , S_2 )", _PEOPLE, _VERBS), 8, 11,
    ),
    "tenses": _Feature(
        "words and endings that say when",
        ("S -> H_1 will V_2 ### FUTURE V_2 H_1", "S -> H_1 W_2 ### PAST W_2 H_1",
         "S -> H_1 did not V_2 ### NOT PAST V_2 H_1", _PEOPLE, _VERBS,
         *(f"W -> {w}ed ### {w.upper()}" for w in _VERBS.split()[1:])), 4, 4,
    ),
    "double-objects": _Feature(
        "two orders of objects with one meaning",
        ("S -> H_1 gave H_2 the O_3 ### GIVE ( H_1 , O_3 , H_2 )",
         "S -> H_1 gave the O_2 to H_3 ### GIVE ( H_1 , O_2 , H_3 )",
         "S -> H_1 sent H_2 the O_3 ### SEND ( H_1 , O_3 , H_2 )",
         "S -> H_1 sent the O_2 to H_3 ### SEND ( H_1 , O_2 , H_3 )", _PEOPLE, _THINGS), 6, 6,
    ),
    "left-out-subjects": _Feature(
        "a subject that may be left out, and is a word of the target then",
        ("S -> V_1 the N_2 ### V_1 YOU N_2", "S -> H_1 V_2 the N_3 ### V_2 H_1 N_3",
         _PEOPLE, _VERBS, _NOUNS), 4, 4,
    ),
    "reflexives": _Feature(
        "a pronoun that stands for the subject",
        ("S -> H_1 V_2 H_3 ### V_2 ( H_1 , H_3 )", "S -> H_1 V_2 self ### V_2 ( H_1 , H_1 )",
         "S -> H_1 V_2 ### V_2 ( H_1 )", _PEOPLE, _VERBS), 3, 3,
    ),
    "cross-serial": _Feature(
        "two nouns and then their two verbs",
        ("S -> that H_1 H_2 V_3 V_4 ### V_3 ( H_1 , V_4 ( H_2 ) )", "S -> H_1 V_2 ### V_2 ( H_1 )",
         _PEOPLE, _VERBS), 5, 5,
    ),
    "quantifiers": _Feature(
        "words before nouns that stand before the whole target",
        ("S -> H_1 V_2 the N_3 ### V_2 ( H_1 , N_3 )",
         "S -> every N_1 V_2 the N_3 ### ALL N_1 : V_2 ( X , N_3 )",
         "S -> H_1 V_2 some N_3 ### SOME N_3 : V_2 ( H_1 , X )",
         "S -> every N_1 V_2 some N_3 ### ALL N_1 : SOME N_3 : V_2 ( X , Y )",
         _PEOPLE, _VERBS, _NOUNS), 5, 5,
    ),
    "prefix-notation": _Feature(
        "operators before both operands, without brackets",
        ("S -> D_1 ### D_1", "S -> plus S_1 S_2 ### ( S_1 + S_2 )",
         "S -> times S_1 S_2 ### ( S_1 * S_2 )", _NUMBERS), 5, 7,
    ),
    "resultatives": _Feature(
        "a quality behind the object that is a second sentence",
        ("S -> H_1 V_2 the N_3 ### V_2 ( H_1 , N_3 )",
         "S -> H_1 V_2 the N_3 A_4 ### V_2 ( H_1 , N_3 ) => A_4 ( N_3 )", _PEOPLE, _VERBS, _NOUNS,
         _QUALITIES), 5, 5,
    ),
    "compounds": _Feature(
        "the same words before the first part of a name and before the second",
        ("S -> X_1 Y_2 ### X_1 Y_2", "X -> C_1 ### C_1", "Y -> A_1 ### A_1",
         "X -> di C_1 ### C_1 2", "X -> tri C_1 ### C_1 3", "Y -> di A_1 ### A_1 2",
         "Y -> tri A_1 ### A_1 3", "C: sodium calcium iron copper zinc silver",
         "A: chloride oxide sulfide nitride bromide iodide"), 4, 4,
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
