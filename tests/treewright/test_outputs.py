"""What verbs write: nothing over an input, nothing over a file without --force, all of them alike.

The verbs are found from the app, so that a new one must have its line here.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from classifiers.examples import read_examples
from classifiers.saving import save_classifier
from classifiers.structured.config import StructuredConfig
from classifiers.structured.learning import train_structured
from classifiers.structured.saving import save_structured
from classifiers.training.frozen import train_tfidf
from grammar.pcfg.grammar import Grammar
from grammar.trees.treebank import Treebank
from induction.corpus.formats import read_corpus, write_corpus
from sampling.examples.class_names import number_classes
from sampling.neural.linda.runs import train_linda
from sampling.pipeline.augment import augment
from tests.classifiers.conftest import save_tiny
from tests.sampling.neural.decoding.conftest import byte_tokenizer, save_gpt2
from tests.sampling.pipeline.test_pipeline import TREES, corpus_of
from tests.treewright import test_command_line
from treewright.cli import app
from treewright.outputs import FOLDER, Verb

run = test_command_line.run

PAIRS = test_command_line.PAIRS
SYNCHRONOUS = "NT_1 twice ### NT_1 NT_1 [0.2]\njump ### JUMP [0.4]\nwalk ### WALK [0.4]\n"
WORDS = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat\t_\tNOUN\t_\t_\t0\troot\t_\t_\n"

# what a verb writes by an option, OUT standing for it; the first word behind the verb that is a
# file is its input
COMMANDS = {
    "induce --output": "trees.mrg -o OUT.json",
    "augment --output": "corpus.jsonl -m eda -n 9 -o OUT.jsonl",
    "demo --output": "-o OUT",
    "inspect --plot": "g.json --plot OUT.svg",
    "inspect --graphml": "g.json --graphml OUT.graphml",
    "intersect --output": "g.json --length 1:3 -o OUT.json",
    "sample --output": "g.json -n 5 -o OUT.jsonl",
    "parse --output": "g.json words.txt -o OUT.txt",
    "parse --plot": "g.json words.txt --plot OUT.svg",
    "parse --heat-map": "g.json words.txt --heat-map OUT.svg",
    "parse-corpus --output": "corpus.jsonl -o OUT.jsonl",
    "translate --output": "pairs.txt jumps.txt -o OUT.txt",
    "surprisal --output": "g.json words.txt -o OUT.tsv",
    "surprisal --plot": "g.json words.txt -o other.tsv --plot OUT.svg",
    "generate --output": "g.json --model causal -n 2 --max-tokens 40 --device cpu -o OUT.jsonl",
    "convert --output": "g.json -o OUT.gbnf",
    "search --output": "trees.mrg ADJP -o OUT.tsv",
    "compare --html": "trees.mrg trees.mrg --html OUT.html",
    "compare --plot": "trees.mrg trees.mrg --plot OUT.svg",
    "translate --plot": "pairs.txt jumps.txt --plot OUT.svg",
    "quality --html": "corpus.jsonl made.jsonl --html OUT.html",
    "explain --plot": "made.jsonl ID --source corpus.jsonl --plot OUT.svg",
    "scan train --output": "scan.txt --steps 1 --hidden 8 --embedding 8 -o OUT.safetensors",
    "scan generate --output": "-o OUT.txt",
    "scan split --output": "jump -o OUT",
    "scan augment --output": "scan.txt -o OUT.jsonl",
    "scan augment --grammar": "scan.txt -o other.jsonl --grammar OUT.json",
    "scan table --output": "--no-run --results results -o OUT.md",
    "scan table --plot": "--no-run --results results --plot OUT.svg",
    "scan cogs --output": "cogs.jsonl --form original -o OUT.jsonl",
    "scan slog --output": "cogs.jsonl -o OUT.jsonl",
    "scan language --output": "order -o OUT",
    "scan features --output": "order -o OUT.md",
    "scan geoquery --output": "funql query -o OUT",
    "classify train --output": "corpus.jsonl --encoder tfidf -o OUT",
    "classify evaluate --plot": "model corpus.jsonl --plot OUT.svg",
    "classify auto --output": "corpus.jsonl --encoder tfidf -m aeda --budget 0 -o OUT",
    "classify table --output": "sets --encoder tfidf -m none --no-run -o OUT.md",
    "classify table --plot": "sets --encoder tfidf -m none --no-run --plot OUT.png",
    "classify predict --output": "model corpus.jsonl -o OUT.jsonl",
    "classify export --output": "model -o OUT",
    "classify tag --output": "names.conll corpus.jsonl -o OUT.jsonl",
    "linda train --output": "corpus.jsonl --model small --width 16 --layers 1 --pieces 300 "
    "--steps 1 --batch 2 -o OUT",
    "structured train --output": "tags words.conllu --encoder tiny --steps 1 --hidden 4 -o OUT",
    "structured predict --output": "tagger words.conllu -o OUT.conllu",
    "structured table --output": "tags sets --learner perceptron --no-run -o OUT.md",
    "linda interpolate --output": "linda --pairs two.tsv --alpha 0.5 --beams 1 -o OUT.jsonl",
}
NOT_FINISHED = (
    "demo", "scan table", "scan geoquery", "scan cogs", "classify table", "structured table",
    "classify export",
)  # fmt: skip
"""Verbs that take minutes, or need data or an extra: only that they refuse is tried."""


def verbs(command=None, path: str = "") -> Iterator[tuple[str, Verb]]:
    command = command or typer.main.get_command(app)
    for name, below in command.commands.items():
        if hasattr(below, "commands"):
            yield from verbs(below, f"{path}{name} ")
        else:
            yield f"{path}{name}", below


def outputs() -> dict[str, str]:
    """Return the metavar of every option that is written, by its verb and its flag."""
    return {
        f"{name} --{param.name.replace('_', '-')}": param.metavar
        for name, verb in verbs()
        for param in verb.params
        if param.name in verb.outputs
    }


def test_every_verb_is_watched_and_every_output_is_tried():
    assert all(isinstance(verb, Verb) for _, verb in verbs())
    assert outputs().keys() == COMMANDS.keys()
    for name, verb in verbs():
        flags = {param.name for param in verb.params}
        assert ("force" in flags) == bool(verb.outputs), name
        written = {"output", "plot", "graphml", "html", "heat_map"} & flags
        assert written <= {*verb.outputs} or name in ("explain", "replay"), name
    # these two have an argument of that name, which they read
    assert dict(verbs())["explain"].outputs == ["plot"]
    assert dict(verbs())["replay"].outputs == []


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    corpus = corpus_of(TREES, "label", "tree")
    write_corpus(corpus, folder / "corpus.jsonl")
    write_corpus(augment(corpus, "eda", n=20).corpus, folder / "made.jsonl")
    (folder / "trees.mrg").write_text("\n".join(corpus.column("tree")))
    grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
    grammar.save(folder / "g.json")
    examples = read_examples(number_classes(corpus))
    save_classifier(train_tfidf(examples), folder / "model")
    train_linda(
        ["very good", "so bad", "not so"], folder / "linda", model="small", width=16, layers=1,
        pieces=300, steps=1, batch=2,
    )  # fmt: skip
    save_tiny(folder / "tiny")
    save_gpt2(folder / "causal", byte_tokenizer([], "verygod"))
    (folder / "words.conllu").write_text(WORDS)
    save_structured(
        train_structured(
            "tags", read_corpus(folder / "words.conllu"),
            StructuredConfig(encoder=str(folder / "tiny"), steps=1, device="cpu"),
        ),
        folder / "tagger",
    )  # fmt: skip
    (folder / "two.tsv").write_text("very\tgood\n")
    (folder / "words.txt").write_text("very good\n")
    (folder / "names.conll").write_text("Ann\tB-P\nleft\tO\n")
    (folder / "pairs.txt").write_text(SYNCHRONOUS)
    (folder / "jumps.txt").write_text("jump twice\n")
    (folder / "scan.txt").write_text(PAIRS)
    (folder / "cogs.jsonl").write_text('{"text": "a", "target": "b"}\n')
    return folder


@pytest.fixture
def here(files, tmp_path) -> Path:
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    return tmp_path


def command(name: str, here: Path, out: str = "OUT") -> list[str]:
    identifier = read_corpus(here / "made.jsonl").column("id")[0]
    words = COMMANDS[name].replace("ID", identifier).replace("OUT", out).split()
    return [*name.rpartition(" ")[0].split(), *words]


def placed(name: str, here: Path) -> Path:
    """Put something of ours where a verb is to write, and return it."""
    out = here / next(word for word in command(name, here) if word.startswith("OUT"))
    if outputs()[name] == FOLDER:
        out.mkdir()
        out /= "mine.txt"
    out.write_text("mine")
    return out


def content(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_is_not_replaced_without_force(run, here, name):
    mine = placed(name, here)
    before = content(here)
    done = run(*command(name, here))
    assert done.code == 1
    assert "--force" in done.err
    assert content(here) == before
    if name.startswith(NOT_FINISHED):
        return
    done = run(*command(name, here), "--force")
    assert done.code == 0, done.err
    if outputs()[name] != FOLDER:
        assert mine.read_bytes() != b"mine"
    assert {path: content(here)[path] for path in before if path != str(mine)} == {
        path: data for path, data in before.items() if path != str(mine)
    }


@pytest.mark.parametrize("name", [n for n, kind in outputs().items() if kind != FOLDER])
def test_an_input_is_never_replaced(run, here, name):
    words = command(name, here)
    given = next((word for word in words if (here / word).is_file()), None)
    if given is None:
        assert name.startswith(("scan generate", "scan table", "scan features", "classify table",
                                "structured table"))  # fmt: skip
        return
    at = next(place for place, word in enumerate(words) if word.startswith("OUT"))
    words[at] = f"./{given}"
    before = content(here)
    for more in ([], ["--force"]):
        done = run(*words, *more)
        assert done.code == 1
        assert content(here) == before
    assert f"--{name.rpartition('--')[2]} is also" in done.err


def test_an_input_among_others_is_not_replaced(run, here):
    before = content(here)
    words = "classify table sets names.conll --encoder tfidf -m none -o ./names.conll --force"
    done = run(*words.split())
    assert (done.code, "--output is also data" in done.err) == (1, True)
    assert content(here) == before


def test_two_outputs_are_two_files(run, here):
    done = run("parse", "g.json", "words.txt", "-o", "a.svg", "--plot", "./a.svg")
    assert (done.code, "--output is also plot" in done.err) == (1, True)


def test_what_is_read_by_another_way_is_not_replaced_either(run, here):
    """As by a TOML file, or by a link."""
    (here / "a.toml").write_text('[augment]\ninput = "corpus.jsonl"\nmethod = "eda"\nn = 3\n')
    (here / "link.jsonl").symlink_to("corpus.jsonl")
    before = content(here)
    for out in ("corpus.jsonl", "link.jsonl"):
        done = run("augment", "--config", "a.toml", "-o", out, "--force")
        assert (done.code, "input" in done.err) == (1, True)
    assert content(here) == before


def test_a_file_that_appears_meanwhile_is_not_replaced(run, here, monkeypatch):
    whole = Grammar.save

    def save(self, path):
        Path(path).write_text("of another run")
        whole(self, path)

    monkeypatch.setattr(Grammar, "save", save)
    done = run("intersect", "g.json", "--length", "1:2", "-o", "new.json")
    assert (done.code, "new.json: the output exists" in done.err) == (1, True)
    assert (here / "new.json").read_text() == "of another run"


def test_what_lies_beside_an_output_is_not_replaced_without_force(run, here):
    corpus = here / "corpus.jsonl"
    for beside in ("new.jsonl.manifest.json", "new.jsonl.skipped.jsonl"):
        (here / beside).write_text("mine")
        for more in ([], ["--resume"]):
            done = run("augment", corpus, "-m", "eda", "-n", 5, "-o", "new.jsonl", *more)
            assert (done.code, f"{beside}: the output exists" in done.err) == (1, True)
        assert not (here / "new.jsonl").exists()
        assert not (here / "new.jsonl.partial").exists()
        (here / beside).unlink()
    (here / "p.jsonl.skipped.jsonl").write_text("mine")
    done = run("parse-corpus", corpus, "-o", "p.jsonl")
    assert (done.code, "skipped.jsonl: the output exists" in done.err) == (1, True)
    assert not (here / "p.jsonl").exists()
    (here / "g.arrow.skipped.jsonl").write_text("mine")
    done = run("induce", corpus, "--model", "treemix", "--high", "0.7", "-o", "g.arrow")
    assert (done.code, "skipped.jsonl: the output exists" in done.err) == (1, True)
    assert (
        run(
            "induce", corpus, "--model", "treemix", "--high", "0.7", "-o", "g.arrow", "--force"
        ).code
        == 0
    )
    assert not (here / "g.arrow.skipped.jsonl").exists()


def test_stores_are_read_and_written(run, here):
    """A cache and a checkpoint may be there: they are gone on with."""
    for _ in range(2):
        done = run("parse", "g.json", "words.txt", "--cache", "parses.db")
        assert done.code == 0
    assert "1 from the cache" in done.err
    bayes = "induce trees.mrg --model bayes-tsg --iterations {} --checkpoint c.arrow -o {}.json"
    for iterations in (2, 4):
        done = run(*bayes.format(iterations, iterations).split())
        assert done.code == 0, done.err


def test_python_replaces_files_as_python_does(here):
    trees = Treebank.parse((here / "trees.mrg").read_text())
    trees.save(here / "trees.arrow")
    mapped = Treebank.load(here / "trees.arrow")
    mapped[:2].save(here / "trees.arrow")  # what is mapped stays whole
    assert mapped.brackets() == trees.brackets()
    assert len(Treebank.load(here / "trees.arrow")) == 2
    Grammar.load(here / "g.json").save(here / "g.json")


@pytest.mark.parametrize(
    ("option", "called"),
    [
        ("--text-column", "--text"),
        ("--num_aug", "-n"),
        ("--recipe", "-m"),
        ("--n-jobs", "--workers"),
    ],
)
def test_options_of_other_tools_are_answered_with_those_here(run, option, called):
    done = run("augment", "a.csv", "-o", "b.csv", option, "1")
    assert done.code == 2
    assert f"no such option: {option}; it is called {called} here" in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("verb", "here"), [("fragments", "induce TREES"), ("train", "classify train FILE")]
)
def test_commands_of_other_tools_are_answered_with_verbs_here(run, verb, here):
    done = run(verb, "trees.mrg")
    assert done.code == 2
    assert f"no such command: {verb}; write treewright {here}" in " ".join(done.err.split())


def test_commands_of_other_tools_are_no_verbs_and_what_is_here_is():
    from grammar.foreign_names.verbs import _VERBS

    commands = typer.main.get_command(app).commands
    for line, theirs in _VERBS.items():
        assert line.split()[0] in {*commands, "--version"}
        assert not {*theirs} & {*commands}


def test_an_input_is_no_option(run):
    done = run("augment", "--input-csv", "a.csv", "-o", "b.csv")
    assert "give the file without an option: augment FILE" in " ".join(done.err.split())
