"""What several tests share."""

import gc
import os
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# each worker of the run has a core of its own; threads of linear algebra would fight for it
os.environ.setdefault("OMP_NUM_THREADS", "1")

# set before the library of the hub is imported, which reads it once: a model that is not here is
# then told at once, and not after a minute of trying
os.environ.setdefault("HF_HUB_OFFLINE", "1")

# trees of parsed texts are kept for the tests alone, and no longer than they run
if "TREEWRIGHT_CACHE" not in os.environ:
    _cache = tempfile.TemporaryDirectory(prefix="treewright-cache-", ignore_cleanup_errors=True)
    os.environ["TREEWRIGHT_CACHE"] = _cache.name

# the first call of a kernel loads it, which no deadline should count
settings.register_profile("treewright", deadline=None)
# where changes are judged the same examples are tried every time, so fewer do; elsewhere new ones
settings.register_profile("judged", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("judged" if os.environ.get("CI") else "treewright")


IMPORTED = 100
"""After so many new modules, what they hold is left to no further search for garbage."""
_seen = 0


def _keep_what_is_there() -> None:
    """Let the collector pass over all that lives now: every training asks it to look at the rest.

    Tests and libraries hold a million objects, which a search for garbage takes a second to visit.
    """
    global _seen
    gc.collect()
    gc.freeze()
    _seen = len(sys.modules)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect tests, which live as long as the run, without searching them for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        _keep_what_is_there()


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Pass over libraries that a test has imported."""
    if len(sys.modules) > _seen + IMPORTED:
        _keep_what_is_there()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public corpora; tests that need it skip where there is none."""
    folder = os.environ.get("TREEWRIGHT_DATA")
    if not folder:
        pytest.skip("TREEWRIGHT_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def nltk_treebank_text() -> str:
    """NLTK's sample of the Penn Treebank, as bracketed text; tests skip where it is absent."""
    import nltk

    try:
        return nltk.corpus.treebank.raw()
    except LookupError:
        pytest.skip("NLTK's treebank sample is not installed (NLTK_DATA)")


@pytest.fixture(scope="session")
def wordnet_data() -> None:
    """Tests that need WordNet skip where it is absent."""
    from grammar.errors import MissingDataError
    from sampling.english.wordnet import wordnet

    try:
        wordnet()
    except MissingDataError:
        pytest.skip("WordNet is not installed (NLTK_DATA)")
