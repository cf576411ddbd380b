"""What several tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public corpora; tests that need it skip where there is none."""
    folder = os.environ.get("TREEWRIGHT_DATA")
    if not folder:
        pytest.skip("TREEWRIGHT_DATA is not set")
    return Path(folder)
