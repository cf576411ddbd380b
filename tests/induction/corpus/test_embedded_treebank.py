"""The small treebank that ships with the package: well-formed, balanced, and as its card says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from nltk import Tree

PATH = Path(__file__).parents[3] / "induction/embedded/reviews.tsv"
CARD = PATH.with_name("CARD.md")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PHRASES = _names(
    "S SBAR SBARQ SINV SQ NP VP PP ADJP ADVP WHNP WHADVP WHPP WHADJP QP PRT CONJP INTJ PRN UCP NX "
    "X FRAG RRC"
)
ROOTS = _names("S SINV SQ SBARQ FRAG NP")
WORD_TAGS = _names(
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH "
    "VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB"
)
PUNCTUATION_TAGS = _names(", . : `` '' -LRB- -RRB- $ #")
TAGS = WORD_TAGS | PUNCTUATION_TAGS


def _rows() -> list[dict[str, str]]:
    header, *lines = PATH.read_text(encoding="utf-8").splitlines()
    names = header.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


ROWS = _rows()
TREES = [Tree.fromstring(row["tree"]) for row in ROWS]


def _words(tree: Tree) -> list[str]:
    return [str(word) for word in tree.leaves()]


def _is_preterminal(tree: Tree) -> bool:
    return len(tree) == 1 and isinstance(tree[0], str)


def _phrases(tree: Tree) -> list[Tree]:
    return [node for node in tree.subtrees() if not _is_preterminal(node)]


def _preterminals(tree: Tree) -> list[Tree]:
    return [node for node in tree.subtrees() if _is_preterminal(node)]


def _under(parent: str, child: str) -> int:
    return sum(
        node.label() == parent and kid.label() == child
        for tree in TREES
        for node in _phrases(tree)
        for kid in node
    )


def test_columns_and_identifiers() -> None:
    assert list(ROWS[0]) == ["id", "domain", "label", "tree"]
    assert len(ROWS) >= 300
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert re.fullmatch(rf"{row['domain']}-\d{{3}}", row["id"])


def test_one_line_bracketings_read_back_unchanged() -> None:
    for row, tree in zip(ROWS, TREES, strict=True):
        assert " ".join(str(tree).split()) == row["tree"], row["id"]


def test_labels_are_penn_labels_and_tags_are_exactly_the_preterminals() -> None:
    for row, tree in zip(ROWS, TREES, strict=True):
        assert tree.label() in ROOTS, row["id"]
        assert {node.label() for node in _phrases(tree)} <= PHRASES, row["id"]
        assert {node.label() for node in _preterminals(tree)} <= TAGS, row["id"]
        for node in _phrases(tree):
            assert len(node) > 0, row["id"]
            assert all(isinstance(kid, Tree) for kid in node), row["id"]


def test_no_unary_chain_repeats_a_label() -> None:
    for row, tree in zip(ROWS, TREES, strict=True):
        for node in _phrases(tree):
            seen = {node.label()}
            while len(node) == 1 and isinstance(node[0], Tree):
                node = node[0]
                assert node.label() not in seen, row["id"]
                seen.add(node.label())


def test_every_sentence_ends_in_one_final_mark_under_the_root() -> None:
    for row, tree in zip(ROWS, TREES, strict=True):
        assert [tag for _, tag in tree.pos()].count(".") == 1, row["id"]
        assert tree[-1].label() == ".", row["id"]
        question = tree.label() in {"SQ", "SBARQ"}
        assert (_words(tree)[-1] == "?") == question, row["id"]


def test_punctuation_and_possessives_carry_their_own_tags() -> None:
    own = {"?": ".", "!": ".", ";": ":", "--": ":"} | {
        mark: mark for mark in PUNCTUATION_TAGS - {":", "#", "$"}
    }
    for row, tree in zip(ROWS, TREES, strict=True):
        for word, tag in tree.pos():
            assert own.get(word, "") == (tag if tag in PUNCTUATION_TAGS else ""), row["id"]


def test_auxiliaries_govern_the_right_verb_form() -> None:
    def head(phrase: Tree) -> str:
        for kid in phrase:
            if kid.label() == "VP":
                return head(kid)
            if _is_preterminal(kid) and kid.label()[:2] in {"VB", "MD", "TO"}:
                return str(kid.label())
        raise AssertionError(f"no verb in {phrase}")

    wanted = {"MD": {"VB"}, "TO": {"VB"}}
    wanted |= {word: {"VB"} for word in ["do", "does", "did"]}
    wanted |= {word: {"VBN"} for word in ["have", "has", "had", "having"]}
    wanted |= {word: {"VBN", "VBG"} for word in ["is", "are", "was", "were", "be", "been", "am"]}
    for row, tree in zip(ROWS, TREES, strict=True):
        for node in _phrases(tree):
            if node.label() not in {"VP", "SQ", "SINV"}:
                continue
            auxiliaries = [k for k in node if _is_preterminal(k) and k.label()[:2] in {"VB", "MD"}]
            auxiliaries += [k for k in node if k.label() == "TO"]
            for phrase in (kid for kid in node if kid.label() == "VP"):
                for auxiliary in auxiliaries:
                    key = auxiliary.label()
                    forms = wanted.get(key) or wanted[str(auxiliary[0]).lower()]
                    verb = next((k for k in phrase if k.label() != "ADVP"), phrase)
                    form = verb.label() if _is_preterminal(verb) else head(phrase)
                    assert form in forms, (row["id"], str(auxiliary), form)


def test_texts_differ_and_have_4_to_25_tokens() -> None:
    texts = Counter(" ".join(_words(tree)).lower() for tree in TREES)
    assert [text for text, count in texts.items() if count > 1] == []
    for row, tree in zip(ROWS, TREES, strict=True):
        assert 4 <= len(_words(tree)) <= 25, row["id"]


def test_first_word_is_capitalised() -> None:
    for row, tree in zip(ROWS, TREES, strict=True):
        first = next(word for word in _words(tree) if word != "``")
        assert first[0].isupper(), row["id"]


def test_classes_are_balanced_overall_and_in_every_domain() -> None:
    labels = Counter(row["label"] for row in ROWS)
    assert set(labels) == {"0", "1"}
    assert 0.45 <= labels["1"] / len(ROWS) <= 0.55
    domains = {row["domain"] for row in ROWS}
    assert len(domains) >= 5
    for domain in domains:
        inside = Counter(row["label"] for row in ROWS if row["domain"] == domain)
        assert min(inside["0"], inside["1"]) >= 20, domain
        assert 0.45 <= inside["1"] / inside.total() <= 0.55, domain


def test_constructions_are_there_in_number() -> None:
    assert sum(tree.label() in {"SQ", "SBARQ"} for tree in TREES) >= 25
    assert sum(tree.label() == "SINV" for tree in TREES) >= 5
    counts = Counter(node.label() for tree in TREES for node in tree.subtrees())
    assert counts["CC"] >= 60
    assert counts["SBAR"] >= 80
    assert counts["PRT"] >= 10
    assert counts["POS"] >= 5
    assert counts["EX"] >= 8
    assert counts["PRN"] >= 4
    assert _under("NP", "PP") >= 60
    assert _under("VP", "PP") >= 60


def _card_table(heading: str) -> list[list[str]]:
    """Return the body rows of the first table under a heading of the card."""
    section = CARD.read_text(encoding="utf-8").split(f"### {heading}\n", 1)[1]
    section = re.split(r"^#", section, maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _totals() -> dict[str, str]:
    lengths = [len(_words(tree)) for tree in TREES]
    productions = Counter(p for tree in TREES for p in tree.productions())
    nonlexical = {p: n for p, n in productions.items() if p.is_nonlexical()}
    spans = Counter(node.label() for tree in TREES for node in tree.subtrees())
    roots = Counter(tree.label() for tree in TREES)
    return {
        "sentences": str(len(TREES)),
        "tokens": str(sum(lengths)),
        "shortest sentence, tokens": str(min(lengths)),
        "mean sentence, tokens": f"{sum(lengths) / len(lengths):.2f}",
        "longest sentence, tokens": str(max(lengths)),
        "distinct words, case kept": str(len({w for t in TREES for w in _words(t)})),
        "distinct words, case folded": str(len({w.lower() for t in TREES for w in _words(t)})),
        "distinct POS tags": str(len({tag for t in TREES for _, tag in t.pos()})),
        "distinct phrase labels": str(len({n.label() for t in TREES for n in _phrases(t)})),
        "distinct productions": str(len(productions)),
        "distinct non-lexical productions": str(len(nonlexical)),
        "non-lexical productions seen once": str(sum(n == 1 for n in nonlexical.values())),
        "questions (SQ or SBARQ root)": str(roots["SQ"] + roots["SBARQ"]),
        "SINV roots": str(roots["SINV"]),
        "NP or FRAG roots": str(roots["NP"] + roots["FRAG"]),
        "CC": str(spans["CC"]),
        "SBAR": str(spans["SBAR"]),
        "PP directly under NP": str(_under("NP", "PP")),
        "PP directly under VP": str(_under("VP", "PP")),
    }


def test_card_states_the_totals() -> None:
    assert dict(_card_table("Totals")) == _totals()


def test_card_states_the_classes_by_domain() -> None:
    counts = Counter((row["domain"], row["label"]) for row in ROWS)
    expected = [
        [domain, *(str(counts[domain, label]) for label in "01"), str(sum_of)]
        for domain in dict.fromkeys(row["domain"] for row in ROWS)
        for sum_of in [counts[domain, "0"] + counts[domain, "1"]]
    ]
    both = [sum(n for (_, label), n in counts.items() if label == wanted) for wanted in "01"]
    expected.append(["all", *map(str, both), str(sum(both))])
    assert _card_table("Classes by domain") == expected


@pytest.mark.parametrize("rank", range(15))
def test_card_states_the_commonest_productions(rank: int) -> None:
    counts = Counter(p for t in TREES for p in t.productions() if p.is_nonlexical())
    ordered = sorted(((-n, str(p)) for p, n in counts.items()))
    count, production = ordered[rank]
    table = _card_table("Commonest productions")
    assert len(table) == 15
    assert table[rank] == [f"`{production}`", str(-count)]
