"""Law-as-git mirrors of other countries: their front matter, their headings, their annexes."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.corpus import read_corpus
from graph.errors import CorpusError
from graph.readers import read_source
from graph.readers.dialects import DIALECTS, language_of_code
from graph.records import Provision
from tests.law_history import LawHistory

CORPORA = Path(__file__).parents[1] / "corpus_languages"


def law(folder: Path, body: str, *, language: str = "fr", front: str = "title: Loi\nlevel: Loi\n") -> Path:
    path = folder / "law.md"
    path.write_text(f"---\nlanguage: {language}\n{front}---\n\n{body}\n", encoding="utf-8")
    return path


def provisions(path: Path) -> list[Provision]:
    return [sourced.provision for sourced in read_source(path)]


def error_of(path: Path) -> str:
    with pytest.raises(CorpusError) as raised:
        provisions(path)
    return str(raised.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("language", "printed", "label", "heading"),
    [
        ("fr", "Article 12", "Article 12", ""),
        ("fr", "Art. 3 (Objet)", "Art. 3", "Objet"),
        ("fr", "Article 1er. Objet", "Article 1er", "Objet"),
        ("fr", "Article premier - Objet", "Article premier", "Objet"),
        ("fr", "Article L. 211-3-1 (Fumée (feu))", "Article L. 211-3-1", "Fumée (feu)"),
        ("fr", "Article L211-1", "Article L211-1", ""),
        ("fr", "Art. 13 bis", "Art. 13 bis", ""),
        ("fr", "Article 14/1 : Objet", "Article 14/1", "Objet"),
        ("fr", "Art. 5.74. Objet", "Art. 5.74", "Objet"),
        ("de", "§ 4a", "§ 4a", ""),
        ("de", "§ 12 Beginn", "§ 12", "Beginn"),
        ("de", "Art. 20a - Umwelt", "Art. 20a", "Umwelt"),
        ("en", "Section 4A (Towpaths)", "Section 4A", "Towpaths"),
        ("en", "Article 12. Data", "Article 12", "Data"),
        ("en", "13", "13", ""),
        ("ja", "第五条の二（幼児）", "第五条の二", "幼児"),
        ("ja", "第12条 (目的)", "第12条", "目的"),
        ("vi", "Điều 6a. Thức ăn", "Điều 6a", "Thức ăn"),
        ("vi", "Điều 5", "Điều 5", ""),
    ],
)
def test_the_heading_of_an_article_gives_its_label_as_printed_and_its_words(
    tmp_path, language, printed, label, heading
):
    (found,) = provisions(law(tmp_path, f"##### {printed}\n\nText.", language=language))
    assert (found.chapter, found.chapter_description, found.language) == (label, heading, language)


@pytest.mark.parametrize(
    ("language", "printed", "label", "heading"),
    [
        ("fr", "Annexe 1 (Équipements)", "Annexe 1", "Équipements"),
        ("fr", "Annexe", "Annexe", ""),
        ("de", "Anlage 2 (zu § 7)", "Anlage 2", "zu § 7"),
        ("en", "SCHEDULE 2", "SCHEDULE 2", ""),
        ("en", "Annex IV - Goods", "Annex IV", "Goods"),
        ("ja", "別表第一（第六条関係）", "別表第一", "第六条関係"),
        ("ja", "別記様式第二号", "別記様式第二号", ""),
        ("vi", "Phụ lục I. Danh mục", "Phụ lục I", "Danh mục"),
    ],
)
def test_an_annex_is_a_provision_and_what_stands_below_it_its_text(tmp_path, language, printed, label, heading):
    article = {"fr": "Article 1", "de": "§ 1", "en": "Section 1", "ja": "第一条", "vi": "Điều 1"}[language]
    body = f"##### {article}\n\nText.\n\n## {printed}\n\n##### {article}\n\n| 1 | 2 |\n"
    _, annex = provisions(law(tmp_path, body, language=language))
    assert (annex.chapter, annex.chapter_description) == (label, heading)
    assert annex.text == f"{article}\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("language", "article", "words"),
    [
        ("fr", "Article 1", "Abrogé <2034-05-01>"),
        ("fr", "Article 1", "(Abrogé)"),
        ("de", "§ 1", "(weggefallen)"),
        ("de", "§ 1", "Aufgehoben <2034-05-01>"),
        ("ja", "第一条", "削除"),
        ("en", "Section 1", "Repealed <2034-05-01>"),
        ("vi", "Điều 1", "Được bãi bỏ <2034-05-01>"),
    ],
)
def test_a_repealed_article_has_its_date_and_no_text(tmp_path, language, article, words):
    (found,) = provisions(law(tmp_path, f"##### {article}\n\n{words}", language=language))
    assert (found.status, found.text) == ("repealed", "")
    assert found.effective_date == ("2034-05-01" if "<" in words else "")


def test_an_article_that_says_more_than_that_it_is_repealed_stands(tmp_path):
    (found,) = provisions(law(tmp_path, "##### Article 1\n\nAbrogé par erreur, il est rétabli."))
    assert found.status == "present"


def test_articles_stand_at_any_depth_in_a_file_that_has_none_at_the_fifth(tmp_path):
    body = "# Loi\n\n## Titre Ier Du feu\n\n### Article 1 Objet\n\nTexte.\n\n### Article 2\n\nTexte."
    one, two = provisions(law(tmp_path, body))
    assert (one.chapter, one.heading_path, two.chapter) == ("Article 1", "Titre Ier Du feu", "Article 2")


def test_in_a_file_that_has_some_at_the_fifth_a_heading_above_them_is_none(tmp_path):
    body = "### Section 1 Permits\n\n##### Section 2 (Fees)\n\nText."
    (found,) = provisions(law(tmp_path, body, language="en"))
    assert (found.chapter, found.heading_path) == ("Section 2", "Section 1 Permits")


def test_the_forms_of_other_mirrors_front_matter_are_read(tmp_path):
    path = tmp_path / "law.md"
    path.write_text(
        '---\ntitle: "Abwasserverordnung"\nidentifier: "AbwV"\ncountry: "de"\nrank: "rechtsverordnung"\n'
        'last_updated: "2026-04-04"\n---\n# Abwasserverordnung\n\n##### Eingangsformel\n\nEs verordnet\n\n'
        "##### § 1 Zweck\n\nSiehe [§ 3 WHG](https://example.org/whg) dazu.\n",
        encoding="utf-8",
    )
    (found,) = provisions(path)
    assert found == Provision(
        semantic_id="abwasserverordnung_1",
        doc_id=-1,
        law_name="Abwasserverordnung",
        collection_name="Abwasserverordnung",
        law_level="rechtsverordnung",
        chapter="§ 1",
        chapter_description="Zweck",
        text="Siehe § 3 WHG dazu.",
        effective_date="2026-04-04",
        language="de",
    )


def test_tables_of_markdown_and_of_html_are_lines_of_text(tmp_path):
    rows = "| Zone | Taux |\n|---|---|\n| A | 5 |"
    body = f"##### Article 1\n\n{rows}\n\n<table>\n<tr><td>B</td>\n<td>6</td></tr>\n</table>\n\nFin."
    (found,) = provisions(law(tmp_path, body))
    assert found.text == "| Zone | Taux |\n|---|---|\n| A | 5 |\nB | 6\nFin."


def test_level_and_date_of_a_mirror_may_be_unknown(tmp_path):
    (found,) = provisions(law(tmp_path, "## Art 1\n\nText.", language="de", front="Title: Gesetz\n"))
    assert (found.law_level, found.effective_date) == ("", "")


@pytest.mark.parametrize(
    ("front", "body", "problem"),
    [
        ("level: Loi\n", "", ":1: front matter has no title"),
        ("title: Loi\neffective: hier\n", "", ":1: front-matter field 'effective': 'hier' is no ISO date"),
        ("title: Loi\nannexes: [Annexe 1]\n", "", ":1: front-matter field 'annexes': 'Annexe 1': TypeError("),
        ("title: Loi\n", "##### Artikle 5\n\nTexte.", ":6: 'Artikle 5' is no article heading"),
        ("title: Loi\n", "##### Article 5\n\nAbrogé <2034-02-30>", ":6: 'Abrogé <2034-02-30>' holds no date"),
    ],
)
def test_what_is_malformed_is_named_by_line_and_field(tmp_path, front, body, problem):
    assert error_of(law(tmp_path, body, front=front)).startswith(problem)


def test_a_language_that_is_none_of_ours_is_named(tmp_path):
    problem = ":1: front-matter field 'language': 'nl' is none of ko, en, fr, de, ja, vi"
    assert error_of(law(tmp_path, "##### Artikel 5", language="nl")) == problem


@pytest.mark.parametrize(
    ("tag", "code"), [("fr-BE", "fr"), ("fra", "fr"), ("JPN", "ja"), ("de_AT", "de"), ("nl", "nl")]
)
def test_a_language_tag_gives_its_two_letters(tag, code):
    assert language_of_code(tag) == code


@pytest.mark.parametrize("language", ["fr", "ja", "de", "en", "vi"])
def test_the_small_corpora_hold_10_to_16_articles_one_repealed_and_one_listed_annex(language):
    corpus = read_corpus([CORPORA / language])
    by_status = [one.status.value for one in corpus.provisions]
    assert 10 <= by_status.count("present") <= 16
    assert (by_status.count("repealed"), by_status.count("absent")) == (1, 1)
    assert {one.language for one in corpus.provisions} == {language}
    assert len({one.collection_name for one in corpus.provisions}) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr", "Article 1"), ("de", "§ 1"), ("en", "Section 1"), ("ja", "第一条"), ("vi", "Điều 1")],
)
def test_a_long_run_of_spaces_in_a_heading_is_read_at_once(language, words):
    dialect = DIALECTS[language]
    spaces = " " * 200_000  # hours, for an expression that tries every way to divide them
    assert dialect.labelled(f"{words}{spaces}x", dialect.article) == (words, "x")
    assert dialect.labelled(f"{words}{spaces}(x", dialect.article) == (words, "(x")
    assert dialect.labelled(f"x{spaces}x", dialect.annex) is None


@pytest.mark.parametrize(
    ("language", "article", "kept"),
    [("fr", "Article {}er", "loi_1"), ("ja", "第{}条", "loi_1条"), ("de", "§ {}", "loi_1")],
)
def test_a_history_in_another_language_has_editions(tmp_path, language, article, kept):
    def version(in_force: str, *numbers: int) -> str:
        body = "".join(f"\n##### {article.format(number)}\n\nText {in_force}.\n" for number in numbers)
        return f"---\ntitle: Loi\nlanguage: {language}\neffective: {in_force}\n---\n{body}"

    history = LawHistory(tmp_path / "law")
    history.commit("2020-01-01", {"loi.md": version("2020-02-01", 1, 2)})
    history.commit("2022-01-01", {"loi.md": version("2022-02-01", 1)})
    early, late = (read_corpus([history.path], as_of=day) for day in ("2021-01-01", "2023-01-01"))
    assert [one.text for one in early.provisions] == ["Text 2020-02-01."] * 2
    there, gone = late.provisions
    assert (there.semantic_id, there.status, gone.status) == (kept, "present", "repealed")
    assert gone.effective_date == "2022-02-01"


def test_a_history_whose_laws_have_no_date_has_no_editions(tmp_path):
    history = LawHistory(tmp_path / "law")
    history.commit("2020-01-01", {"loi.md": "---\ntitle: Loi\nlanguage: fr\n---\n\n##### Article 1\n\nTexte.\n"})
    with pytest.raises(CorpusError, match=r"loi\.md:1: front matter has no date of entry into force"):
        read_corpus([history.path], as_of="2021-01-01")
