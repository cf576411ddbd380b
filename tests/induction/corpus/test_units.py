"""What belongs together in a text, and texts that are written without spaces between words."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError
from grammar.messages import heard_by
from induction.corpus.corpus import Corpus
from induction.corpus.text.english_words import check_english
from induction.corpus.text.tokens import tokenise
from induction.corpus.text.units import MAY_HOLD_UNITS, units
from induction.corpus.text.unspaced import are_unspaced, refuse_unspaced


def _each() -> list[str]:
    several = [
        "€ 5", "5 €", "$ 5", "US$ 5", "§§ 12–14", "50 %", "-5 °C", "5 kg", "100 km/h", "3 m²",
        "10:30 am", "5 p.m.", "5 million", "US$ 3.2 bn", "USD 5", "5 EUR", "№ 7", "10 000 €", "≤ 5",
        "{{ user.name }}", "{% if x %}", "J. K.", "z. B.", "+49 170 1234567", "Nos. 3-5", "Fig. 2",
        "pp. 3–5", "et al.", "[12, 13]", "(2019)", "5'11\"", "\\emph{so it is}",
    ]  # fmt: skip
    single = (
        "€5 $5.99 §4 50% 3.5% %50 -5 +3 5kg 10:30 #1 [MASK] [SEP] [user_name] <url> <unk> </s> "
        "<|end|> {name} {0} {{x}} ${x} %s %d %(name)s %.2f #tag #été @name a.b@c.org "
        "https://x.org/a?b=1 www.x.org/b x.org/path /usr/bin/x J.K. p.m. U.S. e.g. Ph.D. C++ C# "
        ".NET &amp; $AAPL :smile: __init__ \\cite{knuth84} f() a.b() 👍🏽 👩‍👩‍👧 🇩🇪 ❤️ 1️⃣ e\u0301"
    )
    return [*several, *single.split()]


@pytest.mark.parametrize("unit", _each())
def test_what_belongs_together_is_one_unit_wherever_it_stands(unit: str) -> None:
    for text in (unit, f"so {unit} it was", f"({unit})", f'"{unit}", he said'):
        found = [text[a:b] for a, b in units(text)]
        assert found == [unit], text


@pytest.mark.parametrize("smile", [":-)", ":(", ";-)", ":D", "=)", ":))", "^_^", "-_-", "o_O"])
def test_a_smile_between_spaces_is_one_unit(smile: str) -> None:
    for text in (smile, f"so {smile} it was", f"fine {smile}.", f"well, {smile}!"):
        assert [text[a:b] for a, b in units(text)] == [smile]
    assert units(f"this{smile[0]}it (so: a) b; (c)") == []


@pytest.mark.parametrize(
    "text", ["so it was", "and/or", "a well-known film", 'It\'s "so" good (really).', "1 < 2 > 0"]
)
def test_plain_words_and_signs_are_no_units(text: str) -> None:
    words = {text[a:b] for a, b in units(text)}
    assert all(word[-1].isdigit() for word in words)


@given(st.lists(st.sampled_from([*_each(), " ", "a", "I", ".", ",", "x "])).map("".join))
def test_units_are_in_order_and_texts_without_are_passed_over(text: str) -> None:
    found = units(text)
    assert all(a < b for a, b in found)
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(found))
    if not pc.match_substring_regex(pa.array([text]), MAY_HOLD_UNITS)[0].as_py():
        assert found == []


def test_placeholders_are_one_token() -> None:
    words = tokenise("Dear {name}, see [MASK] and %s at {{ x.y }}: 5 % [sic].").words
    assert words[:9] == ("Dear", "{name}", ",", "see", "[MASK]", "and", "%s", "at", "{{ x.y }}")
    assert words[10:12] == ("5", "%")


def test_texts_without_spaces_are_told_by_script_and_by_length() -> None:
    texts = [
        "今天天气真不错",
        "今天 天气 真 不错",
        "ฉันไปโรงเรียนทุกวัน",
        "今日は天気がいい",
        "날씨가 좋다",
        "good",
    ]
    assert are_unspaced(pa.array(texts)).tolist() == [True, False, True, True, False, False]
    refuse_unspaced(Corpus.from_columns(text=texts[:1], tokens=[["今天", "天气", "真", "不错"]]))
    with pytest.raises(CorpusError, match="no spaces between words") as caught:
        refuse_unspaced(Corpus.from_columns(text=texts[:1]))
    assert "a column 'tokens'" in str(caught.value)


def test_a_few_texts_without_spaces_are_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    refuse_unspaced(Corpus.from_columns(text=["今天天气真不错", "so good", "not so good"]))


def test_other_languages_are_told_of() -> None:
    german = ["Die Zimmer waren sauber, aber das Frühstück war kalt und die Bedienung müde."] * 3
    told: list[str] = []
    with heard_by(told.append):
        check_english(Corpus.from_columns(text=german))
        check_english(Corpus.from_columns(text=["The rooms were clean, but it was cold."] * 9))
        check_english(Corpus.from_columns(text=["Schnell gut"]))  # too few words to say
    assert len(told) == 1
    assert "common words of English" in told[0]


def test_a_shrug_is_one_unit() -> None:
    shrug = "¯\\_(ツ)_/¯"
    text = f"well {shrug} then"
    assert shrug in [text[a:b] for a, b in units(text)]
