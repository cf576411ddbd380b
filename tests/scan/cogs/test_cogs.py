"""COGS: the reader, and the conversions between logical forms."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, NotationError, OptionError
from induction.corpus.corpus import Corpus
from induction.terms.terms import Argument, Term
from scan.cogs.data import CATEGORIES, LEXICAL, STRUCTURAL, cogs, read_cogs
from scan.cogs.forms import LogicalFormError, to_original, to_variable_free
from scan.cogs.tokens import from_short, to_short

SIZES = {"train": 24_155, "dev": 3_000, "test": 3_000, "gen": 21_000}
LINE = "The cat slept .\t* cat ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )\tin_distribution\n"

# --- the reader ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("part", SIZES)
def test_the_parts_have_the_published_counts(part: str) -> None:
    assert len(cogs(part)) == SIZES[part]


@pytest.mark.usefixtures("data_folder")
def test_each_category_has_a_thousand_sentences() -> None:
    assert Counter(cogs("gen").column("category")) == dict.fromkeys(CATEGORIES, 1_000)
    assert (len(LEXICAL), len(STRUCTURAL), len(set(CATEGORIES))) == (18, 3, 21)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cogs.tsv"
    path.write_text("\n" + LINE)
    row = read_cogs(path)[0]
    assert row == {
        "id": "2",
        "text": "The cat slept .",
        "target": "* cat ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )",
        "category": "in_distribution",
    }


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LINE + "The cat slept .\tform\tsubject_to_object\n", "2: unknown category 'subject_to_ob"),
        (LINE + "The cat slept .\tform\n", "2: not a line of COGS: 'The cat slept"),
        (LINE + "The cat slept .\t\tprimitive\n", "2: not a line of COGS"),
        ("", "the file has no lines"),
        ("\n \n", "the file has no lines"),
    ],
)
def test_a_bad_file_is_one_clear_error(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "cogs.tsv"
    path.write_text(text)
    with pytest.raises(CorpusError, match=re.escape(what)) as error:
        read_cogs(path)
    assert "cogs.tsv" in str(error.value)
    assert "hint" in str(error.value)


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(OptionError, match="COGS has no part 'valid'"):
        cogs("valid")


# --- the two forms ------------------------------------------------------------------------------

WORKED = [
    ("Emma", "Emma", "Emma"),
    ("shark", "LAMBDA a . shark ( a )", "LAMBDA shark"),
    ("snore", "LAMBDA a . LAMBDA e . snore . agent ( e , a )", "LAMBDA snore ( agent )"),
    (
        "eat",
        "LAMBDA a . LAMBDA b . LAMBDA e . eat . agent ( e , b ) AND eat . theme ( e , a )",
        "LAMBDA eat ( agent , theme )",
    ),
    (
        "A cake was forwarded to Levi by the dog .",
        "* dog ( x _ 8 ) ; cake ( x _ 1 ) AND forward . theme ( x _ 3 , x _ 1 ) AND "
        "forward . recipient ( x _ 3 , Levi ) AND forward . agent ( x _ 3 , x _ 8 )",
        "forward ( theme = cake , recipient = Levi , agent = * dog )",
    ),
    (
        "Emma liked that a cat in the box wanted to crawl .",
        "* box ( x _ 7 ) ; like . agent ( x _ 1 , Emma ) AND like . ccomp ( x _ 1 , x _ 8 ) AND "
        "cat ( x _ 4 ) AND cat . nmod . in ( x _ 4 , x _ 7 ) AND want . agent ( x _ 8 , x _ 4 ) "
        "AND want . xcomp ( x _ 8 , x _ 10 ) AND crawl . agent ( x _ 10 , x _ 4 )",
        "like ( agent = Emma , ccomp = want ( agent = cat ( nmod.in = * box ) , "
        "xcomp = crawl ( agent = cat ( nmod.in = * box ) ) ) )",
    ),
]


@pytest.mark.parametrize(("sentence", "form", "term"), WORKED)
def test_worked_conversions(sentence: str, form: str, term: str) -> None:
    assert str(to_variable_free(form)) == term
    assert to_original(Term.parse(term), sentence) == form


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("part", SIZES)
def test_published_forms_come_back_exactly(part: str) -> None:
    corpus = cogs(part)
    if part in ("train", "gen"):
        # all of them do (see docs/experiments/cogs.md); a part of them is enough here
        corpus = Corpus(corpus.table.take(list(range(0, len(corpus), 4))))
    for sentence, form in zip(corpus.column("text"), corpus.column("target"), strict=True):
        term = to_variable_free(form)
        assert to_original(term, sentence) == form
        assert from_short(to_short(term)) == term


NOUNS = st.sampled_from(["cat", "dog", "box", "cake"])
NAMES = st.sampled_from(["Emma", "Liam"])


@st.composite
def noun_phrases(draw: st.DrawFn, depth: int = 3) -> tuple[str, Term]:
    if draw(st.integers(0, 3)) == 0:
        name = draw(NAMES)
        return name, Term((name,))
    noun, definite = draw(NOUNS), draw(st.booleans())
    words, arguments = f"{'the' if definite else 'a'} {noun}", ()
    if depth and draw(st.booleans()):
        preposition = draw(st.sampled_from(["in", "on", "beside"]))
        inner, below = draw(noun_phrases(depth - 1))
        words += f" {preposition} {inner}"
        arguments = (Argument(f"nmod.{preposition}", below),)
    return words, Term(("*", noun) if definite else (noun,), arguments)


@st.composite
def clauses(draw: st.DrawFn, depth: int = 3) -> tuple[str, Term]:
    words, subject = draw(noun_phrases())
    kind = draw(st.sampled_from(["slept", "ate", "given", "wanted"] + ["said"] * (depth > 0)))
    agent = Argument("agent", subject)
    if kind == "slept":
        return f"{words} slept", Term(("sleep",), (agent,))
    if kind == "wanted":
        below = Term(("run",), (agent,))
        return f"{words} wanted to run", Term(("want",), (agent, Argument("xcomp", below)))
    if kind == "said":
        inner, clause = draw(clauses(depth - 1))
        return f"{words} said that {inner}", Term(("say",), (agent, Argument("ccomp", clause)))
    other, thing = draw(noun_phrases())
    if kind == "ate":
        return f"{words} ate {other}", Term(("eat",), (agent, Argument("theme", thing)))
    arguments = (Argument("theme", subject), Argument("recipient", thing))
    return f"{words} was given to {other}", Term(("give",), arguments)


@given(clauses())
def test_random_forms_come_back_exactly(made: tuple[str, Term]) -> None:
    sentence, term = f"{made[0]} .", made[1]
    original = to_original(term, sentence)
    assert to_variable_free(original) == term
    assert to_original(to_variable_free(original), sentence) == original
    assert from_short(to_short(term)) == term
    assert Term.parse(str(term)) == term


TERMS = st.recursive(
    st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=2).map(
        lambda label: Term(tuple(label))
    ),
    lambda below: st.builds(
        Term,
        st.just(("f",)),
        st.lists(
            st.builds(Argument, st.sampled_from(["r", "s.t"]), st.none() | below),
            min_size=1,
            max_size=3,
        ).map(tuple),
    ),
)


@given(TERMS)
def test_terms_are_read_as_they_are_written(term: Term) -> None:
    assert Term.parse(str(term)) == Term.parse(term.words) == term
    assert from_short(to_short(term)) == term


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ("cat ( x _ 1", "word 1 of"),
        ("cat ( x _ 1 ) AND eat . agent ( x _ 2 )", "word 8 of 'cat ( x _ 1 ) AND eat . agent"),
        ("* cat ( x _ 1 ) ; eat . agent ( x _ 2 , x _ 1 ) AND", "word 9 of '* cat"),
        ("* cat ( x _ 1 ) ; dog ( x _ 1 )", "'x _ 1' is named twice"),
        ("cat ( x _ 1 ) ; dog ( x _ 2 )", "word 1 of"),
        ("cat ( x _ 1 ) AND dog ( x _ 2 )", "2 things have no other thing"),
        ("eat . agent ( x _ 2 , x _ 1 )", "'x _ 1' has no name"),
        ("a . r ( x _ 1 , x _ 2 ) AND b . r ( x _ 2 , x _ 1 )", "0 things have no other"),
        ("eat . agent ( x _ 2 , Emma ) AND see . theme ( x _ 2 , Emma )", "'eat', the name of"),
        ("LAMBDA a . LAMBDA e . snore . agent ( a , e )", "the usual letters"),
        ("", "word 1 of"),
    ],
)
def test_a_malformed_original_form_says_where(form: str, what: str) -> None:
    with pytest.raises(LogicalFormError, match=re.escape(what)) as error:
        to_variable_free(form)
    assert "hint" in str(error.value)


@pytest.mark.parametrize(
    ("term", "what"),
    [
        ("eat ( agent = )", "expected a label, found ')'\n"),
        ("eat ( agent = cat", "word 6 of"),
        ("eat ( )", "expected a role, found ')'"),
        ("eat ) cat", "expected the end of the term, found ')'"),
        ("", "expected a label, found the end"),
    ],
)
def test_a_malformed_term_says_where(term: str, what: str) -> None:
    with pytest.raises(NotationError) as error:
        Term.parse(term)
    assert what in f"{error.value}\n"


@pytest.mark.parametrize("text", ["eat (agent cat ) )", "(agent", "eat ,", "eat ( agent"])
def test_a_malformed_short_form_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        from_short(text)


@pytest.mark.parametrize(
    ("term", "sentence", "what"),
    [
        ("sleep ( agent = cat )", "a cat slept the dog .", "2 things, the sentence has 3"),
        ("sleep ( agent )", "a cat slept .", "the role 'agent' is open"),
        (
            "want ( agent = cat , xcomp = run ( agent = dog ) )",
            "a cat wanted to run .",
            "the first argument of 'run' is not that of the verb above it",
        ),
    ],
)
def test_a_term_that_does_not_fit_is_refused(term: str, sentence: str, what: str) -> None:
    with pytest.raises(LogicalFormError, match=re.escape(what)):
        to_original(Term.parse(term), sentence)
