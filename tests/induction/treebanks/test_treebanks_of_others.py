"""Trees as other tools write them: read by what a file holds, or refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import BracketError, OptionError
from grammar.files import decode
from grammar.messages import heard_by
from grammar.trees.treebank import Treebank
from induction import read_corpus, read_treebank
from induction.corpus.treebanks.constituents import (
    Constituent,
    Sentence,
    Word,
    treebank_of_sentences,
)
from induction.corpus.treebanks.reading import parse_trees

NEGRA = """%% made by hand
#FORMAT {format}
#BOT ORIGIN
0\tX\tsomewhere
#EOT ORIGIN
#BOS 1 0 1 0
{words}
#EOS 1
"""
WORDS_4 = """Das\tder\tART\tNom\tNK\t500
Buch\tBuch\tNN\tNom\tNK\t500\t%% a comment
(\t(\t$(\t--\t--\t0
liest\tlesen\tVVFIN\t3.Sg\tHD\t501
er\ter\tPPER\tNom\tSB\t501
.\t.\t$.\t--\t--\t0
#500\t--\tNP\t--\tOA\t501
#501\t--\tS\t--\t--\t0"""
WORDS_3 = "\n".join(
    "\t".join(cell for k, cell in enumerate(line.split("\t")) if k != 1)
    for line in WORDS_4.splitlines()
)
READ = "(TOP (S (NP (ART Das) (NN Buch)) ($-LRB- -LRB-) (VVFIN liest) (PPER er)) ($. .))"
DISCONTINUOUS = "(S (VP (VB 1=have) (VBN 3=seen)) (PRP 0=We) (PRP 2=it) (. 4=.))\n"


def trees(data: str | bytes, **how: str) -> list[str]:
    raw = data.encode() if isinstance(data, str) else data
    with heard_by(lambda message: None):
        return [str(tree) for tree in parse_trees(raw, "a", **how)]


def tiger(words: str, constituents: str, root: str = "s1_500", encoding: str = "UTF-8") -> bytes:
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>\n<corpus id="c"><head/><body><s id="s1">'
        f'<graph root="{root}"><terminals>{words}</terminals>'
        f"<nonterminals>{constituents}</nonterminals></graph></s></body></corpus>"
    ).encode(encoding)


# --- NEGRA export ------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "words"), [("4", WORDS_4), ("3", WORDS_3)])
def test_export_is_read_with_signs_put_where_they_stand(form, words):
    said: list[str] = []
    with heard_by(said.append):
        (tree,) = parse_trees(NEGRA.format(format=form, words=words).encode(), "a.export")
    assert str(tree) == READ
    assert said == ["1 signs of no constituent are put into those that they stand in"]


def test_export_that_does_not_say_its_format_is_read():
    text = NEGRA.format(format="3", words=WORDS_3).replace("#FORMAT 3\n", "")
    assert trees(text) == [READ]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Das\tder\tART\tNom\tNK\t777", "no constituent '777'"),
        ("Das\tder\tART", "names no constituent that 'Das' is in"),
        ("#600\t--\tNP\t--\tOA\t0", "constituent 600 holds nothing"),
    ],
)
def test_faults_of_export_are_located(line, what):
    text = NEGRA.format(format="4", words=f"{line}\n{WORDS_4}")
    with pytest.raises(BracketError, match=what) as error:
        parse_trees(text.encode(), "a.export")
    assert error.value.where.startswith("a.export:")


def test_constituents_in_a_circle_are_refused():
    words = "a\ta\tX\t-\t-\t500\n#500\t-\tA\t-\t-\t501\n#501\t-\tB\t-\t-\t500"
    with pytest.raises(BracketError, match="circle"):
        parse_trees(NEGRA.format(format="4", words=words).encode(), "a.export")


def test_a_sentence_without_end_is_refused():
    with pytest.raises(BracketError, match="has no end"):
        parse_trees(b"#FORMAT 4\n#BOS 1\na\ta\tX\t-\t-\t0\n", "a.export")


# --- TIGER-XML ---------------------------------------------------------------------------------


def test_tiger_is_read_in_its_own_encoding():
    words = '<t id="s1_1" word="Käse" pos="NN"/><t id="s1_2" word="stinkt" pos="VVFIN"/>'
    edges = '<edge label="SB" idref="s1_1"/><edge label="HD" idref="s1_2"/>'
    constituents = f'<nt id="s1_500" cat="S">{edges}</nt>'
    assert trees(tiger(words, constituents, encoding="ISO-8859-1")) == [
        "(S (NN Käse) (VVFIN stinkt))"
    ]


def test_the_virtual_root_of_tiger_is_no_constituent():
    words = '<t id="1" word="Geh" pos="V"/><t id="2" word="!" pos="$."/>'
    constituents = (
        '<nt id="a" cat="S"><edge label="HD" idref="1"/></nt>'
        '<nt id="b" cat="VROOT"><edge label="--" idref="a"/><edge label="--" idref="2"/></nt>'
    )
    assert trees(tiger(words, constituents, root="b")) == ["(TOP (S (V Geh)) ($. !))"]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"<?xml version='1.0'?><corpus><s>", "this is no XML"),
        (b"<?xml version='1.0'?><alpino_ds/>", "no treebank that is known"),
        (b"<?xml version='1.0'?><!DOCTYPE c [<!ENTITY a 'b'>]><c>&a;</c>", "declares entities"),
    ],
)
def test_other_xml_is_refused(data, what):
    with pytest.raises(BracketError, match=what):
        parse_trees(data, "a.xml")


# --- discbracket -------------------------------------------------------------------------------


def test_discontinuous_trees_are_refused_by_name():
    with pytest.raises(BracketError, match="a constituent VP do not stand side by side") as error:
        parse_trees(f"(S (A 0=b))\n{DISCONTINUOUS}".encode(), "a.dbr")
    assert "in 1 of 2 trees" in error.value.what
    assert error.value.where == "a.dbr, tree 2"
    assert "--discontinuous split" in error.value.hint


def test_continuous_ones_are_read_in_the_order_of_their_words():
    assert trees("(S (VP (V 1=saw) (NP 2=it)) (NP 0=We))\n") == ["(S (NP We) (VP (V saw) (NP it)))"]
    assert trees("(S (-LRB- 0=#LRB#) (X 1=a))") == ["(S (-LRB- -LRB-) (X a))"]


def test_discontinuous_trees_are_made_continuous_on_request():
    assert trees(DISCONTINUOUS, discontinuous="split") == [
        "(S (PRP We) (VP* (VB have)) (PRP it) (VP* (VBN seen)) (. .))"
    ]
    assert trees(DISCONTINUOUS, discontinuous="raise") == [
        "(S (PRP We) (VP (VB have)) (PRP it) (VBN seen) (. .))"
    ]
    with pytest.raises(OptionError, match="no way 'drop'"):
        trees(DISCONTINUOUS, discontinuous="drop")


def test_the_head_keeps_the_label_when_what_is_apart_is_raised():
    words = "a\ta\tA\t-\tOA\t500\nb\tb\tB\t-\tSB\t501\nc\tc\tC\t-\tHD\t500\n"
    words += "#500\t-\tVP\t-\tOC\t501\n#501\t-\tS\t-\t-\t0"
    text = NEGRA.format(format="4", words=words)
    assert trees(text, discontinuous="raise") == ["(S (A a) (B b) (VP (C c)))"]


def test_the_older_form_has_words_behind_the_tree():
    assert trees("(S (NP 1) (VP (V 0) (A 2)))\tis Mary happy\n", discontinuous="split") == [
        "(S (VP* (V is)) (NP Mary) (VP* (A happy)))"
    ]


def test_words_with_a_sign_of_equality_are_words_if_their_numbers_are_no_places():
    assert trees("(S (A 1=1) (B 2=2))") == ["(S (A 1=1) (B 2=2))"]


@given(st.data())
def test_split_and_raised_trees_keep_words_and_their_order(data):
    size = data.draw(st.integers(1, 7))
    parts: list[Constituent | Word] = [Word(k, f"w{k}", "T") for k in range(size)]
    for number in range(data.draw(st.integers(0, 4))):
        chosen = data.draw(st.sets(st.integers(0, len(parts) - 1), min_size=1))
        inner = [parts[k] for k in sorted(chosen)]
        parts = [part for k, part in enumerate(parts) if k not in chosen]
        parts.append(Constituent(f"C{number}", inner))
    for way in ("split", "raise"):
        treebank = treebank_of_sentences([Sentence(list(parts), "a")], way)
        assert treebank.sentences() == [tuple(f"w{k}" for k in range(size))]


# --- brackets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["{}\t", "{} ", "{}. ", "{}: ", "  {}\t", "wsj_{}\t"])
def test_what_stands_before_trees_is_left_out_and_told(before):
    text = "".join(f"{before.format(k)}(S (NP a)\n  (VP b{k}))\n" for k in (1, 2))
    said: list[str] = []
    with heard_by(said.append):
        treebank = parse_trees(text.encode(), "a.mrg")
    assert treebank == Treebank.parse("(S (NP a) (VP b1)) (S (NP a) (VP b2))")
    assert said == ["a.mrg: what stands before the trees, such as their numbers, is left out"]


def test_escaped_brackets_are_words():
    assert trees(r"(S (-LRB- \() (A b) (-RRB- \)))") == ["(S (-LRB- -LRB-) (A b) (-RRB- -RRB-))"]
    assert trees(r"(S (SYM \) (A b))") == [r"(S (SYM \) (A b))"]


def test_a_fault_is_said_of_the_text_as_it_is():
    with pytest.raises(BracketError, match="text outside any bracket") as error:
        parse_trees(b"1\t(S (A b))\nnone\n", "a.mrg")
    assert error.value.where == "a.mrg:1:1"


REPORTS = {
    "charniak": "2\ts1\n-8.1\n(S1 (S (A a)))\n-9.2\n(S1 (NP (A a)))\n\n"
    "1\ts2\n-3.5\n(S1 (S (B b)))\n",
    "berkeley": "-8.1\t( (S (A a)) )\n-9.2\t( (NP (A a)) )\n\n-3.5\t( (S (B b)) )\n",
}


@pytest.mark.parametrize("text", REPORTS.values(), ids=REPORTS)
def test_of_lists_of_the_best_trees_the_first_are_read(text):
    said: list[str] = []
    with heard_by(said.append):
        treebank = parse_trees(text.encode(), "a.txt")
    assert treebank.sentences() == [("a",), ("b",)]
    assert "(S (A a))" in str(treebank[0])
    assert said[-1] == (
        "a.txt: the trees are lists of the best ones of sentences: each first is read"
    )


def test_two_trees_of_a_sentence_without_scores_are_two():
    assert len(trees("1\t(S (A a))\n2\t(NP (A a))\n")) == 2
    assert len(trees("-1.5\t(S (A a))\n-1.5\t(S (A a))\n")) == 2


def test_what_stanford_prints_beside_trees_is_left_out():
    behind = (
        "(ROOT\n  (S (A a)\n    (B b)))\n\ndet(b-2, a-1)\nroot(ROOT-0, b-2)\n\n(ROOT (S (C c)))\n"
    )
    assert trees(behind) == ["(ROOT (S (A a) (B b)))", "(ROOT (S (C c)))"]
    report = (
        "Sentence #1 (2 tokens):\na b\n\nTokens:\n[Text=a PartOfSpeech=A]\n\nConstituency parse: \n"
        "(ROOT\n  (S (A a)\n    (B b)))\n\n\nDependency Parse (basic):\nroot(ROOT-0, b-2)\n"
    )
    assert trees(report) == ["(ROOT (S (A a) (B b)))"]


HISTORICAL = (
    "( (IP (NP (PRO he)) (CODE {COM:sic}) (VBD cam) (CP (WNP-1 0) (IP (NP *T*-1))))\n"
    "  (ID CM,1.1))\n( (CODE <P_3>))\n"
)


def test_identifiers_and_codes_of_historical_treebanks_are_no_words():
    assert trees(HISTORICAL) == [
        "(IP (NP (PRO he)) (VBD cam) (CP (WNP-1 (-NONE- 0)) (IP (NP (-NONE- *T*-1)))))"
    ]
    assert trees("( (IP (N hann-hann) (V kom-koma)) (ID A,.1))") == ["(IP (N hann) (V kom))"]
    assert trees("( (CODE (SYM SpeakerA1) (. .) ))\n( (S (UH Okay)) )") == ["(S (UH Okay))"]


def test_nodes_that_are_only_called_so_are_words():
    assert trees("(S (ID a) (CODEX b))") == ["(S (ID a) (CODEX b))"]
    assert trees("(S (A a-b) (C 0) (D *x*))") == ["(S (A a-b) (C 0) (D *x*))"]


def test_quotes_around_all_words_are_left_out():
    assert trees('(S (NP "a" "dog") (VP "ran"))') == ["(S (NP a dog) (VP ran))"]
    assert trees('(S (NP "a" dog) (VP "ran"))') == ['(S (NP "a" dog) (VP "ran"))']


@pytest.mark.parametrize(
    "text",
    [
        "; mine (of us)\n'(S (A a)\n  (B b)) ; end (so)\n",
        "%% mine (of us)\n(S (A a) (B b))\n",
        "1|(S (A a) (B b))\n",
        "( (S (A a)\n (B b)) )\n( END_OF_TEXT_UNIT )\n",
    ],
)
def test_comments_and_marks_of_units_are_left_out(text):
    assert trees(text) == ["(S (A a) (B b))"]


OTHERS = {
    "( Root (span 1 2)\n ( Nucleus (leaf 1) (text _!so_!) ) )": "trees of discourse",
    '(root_strict (512 sb-hd_mc_c 0.5 0 2 (3 the_1 0 0 1 ("the"))))': "DELPH-IN",
    "( ( The cat ) ( sleeps . ) )": "no labels",
    "#1:1.[0] S(agent:NP(Head:N:a))#.": "Sinica",
    "(w / want-01 :ARG0 (b / boy))": "AMR",
}


@pytest.mark.parametrize(("text", "name"), OTHERS.items(), ids=OTHERS.values())
def test_brackets_that_are_no_trees_of_words_are_refused(text, name):
    with pytest.raises(BracketError, match=name):
        trees(text)


FORMS = {
    "\uff08S \uff08N a\uff09\uff09\n": "full-width",
    "((A:0.1,B:0.2):0.3,C:0.4);\n": "Newick",
    "A01:0010a\t-\tYB\t<minbrk>\t-\t[Oh.Oh]\n": "columns with tabs",
    "# So\n\nSee:\n\n```\n(S (A a))\n```\n": "Markdown",
    "[S [NP We] [VP slept]]\n": "square brackets",
    "x\t[IN:GET_TIME x [SL:DAY y ] ]\n": "intents and slots",
    "\\Tree [.S [.NP We ] [.VP slept ] ]\n": "trees of LaTeX",
    "ID=1 PARSER=GOLD\n(<T S 0 2> (<L NP N N Ann NP>) )\n": "CCGbank",
    "<set><sentence/></set>\n": "XML of another form",
}


@pytest.mark.parametrize(("text", "name"), FORMS.items(), ids=FORMS.values())
def test_other_forms_of_trees_are_named(text, name):
    with pytest.raises(BracketError, match=name):
        trees(text)


def test_marks_around_trees_and_bare_brackets_are_read():
    assert trees("<S ID=1>\n( (IP (NN a)\n (VV b)) )\n</S>\n") == ["(IP (NN a) (VV b))"]
    assert trees("(S (-LRB- () (A b) (-RRB- )))") == ["(S (-LRB- -LRB-) (A b) (-RRB- -RRB-))"]


def test_trees_in_memory_are_a_treebank():
    for held in ("(S (A b))", ["(S (A b))"], Treebank.parse("(S (A b))")):
        assert read_treebank(held).sentences() == [("b",)]
    with pytest.raises(BracketError, match="is not a tree"):
        read_treebank(["so it is"])


# --- files and folders -------------------------------------------------------------------------


def test_a_folder_is_read_without_its_readme_and_license(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (A b))\n")
    (tmp_path / "b.txt").write_text("(S (A c))\n")
    (tmp_path / "c.export").write_text(NEGRA.format(format="4", words="d\td\tD\t-\t-\t0"))
    (tmp_path / "README.txt").write_text("Trees\n(c) 2020\n")
    (tmp_path / "terms.txt").write_text("Nothing may be copied.\n")
    (tmp_path / "LICENSE").write_text("MIT\n")
    said: list[str] = []
    with heard_by(said.append):
        treebank = read_treebank(tmp_path)
    assert [str(tree) for tree in treebank] == ["(S (A b))", "(S (A c))", "(D d)"]
    assert said == [
        "README.txt holds no trees, and is passed over",
        "terms.txt holds no trees, and is passed over",
    ]


def test_files_that_macos_puts_beside_others_are_passed_over(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (A b))\n")
    (tmp_path / "__MACOSX").mkdir()
    (tmp_path / "__MACOSX" / "._a.mrg").write_bytes(b"\x00\x05\x16\x07\x00\x02")
    assert read_treebank(tmp_path).sentences() == [("b",)]


@pytest.mark.parametrize("name", ["a.export", "a.xml", "a.dbr", "a.mrg"])
def test_corpora_are_read_by_what_files_hold(tmp_path, name):
    (tmp_path / name).write_text(NEGRA.format(format="4", words=WORDS_4))
    with heard_by(lambda message: None):
        assert read_corpus(tmp_path / name).column("text") == ["Das Buch ( liest er ."]


def test_such_files_are_not_written(tmp_path):
    corpus = read_corpus(["a text"])
    from induction import write_corpus

    with pytest.raises(OptionError, match="are read, and not written"):
        write_corpus(corpus, tmp_path / "a.export")


def test_export_in_another_encoding(tmp_path):
    data = NEGRA.format(format="4", words="ä\tä\tD\t-\t-\t0").encode("latin-1")
    assert decode(data, "a", "latin-1")
    (tmp_path / "a.export").write_bytes(data)
    assert read_treebank(tmp_path / "a.export", encoding="latin-1").sentences() == [("ä",)]


# --- other XML ---------------------------------------------------------------------------------

ALPINO = """<?xml version="1.0"?>
<alpino_ds version="1.3"><node begin="0" cat="top" end="4"><node begin="0" cat="smain" end="4">
<node begin="0" cat="np" end="2" index="1" rel="su">
<node begin="0" end="1" pos="det" rel="det" word="De"/>
<node begin="1" end="2" pos="noun" rel="hd" word="kat"/></node>
<node begin="2" end="3" pos="verb" rel="hd" word="wil"/>
<node begin="0" cat="inf" end="4" rel="vc"><node begin="0" end="2" index="1" rel="su"/>
<node begin="3" end="4" pos="verb" rel="hd" word="slapen"/></node>
</node></node><sentence>De kat wil slapen</sentence></alpino_ds>
"""
FRENCH = """<?xml version="1.0"?>
<text><SENT nb="1"><NP fct="SUJ"><w cat="D">Le</w><w cat="N"> chat </w></NP><VN><w cat="V">dort</w>
</VN><PP><w cat="P" compound="yes"><w catint="P">\u00e0</w><w catint="N">c\u00f4t\u00e9</w></w></PP>
</SENT></text>
"""
CORENLP = """<?xml version="1.0"?><root><document><sentences><sentence id="1">
<parse>(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))) </parse></sentence></sentences>
</document></root>"""


def test_alpino_is_read_without_nodes_that_only_point_to_others():
    assert trees(ALPINO) == [
        "(top (smain (np (det De) (noun kat)) (verb wil) (inf (verb slapen))))"
    ]
    crossed = ALPINO.replace('begin="2" end="3" pos="verb"', 'begin="9" end="10" pos="verb"')
    assert trees(crossed)[0].endswith("(inf (verb slapen)) (verb wil)))")


def test_the_french_treebank_and_corenlp_are_read():
    assert trees(FRENCH) == [
        "(TOP (NP (D Le) (N chat)) (VN (V dort)) (PP (P (P \u00e0) (N c\u00f4t\u00e9))))"
    ]
    assert trees(CORENLP) == ["(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps))))"]


def test_other_xml_is_refused_by_name():
    with pytest.raises(BracketError, match="no treebank that is known"):
        trees("<?xml version='1.0'?><corpus><x/></corpus>")
