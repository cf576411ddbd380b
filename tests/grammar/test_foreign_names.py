"""Names that other libraries have: each hint is of something that is here."""

import ast
import importlib
import inspect
import re

import pytest

import treewright
from grammar.errors import OptionError
from grammar.foreign_names import attributes, keywords, top_level
from grammar.foreign_names.attributes import no_attribute
from grammar.indexing import places_chosen
from grammar.options import names_keywords


def test_lines_name_what_is_here_and_no_name_of_others_is():
    for line, names in top_level._LINES.items():
        ours = re.match(r"[\w]+", line)[0]
        assert hasattr(treewright, ours), line
        ast.parse(line)
        assert not {*names} & {*dir(treewright)}, names
    assert not {name for names in top_level._INSTEAD.values() for name in names} & {
        *dir(treewright)
    }


@pytest.mark.parametrize("package", ["treewright", "grammar", "sampling"])
def test_names_of_others_are_told_where_they_are_imported(package):
    for name, hint in {"PCFG": "Grammar.fromstring(text)", "KeyboardAug": "edits words"}.items():
        with pytest.raises(ImportError, match=re.escape(hint)):
            exec(f"from {package} import {name}")
        assert not hasattr(importlib.import_module(package), name)
    with pytest.raises(ImportError, match="cannot import name 'nobody'"):
        exec(f"from {package} import nobody")


def test_a_name_of_others_stands_once():
    names = [
        name
        for table in (top_level._LINES, top_level._INSTEAD)
        for theirs in table.values()
        for name in theirs
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_keywords_here_are_of_some_function():
    public = (getattr(treewright, name) for name in dir(treewright))
    known = {
        name
        for one in public
        if inspect.isroutine(one)
        for name in inspect.signature(one).parameters
    }
    # settings of `augment`, fields of a config, and options of methods
    known |= {"times", "keep_originals", "batch", "steps", "learning_rate", "alpha_sr", "p"}
    assert {*keywords._OURS} - known == set()


def test_a_keyword_of_others_is_refused_and_what_is_known_goes_on():
    @names_keywords(odd="leave it out")
    def drawn(n, *, seed=0):
        return n, seed

    assert drawn(3, seed=1) == drawn(n=3, seed=1) == (3, 1)
    assert inspect.signature(drawn).parameters.keys() == {"n", "seed"}
    for name, told in {"random_state": "seed", "odd": "leave it out", "seet": "'seed'"}.items():
        with pytest.raises(OptionError, match=told):
            drawn(3, **{name: 1})
    with pytest.raises(TypeError, match="missing"):
        drawn()


def test_python_names_the_nearest_attribute_where_there_is_no_hint():
    error = no_attribute("text", "lowre", None)
    assert (error.name, error.obj) == ("lowre", "text")
    hints = {"{of}.to_pandas().{name} has it": ("iloc",)}
    assert attributes.attribute_hint("iloc", hints, "made") == "made.to_pandas().iloc has it"
    assert attributes.attribute_hint("other", hints) is None


@pytest.mark.parametrize("index", [True, False, None, "one", 1.5, [1.5], [[1]]])
def test_what_chooses_no_rows_is_refused(index):
    with pytest.raises(OptionError, match="truth value for each"):
        places_chosen(index, 3, "rows[[True]]")


def test_rows_are_chosen_by_places_and_by_truth_values():
    assert places_chosen([], 3, "").tolist() == []
    assert places_chosen([True, False, True], 3, "").tolist() == [0, 2]
    assert places_chosen((2, -3), 3, "").tolist() == [2, 0]
    with pytest.raises(OptionError, match="2 truth values for 3"):
        places_chosen([True, False], 3, "")
    with pytest.raises(IndexError):
        places_chosen([3], 3, "")
