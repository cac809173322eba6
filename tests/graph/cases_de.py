"""German citations made by hand, before the grammar that reads them. Form: `language_cases.py`.

Laws that are cited by an abbreviation bear it as their name: BGB, GG. Genitives name the law in its dictionary form.
"""

from __future__ import annotations

from tests.graph.language_cases import (
    DEFINES,
    DELEGATES,
    EXCEPTS,
    IMPLEMENTS,
    NO_TEXT,
    NOT_HERE,
    WHOLE_LAW,
    Expected,
    LanguageCase,
    lost,
    to,
    to_each,
)

__all__ = ["CASES", "CHAPTERS", "LAWS", "MORE_CHAPTERS", "REPEALED"]

ACT = "Brandschutzgesetz"
ORDER = "Brandschutzverordnung"

# law name: (collection name, level)
LAWS = {
    ACT: (ACT, "Gesetz"),
    ORDER: (ACT, "Verordnung"),
    "BGB": ("BGB", "Gesetz"),
    "GG": ("GG", "Gesetz"),
}
CHAPTERS = (*(f"§ {n}" for n in range(1, 121)), "§ 12a", "§ 12b", "§ 13a")
REPEALED = "§ 121"
MORE_CHAPTERS = {"BGB": ("§ 249", "§ 823", "§ 826", "§ 1823", "§ 1824"), "GG": ("Art. 20a",)}

A = "brandschutzgesetz"
V = "brandschutzverordnung"


def de(
    why: str,
    law: str,
    text: str,
    *expected: Expected,
    article: str = "§ 99",
    beside: dict[str, dict[str, str]] | None = None,
) -> LanguageCase:
    return LanguageCase(why, law, text, list(expected), article, "de", beside or {})


CASES = [
    de("a section of the same law", ACT, "Die Erlaubnis nach § 5 erlischt.", to("§ 5", f"{A}_5")),
    de(
        "no space after the sign, and one that does not break",
        ACT,
        "nach §5 oder §\u00a06",
        to("§5", f"{A}_5"),
        to("§\u00a06", f"{A}_6"),
    ),
    de(
        "the sign in words, old and new spelling",
        ACT,
        "Paragraph 5 und Paragraf 6",
        to("Paragraph 5", f"{A}_5"),
        to("Paragraf 6", f"{A}_6"),
    ),
    de(
        "paragraph, sentence and code",
        ACT,
        "Ansprüche aus § 823 Abs. 1 Satz 2 BGB bleiben unberührt.",
        to("§ 823 Abs. 1 Satz 2 BGB", "bgb_823", paragraph="1", item="Satz 2"),
    ),
    de(
        "one number is not the tail of another (oldp#194)",
        "BGB",
        "Für § 1823 gilt § 823 nicht, wohl aber § 23.",
        to("§ 1823", "bgb_1823"),
        to("§ 823", "bgb_823"),
        to("§ 23", "bgb_23"),
    ),
    de(
        "all the parts, shortened",
        ACT,
        "§ 12 Abs. 1 S. 2 Nr. 3 Buchst. a",
        to("§ 12 Abs. 1 S. 2 Nr. 3 Buchst. a", f"{A}_12", paragraph="1", item="Satz 2 Nr. 3 Buchst. a"),
    ),
    de(
        "all the parts, in full",
        ACT,
        "nach § 12 Absatz 1 Satz 2 Nummer 3 Buchstabe a verpflichtet",
        to(
            "§ 12 Absatz 1 Satz 2 Nummer 3 Buchstabe a",
            f"{A}_12",
            paragraph="1",
            item="Satz 2 Nr. 3 Buchst. a",
        ),
    ),
    de(
        "lawyers' short parts: Roman paragraph, sentence",
        ACT,
        "§ 823 I 1 BGB",
        to("§ 823 I 1 BGB", "bgb_823", paragraph="1", item="Satz 1"),
    ),
    de(
        "the full stop after a shortened part ends no mention, the sentence's does",
        ACT,
        "Es gilt § 5 Abs. 2. Satz 3 findet keine Anwendung.",
        to("§ 5 Abs. 2", f"{A}_5", paragraph="2"),
    ),
    de("a branch letter", ACT, "nach § 12a", to("§ 12a", f"{A}_12a")),
    de("a branch letter set apart", ACT, "nach § 12 a Abs. 1", to("§ 12 a Abs. 1", f"{A}_12a", paragraph="1")),
    de("its stem", ACT, "nach § 12 an die Behörde", to("§ 12", f"{A}_12")),
    de(
        "a range takes in the branches",
        ACT,
        "Die §§ 12 bis 15 gelten entsprechend.",
        *to_each("§§ 12 bis 15", A, "12 12a 12b 13 13a 14 15"),
    ),
    de("a range with a dash", ACT, "§§ 12b–13a", *to_each("§§ 12b–13a", A, "12b 13 13a")),
    de("a range that repeats the sign", ACT, "von § 3 bis § 5", *to_each("§ 3 bis § 5", A, "3 4 5")),
    de(
        "a range of paragraphs stays in its section",
        ACT,
        "§ 7 Abs. 2 bis 4 und § 9",
        to("§ 7 Abs. 2 bis 4", f"{A}_7", paragraph="2,3,4"),
        to("§ 9", f"{A}_9"),
    ),
    de("'and the following' names the first alone", ACT, "nach §§ 30 ff. zu verfahren", to("§§ 30 ff.", f"{A}_30")),
    de(
        "an enumeration takes the code that stands behind it",
        ACT,
        "nach den §§ 31, 823 Abs. 2 und 826 BGB",
        to("§§ 31", "bgb_31"),
        to("823 Abs. 2", "bgb_823", paragraph="2"),
        to("826 BGB", "bgb_826"),
    ),
    de(
        "a number that counts is not the end of an enumeration",
        ACT,
        "nach den §§ 3 und 5 sowie 10 Tage vor Beginn",
        to("§§ 3", f"{A}_3"),
        to("5", f"{A}_5"),
    ),
    de(
        "two paragraphs of one section",
        ACT,
        "§ 8 Abs. 1 und 3",
        to("§ 8 Abs. 1 und 3", f"{A}_8", paragraph="1,3"),
    ),
    de("an article of the constitution", ACT, "Art. 3 Abs. 1 GG", to("Art. 3 Abs. 1 GG", "gg_3", paragraph="1")),
    de("its branch", ACT, "nach Art. 20a GG", to("Art. 20a GG", "gg_20a")),
    de(
        "read together, the first takes the code of the second",
        ACT,
        "Art. 2 Abs. 1 i.V.m. Art. 1 Abs. 1 GG",
        to("Art. 2 Abs. 1", "gg_2", paragraph="1"),
        to("Art. 1 Abs. 1 GG", "gg_1", paragraph="1"),
    ),
    de(
        "unless it has its own",
        ACT,
        "§ 5 dieses Gesetzes in Verbindung mit § 823 BGB",
        to("§ 5 dieses Gesetzes", f"{A}_5"),
        to("§ 823 BGB", "bgb_823"),
    ),
    de(
        "and with spaces in the abbreviation",
        ACT,
        "§ 249 i. V. m. § 823 Abs. 1 BGB",
        to("§ 249", "bgb_249"),
        to("§ 823 Abs. 1 BGB", "bgb_823", paragraph="1"),
    ),
    de(
        "this law as a whole is no link", ACT, "Dieses Gesetz und die auf Grund dieses Gesetzes erlassenen Verordnungen"
    ),
    de("this order", ORDER, "§ 4 dieser Verordnung", to("§ 4 dieser Verordnung", f"{V}_4")),
    de(
        "the act, from its order",
        ORDER,
        "Auf Grund des § 12 Abs. 2 des Gesetzes wird bestimmt:",
        to("§ 12 Abs. 2 des Gesetzes", f"{A}_12", IMPLEMENTS, paragraph="2"),
    ),
    de(
        "an act of a date is not the family's act",
        ORDER,
        "Artikel 2 des Gesetzes vom 3. Mai 2030",
        to("Artikel 2 des Gesetzes vom 3. Mai 2030", "gesetz-vom-3.-mai-2030_2", reason=NOT_HERE),
    ),
    de(
        "a law in the genitive",
        ORDER,
        "§ 5 Satz 1 des Brandschutzgesetzes",
        to("§ 5 Satz 1 des Brandschutzgesetzes", f"{A}_5", item="Satz 1"),
    ),
    de(
        "a law outside in the genitive",
        ACT,
        "§ 906 des Nachbargesetzbuchs und § 7 der Bauordnung",
        to("§ 906 des Nachbargesetzbuchs", "nachbargesetzbuch_906", reason=NOT_HERE),
        to("§ 7 der Bauordnung", "bauordnung_7", reason=NOT_HERE),
    ),
    de(
        "an abbreviation is told before it is used",
        ACT,
        "§ 249 des Bürgerlichen Gesetzbuchs (BGB) und § 826 BGB",
        to("§ 249 des Bürgerlichen Gesetzbuchs (BGB)", "bgb_249"),
        to("§ 826 BGB", "bgb_826"),
    ),
    de(
        "the same law",
        ACT,
        "§ 823 BGB und § 826 desselben Gesetzes; § 249 des genannten Gesetzes",
        to("§ 823 BGB", "bgb_823"),
        to("§ 826 desselben Gesetzes", "bgb_826"),
        to("§ 249 des genannten Gesetzes", "bgb_249"),
    ),
    de(
        "the same law with none before",
        ACT,
        "§ 9 desselben Gesetzes",
        lost("§ 9 desselben Gesetzes", "no law is named before"),
    ),
    de("the section before", ACT, "Der vorhergehende Paragraph gilt nicht.", to("vorhergehende Paragraph", f"{A}_98")),
    de(
        "which is a branch, if one stands between",
        ACT,
        "nach dem vorstehenden Paragraphen",
        to("vorstehenden Paragraphen", f"{A}_12b"),
        article="§ 13",
    ),
    de("the next section, dative", ACT, "in dem folgenden Paragraphen", to("folgenden Paragraphen", f"{A}_100")),
    de(
        "paragraphs and numbers of the same section are no link",
        ACT,
        "Absatz 2 Satz 1 gilt in den Fällen des Absatzes 1 Nr. 3 nicht.",
    ),
    de(
        "what an order determines, and what nobody may",
        ACT,
        "Die Frist wird durch Rechtsverordnung bestimmt. Das Muster wird durch Verwaltungsvorschrift festgelegt.",
        to("durch Rechtsverordnung", f"{V}_7", DELEGATES),
        lost("durch Verwaltungsvorschrift", "has no law of the level", DELEGATES),
        beside={ORDER: {"§ 7": "Auf Grund des § 99 des Gesetzes wird die Frist auf zehn Tage bestimmt."}},
    ),
    de("in spite of", ACT, "Abweichend von § 14 Abs. 1 kann", to("§ 14 Abs. 1", f"{A}_14", EXCEPTS, paragraph="1")),
    de("unless it says otherwise", ACT, "soweit nicht § 20 etwas anderes bestimmt", to("§ 20", f"{A}_20", EXCEPTS)),
    de(
        "a definition",
        ACT,
        "Sachen im Sinne des § 90 BGB",
        to("§ 90 BGB", "bgb_90", DEFINES),
    ),
    de(
        "a regulation of the Union, by number and by abbreviation",
        ACT,
        "Art. 6 Abs. 1 Buchst. f der Verordnung (EU) 2016/679; Art. 9 DSGVO",
        to(
            "Art. 6 Abs. 1 Buchst. f der Verordnung (EU) 2016/679",
            "verordnung-(eu)-2016/679_6",
            reason=NOT_HERE,
            paragraph="1",
            item="Buchst. f",
        ),
        to("Art. 9 DSGVO", "dsgvo_9", reason=NOT_HERE),
    ),
    de(
        "a law cited whole",
        ACT,
        "Die Vorschriften des BGB und der Bauordnung bleiben unberührt.",
        to("BGB", "bgb", WHOLE_LAW),
        to("Bauordnung", "bauordnung", WHOLE_LAW, NOT_HERE),
    ),
    de("an annex", ACT, "die in Anlage 2 genannten Nutzungen", to("Anlage 2", f"{A}_anlage-2", reason=NO_TEXT)),
    de("an earlier wording", ACT, "§ 12 a. F. ist weiter anzuwenden", lost("§ 12 a. F.", "earlier wording")),
    de(
        "an earlier wording, in full",
        ACT,
        "§ 12 in der bis zum 31. März 2031 geltenden Fassung",
        lost("§ 12 in der bis zum 31. März 2031 geltenden Fassung", "earlier wording"),
    ),
    de("a label that the law lacks", ACT, "nach § 999", lost("§ 999", f"{ACT} has no § 999")),
    de("a repealed section is found", ACT, "nach § 121", to("§ 121", f"{A}_121")),
    de(
        "articles that are goods, and parts that are stairs",
        ACT,
        "Artikel des täglichen Bedarfs, ein Artikel zu 3 Talern und der Absatz 2 Stufen tiefer",
    ),
]
