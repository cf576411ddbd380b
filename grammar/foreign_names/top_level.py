"""What other toolkits offer at the top, and the lines that do the same here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["name_hint"]

_LINES: Mapping[str, Sequence[str]] = {
    "Grammar.fromstring(text)": ("CFG", "PCFG", "FeatureGrammar", "ContextFreeGrammar"),
    "Grammar": ("WeightedGrammar",),
    "Nonterminal(name)": ("nonterminals", "NonTerminal"),
    "Parser(grammar)": (
        *("ViterbiParser", "ChartParser", "InsideChartParser", "EarleyChartParser"),
        *("BottomUpChartParser", "RecursiveDescentParser", "ShiftReduceParser", "CKYParser"),
        *("FeatureChartParser", "ParserI"),
    ),
    "split(data, test_size=0.25)": ("train_test_split", "random_split", "train_val_split"),
    "read_corpus(data)": (
        *("load_dataset", "load_files", "read_csv", "read_json", "read_jsonl", "from_pandas"),
        *("load_from_disk", "load_corpus", "read_parquet", "read_dataset", "from_dataset"),
        *("Dataset", "DataFrame", "load_csv"),
    ),
    "read_treebank(path)": (
        *("BracketParseCorpusReader", "CategorizedBracketParseCorpusReader", "load_treebank"),
        *("BracketCorpusReader", "NegraCorpusReader", "TigerXMLCorpusReader", "read_trees"),
        *("SyntaxCorpusReader", "PennTreebank"),
    ),
    "open_grammar(path)": ("read_grammar", "load_grammar", "data"),
    "tokenise(text)": (
        "word_tokenize",
        "tokenize",
        "wordpunct_tokenize",
        "TreebankWordTokenizer",
        "AutoTokenizer",
    ),
    "train(data)": (
        *("train_classifier", "fit", "Classifier", "Trainer", "SetFitTrainer", "train_model"),
        *("TrainingArguments", "train_supervised"),
    ),
    "binarise(tree)": ("binarize", "chomsky_normal_form"),
    "open_classifier(folder)": ("load_model", "load_classifier"),
    "score(classifier, data)": (
        *("evaluate", "accuracy_score", "classification_report", "f1_score"),
    ),
    "assess(original, new)": ("quality", "measure", "diversity"),
    "open_parser()": ("load", "blank", "load_parser", "benepar", "get_parser"),
    "Treebank.search(treebank, 'NP')": ("tgrep", "tgrep_nodes", "tgrep_positions"),
    "from_lark(text)": ("Lark", "cfg", "CFGStructuredGenerator"),
    "augment(texts, 'eda', n=10)": (
        *("eda", "EasyDataAugmenter", "WordNetAugmenter", "SynonymAug", "RandomWordAug"),
        *("aeda", "naw", "nac", "nas", "ContextualWordEmbsAug", "BackTranslationAug"),
        *("EmbeddingAugmenter", "CheckListAugmenter", "Augmenter", "augment_text", "perturb"),
        *("gen_eda", "Perturb", "AugmentedDataset", "augment_dataset", "Sequential", "naf"),
        *("nlpaug", "EDAAugmenter"),
    ),
    "TreeSubstitutionGrammar": ("TSG",),
    "dop_reduction(trees)": ("dopreduction", "induce_dop", "DOP", "DOPReduction"),
    "induce_pcfg(trees)": ("treebankgrammar", "read_pcfg", "train_pcfg", "learn_pcfg", "fit_pcfg"),
    "recurring_fragments(trees)": ("getfragments", "get_fragments", "fragments"),
    "generate_constrained": ("constrained_decoding", "guide"),
}
"""Lines of code here, and what they are for elsewhere: in NLTK, spaCy, scikit-learn, datasets,
nlpaug, TextAttack, disco-dop."""

_INSTEAD: Mapping[str, Sequence[str]] = {
    "read_treebank('nltk:treebank') has NLTK's sample of the Penn Treebank": ("treebank", "corpus"),
    "words have tags in trees: parse('We slept.').pos()": ("pos_tag",),
    "[text[a:b] for a, b in sentence_spans(text)] cuts a text into sentences": (
        *("sent_tokenize", "sentencizer"),
    ),
    "read_treebank(...).search('NP < DT') searches trees": ("search",),
    "write_notation(grammar, 'lark') writes a grammar for another tool": ("convert",),
    "open_parser() of treewright parses: open_parser().parse('We slept.')": ("Pipeline", "nlp"),
    "print(grammar.check()) and grammar.productions('NP') describe a grammar": ("inspect",),
    "collections.Counter counts": ("FreqDist",),
    "draw_tree(tree, 'tree.svg') draws a tree": ("displacy", "draw", "render"),
    "the command line lists them: treewright methods": ("methods", "list_methods", "METHODS"),
    "train(data, encoder=FOLDER) trains on an encoder, and open_classifier(folder) opens what "
    "classifier.save(folder) saved": (
        *("SetFitModel", "AutoModelForSequenceClassification", "AutoModel", "SentenceTransformer"),
    ),
    "parse(text) parses, and train(data).predict(texts) classifies": ("pipeline",),
    "read_corpus(data).to_pandas().groupby('label').sample(8, random_state=0)": (
        *("sample_dataset", "few_shot", "sample_few_shot"),
    ),
    "write rules with the words as alternatives, and generate(rules, n=10) draws texts of "
    "them: generate(\"S -> N 'slept' | N 'ran'\\nN -> 'Ann' | 'Bob'\", n=3)": (
        *("Editor", "template"),
    ),
    "scikit-learn's own takes TextClassifier() and its texts": (
        *("StratifiedKFold", "KFold", "cross_val_score", "cross_validate", "GridSearchCV"),
        *("StratifiedShuffleSplit", "cross_val_predict", "RandomizedSearchCV"),
    ),
    "nothing here edits characters; augment(texts, 'worddrop', n=10) edits words": (
        *("KeyboardAug", "OcrAug", "RandomCharAug", "CharSwapAugmenter", "SpellingAug", "SplitAug"),
    ),
    "Parser(grammar) has the methods inside, viterbi, kbest, posteriors and sample": (
        *("SentCFG", "TreeCRF", "DependencyCRF", "NonProjectiveDependencyCRF", "LinearChainCRF"),
    ),
    "TextClassifier() stands in a pipeline of scikit-learn": ("TfidfVectorizer", "CountVectorizer"),
}
"""What is done in another way here."""


def name_hint(name: str) -> str | None:
    """Return what a name of another toolkit is called here; None if it is not known.

    >>> name_hint("CFG"), name_hint("grammar")
    ('CFG is called Grammar here: Grammar.fromstring(text)', None)
    """
    for line, names in _LINES.items():
        if name in names:
            ours = line.partition("(")[0]
            here = "Grammar" if ours == "Grammar.fromstring" else ours
            return f"{name} is called {here} here" + (f": {line}" if line != here else "")
    return next((hint for hint, names in _INSTEAD.items() if name in names), None)
