"""The published train/test splits of SCAN, rebuilt from their rules where they have one.

Most splits withhold every command with a certain phrase, so they need no download: they are
rebuilt here line for line (as multisets: the published files are shuffled, these parts are in the
order of :func:`scan.generator.commands`). The random ``simple`` split and the maximum compound
divergence splits have no rule that gives them back; they are read from files below
``TREEWRIGHT_DATA``.

References
----------
- Lake & Baroni (2018), *Generalization without systematicity*, ICML: simple, length, jump,
  turn-left.
- Loula, Baroni & Lake (2018), *Rearranging the familiar: testing compositional generalization in
  recurrent networks*, BlackboxNLP: around-right, opposite-right, right, jump-around-right and
  filler.
- Keysers et al. (2020), *Measuring compositional generalization*, ICLR: mcd1, mcd2, mcd3.
"""

from __future__ import annotations

import difflib
import lzma
import tarfile
from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from grammar.errors import CorpusError, OptionError, UnreadableInputError
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Asked
from induction.corpus.scan_lines import read_pairs, read_scan, write_pairs
from induction.corpus.sources import data_file
from scan.generator import generate

__all__ = ["SPLITS", "Split", "check_split", "read_pairs", "split", "write_pairs"]

_LONGEST_TRAINING_TARGET = 22


@dataclass(frozen=True, eq=False)
class Split:
    """A training and a test part with the columns ``id``, ``text`` and ``target``.

    >>> from scan import split
    >>> data = split("length")
    >>> data.name, len(data.train), len(data.test)
    ('length', 16990, 3920)
    """

    name: str
    train: Corpus
    test: Corpus


@dataclass(frozen=True)
class _Phrases:
    """A split by phrases: training commands have none of them, test commands one of ``tested``.

    Test commands have none of ``avoided`` either. A ``primitive`` is an exception: as a command
    of its own it is in training alone, so often that it makes a tenth of the lines.
    """

    tested: tuple[str, ...]
    avoided: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    primitive: str | None = None


def _with_verbs(phrase: str) -> tuple[str, ...]:
    return tuple(f"{verb} {phrase}" for verb in ("walk", "look", "run", "jump"))


# Loula et al. fill the place of the verb with primitive verbs only: a command with "turn" there
# is in neither part
_BY_PHRASES: dict[str, _Phrases] = {
    "jump": _Phrases(("jump",), primitive="jump"),
    "turn-left": _Phrases(("turn left",), primitive="turn left"),
    "around-right": _Phrases(_with_verbs("around right"), avoided=("turn around right",)),
    "opposite-right": _Phrases(_with_verbs("opposite right"), avoided=("turn opposite right",)),
    "right": _Phrases(_with_verbs("right"), avoided=("turn right",)),
    "jump-around-right": _Phrases(("jump around right",), avoided=("turn around right",)),
} | {
    # the number says how many verbs are seen in training before "around right"
    f"filler-num{seen}": _Phrases(
        ("jump around right",),
        avoided=("turn around right",),
        unseen=("look around right", "walk around right", "run around right")[seen:],
    )
    for seen in range(4)
}

_FILES: dict[str, str] = {
    "simple": "scan/simple_split/tasks_{part}_simple.txt.gz",
    "mcd1": "scan/mcd_split/tasks_{part}_mcd1.txt.gz",
    "mcd2": "scan/mcd_split/tasks_{part}_mcd2.txt.gz",
    "mcd3": "scan/mcd_split/tasks_{part}_mcd3.txt.gz",
}

_ARCHIVE = "scan/few_shot_and_additional.tar.xz"
_MEMBER = (
    "add_prim_split/with_additional_examples/tasks_{part}_addprim_complex_jump_num{n}_rep{rep}.txt"
)
_WITH_EXAMPLES: dict[str, tuple[int, int]] = {
    f"jump-num{2**power}-rep{rep}": (2**power, rep) for power in range(6) for rep in range(1, 6)
}

SPLITS: tuple[str, ...] = (
    "simple",
    "length",
    *_BY_PHRASES,
    "mcd1",
    "mcd2",
    "mcd3",
    *_WITH_EXAMPLES,
)
"""Names of the splits that :func:`split` knows."""


def split(name: str) -> Split:
    """Return a published split of SCAN.

    Parameters
    ----------
    name : str
        One of :data:`SPLITS`.

    Returns
    -------
    Split
        Rebuilt splits keep the ids of :func:`scan.generator.generate`; the second and further
        copies of a repeated primitive have ``-2``, ``-3``, ... added, so that ids differ. Ids of
        splits read from files are the part and the line, such as ``train-17``.

    Raises
    ------
    OptionError
        If there is no split of that name; the nearest one is suggested.
    MissingDataError
        If the split is one that is read from files, and they are not there.
    CorpusError
        If such a file has a line that is not a pair.

    Examples
    --------
    >>> jump = split("jump")
    >>> len(jump.train), len(set(jump.train.column("text"))), len(jump.test)
    (14670, 13204, 7706)
    >>> jump.train.column("text").count("jump")
    1467
    >>> split("turn_left")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: unknown split 'turn_left' of SCAN
      hint: did you mean 'turn-left'? The splits are simple, length, jump, turn-left, ...

    Notes
    -----
    - ``length``: up to 22 actions in training, more (24 to 48) in the test part.
    - ``jump``, ``turn-left``: the test part has every command with the primitive in it, save the
      primitive alone. That one command is in training, as often as makes it a tenth of the lines
      (1,467 of 14,670 and 2,189 of 21,890).
    - ``around-right``, ``opposite-right``, ``right``: the phrase is in no training command; test
      commands have it after a primitive verb (``right`` is the verb with the bare word, as in
      ``walk right``). The 1,209 commands that have it after ``turn`` are in neither part.
    - ``jump-around-right``: the same with ``jump`` as the only verb tested, the others trained on.
    - ``filler-num0`` to ``filler-num3``: the same test part; none to three other verbs (``look``,
      ``walk``, ``run``, in this order) are seen in training before ``around right``.
    - ``jump-num1-rep1`` to ``jump-num32-rep5``: ``jump`` with 1, 2, 4, ..., 32 other commands with
      the primitive moved to training, five draws each; read from an archive of 170 files.
    - ``simple``, ``mcd1`` to ``mcd3``: read from files. The validation parts of the maximum
      compound divergence splits are not used.
    """
    check_split(name)
    if name in _BY_PHRASES:
        return _split_by_phrases(name, _BY_PHRASES[name])
    if name == "length":
        return _split_by_length(name)
    if name in _WITH_EXAMPLES:
        return Split(name, *_read_members(*_WITH_EXAMPLES[name]))
    return Split(name, _read_part(name, "train"), _read_part(name, "test"))


def check_split(name: str) -> None:
    """Raise :class:`~grammar.errors.OptionError` if there is no split of that name."""
    if name in SPLITS:
        return
    near = difflib.get_close_matches(str(name).lower(), SPLITS, n=1, cutoff=0.5)
    guess = f"did you mean {near[0]!r}? " if near else ""
    raise OptionError(
        f"unknown split {name!r} of SCAN",
        hint=f"{guess}The splits are {', '.join(n for n in SPLITS if n not in _WITH_EXAMPLES)}, "
        "jump-num1-rep1 to jump-num32-rep5",
    )


def _split_by_phrases(name: str, phrases: _Phrases) -> Split:
    texts = generate().column("text")
    withheld = phrases.tested + phrases.avoided + phrases.unseen
    seen = [place for place, text in enumerate(texts) if not _has(text, withheld)]
    tested = [
        place
        for place, text in enumerate(texts)
        if _has(text, phrases.tested) and not _has(text, phrases.avoided)
    ]
    if phrases.primitive is not None:
        place = texts.index(phrases.primitive)
        tested.remove(place)
        seen = sorted(seen + [place] * (len(seen) // 9))
    return Split(name, _rows(seen), _rows(tested))


def _split_by_length(name: str) -> Split:
    lengths = [len(target.split()) for target in generate().column("target")]
    short = [place for place, n in enumerate(lengths) if n <= _LONGEST_TRAINING_TARGET]
    long = [place for place, n in enumerate(lengths) if n > _LONGEST_TRAINING_TARGET]
    return Split(name, _rows(short), _rows(long))


def _read_part(name: str, part: str) -> Corpus:
    pairs = read_pairs(data_file(_FILES[name].format(part=part)))
    return pairs.with_column("id", [f"{part}-{line}" for line in pairs.column("id")])


def _read_members(n: int, rep: int) -> list[Corpus]:
    """Read the training and test part of the jump split with n examples from the archive."""
    path = data_file(_ARCHIVE)
    parts = {_MEMBER.format(part=part, n=n, rep=rep): part for part in ("train", "test")}
    found: dict[str, Corpus] = {}
    try:
        with tarfile.open(path, "r:xz") as archive:
            for member in archive:
                part, file = parts.get(member.name), archive.extractfile(member)
                if part is not None and file is not None:
                    pairs = read_scan(file.read(), Asked(f"{path}, {member.name}")).table
                    ids = [f"{part}-{line}" for line in pairs["id"].to_pylist()]
                    found[part] = Corpus(pairs).with_column("id", ids)
                if len(found) == len(parts):
                    break
    except (tarfile.TarError, EOFError, lzma.LZMAError) as error:
        raise UnreadableInputError(
            f"cannot read the archive: {error}", where=str(path), hint="fetch the file again"
        ) from None
    if len(found) < len(parts):
        raise CorpusError("the archive lacks this split", where=str(path))
    return [found["train"], found["test"]]


def _has(text: str, phrases: tuple[str, ...]) -> bool:
    # spaces at both ends, so that only whole words match
    return any(f" {phrase} " in f" {text} " for phrase in phrases)


def _rows(places: list[int]) -> Corpus:
    corpus = Corpus(generate().table.take(pa.array(places, type=pa.int64())))
    copies: Counter[str] = Counter()
    ids = []
    for id in corpus.column("id"):
        copies[id] += 1
        ids.append(id if copies[id] == 1 else f"{id}-{copies[id]}")
    return corpus.with_column("id", ids)
