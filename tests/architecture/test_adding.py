"""The page on adding methods and families: by its lines in the tables the example is one of us."""

from __future__ import annotations

import ast
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType

import networkx as nx
import pyarrow as pa
import pytest

import grammar.opening
import sampling.explanations.explain
import sampling.method
import sampling.opening
from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.opening import open_grammar
from induction.corpus.corpus import Corpus
from sampling.method import METHODS, Method, induce
from sampling.opening import open_sampler
from sampling.stream import ShortfallWarning
from treewright.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "adding.md"


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example as a module, named by the lines of the page in the tables."""
    text = PAGE.read_text("utf-8")
    [body] = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    line, family = map(ast.literal_eval, lines)
    module = ModuleType(line[2])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(body, PAGE.name, "exec"), module.__dict__)
    methods = MappingProxyType({**METHODS, line[0]: Method(*line)})
    for place in (sampling.method, sampling.explanations.explain, sampling.opening):
        monkeypatch.setattr(place, "METHODS", methods)
    families = MappingProxyType({**grammar.opening.FAMILIES, **family})
    monkeypatch.setattr(grammar.opening, "FAMILIES", families)
    return module


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_columns(
        text=["salt and pepper", "a b and c and d", "nothing here", "and this", "b a and a b"],
        label=["x", "y", "x", "y", "x"],
    )


NEW = ["a b and d and c", "a c and b and d", "pepper and salt"]


@pytest.mark.usefixtures("turn")
def test_the_method_of_the_page_gives_new_texts_until_there_are_no_more(corpus: Corpus) -> None:
    with pytest.warns(ShortfallWarning, match="only 3 distinct new ones"):
        made = induce("turn", corpus).sample(5, seed=2)
    assert sorted(made.column("text")) == NEW  # not "b a and a b", which is its own turn
    assert {row["provenance"]["parents"][0] for row in made} == {"0", "1"}
    with pytest.raises(CorpusError, match="no text has two words joined by 'or'"):
        induce("turn", corpus, word="or")
    with pytest.raises(OptionError, match="did you mean 'word'"):
        induce("turn", corpus, wort="or")


@pytest.mark.usefixtures("turn")
def test_its_grammar_is_kept_looked_at_and_sampled_without_the_corpus(corpus: Corpus) -> None:
    sampler = induce("turn", corpus)
    sampler.grammar.save("g.arrow")
    opened = open_grammar("g.arrow")
    assert opened == sampler.grammar
    assert nx.is_frozen(opened.graph)
    assert nx.utils.graphs_equal(opened.graph, sampler.grammar.graph)
    whole = sampler.sample(3, seed=1).table
    assert open_sampler("g.arrow").sample(2, seed=1, start=1).table == whole.slice(1)
    batches = open_sampler("g.arrow").batches(3, seed=1, workers=2, batch_size=2)
    assert pa.concat_tables(batches) == whole
    for row in Corpus(whole):
        assert opened.used(row["provenance"]["rules"])[1] == [row["text"]]
    assert "pepper and salt" in str(opened.describe())
    with pytest.raises(OptionError, match="is not saved under such a name"):
        sampler.grammar.save("g.json")


def test_a_file_whose_columns_do_not_fit_is_refused(turn: ModuleType, corpus: Corpus) -> None:
    grammar = turn.Turn.induce(corpus).grammar
    replace(grammar, place=grammar.place + 9).save("g.arrow")
    with pytest.raises(SchemaError, match="the file is damaged"):
        open_grammar("g.arrow")


@pytest.mark.usefixtures("turn")
def test_the_command_line_knows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in.jsonl").write_text('{"text": "salt or pepper", "label": "x"}\n' * 2, "utf-8")
    for command in ("methods turn", "augment in.jsonl -m turn -O word=or -n 1 -o out.jsonl"):
        monkeypatch.setattr(sys, "argv", ["treewright", *command.split()])
        with pytest.raises(SystemExit) as leaving:
            main()
        assert not leaving.value.code, capsys.readouterr().err
    assert "conjunction" in capsys.readouterr().out
    made = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [row["text"] for row in made if row.get("provenance")] == ["pepper or salt"]
