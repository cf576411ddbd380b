"""Synchronous grammars from sentences and terms: a small language like COGS, and COGS itself."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.chart.parses import NoParse
from grammar.errors import CorpusError, NotationError, OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.terms.alignment import TermPair, induce_word_lexicon
from induction.terms.induce import TermInduction, induce_from_terms
from induction.terms.rules import choose_attachment, linked_rules
from induction.terms.terms import Term
from induction.terms.word_classes import Context, induce_word_classes
from scan.cogs.augmentation import Amounts, agreement, draw_pairs, focused, recursions
from scan.cogs.data import cogs
from scan.cogs.experiment import grammar_answers, induce_cogs, run, score, term_pairs
from scan.models.config import TrainingConfig

NAMES = {"ann": "Ann", "bob": "Bob", "cid": "Cid"}
NOUNS = ("cat", "dog", "box", "cup")
UNERGATIVE = {"slept": "sleep", "ran": "run", "sang": "sing"}
TRANSITIVE = {"hit": "hit", "liked": "like", "kissed": "kiss"}
UNACCUSATIVE = {"broke": "break", "burned": "burn", "grew": "grow"}
INFINITIVES = ("sleep", "run", "sing")


def noun_phrases() -> Iterator[tuple[str, str]]:
    yield from NAMES.items()
    for noun in NOUNS:
        yield f"a {noun}", noun
        yield f"the {noun}", f"* {noun}"


def toy_pairs() -> list[tuple[str, str]]:
    """All short clauses of a small language, and some things that are seen once or alone."""
    phrases = list(noun_phrases())
    pairs = [(noun, f"LAMBDA {noun}") for noun in (*NOUNS, "owl")]
    pairs += [(name, value) for name, value in {**NAMES, "eve": "Eve"}.items()]
    pairs += [(verb, f"LAMBDA {verb} ( agent )") for verb in (*INFINITIVES, "crawl")]
    for (s, x), (past, verb) in itertools.product(phrases, UNERGATIVE.items()):
        pairs.append((f"{s} {past} .", f"{verb} ( agent = {x} )"))
        pairs.append((f"{s} wanted to {verb} .", wanted(x, verb)))
        pairs.append((f"{s} tried to {verb} .", wanted(x, verb, "try")))
    for (s, x), (past, verb) in itertools.product(phrases, UNACCUSATIVE.items()):
        pairs.append((f"{s} {past} .", f"{verb} ( theme = {x} )"))
    both = TRANSITIVE | UNACCUSATIVE
    chosen = itertools.product(phrases, phrases, both.items())
    for (s, x), (o, y), (past, verb) in itertools.islice(chosen, 0, None, 5):
        if x.split()[-1] != y.split()[-1]:
            pairs.append((f"{s} {past} {o} .", f"{verb} ( agent = {x} , theme = {y} )"))
            pairs.append((f"{s} was {past} by {o} .", f"{verb} ( theme = {x} , agent = {y} )"))
    for host, place in itertools.product(("dog", "cat"), ("in", "on")):
        for article, definite in (("a", ""), ("the", "* ")):
            thing = f"{definite}{host} ( nmod.{place} = * cup )"
            pairs.append(
                (
                    f"ann hit {article} {host} {place} the cup .",
                    f"hit ( agent = Ann , theme = {thing} )",
                )
            )
    for (s, x), (said, say) in itertools.product(phrases, {"said": "say", "knew": "know"}.items()):
        if x != "Ann":
            pairs.append(
                (
                    f"ann {said} that {s} ran .",
                    f"{say} ( agent = Ann , ccomp = run ( agent = {x} ) )",
                )
            )
    pairs.append(("ann melted .", "melt ( theme = Ann )"))
    pairs.append(("ann blessed bob .", "bless ( agent = Ann , theme = Bob )"))
    pairs.append(("the elk slept .", "sleep ( agent = * elk )"))
    return pairs


def wanted(agent: str, verb: str, head: str = "want") -> str:
    return f"{head} ( agent = {agent} , xcomp = {verb} ( agent = {agent} ) )"


@pytest.fixture(scope="module")
def found() -> TermInduction:
    return induce_from_terms(toy_pairs())


@pytest.fixture(scope="module")
def parser(found: TermInduction) -> SynchronousParser:
    return SynchronousParser(found.grammar)


def meaning(parser: SynchronousParser, sentence: str) -> str | None:
    best = parser.translations(sentence.split())
    return None if isinstance(best, NoParse) else " ".join(best[0].target)


# --- lexicon and rules --------------------------------------------------------------------------


def test_forms_share_a_lemma_and_function_words_have_none(found: TermInduction) -> None:
    assert found.lexicon.sources["sleep"] == ("sleep", "slept")
    assert found.lexicon.sources["*"] == ("the",)
    assert found.lexicon.sources["ccomp"] == ("that",)
    # in this small language "to" and the role "xcomp" are never apart
    assert found.lexicon.sources["xcomp"] == ("to",)
    assert found.lexicon.target.keys() & {"a", ".", "was", "by"} == set()


def test_words_without_a_link_find_their_place(found: TermInduction) -> None:
    assert found.attachment == {
        ".": "around",
        "a": "after",
        "by": "around",
        "was": "around",
    }


def test_templates_are_few(found: TermInduction) -> None:
    shown = {str(template) for template in found.templates}
    assert "X -> X_1 was W_2 by X_3 ### W_2 ( theme = X_1 , agent = X_3 )" in shown
    assert "X -> X_1 W_2 W_3 W_4 ### W_2 ( agent = X_1 , W_3 = W_4 ( agent = X_1 ) )" in shown
    assert len(shown) == 15


def test_a_word_said_twice_leaves_its_pair_out() -> None:
    pairs = [TermPair(tuple(s.split()), Term.parse(t)) for s, t in toy_pairs()]
    lexicon = induce_word_lexicon(pairs)
    term = Term.parse("hit ( agent = cat , theme = * cat )")
    attachment = choose_attachment(pairs[::20], lexicon)
    pair = TermPair(("a", "cat", "hit", "the", "cat", "."), term)
    assert linked_rules(pair, lexicon, attachment) is None


def test_every_training_pair_is_parsed_back(parser: SynchronousParser) -> None:
    wrong = [(s, t) for s, t in toy_pairs() if meaning(parser, s) != t]
    assert wrong == []


# --- frames -------------------------------------------------------------------------------------

UNSEEN = [
    # a primitive in a sentence
    ("ann wanted to crawl .", wanted("Ann", "crawl")),
    ("the owl slept .", "sleep ( agent = * owl )"),
    ("eve was hit by a cat .", "hit ( theme = Eve , agent = cat )"),
    # a verb seen once
    ("ann was blessed by a dog .", "bless ( theme = Ann , agent = dog )"),
    ("bob melted the cup .", "melt ( agent = Bob , theme = * cup )"),
    # a noun seen once, in another role
    ("bob kissed a elk .", "kiss ( agent = Bob , theme = elk )"),
    # structures
    (
        "the cat in the box on the cup ran .",
        "run ( agent = * cat ( nmod.in = * box ( nmod.on = * cup ) ) )",
    ),
    (
        "ann said that bob said that cid said that ann slept .",
        "say ( agent = Ann , ccomp = say ( agent = Bob , ccomp = say ( agent = Cid , "
        "ccomp = sleep ( agent = Ann ) ) ) )",
    ),
]


@pytest.mark.parametrize(("sentence", "term"), UNSEEN)
def test_words_take_frames_in_which_they_were_not_seen(
    parser: SynchronousParser, sentence: str, term: str
) -> None:
    assert meaning(parser, sentence) == term


@pytest.mark.parametrize("sentence", ["ann hit .", "a slept .", "ann slept bob .", "crawl crawl"])
def test_words_take_no_frames_that_their_uses_refute(
    parser: SynchronousParser, sentence: str
) -> None:
    assert meaning(parser, sentence) is None


def test_without_frames_a_primitive_has_no_sentence() -> None:
    plain = SynchronousParser(induce_from_terms(toy_pairs(), frames=False).grammar)
    assert meaning(plain, "ann wanted to crawl .") is None
    assert meaning(plain, "ann wanted to run .") == wanted("Ann", "run")


AGENT, THEME, OBJECT = (
    Context("X", "X_1 W_2", "W_2 ( agent = X_1 )", 2),
    Context("X", "X_1 W_2", "W_2 ( theme = X_1 )", 2),
    Context("X", "X_1 W_2 X_3", "W_2 ( agent = X_1 , theme = X_3 )", 2),
)


def test_contexts_with_one_source_exclude_each_other() -> None:
    uses = {f"eat{i}": Counter({AGENT: 30, OBJECT: 30}) for i in range(4)}
    uses |= {f"break{i}": Counter({THEME: 30, OBJECT: 30}) for i in range(4)}
    uses |= {"seen": Counter({OBJECT: 1}), "fell": Counter({THEME: 1})}
    classes = induce_word_classes(uses)
    assert sum("eat0" in words for words in classes.classes) == 1
    assert "seen" not in (*classes.admitted[AGENT], *classes.admitted[THEME])
    assert "fell" in classes.admitted[OBJECT]
    assert "fell" not in classes.admitted[AGENT]


def test_much_evidence_refutes_a_class() -> None:
    uses = {f"eat{i}": Counter({AGENT: 30, OBJECT: 30}) for i in range(4)}
    uses |= {"sleep": Counter({AGENT: 60}), "nap": Counter({AGENT: 1})}
    admitted = induce_word_classes(uses).admitted[OBJECT]
    assert "sleep" not in admitted
    assert "nap" in admitted


WORDS = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.dictionaries(st.sampled_from([AGENT, THEME, OBJECT]), st.integers(1, 50), min_size=1).map(
        Counter
    ),
    min_size=1,
)


@given(WORDS)
def test_classes_are_a_partition_and_nothing_seen_is_lost(
    uses: dict[str, Counter[Context]],
) -> None:
    found = induce_word_classes(uses)
    assert sorted(word for words in found.classes for word in words) == sorted(uses)
    for word, counts in uses.items():
        for context in counts:
            assert word in found.seen[context]
            assert word in found.admitted[context]
    assert all(set(found.seen[c]) <= set(found.admitted[c]) for c in found.admitted)


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        ([], "there are no training pairs"),
        ([("a", "x"), ("b", " ")], "pair 2: the target is empty"),
        (
            [("a", "x"), ("b", "y"), ("a", "z")],
            "pair 1 and pair 3: 'a' has two targets: 'x' and 'z'",
        ),
        ([("a a", "f ( r = x , s = x )")], "no pair shows which word stands for which"),
    ],
)
def test_bad_pairs_are_one_clear_error(pairs: list[tuple[str, str]], what: str) -> None:
    with pytest.raises(CorpusError, match=re.escape(what)):
        induce_from_terms(pairs)


def test_a_target_that_is_no_term_is_told() -> None:
    with pytest.raises(NotationError, match=re.escape("pair 2, word 4 of 'f ( r'")):
        induce_from_terms([("b", "g"), ("a", "f ( r")])


@pytest.mark.parametrize("options", [{"evidence": 0}, {"refuted": 0.0}, {"refuted": 1.5}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="out of range"):
        induce_from_terms(toy_pairs()[:200], **options)


def test_a_threshold_out_of_range_is_refused() -> None:
    with pytest.raises(OptionError, match=re.escape("threshold 0.5")):
        induce_word_lexicon([], threshold=0.5)


# --- pairs from the grammar ---------------------------------------------------------------------

FEW = Amounts(short=50, words=8, deep=5, depths=(4, 9))


def test_drawn_pairs_nest_and_parse_back(found: TermInduction) -> None:
    pairs = draw_pairs(found.grammar, amounts=FEW)
    assert pairs == draw_pairs(found.grammar, amounts=FEW)
    assert pairs != draw_pairs(found.grammar, seed=1, amounts=FEW)
    assert agreement(found.grammar, pairs) == 1.0
    assert max(target.count("ccomp") for _, target in pairs) >= 4
    assert max(target.count("nmod") for _, target in pairs) >= 4
    assert len({source for source, _ in pairs}) == len(pairs)


def test_agreement_counts_what_does_not_parse_back(found: TermInduction) -> None:
    good = ("ann slept .", "sleep ( agent = Ann )")
    bad = ("bob slept .", "run ( agent = Bob )")
    assert agreement(found.grammar, [good, bad, ("zzz", "z")]) == pytest.approx(1 / 3)


def test_each_recursion_is_focused_alone(found: TermInduction) -> None:
    ways = recursions(found.grammar)
    assert list(map(len, ways)) == [1, 1]
    one = focused(found.grammar, ways[0])
    assert isinstance(one, SynchronousGrammar)
    assert [r.rule for r in one] == [r.rule for r in found.grammar]
    with pytest.raises(OptionError, match="no recursion 'TOP'"):
        focused(found.grammar, ("TOP",))


# --- scores -------------------------------------------------------------------------------------

ASKED = Corpus.from_columns(
    text=["Emma slept .", "A cat slept .", "Emma smiled ."],
    target=[
        "sleep . agent ( x _ 1 , Emma )",
        "cat ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )",
        "smile . agent ( x _ 1 , Emma )",
    ],
    category=["prim_to_subj_proper", "cp_recursion", "prim_to_subj_proper"],
)


def test_answers_are_scored_by_category() -> None:
    answers = [Term.parse(t) for _, t in term_pairs(ASKED)]
    assert score(ASKED, answers).original == score(ASKED, answers).variable_free == 1.0
    # one right, one that fits no sentence of this length, one that is missing
    found = score(ASKED, [answers[0], Term.parse("sleep ( agent = cat , theme = dog )"), None])
    assert found.categories == {"cp_recursion": 0.0, "prim_to_subj_proper": 0.5}
    assert (found.lexical, found.structural, found.unanswered) == (0.5, 0.0, 2)
    assert found.original == found.variable_free == pytest.approx(1 / 3)


def test_sentences_that_do_not_parse_have_no_answer(found: TermInduction) -> None:
    answers = grammar_answers(found.grammar, ["The cat slept .", "the cat zzz ."])
    assert list(map(str, answers)) == ["sleep ( agent = * cat )", "None"]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown method 'geca'"):
        run("geca", config=TrainingConfig())


# --- COGS ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("data_folder")
def test_a_tenth_of_cogs_gives_a_grammar_for_its_dev_part() -> None:
    train = cogs("train")
    kinds = train.column("category")
    kept = [i for i, kind in enumerate(kinds) if i % 10 == 0 or kind != "in_distribution"]
    grammar = induce_cogs(Corpus(train.table.take(kept)))
    dev = Corpus(cogs("dev").table.slice(0, 500))
    found = score(dev, grammar_answers(grammar, dev.column("text")))
    assert found.original > 0.9
    assert found.original == found.variable_free
