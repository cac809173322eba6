"""Statutes in XML: Akoma Ntoso and e-Gov's; and XML that means harm."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from graph.corpus import read_corpus
from graph.errors import CorpusError
from graph.readers import detected_format, read_source
from graph.records import Provision, Status

AKN = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- a law -->
<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">
 <act name="décret">
  <meta><identification source="#us">
   <FRBRWork><FRBRdate date="2030-01-01" name="x"/><FRBRalias name="short" value="Décret du feu"/></FRBRWork>
   <FRBRExpression><FRBRdate date="2031-02-03" name="x"/><FRBRlanguage language="fra"/></FRBRExpression>
  </identification></meta>
  <preface><p><docTitle>Décret relatif au feu</docTitle></p></preface>
  <body>
   <chapter eId="c1"><num>Chapitre Ier</num><heading>Du feu</heading>
    <article eId="a1"><num>Article 1er. -</num><heading>(Objet)</heading>
     <paragraph><num>§ 1er.</num><content><p>Le <i>feu</i> est
       éteint<authorialNote><p>Note.</p></authorialNote> le soir.</p></content></paragraph>
     <paragraph><num>§ 2.</num><list><intro><p>On éteint :</p></intro>
      <point><num>1°</num><content><p>la lampe ;</p></content></point>
      <point><num>2°</num><content><p>le four.</p></content></point></list></paragraph>
    </article>
    <article eId="a2"><num>Article 2</num><content><p>Taux :</p>
     <table><tr><th><p>Zone</p></th><th><p>Taux</p></th></tr><tr><td><p>A</p></td><td><p>5 %</p></td></tr></table>
    </content></article>
    <article eId="a3"><num>Article 3</num><content><p>Abrogé</p></content></article>
    <article eId="a4"><num>Article 4</num><content><p>L'article 5 devient :
     <mod><quotedStructure><article><num>Article 5</num><content><p>Nouveau.</p></content></article>
     </quotedStructure></mod></p></content></article>
   </chapter>
  </body>
  <attachments><attachment><heading>Annexe 1 (Zones)</heading><doc name="annexe"><mainBody>
    <article><num>Article 1</num><content><p>Zone A : le port.</p></content></article></mainBody></doc></attachment>
  </attachments>
 </act>
</akomaNtoso>
"""

BRITISH = """\
<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act name="ukpga"><meta><identification>
<FRBRWork><FRBRname value="Moorings Act"/></FRBRWork><FRBRExpression><FRBRlanguage language="eng"/></FRBRExpression>
</identification></meta><body>
<part><num>Part 1</num><section><num>4A</num><heading>Towpaths</heading>
<subsection><num>(1)</num><content><p>Ropes.</p></content></subsection></section></part>
<hcontainer name="schedule"><num>SCHEDULE 1</num><heading>Reaches</heading>
<section><num>1</num><content><p>The weir.</p></content></section></hcontainer>
</body></act></akomaNtoso>
"""

EGOV = """\
<?xml version="1.0" encoding="UTF-8"?>
<Law Era="Reiwa" Lang="ja" LawType="CabinetOrder" Num="1" Year="03">
 <LawNum>令和三年政令第一号</LawNum>
 <LawBody>
  <LawTitle>水泳場安全法施行令</LawTitle>
  <TOC><TOCLabel>目次</TOCLabel></TOC>
  <MainProvision>
   <Chapter Num="1"><ChapterTitle>第一章　総則</ChapterTitle>
    <Article Num="1">
     <ArticleCaption>（規模）</ArticleCaption><ArticleTitle>第一条</ArticleTitle>
     <Paragraph Num="1"><ParagraphNum/><ParagraphSentence>
       <Sentence Num="1">市長は、<Ruby>溺<Rt>おぼ</Rt></Ruby>れた者を救う。</Sentence>
       <Sentence Num="2">ただし、次に掲げる場合を除く。</Sentence></ParagraphSentence>
      <Item Num="1"><ItemTitle>一</ItemTitle><ItemSentence><Column><Sentence>甲</Sentence></Column>
        <Column><Sentence>乙</Sentence></Column></ItemSentence>
       <Subitem1 Num="1"><Subitem1Title>イ</Subitem1Title>
        <Subitem1Sentence><Sentence>丙</Sentence></Subitem1Sentence></Subitem1></Item></Paragraph>
     <Paragraph Num="2"><ParagraphNum>２</ParagraphNum><ParagraphSentence><Sentence>次の表による。</Sentence>
       </ParagraphSentence><TableStruct><Table><TableRow><TableColumn><Sentence>広さ</Sentence></TableColumn>
       <TableColumn><Sentence>人数</Sentence></TableColumn></TableRow></Table></TableStruct></Paragraph>
    </Article>
    <Article Num="2:3"><ArticleTitle>第二条及び第三条</ArticleTitle><Paragraph Num="1"><ParagraphNum/>
     <ParagraphSentence><Sentence>削除</Sentence></ParagraphSentence></Paragraph></Article>
    <Article Num="3_2"><ArticleTitle>第三条の二</ArticleTitle><Paragraph Num="1"><ParagraphNum/>
     <ParagraphSentence><Sentence>泳ぐ。</Sentence></ParagraphSentence></Paragraph></Article>
   </Chapter>
  </MainProvision>
  <SupplProvision><SupplProvisionLabel>附　則</SupplProvisionLabel><Article Num="1"><ArticleTitle>第一条</ArticleTitle>
   <Paragraph Num="1"><ParagraphNum/><ParagraphSentence><Sentence>施行する。</Sentence></ParagraphSentence></Paragraph>
   </Article></SupplProvision>
  <AppdxTable Num="1"><AppdxTableTitle>別表第一</AppdxTableTitle><RelatedArticleNum>（第六条関係）</RelatedArticleNum>
   <TableStruct><Table><TableRow><TableColumn><Sentence>浮き輪</Sentence></TableColumn></TableRow></Table></TableStruct>
  </AppdxTable>
 </LawBody>
</Law>
"""


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def provisions(path: Path) -> list[Provision]:
    return [one.provision for one in read_source(path)]


def error_of(path: Path, format_name: str | None = None) -> str:
    with pytest.raises(CorpusError) as raised:
        list(read_source(path, format_name=format_name))
    return str(raised.value).removeprefix(str(path))


# Akoma Ntoso


def test_the_articles_and_annexes_of_an_akoma_ntoso_act_are_its_provisions(tmp_path):
    path = written(tmp_path / "a.xml", AKN)
    assert detected_format(path) == "akoma-ntoso"
    assert [(one.semantic_id, one.chapter, one.status.value) for one in provisions(path)] == [
        ("décret-du-feu_1", "Article 1er", "present"),
        ("décret-du-feu_2", "Article 2", "present"),
        ("décret-du-feu_3", "Article 3", "repealed"),
        ("décret-du-feu_4", "Article 4", "present"),
        ("décret-du-feu_annexe-1", "Annexe 1", "present"),
    ]


def test_an_article_of_akoma_ntoso_has_all_its_fields_and_a_line_for_each_number(tmp_path):
    assert provisions(written(tmp_path / "a.xml", AKN))[0] == Provision(
        semantic_id="décret-du-feu_1",
        doc_id=-1,
        law_name="Décret du feu",
        collection_name="Décret du feu",
        law_level="décret",
        chapter="Article 1er",
        chapter_description="Objet",
        heading_path="Chapitre Ier Du feu",
        text="§ 1er. Le feu est éteint le soir.\n§ 2. On éteint :\n1° la lampe ;\n2° le four.",
        effective_date="2031-02-03",
        language="fr",
    )


def test_a_table_in_akoma_ntoso_is_lines_of_text(tmp_path):
    assert provisions(written(tmp_path / "a.xml", AKN))[1].text == "Taux :\nZone | Taux\nA | 5 %"


def test_an_article_quoted_in_an_amending_one_and_one_of_an_annex_are_text(tmp_path):
    *_, amending, annex = provisions(written(tmp_path / "a.xml", AKN))
    assert "Nouveau." in amending.text
    assert (annex.chapter_description, annex.text) == ("Zones", "Article 1 Zone A : le port.")


def test_an_annex_without_a_number_is_named_by_its_heading(tmp_path):
    *_, annex = provisions(written(tmp_path / "a.xml", AKN.replace("Annexe 1 (Zones)", "Zones du port")))
    assert (annex.chapter, annex.semantic_id) == ("Zones du port", "décret-du-feu_Zones-du-port")


def test_an_alias_that_is_no_title_does_not_name_the_law(tmp_path):
    number = '<FRBRalias name="eli" value="/eli/dec/2030/1"/>'
    path = written(tmp_path / "a.xml", AKN.replace('<FRBRalias name="short" value="Décret du feu"/>', number))
    assert provisions(path)[0].law_name == "Décret relatif au feu"


def test_a_british_act_is_made_of_sections_whose_bare_number_gets_its_word(tmp_path):
    section, schedule = provisions(written(tmp_path / "a.xml", BRITISH))
    assert (section.chapter, section.semantic_id, section.text) == ("Section 4A", "moorings-act_4A", "(1) Ropes.")
    assert (section.heading_path, section.law_level, section.effective_date) == ("Part 1", "ukpga", "")
    assert (schedule.semantic_id, schedule.text) == ("moorings-act_schedule-1", "1 The weir.")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('<FRBRlanguage language="fra"/>', "", ":4: has no meta//FRBRExpression/FRBRlanguage"),
        ('language="fra"', 'language="nld"', ":4: FRBRlanguage 'nld' is none of ko, en, fr, de, ja, vi"),
        ('date="2031-02-03"', 'date="2031-02-30"', ":4: FRBRdate '2031-02-30' is no ISO date"),
        ("<num>Article 2</num>", "", ":19: /*/*/*[3]/*/*[4] has no num"),
        ("Annexe 1 (Zones)", "", ":28: /*/*/*[4]/* has no num and no heading"),
        ("<p>Taux :</p>", "<p>Taux :</b>", ":19: not well-formed XML: "),
    ],
)
def test_what_is_malformed_in_akoma_ntoso_is_named_by_line_and_element(tmp_path, old, new, problem):
    assert error_of(written(tmp_path / "a.xml", AKN.replace(old, new))).startswith(problem)


def test_a_body_without_articles_is_named(tmp_path):
    begin, _, rest = AKN.partition("<body>")
    path = written(tmp_path / "a.xml", begin + "<body>" + rest[rest.index("</body>") :])
    assert error_of(path) == ":4: the body holds no article, section, rule, regulation"


# e-Gov


def test_the_articles_of_an_egov_law_are_its_provisions_and_its_supplementary_ones_are_left_out(tmp_path):
    path = written(tmp_path / "503CO0000000001_20320101_000000000000000.xml", EGOV)
    assert detected_format(path) == "e-gov"
    assert [(one.semantic_id, one.chapter, one.status.value, one.effective_date) for one in provisions(path)] == [
        ("水泳場安全法施行令_1条", "第一条", "present", "2032-01-01"),
        ("水泳場安全法施行令_2条", "第2条", "repealed", ""),
        ("水泳場安全法施行令_3条", "第3条", "repealed", ""),
        ("水泳場安全法施行令_3条の2", "第三条の二", "present", "2032-01-01"),
        ("水泳場安全法施行令_別表1", "別表第一", "present", "2032-01-01"),
    ]


def test_an_article_of_egov_has_all_its_fields_and_a_line_for_each_number(tmp_path):
    assert provisions(written(tmp_path / "a.xml", EGOV))[0] == Provision(
        semantic_id="水泳場安全法施行令_1条",
        doc_id=-1,
        law_name="水泳場安全法施行令",
        collection_name="水泳場安全法",
        law_level="政令",
        chapter="第一条",
        chapter_description="規模",
        heading_path="第一章　総則",
        text="市長は、溺れた者を救う。ただし、次に掲げる場合を除く。\n"
        "一　甲　乙\nイ　丙\n２　次の表による。\n広さ | 人数",
        language="ja",
    )


def test_an_appended_table_is_a_provision_of_lines(tmp_path):
    *_, table = provisions(written(tmp_path / "a.xml", EGOV))
    assert (table.chapter_description, table.text) == ("第六条関係", "浮き輪")


@pytest.mark.parametrize(
    ("title", "label", "heading"),
    [
        ("<AppdxTableTitle>別表第二（第三条関係）</AppdxTableTitle>", "別表第二", "第三条関係"),
        ("<AppdxTableTitle>別記第一号様式</AppdxTableTitle>", "別記第一号様式", "第六条関係"),
        ("", "別表", "第六条関係"),
    ],
)
def test_an_appendix_is_called_by_its_title_or_its_kind(tmp_path, title, label, heading):
    content = EGOV.replace("<AppdxTableTitle>別表第一</AppdxTableTitle>", title)
    *_, table = provisions(written(tmp_path / "a.xml", content))
    assert (table.chapter, table.chapter_description) == (label, heading)


def test_the_reply_of_the_api_gives_the_date(tmp_path):
    law = EGOV.partition("?>\n")[2]
    date = "<revision_info><amendment_enforcement_date>2033-04-05</amendment_enforcement_date></revision_info>"
    path = written(
        tmp_path / "a.xml", f"<law_data_response>{date}<law_full_text>{law}</law_full_text></law_data_response>"
    )
    assert provisions(path)[0].effective_date == "2033-04-05"


def test_a_law_of_paragraphs_alone_is_one_article(tmp_path):
    begin, end = EGOV.index("<Chapter"), EGOV.index("</Chapter>") + len("</Chapter>")
    sentence = "<ParagraphSentence><Sentence>許す。</Sentence></ParagraphSentence>"
    paragraph = f'<Paragraph Num="1"><ParagraphNum/>{sentence}</Paragraph>'
    whole, _ = provisions(written(tmp_path / "a.xml", EGOV[:begin] + paragraph + EGOV[end:]))
    assert (whole.chapter, whole.text) == ("本則", "許す。")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("<LawTitle>水泳場安全法施行令</LawTitle>", "", ":4: LawBody has no LawTitle"),
        ('LawType="CabinetOrder"', 'LawType="Decree"', ":2: LawType 'Decree' is none of Constitution, Act"),
        ("<ArticleTitle>第三条の二</ArticleTitle>", "", ":24: ArticleTitle '' is no label of an article"),
        ('Num="2:3"', 'Num="3:2"', ":22: Article Num '3:2' is no range of deleted ones"),
        ("MainProvision>", "MainProvisions>", ":4: LawBody has no MainProvision"),
    ],
)
def test_what_is_malformed_in_egov_is_named_by_line_and_element(tmp_path, old, new, problem):
    assert error_of(written(tmp_path / "a.xml", EGOV.replace(old, new))).startswith(problem)


def test_a_date_in_the_name_that_is_none_is_named(tmp_path):
    path = written(tmp_path / "503CO_20321301_0.xml", EGOV)
    assert error_of(path) == ": the name holds '_20321301_', which is no date"


# Any XML


def test_a_folder_of_xml_is_read_file_by_file_and_other_files_are_passed_over(tmp_path):
    written(tmp_path / "b.xml", EGOV)
    written(tmp_path / "c.xml", "<other/>")
    written(tmp_path / "README.md", "# Laws")
    corpus = read_corpus([tmp_path])
    assert (corpus.sources[0].format_name, len(corpus.parts)) == ("e-gov", 1)


def test_a_packed_xml_is_read(tmp_path):
    path = tmp_path / "a.xml.xz"
    path.write_bytes(lzma.compress(AKN.encode()))
    assert len(provisions(path)) == 5


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]>',
    ],
)
def test_entities_are_refused_by_line(tmp_path, doctype):
    content = AKN.replace("<!-- a law -->", doctype).replace("Note.", "&a;")
    assert error_of(written(tmp_path / "a.xml", content)).startswith(":2: declares entities, which are not read")


def test_entities_hidden_by_another_encoding_are_refused(tmp_path):
    doctype = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    content = AKN.replace("<!-- a law -->", doctype).replace("Note.", "&a;").replace("UTF-8", "UTF-16")
    path = tmp_path / "a.xml"
    path.write_bytes(content.encode("utf-16"))
    assert error_of(path, "akoma-ntoso").startswith(": uses entities, which are not read")


def test_a_document_type_that_names_a_file_is_not_fetched(tmp_path):
    doctype = '<!DOCTYPE akomaNtoso SYSTEM "http://127.0.0.1:9/x.dtd">'
    assert len(provisions(written(tmp_path / "a.xml", AKN.replace("<!-- a law -->", doctype)))) == 5


def test_elements_within_elements_without_end_are_refused(tmp_path):
    content = AKN.replace("Note.", "<b>" * 5000 + "</b>" * 5000)
    problem = error_of(written(tmp_path / "a.xml", content))
    assert "elements within each other" in problem or "Excessive depth" in problem


def test_a_file_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("graph.readers.xml_files._LARGEST", 2**20)
    path = tmp_path / "a.xml.xz"
    path.write_bytes(lzma.compress(AKN.encode() + b" " * 2**22))
    assert error_of(path) == ": longer than 1 MiB, so it is not read; split it"


def test_a_prolog_without_end_is_looked_at_once(tmp_path):
    for prolog in ("<?a?>" * 20_000, "<!--" * 20_000, "<!DOCTYPE " + "[" * 60_000, " " * 60_000):
        assert error_of(written(tmp_path / "a.xml", prolog + "x")).startswith(": no statute format that we know")


def test_every_provision_of_both_formats_is_known_or_repealed(tmp_path):
    for content in (AKN, BRITISH, EGOV):
        for one in provisions(written(tmp_path / "a.xml", content)):
            assert (one.text == "") == (one.status is Status.REPEALED)
