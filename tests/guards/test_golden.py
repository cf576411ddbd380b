"""Not a byte of output changes: every method and family against hashes recorded before.

``golden.json`` was recorded before the rooms were divided (commit bf2f373). A change that means
to alter an output records it again, with ``python -m tests.guards.golden``, and says why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import MissingDataError
from grammar.opening import open_grammar
from sampling.english import wordnet
from tests.guards import golden

HERE = Path(__file__).parent

FAMILIES = [family for family, _, _ in golden.families({})]


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    table = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))
    expected = table["anywhere"]
    try:
        wordnet.wordnet()
    except MissingDataError:
        return expected
    return {part: rows | table["with WordNet"][part] for part, rows in expected.items()}


@pytest.fixture(scope="module")
def corpora() -> dict[str, Any]:
    return golden.corpora()


@pytest.mark.parametrize("name", golden.METHODS_TRIED)
def test_a_method_makes_what_it_made(
    name: str, recorded: dict[str, Any], corpora: dict[str, Any]
) -> None:
    assert golden.outputs(name, corpora) == recorded["methods"][name]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_saved_as_it_was(
    family: str, recorded: dict[str, Any], corpora: dict[str, Any], tmp_path: Path
) -> None:
    suffix, make = next(row[1:] for row in golden.families(corpora) if row[0] == family)
    assert (
        golden.digest_of_file(golden.saved(family, suffix, make, tmp_path))
        == (recorded["files"][family])
    )


def test_every_method_is_in_the_table() -> None:
    assert {method for method, _, _ in golden.METHODS_TRIED.values()} == golden.without_models()


@pytest.mark.parametrize("path", sorted((HERE / "saved").iterdir()), ids=lambda p: p.name)
def test_files_saved_before_the_rooms_were_divided_still_open(path: Path) -> None:
    assert open_grammar(str(path)) is not None
