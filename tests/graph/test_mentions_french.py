"""Words of French statutes that the hand-made cases do not have; `test_mentions.py` holds the invariants."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.mentions import chapter_of, find_aliases, find_mentions, name_key
from graph.numerals import LATIN_BRANCHES
from graph.records import Edge, EdgeKind, LawRef, LawRefKind, Mention, Provision
from graph.resolution import Resolver
from graph.semantic_id import label_of, semantic_id
from tests.graph.corpora import absent_in, citations_in


def mentions_of(text: str, *known: str) -> list[Mention]:
    return find_mentions(text, "fr", known_laws=frozenset(map(name_key, known)))


def parts(text: str) -> list[tuple[str, str, str]]:
    return [(m.target.label, m.target.paragraph, m.target.item) for m in mentions_of(text)]


def laws(text: str, *known: str) -> list[str]:
    return [mention.target.law.name for mention in mentions_of(text, *known)]


@pytest.mark.parametrize(
    ("label", "chapter"),
    [
        ("1", "Article 1er"),
        ("13bis", "Article 13bis"),
        ("14/1", "Article 14/1"),
        ("L211-1", "Article L. 211-1"),
        ("R*211-1", "Article R*. 211-1"),
        ("annexe-2", "Annexe 2"),
        ("annexe", "Annexe"),
    ],
)
def test_a_label_is_printed_as_the_law_prints_it(label: str, chapter: str) -> None:
    assert chapter_of(label, "fr") == chapter
    assert label_of(chapter, language="fr") == label


@given(
    st.sampled_from(["", "L. ", "L.", "R. ", "D", "R.*\u00a0"]),
    st.integers(2, 9_999),
    st.lists(st.integers(1, 99), max_size=3),
    st.sampled_from(["", *sorted(LATIN_BRANCHES)]),
)
def test_a_printed_number_is_read_as_its_label(letter: str, number: int, branches: list[int], latin: str) -> None:
    words = f"{letter}{'-'.join(map(str, [number, *branches]))}{' ' + latin if latin else ''}"
    assert [label for label, _, _ in parts(f"à l'article {words}, le juge")] == [label_of(words, language="fr")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("l'article 5, § 1er, I, 2°", ("5", "1", "I 2°")),
        ("au 1° du I de l'article 5", ("5", "I", "1°")),
        ("au deuxième alinéa du II de l'article 39 quinquies B", ("39quinquiesB", "II", "al. 2")),
        ("l'article 7 bis, premier et deuxième alinéas", ("7bis", "1,2", "")),
        ("l'article 10, alinéas 2 et 3", ("10", "2,3", "")),
        ("les 1° et 2° de l'article 5", ("5", "", "1°,2°")),
        ("l'article 2.1.3, § 1er, 2°, a)", ("2.1.3", "1", "2° a)")),
        ("l'article 2, point 3), deuxième tiret", ("2", "", "point 3 tiret 2")),
        ("l'article 5, 1° à 4°", ("5", "", "1°,2°,3°,4°")),
        ("l'article D.IV.4, alinéa 1er, 9°", ("D.IV.4", "1", "9°")),
        ("l'article 201/9/3", ("201/9/3", "", "")),
    ],
)
def test_the_parts_of_an_article_are_told_apart(words: str, expected: tuple[str, str, str]) -> None:
    assert parts(words) == [expected]


def test_a_list_of_paragraphs_ends_before_a_comma_and_the_next_article() -> None:
    assert parts("les articles 2, §§ 1er et 3, et 5bis") == [("2", "1,3", ""), ("5bis", "", "")]


@given(st.lists(st.integers(2, 999), min_size=2, max_size=8, unique=True))
def test_every_member_of_an_enumeration_has_the_law_at_its_end(numbers: list[int]) -> None:
    *first, last = [str(n) for n in numbers]
    mentions = mentions_of(f"les articles {', '.join(first)} et {last} du Code civil")
    assert [mention.target.label for mention in mentions] == [*first, last]
    assert {mention.target.law for mention in mentions} == {LawRef(LawRefKind.NAMED, "Code civil")}


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("l'article 750 du Code de procédure civile est", "Code de procédure civile"),
        ("l'article 5 du code de l’environnement", "code de l'environnement"),
        ("l'article 70 du Code TVA, l'amende", "Code TVA"),
        ("l'article 4 du Code des droits de succession applicable en Région", "Code des droits de succession"),
        ("l'article 4 du Code des sociétés et des associations et du décret", "Code des sociétés et des associations"),
        ("l'article 66 de la Constitution", "Constitution"),
        ("l'article 2, § 3, du règlement (UE) 2016/679 du Parlement", "règlement (UE) 2016/679"),
        ("l'article 3 de la directive 2009/147/CE du Conseil", "directive 2009/147/CE"),
        (
            "l'article 6 de la Convention européenne des droits de l'homme",
            "Convention européenne des droits de l'homme",
        ),
        ("l'article 5 du CIR 92", "CIR 92"),
        ("l'article 20 et suivants de la loi du 3 juillet 1978", "loi du 3 juillet 1978"),
        (
            "l'article 3 de la loi du 29 juin 1981 établissant les principes de la sécurité sociale et l'intérêt",
            "loi du 29 juin 1981 établissant les principes de la sécurité sociale et l'intérêt",
        ),
        (
            "l'article 3 de la loi du 29 juin 1981 relative aux abris et de l'article",
            "loi du 29 juin 1981 relative aux abris",
        ),
        (
            "l'article 3 de la loi du 29 juin 1981 relative aux abris est abrogé",
            "loi du 29 juin 1981 relative aux abris",
        ),
        (
            "l'article 3 de l'arrêté du Gouvernement wallon du 4 juillet 2002 relatif à la procédure",
            "arrêté du Gouvernement wallon du 4 juillet 2002 relatif à la procédure",
        ),
    ],
)
def test_the_name_of_a_law_ends_where_the_next_clause_begins(text: str, law: str) -> None:
    assert laws(text)[0] == law


def test_a_known_name_is_read_to_its_end_however_it_is_written() -> None:
    name = "Loi sur l'accès, le séjour et l'éloignement"
    (mention,) = mentions_of("l'article 3 de la loi sur l’accès, le\nséjour et l’éloignement des uns", name)
    assert name_key(mention.target.law.name) == name_key(name)


def test_a_number_behind_a_law_is_of_the_law_that_follows_it() -> None:
    text = "l'article 12 de la loi du 2 août 2002 et 5 de l'arrêté royal du 3 mai 2003"
    assert [(m.target.label, m.target.law.name) for m in mentions_of(text)] == [
        ("12", "loi du 2 août 2002"),
        ("5", "arrêté royal du 3 mai 2003"),
    ]


@pytest.mark.parametrize(
    ("text", "level", "place"),
    [
        ("Le Roi peut fixer", "arrêté royal", ("1", "")),
        ("dont les graduations sont déterminées par le Roi", "arrêté royal", ("1", "")),
        ("§ 1er. Rien.\n§ 2. Un.\n1° deux ;\n2° trois.\nUn décret en Conseil d'Etat fixe", "décret", ("2", "al. 2")),
        ("§ 1er. Rien. § 2. Un : 1° deux ; 2° trois. § 3. Le Roi fixe", "arrêté royal", ("3", "al. 1")),
        ("§ 1er. Rien. § 2. Deux : 1° un ; 2° les cas définis par le Roi", "arrêté royal", ("2", "al. 1 2°")),
        ("Premier.\nDeuxième :\n1° rien ;\n2° défini par arrêté ministériel", "arrêté ministériel", ("2", "2°")),
        ("un arrêté du ministre chargé de la santé fixe la liste", "arrêté ministériel", ("1", "")),
        ("Le Gouvernement détermine", "arrêté du gouvernement", ("1", "")),
    ],
)
def test_a_delegation_tells_where_it_stands_and_whose_it_is(text: str, level: str, place: tuple[str, str]) -> None:
    (mention,) = mentions_of(text)
    assert mention.kind is EdgeKind.DELEGATES
    assert mention.target.law.name == level
    assert (mention.target.paragraph, mention.target.item) == place


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Par dérogation à l'article 5 de la loi", EdgeKind.EXCEPTS),
        ("à l'exception des articles 5 de la loi", EdgeKind.EXCEPTS),
        ("sauf dans les cas visés à l'article 5 de la loi", EdgeKind.EXCEPTS),
        ("tel que défini à l'article 5 de la loi", EdgeKind.DEFINES),
        ("pris en application de l'article 5 de la loi", EdgeKind.IMPLEMENTS),
        ("La distance visée à l'article 5 de la loi", EdgeKind.IMPLEMENTS),
        ("§ 1er. Le juge décide. § 2. La distance visée à l'article 5 de la loi", EdgeKind.IMPLEMENTS),
        ("Le juge décide. La distance visée à l'article 5 de la loi", EdgeKind.CITES),
        ("sans préjudice de l'article 5 de la loi", EdgeKind.CITES),
    ],
)
def test_the_words_before_a_citation_say_what_it_does(words: str, kind: EdgeKind) -> None:
    assert [mention.kind for mention in mentions_of(words)] == [kind]


def test_an_alias_is_a_law_s_short_name_without_its_article() -> None:
    text = "la loi du 2 mai 2028 relative aux marchés (ci-après dénommée « la loi marchés ») s'applique"
    (alias,) = find_aliases(text, "fr")
    assert (alias.name, alias.law_name) == ("loi marchés", "loi du 2 mai 2028 relative aux marchés")
    assert text[alias.start :] == " s'applique"


def provision(law: str, chapter: str, text: str = "", *, level: str = "Loi") -> Provision:
    return Provision(
        semantic_id=semantic_id(law, chapter, language="fr"),
        doc_id=-1,
        law_name=law,
        collection_name="contrats",
        law_level=level,
        chapter=chapter,
        text=text,
        language="fr",
    )


def edges_of(article: Provision, *others: Provision) -> list[Edge]:
    return Resolver([article, *others]).edges(article)


WORK = "Loi du 3 juillet 1978 relative aux contrats de travail"


def test_a_law_is_found_by_its_date_where_the_title_is_left_out() -> None:
    article = provision("Code du travail", "Article 1er", "l'article 20 de la loi du 3 juillet 1978", level="Code")
    (edge,) = edges_of(article, provision(WORK, "Article 20"))
    assert edge.target == semantic_id(WORK, "Article 20", language="fr")


def test_two_laws_of_one_date_resolve_to_none_and_are_both_named() -> None:
    article = provision("Code du travail", "Article 1er", "l'article 20 de la loi du 3 juillet 1978", level="Code")
    other = "Loi du 3 juillet 1978 relative aux abris"
    (edge,) = edges_of(article, provision(WORK, "Article 20"), provision(other, "Article 20"))
    assert edge.target is None
    assert len(edge.candidates) == 2


def test_the_same_order_is_the_royal_one_named_before() -> None:
    article = provision(
        WORK, "Article 1er", "l'article 5 de l'arrêté royal du 3 mai 2003 et l'article 7 du même arrêté"
    )
    assert [edge.target for edge in edges_of(article)] == [
        "arrêté-royal-du-3-mai-2003_5",
        "arrêté-royal-du-3-mai-2003_7",
    ]


def test_the_same_code_in_a_decree_that_names_none_is_the_code_of_its_family() -> None:
    code = provision("Code du travail", "Article 7", level="Code")
    decree = provision("Décret relatif au travail", "Article 2", "visé à l'article 7 du même code", level="Décret")
    assert [edge.target for edge in edges_of(decree, code)] == ["code-du-travail_7"]


def test_the_same_code_after_articles_of_its_own_is_the_citing_one() -> None:
    text = "Par dérogation à l'article 5, l'article 7 du même code s'applique."
    article = provision("Code du travail", "Article 1er", text, level="Code")
    others = [provision("Code du travail", f"Article {n}", level="Code") for n in (5, 7)]
    assert [edge.target for edge in edges_of(article, *others)] == ["code-du-travail_5", "code-du-travail_7"]


@pytest.mark.parametrize(
    "unit",
    [
        "En exécution des articles 3, § 2, alinéa 1er, 3°, 5 et 9 à 12 du Code civil et de la loi du 2 mai 2028 sur "
        "les abris, le Roi fixe l'article L. 211-1, puis du même code ; ",
        *("article ", "Code ", "Code de la ", "loi du 1er mars 2029 relative à ", "(", "« ", "1° du ", "articles 1 à "),
        *("§ 2, ", "\n§ 2. ", "L. 211-1 ", "A", "et 5 du ", "l'annexe ", "même article ", "loi sur la "),
    ],
)
def test_a_line_of_half_a_megabyte_takes_linear_time(unit: str) -> None:
    line = unit * (500_000 // len(unit.encode()))
    started = time.process_time()
    mentions_of(line, "Code civil", "Loi sur la prévention des incendies")
    find_aliases(line, "fr")
    assert time.process_time() - started < 10  # about one second; quadratic time would be an hour


def test_the_citations_of_the_small_corpus_are_those_read_in_it() -> None:
    code, decree = "code-du-logement-loué", "décret-relatif-au-logement-loué"
    assert citations_in("fr") == [
        (f"{code}_L211-3", "annexe 1", "cites", f"{code}_annexe-1"),
        (f"{code}_L211-3", "fixée par décret", "delegates", f"{decree}_1"),
        (f"{code}_L211-3-1", "article précédent", "excepts", f"{code}_L211-3"),
        (f"{code}_L212-2", "défini par décret", "delegates", f"{decree}_2"),
        (f"{code}_L212-4", "Code rural de Valmère", "whole_law", "code-rural-de-valmère"),
        # The decree's article 3 says what the repairs are "au sens de" this one, which is no "en exécution de".
        (f"{code}_L213-1", "arrêtée par décret", "delegates", None),
        *(
            (f"{code}_L213-2", "articles L. 212-1 à L. 212-4", "cites", f"{code}_L212-{n}")
            for n in (1, 2, 3, 4)  # 3 is repealed
        ),
        (f"{code}_L213-3", "articles L. 211-3", "cites", f"{code}_L211-3"),
        (f"{code}_L213-3", "L. 211-3-1", "cites", f"{code}_L211-3-1"),
        (f"{code}_L213-3", "L. 213-1", "cites", f"{code}_L213-1"),
        (f"{code}_L213-3", "2e alinéa de l'article L. 212-1 du même code", "cites", f"{code}_L212-1"),
        (f"{decree}_1", "article L. 211-3 du Code du logement loué", "implements", f"{code}_L211-3"),
        (f"{decree}_2", "article L. 212-2 du même code", "implements", f"{code}_L212-2"),
        (f"{decree}_3", "article L. 213-1 du Code du logement loué", "defines", f"{code}_L213-1"),
        (f"{decree}_3-1", "article précédent", "cites", f"{decree}_3"),
    ]
    assert absent_in("fr") == [("code-rural-de-valmère", "")]
