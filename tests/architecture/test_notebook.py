"""How values show themselves: a short repr, and in a notebook tables, reports and pictures."""

from html.parser import HTMLParser
from typing import Any

import pytest

import treewright as tw

TREEBANK = tw.read_treebank()[:60]
REVIEWS = tw.Corpus(tw.read_reviews().table.slice(0, 40))
STRANGE = tw.Corpus.from_columns(
    text=["<script>alert('a & b')</script>", *["fish & chips " * 40] * 9], label=[0] * 10
)


class Balanced(HTMLParser):
    """Counts tags that are open, and keeps text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Balanced:
    reader = Balanced()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def test_a_corpus_is_a_table_of_its_first_examples() -> None:
    page = read(STRANGE._repr_html_())
    assert page.rows == 9
    assert "10 examples. The first 8:" in page.text
    assert "<script>alert('a & b')</script>" in page.text
    assert "…" in page.text
    assert read(STRANGE[:2]._repr_html_()).rows == 3


def test_what_augment_returns_is_a_report_and_a_table() -> None:
    made = tw.augment(REVIEWS, "0.5*treemix + 0.5*sub2(phrase=true)", n=12, seed=0)
    page = read(made._repr_html_())
    assert "12 of 12 new examples" in page.text
    assert "sub2(phrase=true): 6 of 6" in page.text
    assert "treemix, 0, 0, [" in page.text


VALUES = {
    "Corpus": lambda: STRANGE,
    "Treebank": lambda: TREEBANK,
    "Augmentation": lambda: tw.augment(REVIEWS, "sub2(phrase=true)", n=3),
    "Report": lambda: tw.augment(REVIEWS, "sub2(phrase=true)", n=3).report,
    "RuleCounts": lambda: tw.count_rules(TREEBANK),
    "Grammar": lambda: tw.induce_pcfg(TREEBANK),
    "Parser": lambda: tw.Parser(tw.induce_pcfg(TREEBANK)),
    "ChartTextParser": lambda: tw.ChartTextParser(tw.induce_pcfg(TREEBANK)),
    "TreeMix": lambda: tw.TreeMix.induce(REVIEWS),
    "ALPGrammar": lambda: tw.ALP.induce(REVIEWS).grammar,
}


@pytest.mark.parametrize("name", VALUES)
def test_a_repr_is_short_and_names_the_type(name: str) -> None:
    shown = repr(VALUES[name]())
    assert shown.startswith(f"{name}(")
    assert len(shown) < 300
    assert "\n" not in shown


GRAMMARS = {
    "pcfg": lambda: tw.induce_pcfg(TREEBANK),
    "tsg": lambda: tw.induce_double_dop(TREEBANK),
    "lpcfg": lambda: tw.induce_lpcfg(TREEBANK),
    "synchronous": lambda: tw.SynchronousGrammar.parse(
        "NT_1 twice ### NT_1 NT_1 [0.5]\nwalk ### <W> [0.5]"
    ),
}


@pytest.mark.parametrize("family", GRAMMARS)
def test_a_grammar_is_a_picture_its_check_a_table_and_its_look_a_page(family: str) -> None:
    grammar = GRAMMARS[family]()
    assert grammar._repr_svg_().startswith("<svg")
    assert read(grammar.check()._repr_html_()).rows > 4
    assert "rules" in read(grammar.describe()._repr_html_()).text
