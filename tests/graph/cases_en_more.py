"""English citations made by hand in the manner of British acts, Union regulations and American codes.

Form: `language_cases.py`. Those of the built-in law's manner are in `citation_cases.py`. A cited law's name takes its
article in: "section 5 of the Moorings Act 2031".
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

ACT = "Moorings Act 2031"
REGULATIONS = "Moorings Regulations 2031"
TOLLS = "River Tolls Act 2029"
UNION = "Regulation (EU) 2031/12"

# law name: (collection name, level)
LAWS = {
    ACT: (ACT, "Act"),
    REGULATIONS: (ACT, "Regulations"),
    TOLLS: (TOLLS, "Act"),
    UNION: (UNION, "Regulation"),
}
CHAPTERS = (*(f"Section {n}" for n in range(1, 121)), "Section 12A", "Section 12B", "Section 13A")
REPEALED = "Section 121"
MORE_CHAPTERS = {TOLLS: ("Section 1023",)}

A = "moorings-act-2031"
R = "moorings-regulations-2031"
T = "river-tolls-act-2029"
U = "regulation-(eu)-2031/12"


def en(
    why: str,
    law: str,
    text: str,
    *expected: Expected,
    article: str = "Section 99",
    beside: dict[str, dict[str, str]] | None = None,
) -> LanguageCase:
    return LanguageCase(why, law, text, list(expected), article, "en", beside or {})


CASES = [
    en(
        "subsection and paragraph",
        ACT,
        "a notice under section 12(3)(a)",
        to("section 12(3)(a)", f"{A}_12", paragraph="3", item="a"),
    ),
    en(
        "and what stands below them",
        ACT,
        "a notice under section 12(3)(a)(ii)",
        to("section 12(3)(a)(ii)", f"{A}_12", paragraph="3", item="a,ii"),
    ),
    en("a section put in later", ACT, "under section 12A(1)", to("section 12A(1)", f"{A}_12A", paragraph="1")),
    en(
        "a number and the next sentence's article are no such section (lagasafn-xml#60)",
        ACT,
        "This is subject to section 12. A person may appeal under section 13 a second time.",
        to("section 12", f"{A}_12"),
        to("section 13", f"{A}_13"),
    ),
    en("abbreviated, with and without a stop", ACT, "s. 5(1) and s 6", to("s. 5(1)", f"{A}_5"), to("s 6", f"{A}_6")),
    en("abbreviated and glued", ACT, "as s.12A provides", to("s.12A", f"{A}_12A")),
    en("a plural s is no section", ACT, "the 1990s 5 boats, the owner's 6 oars, items 7"),
    en("a range with a dash", ACT, "ss. 4–9 apply", *to_each("ss. 4–9", A, "4 5 6 7 8 9")),
    en(
        "a range takes in sections put in later",
        ACT,
        "sections 12 to 14",
        *to_each("sections 12 to 14", A, "12 12A 12B 13 13A 14"),
    ),
    en(
        "a range from one of those takes in no stem",
        ACT,
        "sections 12A to 13",
        *to_each("sections 12A to 13", A, "12A 12B 13"),
    ),
    en(
        "a range with a plain word, both ends",
        ACT,
        "between section 4 and section 6, and sections 7 to 9 inclusive",
        to("section 4", f"{A}_4"),
        to("section 6", f"{A}_6"),
        *to_each("sections 7 to 9 inclusive", A, "7 8 9"),
    ),
    en(
        "a range of subsections stays in its section",
        ACT,
        "section 12(2) to (4) and section 14",
        to("section 12(2) to (4)", f"{A}_12", paragraph="2,3,4"),
        to("section 14", f"{A}_14"),
    ),
    en(
        "an enumeration takes the act that stands behind it",
        ACT,
        "sections 4, 5(2) and 9 of the River Tolls Act 2029",
        to("sections 4", f"{T}_4"),
        to("5(2)", f"{T}_5", paragraph="2"),
        to("9 of the River Tolls Act 2029", f"{T}_9"),
    ),
    en(
        "one number is not the tail of another, and the year is none (oldp#194)",
        TOLLS,
        "section 1023, section 23 and the Moorings Act 2031",
        to("section 1023", f"{T}_1023"),
        to("section 23", f"{T}_23"),
        to("the Moorings Act 2031", A, WHOLE_LAW),
    ),
    en(
        "an article of a regulation outside",
        ACT,
        "processed under Article 5(1)(b) of Regulation (EU) 2016/679",
        to(
            "Article 5(1)(b) of Regulation (EU) 2016/679",
            "regulation-(eu)-2016/679_5",
            reason=NOT_HERE,
            paragraph="1",
            item="b",
        ),
    ),
    en(
        "of one that is here",
        ACT,
        "Articles 12, 13 and 14(2) of Regulation (EU) 2031/12",
        to("Articles 12", f"{U}_12"),
        to("13", f"{U}_13"),
        to("14(2) of Regulation (EU) 2031/12", f"{U}_14", paragraph="2"),
    ),
    en("this regulation", UNION, "Article 6 of this Regulation", to("Article 6 of this Regulation", f"{U}_6")),
    en(
        "that regulation",
        ACT,
        "Regulation (EU) 2031/12; Article 6 of that Regulation",
        to("Regulation (EU) 2031/12", U, WHOLE_LAW),
        to("Article 6 of that Regulation", f"{U}_6"),
    ),
    en(
        "a point of a paragraph of an article",
        UNION,
        "point (b) of Article 6(1), first subparagraph",
        to("point (b) of Article 6(1), first subparagraph", f"{U}_6", paragraph="1"),
    ),
    en(
        "a directive outside",
        ACT,
        "Article 4 of Directive 2009/12/EC",
        to("Article 4 of Directive 2009/12/EC", "directive-2009/12/ec_4", reason=NOT_HERE),
    ),
    en(
        "the said act",
        ACT,
        "the River Tolls Act 2029, and section 8 of the said Act",
        to("the River Tolls Act 2029", T, WHOLE_LAW),
        to("section 8 of the said Act", f"{T}_8"),
    ),
    en(
        "the said act with none before",
        ACT,
        "section 8 of the said Act",
        lost("section 8 of the said Act", "no law is named before"),
    ),
    en(
        "an alias by the year",
        ACT,
        'the River Tolls Act 2029 ("the 2029 Act") and section 8 of the 2029 Act',
        to("the River Tolls Act 2029", T, WHOLE_LAW),
        to("section 8 of the 2029 Act", f"{T}_8"),
    ),
    en("this act, this part and this section as a whole are no link", ACT, "In this Act, this Part and this section,"),
    en("a section of this part", ACT, "an order under section 5 of this Part", to("section 5 of this Part", f"{A}_5")),
    en(
        "a part of another act is the act as a whole, not its section 3",
        ACT,
        "Part 3 of the River Tolls Act 2029",
        to("the River Tolls Act 2029", T, WHOLE_LAW),
    ),
    en("subsections of the same section are no link", ACT, "under subsection (2) or paragraph (a) of subsection (1)"),
    en(
        "a subsection named first",
        ACT,
        "subsection (2) of section 5",
        to("subsection (2) of section 5", f"{A}_5", paragraph="2"),
    ),
    en("the section before", ACT, "the last preceding section", to("last preceding section", f"{A}_98")),
    en(
        "which is one put in later, if it stands between",
        ACT,
        "under the preceding section",
        to("preceding section", f"{A}_12B"),
        article="Section 13",
    ),
    en("the section after", ACT, "under the next following section", to("next following section", f"{A}_100")),
    en(
        "there is none before the first",
        ACT,
        "the preceding section",
        lost("preceding section", "no article before"),
        article="Section 1",
    ),
    en(
        "that section, of another act",
        ACT,
        "section 8(1) of the River Tolls Act 2029; subsection (3) of that section",
        to("section 8(1) of the River Tolls Act 2029", f"{T}_8", paragraph="1"),
        to("subsection (3) of that section", f"{T}_8", paragraph="3"),
    ),
    en(
        "regulations have regulations",
        ACT,
        "regulation 5 of the Moorings Regulations 2031, regs 6 and 7 of those Regulations",
        to("regulation 5 of the Moorings Regulations 2031", f"{R}_5"),
        to("regs 6", f"{R}_6"),
        to("7 of those Regulations", f"{R}_7"),
    ),
    en(
        "a regulation of the same instrument",
        REGULATIONS,
        "under regulation 7(2)",
        to("regulation 7(2)", f"{R}_7", paragraph="2"),
    ),
    en(
        "the powers that regulations are made under",
        REGULATIONS,
        "In exercise of the powers conferred by section 12(2) of the Act, the Minister makes these Regulations.",
        to("section 12(2) of the Act", f"{A}_12", IMPLEMENTS, paragraph="2"),
    ),
    en(
        "what regulations prescribe, and who does",
        ACT,
        "(1) The fee is that prescribed by regulations.\n(2) The form is that prescribed by rules of court.",
        to("prescribed by regulations", f"{R}_7", DELEGATES),
        lost("prescribed by rules of court", "has no law of the level", DELEGATES),
        beside={REGULATIONS: {"Section 7": "The fee prescribed under section 99(1) of the Act is 30 crowns."}},
    ),
    en(
        "a paragraph of a schedule",
        ACT,
        "paragraph 3(1) of Schedule 2",
        to("paragraph 3(1) of Schedule 2", f"{A}_schedule-2", reason=NO_TEXT),
    ),
    en(
        "a schedule of another act, numbered in capitals",
        ACT,
        "Schedule 1A to the River Tolls Act 2029",
        to("Schedule 1A to the River Tolls Act 2029", f"{T}_schedule-1A", reason=NO_TEXT),
    ),
    en("in spite of", ACT, "Notwithstanding section 14(1), an owner", to("section 14(1)", f"{A}_14", EXCEPTS)),
    en(
        "the same meaning as in",
        ACT,
        '"vessel" has the same meaning as in section 2 of the River Tolls Act 2029',
        to("section 2 of the River Tolls Act 2029", f"{T}_2", DEFINES),
    ),
    en(
        "the chapter of an act is not its section",
        ACT,
        "section 3 of the Harbours Act 1964 (c. 40)",
        to("section 3 of the Harbours Act 1964", "harbours-act-1964_3", reason=NOT_HERE),
    ),
    en(
        "'and' and 'of' in an act's name",
        ACT,
        "section 6 of the Sale and Supply of Boats Act 2030",
        to(
            "section 6 of the Sale and Supply of Boats Act 2030",
            "sale-and-supply-of-boats-act-2030_6",
            reason=NOT_HERE,
        ),
    ),
    en(
        "an American code, whose title stands before",
        ACT,
        "under 28 U.S.C. § 1331(a)",
        to("28 U.S.C. § 1331(a)", "28-u.s.c._1331", reason=NOT_HERE),
    ),
    en(
        "a wording that was replaced",
        ACT,
        "section 5 as it had effect before 1 May 2030",
        lost("section 5 as it had effect before 1 May 2030", "earlier wording"),
    ),
    en("a label that the act lacks", ACT, "under section 999", lost("section 999", f"{ACT} has no")),
    en("a repealed section is found", ACT, "under section 121", to("section 121", f"{A}_121")),
    en("sections that are none", ACT, "section by section, a cross-section 5 m wide, sections 4 metres long"),
]
