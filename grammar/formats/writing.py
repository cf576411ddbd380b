"""Writers: a grammar as text that other tools read.

Tools that read no weights get them in comments where rules are written one by one.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from grammar.errors import OptionError
from grammar.formats.layout import Alternative, Form, Item, Layout, lay_out, plain_name
from grammar.pcfg.grammar import Grammar

__all__ = ["LLGUIDANCE", "WRITTEN_FORMS", "to_lark", "write_notation"]

_WHITE = r"[ \t\n]"


def write_notation(grammar: Grammar, form: str = "treewright", *, spacing: str = "words") -> str:
    r"""Write a grammar as another tool reads it.

    Parameters
    ----------
    grammar : Grammar
        Rules without weight, and those that no sentence uses, are left out.
    form : str
        ``lark``, ``llguidance`` (Lark's EBNF for constrained decoding), ``gbnf`` (llama.cpp),
        ``xgrammar``, ``ebnf`` (W3C), ``antlr`` (version 4), ``grammarinator`` (ANTLR with weights),
        ``nltk`` or ``genlm`` (genlm-grammar, with weights); by default ``treewright``, the rules
        that :func:`read_notation` reads by default.
    spacing : {"words", "tokens", "characters"}
        What stands between the words of a sentence: one space; white space or nothing; nothing.
        NLTK and genlm read sequences of words, so there it does not matter. Where it is not
        nothing, words are written as texts have them: ``(`` for ``-LRB-``, ``1/2`` for
        ``1\/2``, and the quotes of a treebank also as plain ones.

    Raises
    ------
    OptionError
        If there is no such form or spacing, or a word cannot be written in it.
    WeightError
        If no derivation from the start symbol ends.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> NP 'swim' [1] \n NP -> 'we' [0.75] | 'fish' [0.25]")
    >>> print(write_notation(grammar, "gbnf"), end="")
    root ::= s
    s ::= np " " "swim"
    np ::= "we" | "fish"
    >>> print(write_notation(grammar, "llguidance"), end="")
    start: s
    s: NP " " "swim"
    NP: "we" | "fish"
    """
    if form == "treewright":
        return grammar.to_text()
    if form not in WRITTEN_FORMS:
        raise OptionError(
            f"no notation {form!r} is written", hint=f"choose from {', '.join(WRITTEN_FORMS)}"
        )
    return WRITTEN_FORMS[form](grammar, spacing)


def to_lark(grammar: Grammar, *, spacing: str = "words") -> str:
    r"""Write a grammar as EBNF that Lark loads, and then parses the grammar's sentences with.

    Rules are named after symbols, in lower case; intermediate symbols of binarisation get a leading
    underscore, so that Lark's trees come without them. Any grammar can be loaded with Lark's Earley
    parser, which is its default.

    Parameters
    ----------
    grammar, spacing
        As for :func:`write_notation`.

    Examples
    --------
    >>> text = to_lark(Grammar.parse("S -> NP 'swim' [1] \n NP -> 'we' [0.75] | 'fish' [0.25]"))
    >>> print(text, end="")
    ?start: s
    s: np _SPACE SWIM  // 1
    np: WE  // 0.75
      | FISH  // 0.25
    SWIM: "swim"
    WE: "we"
    FISH: "fish"
    _SPACE: " "
    >>> import lark
    >>> print(lark.Lark(text).parse("fish swim").pretty(), end="")
    s
      np	fish
      swim
    """
    layout = lay_out(grammar, _LARK, spacing)
    taken = {"_SPACE", *layout.rules}
    words: dict[str, str] = {}

    def written(item: Item) -> str:
        if item.kind == "space":
            return "_SPACE" if spacing == "words" else ""
        if item.kind == "text":
            if item.text not in words:
                words[item.text] = _free(_upper(item.text), taken)
            return words[item.text]
        return item.text

    lines = [f"?start: {layout.start}"]
    for name, alternatives in layout.rules.items():
        lines += _rows(name, alternatives, written)
    lines += [f"{name}: {_in_json(word)}" for word, name in words.items()]
    lines += ['_SPACE: " "'] if spacing == "words" and _has_spaces(layout) else []
    lines += [r"%ignore /\s+/"] if spacing == "tokens" else []
    return "\n".join(lines) + "\n"


def _rows(
    name: str, alternatives: list[Alternative], written: Callable[[Item], str]
) -> Iterator[str]:
    mark = f"{name}:"
    for items, weight in alternatives:
        parts = [mark, *filter(None, map(written, items))]
        yield " ".join([*parts, f" // {weight:.6g}" if weight is not None else ""]).rstrip()
        mark = " " * (len(name) - 1) + " |"


def _to_llguidance(grammar: Grammar, spacing: str) -> str:
    """Write Lark's EBNF without looking around, short in what a parser has open at a time.

    Symbols that are words alone are terminals, and rules of a symbol share what they begin with:
    each place of a parse then holds few items, of which llguidance allows 2,000.
    """
    layout = lay_out(grammar, LLGUIDANCE, spacing)
    lines = [f"start: {layout.start}"]
    for name, alternatives in layout.rules.items():
        rows = [_spelt(items, _in_json, _between(spacing, _in_json)) for items, _ in alternatives]
        lines.append(f"{name}: " + "\n  | ".join(row or '""' for row in rows))
    lines += [
        f"{name}: {' | '.join(map(_in_json, texts))}" for name, texts in layout.terminals.items()
    ]
    lines += [f"%ignore /{_WHITE}+/"] if spacing == "tokens" else []
    return "\n".join(lines) + "\n"


def _to_bnf(
    grammar: Grammar, spacing: str, *, form: Form, quote: Callable[[str], str], white: str
) -> str:
    """Write rules with ``::=``."""
    layout = lay_out(grammar, form, spacing)
    between = _between(spacing, quote) or "ws"
    # the grammar begins with the first rule, or the one of this name
    lines = [f"root ::= {layout.start}"]
    for name, alternatives in layout.rules.items():
        rows = [_spelt(items, quote, between) or quote("") for items, _ in alternatives]
        lines.append(f"{name} ::= " + " | ".join(rows))
    lines += [f"ws ::= {white}"] if spacing == "tokens" and _has_spaces(layout) else []
    return "\n".join(lines) + "\n"


def _to_antlr(grammar: Grammar, spacing: str, *, weighted: bool) -> str:
    layout = lay_out(grammar, _GRAMMARINATOR if weighted else _ANTLR, spacing)
    lines = ["grammar Sentences;", f"start_ : {layout.start} EOF ;"]
    for name, alternatives in layout.rules.items():
        rows = []
        for items, weight in alternatives:
            row = _spelt(items, _in_antlr, _between(spacing, _in_antlr))
            # grammarinator takes a predicate for the weight of an alternative
            rows.append(f"{{{weight:.6g}}}? {row}" if weighted and len(alternatives) > 1 else row)
        lines.append(f"{name} : " + "\n  | ".join(rows) + " ;")
    lines += [r"WS : [ \t\r\n]+ -> skip ;"] if spacing == "tokens" else []
    return "\n".join(lines) + "\n"


def _to_nltk(grammar: Grammar, spacing: str) -> str:
    layout = lay_out(grammar, _NLTK, "characters")
    ordered = [layout.start, *(name for name in layout.rules if name != layout.start)]
    return "".join(
        f"{name} -> {' '.join([*map(_nltk_item, items), f'[{weight!r}]'])}\n"
        for name in ordered
        for items, weight in layout.rules[name]
    )


def _nltk_item(item: Item) -> str:
    if item.kind != "text":
        return item.text
    quote = "'" if "'" not in item.text else '"'
    if quote in item.text or "\n" in item.text:
        raise OptionError(
            f"the word {item.text!r} cannot be written for NLTK",
            hint="its notation has no escapes; hand the grammar over with grammar.to_nltk()",
        )
    return quote + item.text + quote


def _to_genlm(grammar: Grammar, spacing: str) -> str:
    """Write weighted rules as ``CFG.from_string(text, Float)`` reads them; they begin with S."""
    layout = lay_out(grammar, _GENLM, "characters")
    lines = [f"1.0: S -> {layout.start}"]
    for name, alternatives in layout.rules.items():
        for items, weight in alternatives:
            lines.append(f"{weight!r}: {name} -> {' '.join(map(_genlm_item, items))}".rstrip())
    return "\n".join(lines) + "\n"


def _genlm_item(item: Item) -> str:
    word = item.text
    if item.kind == "text" and (not word or word[0].isupper() or re.search(r"\s|->|→", word)):
        raise OptionError(
            f"the word {word!r} cannot be written for genlm",
            hint="its words begin with no capital, and have no space and no arrow: write them so",
        )
    return word


def _spelt(items: tuple[Item, ...], quote: Callable[[str], str], between: str) -> str:
    """Return a right-hand side."""
    parts = (
        quote(item.text) if item.kind == "text" else between if item.kind == "space" else item.text
        for item in items
    )
    return " ".join(filter(None, parts))


def _between(spacing: str, quote: Callable[[str], str]) -> str:
    return quote(" ") if spacing == "words" else ""


def _has_spaces(layout: Layout) -> bool:
    return any(
        item.kind == "space"
        for alternatives in layout.rules.values()
        for items, _ in alternatives
        for item in items
    )


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _in_gbnf(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        code = ord(found[0])
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", escaped, plain) + '"'


def _in_w3c(text: str) -> str:
    """Quote a text, which has no escapes, in parts."""
    parts = re.findall(r"[^\"\x00-\x1f\x7f]+|\"+|[\x00-\x1f\x7f]", text) or [""]
    return " ".join(
        f"#x{ord(part):X}" if (part and part < " ") or part == "\x7f"
        else f"'{part}'" if part.startswith('"') else f'"{part}"'
        for part in parts
    )  # fmt: skip


def _in_antlr(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        return f"\\u{{{ord(found[0]):X}}}" if ord(found[0]) > 0xFFFF else f"\\u{ord(found[0]):04X}"

    if not text:
        raise OptionError("ANTLR has no empty words", hint="leave the word out of the grammar")
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + re.sub(r"[^\x20-\x7e]", escaped, plain) + "'"


def _lark_name(symbol: str) -> str:
    plain = plain_name(symbol, "_")
    return f"_{plain}" if "|<" in symbol else plain


def _upper(text: str) -> str:
    plain = re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_")
    return plain if plain[:1].isalpha() else f"W{plain}"


def _nltk_name(symbol: str) -> str:
    plain = re.sub(r"[^\w/^<>-]+", "_", symbol).strip("_")
    return plain if re.match(r"[\w/]", plain) else f"X{plain}"


def _genlm_name(symbol: str) -> str:
    plain = re.sub(r"\W+", "_", symbol)
    return plain if plain[:1].isupper() else f"X{plain}"


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}_{number}" for number in itertools.count(2))
    free = next(one for one in itertools.chain([name], numbered) if one not in taken)
    taken.add(free)
    return free


_LARK = Form(_lark_name, reserved=("start",))
LLGUIDANCE = Form(
    partial(plain_name, sign="_"), _upper, reserved=("start",), shared=True, terminals=True,
    single=True,
)  # fmt: skip
"""How the grammar of llguidance is laid out."""
_GBNF = Form(
    partial(plain_name, sign="-"), reserved=("root", "ws"), shared=True, optional=True,
    left_recursion="none",
)  # fmt: skip
_XGRAMMAR = Form(partial(plain_name, sign="-"), reserved=("root", "ws"))
_W3C = replace(_XGRAMMAR, rule_name=partial(plain_name, sign="_"))  # where A-B is an exception
_GRAMMARINATOR = Form(
    partial(plain_name, sign="_"),
    reserved=(
        "start_", "WS", "grammar", "fragment", "lexer", "parser", "options", "tokens", "channels",
        "import", "public", "private", "protected", "returns", "locals", "throws", "catch",
        "finally", "mode", "rule",
    ),
    single=True,
)  # fmt: skip
_ANTLR = replace(_GRAMMARINATOR, left_recursion="direct")
_NLTK = Form(_nltk_name)
_GENLM = Form(_genlm_name, reserved=("S",))

WRITTEN_FORMS: Mapping[str, Callable[[Grammar, str], str]] = MappingProxyType(
    {
        "lark": lambda grammar, spacing: to_lark(grammar, spacing=spacing),
        "llguidance": _to_llguidance,
        "gbnf": partial(_to_bnf, form=_GBNF, quote=_in_gbnf, white=f"{_WHITE}*"),
        "xgrammar": partial(_to_bnf, form=_XGRAMMAR, quote=_in_gbnf, white=f"{_WHITE}*"),
        "ebnf": partial(_to_bnf, form=_W3C, quote=_in_w3c, white="[#x20#x9#xA]*"),
        "antlr": partial(_to_antlr, weighted=False),
        "grammarinator": partial(_to_antlr, weighted=True),
        "nltk": _to_nltk,
        "genlm": _to_genlm,
    }
)
"""What writes each form."""
