"""What users of spaCy type first: parse a sentence, tokens, documents."""

from tests.compatibility.tasks import Task, carried_out, each

TASKS = {
    "parse one sentence": Task(
        """
tree = tw.parse("The cat sat on the mat.")
assert tree.label() == "TOP"
assert tree.leaves()[:2] == ("The", "cat")
""",
    ),
    "call a parser": Task(
        """
nlp = open_parser()
nlp("We slept well.")
""",
        hint="treewright.parse('We slept.', parser)",
        mended="""
import treewright
parser = open_parser()
assert treewright.parse('We slept.', parser).leaves() == ("We", "slept", ".")
""",
    ),
    "parser as an object": Task(
        """
parser = open_parser("english")
assert len(parser.parse("The cat sat. It purred.")) == 1
assert len(parser.parse(["The cat sat.", "It purred."])) == 2
""",
    ),
    "many sentences": Task(
        """
treebank = tw.parse(["The cat sat.", "It purred."])
assert [len(tree.leaves()) for tree in treebank] == [4, 3]
""",
    ),
    "tokens": Task(
        """
assert tokenise("The cat's mat.").words == ("The", "cat", "'s", "mat", ".")
""",
    ),
    "sentences of a text": Task(
        """
text = "The cat sat. It purred."
assert [text[a:b] for a, b in sentence_spans(text)] == ["The cat sat.", "It purred."]
""",
    ),
    "trees of texts": Task(
        """
treebank = treebank_of(["The cat sat.", "It purred."])
assert len(treebank) == 2
""",
    ),
    "documents": Task(
        """
import spacy
doc = spacy.blank("en")("Ann sang.")
assert read_corpus([doc])[0]["tokens"] == ["Ann", "sang", "."]
assert len(tw.corpus_of_docs(doc)) == 1
""",
        needs=["spacy"],
    ),
    "training data of version 2": Task(
        """
TRAIN_DATA = [("Ann sang.", {"entities": [(0, 3, "PER")]})]
assert read_corpus(TRAIN_DATA)[0]["spans"] == [{"start": 0, "end": 3, "label": "PER"}]
""",
    ),
    "tokens of many sentences": Task(
        """
texts = ["The cat sat.", "It purred."]
tokenise(texts)
""",
        hint="[tokenise(text) for text in texts]",
        mended="""
texts = ["The cat sat.", "It purred."]
assert [len(tokenise(text).words) for text in texts] == [4, 3]
""",
    ),
    "texts through a pipe": Task(
        """
parser = tw.open_parser("english")
[tree for tree in parser.pipe(["We slept."])]
""",
        hint="parser.parse_each(texts) yields",
        mended="""
parser = tw.open_parser("english")
texts = ["We slept."]
assert [tree.label for tree in parser.parse_each(texts)] == ["TOP"]
""",
    ),
    "a model by its name": Task(
        """
nlp = tw.load("en_core_web_sm")
""",
        hint="load is called open_parser here",
        mended="""
nlp = tw.open_parser("english")
assert str(next(nlp.parse_each(["We slept."]))).startswith("(TOP")
""",
    ),
    "parts of a document": Task(
        """
import spacy
nlp = spacy.blank('en')
nlp.add_pipe('sentencizer')
doc = nlp('The cat sat. It purred.')
assert len(tw.parse(list(doc.sents))) == 2
assert tw.parse(doc[:3]).leaves() == ('The', 'cat', 'sat')
assert len(tw.augment(doc, 'aeda', n=2)) == 2
""",
        needs=("spacy",),
    ),
    "documents with classes": Task(
        """
import spacy
nlp = spacy.blank('en')
pairs = [(nlp('a good film'), 'pos'), (nlp('a bad film'), 'neg')]
assert read_corpus(pairs)['label'] == ['pos', 'neg']
""",
        needs=("spacy",),
    ),
    "examples to train on": Task(
        """
import spacy
from spacy.training import Example
doc = spacy.blank('en').make_doc('Ann sang.')
example = Example.from_dict(doc, {'entities': [(0, 3, 'PER')]})
assert read_corpus([example])[0]['spans'][0]['label'] == 'PER'
""",
        needs=("spacy",),
    ),
    "a DocBin": Task(
        """
import spacy
from spacy.tokens import DocBin
read_corpus(DocBin(docs=[spacy.blank('en')('Ann sang.')]))
""",
        hint="list(docbin.get_docs(nlp.vocab))",
        mended="""
import spacy
from spacy.tokens import DocBin
nlp = spacy.blank('en')
docbin = DocBin(docs=[nlp('Ann sang.')])
assert len(read_corpus(list(docbin.get_docs(nlp.vocab)))) == 1
""",
        needs=("spacy",),
    ),
    "noun phrases": Task(
        """
tw.Tree.fromstring('(S (NP We))').noun_chunks
""",
        hint="[one for one in tree.subtrees() if one.label() == 'NP']",
        mended="""
tree = tw.Tree.fromstring('(S (NP We))')
assert len([one for one in tree.subtrees() if one.label() == 'NP']) == 1
""",
    ),
    "a file to parse": Task(
        """
open('a.txt', 'w').write('We slept.')
tw.parse('a.txt')
""",
        hint="parse(open('a.txt').read().splitlines())",
        mended="""
assert len(parse(open('a.txt').read().splitlines())) == 1
""",
    ),
    "a model to parse with": Task(
        """
open_parser('en_core_web_sm')
""",
        hint="open_parser('english')",
        mended="""
open_parser('english')
""",
    ),
}


@each(TASKS)
def test_what_one_types_works(task, tmp_path, monkeypatch):
    carried_out(task, tmp_path, monkeypatch)
