"""Files and addresses of those who mean harm, or who make mistakes."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from collections.abc import Iterator

import pyarrow as pa

TEXTS = (
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg/onload=alert(1)>",
    "javascript:alert(1)", "{{ 7 * 7 }}", "{% include 'base.html' %}", "${7*7}", "{{ self }}",
    "../../etc/passwd", "..\\..\\x", "/etc/passwd", "file:///etc/passwd", "nltk:treebank", "-",
    "\x00", "\x1b[2J", "\r\nSet-Cookie: a=b", "\ud7ff\uffff", "\u202e\u2066", "%00%0d%0a",
    "' OR 1=1 --",
    "a" * 9_999, "(" * 300, "/" + "(a+)+" * 40 + "$/", "/(?=a)/", "/[/", "A < " * 300, "@ M (@M)",
    "@ a B ; " * 100, "__=a .. __=b .. __=c", "__ < __=a << __=b .. __=c",
    "pattern { A[];B[];C[];D[];E[];F[];G[];H[] }", 'pattern { X [form=re"(a+)+$"] }',
    "pattern { X [<script>=1] }",
    "pattern { " + "X -> Y; " * 900 + "}", "pattern { X [form=re\"(\"] }",
    "! " * 99, "=n", "A=n < B=n",
    "A <99999999999999999999 B", "A <-0 B", ";;;;", ":", "\"", "i@", "*",
    "\u0665", "1e9", "-1", "0x10",
    "9" * 30, "NaN", "inf", "None", "true", "[]", "__class__", "__init__.__globals__",
)  # fmt: skip
PLACES = (
    ("/treebank/embedded", "pattern"), ("/treebank/embedded", "count"),
    ("/treebank/embedded", "by"),
    ("/treebank/embedded", "page"), ("/treebank/embedded", "rows"),
    ("/treebank/embedded/hits.tsv", "pattern"),
    ("/treebank/embedded/hits.svg", "page"), ("/treebank/embedded/counts.tsv", "count"),
    ("/dependencies/words-conllu", "pattern"), ("/dependencies/words-conllu", "count"),
    ("/dependencies/words-conllu", "by"), ("/dependencies/words-conllu", "page"),
    ("/dependencies/words-conllu/counts.tsv", "count"),
    ("/dependencies/words-conllu/hits.svg", "pattern"),
    ("/synchronous/pairs-json", "source"), ("/synchronous/pairs-json", "targets"),
    ("/grammar/rules-of-embedded", "symbol"), ("/grammar/rules-of-embedded", "top"),
    ("/grammar/rules-of-embedded", "treebank"), ("/corpus/texts-csv", "page"),
    ("/corpus/rows-of-made-jsonl/example", "id"), ("/corpus/source-jsonl/example", "source"),
    ("/parse", "sentence"),
    ("/parse", "grammar"), ("/parse", "trees"), ("/sample", "grammar"), ("/sample", "n"),
    ("/sample", "seed"), ("/sample", "longest"), ("/sample", "construction"), ("/sample", "words"),
    ("/quality", "original"), ("/quality", "augmented"),
    ("/compare", "a"), ("/compare", "unit"), ("/compare", "seed"),
)  # fmt: skip
NEEDED = {
    "/treebank/embedded": {"pattern": "PP < NP=o"},
    "/treebank/embedded/hits.svg": {"pattern": "PP"},
    "/treebank/embedded/counts.tsv": {"pattern": "PP"},
    "/dependencies/words-conllu": {"pattern": "pattern { X -> Y }"},
    "/dependencies/words-conllu/counts.tsv": {"pattern": "pattern { X -> Y }"},
    "/synchronous/pairs-json": {"source": "<b>walk</b>"},
    "/parse": {"sentence": "fish swim", "grammar": "fish-txt"},
    "/sample": {"grammar": "fish-txt"},
    "/quality": {"original": "source-jsonl", "augmented": "source-jsonl"},
    "/compare": {"a": "odd-mrg", "b": "odd-mrg"},
}
SIGNS = "SNPV<>.,$%!?&|[]()=@:;*\"/i'-12 \n\t\x00é\U0001f600"


def addresses(count: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield pages with their parameters: every text, at places drawn at random."""
    drawn = random.Random(51)
    for number in range(count):
        path, name = drawn.choice(PLACES)
        text = TEXTS[number % len(TEXTS)]
        if number >= 3 * len(TEXTS):
            text = "".join(drawn.choices(SIGNS, k=drawn.randrange(1, 60)))
        yield path, {**NEEDED.get(path, {}), name: text}


def files() -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of files that are none of what can be opened."""
    yield from _texts()
    yield from _binaries()


def _texts() -> Iterator[tuple[str, bytes]]:
    yield from (
        ("empty.mrg", b""), ("open.mrg", b"(S (NP we)"), ("closed.mrg", b"(S we))"),
        ("deep.mrg", b"(A" * 50_000), ("latin.mrg", "(S caf\xe9)".encode("latin-1")),
        ("words.mrg", b"no brackets at all"), ("nul.mrg", b"(S \x00 (NP)"), ("empty.csv", b""),
        ("quote.csv", b'text,label\n"never closed,1\n'), ("ragged.tsv", b"text\tlabel\na\tb\tc\n"),
        ("list.jsonl", b"[1, 2, 3]\n"), ("cut.jsonl", b'{"text": "a"\n'),
        ("deep.jsonl", b"[" * 100_000),
        ("g.json", b"{}"), ("null.json", b"null"), ("deep.json", b'{"a":' * 50_000),
        ("family.json", b'{"directed": true, "graph": {"family": "x"}, "nodes": [], "edges": []}'),
        ("weights.txt", b"S -> 'a' [2]\n"), ("rule.txt", b"S -> -> S\n"),
        ("prose.txt", b"once upon a time\n"),
        ("cycle.conllu", b"1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"),
        ("cut.conllu", b"1\ta\n"), ("page.html", b"<script>alert(1)</script>"),
        ("tree.csv", b"text,tree\na,(S (NP a)\n"), ("none.mrg", b"\n\n\n"),
    )  # fmt: skip


def _binaries() -> Iterator[tuple[str, bytes]]:
    yield "cut.parquet", b"PAR1" + bytes(100)
    yield "noise.parquet", random.Random(1).randbytes(2_000)
    yield "noise.arrow", random.Random(2).randbytes(2_000)
    yield "bomb.mrg.gz", gzip.compress(b"(" * 400_000_000, 1)[:2_000_000]
    yield "zeros.json.gz", gzip.compress(bytes(30_000_000))
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as made:
        made.writestr("../../out.mrg", "(S a)")
    yield "slip.zip", kept.getvalue()
    stream = io.BytesIO()
    with pa.ipc.new_file(stream, pa.schema([("a", pa.int32())])) as written:
        written.write_table(pa.table({"a": pa.array([1, 2], pa.int32())}))
    yield "other.arrow", stream.getvalue()
    yield "half.arrow", stream.getvalue()[:200]
