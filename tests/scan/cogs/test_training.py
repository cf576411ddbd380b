"""A model that writes terms, with pairs from a grammar and without."""

import pytest

from grammar.synchronous.grammar import SynchronousGrammar
from induction.terms.terms import Term
from scan.cogs.augmentation import Amounts, tempered
from scan.cogs.training import model_answers, train_on_terms
from scan.models.config import TrainingConfig

GRAMMAR = SynchronousGrammar.parse("""
    %start S
    S -> N_1 V_2 . ### V_2 ( agent = N_1 ) [1]
    N -> ann ### Ann [0.3]
    N -> bob ### Bob [0.3]
    N -> eve ### Eve [0.3]
    N -> zoe ### Zoe [0.1]
    V -> slept ### sleep [0.5]
    V -> ran ### run [0.5]
""")
SEEN = [("ann slept .", "sleep ( agent = Ann )"), ("bob ran .", "run ( agent = Bob )")]
RECIPE = TrainingConfig(
    embedding=16, hidden=32, batch=16, peak_rate=2e-2, steps=120, check_every=60,
    augmented_share=0.6, dropout=0.0,
)  # fmt: skip
AMOUNTS = Amounts(short=60, words=4, deep=0, depths=(3, 2))


def test_what_the_grammar_adds_is_learnt() -> None:
    model = train_on_terms(SEEN, GRAMMAR, config=RECIPE, amounts=AMOUNTS)
    assert len(model.made) == 8
    assert model.agreeing == 1.0
    answers = model_answers(model.trained, ["eve ran .", "zoe slept ."])
    assert list(map(str, answers)) == ["run ( agent = Eve )", "sleep ( agent = Zoe )"]


def test_without_a_grammar_nothing_is_added() -> None:
    model = train_on_terms(SEEN, None, config=RECIPE)
    assert (model.made, model.agreeing) == ([], 1.0)
    assert model_answers(model.trained, ["ann slept ."]) == [Term.parse(SEEN[0][1])]
    assert model_answers(model.trained, ["eve ran ."]) != [Term.parse("run ( agent = Eve )")]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_weights_to_a_power_keep_their_order(power: float) -> None:
    made = tempered(GRAMMAR, power)
    assert [rule.rule for rule in made] == [rule.rule for rule in GRAMMAR]
    names = {str(rule.rule.target[0]): rule.weight for rule in made if rule.rule.lhs == "N"}
    ratio = (0.1 / 0.3) ** power
    assert names["Zoe"] / names["Ann"] == pytest.approx(ratio)
    assert sum(names.values()) == pytest.approx(1.0)
