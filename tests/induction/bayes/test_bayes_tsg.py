"""The Bayesian chain against the posterior by enumeration of all segmentations and seatings."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from grammar.errors import EmptyTreebankError, MismatchError, OptionError, SchemaError
from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.bayes import hyper
from induction.bayes.hyper import UsedFragments, draw_tau, key_of_tables, seat
from induction.bayes.induce import BayesTSG, Iteration, induce_bayes_tsg
from induction.bayes.predictive import fragment_at
from induction.counts.pcfg import induce_pcfg
from tests.grammar.strategies import trees

# several places of one type; recursion, where a piece is its own neighbour; both kinds together
BANKS = {
    "flat": "(S (A a) (B b)) (S (A a) (B b)) (S (A a) (B c))",
    "chain": "(X (X (X (X (X (X a)))))) (X (X a))",
    "branching": "(X (X (X a) (X a)) (X a)) (X (X a) (X (X a) (X b)))",
    "clause": "(S (N we) (V (V see) (N us))) (S (N us) (V (V see) (N us)))",
}
Number = Any  # a float, or an array of them: one for each draw of the hyper-parameters


class Reference:
    """Trees, cut everywhere in turn, with everything computed in the plainest way."""

    def __init__(self, text: str) -> None:
        self.treebank = Treebank.parse(text)
        self.trees = list(self.treebank)
        rules = Counter(p for t in self.trees for p in Fragment.from_tree(t).productions())
        of_label = Counter[str]()
        for rule, n in rules.items():
            of_label[rule.lhs.name] += n
        self.rule = {rule: n / of_label[rule.lhs.name] for rule, n in rules.items()}
        self.nodes = np.flatnonzero((self.treebank.parent >= 0) & ~self.treebank.is_word)

    def base(self, fragment: Fragment, stop: dict[str, Number]) -> Number:
        """P0, by the definition."""
        p: Number = 1.0
        for node in fragment.expanded():
            p = p * self.rule[node.top()]
            for child in node.children:
                if isinstance(child, Nonterminal):
                    p = p * stop[child.name]
                elif isinstance(child, Fragment):
                    p = p * (1 - stop[child.label])
        return p

    def fragments(self, bits: tuple[int, ...]) -> list[Fragment]:
        """The fragments of a segmentation, bits in preorder."""
        found: list[Fragment] = []
        given = iter(bits)

        def cut(tree: Tree) -> Fragment:
            children: list[Fragment | Nonterminal | str] = []
            for child in tree.children:
                if isinstance(child, str):
                    children.append(child)
                elif next(given):
                    children.append(Nonterminal(child.label))
                    found.append(cut(child))
                else:
                    children.append(cut(child))
            return Fragment(tree.label, tuple(children))

        for tree in self.trees:
            found.append(cut(tree))
        return found

    def probability(
        self,
        bits: tuple[int, ...],
        stop: dict[str, Number],
        alpha: dict[str, Number],
        d: dict[str, Number],
    ) -> Number:
        """The probability of a segmentation, all seatings summed one by one."""
        p: Number = 1.0
        by_root: dict[str, list[Fragment]] = defaultdict(list)
        for fragment in self.fragments(bits):
            by_root[fragment.label].append(fragment)
        for root, customers in by_root.items():
            bases = [self.base(fragment, stop) for fragment in customers]
            p = p * seatings(customers, bases, alpha[root], d[root])
        return p

    def posterior(self, *parameters: dict[str, Number]) -> dict[tuple[int, ...], float]:
        states = list(itertools.product((0, 1), repeat=len(self.nodes)))
        weight = np.array([np.mean(self.probability(s, *parameters)) for s in states])
        return dict(zip(states, (weight / weight.sum()).tolist(), strict=True))


def seatings(customers: list[Fragment], bases: list[Number], alpha: Number, d: Number) -> Number:
    """Seat one customer after the other; tables are (fragment, size)."""

    def seat_next(i: int, tables: tuple[tuple[Fragment, int], ...]) -> Number:
        if i == len(customers):
            return 1.0
        new = (*tables, (customers[i], 1))
        total = (alpha + d * len(tables)) * bases[i] * seat_next(i + 1, new)
        for t, (served, size) in enumerate(tables):
            if served == customers[i]:
                joined = (*tables[:t], (served, size + 1), *tables[t + 1 :])
                total = total + (size - d) * seat_next(i + 1, joined)
        return total / (i + alpha)

    return seat_next(0, ())


def fixed(chain: BayesTSG, alpha: float, d: float, stop: float) -> list[dict[str, float]]:
    """Give the chain hyper-parameters; return them by label."""
    state = chain._state
    state.concentration[:] = state.tau[:] = alpha
    state.discount[:] = d
    state.stop[:] = stop + 0.05 * np.arange(len(chain.labels))
    chain._segmentation = chain._numbered()
    return [
        dict(zip(chain.labels, column.tolist(), strict=True))
        for column in (state.stop, state.concentration, state.discount)
    ]


def redraw_tau(chain: BayesTSG) -> None:
    """Draw tables and tau only."""
    state = chain._state
    chain._segmentation = chain._numbered()
    used = UsedFragments.of(chain._trees, chain._segmentation)
    key = key_of_tables(0, chain.iteration)
    seat(chain._trees, used, state.tables, np.log(state.tau), state.discount, key)
    random = np.random.default_rng(chain.iteration)
    by_label = used.tables_by_label(state.tables)
    state.tau = draw_tau(random, state.concentration, state.discount, by_label)


def visited(
    chain: BayesTSG, nodes: np.ndarray, draws: int, move: Callable[[], Any], thin: int = 3
) -> Counter[tuple[int, ...]]:
    states = Counter[tuple[int, ...]]()
    for _ in range(draws):
        for _ in range(thin):
            move()
            chain._state.iteration += 1
        states[tuple(chain._state.site[nodes].astype(int).tolist())] += 1
    return states


def check_frequencies(
    states: Counter[tuple[int, ...]], posterior: dict[tuple[int, ...], float]
) -> None:
    draws = states.total()
    kept = [s for s, p in posterior.items() if p * draws >= 8]
    observed = [states[s] for s in kept]
    expected = [posterior[s] * draws for s in kept]
    observed.append(draws - sum(observed))
    expected.append(draws - sum(expected))
    if expected[-1] < 8:
        observed[-2:], expected[-2:] = [sum(observed[-2:])], [sum(expected[-2:])]
    assert len(kept) >= 4
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("moves", ["bits", "types"])
@pytest.mark.parametrize("d", [0.0, 0.6])
def test_states_are_visited_as_often_as_the_posterior_says(bank: str, moves: str, d: float) -> None:
    reference = Reference(BANKS[bank])
    chain = BayesTSG(reference.treebank, prior="pitman-yor" if d else "dirichlet", seed=3)
    posterior = reference.posterior(*fixed(chain, 0.8, d, 0.4))

    def move() -> None:
        if moves == "bits":
            chain.sweep_bits()
        else:
            for _ in range(4):  # a sweep of types has one pivot for eight bits
                chain.sweep_types()
                chain._state.iteration += 1
        if d:
            redraw_tau(chain)

    check_frequencies(visited(chain, reference.nodes, 2500, move), posterior)


@pytest.mark.parametrize("prior", ["pitman-yor", "dirichlet"])
def test_the_whole_chain_visits_states_as_the_marginal_posterior_says(prior: Any) -> None:
    reference = Reference("(S (A a)) (S (A a)) (S (A b))")
    chain = BayesTSG(reference.treebank, prior=prior, seed=2)
    random, draws = np.random.default_rng(0), 100_000
    parameters = [
        {label: draw(label) for label in chain.labels}
        for draw in (
            lambda _: random.beta(1, 1, draws),
            lambda _: random.gamma(1, 10.0, draws),
            lambda _: random.beta(1, 1, draws) if prior == "pitman-yor" else np.zeros(draws),
        )
    ]

    def move() -> None:
        chain.step()
        chain._state.iteration -= 1  # visited counts for itself

    check_frequencies(
        visited(chain, reference.nodes, 2500, move, thin=4), reference.posterior(*parameters)
    )


@pytest.mark.parametrize("bank", BANKS)
def test_the_log_joint_is_that_of_the_plain_process(bank: str) -> None:
    reference = Reference(BANKS[bank])
    chain = BayesTSG(reference.treebank, prior="dirichlet", seed=5)
    parameters = fixed(chain, 1.3, 0.0, 0.3)
    for _ in range(10):
        chain.sweep_bits()
        chain._state.iteration += 1
        bits = tuple(chain._state.site[reference.nodes].astype(int).tolist())
        assert chain.log_joint == pytest.approx(np.log(reference.probability(bits, *parameters)))


def test_the_log_joint_with_tables_sums_to_that_of_the_plain_process() -> None:
    reference = Reference(BANKS["flat"])
    chain = BayesTSG(reference.treebank, seed=5)
    parameters = fixed(chain, 1.3, 0.6, 0.3)
    used = UsedFragments.of(chain._trees, chain._segmentation)
    total = 0.0
    for tables in itertools.product(*(range(1, n + 1) for n in used.uses.tolist())):
        chain._state.tables[used.node] = tables
        total += np.exp(chain.log_joint)
    everywhere = (1,) * len(reference.nodes)
    assert total == pytest.approx(reference.probability(everywhere, *parameters))


@given(
    bank=st.lists(trees(labels=st.sampled_from("AB"), words=st.sampled_from("ab")), min_size=1),
    prior=st.sampled_from(["pitman-yor", "dirichlet"]),
    seed=st.integers(0, 99),
)
@settings(max_examples=40)
def test_counts_and_numbers_survive_many_moves(bank: list[Tree], prior: Any, seed: int) -> None:
    chain = BayesTSG(Treebank.from_trees(bank), prior=prior, seed=seed)
    for _ in range(4):
        chain.sweep_bits()
        chain.sweep_types()
        kept = chain._segmentation
        sites = np.flatnonzero(kept.site)
        uses = np.bincount(kept.fragment[sites], minlength=len(kept.uses))
        assert np.array_equal(uses, kept.uses)
        roots = np.bincount(chain._trees.label[sites], minlength=len(kept.rooted))
        assert np.array_equal(roots, kept.rooted)
        # numbered afresh, the numbers differ, but name the same fragments
        again = chain._numbered().fragment.tolist()
        pairs = set(zip(kept.fragment.tolist(), again, strict=True))
        assert len(pairs) == len(set(kept.fragment.tolist())) == len(set(again))
        chain.step()
    assert np.isfinite(chain.log_joint)
    grammar = chain.grammar()
    if len({tree.label for tree in bank}) == 1:
        assert all(np.isfinite(grammar.tree_log_probability(tree)) for tree in bank)


def test_the_base_distribution_sums_to_one() -> None:
    reference = Reference("(S (A a) (B b)) (S (A (B b) (B c)) (B c)) (S (B b)) (S s)")
    chain = BayesTSG(reference.treebank, seed=1)
    stop, _, _ = fixed(chain, 1.0, 0.5, 0.35)
    rules: dict[str, list[tuple[Nonterminal | str, ...]]] = defaultdict(list)
    for rule in reference.rule:
        rules[rule.lhs.name].append(rule.rhs)

    def grown(label: str) -> list[Fragment]:
        found = []
        for rhs in rules[label]:
            choices = [[c, *grown(c.name)] if isinstance(c, Nonterminal) else [c] for c in rhs]
            found += [Fragment(label, children) for children in itertools.product(*choices)]
        return found

    base = {fragment: reference.base(fragment, stop) for fragment in grown("S")}
    assert sum(base.values()) == pytest.approx(1.0)
    for _ in range(20):
        chain.sweep_bits()
        chain._state.iteration += 1
        used = UsedFragments.of(chain._trees, chain._segmentation)
        for node, log_base in zip(used.node.tolist(), used.log_base.tolist(), strict=True):
            fragment = fragment_at(chain._treebank, node, chain._state.site)
            assert np.exp(log_base) == pytest.approx(reference.base(fragment, stop))


def test_the_weights_are_the_posterior_predictive() -> None:
    reference = Reference(BANKS["clause"])
    chain = BayesTSG(reference.treebank, seed=4)
    for _ in range(5):
        chain.step()
    state, grammar = chain._state, chain.grammar()
    stop = dict(zip(chain.labels, state.stop.tolist(), strict=True))
    bits = tuple(state.site[reference.nodes].astype(int).tolist())
    uses = Counter(reference.fragments(bits))
    used = UsedFragments.of(chain._trees, chain._segmentation)
    tables = {
        fragment_at(chain._treebank, node, state.site): int(state.tables[node])
        for node in used.node.tolist()
    }
    assert tables.keys() == uses.keys()
    rules = {Fragment(rule.lhs.name, rule.rhs) for rule in reference.rule}
    assert {item.fragment for item in grammar} == uses.keys() | rules
    for c, label in enumerate(chain.labels):
        alpha, d = state.concentration[c], state.discount[c]
        n = sum(k for e, k in uses.items() if e.label == label)
        all_tables = sum(k for e, k in tables.items() if e.label == label)
        expected = {
            e: (uses[e] - d * tables.get(e, 0) + (alpha + d * all_tables) * reference.base(e, stop))
            / (n + alpha)
            for e in uses.keys() | rules
            if e.label == label
        }
        found = {item.fragment: item for item in grammar.fragments_of(label)}
        for e, weight in expected.items():
            assert found[e].weight == pytest.approx(weight / sum(expected.values()))
            assert found[e].count == uses[e]


def test_every_table_is_one_draw_of_its_stops() -> None:
    trees = "(S (A a) (B (A a))) (S (A a) (B (A a)))"
    chain = BayesTSG(Treebank.parse(trees), seed=0)
    nodes = np.flatnonzero((chain._treebank.parent >= 0) & ~chain._treebank.is_word)
    chain._state.site[nodes] = [True, False, True] * 2  # (S (A ) (B (A ))) and (A a), used twice
    chain._segmentation = chain._numbered()
    used = UsedFragments.of(chain._trees, chain._segmentation)
    tables = chain._state.tables
    tables[:] = 0
    tables[used.node] = [3, 2]  # of the larger fragment, and of (A a), which makes no choice
    stops, goes = hyper._base_draws(chain._trees, chain._segmentation, used.node, tables, 3)
    assert dict(zip(chain.labels, stops.tolist(), strict=True)) == {"S": 0, "A": 6, "B": 0}
    assert dict(zip(chain.labels, goes.tolist(), strict=True)) == {"S": 0, "A": 0, "B": 3}


def test_concentrations_are_drawn_from_their_density() -> None:
    n, tables, d, many = 12, 5, 0.4, 2000
    alpha, random = np.full(many, 3.0), np.random.default_rng(1)
    everywhere = np.ones(many)
    for _ in range(30):
        alpha = hyper._draw_concentrations(
            random,
            alpha,
            d * everywhere,
            np.full(many, n),
            np.full(many, tables),
        )
    grid = np.linspace(1e-4, 120, 200_000)
    density = np.exp(-0.1 * grid)
    for i in range(n):
        density /= grid + i
    for k in range(tables):
        density *= grid + k * d
    share = np.cumsum(density) / density.sum()
    assert stats.kstest(alpha, lambda x: np.interp(x, grid, share)).pvalue > 1e-3


def test_discounts_are_drawn_from_their_density() -> None:
    count, log_base = np.array([1, 2, 7]), np.log([0.1, 0.3, 0.2])
    tau, alpha, many = 2.5, 1.5, 1000
    starts = np.arange(0, 3 * many + 1, 3)
    d = np.full(many, 0.5)
    for i in range(15):
        d = hyper._draw_discounts(
            np.tile(count, many),
            np.tile(log_base, many),
            starts,
            np.full(many, tau),
            np.full(many, alpha),
            d,
            np.uint64(i),
            np.empty(50),
        )
    grid = np.linspace(1e-3, 1 - 1e-6, 2000)
    fragments = [Fragment("A", (str(i),)) for i, n in enumerate(count) for _ in range(n)]
    bases = [b for b, n in zip(np.exp(log_base), count, strict=True) for _ in range(n)]
    # given tau, each new table weighs tau P0; the same sum with alpha out of the way
    density = stats.gamma.pdf(tau, alpha / grid, scale=grid)
    for kind in sorted(set(fragments), key=str):
        own = [b for f, b in zip(fragments, bases, strict=True) if f == kind]
        density = density * open_tables(len(own), tau * own[0], grid)
    share = np.cumsum(density) / density.sum()
    assert stats.kstest(d, lambda x: np.interp(x, grid, share)).pvalue > 1e-3


def open_tables(customers: int, theta: float, d: np.ndarray) -> np.ndarray:
    """Sum over all seatings of one kind, a new table weighing theta."""
    weight = {0: np.ones_like(d)}
    for n in range(customers):
        after: dict[int, np.ndarray] = defaultdict(lambda: np.zeros_like(d))
        for k, w in weight.items():
            after[k + 1] += theta * w
            after[k] += (n - d * k) * w
        weight = after
    return sum(weight.values())


@pytest.mark.parametrize("prior", ["pitman-yor", "dirichlet"])
def test_a_chain_goes_on_from_a_checkpoint_bit_for_bit(prior: Any, tmp_path: Path) -> None:
    treebank = Treebank.parse(" ".join(BANKS.values()))
    reports: list[Iteration] = []
    options: dict[str, Any] = {"prior": prior, "seed": 7, "annealing": 8}
    whole = induce_bayes_tsg(treebank, iterations=10, on_progress=reports.append, **options)
    path = tmp_path / "chain.arrow"
    induce_bayes_tsg(treebank, iterations=5, checkpoint=path, **options)
    resumed: list[Iteration] = []
    again = induce_bayes_tsg(
        treebank, iterations=10, checkpoint=path, on_progress=resumed.append, **options
    )
    assert again == whole
    assert [r.number for r in resumed] == [6, 7, 8, 9, 10]
    assert [r.log_joint for r in resumed] == [r.log_joint for r in reports[5:]]
    # once more, there is nothing left to do
    assert induce_bayes_tsg(treebank, iterations=10, checkpoint=path, **options) == whole


def test_a_run_is_a_function_of_its_seed() -> None:
    treebank = Treebank.parse(" ".join(BANKS.values()))
    runs = [induce_bayes_tsg(treebank, iterations=3, seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_mapped_treebank_is_as_good(tmp_path: Path) -> None:
    treebank = Treebank.parse(BANKS["clause"])
    treebank.save(tmp_path / "trees.arrow")
    mapped = Treebank.load(tmp_path / "trees.arrow")
    assert BayesTSG(mapped, seed=1).step().log_joint == BayesTSG(treebank, seed=1).step().log_joint


def test_reports_describe_the_state() -> None:
    chain = BayesTSG(Treebank.parse(BANKS["clause"]), seed=3)
    report = chain.step()
    bits = tuple(chain.site[Reference(BANKS["clause"]).nodes].astype(int).tolist())
    fragments = Reference(BANKS["clause"]).fragments(bits)
    assert (report.uses, report.fragments) == (len(fragments), len(set(fragments)))
    assert report.labels == chain.labels
    assert all(
        len(column) == len(report.labels)
        for column in (report.concentration, report.discount, report.stop)
    )
    assert ((report.stop > 0) & (report.stop < 1) & (report.concentration > 0)).all()


def test_one_tree_works_and_parses_whatever_the_pcfg_does() -> None:
    treebank = Treebank.parse("(S (N we) (V (V see) (N us)))")
    grammar = induce_bayes_tsg(treebank, iterations=20, steps=())
    pcfg = induce_pcfg(treebank, steps=())
    single = {item.fragment.top() for item in grammar if item.fragment.depth == 1}
    assert {(p.lhs, p.rhs) for p in single} == {(p.lhs, p.rhs) for p in pcfg}
    assert grammar.tree_log_probability(treebank[0]) > -np.inf
    only_a_word = induce_bayes_tsg(Treebank.parse("(S a)"), iterations=2, steps=())
    assert [str(item.fragment) for item in only_a_word] == ["(S a)"]


def test_trees_with_different_roots_get_a_common_start() -> None:
    treebank = Treebank.parse("(S (N we)) (S (N us)) (N (N us))")
    grammar = induce_bayes_tsg(treebank, iterations=3, steps=())
    assert grammar.start == "TOP"
    weights = {str(item.fragment): item.weight for item in grammar.fragments_of("TOP")}
    assert weights == pytest.approx({"(TOP (S ))": 2 / 3, "(TOP (N ))": 1 / 3})
    # trees that have that root already keep their share of it
    treebank = Treebank.parse("(S (N we)) (S (N us)) (TOP us)")
    grammar = induce_bayes_tsg(treebank, iterations=3, steps=())
    weights = {str(item.fragment): item.weight for item in grammar.fragments_of("TOP")}
    assert weights == pytest.approx({"(TOP (S ))": 2 / 3, "(TOP us)": 1 / 3})


def test_no_iterations_give_the_treebank_s_rules() -> None:
    treebank = Treebank.parse(BANKS["clause"])
    grammar = induce_bayes_tsg(treebank, iterations=0, steps=())
    assert all(item.fragment.depth == 1 for item in grammar)
    assert sum(item.count for item in grammar) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": -1}, "iterations=-1"),
        ({"iterations": 1.5}, "iterations=1.5"),
        ({"prior": "uniform"}, "prior='uniform'"),
        ({"annealing": -2}, "annealing=-2"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        induce_bayes_tsg(Treebank.parse("(S (N we))"), **options)


def test_an_empty_treebank() -> None:
    for call in (induce_bayes_tsg, BayesTSG):
        with pytest.raises(EmptyTreebankError, match="no trees"):
            call(Treebank.from_trees([]))


def test_a_checkpoint_that_is_none(tmp_path: Path) -> None:
    treebank, path = Treebank.parse("(S (N we))"), tmp_path / "chain.arrow"
    induce_bayes_tsg(treebank, iterations=1, checkpoint=path)
    whole = path.read_bytes()
    contents = [b"", b"no chain", whole[: len(whole) // 2], whole[:-9]]
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(SchemaError, match="not a chain saved by this version"):
            induce_bayes_tsg(treebank, iterations=2, checkpoint=path)
    treebank.save(path)  # an Arrow file of another kind
    with pytest.raises(SchemaError, match="not a chain saved by this version"):
        BayesTSG.load(path, treebank)


def test_a_checkpoint_without_one_of_its_columns(tmp_path: Path) -> None:
    treebank, path = Treebank.parse("(S (N we))"), tmp_path / "chain.arrow"
    BayesTSG(treebank).save(path)
    table = pa.ipc.open_file(path.read_bytes()).read_all()
    for broken in (table.drop_columns(["tau"]), table.slice(0, 0)):
        with pa.ipc.new_file(str(path), broken.schema) as writer:
            writer.write_table(broken)
        with pytest.raises(SchemaError, match="damaged|not a chain saved|its seal does not fit"):
            BayesTSG.load(path, treebank)


def test_a_checkpoint_of_another_run(tmp_path: Path) -> None:
    treebank, path = Treebank.parse("(S (N we))"), tmp_path / "chain.arrow"
    induce_bayes_tsg(treebank, iterations=2, checkpoint=path)
    for other in ("(S (N us))", "(S (N we)) (S (N we))"):
        with pytest.raises(MismatchError, match="begun with other trees"):
            induce_bayes_tsg(Treebank.parse(other), iterations=2, checkpoint=path)
    for options in ({"seed": 1}, {"prior": "dirichlet"}, {"annealing": 3}):
        with pytest.raises(OptionError, match="the chain was begun with"):
            induce_bayes_tsg(treebank, iterations=2, checkpoint=path, **options)
    with pytest.raises(OptionError, match="beyond the 1 asked for"):
        induce_bayes_tsg(treebank, iterations=1, checkpoint=path)
