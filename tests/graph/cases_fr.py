"""French citations made by hand, of Belgian and French drafting, before the grammar that reads them.

Form: `language_cases.py`. A mention begins at its own noun, after the elided article: "article 5" in "à l'article 5".
"""

from __future__ import annotations

from tests.graph.language_cases import (
    CITES,
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

LOI = "Loi sur la prévention des incendies"
ARRETE = "Arrêté royal du 7 juillet 2031"
CIVIL = "Code civil"
SECURITE = "Code de la sécurité"

# law name: (collection name, level)
LAWS = {
    LOI: (LOI, "Loi"),
    ARRETE: (LOI, "Arrêté royal"),
    CIVIL: (CIVIL, "Code"),
    SECURITE: (SECURITE, "Code"),
}
CHAPTERS = (
    "Article 1er",
    *(f"Article {n}" for n in range(2, 121)),
    "Article 12-1",
    "Article 12-2",
    "Article 13bis",
    "Article 14/1",
)
REPEALED = "Article 121"
MORE_CHAPTERS = {
    CIVIL: ("Article 1382", "Article 1383", "Article 1384", "Article 5.74", "Article 5.75"),
    SECURITE: ("Article L. 211-1", "Article L. 211-2", "Article L. 211-2-1", "Article L. 211-3", "Article R. 211-1"),
}

L = "loi-sur-la-prévention-des-incendies"
A = "arrêté-royal-du-7-juillet-2031"


def fr(
    why: str,
    law: str,
    text: str,
    *expected: Expected,
    article: str = "Article 99",
    beside: dict[str, dict[str, str]] | None = None,
) -> LanguageCase:
    return LanguageCase(why, law, text, list(expected), article, "fr", beside or {})


CASES = [
    fr("an article of the same law, elided", LOI, "le permis visé à l'article 5", to("article 5", f"{L}_5")),
    fr("a typographic apostrophe elides too", LOI, "en vertu de l’article 5", to("article 5", f"{L}_5")),
    fr(
        "the first article has a suffix and no other name",
        LOI,
        "l'article 1er est applicable",
        to("article 1er", f"{L}_1"),
    ),
    fr("and is written out", LOI, "l'article premier", to("article premier", f"{L}_1")),
    fr(
        "an article of a named code",
        LOI,
        "la faute au sens civil, visée par l'article 1382 du Code civil, oblige à réparer",
        to("article 1382 du Code civil", "code-civil_1382"),
    ),
    fr(
        "one number is not the tail of another (oldp#194)",
        CIVIL,
        "L'article 1382 et l'article 82 sont distincts.",
        to("article 1382", "code-civil_1382"),
        to("article 82", "code-civil_82"),
    ),
    fr(
        "a small c, and a line break inside the name",
        LOI,
        "l'article 1383 du code\ncivil",
        to("article 1383 du code\ncivil", "code-civil_1383"),
    ),
    fr(
        "paragraph, indent and number of the Belgian manner",
        LOI,
        "prévu à l'article 12, § 2, alinéa 1er, 3°, de la présente loi",
        to("article 12, § 2, alinéa 1er, 3°, de la présente loi", f"{L}_12", paragraph="2", item="al. 1 3°"),
    ),
    fr(
        "that tail alone is a part of the article it stands in",
        LOI,
        "Les frais visés au § 2, alinéa 1er, 3°, sont remboursés.",
    ),
    fr(
        "the indent before the article, in an ordinal",
        LOI,
        "au deuxième alinéa de l'article 7",
        to("deuxième alinéa de l'article 7", f"{L}_7", paragraph="2"),
    ),
    fr(
        "the number before the article, lettered",
        LOI,
        "le b) du 3° de l'article 8",
        to("b) du 3° de l'article 8", f"{L}_8", item="3° b)"),
    ),
    fr(
        "the article before this one",
        LOI,
        "Par dérogation à l'article précédent,",
        to("article précédent", f"{L}_98", EXCEPTS),
    ),
    fr(
        "which is a branch, if one stands between",
        LOI,
        "dans les cas prévus à l'article précédent",
        to("article précédent", f"{L}_12-2"),
        article="Article 13",
    ),
    fr(
        "there is none before the first",
        LOI,
        "l'article précédent",
        lost("article précédent", "no article before"),
        article="Article 1er",
    ),
    fr("the article that follows", LOI, "comme à l'article suivant", to("article suivant", f"{L}_100")),
    fr(
        "two articles before: a relative range",
        LOI,
        "les deux articles précédents",
        *to_each("deux articles précédents", L, "97 98"),
    ),
    fr(
        "the indent before is no other article",
        LOI,
        "Dans le cas visé à l'alinéa précédent ou au paragraphe précédent,",
    ),
    fr(
        "a range takes in its branches, whatever they are written with",
        LOI,
        "les articles 12 à 15 s'appliquent",
        *to_each("articles 12 à 15", L, "12 12-1 12-2 13 13bis 14 14/1 15"),
    ),
    fr(
        "a range of paragraphs stays in its article",
        LOI,
        "l'article 12, §§ 2 à 4, et l'article 15",
        to("article 12, §§ 2 à 4", f"{L}_12", paragraph="2,3,4"),
        to("article 15", f"{L}_15"),
    ),
    fr(
        "an inclusive range of another law",
        LOI,
        "les articles 3 à 5 inclus du Code civil",
        *to_each("articles 3 à 5 inclus du Code civil", "code-civil", "3 4 5"),
    ),
    fr(
        "an enumeration takes the law that stands behind it",
        LOI,
        "les articles 3, 5, alinéa 2, et 9 du Code civil",
        to("articles 3", "code-civil_3"),
        to("5, alinéa 2", "code-civil_5", paragraph="2"),
        to("9 du Code civil", "code-civil_9"),
    ),
    fr(
        "two enumerations with a law each",
        LOI,
        "les articles 3 et 5 du Code civil et l'article 7 de la présente loi",
        to("articles 3", "code-civil_3"),
        to("5 du Code civil", "code-civil_5"),
        to("article 7 de la présente loi", f"{L}_7"),
    ),
    fr(
        "a number that counts is not the end of an enumeration",
        LOI,
        "les articles 3 et 5, 10 jours au moins avant les travaux",
        to("articles 3", f"{L}_3"),
        to("5", f"{L}_5"),
    ),
    fr(
        "the same code",
        LOI,
        "l'article 1382 du Code civil et l'article 1384 du même code",
        to("article 1382 du Code civil", "code-civil_1382"),
        to("article 1384 du même code", "code-civil_1384"),
    ),
    fr(
        "the same code with none before",
        LOI,
        "l'article 12 du même code",
        lost("article 12 du même code", "no law is named before"),
    ),
    fr(
        "the same article, of another law",
        LOI,
        "l'article 1384, alinéa 1er, du Code civil ; l'alinéa 3 du même article",
        to("article 1384, alinéa 1er, du Code civil", "code-civil_1384", paragraph="1"),
        to("alinéa 3 du même article", "code-civil_1384", paragraph="3"),
    ),
    fr(
        "the said article",
        LOI,
        "l'article 8 ; les délais dudit article",
        to("article 8", f"{L}_8"),
        to("dudit article", f"{L}_8"),
    ),
    fr("this law as a whole is no link", LOI, "Pour l'application de la présente loi et de ses arrêtés d'exécution,"),
    fr(
        "this order, not the law it implements",
        ARRETE,
        "l'article 4 du présent arrêté",
        to("article 4 du présent arrêté", f"{A}_4"),
    ),
    fr(
        "a royal order named by its date, whose day is no article",
        LOI,
        "l'article 12 de l'arrêté royal du 7 juillet 2031",
        to("article 12 de l'arrêté royal du 7 juillet 2031", f"{A}_12"),
    ),
    fr(
        "the first of the month, and a law outside",
        LOI,
        "l'article 5 de la loi du 1er mars 2029 relative aux abris",
        to(
            "article 5 de la loi du 1er mars 2029 relative aux abris",
            "loi-du-1er-mars-2029-relative-aux-abris_5",
            reason=NOT_HERE,
        ),
    ),
    fr(
        "a law that only its number tells",
        LOI,
        "la loi n° 2029-412 du 3 avril 2029",
        to("loi n° 2029-412 du 3 avril 2029", "loi-n°-2029-412-du-3-avril-2029", WHOLE_LAW, NOT_HERE),
    ),
    fr(
        "decimal numbers, of which the point is not the sentence's",
        LOI,
        "Voir l'article 5.74 du Code civil. Il y est renvoyé.",
        to("article 5.74 du Code civil", "code-civil_5.74"),
    ),
    fr("a number at the end of a sentence", CIVIL, "Voir l'article 5.", to("article 5", "code-civil_5")),
    fr(
        "a slashed number is a branch, not two articles",
        LOI,
        "l'article 14/1, § 3",
        to("article 14/1, § 3", f"{L}_14/1", paragraph="3"),
    ),
    fr(
        "a number and a verb of one letter are no branch (lagasafn-xml#60)",
        LOI,
        "L'article 6 a été modifié et l'article 7. A défaut d'accord, le juge décide.",
        to("article 6", f"{L}_6"),
        to("article 7", f"{L}_7"),
    ),
    fr("a Latin branch, spaced", LOI, "l'article 13 bis", to("article 13 bis", f"{L}_13bis")),
    fr("and glued", LOI, "à l'article 13bis, alinéa 2", to("article 13bis, alinéa 2", f"{L}_13bis", paragraph="2")),
    fr(
        "the French codes' letters",
        LOI,
        "l'article L. 211-1 du Code de la sécurité",
        to("article L. 211-1 du Code de la sécurité", "code-de-la-sécurité_L211-1"),
    ),
    fr(
        "letter and number glued, noun abbreviated, and no noun at all",
        SECURITE,
        "l'art. L.211-2, puis L211-3",
        to("art. L.211-2", "code-de-la-sécurité_L211-2"),
        to("L211-3", "code-de-la-sécurité_L211-3"),
    ),
    fr(
        "a range over lettered numbers takes no regulatory article in",
        SECURITE,
        "articles L. 211-1 à L. 211-3",
        *to_each("articles L. 211-1 à L. 211-3", "code-de-la-sécurité", "L211-1 L211-2 L211-2-1 L211-3"),
    ),
    fr(
        "law and regulation of one number are two articles",
        SECURITE,
        "les articles L. 211-1 et R. 211-1",
        to("articles L. 211-1", "code-de-la-sécurité_L211-1"),
        to("R. 211-1", "code-de-la-sécurité_R211-1"),
    ),
    fr(
        "what the King determines, and who carries it out",
        LOI,
        "Le Roi détermine les distances. Un arrêté ministériel fixe les modèles.",
        to("Le Roi détermine", f"{A}_7", DELEGATES),
        lost("arrêté ministériel fixe", "has no law of the level", DELEGATES),
        beside={ARRETE: {"Article 7": "En exécution de l'article 99 de la loi, la distance est de dix mètres."}},
    ),
    fr(
        "from below",
        ARRETE,
        "En exécution de l'article 12 de la loi, la distance est de dix mètres.",
        to("article 12 de la loi", f"{L}_12", IMPLEMENTS),
    ),
    fr(
        "a definition",
        LOI,
        "un immeuble au sens de l'article 3 du Code civil",
        to("article 3 du Code civil", "code-civil_3", DEFINES),
    ),
    fr(
        "an alias, which is another law than the word says",
        LOI,
        "la loi du 2 mai 2028 relative aux marchés (ci-après « la loi marchés ») ; l'article 6 de la loi marchés",
        to(
            "loi du 2 mai 2028 relative aux marchés",
            "loi-du-2-mai-2028-relative-aux-marchés",
            WHOLE_LAW,
            NOT_HERE,
        ),
        to("article 6 de la loi marchés", "loi-du-2-mai-2028-relative-aux-marchés_6", CITES, NOT_HERE),
    ),
    fr("an annex", ARRETE, "énumérés à l'annexe 2", to("annexe 2", f"{A}_annexe-2", reason=NO_TEXT)),
    fr("an earlier wording", LOI, "l'ancien article 5", lost("ancien article 5", "earlier wording")),
    fr("a label that the law lacks", LOI, "l'article 999", lost("article 999", f"{LOI} has no Article 999")),
    fr("a repealed article is found", LOI, "l'article 121", to("article 121", f"{L}_121")),
    fr(
        "articles that are goods, and a code that is a number",
        LOI,
        "Les articles de 12 kg et le code 1382 du coffre sont consignés.",
    ),
]
