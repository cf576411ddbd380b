"""Formats of folders: data sets, and unfinished work. One file is damaged, the others are whole."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus
from sampling.pipeline.manifest import plan_of
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.resuming import PartialWork
from sampling.pipeline.settings import read_settings
from tests.fuzz.kinds import Format, Make, Use

__all__ = ["folder_formats", "member"]


def member(name: str, save: Make, file: str, use: Use) -> Format:
    """Return the format of one file of a folder, which is opened with the others as they were.

    Parameters
    ----------
    name : str
        Of the format; its end says how the file is taken apart.
    save, use : callable
        Write and use the whole folder.
    file : str
        The name of the file in it.
    """

    def make(path: Path) -> None:
        folder = path.with_name(f"folder-{name}")
        save(folder)
        shutil.copyfile(folder / file, path)

    def used(path: Path) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "whole"
            shutil.copytree(path.with_name(f"folder-{name}"), folder)
            (folder / file).unlink()
            shutil.copyfile(path, folder / file)
            use(folder)

    return Format(name, make, used, slow=True)


def folder_formats() -> Iterator[Format]:
    """Yield all formats of this module."""
    if importlib.util.find_spec("datasets"):
        for file in ("state.json", "dataset_info.json"):
            yield member(f"dataset-{file}", _save_dataset, file, _use_dataset)
    for name, file in (("plan.json", "plan.json"), ("shard-state.json", "000000.state.json")):
        yield member(f"partial-{name}", _begin_work, file, _go_on_with_work)


def _corpus() -> Corpus:
    texts = ["a good film", "the great plot", "a bad dog", "the poor cat"]
    return Corpus.from_columns(text=texts, label=[1, 1, 0, 0])


def _save_dataset(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        write_corpus(_corpus(), Path(place) / "corpus.hf")
        shutil.copytree(Path(place) / "corpus.hf", folder)


def _use_dataset(folder: Path) -> None:
    repr(list(read_corpus(folder)))


def _pipeline() -> Pipeline:
    return Pipeline(_corpus(), read_settings({"method": "0.5*aeda + 0.5*worddrop", "n": 8}))


def _begin_work(folder: Path) -> None:
    """Let the folder be the unfinished work of a run that was stopped behind its first shards."""
    with tempfile.TemporaryDirectory() as place:
        pipeline, output = _pipeline(), Path(place) / "o.jsonl"
        with PartialWork(output, plan_of(pipeline), shard=1) as work:
            work.begin(pipeline, resume=False, force=False)
            list(itertools.islice(work.tables(pipeline.run(), pipeline.state), 2))
        shutil.copytree(f"{output}.partial", folder)


def _go_on_with_work(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        pipeline, output = _pipeline(), Path(place) / "o.jsonl"
        shutil.copytree(folder, f"{output}.partial")
        with PartialWork(output, plan_of(pipeline), shard=1) as work:
            work.begin(pipeline, resume=True, force=False)
            made = list(work.tables(pipeline.run(), pipeline.state))
            work.remove()
    assert sum(table.num_rows for table in made) == 8
