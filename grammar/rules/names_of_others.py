"""What grammars and their rules have in other libraries, and what gives it here."""

from __future__ import annotations

from grammar.foreign_names.attributes import Hints, attribute_hint

__all__ = ["hint_for"]

_HINTS: Hints = {
    "generate(grammar, 5) of treewright draws sentences from it": (
        *("sample", "generate", "sentences", "random_sentence", "sample_sentences"),
    ),
    "operations.cnf(grammar) of grammar is in Chomsky normal form, with the same sentences": (
        *("chomsky_normal_form", "cnf", "to_cnf"),
    ),
    "operations.binarise(grammar) of grammar has at most two symbols a rule": (
        *("binarize", "binarise"),
    ),
    "operations.remove_unary(grammar) of grammar has no rule of a single symbol": (
        *("remove_unitary_rules", "remove_unary", "remove_unary_rules"),
    ),
    "operations.remove_empty(grammar) of grammar has no empty rule": (
        *("remove_epsilon", "remove_empty", "remove_epsilon_rules"),
    ),
    "operations.trim(grammar) of grammar has no symbol without use": ("trim", "reduce"),
    "grammar.rules.nonterminals": ("nonterminals", "categories", "variables", "symbols"),
    "grammar.rules.words": ("terminals", "vocab", "vocabulary", "lexicon", "words"),
    "{name: torch.as_tensor(one) for name, one in grammar.compiled._asdict().items()}": (
        *("to_torch", "to_tensors", "torch", "tensors", "to_torch_struct"),
    ),
    "grammar.graph is a graph of networkx": ("to_networkx", "networkx", "to_graph", "nx_graph"),
    "grammar.graph.{name} of networkx has it": (
        *("nodes", "edges", "successors", "predecessors", "subgraph", "degree", "neighbors"),
    ),
    "induce_pcfg(trees) of induction makes a grammar of trees": ("fit", "train", "induce"),
    "print(grammar.to_text()) shows its rules": ("pprint", "pretty_print", "print"),
    "grammar.describe().draw('grammar.svg')": (
        *("draw", "plot", "show", "render", "visualize", "view"),
    ),
    "write_notation(grammar, 'lark') of grammar is a text; 'gbnf', 'ebnf' and others likewise": (
        *("to_lark", "to_gbnf", "to_ebnf", "to_antlr"),
    ),
    "grammar.save('grammar.json')": ("to_json", "dump", "write", "to_file"),
    "[str(production) for production in grammar.productions()]": (
        *("to_dict", "to_dataframe", "to_pandas", "to_list"),
    ),
    "isinstance(grammar.parse_sentence(words), Tree)": ("accepts", "recognize", "recognise"),
    "Parser(grammar).inside(words) of grammar is the log-probability of a sentence": (
        *("inside", "log_prob", "logprob", "prob", "probability", "score"),
    ),
    "grammar.parse_sentence(words) is the most probable tree": ("viterbi", "parse_one", "cky"),
    "grammar.check().entropy": ("entropy",),
    "Grammar.parse(grammar.to_text(), normalise=True)": ("normalize", "normalise"),
    "NLTK's grammar has it: grammar.to_nltk().{name}": (
        *("check_coverage", "is_binarised", "is_chomsky_normal_form", "is_lexical", "is_nonempty"),
        *("is_flexible_chomsky_normal_form", "is_nonlexical", "max_len", "min_len"),
    ),
    # symbols are objects there
    "NLTK's grammar has it: grammar.to_nltk().{name}(nltk.Nonterminal('S'))": (
        *("leftcorners", "leftcorner_parents"),
    ),
    "NLTK's grammar has it: "
    "grammar.to_nltk().{name}(nltk.Nonterminal('S'), nltk.Nonterminal('NP'))": ("is_leftcorner",),
}


def hint_for(name: str) -> str | None:
    """Return what to do for an attribute that grammars of other libraries have; None for others.

    >>> hint_for("is_binarised")
    "NLTK's grammar has it: grammar.to_nltk().is_binarised"
    >>> hint_for("entropy"), hint_for("hue")
    ('grammar.check().entropy', None)
    """
    return attribute_hint(name, _HINTS)
