"""The laws of a corpus, found by their names, by their family and level, and by what was named before."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graph.mentions import name_key
from graph.mentions.law_names import dated_key
from graph.mentions.ranks import ACT, family_stem, rank_of_law, rank_of_level, rank_of_name
from graph.records import LawRef, Provision
from graph.semantic_id import law_slug, parse, sort_key

__all__ = ["Law", "LawIndex", "Lost", "named_below"]

_WITH_SHORT_NAME = re.compile(r"(.+?) \(([^()]+)\)")


@dataclass(slots=True)
class Law:
    """One law of the corpus, or one that is only named."""

    name: str
    slug: str
    language: str
    collection_name: str
    level: str
    rank: int | None  # graph/mentions/ranks.py
    is_known: bool = True  # in the corpus
    ids: list[str] = field(default_factory=list)  # of its provisions, in the law's order
    keys: list[tuple[str, int, tuple[int, ...], str]] = field(default_factory=list)  # their sort keys

    def counted_from(self, semantic_id: str, label: str) -> str | None:
        """Return the label of the article that "-1" or "+2" means in one of the law's articles; else `label` as it is.

        "+0" is the article itself.
        Articles that were repealed count, as they did when the words were written; annexes do not. None: there is none.
        """
        if label[:1] not in ("+", "-"):
            return label
        if not int(label):
            return parse(semantic_id).label
        articles = self.ids[: bisect_left(self.keys, (self.slug, 1))]
        own = bisect_left(self.keys, sort_key(semantic_id), hi=len(articles))
        is_there = articles[own : own + 1] == [semantic_id]
        place = own + int(label) - (label[0] == "+" and not is_there)
        return parse(articles[place]).label if 0 <= place < len(articles) else None


@dataclass(frozen=True, slots=True)
class Lost:
    """Why words that cite cannot be resolved."""

    reason: str
    candidates: tuple[str, ...] = ()


class LawIndex:
    """Looks laws up. Two laws that fit are none: the answer is then Lost, with both as candidates."""

    def __init__(self, provisions: Iterable[Provision]) -> None:
        self._by_slug: dict[str, Law] = {}
        for provision in provisions:
            slug = parse(provision.semantic_id).law
            if slug not in self._by_slug:
                self._by_slug[slug] = _law_of(provision, slug, is_known=True)
            self._by_slug[slug].ids.append(provision.semantic_id)
        self._by_key: dict[str, list[Law]] = defaultdict(list)
        self._by_family: dict[str, list[Law]] = defaultdict(list)
        self._by_date: dict[str, list[Law]] = defaultdict(list)  # of French laws, whose titles are often left out
        for law in self._by_slug.values():
            law.ids.sort(key=sort_key)
            law.keys = [sort_key(name) for name in law.ids]
            for name in _names(law):
                self._by_key[name_key(name)].append(law)
            self._by_family[law.collection_name].append(law)
            if law.language == "fr" and (dated := dated_key(law.name)):
                self._by_date[dated].append(law)
        self.keys = frozenset(self._by_key)
        """The `name_key`s of all laws."""

    def of(self, article: Provision) -> Law:
        """Return the law of an article, which need not be in the corpus."""
        slug = parse(article.semantic_id).law
        return self._by_slug.get(slug) or _law_of(article, slug, is_known=False)

    def named(self, name: str, language: str) -> Law | Lost:
        """Return the law of that name, spelt as it is or with other spaces and dots; else a law that is not known."""
        slug = law_slug(name, language=language)
        if slug in self._by_slug:
            return self._by_slug[slug]
        key = name_key(name)
        laws = self._by_key.get(key, [])
        if not laws and self._by_date:
            dated = self._by_date.get(dated_key(name), [])
            laws = [law for law in dated if key.startswith(name_key(law.name)) or name_key(law.name).startswith(key)]
        if len(laws) > 1:
            return Lost(f"{len(laws)} laws of the corpus are named {name}", tuple(law.slug for law in laws))
        if laws:
            return laws[0]
        if not slug or "_" in slug:
            return Lost(f"{name!r} is no name of a law")
        return Law(name, slug, language, family_stem(name), "", rank_of_name(name), is_known=False)

    def below(self, law: Law, suffix: str) -> Law | Lost:
        """Return the decree or rule (시행령, 시행규칙) of an act; the act itself for an empty suffix."""
        return self.named(named_below(law.name, suffix, law.language), law.language) if suffix else law

    def family(self, own: Law, level: str) -> Law | Lost:
        """Return the law of a level (법, 대통령령, Act) in a law's family."""
        rank = rank_of_level(level)
        if rank is not None and own.rank == rank:
            return own
        laws = [law for law in self._by_family.get(own.collection_name, ()) if rank is not None and law.rank == rank]
        if len(laws) == 1:
            return laws[0]
        if laws:
            return Lost(f"{len(laws)} laws of its family have the level {level}", tuple(law.slug for law in laws))
        return Lost(f"the family {own.collection_name} has no law of the level {level} in the corpus")

    def same(self, ref: LawRef, named: Sequence[Law | Lost], own: Law) -> Law | Lost:
        """Return the law that "같은 법", "같은 영" or "the same Act" means after the laws named so far."""
        rank = rank_of_level(ref.name)
        for law in reversed(named):
            if isinstance(law, Lost):
                return law  # the same as one that cannot be resolved
            if rank == ACT and law.rank != ACT and family_stem(law.name) != law.name:
                act = self.named(family_stem(law.name), law.language)  # after 「건축법 시행령」, 같은 법 is 건축법
                return act if isinstance(act, Lost) else self.below(act, ref.suffix)
            is_unranked = law.rank is None and law.language != "ko"  # "the same Act" after 28 U.S.C.
            if law.rank == rank or rank is None or is_unranked or _is_called(law, ref.name):
                return self.below(law, ref.suffix)
            if ref.name in ("시행령", "시행규칙") and law.rank == ACT:
                return self.below(law, ref.name)
        if own.language == "fr":  # "le même code" in a decree may have been named an article before: the family has one
            law = self.family(own, ref.name)
            if isinstance(law, Law) and law is not own:
                return law
        return Lost("no law is named before that it could be the same as")


def _is_called(law: Law, word: str) -> bool:
    """Tell whether a law may be called by a word of several ranks: 同令 of a 内閣府令, "même arrêté" of a royal one."""
    name = law.name.lower()
    return (law.language == "ja" and name.endswith(word)) or (law.language == "fr" and name.startswith(word))


def named_below(act: str, suffix: str, language: str) -> str:
    """Return the name of an act's decree or rule: 건축법 시행령, 民法施行令."""
    return f"{act}{suffix}" if language == "ja" else f"{act} {suffix}"


def _names(law: Law) -> list[str]:
    """Return the names of a law; of a German one also those by which an abbreviation goes.

    A BGB of the collection Bürgerliches Gesetzbuch is both, and so is a Bürgerliches Gesetzbuch (BGB).
    """
    names = {name_key(law.name): law.name}
    if law.language == "de":
        short = _WITH_SHORT_NAME.fullmatch(law.name)
        others = [*(short.groups() if short else ()), *([law.collection_name] if law.rank in (ACT, None) else ())]
        names = {name_key(name): name for name in others} | names
    return list(names.values())


def _law_of(provision: Provision, slug: str, *, is_known: bool) -> Law:
    return Law(
        provision.law_name,
        slug,
        provision.language,
        provision.collection_name,
        provision.law_level,
        rank_of_law(provision.law_name, provision.law_level),
        is_known,
    )
