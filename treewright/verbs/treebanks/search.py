"""The verb search: where a construction occurs in a treebank, of trees or of dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import Json, Quiet, Seed, show_facts
from treewright.outputs import FILE, Force
from treewright.terminal import say, show

if TYPE_CHECKING:
    from grammar.dependencies.hits import DependencyHits
    from grammar.dependencies.treebank import DependencyTreebank
    from grammar.search.frequencies import Frequencies
    from grammar.search.hits import Hits
    from grammar.trees.treebank import Treebank

    Found = Hits | DependencyHits

__all__ = ["search"]

_SHOWN = 20


def search(
    trees: Annotated[
        str,
        typer.Argument(
            help="A file or folder of brackets or of CoNLL-U, a table with trees or dependencies, "
            "nltk:NAME, embedded, -."
        ),
    ],
    pattern: Annotated[
        str,
        typer.Argument(
            help="As TGrep2 has it: 'S < (NP=subject $.. VP)'; of CoNLL-U, as Grew has it: "
            "'pattern { V -[obj]-> N }'."
        ),
    ],
    count: Annotated[
        list[str] | None,
        typer.Option(
            help="Count by label or words of the hits, or NAME.label or NAME.words of a node that "
            "has a name; of CoNLL-U, by NODE.lemma and the like; may be repeated."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Count by a column of the table, a comment in CoNLL-U, or file; may be repeated."
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=0, help="Only so many hits, drawn at random.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="How many hits or rows to show or draw.")
    ] = _SHOWN,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar=FILE,
            help="Write the hits, or the counts: .tsv, .csv, .jsonl or .parquet; or pictures with "
            "the hits marked: .svg or .png; or what stands at the hits, as trees: .mrg; or of "
            "CoNLL-U the sentences with hits: .conllu.",
        ),
    ] = None,
    node: Annotated[
        str | None, typer.Option(help="With .mrg: what stands at the node of this name instead.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="With .mrg: the whole trees that have hits instead.")
    ] = False,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="Search the trees without traces and functions (NP for NP-SBJ), as grammars are "
            "induced from them.",
        ),
    ] = False,
    concordance: Annotated[
        bool,
        typer.Option(
            "--concordance",
            help="Show hits in their sentences; with a table, as columns before and after.",
        ),
    ] = False,
    encoding: Annotated[str, typer.Option(help="Encoding of brackets and CoNLL-U.")] = "utf-8",
    discontinuous: Annotated[
        str, typer.Option(help="Discontinuous constituents: refuse, raise or split.")
    ] = "refuse",
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search a treebank for a construction; show, count, draw or save what is found.

    Example: treewright search embedded 'PP < (IN < of) < NP=object' --count object.words --top 5
    """  # fmt: skip
    wanted = [*(by or []), *(count or [])]
    if output and output.endswith((".conllu", ".conllu.gz")):
        more = {"--by or --count": wanted, "--sample": sample is not None, "--json": as_json,
                "--concordance": concordance}  # fmt: skip
        _refuse_with_conllu(output, [name for name, is_given in more.items() if is_given])
        _write_sentences(trees, pattern, output, encoding, quiet=quiet)
        return
    hits, variables = _found(trees, pattern, encoding, discontinuous, plain=plain)
    form = _Form(top, _Below(node, is_whole=whole), in_sentences=concordance)
    _check_concordance(hits, wanted, form, output, trees)
    _check_variables(by or [], variables, trees)
    say(hits.summary(), quiet=quiet or as_json)
    _tell_missing(hits, quiet=quiet)
    if sample is not None:
        hits = hits.sample(sample, seed)
        say(f"drawn at random: {len(hits):,}", quiet=quiet or as_json)
    counts = _counted(hits, wanted, {name: variables[name] for name in by or []})
    if as_json or not output:
        _show(hits, counts, form, as_json=as_json)
    if output:
        _save(hits, counts, output, form, quiet=quiet)


_BRACKETS = (".mrg", ".mrg.gz")


@dataclass(frozen=True)
class _Below:
    """Which trees are saved: what stands at the hits, or at a named node, or whole trees."""

    node: str | None
    is_whole: bool

    def trees(self, hits: Hits) -> tuple[Treebank, str]:
        """Return the trees, and what is to be said of them."""
        if self.is_whole:
            return hits.trees(), "the whole trees with hits"
        trees, nested = hits.to_treebank(self.node), hits.nested(self.node)
        return trees, f"{nested:,} of them stand within others, too" if nested else ""


@dataclass(frozen=True)
class _Form:
    """How hits are shown and saved."""

    top: int
    below: _Below
    in_sentences: bool

    def lines(self, hits: Found) -> list[str]:
        """Return the first hits, a line for each."""
        from grammar.search.hits import Hits

        if self.in_sentences and isinstance(hits, Hits):
            return hits.concordance(self.top)
        return hits.lines(self.top)

    def table(self, hits: Found) -> Any:
        """Return a row for each hit."""
        from grammar.search.hits import Hits

        return (
            hits.to_arrow(context=self.in_sentences) if isinstance(hits, Hits) else hits.to_arrow()
        )


def _check_concordance(
    hits: Found, wanted: list[str], form: _Form, output: str | None, source: str
) -> None:
    """Refuse a concordance of what is counted, drawn, or has its sentences with it."""
    from grammar.errors import OptionError
    from grammar.pictures.svg import SUFFIXES
    from grammar.search.hits import Hits

    if not form.in_sentences:
        return
    if output and output.lower().endswith((*_BRACKETS, *SUFFIXES)):
        raise OptionError(
            "a concordance is text, not trees or a picture",
            where=output,
            hint="leave --concordance out, or name the output hits.tsv",
        )
    if wanted or not isinstance(hits, Hits):
        raise OptionError(
            "hits that are counted have no sentences"
            if wanted
            else "hits in CoNLL-U are shown in their sentences by themselves",
            where=source,
            hint="leave --concordance out",
        )


def _tell_missing(hits: Found, *, quiet: bool) -> None:
    """Say which names of a pattern without hits no node has."""
    from grammar.search.hits import Hits

    if len(hits) or not isinstance(hits, Hits):
        return
    for name, longer in hits.missing().items():
        more = f"; there is {longer}, and --plain leaves functions out" if longer else ""
        say(f"no label and no word is {name!r}{more}", quiet=quiet)


def _refuse_with_conllu(output: str, given: Sequence[str]) -> None:
    from grammar.errors import OptionError

    for name in given:
        raise OptionError(
            "sentences are written to CoNLL-U as they are found, all that have hits",
            where=output,
            hint=f"leave {name} out, or name the output hits.tsv",
        )


def _write_sentences(source: str, request: str, output: str, encoding: str, *, quiet: bool) -> None:
    """Write the sentences of CoNLL-U that have hits; no more than a block of them is held."""
    from grammar.dependencies.hits import hits_summary
    from grammar.errors import OptionError
    from induction.trees.dependency_files import holds_dependencies
    from induction.trees.dependency_hits import write_hits

    if source != "-" and not holds_dependencies(source):
        raise OptionError(
            "what is found in trees cannot be saved as CoNLL-U",
            where=output,
            hint="save what stands at the hits as .mrg, or the hits as .tsv",
        )
    found = write_hits(source, request, output, encoding=encoding)
    say(hits_summary(*found, request), quiet=quiet)
    say(f"written to {output}", quiet=quiet)


def _found(
    source: str, pattern: str, encoding: str, discontinuous: str, *, plain: bool
) -> tuple[Found, Mapping[str, Sequence[Any]]]:
    """Search what the source holds; return the variables of its trees or sentences, too."""
    from grammar.dependencies.requests import is_request
    from grammar.errors import OptionError
    from induction.trees.dependency_files import holds_dependencies

    if holds_dependencies(source) or (source == "-" and is_request(pattern)):
        from induction.trees.dependency_files import read_dependencies

        if plain:
            raise OptionError(
                "dependencies have no traces and functions to leave out",
                where=source,
                hint="leave --plain out",
            )
        sentences = read_dependencies(source, encoding=encoding)
        return sentences.search(pattern), sentences.variables
    if is_request(pattern):
        sentences = _of_a_table(source, encoding)
        return sentences.search(pattern), sentences.variables
    from grammar.search.patterns import parse_pattern
    from induction.corpus.tree_variables import read_tree_variables
    from induction.trees.normalise import plain_trees

    parse_pattern(pattern)  # a large treebank takes longer to read
    treebank, variables = read_tree_variables(
        source, encoding=encoding, discontinuous=discontinuous
    )
    if plain:
        treebank, variables = plain_trees(treebank, variables)
    return treebank.search(pattern), variables


def _of_a_table(source: str, encoding: str) -> DependencyTreebank:
    """Return the dependencies of a file that is no CoNLL-U, but has them, such as CoNLL-X."""
    from grammar.errors import CorpusError, OptionError, TreewrightError
    from induction import read_corpus
    from induction.trees.dependency_files import dependencies_of_corpus

    why = ""
    try:
        return dependencies_of_corpus(read_corpus(source, encoding=encoding))
    except (CorpusError, TreewrightError) as error:
        why = f" ({error.what})" if "nltk:" not in source and source != "embedded" else ""
    raise OptionError(
        f"requests of Grew search dependencies, and none are found here{why}",
        where=source,
        hint="give files of CoNLL-U, named *.conllu (Stanza writes them: "
        "CoNLL.write_doc2conll(doc, 'a.conllu')), of CoNLL-X, or a table with the columns tokens, "
        "heads and deprels; trees are searched for patterns of TGrep2: 'S < (NP $.. VP)'",
    )


def _check_variables(names: Sequence[str], known: Mapping[str, Any], source: str) -> None:
    from grammar.errors import OptionError

    for name in names:
        if name not in known:
            raise OptionError(
                f"the trees have no variable {name!r}",
                where=source,
                hint=f"there are: {', '.join(known) or 'none; a folder has file'}",
            )


def _counted(
    hits: Found, wanted: list[str], variables: Mapping[str, Sequence[Any]]
) -> Frequencies | None:
    from grammar.search.hits import Hits

    if not wanted:
        return None
    # the sentences of a dependency treebank have their variables with them
    return hits.count(wanted, of_trees=variables) if isinstance(hits, Hits) else hits.count(wanted)


def _show(hits: Found, counts: Frequencies | None, form: _Form, *, as_json: bool) -> None:
    table = form.table(hits[: form.top]) if counts is None else counts.table[: form.top]
    if as_json:
        show_facts({**hits.facts(), "rows": table.to_pylist()}, as_json=True)
        return
    for line in form.lines(hits) if counts is None else counts.lines(form.top):
        show(line)


def _save(
    hits: Found, counts: Frequencies | None, output: str, form: _Form, *, quiet: bool
) -> None:
    from grammar.errors import OptionError
    from grammar.pictures.svg import SUFFIXES
    from grammar.search.hits import Hits
    from induction.corpus.formats import write_batches

    if output.endswith(_BRACKETS):
        if not isinstance(hits, Hits):
            raise OptionError(
                "what is found in CoNLL-U cannot be saved as brackets",
                where=output,
                hint="save the hits as .tsv, .csv, .jsonl or .parquet, or draw them as .svg",
            )
        trees, said = form.below.trees(hits)
        trees.write(output)
        more = f": {said}" if said else ""
        say(f"{len(trees):,} trees are written to {output}{more}", quiet=quiet)
        return
    if output.lower().endswith(SUFFIXES):
        hits.show(form.top).save(output)
    else:
        table: Any = form.table(hits) if counts is None else counts.table
        write_batches([table], output)
    say(f"written to {output}", quiet=quiet)
