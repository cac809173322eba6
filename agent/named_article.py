"""The provisions that a question names: there to be read, repealed, known without a text, or not there at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graph.citation_graph import CitationGraph
from graph.law_index import Law, LawIndex, Lost
from graph.mentions import LANGUAGES, chapter_of, find_mentions
from graph.mentions.ranks import rank_of_level
from graph.records import LawRefKind, Mention, Provision, Status
from graph.semantic_id import parse

__all__ = ["ArticleNames", "Named"]

_MOST_NAMED = 4  # provisions that one question can name; of more, the rest is passed over
_MOST_LAWS = 2  # laws in which a number without a law's name is looked up
_WINDOW = 4_000  # characters of a question in which names are looked for
_LABEL_WORD = re.compile(r"\b(?:articles?|sections?|annex(?:es)?|schedules?|forms?)(?= ?\d)", re.IGNORECASE)
_IN_LAW = re.compile(r"(\d[\w()-]*) (?:in|from|under|within) (?=(?:the|this|that) )")
_WORDS = re.compile(r"\b[A-ZÀ-Þ]\w+\b")  # a law's level is written large: "the Decree"
_LEVEL_WORD = re.compile(r"시행규칙|시행령|고시|施行規則|施行令|省令|政令|告示")
_SEMANTIC_ID = re.compile(r"[^\s_,;:?!\"'()<>]{2,80}_[\w-]{1,20}")


@dataclass(frozen=True, slots=True)
class Named:
    """What a question names, in its order."""

    present: tuple[str, ...] = ()  # semantic ids of articles
    repealed: tuple[Provision, ...] = ()
    absent: tuple[Provision, ...] = ()  # known, but without a text
    unknown: tuple[str, ...] = ()  # in words: of a law that is here, but which has no such provision

    @property
    def is_any(self) -> bool:
        """Whether anything is named."""
        return bool(self.present or self.repealed or self.absent or self.unknown)

    def to_json(self) -> dict[str, list[str]]:
        """Return plain values: what there is of each."""
        repealed, absent = ([one.semantic_id for one in them] for them in (self.repealed, self.absent))
        named = {"present": list(self.present), "repealed": repealed, "absent": absent, "unknown": list(self.unknown)}
        return {status: names for status, names in named.items() if names}


class ArticleNames:
    """Reads the names of provisions in questions on one corpus, by the citation grammar of its language."""

    def __init__(self, graph: CitationGraph, language: str) -> None:
        self._provisions = graph.provisions
        self._language = language
        self._laws = LawIndex(
            provision for provision in graph.provisions.values() if parse(provision.semantic_id).label
        )
        here = (self._provisions[name] for name in graph.articles)
        self._here = list({(law := self._laws.of(one)).slug: law for one in here}.values())

    def find(self, question: str, near: Sequence[str] = ()) -> Named:
        """Return what a question names.

        near: semantic ids of the articles that fit the question, best first: of several laws that a number without a
        law's name, or a level ("the Decree"), may mean, the ones that these are of are meant.
        """
        present: dict[str, None] = {}
        repealed: dict[str, Provision] = {}
        absent: dict[str, Provision] = {}
        unknown: dict[str, None] = {}
        for candidates, words in self._candidates(question, near):
            there = [self._provisions[name] for name in candidates if name in self._provisions]
            here = [one for one in there if one.status is Status.PRESENT]
            if here:
                present |= dict.fromkeys(one.semantic_id for one in here)
            elif gone := [one for one in there if one.status is Status.REPEALED]:
                repealed |= {one.semantic_id: one for one in gone}
            elif there:
                absent |= {one.semantic_id: one for one in there}
            else:
                unknown[words] = None
            if len(present) + len(repealed) + len(absent) + len(unknown) >= _MOST_NAMED:
                break
        return Named(tuple(present), tuple(repealed.values()), tuple(absent.values()), tuple(unknown))

    def levels_named(self, question: str) -> frozenset[int]:
        """Return the ranks of the laws that a question speaks of by their level ("the Decree") or their name."""
        words = [*_WORDS.findall(question[:_WINDOW]), *(found[0] for found in _LEVEL_WORD.finditer(question))]
        here = {law.rank for law in self._here}
        return frozenset(rank for word in words if (rank := rank_of_level(word)) is not None and rank in here)

    def _candidates(self, question: str, near: Sequence[str]) -> Iterator[tuple[list[str], str]]:
        """Yield, for each provision named, the ids it may have, and its name in words."""
        question = question[:_WINDOW]
        for found in _SEMANTIC_ID.finditer(question):
            if found[0] in self._provisions:
                yield [found[0]], found[0]
        if self._language not in LANGUAGES:
            return
        question = _LABEL_WORD.sub(lambda found: found[0].capitalize(), question)
        question = _IN_LAW.sub(r"\1 of ", question)
        named: list[Law | Lost] = []
        for mention in find_mentions(question, self._language, known_laws=self._laws.keys):
            laws = self._laws_of(mention, near, named)
            if not mention.target.label or not laws:
                continue
            label = mention.target.label
            with_it = [law for law in laws if f"{law.slug}_{label}" in self._provisions]
            words = f"{laws[0].name}, " if len(laws) == 1 else ""
            ids = [f"{law.slug}_{label}" for law in with_it or laws]
            yield ids[:_MOST_LAWS], words + chapter_of(label, self._language)

    def _laws_of(self, mention: Mention, near: Sequence[str], named: list[Law | Lost]) -> list[Law]:
        """Return the laws that a mention may be of, those that fit the question first; none if it cannot be told."""
        ref = mention.target.law
        if ref.kind is LawRefKind.NAMED:
            law = self._laws.named(ref.name, self._language)
            law = law if isinstance(law, Lost) else self._laws.below(law, ref.suffix)
            named.append(law)
            return [] if isinstance(law, Lost) or not law.ids else [law]
        if ref.kind is LawRefKind.SAME and (last := next((law for law in named if isinstance(law, Law)), None)):
            same = self._laws.same(ref, named, last)
            return [] if isinstance(same, Lost) or not same.ids else [same]
        if ref.kind is LawRefKind.OUTSIDE:
            return []
        rank = rank_of_level(ref.name) if ref.name else None
        laws = [law for law in self._here if rank is None or law.rank == rank]
        place = {parse(name).law: place for place, name in reversed(list(enumerate(near)))}
        holding = [law for law in laws if f"{law.slug}_{mention.target.label}" in self._provisions]
        fitting = sorted((law for law in holding or laws if law.slug in place), key=lambda law: place[law.slug])
        if not holding:
            return laws if rank is None or len(laws) == 1 else fitting[:1]
        exact = [law for law in fitting if f"{law.slug}_{mention.target.label}" in near]
        return holding if len(holding) == 1 else exact or (fitting[:1] if rank is not None else [])
