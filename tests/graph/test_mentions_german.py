from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.corpus import read_corpus
from graph.mentions import Alias, chapter_of, find_aliases, find_mentions, name_key
from graph.records import EdgeKind, LawRef, LawRefKind, Mention
from graph.resolution import Resolver
from graph.semantic_id import label_of
from tests.graph.corpora import absent_in, citations_in

ACT, ORDER = "imkereigesetz", "imkereiverordnung"


def mentions_of(text: str, *known: str) -> list[Mention]:
    return find_mentions(text, "de", known_laws={name_key(law) for law in known})


def laws(text: str, *known: str) -> list[str]:
    return [mention.target.law.name for mention in mentions_of(text, *known)]


def test_the_small_corpus_cites_what_its_words_say() -> None:
    assert citations_in("de") == [
        (f"{ACT}_3", "Imkereiverordnung", "whole_law", ORDER),
        (f"{ACT}_4", "durch Rechtsverordnung", "delegates", f"{ORDER}_2"),
        (f"{ACT}_4", "§ 906 des Nachbargesetzbuchs", "cites", "nachbargesetzbuch_906"),
        (f"{ACT}_5a", "§ 5 Abs. 2", "excepts", f"{ACT}_5"),
        (f"{ACT}_7", "Anlage 1", "cites", f"{ACT}_anlage-1"),
        *((f"{ACT}_7", "§§ 3 bis 5", "cites", f"{ACT}_{n}") for n in (3, 4, 5)),
        (f"{ACT}_7", "nach Maßgabe der Rechtsverordnung", "delegates", f"{ORDER}_3"),
        (f"{ACT}_9", "§ 3 Abs. 1 Satz 1", "cites", f"{ACT}_3"),
        (f"{ACT}_9", "§ 4 Abs. 1", "cites", f"{ACT}_4"),
        (f"{ACT}_9", "§ 7 Abs. 1 und 2", "cites", f"{ACT}_7"),
        (f"{ORDER}_1", "§ 3 Abs. 1 des Gesetzes", "implements", f"{ACT}_3"),
        (f"{ORDER}_2", "§ 4 Abs. 1 des Gesetzes", "implements", f"{ACT}_4"),
        (f"{ORDER}_2a", "vorstehende Paragraph", "cites", f"{ORDER}_2"),
        (f"{ORDER}_3", "§ 7 Abs. 3 des Gesetzes", "implements", f"{ACT}_7"),
    ]


def test_what_the_small_corpus_lacks_is_printed_as_its_law_would() -> None:
    assert ("nachbargesetzbuch_906", "§ 906") in absent_in("de")


@given(
    st.lists(st.integers(1, 999), min_size=2, max_size=8, unique=True),
    st.sampled_from(["BGB", "des Brandschutzgesetzes", "desselben Gesetzes"]),
)
def test_every_member_of_an_enumeration_has_the_law_at_its_end(numbers: list[int], law: str) -> None:
    *first, last = [str(n) for n in numbers]
    mentions = mentions_of(f"nach den §§ {', '.join(first)} und {last} {law} verpflichtet")
    assert [mention.target.label for mention in mentions] == [*first, last]
    assert len({mention.target.law for mention in mentions}) == 1
    assert mentions[0].target.law.kind is not LawRefKind.THIS


@pytest.mark.parametrize(
    ("words", "paragraph", "item"),
    [
        ("§ 10 Absatz 1 Nummer 2 bis 4 und Absatz 3", "1,3", "Nr. 2,Nr. 3,Nr. 4"),
        ("§ 4 Nr. 3 Buchstabe a bis c", "", "Nr. 3 Buchst. a,Buchst. b,Buchst. c"),
        ("§ 15 Abs. 1a Satz 3, 2. Halbsatz", "1a", "Satz 3"),
        ("§ 81 Absatz 1 Satz 1 in Verbindung mit Absatz 2", "1,2", "Satz 1"),
        ("§ 263 Abs. 1, 3 S. 2 Nr. 1", "1,3", "Satz 2 Nr. 1"),
        ("Absatz 2 des § 7", "2", ""),
        ("§ 823 IV", "4", ""),
    ],
)
def test_parts_of_a_section_belong_to_its_mention(words: str, paragraph: str, item: str) -> None:
    (mention,) = mentions_of(f"Es gilt {words}, soweit es passt.")
    assert (mention.start, mention.end) == (8, 8 + len(words))
    assert (mention.target.paragraph, mention.target.item) == (paragraph, item)


def test_a_number_behind_a_paragraph_is_a_section_if_it_is_greater_than_the_last() -> None:
    assert [m.target.label for m in mentions_of("§§ 280 Abs. 1, 3, 281 BGB")] == ["280", "281"]
    assert [m.target.label for m in mentions_of("§§ 4 Abs. 1 und 7 Abs. 2")] == ["4", "7"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("§ 1 des Bürgerlichen Gesetzbuches", "Bürgerliches Gesetzbuch"),
        ("§ 1 des Allgemeinen Gleichbehandlungsgesetzes", "Allgemeines Gleichbehandlungsgesetz"),
        ("§ 1 der Straßenverkehrs-Ordnung", "Straßenverkehrs-Ordnung"),
        ("§ 5 des Achten Buches Sozialgesetzbuch", "SGB VIII"),
        ("§ 38 SGB XII", "SGB XII"),
        ("§ 3 des Gesetzes über die Haltung von Hunden bleibt", "Gesetz über die Haltung von Hunden"),
        ("Das Bürgerliche Gesetzbuch gilt.", "Bürgerliches Gesetzbuch"),
    ],
)
def test_a_law_is_named_in_its_dictionary_form(text: str, name: str) -> None:
    assert laws(text) == [name]


def test_of_a_name_and_an_abbreviation_that_mean_one_law_the_known_one_is_taken() -> None:
    assert laws("§ 826 BGB", "Bürgerliches Gesetzbuch") == ["Bürgerliches Gesetzbuch"]
    assert laws("§ 826 des Bürgerlichen Gesetzbuchs", "BGB") == ["BGB"]
    assert laws("§ 5 des Bienengesetzes (BieG)", "BieG") == ["BieG"]
    assert laws("§ 5 des Bienenkodexes", "Bienenkodex") == ["Bienenkodex"]
    assert laws("§ 5 Biko gilt", "BiKo") == ["Biko"]
    assert laws("§ 5 Biko gilt") == [""]


def test_words_that_end_like_laws_are_none() -> None:
    assert laws("Die Tagesordnung, eine Anordnung und das Landesgesetz sowie die EU, Abschnitt IV und das BMF") == []
    assert laws("Das Brandschutzgesetz und die Brandschutzverordnung") == ["Brandschutzgesetz", "Brandschutzverordnung"]


def test_short_names_are_given_in_brackets() -> None:
    text = "Das Gesetz über die Haltung von Bienen (BieHG) und die Bienenordnung (im Folgenden: „Ordnung“) gelten."
    assert find_aliases(text, "de") == [
        Alias("BieHG", "Gesetz über die Haltung von Bienen", text.index(" und die Bienen"), None),
        Alias("Ordnung", "Bienenordnung", text.index(" gelten"), None),
    ]


def test_a_delegation_tells_where_it_stands() -> None:
    text = "(1) Ziel.\n(2) Das Ministerium bestimmt\n1. durch Rechtsverordnung das Maß,\n2. durch Satzung den Rest."
    assert [(m.target.law, m.target.paragraph, m.target.item) for m in mentions_of(text)] == [
        (LawRef(LawRefKind.FAMILY, "Verordnung"), "2", "Nr. 1"),
        (LawRef(LawRefKind.FAMILY, "Satzung"), "2", "Nr. 2"),
    ]


def test_an_order_that_a_section_empowers_is_no_delegation_of_ones_own() -> None:
    assert [m.kind for m in mentions_of("wie durch Rechtsverordnung nach § 7 bestimmt")] == [EdgeKind.CITES]


def test_a_plural_of_neighbours_is_not_counted() -> None:
    assert mentions_of("nach den vorstehenden Paragraphen") == []
    assert [m.target.label for m in mentions_of("des vorstehenden Paragraphen, im nächsten Artikel")] == ["-1", "+1"]


@pytest.mark.parametrize(("label", "chapter"), [("12a", "§ 12a"), ("anlage-1", "Anlage 1"), ("anhang-IV", "Anhang IV")])
def test_a_label_is_printed_as_the_law_prints_it(label: str, chapter: str) -> None:
    assert chapter_of(label, "de") == chapter
    assert label_of(chapter, language="de") == label
    assert chapter_of("3", "de", "Art.") == "Art. 3"


def written(folder: Path, name: str, *front: str, text: str = "") -> Path:
    path = folder / f"{name}.md"
    path.write_text(
        "\n".join(["---", *front, "language: de", "---", "", "##### § 1", "", text or "Ein Satz.", ""]), "utf-8"
    )
    return path


@pytest.mark.parametrize(
    "front",
    [
        ("Title: Bienenkodex", "jurabk: BiKO"),
        ("title: Bienenkodex (BiKO)",),
        ("title: BiKO", "collection: Bienenkodex"),
    ],
)
def test_a_law_goes_by_its_abbreviation_and_by_its_title(tmp_path: Path, front: tuple[str, ...]) -> None:
    words = ["§ 1 BiKO", "§ 1 des Bienenkodexes", "§ 1 des Bienenkodexes (BiKO)"]
    citing = written(tmp_path, "a", "title: Honiggesetz", text="; ".join(words))
    provisions = read_corpus([citing, written(tmp_path, "b", *front)]).provisions
    edges = Resolver(provisions).edges(provisions[0])
    assert [edge.text for edge in edges] == words
    assert {edge.target for edge in edges} == {provisions[1].semantic_id}
    assert {edge.reason for edge in edges} == {""}


def test_a_mirrors_abbreviation_names_the_law(tmp_path: Path) -> None:
    (bgb,) = read_corpus([written(tmp_path, "bgb", "Title: Bürgerliches Gesetzbuch", "jurabk: BGB")]).provisions
    assert (bgb.semantic_id, bgb.collection_name) == ("bgb_1", "Bürgerliches Gesetzbuch")
