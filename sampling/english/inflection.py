"""English inflection by Penn tag: base forms to inflected words, and back, by lemminflect.

The library is a table of forms made from the Specialist Lexicon of the US National Library of
Medicine, with rules for words that are not in it. It is imported when the first word is asked for.
"""

from __future__ import annotations

from functools import cache

from grammar.errors import OptionError

__all__ = ["BASE_TAGS", "INFLECTED_TAGS", "base_forms", "forms_like", "inflect"]

INFLECTED_TAGS = ("NNS", "VBZ", "VBG", "VBD", "VBN", "JJR", "JJS", "RBR", "RBS")
"""Tags of words that differ from their base form."""
BASE_TAGS = ("NN", "VB", "VBP", "JJ", "RB")
"""Tags of words that are base forms."""

_UNIVERSAL = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
_OF_PART = {
    "n": ("NNS",),
    "v": ("VBZ", "VBG", "VBD", "VBN"),
    "a": ("JJR", "JJS"),
    "r": ("RBR", "RBS"),
}


@cache
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
    Adjectives and adverbs that the library does not list have no comparison by endings; nouns and
    verbs that it does not list are regular.

    Examples
    --------
    >>> inflect("try", "VBD"), inflect("stop", "VBG"), inflect("box", "NNS")
    ('tried', 'stopping', 'boxes')
    >>> inflect("cut", "VBD"), inflect("funny", "JJS"), inflect("careful", "JJR")
    ('cut', 'funniest', None)
    >>> inflect("thanks", "NNS")
    'thanks'
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
    from lemminflect import getInflection, getLemma

    regular = tag[:2] in ("NN", "VB")
    for lemma in () if regular else getLemma(base, _UNIVERSAL[tag[:2]], lemmatize_oov=False):
        # it is that form already, as lemmas of treebanks are now and then: more, most
        if lemma != base and base in getInflection(lemma, tag, inflect_oov=False):
            return base
    forms = getInflection(base, tag, inflect_oov=False)
    if not forms and tag == "NNS" and base.endswith("s") and base not in getLemma(base, "NOUN"):
        return base  # a plural already, as thanks and regards, which have no singular
    forms = forms or getInflection(base, tag, inflect_oov=regular)
    return str(forms[0]) if forms else None


@cache
def base_forms(word: str, tag: str) -> tuple[str, ...]:
    """Return the base forms of a word of this tag, the likeliest first.

    Those whose inflection is the word again come first (*found* is *find* before it is *found*).

    Examples
    --------
    >>> base_forms("the", "DT"), base_forms("found", "VBD"), base_forms("Films", "NNS")
    ((), ('find', 'found'), ('film',))
    """
    kind = _UNIVERSAL.get(tag[:2])
    if kind is None or tag not in INFLECTED_TAGS + BASE_TAGS:
        return ()
    from lemminflect import getLemma

    lowered = word.lower()
    found = dict.fromkeys(map(str, getLemma(lowered, kind)))
    return tuple(sorted(found, key=lambda base: inflect(base, tag) != lowered))


def forms_like(base: str, word: str, of: str, part: str) -> str | None:
    """Return a base form inflected as a word is, whose tag is not known.

    Parameters
    ----------
    base : str
        What is to be inflected.
    word, of : str
        A word and its own base form.
    part : {"n", "v", "a", "r"}
        The part of speech of both, as WordNet writes them.

    Returns
    -------
    str or None
        None if the word may be of several inflections that differ here (*walked*: *went* or
        *gone*?), or of none.

    Examples
    --------
    >>> forms_like("movie", "films", "film", "n"), forms_like("sing", "gave", "give", "v")
    ('movies', 'sang')
    >>> forms_like("go", "walked", "walk", "v") is None
    True
    """
    if word == of:
        return base
    tags = [tag for tag in _OF_PART[part] if inflect(of, tag) == word]
    forms = {inflect(base, tag) for tag in tags}
    return forms.pop() if len(forms) == 1 else None
