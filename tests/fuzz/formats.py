"""The formats that are tried: a small file of each, and all that a user does with what it holds.

Methods' grammars are opened and sampled; grammars of sentences are sampled and looked at; parsers
parse; corpora are read to the last column; models of the scan room are loaded.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
import itertools
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from grammar.formats.lark_reading import from_lark
from grammar.formats.reading import read_notation
from grammar.opening import open_grammar
from grammar.pcfg.grammar import Grammar
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus
from induction.corpus.readers import read_reviews
from induction.parsers.opening import open_parser
from induction.trees.dependency_files import read_dependencies
from sampling.explanations.explain import explain
from sampling.expression import read_expression
from sampling.method import METHODS
from sampling.names.method import Names
from sampling.neural.causal.fit import LanguageFit
from sampling.neural.grammar import ModelGrammar
from sampling.neural.prompted.method import PromptedOptions
from sampling.opening import open_sampler
from sampling.operators.grammar import TiltedGrammar
from sampling.sentences.sentences import sample_sentences
from scan.models.config import TrainingConfig
from scan.models.files import TrainedModel
from scan.models.training import train
from tests.fuzz.folders import folder_formats
from tests.fuzz.kept import kept_formats
from tests.fuzz.kinds import Format, Make, Use
from tests.fuzz.others import formats_of_others
from tests.fuzz.published import published_formats
from tests.guards.golden import METHODS_TRIED, corpora, families, induce

__all__ = ["FORMATS"]

EXAMPLES = 60
SMALLER: dict[str, tuple[int, dict[str, Any]]] = {
    "agree": (EXAMPLES, {"folds": 2}), "fluent-learnt": (30, {}),
}  # fmt: skip
"""Of what takes long to sample, how many examples, and options: each fold trains a classifier."""


def _use_sampler(path: Path) -> None:
    sampler = open_sampler(path)
    grammar = sampler.grammar
    grammar.describe()
    made = sampler.sample(3)
    grammar.rule_text(len(grammar) - 1)
    repr(grammar.graph), repr(sampler), sampler.count()
    if len(made):
        made[0]
        explain(made, made.column("id")[0], grammar=grammar)


def _look_at(path: Path) -> None:
    """Open a grammar whose model is somewhere else."""
    sampler = open_sampler(path)
    sampler.grammar.describe()
    repr(sampler), sampler.count()
    sampler.grammar.rule_text(len(sampler.grammar) - 1)


def _use_grammar(path: Path) -> None:
    grammar = open_grammar(path)
    grammar.describe()
    grammar.check()
    if len(grammar):
        grammar.rule_text(len(grammar) - 1)
    if grammar.pcfg is not None:
        sample_sentences(grammar, 3)


def _use_parser(path: Path) -> None:
    parser = open_parser(path, step_limit=2_000_000)
    next(iter(parser.parse_each([["the", "film", "was", "good"]])))


def _use_corpus(path: Path) -> None:
    corpus = read_corpus(path)
    corpus.table.validate(full=True)
    for row in itertools.islice(corpus, 20):
        repr(row)


def _use_dependencies(path: Path) -> None:
    hits = read_dependencies(path).search("pattern { X -> Y } without { Y -> Z }")
    hits.to_arrow().validate(full=True)
    if len(hits):
        hits.show(3)


def _use_text(use: Callable[[str], Any]) -> Use:
    return lambda path: use(path.read_bytes().decode("utf-8", "replace"))


def _write(content: str | bytes) -> Make:
    data = content.encode() if isinstance(content, str) else content
    return lambda path: path.write_bytes(data)


def _few(corpus: Corpus, count: int = 12) -> Corpus:
    return Corpus(corpus.table.slice(0, count))


def _corpus_formats() -> Iterator[Format]:
    reviews = _few(read_reviews())
    flat = Corpus(reviews.table.select(["id", "text", "label"]))
    pairs = _few(corpora()["pairs"])
    for suffix in ("jsonl", "parquet", "arrow", "csv", "tsv", "txt"):
        kept = reviews if suffix in ("jsonl", "parquet", "arrow") else flat
        yield Format(
            f"reviews.{suffix}", lambda path, kept=kept: write_corpus(kept, path), _use_corpus
        )
    lines = b'{"text": "a good film", "label": 1}\n' * 4
    yield Format("lines.jsonl.gz", _write(gzip.compress(lines)), _use_corpus)
    deep = '{"text": ' + "[" * 9 + '"a"' + "]" * 9 + "}\n"
    yield Format("deep.jsonl", _write(deep * 3), _use_corpus)
    for suffix in ("mrg", "sst"):
        bracketed = " ".join(str(tree) for tree in reviews.column("tree"))
        text = bracketed if suffix == "mrg" else "(3 (2 a) (4 (2 good) (2 film)))\n" * 3
        yield Format(f"trees.{suffix}", _write(text), _use_corpus)
    yield Format("words.conllu", _write(_CONLLU * 3), _use_corpus)
    yield Format("searched.conllu", _write(_CONLLU * 3), _use_dependencies)
    yield Format("names.conll", _write("Ann\tB-P\nLee\tI-P\nleft\tO\n\nBo\tB-P\n" * 3), _use_corpus)
    if importlib.util.find_spec("spacy"):
        names = _few(corpora()["entities"])
        yield Format("names.spacy", lambda path: write_corpus(names, path), _use_corpus, slow=True)
    yield Format(
        "pairs.scan",
        _write("IN: walk twice OUT: I_WALK I_WALK\nIN: jump OUT: I_JUMP\n"),
        lambda path: read_corpus(path, format="scan"),
    )
    yield Format("pairs.jsonl", lambda path: write_corpus(pairs, path), _use_corpus)
    yield from formats_of_others(_use_corpus)
    yield from published_formats()
    yield Format(
        "brackets.txt",
        _write("(S (NP (DT the) (NN dog)) (VP (VBD ran)))\n" * 4),
        _use_text(lambda text: [str(tree) for tree in Treebank.parse(text)]),
    )


_CONLLU = (
    "# text = dogs ran\n1\tdogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n"
    "2\tran\trun\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"
)


def _folder_formats() -> Iterator[Format]:
    def use(path: Path) -> None:
        folder = path.parent / f"{path.stem}.hf"
        folder.mkdir(exist_ok=True)
        (folder / "dataset_dict.json").write_bytes(path.read_bytes())
        read_corpus(folder)

    yield Format("dataset_dict.json", _write('{"splits": ["train", "test"]}'), use)


def _grammar_formats() -> Iterator[Format]:
    held = corpora()
    for name in ("sub2", "treemix", "geca", "geca-stream", "alp", "alp-code", "eda", "switchout",
                 "fluent", "fluent-learnt", "agree", "sub2-spans", "mention-replacement",
                 "label-wise"):  # fmt: skip
        method, corpus, options = METHODS_TRIED[name]
        count, more = SMALLER.get(name, (EXAMPLES, {}))
        source, options = _few(held[corpus], count), {**options, **more}
        suffix = METHODS[method].suffixes[0]
        yield Format(
            f"{name}{suffix}",
            lambda path, m=method, c=source, o=options: induce(m, c, **o).grammar.save(path),
            _use_sampler,
            slow=True,
        )
    yield Format("fluent-language.arrow", _save_language_fit, _use_grammar)
    yield Format("prompted.arrow", _save_prompted, _look_at)
    yield Format("names.json", _save_names, _use_sampler)
    yield Format("grammar-classes.json", _save_class_grammars, _use_sampler, slow=True)
    skipped = ("bayes-tsg", "latent", *METHODS)
    for name, suffix, make in families(held):
        if name not in skipped:
            yield Format(f"{name}{suffix}", _saving(make), _use_grammar, slow=True)
        if name == "latent":
            yield Format("latent.arrow", _saving(make), _use_parser, slow=True)


def _saving(make: Callable[[], Any]) -> Make:
    return lambda path: make().save(path)


def _save_language_fit(path: Path) -> None:
    """Write a grammar that a language model chooses from; the model itself is somewhere else."""
    corpus = _few(read_reviews())
    inner = induce("fluent", corpus, of="sub2(phrase=true)").grammar
    texts = tuple(corpus.column("text"))
    fit = LanguageFit("/no/model", "cpu", "0" * 64, tuple(corpus.column("id")), {"text": texts})
    options = {**inner.options, "model": "/no/model"}
    TiltedGrammar("fluent", inner, fit, options).save(path)


def _save_prompted(path: Path) -> None:
    """Write a grammar of texts for a model, without asking one."""
    corpus = _few(read_reviews())
    options = asdict(PromptedOptions(model="no/model"))
    ModelGrammar(
        "prompted", "1", options, corpus, np.arange(len(corpus)), "0" * 64, 1, np.zeros(0)
    ).save(path)


def _save_names(path: Path) -> None:
    Names.of(good="great, well made", bad="dull", templates="a NAME film | so NAME !").grammar.save(
        path
    )


def _save_class_grammars(path: Path) -> None:
    induce("grammar", _few(read_reviews(), 24), length="3:9").grammar.save(path)


NOTATIONS = {
    "gbnf": 'root ::= "a"{1,3} ws ([^b-d\\n] | "\\u00e9")* root?\nws ::= | " " # space\n',
    "antlr": "grammar G;\ns : a=ID '+' (s | X)* EOF # sum ;\nID : [a-c]+ ~'d' -> skip ;\n"
    "X : '0'..'9' ;\n",
    "ebnf": "s ::= \"a\" [b-d#x41]* (t | 'u')? /* so */\nt ::= #x20 s\n",
    "bnf": '<s> ::= "a" <t t> | b ; so\n<t t> ::= <s> | ""\n',
    "jsonschema": json.dumps(
        {
            "type": "object",
            "properties": {
                "a": {"type": "string", "pattern": "^[a-c]{1,2}|d$"},
                "b": {"type": ["integer", "null"], "minimum": 0, "maximum": 9},
                "c": {
                    "prefixItems": [{"$ref": "#/$defs/d"}],
                    "items": {"$ref": "#"},
                    "maxItems": 3,
                },
            },
            "required": ["b"],
            "$defs": {"d": {"anyOf": [{"enum": ["x", 1]}, {"const": None}, {"minLength": 2}]}},
        }
    ),
}
"""Grammars of other tools, by the form in which they are read."""


def _other_formats() -> Iterator[Format]:
    notation = "S -> 'a' S [1/3] | {NP^<S>} [2/3]\n{NP^<S>} -> \"it's\" [0.5] | 'b' 'c' [0.5]\n"
    yield Format("notation.txt", _write(notation), _use_text(Grammar.parse))
    yield Format(
        "pairs.txt",
        _write("NT_1 twice ### NT_1 NT_1 [0.2]\njump ### JUMP [0.4]\nwalk ### WALK [0.4]\n"),
        _use_text(lambda text: SynchronousGrammar.parse(text)),
    )
    lark = 'start: "a" start? | b+\nb: "x" ("y" | "z")* -> named\n'
    yield Format("grammar.lark", _write(lark), _use_text(from_lark), slow=True)
    for form, text in NOTATIONS.items():
        reader = functools.partial(read_notation, form=form)
        yield Format(f"grammar.{form}", _write(text), _use_text(reader))
    yield Format(
        "expression.txt",
        _write("0.7*treemix(high=0.5) + 0.3*(sub2 + eda(alpha_sr=0.1)) | aeda"),
        _use_text(read_expression),
    )

    def train_one(path: Path) -> None:
        train(
            [("walk", "W"), ("jump twice", "J J")],
            config=TrainingConfig(hidden=8, embedding=8, steps=1),
        ).save(path)

    yield Format("model.safetensors", train_one, TrainedModel.load)


def _formats() -> Iterator[Format]:
    yield from _corpus_formats()
    yield from _folder_formats()
    yield from folder_formats()
    yield from _other_formats()
    yield from _grammar_formats()
    yield from kept_formats()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _WHOLE = tuple(_formats())
FORMATS: Mapping[str, Format] = {
    each.name: each for each in (*_WHOLE, *(form.fields for form in _WHOLE))
}
"""Every format by its name: damaged as it stands, and then in its fields."""
