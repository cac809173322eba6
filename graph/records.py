"""The nouns that every package shares. Imports nothing of ours: read it first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Edge", "EdgeKind", "Hit", "LawRef", "LawRefKind", "Mention", "Provision", "Question", "Status", "Target"]


class Status(StrEnum):
    """Whether a provision's text is there to be read."""

    PRESENT = "present"
    ABSENT = "absent"  # cited or listed, but its text is not in the sources: an annex, a notice, another law
    REPEALED = "repealed"  # known to have been there; no text


@dataclass(frozen=True, slots=True, kw_only=True)
class Provision:
    """One article (or annex, or notice) of one law, as in force on a date. A present one is called an article.

    The field names are SearchFireSafety's, so that its files load here and ours load in its scripts.
    """

    semantic_id: str  # its name everywhere: see graph/semantic_id.py
    doc_id: int  # the source's number, or an assigned one; local to an index
    law_name: str
    collection_name: str  # the family of laws: an act with its decree and its rule
    law_level: str  # in the source's words: 법률, 대통령령, Act, Decree, ...
    chapter: str  # the label as printed: 제13조의2, Article 13-2, 별표 4
    chapter_description: str = ""  # the heading
    heading_path: str = ""  # "Chapter 2 Prevention > Section 1 Permits"
    text: str = ""
    related_doc_ids: tuple[int, ...] = ()  # citations that the source itself lists
    effective_date: str = ""  # ISO date since when it is in force; of a repealed one, since when it is not; "" unknown
    language: str = "ko"  # ISO 639-1
    status: Status = Status.PRESENT


class LawRefKind(StrEnum):
    """How a mention says which law it means."""

    THIS = "this"  # "제5조", "이 법", "Article 5", "this Act"
    NAMED = "named"  # 「건축법」, "the Building Act"
    SAME = "same"  # "같은 법", "the same Act": the law last named in the text
    FAMILY = "family"  # "법 제5조" in a decree, "the Act", "the Decree": a law of the same family, by its level
    OUTSIDE = "outside"  # "부칙 제3조", "종전의 제5조": addenda or an earlier wording, so not the law as it stands here


@dataclass(frozen=True, slots=True)
class LawRef:
    """The law that a mention points into, as far as its words tell."""

    kind: LawRefKind
    name: str = ""  # NAMED, OUTSIDE: the name as written; FAMILY, SAME: the level word (법, 영, 규칙, Act, Decree)
    suffix: str = ""  # the level below that is meant, "시행령" in "같은 법 시행령"; OUTSIDE: the word that says so


@dataclass(frozen=True, slots=True)
class Target:
    """What a mention points at: a label of a law, perhaps a range, perhaps only a part of an article."""

    law: LawRef
    label: str = ""  # as in a semantic_id: 7조, 13조의2, 별표4, 13-2, annex-4; "" for the whole law. Or, counted from
    # the citing article, "-1" for "the preceding section", "前条", and "+1" for the next one
    last_label: str = ""  # end of a range, inclusive; as label
    paragraph: str = ""  # "3" for 제3항 and (3); several are joined by commas. Of a delegation: where it stands itself
    item: str = ""  # 호 and 목 as in "1호나목", "b" for (b); joined and used likewise
    noun: str = (
        ""  # the word before the label where a language has several: Section, Regulation, Art.; "" the usual one
    )


class EdgeKind(StrEnum):
    """What the citing provision does with the cited one."""

    CITES = "cites"
    DELEGATES = "delegates"  # leaves detail to a decree, rule, notice or annex
    IMPLEMENTS = "implements"  # fills in what the cited provision delegated
    DEFINES = "defines"  # takes a term's meaning from the cited provision
    EXCEPTS = "excepts"  # applies unless, or in spite of, the cited provision
    WHOLE_LAW = "whole_law"  # a law cited as a whole: never an edge to its article 1
    IMPLIED = "implied"  # no words say so; scored, and can be switched off


@dataclass(frozen=True, slots=True)
class Mention:
    """The words `text[start:end]` of one article that cite another."""

    start: int  # in characters
    end: int
    kind: EdgeKind
    target: Target
    quoted: str = (
        ""  # the words of a delegation that an implementing clause repeats: 법 제5조에서 "대통령령으로 정하는 것"이란
    )


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed citation, resolved or not."""

    source: str  # semantic_id
    target: str | None  # semantic_id; None if unresolved
    kind: EdgeKind
    start: int = -1  # the mention's place in the source's text; -1 where the dataset gave the edge, or it is implied
    end: int = -1
    text: str = ""  # the mention's words
    reason: str = ""  # why it is unresolved, or why its target has no text here; "" otherwise
    candidates: tuple[str, ...] = ()  # the provisions it might mean, if several fit
    score: float = 1.0  # in [0, 1]; below 1 for implied edges alone


@dataclass(frozen=True, slots=True)
class Hit:
    """An article that retrieval returned."""

    semantic_id: str
    score: float  # unbounded, comparable within one ranking
    origin: str = ""  # how it came about: "sar:bm25", "link of …", "hop from …"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with what is known of its answer."""

    question_id: str
    text: str
    gold: tuple[str, ...] = ()  # semantic ids of the articles that answer it
    missing: tuple[str, ...] = ()  # semantic ids of gold provisions that lie outside the corpus
    answer: str = ""  # a model answer
    abstention: str = ""  # the kind of abstention that is right; "" if it can be answered
    topic: str = ""
