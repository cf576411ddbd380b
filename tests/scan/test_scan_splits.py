"""The SCAN splits: rebuilt exactly as published; reading and writing of SCAN lines."""

import io
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from grammar.errors import CorpusError, MissingDataError, OptionError, UnreadableInputError
from induction.corpus.corpus import Corpus
from scan.generator import generate, verify
from scan.splits import SPLITS, read_pairs, split, write_pairs

# name: folder, name in the published files, and lines of train, different lines of train, test
PUBLISHED = {
    "simple": ("simple_split", "simple", 16_728, 16_728, 4_182),
    "length": ("length_split", "length", 16_990, 16_990, 3_920),
    "jump": ("add_prim_split", "addprim_jump", 14_670, 13_204, 7_706),
    "turn-left": ("add_prim_split", "addprim_turn_left", 21_890, 19_702, 1_208),
    "around-right": ("template_split", "template_around_right", 15_225, 15_225, 4_476),
    "opposite-right": ("template_split", "template_opposite_right", 15_225, 15_225, 4_476),
    "right": ("template_split", "template_right", 15_225, 15_225, 4_476),
    "jump-around-right": ("template_split", "template_jump_around_right", 18_528, 18_528, 1_173),
    "filler-num0": ("filler_split", "filler_num0", 15_225, 15_225, 1_173),
    "filler-num1": ("filler_split", "filler_num1", 16_290, 16_290, 1_173),
    "filler-num2": ("filler_split", "filler_num2", 17_391, 17_391, 1_173),
    "filler-num3": ("filler_split", "filler_num3", 18_528, 18_528, 1_173),
    "mcd1": ("mcd_split", "mcd1", 8_365, 8_365, 1_045),
    "mcd2": ("mcd_split", "mcd2", 8_365, 8_365, 1_045),
    "mcd3": ("mcd_split", "mcd3", 8_365, 8_365, 1_045),
}
FROM_FILES = ("simple", "mcd1", "mcd2", "mcd3")
REBUILT = tuple(name for name in PUBLISHED if name not in FROM_FILES)
# lines of train by how many examples are added, as counted in the published files
LINES_WITH_EXAMPLES = {1: 14_671, 2: 14_670, 4: 14_668, 8: 14_670, 16: 14_665, 32: 14_655}
WITH_EXAMPLES = [f"jump-num{n}-rep{rep}" for n in LINES_WITH_EXAMPLES for rep in range(1, 6)]
ARCHIVE = "scan/few_shot_and_additional.tar.xz"


def multiset(corpus: Corpus) -> Counter[tuple[str, str]]:
    return Counter(zip(corpus.column("text"), corpus.column("target"), strict=True))


def test_all_published_splits_are_tested() -> None:
    assert set(SPLITS) == {*PUBLISHED, *WITH_EXAMPLES}


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_the_split_is_the_published_one(name: str, data_folder: Path) -> None:
    folder, file, *_ = PUBLISHED[name]
    parts = split(name)
    for part, corpus in (("train", parts.train), ("test", parts.test)):
        published = read_pairs(data_folder / "scan" / folder / f"tasks_{part}_{file}.txt.gz")
        assert multiset(corpus) == multiset(published)


def check_counts(name: str) -> None:
    *_, train, different, test = PUBLISHED[name]
    parts = split(name)
    assert parts.name == name
    assert (len(parts.train), len(multiset(parts.train)), len(parts.test)) == (
        train,
        different,
        test,
    )
    assert len(multiset(parts.test)) == test
    assert not multiset(parts.train) & multiset(parts.test)
    for corpus in (parts.train, parts.test):
        assert corpus.names == ("id", "text", "target")
        assert len(set(corpus.column("id"))) == len(corpus)
        assert verify(corpus).rate == 1


@pytest.mark.parametrize("name", REBUILT)
def test_counts_of_rebuilt_splits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)
    check_counts(name)


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive, "r:xz") as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is not None:
                yield member.name, file.read()


@pytest.fixture(scope="module")
def archives(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder for each split with examples, with its own two files and little of the others.

    To read one split from the published archive takes seconds, and there are thirty.
    """
    found = dict(members(data_folder / ARCHIVE))
    assert len(found) == 170
    wanted = {name: data for name, data in found.items() if "complex_jump" in name}
    assert len(wanted) == 2 * len(WITH_EXAMPLES)
    folder = tmp_path_factory.mktemp("archives")
    for name in WITH_EXAMPLES:
        ending = f"{name.removeprefix('jump-').replace('-', '_')}.txt"
        path = folder / name / ARCHIVE
        path.parent.mkdir(parents=True)
        with tarfile.open(path, "w:xz", preset=0) as archive:
            for member, data in wanted.items():
                kept = data if member.endswith(f"_{ending}") else b"IN: walk OUT: I_WALK\n"
                header = tarfile.TarInfo(member)
                header.size = len(kept)
                archive.addfile(header, io.BytesIO(kept))
    return folder


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_are_added_to_the_jump_split(
    name: str, archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEWRIGHT_DATA", str(archives / name))
    n = int(name.removeprefix("jump-num").partition("-")[0])
    parts, jump = split(name), split("jump")
    train, test = multiset(parts.train), multiset(parts.test)
    assert len(parts.train) == LINES_WITH_EXAMPLES[n]
    assert (len(train), len(parts.test), len(test)) == (13_204 + n, 7_706 - n, 7_706 - n)
    added = train.keys() - multiset(jump.train)
    assert len(added) == n
    assert added.isdisjoint(test)
    assert added | test.keys() == multiset(jump.test).keys()
    # as the primitive in the jump split, it and the examples make a tenth, each as often as another
    repeated = added | {("jump", "I_JUMP")}
    assert {train[pair] for pair in repeated} == {round(1_467 / (n + 1))}
    assert {pair for pair, copies in train.items() if copies > 1} == repeated
    assert len(set(parts.train.column("id"))) == len(parts.train)


@pytest.mark.parametrize("name", ["jump-num1-rep1", "jump-num8-rep3"])
def test_splits_with_examples_are_found_in_the_published_archive(
    name: str, archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = split(name)
    monkeypatch.setenv("TREEWRIGHT_DATA", str(archives / name))
    for part in ("train", "test"):
        assert list(getattr(published, part)) == list(getattr(split(name), part))


def test_a_damaged_archive_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scan").mkdir()
    archive = tmp_path / "scan" / "few_shot_and_additional.tar.xz"
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    with pytest.raises(MissingDataError):
        split("jump-num1-rep1")
    archive.write_bytes(b"no archive")
    with pytest.raises(UnreadableInputError, match="cannot read the archive"):
        split("jump-num1-rep1")
    with tarfile.open(archive, "w:xz"):
        pass
    with pytest.raises(CorpusError, match="lacks this split"):
        split("jump-num1-rep1")


@pytest.mark.parametrize("name", FROM_FILES)
@pytest.mark.usefixtures("data_folder")
def test_counts_of_splits_read_from_files(name: str) -> None:
    check_counts(name)


@pytest.mark.parametrize("name", REBUILT)
def test_rebuilt_splits_keep_generation_order_and_ids(name: str) -> None:
    language = generate().column("text")
    for corpus in (split(name).train, split(name).test):
        places = [int(id.partition("-")[0]) for id in corpus.column("id")]
        assert places == sorted(places)
        assert corpus.column("text") == [language[place] for place in places]


@pytest.mark.parametrize(("name", "primitive"), [("jump", "jump"), ("turn-left", "turn left")])
def test_the_primitive_is_a_tenth_of_training(name: str, primitive: str) -> None:
    parts = split(name)
    texts = parts.train.column("text")
    assert texts.count(primitive) * 10 == len(texts)
    assert not any(primitive in text for text in texts if text != primitive)
    assert all(primitive in text for text in parts.test.column("text"))
    assert primitive not in parts.test.column("text")


@pytest.mark.parametrize("name", FROM_FILES)
def test_splits_from_files_say_what_is_missing(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)
    with pytest.raises(MissingDataError, match=f"train_{name}.*TREEWRIGHT_DATA is not set"):
        split(name)
    monkeypatch.setenv("TREEWRIGHT_DATA", str(tmp_path))
    with pytest.raises(MissingDataError, match="no such corpus file"):
        split(name)


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("jmup", "did you mean 'jump'? The splits are simple"),
        ("turn_left", "did you mean 'turn-left'? "),
        ("MCD1", "did you mean 'mcd1'? "),
        ("xyz", "The splits are simple, length, jump"),
        (3, "The splits are "),
        (None, "The splits are "),
    ],
)
def test_unknown_splits(name: str, guess: str) -> None:
    with pytest.raises(OptionError) as caught:
        split(name)
    assert caught.value.what == f"unknown split {name!r} of SCAN"
    assert caught.value.hint.startswith(guess)


@pytest.mark.parametrize("name", ["pairs.txt", "pairs.txt.gz"])
def test_pairs_come_back_as_they_were_written(name: str, tmp_path: Path) -> None:
    pairs = split("turn-left").test
    write_pairs(pairs, tmp_path / name)
    again = read_pairs(tmp_path / name)
    for column in ("text", "target"):
        assert again.column(column) == pairs.column(column)
    assert again.column("id") == [str(line) for line in range(1, len(pairs) + 1)]


def test_the_written_form_is_the_published_one(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    write_pairs(Corpus.from_columns(text=["jump twice"], target=["I_JUMP I_JUMP"]), path)
    assert path.read_bytes() == b"IN: jump twice OUT: I_JUMP I_JUMP\n"


def test_blank_lines_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_bytes(b"IN: walk OUT: I_WALK\r\n\r\n  \nIN: run OUT: I_RUN")
    assert [tuple(row.values()) for row in read_pairs(path)] == [
        ("1", "walk", "I_WALK"),
        ("4", "run", "I_RUN"),
    ]
    path.write_bytes(b"")
    assert len(read_pairs(path)) == 0


@pytest.mark.parametrize(
    "line", ["walk I_WALK", "IN: walk", "IN: OUT: I_WALK", "IN: walk OUT:", "IN:walk OUT:I_WALK"]
)
def test_bad_lines_are_located(line: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text(f"IN: walk OUT: I_WALK\n{line}\n")
    with pytest.raises(CorpusError) as caught:
        read_pairs(path)
    assert caught.value.where == f"{path}:2"
    assert caught.value.what == f"not a SCAN pair: {line!r}"
    assert "IN: <command> OUT: <actions>" in caught.value.hint


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="cannot read the file"):
        read_pairs(tmp_path / "absent.txt")
    (tmp_path / "bad.gz").write_bytes(b"IN: walk OUT: I_WALK\n")
    with pytest.raises(UnreadableInputError, match="gzip"):
        read_pairs(tmp_path / "bad.gz")
    (tmp_path / "latin.txt").write_bytes(b"IN: walk OUT: I_WALK\nIN: caf\xe9")
    with pytest.raises(UnreadableInputError, match=r"latin\.txt:2:8"):
        read_pairs(tmp_path / "latin.txt")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("walk\nrun", "I_WALK"),
        ("walk OUT: run", "I_WALK"),
        ("", "I_WALK"),
        ("walk", ""),
        ("walk", None),
        (" walk", "I_WALK"),
        ("walk", "I_WALK "),
    ],
)
def test_pairs_that_cannot_be_a_line(text: str, target: str | None, tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    pairs = Corpus.from_columns(id=["a", "b"], text=["run", text], target=["I_RUN", target])
    with pytest.raises(CorpusError) as caught:
        write_pairs(pairs, path)
    assert caught.value.where == "example b"
    assert not path.exists()


def test_pairs_need_a_target(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no column 'target'"):
        write_pairs(Corpus.from_columns(text=["walk"]), tmp_path / "pairs.txt")
