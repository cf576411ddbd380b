"""Back-translation: Apertium as a program (here a fake one), models, and the filter of lengths."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import MissingDataError, OptionError
from induction.corpus.corpus import Corpus
from sampling.method import induce
from sampling.neural.translation.apertium import Apertium, TranslationError

FAKE = """#!{python}
import os, sys, time
arguments = sys.argv[1:]
if arguments == ["-l"]:
    print("  eng-spa\\n  spa-eng")
    sys.exit()
kind = open({kind!r}).read()
texts = sys.stdin.read().rstrip("\\n").split("\\n\\n")
if kind == "crash":
    sys.exit("no such mode")
if kind == "slow":
    time.sleep(30)
if kind == "lost":
    texts = texts[1:]
open({calls!r}, "a").write(str(len(texts)) + "\\n")
mark = " ahora" if arguments == ["-u", "eng-spa"] else " now"
print("\\n\\n".join(text.replace(" ahora", "") + mark for text in texts))
"""
TEXTS = ["we drink some tea", "my aunt sings here", "no one came", "she reads a lot of books"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake Apertium, and the file that says how it behaves."""
    folder, kind = tmp_path / "bin", tmp_path / "kind"
    folder.mkdir()
    path = folder / "apertium"
    calls = str(tmp_path / "calls")
    path.write_text(FAKE.format(python=sys.executable, kind=str(kind), calls=calls))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    kind.write_text("well")
    return kind


def table(sampler: Any, n: int) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sampler.sample(n)


def test_texts_go_there_and_back_in_their_order_and_together(program: Path) -> None:
    corpus = Corpus.from_columns(text=TEXTS, label=[0, 1, 2, 3])
    sampler = induce("backtranslation", corpus, model="apertium:eng-spa")
    assert sampler.count() == 4
    made = table(sampler, 10)
    assert len(made) == 4
    for row in made:
        [parent] = row["provenance"]["parents"]
        assert row["text"] == f"{TEXTS[int(parent)]} now"
        assert row["label"] == int(parent)
    # a block of attempts is two runs of the program
    assert set((program.parent / "calls").read_text().split()) == {"32"}


def test_lines_in_a_text_are_no_borders(program: Path) -> None:
    given = ["one\n\ntwo", "three"]
    assert Apertium.checked("eng-spa").translate(given) == ["one two ahora", "three ahora"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [("crash", "ended with 1: no such mode"), ("lost", "1 texts for 2"), ("slow", "more than 0.5")],
)
def test_a_program_that_fails_is_told(program: Path, kind: str, said: str) -> None:
    program.write_text(kind)
    with pytest.raises(TranslationError, match=said):
        Apertium("eng-spa", seconds=0.5 if kind == "slow" else 60).translate(["a", "b"])


def test_what_is_missing_is_told(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_columns(text=TEXTS)
    with pytest.raises(MissingDataError, match="no pair 'eng-deu'"):
        induce("backtranslation", corpus, model="apertium:eng-deu")
    with pytest.raises(OptionError, match="is no pair"):
        induce("backtranslation", corpus, model="apertium:eng spa; ls")
    with pytest.raises(OptionError, match="needs a model of the inverse direction"):
        induce("backtranslation", corpus, model="some/model")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingDataError, match="apt install apertium-eng-spa"):
        induce("backtranslation", corpus, model="apertium:eng-spa")


def test_paraphrases_of_other_lengths_are_refused(program: Path) -> None:
    corpus = Corpus.from_columns(text=TEXTS)
    every = {"least": 0, "ratio": 2.0}
    assert len(table(induce("backtranslation", corpus, model="apertium:eng-spa", **every), 9)) == 4
    longest = table(
        induce("backtranslation", corpus, model="apertium:eng-spa", least=28, ratio=2.0), 9
    )
    assert longest.column("text") == [f"{TEXTS[3]} now"]
    near = table(induce("backtranslation", corpus, model="apertium:eng-spa", ratio=0.3), 9)
    assert len(near) == 3  # "no one came" grows by four characters of eleven
    assert f"{TEXTS[2]} now" not in near.column("text")
