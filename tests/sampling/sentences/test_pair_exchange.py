"""Subtrees of synchronous derivations exchanged between pairs."""

import pyarrow as pa
import pytest

from grammar.errors import CorpusError, OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from sampling.sentences.pair_exchange import PairExchange
from sampling.stream import ShortfallWarning

GRAMMAR = SynchronousGrammar.parse("""
    %start S
    S -> V_1 and V_2 ### V_1 V_2 [0.4]
    S -> V_1 twice ### V_1 V_1 [0.3]
    S -> jump ### J [0.1]
    S -> walk ### W [0.1]
    S -> stop ### X [0.1]
    V -> jump ### J [0.25]
    V -> walk ### W [0.25]
    V -> run ### R [0.25]
    V -> V_1 left ### L V_1 [0.25]
""")
CORPUS = Corpus.from_columns(
    text=["jump", "stop", "walk twice", "run left and walk", "walk and run"],
    target=["J", "X", "W W", "L R W", "W R"],
)
TARGETS = {"jump": "J", "walk": "W", "run": "R", "run left": "L R", "jump left": "L J",
           "walk left": "L W", "run left left": "L L R"}  # fmt: skip


def expected() -> set[tuple[str, str]]:
    """Every host with one proper subtree exchanged, spelt out by hand."""
    fillers = ("jump", "walk", "run", "run left")
    made = {f"{v} twice" for v in fillers}
    made |= {f"{v} and walk" for v in fillers} | {f"{v} left and walk" for v in fillers}
    made |= {f"run left and {v}" for v in fillers}
    made |= {f"{v} and run" for v in fillers} | {f"walk and {v}" for v in fillers}
    return {(text, target_of(text)) for text in made - set(CORPUS.column("text"))}


def target_of(text: str) -> str:
    if text.endswith(" twice"):
        return " ".join([TARGETS[text.removesuffix(" twice")]] * 2)
    first, second = text.split(" and ")
    return f"{TARGETS[first]} {TARGETS[second]}"


def test_all_exchanges_and_nothing_else_are_made() -> None:
    exchange = PairExchange(GRAMMAR, CORPUS)
    with pytest.warns(ShortfallWarning, match="only 16 distinct") as caught:
        made = exchange.sample(40)
    assert caught[0].message.shortfall.made == len(made) <= exchange.count()
    assert set(zip(made.column("text"), made.column("target"), strict=True)) == expected()


def test_what_made_a_pair_is_told() -> None:
    for row in PairExchange(GRAMMAR, CORPUS).sample(10, seed=3):
        source, target = GRAMMAR.yields(row["provenance"]["rules"])
        assert (" ".join(source), " ".join(target)) == (row["text"], row["target"])
        assert all(parent in CORPUS.column("id") for parent in row["provenance"]["parents"])
        assert SynchronousParser(GRAMMAR).is_derivable(source, target)


def test_more_pairs_begin_with_the_fewer() -> None:
    exchange = PairExchange(GRAMMAR, CORPUS)
    few, many = exchange.sample(3, seed=1), exchange.sample(8, seed=1)
    assert few.table.equals(many.table.slice(0, 3))
    assert few.column("text") != exchange.sample(3, seed=2).column("text")
    batches = list(exchange.batches(8, seed=1, batch_size=3, workers=2))
    assert pa.concat_tables(batches).equals(many.table)
    assert exchange.sample(5, seed=1, start=3).table.equals(many.table.slice(3, 5))


def test_pairs_with_another_target_are_left_out() -> None:
    wrong = Corpus.from_columns(text=["walk twice", "run and walk"], target=["W", "R W"])
    assert len(PairExchange(GRAMMAR, wrong).derivations) == 1


def test_nothing_to_exchange() -> None:
    with pytest.raises(CorpusError, match="no subtree can be exchanged") as caught:
        PairExchange(GRAMMAR, Corpus.from_columns(text=["fly"], target=["F"]))
    assert "0 of 1 pairs" in str(caught.value.hint)
    with pytest.raises(OptionError, match="n=-1"):
        PairExchange(GRAMMAR, CORPUS).sample(-1)
