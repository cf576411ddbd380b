"""English inflection by Penn tag: base forms to inflected words, and back.

Irregular forms are those of WordNet's exception lists, where these are installed. The lists do not
tell the past tense from the participle (*gave* and *given* are both forms of *give*), say nothing
of forms that equal the base (*cut*), and hold archaic ones (*brethren*); that is settled here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from grammar.errors import MissingDataError, OptionError
from sampling.english.wordnet import part_of_speech, wordnet

__all__ = ["BASE_TAGS", "INFLECTED_TAGS", "base_forms", "inflect"]

INFLECTED_TAGS = ("NNS", "VBZ", "VBG", "VBD", "VBN", "JJR", "JJS", "RBR", "RBS")
"""Tags of words that differ from their base form."""
BASE_TAGS = ("NN", "VB", "VBP", "JJ", "RB")
"""Tags of words that are base forms."""

_VOWELS = "aeiou"
_SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
# one vowel between consonants at the end of a word of one syllable: its last letter is doubled
_DOUBLED = re.compile(r"^[^aeiouy]*(qu)?[aeiouy][bdfgklmnprtvz]$")
_SYLLABLES = re.compile(r"[aeiouy]+")
_SUFFIX = {"JJR": "er", "RBR": "er", "JJS": "est", "RBS": "est"}

# past tense and participle where WordNet's lists give several forms, or only one of the two
_PAST: Mapping[str, tuple[str, str]] = {
    line.split()[0]: (line.split()[1], line.split()[2])
    for line in """
    be was been; bear bore borne; beget begot begotten; behold beheld beheld; bid bade bidden
    come came come; become became become; overcome overcame overcome; run ran run
    outrun outran outrun; overrun overran overrun; rerun reran rerun; get got got
    forget forgot forgotten; forbid forbade forbidden; sink sank sunk; shrink shrank shrunk
    slide slid slid; spit spat spat; thrive thrived thrived; awake awoke awoken; wake woke woken
    cleave cleft cleft; smite smote smitten; chide chided chided; strive strove striven
    stride strode stridden; bestride bestrode bestridden; lie lay lain; lay laid laid
    feed fed fed; bed bedded bedded; swap swapped swapped; grip gripped gripped; pen penned penned
    wed wedded wedded; shit shat shat; coordinate coordinated coordinated; bind bound bound
    find found found; wind wound wound; grind ground ground; found founded founded
    show showed shown; sew sewed sewn; sow sowed sown; mow mowed mowed; prove proved proven
    shave shaved shaved; swell swelled swollen; saw sawed sawn; hang hung hung; shear sheared shorn
    fit fit fit; quit quit quit; wet wet wet; sweat sweated sweated; light lit lit
    strike struck struck; beat beat beaten; spring sprang sprung; hide hid hidden
    plead pleaded pleaded; hew hewed hewn; strew strewed strewn; shoe shod shod
    fly flew flown; overfly overflew overflown; bite bit bitten; split split split
    broadcast broadcast broadcast; forecast forecast forecast; offset offset offset
    input input input; bust busted busted; dream dreamed dreamed; learn learned learned
    burn burned burned; lean leaned leaned; leap leaped leaped; spell spelled spelled
    smell smelled smelled; spill spilled spilled; spoil spoiled spoiled; kneel knelt knelt
    speed sped sped; work worked worked; melt melted melted; load loaded loaded
    bet bet bet; burst burst burst; cast cast cast; cost cost cost; cut cut cut; hit hit hit
    hurt hurt hurt; let let let; put put put; read read read; reread reread reread; rid rid rid
    set set set; reset reset reset; upset upset upset; shed shed shed; shut shut shut
    slit slit slit; spread spread spread; thrust thrust thrust; recast recast recast
    """.replace("\n", ";").split(";")
    if len(line.split()) == 3
}
_PLURAL: Mapping[str, str] = {
    "brother": "brothers", "penny": "pennies", "genius": "geniuses", "index": "indexes",
    "person": "people", "gas": "gases", "colon": "colons", "cry": "cries", "series": "series",
    "species": "species", "means": "means", "news": "news", "sheep": "sheep", "deer": "deer",
    "fish": "fish", "aircraft": "aircraft", "offspring": "offspring", "genus": "genera",
    "real": "reals", "os": "os", "lat": "lats", "herma": "hermae", "vertigo": "vertigos",
    "guilde": "guildes", "knife": "knives", "sir": "sirs", "eye": "eyes", "staff": "staffs",
    "opera": "operas", "agenda": "agendas", "stigma": "stigmas", "dogma": "dogmas",
    "drama": "dramas", "schema": "schemas", "album": "albums", "forum": "forums",
    "museum": "museums", "premium": "premiums", "stadium": "stadiums", "campus": "campuses",
    "chorus": "choruses", "virus": "viruses", "bonus": "bonuses", "focus": "focuses",
    "circus": "circuses", "beau": "beaus", "plateau": "plateaus", "bureau": "bureaus",
    "formula": "formulas", "aura": "auras", "area": "areas", "arena": "arenas", "era": "eras",
    "persona": "personas", "saga": "sagas", "motto": "mottos", "solo": "solos", "tempo": "tempos",
    "virtuoso": "virtuosos", "soprano": "sopranos", "ghetto": "ghettos", "cargo": "cargos",
    "octopus": "octopuses", "cherub": "cherubs", "seraph": "seraphs", "bandit": "bandits",
    "terminus": "terminuses", "hoof": "hooves", "roof": "roofs", "dwarf": "dwarfs",
    "bus": "buses", "handkerchief": "handkerchiefs", "scarf": "scarves", "wharf": "wharves",
}  # fmt: skip
_COMPARED: Mapping[str, tuple[str, str]] = {
    "good": ("better", "best"), "well": ("better", "best"), "bad": ("worse", "worst"),
    "ill": ("worse", "worst"), "badly": ("worse", "worst"), "far": ("farther", "farthest"),
    "little": ("less", "least"), "much": ("more", "most"), "many": ("more", "most"),
    "late": ("later", "latest"), "old": ("older", "oldest"),
}  # fmt: skip
# adverbs that are compared by endings; all others take *more*
_SHORT_ADVERBS = frozenset(
    """
    bright cheap clear close deep early fast hard high late light long loud low near quick short
    slow soft soon strong tight wide
    """.split()  # noqa: SIM905
)
_THIRD: Mapping[str, str] = {"be": "is", "have": "has"}


def inflect(base: str, tag: str) -> str | None:
    """Return a base form in the inflection that a Penn tag names.

    Parameters
    ----------
    base : str
        In lower case.
    tag : str
        One of :data:`INFLECTED_TAGS` or :data:`BASE_TAGS`.

    Returns
    -------
    str or None
        None where English has no such single word (*more careful*), and for several words.

    Raises
    ------
    OptionError
        If the tag is none of those.

    Notes
    -----
    Without WordNet only the irregular forms that this module lists are known, and all others are
    taken for regular.

    Examples
    --------
    >>> inflect("try", "VBD"), inflect("stop", "VBG"), inflect("box", "NNS")
    ('tried', 'stopping', 'boxes')
    >>> inflect("cut", "VBD"), inflect("funny", "JJS"), inflect("careful", "JJR")
    ('cut', 'funniest', None)
    """
    if tag not in INFLECTED_TAGS and tag not in BASE_TAGS:
        raise OptionError(
            f"tag={tag!r} names no inflection of nouns, verbs, adjectives or adverbs",
            hint=f"use one of {', '.join(INFLECTED_TAGS + BASE_TAGS)}",
        )
    if not base or any(c.isspace() for c in base):
        return None
    if tag in BASE_TAGS:
        return base
    if tag == "NNS":
        return _plural(base)
    if tag == "VBZ":
        return _THIRD.get(base) or _with_s(base, verb=True)
    if tag == "VBG":
        return _one(_exceptions("v", base), "ing") or _with_ing(base)
    if tag in ("VBD", "VBN"):
        return _past(base)[tag == "VBN"]
    return _compared(base, tag)


def base_forms(word: str, tag: str) -> tuple[str, ...]:
    """Return the base forms that WordNet knows of a word of this tag, the likeliest first.

    Those whose inflection is the word again come first (*found* is *find* before it is *found*).

    Raises
    ------
    MissingDataError
        If WordNet is not installed.

    Examples
    --------
    >>> base_forms("the", "DT")  # has no other forms, so that WordNet is not asked
    ()
    """
    pos = part_of_speech(tag)
    if pos is None:
        return ()
    lowered = word.lower()
    found = list(dict.fromkeys(wordnet()._morphy(lowered, pos)))
    if tag not in INFLECTED_TAGS:
        return tuple(sorted(found, key=lambda base: base != lowered))
    return tuple(sorted(found, key=lambda base: inflect(base, tag) != lowered))


@cache
def _forms(pos: str) -> dict[str, tuple[str, ...]]:
    """Return the irregular forms by base form; none without WordNet."""
    try:
        reader = wordnet()
    except MissingDataError:
        return {}
    forms: dict[str, list[str]] = {}
    for form, bases in reader._exception_map[pos].items():
        for base in bases:
            if form != base and "_" not in form:
                forms.setdefault(base, []).append(form)
    return {base: tuple(found) for base, found in forms.items()}


def _exceptions(pos: str, base: str) -> tuple[str, ...]:
    return _forms(pos).get(base, ())


def _one(forms: tuple[str, ...], ending: str) -> str | None:
    """Return the first form with an ending, preferring one that is not hyphenated."""
    fitting = [form for form in forms if form.endswith(ending)]
    return min(fitting, key=lambda form: "-" in form) if fitting else None


def _plural(base: str) -> str:
    if base in _PLURAL:
        return _PLURAL[base]
    listed = _exceptions("n", base)
    if listed:
        return listed[0]
    if base.endswith("man") and len(base) > 3 and not base.endswith(("human", "roman", "german")):
        return base[:-2] + "en"
    return _with_s(base, verb=False)


def _with_s(base: str, *, verb: bool) -> str:
    if _CONSONANT_Y.search(base):
        return base[:-1] + "ies"
    if verb and re.search(r"[^aeiou]o$", base):
        return base + "es"
    if re.search(r"^[^aeiou]*[aeiou]z$", base):
        return base + base[-1] + "es"
    return base + ("es" if _SIBILANT.search(base) else "s")


def _with_ing(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and len(base) > 2:
        return base[:-1] + "ing"
    return _doubled(base) + "ing"


def _with_ed(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if _CONSONANT_Y.search(base):
        return base[:-1] + "ied"
    return _doubled(base) + "ed"


def _doubled(base: str) -> str:
    return base + base[-1] if _DOUBLED.search(base) else base


def _past(base: str) -> tuple[str, str]:
    """Return past tense and participle."""
    if base in _PAST:
        return _PAST[base]
    listed = [
        form for form in _exceptions("v", base)
        if not form.endswith(("ing", "s")) or form.endswith("ss")
    ]  # fmt: skip
    if not listed:
        return _with_ed(base), _with_ed(base)
    if len(listed) == 1:
        return listed[0], listed[0]
    participles = [form for form in listed if _like_participle(form, listed)]
    tenses = [form for form in listed if form not in participles] or listed
    return tenses[0], (participles or tenses)[0]


def _like_participle(form: str, among: list[str]) -> bool:
    """Tell *given*, *worn*, *done* and *sung* from *gave*, *wore*, *did* and *sang*."""
    if form.endswith(("en", "wn", "rn", "in", "one")):
        return True
    return any(form != other and form.replace("u", "a", 1) == other for other in among)


def _compared(base: str, tag: str) -> str | None:
    suffix = _SUFFIX[tag]
    if base in _COMPARED:
        return _COMPARED[base][suffix == "est"]
    listed = _one(_exceptions("a" if tag.startswith("J") else "r", base), suffix)
    if listed:
        return listed
    if tag.startswith("R") and base not in _SHORT_ADVERBS:
        return None
    syllables = len(_SYLLABLES.findall(base[:-1] if base.endswith("e") else base))
    short = syllables == 1 or (syllables == 2 and base.endswith("y"))
    if not short or not base.isalpha():
        return None
    if _CONSONANT_Y.search(base):
        return base[:-1] + "i" + suffix
    if base.endswith("e"):
        return base + suffix[1:]
    return _doubled(base) + suffix
