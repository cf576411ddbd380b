"""The output of every method and the saved file of every family, as a table of hashes.

``python -m tests.guards.golden`` writes ``golden.json``. It makes everything twice, without WordNet
and with it, so that neither half is forgotten. Numbers are hashed to nine digits, so that the table
holds on processors whose mathematical functions differ in the last bits; all else is hashed as it
is.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.pcfg.grammar import Grammar
from induction.bayes.induce import induce_bayes_tsg
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews, read_treebank
from induction.counts.pcfg import induce_pcfg
from induction.fragments.dop import dop_reduction, induce_double_dop
from induction.lexicalised.lpcfg import induce_lpcfg
from induction.parsers.training import induce_parser
from induction.synchronous.induce import induce_synchronous
from induction.terms.induce import induce_from_terms
from sampling.english import wordnet
from sampling.method import METHODS, induce
from scan.generator import generate

TABLE = Path(__file__).with_name("golden.json")

N = 150

NAMES = (
    "bad, dull, boring, awful, poor, weak, cold, slow, rude, dirty, loud, broken, sad, late, stale",
    "good, great, moving, funny, fine, warm, quick, kind, clean, fresh, smart, bright, rich, neat",
)

BY_LENGTH = "sub2(phrase=true, length=true)"  # so that there are not millions of pairs

METHODS_TRIED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "sub2": ("sub2", "reviews", {"phrase": True}),
    "sub2-code": ("sub2", "reviews", {"faithful": "code", "task": "constituency"}),
    "sub2-repaired": ("sub2", "texts", {"text_label": True, "repair": "article,capital,final"}),
    "treemix": ("treemix", "reviews", {}),
    "treemix-code": ("treemix", "reviews", {"faithful": "code"}),
    "randmix": ("randmix", "texts", {}),
    "geca": ("geca", "pairs", {"size": 2}),
    "geca-code": ("geca", "pairs", {"faithful": "code"}),
    "geca-weighted": ("geca", "pairs", {"draw": "weighted"}),
    "geca-stream": ("geca-stream", "texts", {"size": 2, "window": 1}),
    "grammar": ("grammar", "reviews", {}),
    "grammar-pcfg": ("grammar", "reviews", {"length": "4:12", "model": "pcfg"}),
    "grammar-coverage": ("grammar", "reviews", {"length": "4:12", "distribution": "coverage"}),
    "grammar-double-dop": ("grammar", "reviews", {"length": "4:12", "model": "double-dop"}),
    "names": ("names", "texts", {"0": NAMES[0], "1": NAMES[1]}),
    "alp": ("alp", "parsed", {}),
    "alp-code": ("alp", "parsed", {"faithful": "code"}),
    "eda": ("eda", "texts", {}),
    "eda-code": ("eda", "texts", {"faithful": "code"}),
    "aeda": ("aeda", "texts", {}),
    "random-word": ("random-word", "texts", {}),
    "switchout": ("switchout", "pairs", {"target": True}),
    "worddrop": ("worddrop", "texts", {}),
    "shuffle": ("shuffle", "texts", {}),
    "shuffle-tree": ("shuffle", "reviews", {"structure": "tree"}),
    "sub2-spans": ("sub2", "entities", {"task": "spans"}),
    "shuffle-segments": ("shuffle", "entities", {"structure": "segments"}),
    "mention-replacement": ("mention-replacement", "entities", {}),
    "label-wise": ("label-wise", "entities", {}),
    "fluent": ("fluent", "parsed", {"of": "treemix", "candidates": 8}),
    "fluent-exact": ("fluent", "parsed", {"of": BY_LENGTH, "most_pairs": 2**24}),
    "fluent-learnt": ("fluent", "parsed", {"of": BY_LENGTH, "score": "learnt"}),
    "fluent-words": ("fluent", "texts", {"of": "random-word", "candidates": 8}),
    "fluent-grammar": ("fluent", "reviews", {"of": "grammar"}),
    "fluent-alp": ("fluent", "parsed", {"of": "alp(synonym=0)", "candidates": 8}),
    "agree": ("agree", "parsed", {"of": "treemix"}),
}  # fmt: skip


def corpora() -> dict[str, Corpus]:
    """What the package brings itself, in the forms that methods read."""
    reviews = read_reviews()
    names = [name for name in reviews.names if name not in ("tree", "tokens")]
    pairs = generate()
    return {
        "reviews": reviews,
        "parsed": Corpus(reviews.table.slice(0, 120)),
        "texts": Corpus(reviews.table.select(names)),
        "pairs": Corpus(pairs.table.slice(0, 400)),
        "entities": _with_spans(Corpus(reviews.table.select(names))),
    }


def _with_spans(corpus: Corpus) -> Corpus:
    """Return a corpus in which words behind articles, and some other words, are labelled."""
    pattern = re.compile(r"\b(?:(?P<NP>(?:the|an?) \w+)|(?P<VP>is|was|has))\b")
    spans = [
        [{"start": m.start(), "end": m.end(), "label": m.lastgroup} for m in pattern.finditer(text)]
        for text in corpus.column("text")
    ]
    return corpus.with_column("spans", spans)


def rounded(value: Any) -> Any:
    """Return a value of JSON whose numbers have at most nine digits."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, dict):
        return {str(key): rounded(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(held) for held in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def digest(value: Any) -> str:
    """Return the hash of a value of JSON."""
    text = json.dumps(rounded(value), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_of_rows(table: pa.Table) -> str:
    """Return the hash of a table's columns and rows."""
    return digest([table.column_names, table.to_pylist()])


def digest_of_file(path: Path) -> str:
    """Return the hash of a saved grammar: JSON, text, or Arrow with what its schema says."""
    if path.suffix == ".arrow":
        with pa.memory_map(str(path)) as source:
            table = pa.ipc.open_file(source).read_all()
            metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            metadata.pop("seal", None)  # it changes with the last bits of numbers
            names = table.column_names
            if "latent" in metadata.get("schema", ""):
                # which halves of states are merged again can hang on the last bits of products of
                # matrices, which BLAS computes otherwise on other processors: what was counted in
                # trees does not
                counted = ("lhs", "nonterminals", "offsets", "rhs", "rule_count", "tags")
                table = table.select(
                    [name for name in names if name in counted or name.startswith("heads.")]
                )
            return digest([metadata, names, table.to_pylist()])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        document = json.loads(text)
        document.pop("seal", None)
        return digest(document)
    number = re.compile(r"\d+\.\d+(?:e-?\d+)?")
    return digest(number.sub(lambda found: f"{float(found[0]):.9g}", text))


def outputs(name: str, held: dict[str, Corpus]) -> dict[str, str]:
    """Return the hashes of what a method makes, asked for in four ways."""
    method, corpus, options = METHODS_TRIED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = induce(method, held[corpus], **options)
        first = sampler.sample(N, seed=0).table
        batches = list(sampler.batches(N, seed=0, workers=2, batch_size=37))
        return {
            "sample": digest_of_rows(first),
            "start": digest_of_rows(sampler.sample(40, seed=0, start=60).table),
            "seed": digest_of_rows(sampler.sample(40, seed=7).table),
            "batches": digest_of_rows(pa.concat_tables(batches)),
        }


def families(held: dict[str, Corpus]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield every family: its name, the suffix of its file, and what induces a small grammar."""
    treebank = read_treebank()[:60]
    yield "pcfg", ".json", lambda: induce_pcfg(treebank, horizontal_markov=2)
    yield "pcfg-text", ".txt", lambda: Grammar.parse("S -> 'a' S [1/3] | 'b' [2/3]")
    yield "lpcfg", ".json", lambda: induce_lpcfg(treebank)
    yield "dop", ".json", lambda: dop_reduction(treebank[:10])
    yield "double-dop", ".json", lambda: induce_double_dop(treebank)
    yield "bayes-tsg", ".json", lambda: induce_bayes_tsg(treebank, iterations=3, seed=0)
    yield (
        "latent",
        ".arrow",
        lambda: induce_parser(treebank, models=1, rounds=1),
    )
    yield "synchronous", ".json", lambda: induce_synchronous(held["pairs"]).core
    yield "synchronous-text", ".txt", lambda: induce_synchronous(held["pairs"]).core
    yield "terms", ".json", lambda: induce_from_terms(_term_pairs()).grammar
    for method in ("sub2", "treemix", "randmix"):
        yield method, ".arrow", lambda m=method: induce(m, held["parsed"]).grammar
    yield "alp", ".arrow", lambda: induce("alp", held["parsed"]).grammar
    yield "geca", ".json", lambda: induce("geca", held["pairs"], size=2).grammar


def _term_pairs() -> list[tuple[str, str]]:
    people, acts = ("Ann", "Bob", "Cy"), ("sleep", "run")
    return [(f"{who} {act}s", f"{act} ( agent = {who} )") for who in people for act in acts]


def saved(family: str, suffix: str, make: Callable[[], Any], folder: Path) -> Path:
    """Save a family's grammar and return where."""
    path = folder / f"{family}{suffix}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make().save(path)
    return path


def without_models() -> set[str]:
    """Methods whose bytes are the same on all machines; those of neural models are not."""
    return {name for name, method in METHODS.items() if not method.needs_model}


@contextmanager
def without_wordnet() -> Iterator[None]:
    """Let NLTK find no WordNet in this block."""
    import nltk

    here = nltk.data.path[:]
    wordnet.wordnet.cache_clear()
    nltk.data.path[:] = []
    try:
        yield
    finally:
        nltk.data.path[:] = here
        wordnet.wordnet.cache_clear()


def table() -> dict[str, dict[str, Any]]:
    """Return the hashes of every method and family, with WordNet or without, as it is here."""
    held = corpora()
    made: dict[str, dict[str, Any]] = {"methods": {}, "files": {}}
    for name in METHODS_TRIED:
        made["methods"][name] = outputs(name, held)
    with tempfile.TemporaryDirectory() as folder:
        for family, suffix, make in families(held):
            made["files"][family] = digest_of_file(saved(family, suffix, make, Path(folder)))
    return made


def main() -> None:
    """Write the table."""
    missing = without_models() - {method for method, _, _ in METHODS_TRIED.values()}
    if missing:
        sys.exit(f"not tried: {missing}")
    if wordnet.wordnet_version() is None:
        sys.exit("half of the table needs WordNet: point NLTK_DATA at a folder that has it")
    with_wordnet = table()
    with without_wordnet():
        anywhere = table()
    differs = {
        part: {name: digest for name, digest in rows.items() if digest != anywhere[part][name]}
        for part, rows in with_wordnet.items()
    }
    text = json.dumps({"anywhere": anywhere, "with WordNet": differs}, indent=1)
    TABLE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
