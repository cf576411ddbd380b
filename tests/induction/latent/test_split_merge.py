"""Splitting, EM and merging: what each must keep, and what it must raise."""

import itertools
import math

import numpy as np
import pytest

from grammar.errors import ChartGrammarError, EmptyTreebankError, OptionError
from grammar.rng import stream_key
from grammar.trees.treebank import Treebank
from induction import read_treebank
from induction.counts.skeletons import SkeletonTrees
from induction.latent.em import Annotator, LatentModel
from induction.latent.split_merge import SplitMerge, _Learner, split_merge

QUICK = SplitMerge(rounds=2, split_iterations=4, merge_iterations=3)


@pytest.fixture(scope="module")
def trees() -> SkeletonTrees:
    return SkeletonTrees.of(read_treebank()[:40])


def learner(trees: SkeletonTrees, **options) -> _Learner:
    return _Learner(Annotator(trees), SplitMerge(**options), None)


def likelihood(learner: _Learner, model: LatentModel) -> float:
    return learner.likelihood(model)


def test_one_state_a_label_is_the_skeleton(trees):
    annotator = Annotator(trees)
    total = annotator.values(annotator.unsplit()).log_totals.sum()
    rules = trees.forest.rule[trees.forest.rule >= 0]
    words = trees.lexicon().emission(
        trees.words
    )  # no word is changed for being the first: all known
    expected = np.log(trees.skeleton.grammar.weight[rules]).sum()
    expected += np.log(words[trees.leaf_word, trees.leaf_tag]).sum()
    assert math.isclose(total, expected, rel_tol=1e-9)


def test_em_never_lowers_the_likelihood_of_rules(trees):
    # the lexicon smooths, so only rules are re-estimated here
    at_work = learner(trees)
    model = at_work.split(at_work.annotator.unsplit(), 1)
    totals = []
    for _ in range(8):
        values = at_work.annotator.values(model)
        totals.append(values.log_totals.sum())
        better = at_work.annotator.maximise(
            model.grammar.states, at_work.annotator.counts(model, values)
        )
        model = LatentModel(better.grammar, model.lexicon)
    assert all(later >= earlier - 1e-6 for earlier, later in itertools.pairwise(totals))
    assert totals[-1] > totals[0] + 1.0


def test_splitting_hardly_changes_the_likelihood_and_doubles_all_but_the_start(trees):
    at_work = learner(trees)
    unsplit = at_work.annotator.unsplit()
    model = at_work.split(unsplit, 1)
    start = trees.skeleton.grammar.start_id
    expected = np.full(len(model.grammar.states), 2)
    expected[start] = 1
    assert model.grammar.states.tolist() == expected.tolist()
    assert math.isclose(likelihood(at_work, model), likelihood(at_work, unsplit), rel_tol=1e-2)


def test_merging_everything_undoes_the_split(trees):
    at_work = learner(trees, merge_share=1.0)
    unsplit = at_work.annotator.unsplit()
    merged = at_work.merge(at_work.split(unsplit, 1))
    assert merged.grammar.states.tolist() == unsplit.grammar.states.tolist()
    assert np.allclose(merged.grammar.weight, unsplit.grammar.weight)
    assert np.allclose(merged.lexicon.counts.toarray(), unsplit.lexicon.counts.toarray())


def test_half_of_the_splits_are_undone_those_whose_loss_costs_least(trees):
    at_work = learner(trees)
    model = at_work.split(at_work.annotator.unsplit(), 1)
    for _ in range(4):
        model = at_work.improve(model, smooth=False)
    pairs = len(model.grammar.states) - 1
    merged = at_work.merge(model)
    undone = merged.grammar.states < model.grammar.states
    assert undone.sum() == pairs // 2
    changes = merge_changes(at_work, model)
    kept = [changes[label] for label in changes if not undone[label]]
    assert max(kept) <= min(changes[label] for label in changes if undone[label]) + 1e-9


def merge_changes(at_work: _Learner, model: LatentModel) -> dict[int, float]:
    """Return, in plain Python, by how much the likelihood changes if a label's states are one."""
    forest, values = at_work.annotator.trees.forest, at_work.annotator.values(model)
    posterior = values.inside * values.outside
    seen: dict[int, np.ndarray] = {}
    for node, label in enumerate(forest.label.tolist()):
        rows = posterior[values.at[node] : values.at[node + 1]]
        seen[label] = seen.get(label, 0.0) + rows
    changes: dict[int, float] = {}
    for node, label in enumerate(forest.label.tolist()):
        inside = values.inside[values.at[node] : values.at[node + 1]]
        outside = values.outside[values.at[node] : values.at[node + 1]]
        if len(inside) == 2:
            share = seen[label] / seen[label].sum()
            together = (share * inside).sum() * outside.sum() / (inside * outside).sum()
            changes[label] = changes.get(label, 0.0) + math.log(together)
    return changes


def test_states_raise_the_likelihood_round_by_round(trees):
    rounds = list(split_merge(trees, QUICK))
    assert [r.number for r in rounds] == [0, 1, 2]
    assert rounds[0].log_likelihood < rounds[1].log_likelihood < rounds[2].log_likelihood
    assert rounds[0].states < rounds[1].states < rounds[2].states


def test_the_seed_decides_everything(trees):
    def weights(seed: int) -> np.ndarray:
        options = SplitMerge(rounds=1, split_iterations=2, merge_iterations=1, seed=seed)
        return list(split_merge(trees, options))[-1].model.grammar.weight

    assert stream_key(0, "split 1") != stream_key(1, "split 1")
    assert np.array_equal(weights(0), weights(0))
    assert not np.array_equal(weights(0), weights(1))


def test_iterations_are_told(trees):
    told = []
    list(split_merge(trees, QUICK, on_progress=told.append))
    # one more value is computed to choose what is merged
    assert [(now.round, now.number) for now in told] == [
        (r, i) for r in (1, 2) for i in range(1, 9)
    ]


def test_one_tree_is_enough():
    one = SkeletonTrees.of(Treebank.parse("(S (N we) (V swim))"))
    assert list(split_merge(one, QUICK))[-1].states >= 4


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"rounds": -1}, "rounds=-1"),
        ({"split_iterations": 0}, "split_iterations=0"),
        ({"merge_share": 1.5}, "merge_share=1.5"),
        ({"rule_smoothing": -0.1}, "rule_smoothing=-0.1"),
    ],
)
def test_options_out_of_range_are_refused(options, name):
    with pytest.raises(OptionError, match=name):
        SplitMerge(**options)


def test_treebanks_that_make_no_skeleton_are_refused():
    with pytest.raises(EmptyTreebankError):
        SkeletonTrees.of(Treebank.parse(""))
    with pytest.raises(ChartGrammarError, match="'the' stands next to"):
        SkeletonTrees.of(Treebank.parse("(NP the (NN film))"))
    with pytest.raises(ChartGrammarError, match="roots"):
        SkeletonTrees.of(Treebank.parse("(S (N we) (V swim)) (NP (N tea))"), steps=())


def test_a_root_above_one_constituent_of_its_own_label_makes_no_circle():
    trees = SkeletonTrees.of(Treebank.parse("(S (S (N we) (V swim)))"))
    assert "S+S" in trees.skeleton.grammar.rules.nonterminals
