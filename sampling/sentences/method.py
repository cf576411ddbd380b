"""Sampling from a treebank grammar as augmentation: new sentences, with trees and labels.

One grammar is induced for each class of the corpus, and the grammars are joined under one start
symbol. New examples are its derivations: with the corpus's own rule probabilities or with flatter
ones, of a given length, with or without given words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import IntArray, LongArray, pack_strings, text_bytes
from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.families.distributions import check_tight, reweighted
from grammar.hashing import hash_rows
from grammar.options import read_options
from grammar.pcfg.derivable import Derivable
from grammar.rng import stream_key
from grammar.sampling_kernels.ancestral import Derivations
from grammar.sampling_kernels.counts import derivation_count
from grammar.saving.facts import ANY, FLAG, SCALAR, TEXT, Fields, each
from grammar.trees.brackets import write_words
from grammar.trees.surfaces import surface_of
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.text.tokens import tokenise
from induction.parsers.trees import AUTO
from induction.trees.normalise import ROOT, beginnings, drop_traces, raise_initials, with_capital
from induction.trees.signs import with_signs_beside_numbers
from sampling.examples.provenance import example_table
from sampling.examples.spacing import Spacing, learn_spacing
from sampling.examples.splicing import as_lists, as_strings
from sampling.examples.text_columns import are_tokenised, read_side
from sampling.sentences.class_grammars import CLASSES, classes_of_rules
from sampling.sentences.conditioned import ConditionedDraws, chosen_derivations, word_condition
from sampling.sentences.options import (
    GrammarOptions,
    induce_grammar,
    read_band,
    trees_and_classes,
    written_grammar,
)
from sampling.sentences.sentences import sentence_trees
from sampling.sentences.written import uses_corpus
from sampling.stream import Attempts, Columns, Sampler

if TYPE_CHECKING:
    from induction.parsers.protocol import TextParser

__all__ = ["GrammarOptions", "GrammarSampler", "notes_of", "notes_of_classes"]

_DRAWN_AT_ONCE = 65_536
_COVERED_AT_ONCE = 256
_ROUNDS = 32


class GrammarSampler(Sampler):
    """New sentences of the grammar of a corpus, with trees and labels.

    Build one with :meth:`induce`, or from a grammar that was opened.

    With ``distribution="coverage"``, attempts come in blocks of 256, each for one of the rules
    that were used least by the examples so far (a rule that was drawn for in vain counts as used
    once more). Its derivations are drawn in proportion to their probability times their uses of
    the rule. So, as long as no attempt is in vain, R rules are all used by the first R examples,
    and mostly by far fewer.

    Parameters
    ----------
    grammar : Grammar, TreeSubstitutionGrammar, LexicalisedGrammar or other Derivable
        A joint grammar of classes (:func:`sampling.sentences.class_grammars.join_classes`), or one
        without classes. What to draw is in its notes: the ``options``; texts that are not new, by
        their hashes (``known``); whether trees have the root that we would add (``rooted``); and
        the band of ``lengths`` of the corpus; and whether texts begin with ``capitals``. A grammar
        without notes is sampled as by default.

    Attributes
    ----------
    grammar
        The grammar as it was induced: counts, and relative frequencies as weights.
    drawn : Derivable
        The same with the rule probabilities of the option ``distribution``. Rule numbers in the
        provenance are those of its PCFG, which are those of the PCFG of ``grammar``.

    Raises
    ------
    SchemaError
        If the grammar is of another method.
    OptionError
        If an option in the notes cannot be used.
    NotTightError, LengthBandError, EmptyLanguageError
        As :meth:`induce` says.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["we swim", "they run"], tree=["(S (NP we) (VP swim))", "(S (NP they) (VP run))"]
    ... )
    >>> sampler = GrammarSampler.induce(corpus, model="pcfg")
    >>> sorted(sampler.sample(2).column("text"))
    ['they swim', 'we run']
    >>> other = sampler.grammar.noted(options={"avoid": "we", "trees": False})
    >>> GrammarSampler(other).sample(1).column("text")
    ['they swim']
    """

    method = "grammar"
    Options = GrammarOptions

    def __init__(self, grammar: Any) -> None:
        super().__init__(grammar)
        o = self.options
        self.distinct = o.distinct
        self._known = [int(value, 16) for value in grammar.notes.get("known", [])]
        self._spacing = Spacing.from_notes(grammar.notes.get("spacing", {}))
        self._band = read_band(o.length, grammar.notes.get("lengths"))
        covering = o.distribution == "coverage"
        rules: Any = "mle" if covering else o.distribution
        self.drawn: Derivable = reweighted(grammar, rules, temperature=o.temperature)
        self._pcfg = self.drawn.pcfg
        self._of_class = classes_of_rules(self._pcfg) if grammar.start == CLASSES else None
        advice = f"length={grammar.notes.get('lengths', '1:40')!r}"
        self._capitals = bool(grammar.notes.get("capitals"))
        if covering and self._band is None:
            raise OptionError("coverage needs a length band", hint=f"for example {advice}")
        if self._band is None:
            check_tight(self._pcfg, advice)
        condition = word_condition(o.contains, o.avoid)
        self._draws = ConditionedDraws(
            self._pcfg, condition, self._band, shares=self._shares(), coverage=covering
        )
        if covering:
            self.patience = _ROUNDS * len(self.targets)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.grammar!r}, {self.options.distribution})"

    @classmethod
    def options_of(cls, grammar: Any) -> GrammarOptions:
        """Read the options that the notes of a grammar have, and check the other notes."""
        _NOTES("notes", dict(grammar.notes))
        return read_options(GrammarOptions, grammar.notes.get("options", {}), cls.method)

    @classmethod
    def needs_trees(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, goes by trees."""
        return cls.recombines(options)

    @classmethod
    def recombines(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, goes by the corpus."""
        return options.get("file") is None or uses_corpus(options["file"])

    @classmethod
    def induce(
        cls, corpus: Corpus, *, parser: TextParser | str = AUTO, **options: Any
    ) -> GrammarSampler:
        """Induce the grammars of the classes of a corpus.

        Parameters
        ----------
        corpus : Corpus
            With ``tree``, or with ``text`` alone. With ``label`` (whole numbers) each
            class has a grammar of its own; without, there is one.
        parser : TextParser, path or str
            What makes trees that are not there (:func:`induction.with_trees`); texts without a
            parse are left out.
        **options
            Fields of :class:`GrammarOptions`.

        Raises
        ------
        CorpusError
            If a text, tree or label is missing, labels are
            distributions, or no text has a parse.
        BracketError
            If a tree is malformed.
        OptionError
            If an option is unknown or has a value that cannot be used.
        NotTightError
            If sentences would grow without end; the message names a length band to give.
        LengthBandError, EmptyLanguageError
            If no sentence of some class has such a length, or the words asked for.
        """
        for name in ("contains", "avoid"):
            if isinstance(options.get(name), list | tuple):
                options[name] = " ".join(map(str, options[name]))
        if isinstance(options.get("length"), list | tuple):
            options["length"] = ":".join(map(str, options["length"]))
        chosen = read_options(GrammarOptions, options, cls.method)
        trees, notes = None, {}
        if chosen.file is None:
            trees, labels = trees_and_classes(corpus, parser)
            trees = with_signs_beside_numbers(trees)
            grammar = induce_grammar(trees, labels, chosen)
        else:
            grammar, classes = written_grammar(corpus, chosen, parser)
            notes = notes_of_classes(corpus, classes)
        notes |= notes_of(corpus, trees)
        return cls(grammar.noted(method=cls.method, options=asdict(chosen), **notes))

    @property
    def targets(self) -> LongArray:
        """With ``coverage``: the rules that can be drawn for."""
        return self._draws.targets

    def count(self) -> int:
        """Return an upper bound of the number of distinct sentences: that of derivations.

        It is 2 ** 63 - 1 if there are as many or more. Words asked for are not reckoned with.
        """
        most = 2**63 - 1
        found = derivation_count(self._pcfg, self._band)
        return int(found) if found < most else most

    def stream(self, seed: int) -> Attempts:
        """Return the examples of a seed from the first on."""
        return _Covering(self, seed) if len(self.targets) else Attempts(self, seed)

    def attempt(self, seed: int, numbers: LongArray, *beside: NDArray[Any]) -> Derivations:
        """Draw derivations, with ``coverage`` each for the rule beside its number."""
        key = stream_key(seed, self.method)
        if beside:
            return self._draws.draw_for(key, numbers, beside[0])
        parts, done = [], 0
        while done < len(numbers):
            # all from the first to the last of some that lie near each other
            first = int(numbers[done])
            stop = int(np.searchsorted(numbers, first + _DRAWN_AT_ONCE))
            size = int(numbers[stop - 1]) - first + 1
            draws = self._draws.draw(key, first, size)
            every = size == stop - done
            parts.append(draws if every else chosen_derivations(draws, numbers[done:stop] - first))
            done = stop
        return Derivations.joined(parts) if parts else self._draws.draw(key, 0, 0)

    def hash(self, drawn: Derivations, rows: LongArray) -> NDArray[np.uint64]:
        """Return a number for each text."""
        names = self._draws.words
        if self._spacing.tokenised:
            shown = self._begun(drawn, names), drawn.word_offsets, *self._vocabulary
            made = write_words(*shown)
        else:
            made = text_bytes(self._spaced(drawn, names))
        return np.asarray(hash_rows(*made))[rows]

    def _spaced(self, draws: Derivations, names: Sequence[str]) -> pa.Array:
        """Return texts that are written as those of the corpus."""
        named = self._named(names)
        words = [named[w] for w in self._begun(draws, names).tolist()]
        bounds = itertools.pairwise(draws.word_offsets.tolist())
        return pa.array([self._spacing.write(words[a:b]) for a, b in bounds], pa.string())

    def known(self) -> Iterable[int]:
        """Return the hashes of the texts of the corpus."""
        return self._known

    def write(self, drawn: Derivations, seed: int, index: LongArray) -> pa.Table:
        """Return derivations as examples.

        They have text, label (if there are classes) and tree (if asked for); their log-probability
        is under the grammar drawn from, not given the band or words.
        """
        draws = self._draws.restored(drawn)
        names = self._pcfg.rules.words
        if self._spacing.tokenised:
            made = self._begun(draws, names), draws.word_offsets, *self._packed(names)
            columns = {"text": as_strings(*write_words(*made))}
        else:
            columns = {"text": self._spaced(draws, names)}
        if self._of_class is not None:
            columns["label"] = pa.array(self._of_class[draws.rules[draws.rule_offsets[:-1]]])
        if self.options.trees:
            columns["tree"] = self._plain_trees(draws).brackets().cast(pa.string())
        return example_table(
            self.method,
            self.version,
            seed,
            index,
            columns,
            rules=as_lists(draws.rules, draws.rule_offsets),
            log_probability=draws.log_probability,
        )

    def _shares(self) -> dict[int, float] | None:
        of = self._of_class
        if of is None or self.options.distribution == "coverage":
            return None
        own = self.grammar.pcfg.weight
        found = {c: float(own[of == c].sum()) for c in np.unique(of[of >= 0]).tolist()}
        if self.options.shares == "equal":
            return {label: 1 / len(found) for label in found}
        return found

    @cached_property
    def _vocabulary(self) -> tuple[Any, LongArray]:
        return self._packed(self._draws.words)

    def _packed(self, words: Sequence[str]) -> tuple[Any, LongArray]:
        return pack_strings(map(surface_of, self._named(words)))

    def _named(self, words: Sequence[str]) -> list[str]:
        """Return words and, behind them, what they are at the beginning of a text."""
        return [*words, *map(with_capital, words)] if self._capitals else [*words]

    def _begun(self, draws: Derivations, words: Sequence[str]) -> IntArray:
        """Return the words of derivations, in :meth:`_named`: sentences begin with a capital."""
        numbers = draws.words
        if self._capitals:
            numbers = numbers.copy()
            numbers[beginnings(numbers, draws.word_offsets, words)] += len(words)
        return numbers

    def _plain_trees(self, draws: Derivations) -> Treebank:
        """Return the trees as those of the corpus: without start symbols that only we have."""
        trees = sentence_trees(self.drawn, draws)
        keep = np.ones(len(trees.label), np.bool_)
        top = trees.offsets[:-1].copy()
        for name in (CLASSES, "" if self.grammar.notes.get("rooted") else ROOT):
            ours = trees.label[top] == trees.symbols.id(name)
            keep[top[ours]] = False
            top[ours] += 1
        trees = trees.keep_nodes(keep)
        return raise_initials(trees) if self._capitals else trees


class _Covering(Attempts):
    """Attempts for the rules that the examples so far used least."""

    sampler: GrammarSampler

    def __init__(self, sampler: GrammarSampler, seed: int) -> None:
        super().__init__(sampler, seed)
        # how often each target was used, or drawn for in vain
        self._used = np.zeros(int(sampler.targets.max()) + 1, np.int64)

    def chunk(self, first: int) -> Columns:
        """Return the next attempts, and the rules to draw for."""
        targets = self.sampler.targets
        order = np.argsort(self._used[targets], kind="stable")
        targets = targets[order[:_COVERED_AT_ONCE]]
        return np.arange(first, first + len(targets)), targets

    def told(self, drawn: Derivations, columns: Columns, accepted: LongArray) -> None:
        """Count the rules that examples use, and those drawn for in vain."""
        vain = np.ones(len(drawn), np.bool_)
        vain[accepted] = False
        owner = np.repeat(np.arange(len(drawn)), np.diff(drawn.rule_offsets))
        np.add.at(self._used, drawn.rules[~vain[owner]], 1)
        np.add.at(self._used, columns[1][vain], 1)


def _hash(field: str, value: Any) -> None:
    """Refuse what is no hash of a text, in hexadecimal digits (SchemaError)."""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise SchemaError("not a hash of 16 digits", where=field)


_HASH = re.compile("[0-9a-f]{1,16}")
_NOTES = Fields(
    {},
    {
        "options": Fields({}, others=SCALAR), "known": each(_hash), "spacing": Spacing.fields,
        "capitals": FLAG, "rooted": FLAG, "lengths": TEXT,
    },
    others=ANY,
)  # fmt: skip
"""What is noted of a corpus; a grammar may have other notes of whoever made it."""


def notes_of_classes(corpus: Corpus, classes: tuple[str, ...]) -> dict[str, Any]:
    """Return what says how classes are called, where the corpus does not."""
    return {} if "label" in corpus.names else {"classes": list(classes), "class_kind": "string"}


def notes_of(corpus: Corpus, trees: Treebank | None = None) -> dict[str, Any]:
    """Return what sampling must know of a corpus, and of the trees that rules were read off."""
    texts = corpus.column("text")
    begun = [text[:1] for text in map(str.lstrip, texts) if text[:1].isalpha()]
    # texts as they are, with single spaces, and as in trees
    known: list[Any] = [pa.array([" ".join(text.split()) for text in texts], pa.string())]
    notes: dict[str, Any] = {
        "capitals": 2 * sum(map(str.isupper, begun)) > len(begun),
        "spacing": _spacing_of(corpus).to_notes(),
    }
    if trees is not None:
        plain = drop_traces(trees)
        known.append(plain.texts().cast(pa.string()))
        own = "tree" in corpus.names
        notes["rooted"] = own and trees.symbols[trees.label[0]] == ROOT
        notes["lengths"] = f"{plain.lengths.min()}:{plain.lengths.max()}"
    hashes = {value for one in known for value in hash_rows(*text_bytes(one)).tolist()}
    return {**notes, "known": [f"{value:016x}" for value in sorted(hashes)]}


def _spacing_of(corpus: Corpus) -> Spacing:
    """Return how the texts of a corpus are written."""
    texts = corpus.arrow("text").combine_chunks()
    if not len(texts) or are_tokenised(texts):
        return Spacing()
    if not {"tree", "tokens"} & set(corpus.names):
        words = [tokenise(text).words for text in texts.to_pylist()]
        corpus = Corpus.from_columns(text=texts, tokens=words)
    try:
        return learn_spacing(read_side(corpus))
    except CorpusError:  # the trees are not those of the texts as they stand
        return Spacing(tokenised=False)
