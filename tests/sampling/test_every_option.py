"""Every option of every method on real data, and what must hold for all methods alike.

Each row of the table below names what an option is compared with: the examples that the method
gives without it. An option that changes no byte of them does nothing, and fails its test. (The
options of ALP are exercised on real sentences in ``test_alp``: they need a parser.)
"""

from __future__ import annotations

import gzip
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, read_sst
from induction.corpus.readers import read_reviews
from sampling.examples.labels import check_corpus
from sampling.method import METHODS, induce
from sampling.stream import Sampler, ShortfallWarning

EXAMPLES = 120

Case = tuple[str, str, dict[str, Any], dict[str, Any]]
"""A method, its corpus, options that it needs anyway, and those that are exercised."""

NO_WORDS_PUT_IN = {"alpha_ri": 0, "alpha_rd": 0}
SYNONYMS = {"alpha_sr": 0.3, "alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0}
INSERTIONS = {"alpha_sr": 0, "alpha_ri": 0.2, "alpha_rs": 0, "alpha_rd": 0}
SWAPS = {"alpha_sr": 0, "alpha_ri": 0, "alpha_rs": 0.4, "alpha_rd": 0}
NAMES_FILE = "examples/names/sst2.txt"
SAID = {"0": "bad, dull, boring, poor", "1": "good, great, moving, fine"}
WORDS_OF_TEXTS = r"\b(film|movie|the|of)\b"

OF_A_MODEL = {
    "fluent": ("model", "model_power", "chosen", "device"),
    "names": ("model", "words", "tested", "device"),
}
"""Options that are exercised where there is a model (``neural/test_causal``, ``names/test_found``).
"""

CASES: tuple[Case, ...] = (
    ("sub2", "trees", {}, {"phrase": True}),
    ("sub2", "trees", {}, {"length": True}),
    ("sub2", "trees", {}, {"text_label": True}),
    ("sub2", "trees", {"phrase": True}, {"label": True}),
    ("sub2", "trees", {"phrase": True}, {"sentiment": True}),
    ("sub2", "trees", {"phrase": True}, {"backbone": "balanced"}),
    ("sub2", "trees", {"phrase": True}, {"whole": True}),
    ("sub2", "trees", {"phrase": True}, {"min_words": 3}),
    ("sub2", "trees", {"phrase": True}, {"max_words": 3}),
    ("sub2", "trees", {"phrase": True}, {"protect": WORDS_OF_TEXTS}),
    ("sub2", "texts", {}, {"repair": "article,capital,final"}),
    ("sub2", "trees", {}, {"task": "constituency"}),
    ("sub2", "trees", {"task": "constituency"}, {"faithful": "code"}),
    ("sub2", "heads", {"tokenised": True, "phrase": False}, {"task": "tags"}),
    ("sub2", "heads", {"tokenised": True, "phrase": False}, {"task": "dependency"}),
    ("sub2", "heads", {"task": "tags", "tokenised": False}, {"tokenised": True}),
    ("sub2", "heads", {"task": "dependency", "tokenised": True}, {"projective": True}),
    ("sub2", "two trees", {"phrase": True}, {"distinct": False}),
    ("sub2", "entities", {"phrase": False}, {"task": "spans"}),
    ("treemix", "trees", {}, {"mix": "same"}),
    ("treemix", "trees", {}, {"mix": "cross"}),
    ("treemix", "trees", {}, {"same_length": True}),
    ("treemix", "trees", {}, {"same_label": True}),
    ("treemix", "trees", {}, {"classes": 7}),
    ("treemix", "trees", {}, {"low": 0.2}),
    ("treemix", "trees", {}, {"high": 0.5}),
    ("treemix", "trees", {}, {"min_children": 1}),
    ("treemix", "trees", {}, {"strict": True}),
    ("treemix", "trees", {}, {"insert_ratio": "source"}),
    ("treemix", "trees", {}, {"protect": WORDS_OF_TEXTS}),
    ("treemix", "trees", {}, {"repair": "capital"}),
    ("treemix", "trees", {}, {"faithful": "code"}),
    ("treemix", "few trees", {"low": 0, "high": 0.2}, {"distinct": False}),
    ("treemix", "spaced trees", {}, {"tokenised": True}),
    ("randmix", "texts", {}, {"threshold": 0.5}),
    ("randmix", "texts", {}, {"draw": "fixed"}),
    ("randmix", "texts", {}, {"draw": "grid"}),
    ("randmix", "texts", {}, {"faithful": "code"}),
    ("randmix", "texts", {}, {"mix": "same"}),
    ("randmix", "texts", {}, {"mix": "cross"}),
    ("randmix", "texts", {}, {"same_length": True}),
    ("randmix", "texts", {}, {"classes": 4}),
    ("randmix", "texts", {}, {"protect": WORDS_OF_TEXTS}),
    ("randmix", "texts", {}, {"repair": "article"}),
    ("randmix", "two trees", {"threshold": 0.1}, {"distinct": False}),
    ("randmix", "spaced trees", {}, {"tokenised": True}),
    ("geca", "pairs", {}, {"gaps": 3}),
    ("geca", "pairs", {}, {"size": 2}),
    ("geca", "pairs", {}, {"window": 1}),
    ("geca", "many pairs", {}, {"max_count": 2_000}),
    ("geca", "pairs", {}, {"max_length": 12}),
    ("geca", "pairs", {}, {"max_source_length": 20}),
    ("geca", "pairs", {}, {"pool": "templates"}),
    ("geca", "pairs", {}, {"disjoint": True}),
    ("geca", "pairs", {"pool": "templates", "variants": 2}, {"max_adjacencies": 1}),
    ("geca", "pairs", {}, {"variants": 1}),
    ("geca", "pairs", {}, {"limit": 50}),
    ("geca", "pairs", {}, {"draw": "weighted"}),
    ("geca", "pairs", {}, {"draw": "corpus"}),
    ("geca", "texts", {"gaps": 1, "size": 2, "window": 1}, {"protect": r"\b(is|it|as)\b"}),
    ("geca", "pairs", {}, {"faithful": "code"}),
    ("geca", "texts", {"gaps": 1, "size": 2, "window": 1}, {"labels": "source"}),
    ("geca", "texts", {"gaps": 1, "size": 2, "window": 1, "labels": "source"}, {"labels": "same"}),
    ("geca-stream", "texts", {}, {"gaps": 2}),
    ("geca-stream", "texts", {}, {"size": 1}),
    ("geca-stream", "texts", {}, {"window": 1}),
    ("geca-stream", "texts", {}, {"max_count": 5}),
    ("geca-stream", "texts", {}, {"max_length": 10}),
    ("geca-stream", "texts", {}, {"labels": "source"}),
    ("geca-stream", "texts", {"labels": "source"}, {"labels": "same"}),
    ("geca-stream", "texts", {"window": 1}, {"protect": r"\b(is|it|as)\b"}),
    ("grammar", "reviews", {"length": "4:12"}, {"model": "pcfg"}),
    ("grammar", "reviews", {"length": "4:12", "model": "pcfg"}, {"model": "lpcfg"}),
    ("grammar", "reviews", {"length": "4:12"}, {"model": "double-dop"}),
    ("grammar", "reviews", {"length": "4:12"}, {"distribution": "uniform"}),
    ("grammar", "reviews", {"length": "4:12"}, {"distribution": "tempered", "temperature": 2.0}),
    ("grammar", "reviews", {"length": "4:12"}, {"distribution": "inverse-frequency"}),
    ("grammar", "reviews", {"length": "4:12"}, {"distribution": "coverage"}),
    ("grammar", "reviews", {}, {"length": "7"}),
    ("grammar", "reviews", {"length": "4:12"}, {"contains": "food"}),
    ("grammar", "reviews", {"length": "4:12"}, {"avoid": "the ."}),
    ("grammar", "trees", {"length": "4:12"}, {"shares": "equal"}),
    ("grammar", "reviews", {"length": "4:12"}, {"horizontal_markov": 2}),
    ("grammar", "reviews", {"length": "4:12"}, {"vertical_markov": 1}),
    ("grammar", "reviews", {"length": "4:12"}, {"trees": False}),
    ("grammar", "reviews", {"length": "3:4"}, {"distinct": False}),
    ("grammar", "reviews", {"length": "4:12"}, {"file": "examples/labelled.txt"}),
    ("names", "texts", {"negative": "bad", "positive": "good"}, {"file": NAMES_FILE}),
    ("names", "texts", {"file": NAMES_FILE}, {"named": {"negative": "odd"}}),
    ("names", "texts", SAID, {"templates": "so NAME ! | oh NAME"}),
    ("names", "texts", SAID, {"neighbours": 3}),
    ("names", "texts", SAID, {"trees": True}),
    ("names", "texts", SAID, {"distinct": False}),
    ("eda", "texts", {}, {"faithful": "code"}),
    ("eda", "texts", {}, {"alpha_sr": 0.4}),
    ("eda", "texts", {}, {"alpha_ri": 0.4}),
    ("eda", "texts", {}, {"alpha_rs": 0.4}),
    ("eda", "texts", {}, {"alpha_rd": 0.4}),
    ("eda", "texts", SYNONYMS, {"stop_words": "none"}),
    ("eda", "texts", SYNONYMS, {"inflect": False}),
    ("eda", "texts", {}, {"repair": "none"}),
    ("eda", "texts", SYNONYMS, {"senses": "all"}),
    ("eda", "texts", SYNONYMS, {"never": "none"}),
    ("eda", "texts", SYNONYMS, {"phrases": False}),
    ("eda", "texts", SYNONYMS, {"all_occurrences": True}),
    ("eda", "heads", {**SYNONYMS, "senses": "all", "inflect": False}, {"pos": "tag"}),
    ("eda", "texts", INSERTIONS, {"at_end": False}),
    ("eda", "texts", INSERTIONS, {"insert_stop_words": True}),
    ("eda", "texts", INSERTIONS, {"first_synonym": True}),
    ("eda", "few texts", SWAPS, {"redraws": 1}),
    ("eda", "texts", {}, {"balanced": True}),
    ("eda", "few texts", {"balanced": True}, {"num_aug": 4}),
    ("eda", "texts", {}, {"clean": True}),
    ("eda", "texts", {}, {"protect": WORDS_OF_TEXTS}),
    ("eda", "few texts", SWAPS | {"alpha_rs": 0.1}, {"distinct": False}),
    ("aeda", "texts", {}, {"faithful": "code"}),
    ("aeda", "texts", {}, {"ratio": 0.1}),
    ("aeda", "texts", {}, {"one_more": True}),
    ("aeda", "texts", {}, {"at_end": False}),
    ("aeda", "texts", {}, {"marks": "!?"}),
    ("aeda", "texts", {}, {"protect": "."}),
    ("aeda", "few texts", {"marks": "!", "ratio": 0.0}, {"distinct": False}),
    ("random-word", "texts", {}, {"faithful": "code", "replaced": 2}),
    ("random-word", "texts", {}, {"draw": "unigram"}),
    ("random-word", "heads", {}, {"same_tag": True}),
    ("random-word", "texts", {}, {"protect": WORDS_OF_TEXTS}),
    ("random-word", "few texts", {"draw": "unigram"}, {"distinct": False}),
    ("switchout", "texts", {}, {"faithful": "code"}),
    ("switchout", "texts", {}, {"inverse_temperature": 0.2}),
    ("switchout", "texts", {}, {"exact": False}),
    ("switchout", "pairs", {}, {"target": True}),
    ("switchout", "texts", {}, {"protect": WORDS_OF_TEXTS}),
    ("switchout", "texts", {}, {"distinct": False}),
    ("worddrop", "texts", {}, {"p": 0.4}),
    ("worddrop", "texts", {}, {"blank": "<unk>"}),
    ("worddrop", "texts", {}, {"protect": WORDS_OF_TEXTS}),
    ("worddrop", "texts", {}, {"distinct": False}),
    ("worddrop", "texts", {}, {"faithful": "code"}),
    ("shuffle", "trees", {}, {"structure": "tree"}),
    ("shuffle", "trees", {"structure": "tree"}, {"rate": 0.2}),
    ("shuffle", "heads", {}, {"structure": "dependency"}),
    ("shuffle", "texts", {}, {"protect": WORDS_OF_TEXTS}),
    ("shuffle", "short texts", {}, {"distinct": False}),
    ("shuffle", "short texts", {}, {"faithful": "code"}),
    ("shuffle", "entities", {}, {"structure": "segments"}),
    ("mention-replacement", "entities", {}, {"p": 0.9}),
    ("mention-replacement", "entities", {}, {"protect": r"\b[A-M]\w*\b"}),
    ("mention-replacement", "few entities", {}, {"distinct": False}),
    ("label-wise", "entities", {}, {"p": 0.7}),
    ("label-wise", "entities", {}, {"protect": r"\bthe\b"}),
    ("label-wise", "few entities", {"p": 0.1}, {"distinct": False}),
    ("fluent", "some trees", {}, {"of": "sub2(phrase=true)"}),
    ("fluent", "some trees", {}, {"score": "learnt"}),
    ("fluent", "some trees", {}, {"power": 1.0}),
    ("fluent", "trees", {"most_pairs": 0}, {"candidates": 4}),
    ("fluent", "few trees", {}, {"most_pairs": 0}),
    ("fluent", "some trees", {}, {"candidates_per_source": 4}),
    ("agree", "trees", {}, {"of": "sub2(phrase=true)"}),
    ("agree", "trees", {}, {"folds": 3}),
)  # fmt: skip
IDS = [f"{method}-{'-'.join(f'{k}={v}' for k, v in on.items())}" for method, _, _, on in CASES]


@pytest.fixture(scope="module")
def corpora(data_folder: Path) -> dict[str, Corpus]:
    """Real corpora of every kind that some method needs."""
    trees = Corpus(read_sst(data_folder / "sst" / "dev.txt.gz").table.slice(0, 250))
    with gzip.open(data_folder / "sst2/stsa.binary.dev.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(" ", 1) for line in lines][:250]
    texts = Corpus.from_columns(text=[text for _, text in rows], label=[int(c) for c, _ in rows])
    words = [len(text.split()) for text in texts.column("text")]
    heads = read_corpus(next((data_folder / "ud/UD_Lithuanian-HSE").glob("*train*")))
    scan = data_folder / "scan/simple_split/size_variations"
    entities = Corpus(read_corpus(data_folder / "ner/wnut17/dev.conll.gz").table.slice(0, 250))
    short = [i for i, length in enumerate(words) if length <= 4]
    return {
        "trees": trees,
        "some trees": Corpus(trees.table.slice(0, 80)),
        "few trees": Corpus(trees.table.slice(0, 12)),
        "two trees": Corpus(trees.table.slice(0, 2)),
        "spaced trees": trees.with_column(
            "text", pa.array([text.replace(" ", "  ") for text in trees.column("text")])
        ),
        "texts": texts,
        "few texts": Corpus(texts.table.slice(0, 4)),
        "short texts": Corpus(texts.table.take(pa.array(short))),
        "heads": heads,
        "pairs": read_corpus(scan / "tasks_train_simple_p1.txt.gz", format="scan"),
        "many pairs": read_corpus(scan / "tasks_train_simple_p4.txt.gz", format="scan"),
        "reviews": read_reviews(),
        "entities": entities,
        "few entities": Corpus(entities.table.slice(0, 12)),
    }


def examples(sampler: Sampler, **which: Any) -> pa.Table:
    """Return up to so many examples; some corpora have fewer, which the sampler says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return sampler.sample(EXAMPLES, seed=3, **which).table


@pytest.mark.parametrize(("method", "name", "needed", "exercised"), CASES, ids=IDS)
def test_an_option_changes_what_is_made_and_all_of_it_is_valid(
    request: pytest.FixtureRequest,
    corpora: dict[str, Corpus],
    method: str,
    name: str,
    needed: dict[str, Any],
    exercised: dict[str, Any],
) -> None:
    if method == "eda":
        request.getfixturevalue("wordnet_data")
    corpus = corpora[name]
    corpus = _without(corpus, {"aeda": ("tags", "tree"), "worddrop": ("tree",)}.get(method, ()))
    if method in ("random-word", "eda") and name == "heads":
        corpus = _without(corpus, ("heads", "deprels"))
    with_it = induce(method, corpus, **{**needed, **exercised})
    made = examples(with_it)
    assert not made.equals(examples(induce(method, corpus, **needed)))
    check_corpus(Corpus(made))
    _check_alike(with_it, made, corpus, distinct=_distinct(method, needed | exercised))
    if "protect" in exercised:
        hosts = dict(zip(corpus.column("id"), corpus.column("text"), strict=True))
        for row in Corpus(made):
            kept = re.findall(exercised["protect"], hosts[row["provenance"]["parents"][0]])
            assert Counter(kept) <= Counter(re.findall(exercised["protect"], row["text"]))


def _without(corpus: Corpus, names: tuple[str, ...]) -> Corpus:
    return Corpus(corpus.table.drop_columns([n for n in names if n in corpus.names]))


def _distinct(method: str, options: dict[str, Any]) -> bool:
    default = options.get("faithful") != "code" or method == "geca"
    return bool(options.get("distinct", default))


def _check_alike(sampler: Sampler, made: pa.Table, corpus: Corpus, *, distinct: bool) -> None:
    """Check what every method promises: counts, novelty, and bytes that do not depend on how."""
    assert 0 < made.num_rows <= EXAMPLES
    whole = made.num_rows == EXAMPLES
    assert whole or made.num_rows <= sampler.count()
    index = [row["index"] for row in made["provenance"].to_pylist()]
    assert index == list(range(made.num_rows))
    assert len(set(made["id"].to_pylist())) == made.num_rows
    names = [n for n in ("text", "text_pair", "target") if n in made.column_names]
    texts = list(zip(*(made[n].to_pylist() for n in names), strict=True))
    if distinct:
        assert len(set(texts)) == len(texts)
        assert not set(texts) & set(zip(*(corpus.column(n) for n in names), strict=True))
    known = set(corpus.column("id"))
    assert all(set(row["parents"]) <= known for row in made["provenance"].to_pylist())
    rest = made.num_rows - 50 if whole else made.num_rows // 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        start = made.num_rows - rest
        parts = sampler.batches(rest, seed=3, start=start, workers=3, batch_size=17)
        assert pa.concat_tables(parts).equals(made.slice(made.num_rows - rest))


@pytest.mark.parametrize(
    "method", sorted(m for m in METHODS if m != "alp" and not METHODS[m].needs_model)
)
def test_every_option_and_every_choice_is_in_the_table(method: str) -> None:
    rows = [exercised for name, _, _, exercised in CASES if name == method]
    assert rows
    for option in METHODS[method].options:
        values = [row[option.name] for row in rows if option.name in row]
        if option.name in ("faithful", "separator"):
            continue  # what the mode changes has rows of its own
        if option.name in OF_A_MODEL.get(method, ()):
            continue
        assert values, f"{method}: {option.name} is not exercised"
        assert option.default not in values, f"{method}: {option.name} is exercised by its default"
        if option.choices is not None:
            assert set(option.choices) - {option.default} <= set(values), option.name
