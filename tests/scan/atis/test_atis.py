"""ATIS: reading, the flat form, names, order, and what a grammar answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, NotationError
from induction.corpus.corpus import Corpus
from induction.terms.meanings import same_meaning
from scan.atis.data import atis, fold, read_atis
from scan.atis.experiment import atis_score, induce_atis, training_pairs
from scan.atis.forms import from_flat, set_order, to_flat
from scan.atis.names import Names, learn_names

FORMS = {
    "conjuncts": (
        "( lambda $0 e ( and ( ferry $0 ) ( from $0 port_ann : po ) ( to $0 elba : is ) ) )",
        "lambda:e ferry$0 from$0/1 port_ann:po to$0/1 elba:is",
    ),
    "one condition": ("( count $0 ( and ( ferry $0 ) ) )", "count ferry$0"),
    "a variable that is not the last one": (
        "( lambda $x e ( exists $y ( and ( ferry $y ) ( = ( price $y ) $x ) ) ) )",
        "lambda:e exists =/2 price$0 $1 ferry$0",
    ),
    "what is compared": (
        "( argmin $0 ( and ( ferry $0 ) ( to $0 elba : is ) ) ( price $0 ) )",
        "argmin/1 price$0 ferry$0 to$0/1 elba:is",
    ),
    "a set in a set": (
        "( lambda $0 e ( and ( or ( fast $0 ) ( cheap $0 ) ) ( ferry $0 ) ) )",
        "lambda:e ferry$0 or cheap$0 fast$0",
    ),
    "a variable without its sign": (
        "( lambda x e ( and ( port x ) ( on : t x elba : is ) ) )",
        "lambda:e on:t$0/1 elba:is port$0",
    ),
    "a name": ("elba : is", "elba:is"),
    "a function of a set": (
        "( price ( the $0 ( and ( ferry $0 ) ( not ( to $0 elba : is ) ) ) ) )",
        "price/1 the ferry$0 not/1 to$0/1 elba:is",
    ),
}  # fmt: skip
PLACES = ("elba", "capri", "port ann", "new quay", "skye")
KINDS = (("fast", "fast$0"), ("cheap", "cheap$0"), ("", ""))


def lines() -> list[tuple[str, str]]:
    """Return questions about ferries between all places, and their forms."""
    made = []
    for source in PLACES:
        for goal in PLACES:
            for word, kind in KINDS:
                if source == goal:
                    continue
                parts = ["( ferry $0 )", f"( {kind[:-2]} $0 )" if kind else ""]
                names = [place.replace(" ", "_") for place in (source, goal)]
                parts += [f"( to $0 {names[1]} : is )", f"( from $0 {names[0]} : is )"]
                text = " ".join(f"{word} ferries from {source} to {goal}".split())
                made.append((text, f"( lambda $0 e ( and {' '.join(filter(None, parts))} ) )"))
    return made


@pytest.fixture
def ferries() -> Corpus:
    texts, targets = zip(*lines(), strict=True)
    return Corpus.from_columns(text=list(texts), target=list(targets))


@pytest.mark.parametrize("name", FORMS)
def test_flat_forms_come_back(name: str) -> None:
    published, flat = FORMS[name]
    assert sorted(to_flat(published).split()) == sorted(flat.split())
    assert same_meaning(from_flat(flat), published)
    assert to_flat(from_flat(flat)) == to_flat(published)


@pytest.mark.parametrize(
    "flat", ["", "lambda:e", "from$0", "lambda:e from$0/1", "a b", "and )", "/2"]
)
def test_what_is_no_flat_form(flat: str) -> None:
    with pytest.raises(NotationError, match="word"):
        from_flat(flat)


@pytest.mark.parametrize("form", ["( ferry", "a b", "( ( a ) b )", ""])
def test_what_is_no_form(form: str) -> None:
    with pytest.raises(NotationError, match="write|begins"):
        to_flat(form)


@given(st.permutations(range(6)))
def test_the_order_of_a_set_changes_no_meaning(order: list[int]) -> None:
    flat = "lambda:e or a$0 and b$0 c$0 ) ) exists r$0/2 $1 elba:is )"
    ranks = iter(order * 2)
    made = set_order(flat, lambda _: next(ranks))
    assert same_meaning(from_flat(made), from_flat(flat))


def test_lines_are_read_and_brackets_added(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "ferries ||| ( lambda $0 e ( ferry $0 )\n\nelba ||| elba : is\n"
    )
    read = read_atis(tmp_path / "a.txt")
    assert read.column("target") == ["( lambda $0 e ( ferry $0 ) )", "elba : is"]
    assert read.column("id") == ["1", "3"]


@pytest.mark.parametrize("text", ["a ( b )", "a ||| ( b ) )", "\n", "a ||| b ||| c", "||| b"])
def test_what_is_no_file_of_atis(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(CorpusError, match="not a line of ATIS|no lines"):
        read_atis(tmp_path / "a.txt")


def test_folds_are_a_partition() -> None:
    rows = Corpus.from_columns(text=list("abcdefghijkl"), target=list("abcdefghijkl"))
    tested = [fold(rows, number)[1].column("text") for number in range(5)]
    assert sorted(text for part in tested for text in part) == rows.column("text")
    assert all(len(fold(rows, n)[0]) + len(tested[n]) == len(rows) for n in range(5))


def test_names_are_learnt_from_pairs(ferries: Corpus) -> None:
    rows = zip(ferries.column("text"), map(to_flat, ferries.column("target")), strict=True)
    names = learn_names(rows)
    assert names.links == {tuple(p.split()): f"{p.replace(' ', '_')}:is" for p in PLACES}
    hidden = names.hide("from port ann to elba and port ann")
    assert hidden.text == "from is0 to is1 and is0"
    assert hidden.names == {"is0": "port_ann:is", "is1": "elba:is"}


def test_a_name_with_other_words_is_learnt() -> None:
    texts = ("at noon from elba", "noon ferries from capri", "from skye around noon")
    places = ("elba", "capri", "skye")
    pairs = [(text, f"lambda:e at$0/1 1200:ti from$0/1 {place}:is")
             for text, place in zip(texts, places, strict=True)]  # fmt: skip
    pairs.append(("from elba", "lambda:e from$0/1 elba:is"))
    assert learn_names(pairs).links[("noon",)] == "1200:ti"


def test_conditions_stand_in_the_order_of_the_question(ferries: Corpus) -> None:
    pairs, names = training_pairs(ferries)
    assert isinstance(names, Names)
    assert dict(pairs)["fast ferries from is0 to is1"] == (
        "lambda:e fast$0 ferry$0 from$0/1 is0 to$0/1 is1"
    )
    assert len(pairs) == len(KINDS)


@pytest.mark.filterwarnings("ignore::induction.synchronous.report.RoteWarning")
def test_a_grammar_answers_what_it_has_not_seen(ferries: Corpus) -> None:
    asked = [row for row, text in enumerate(ferries.column("text")) if "fast" in text][::4]
    kept = Corpus(ferries.table.take([r for r in range(len(ferries)) if r not in asked]))
    test = Corpus(ferries.table.take(asked))
    answers = induce_atis(kept).answers([*test.column("text"), "who swims"])
    assert atis_score(answers[:-1], test) == {"right": len(asked), "wrong": 0, "silent": 0}
    assert answers[-1] is None


def test_all_published_forms_come_back(data_folder: Path) -> None:
    corpus = atis()
    assert len(corpus) == 4534
    for target in corpus.column("target")[::7]:
        assert same_meaning(from_flat(to_flat(target)), target)
