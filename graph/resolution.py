"""From the words that cite to the provision that they mean, or to the reason why it cannot be told."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from graph.law_index import Law, LawIndex, Lost, named_below
from graph.mentions import LANGUAGES, Alias, chapter_of, find_aliases, find_mentions, name_key
from graph.mentions.korean_parts import BEFORE_ITEMS
from graph.mentions.ranks import family_stem, rank_of_level
from graph.records import Edge, EdgeKind, LawRefKind, Mention, Provision, Status, Target
from graph.semantic_id import parse, sort_key

__all__ = ["Resolver"]

_LONGEST_RANGE = 60  # annexes that a range may name without their being listed
_NO_NUMBER = -1  # the doc_id of a provision that no source numbers
_SENTENCE = re.compile(r"Satz \d+(?: und \d+)* ?|Hs\. \d+ ?|Alt\. \d+ ?")
_DIGITS = re.compile(r"\d+")
_FAMILY_WORDS = {"법", "영", "령", "규칙", "시행령", "시행규칙"}  # as aliases, the grammar knows them anyway


@dataclass(frozen=True, slots=True)
class _Found:
    """What a mention names."""

    law: Law
    ids: list[str]
    noun: str = ""  # as in Target


class Resolver:
    """Resolves the citations of articles among the given provisions.

    A mention becomes one edge for each provision it names. What it names need not have a text: an annex of a law of
    the corpus, or any part of a law outside, is given its semantic_id, and the edge's reason says that the text is not
    here; `absent_provisions` lists them. A mention that cannot be resolved becomes one edge without a target.
    An article in a language without a grammar (`graph.mentions.LANGUAGES`) has no edges.
    """

    def __init__(self, provisions: Iterable[Provision]) -> None:
        self._provisions = {provision.semantic_id: provision for provision in provisions}
        self._order = {name: number for number, name in enumerate(self._provisions)}
        self._laws = LawIndex(self._provisions.values())
        self._mentions: dict[str, list[Mention]] = {}

    def edges(self, article: Provision) -> list[Edge]:
        """Return what an article cites, in the order of its text; links to itself are left out."""
        edges = []
        for mention, found in self._resolved(article):
            place = (mention.start, mention.end, article.text[mention.start : mention.end])
            if isinstance(found, Lost):
                edges.append(Edge(article.semantic_id, None, mention.kind, *place, found.reason, found.candidates))
                continue
            kind = self._kind(article, mention, found)
            edges.extend(
                Edge(article.semantic_id, target, kind, *place, self._why_no_text(target, found.law))
                for target in found.ids
                if target != article.semantic_id
            )
        return edges

    def absent_provisions(self) -> list[Provision]:
        """Return a provision for every target of an edge that is not among the given ones, ordered as the law is.

        They are annexes, forms and articles without text, and, with an empty chapter, laws cited as a whole. They have
        no number (doc_id -1); a law outside the corpus belongs to the family of the act that its name holds.
        """
        absent: dict[str, Provision] = {}
        for article in self._provisions.values():
            for _, found in self._resolved(article):
                if isinstance(found, Lost):
                    continue
                for name in found.ids:
                    if name not in self._provisions and name not in absent:
                        absent[name] = _absent(name, found)
        return [absent[name] for name in sorted(absent, key=sort_key)]

    def _kind(self, article: Provision, mention: Mention, found: _Found) -> EdgeKind:
        """Only a lower law implements a higher one, whatever the words; the words alone cannot tell."""
        own, other = self._laws.of(article).rank, found.law.rank
        if mention.kind is EdgeKind.IMPLEMENTS and (own is None or other is None or own <= other):
            return EdgeKind.CITES
        return mention.kind

    def _why_no_text(self, target: str, law: Law) -> str:
        if not law.is_known:
            name = f"「{law.name}」" if law.language == "ko" else f'"{law.name}"'
            return f"law {name} is not in the corpus"
        provision = self._provisions.get(target)
        has_none = provision.status is Status.ABSENT if provision else target != law.slug
        return "its text is not in the sources" if has_none else ""

    # Which law

    def _resolved(self, article: Provision) -> Iterator[tuple[Mention, _Found | Lost]]:
        """Yield the mentions of an article with what they name."""
        for mention, law in self._with_laws(article):
            if _is_delegation(mention):
                if found := self._implementers(article, mention):
                    yield mention, found
            else:
                yield mention, law if isinstance(law, Lost) else self._labels(article, law, mention.target)

    def _with_laws(self, article: Provision) -> Iterator[tuple[Mention, Law | Lost]]:
        """Yield the mentions of an article with the laws they point into; of delegations, the article's own."""
        if article.language not in LANGUAGES:
            return
        named: list[Law | Lost] = []  # laws named so far, for "the same Act"
        aliases = find_aliases(article.text, article.language)
        own = self._laws.of(article)
        for mention in self._mentions_of(article):
            if _is_delegation(mention):
                yield mention, own
                continue
            law = self._law(mention, article, aliases, named)
            ref = mention.target.law
            if ref.kind is not LawRefKind.THIS and (ref.name or isinstance(law, Law)):
                named.append(law)
            yield mention, law

    def _mentions_of(self, article: Provision) -> list[Mention]:
        known = self._provisions.get(article.semantic_id)
        if known is not None and known.text == article.text:
            if article.semantic_id not in self._mentions:
                self._mentions[article.semantic_id] = self._find_mentions(article)
            return self._mentions[article.semantic_id]
        return self._find_mentions(article)

    def _find_mentions(self, article: Provision) -> list[Mention]:
        if not article.text:
            return []
        aliases = self._aliases.get(parse(article.semantic_id).law, ())
        names = {name_key(alias.name) for _, alias in aliases} - _FAMILY_WORDS
        known = self._laws.keys | names if names else self._laws.keys
        return find_mentions(article.text, article.language, known_laws=known)

    @cached_property
    def _aliases(self) -> dict[str, list[tuple[int, Alias]]]:
        """By law's slug: the aliases that hold in all its later articles, with the number of the defining one."""
        aliases: dict[str, list[tuple[int, Alias]]] = defaultdict(list)
        for semantic_id_, provision in self._provisions.items():
            if provision.text and provision.language in LANGUAGES:
                for alias in find_aliases(provision.text, provision.language):
                    if alias.end is None:
                        aliases[parse(semantic_id_).law].append((self._order[semantic_id_], alias))
        return dict(aliases)

    def _law(
        self, mention: Mention, article: Provision, aliases: Sequence[Alias], named: Sequence[Law | Lost]
    ) -> Law | Lost:
        ref = mention.target.law
        own = self._laws.of(article)
        if ref.kind is LawRefKind.OUTSIDE:
            where = "the addenda of a law" if ref.suffix in ("부칙", "附則") else "an earlier wording or an amendment"
            return Lost(f"it means {where}, which the corpus does not hold")
        if ref.kind is LawRefKind.SAME:
            return self._laws.same(ref, named, own)
        if ref.kind is LawRefKind.THIS:
            law: Law | Lost = own
        elif name := self._named_by_alias(ref.name, article, mention.start, aliases):
            law = self._laws.named(name, article.language)
            as_written = self._laws.named(ref.name, article.language)  # "Bürgerliches Gesetzbuch (BGB)", of a BGB
            if isinstance(law, Law) and not law.is_known and isinstance(as_written, Law) and as_written.is_known:
                law = as_written
        elif (stem := family_stem(ref.name)) != ref.name and (
            name := self._named_by_alias(stem, article, mention.start, aliases)
        ):
            suffix = ref.name.removeprefix(stem).lstrip()
            law = self._laws.named(named_below(name, suffix, article.language), article.language)
        elif ref.kind is LawRefKind.NAMED:
            law = self._laws.named(ref.name, article.language)
        else:
            law = self._laws.family(own, ref.name)
        return law if isinstance(law, Lost) else self._laws.below(law, ref.suffix)

    def _named_by_alias(self, word: str, article: Provision, position: int, aliases: Sequence[Alias]) -> str | None:
        """Return the law that a short name stands for there: the last one said so before, in the article or the law."""
        key = name_key(word)
        for alias in reversed(aliases):
            if alias.start <= position and (alias.end is None or position < alias.end) and name_key(alias.name) == key:
                return alias.law_name
        order = self._order.get(article.semantic_id, len(self._order))
        law_wide = self._aliases.get(parse(article.semantic_id).law, ())
        found = [alias for defined, alias in law_wide if defined < order and name_key(alias.name) == key]
        return found[-1].law_name if found else None

    # Which provisions of it

    def _labels(self, article: Provision, law: Law, target: Target) -> _Found | Lost:
        """Return the ids of the provisions that a label or a range names in a law, as an article says it."""
        if not target.label:
            return _Found(law, [law.slug])
        if target.label[0] in "+-" or target.last_label[:1] in ("+", "-"):
            ends = [law.counted_from(article.semantic_id, label) for label in (target.label, target.last_label)]
            if None in ends:
                side = "before" if "-" in (target.label[0], target.last_label[:1]) else "after"
                return Lost(f"{law.name} has no article {side} {article.chapter}")
            target = replace(target, label=ends[0] or "", last_label=ends[1] or "")
        first = f"{law.slug}_{target.label}"
        last = f"{law.slug}_{target.last_label or target.label}"
        is_article = sort_key(first)[1] == 0
        if target.last_label and law.is_known:
            begin = bisect_left(law.keys, sort_key(first)[:3], key=_without_spelling)
            end = bisect_right(law.keys, sort_key(last)[:3], key=_without_spelling)
            found = law.ids[begin:end]
            if found:
                return _Found(law, found)
        if first in self._provisions and last == first:
            return _Found(law, [first])
        if law.is_known and is_article:
            label = chapter_of(target.label, law.language, target.noun)
            through = f" to {chapter_of(target.last_label, law.language, target.noun)}" if target.last_label else ""
            return Lost(f"{law.name} has no {label}{through}")
        return _Found(law, _unlisted(law, target) if target.last_label else [first], target.noun)

    # Who fills in what is delegated

    def _implementers(self, article: Provision, mention: Mention) -> _Found | Lost | None:
        """Return the provisions that name this clause from below, those that name it most exactly; None if none may.

        A clause can leave nothing to a law of its own rank or a higher one: such words speak of another's delegation.
        """
        own = self._laws.of(article)
        level = mention.target.law.name
        rank = rank_of_level(level)
        if rank is None or own.rank is None or own.rank >= rank:
            return None
        fits: dict[tuple[int, int], list[str]] = defaultdict(list)
        for source, source_rank, from_below in self._implementing.get(article.semantic_id, ()):
            exactness = _exactness(mention.target, from_below.target)
            if source_rank == rank and exactness is not None:
                fits[_likeness(from_below.quoted, article.text, mention.start), exactness].append(source)
        law = self._laws.family(own, level)
        if fits:
            return _Found(law if isinstance(law, Law) else own, list(dict.fromkeys(fits[max(fits)])))
        return law if isinstance(law, Lost) else Lost(f"no article of {law.name} implements it")

    @cached_property
    def _implementing(self) -> dict[str, list[tuple[str, int, Mention]]]:
        """By semantic_id: who implements it, with the rank of the implementing law and the mention that says so."""
        implementing: dict[str, list[tuple[str, int, Mention]]] = defaultdict(list)
        for article in self._provisions.values():
            rank = self._laws.of(article).rank
            for mention, law in self._with_laws(article):
                if mention.kind is not EdgeKind.IMPLEMENTS or rank is None or isinstance(law, Lost):
                    continue
                found = self._labels(article, law, mention.target)
                if isinstance(found, _Found) and self._kind(article, mention, found) is EdgeKind.IMPLEMENTS:
                    for name in found.ids:
                        implementing[name].append((article.semantic_id, rank, mention))
        return dict(implementing)


def _without_spelling(key: tuple[str, int, tuple[int, ...], str]) -> tuple[str, int, tuple[int, ...]]:
    return key[:3]


def _is_delegation(mention: Mention) -> bool:
    return mention.kind is EdgeKind.DELEGATES and not mention.target.label


def _exactness(clause: Target, named: Target) -> int | None:
    """Say how exactly the parts that a lower law names fit the place of a clause; None if they are other parts."""
    exactness = 0
    for place, parts in ((clause.paragraph or "1", named.paragraph), (clause.item or BEFORE_ITEMS, named.item)):
        outer = [part for part in map(_outer_part, parts.split(",")) if part]
        if outer:
            if _outer_part(place) not in outer:
                return None
            exactness += 1
    return exactness


def _outer_part(part: str) -> str:
    """Return what tells a part without those inside it: 2 of 2호의2나목 and of "Satz 1 Nr. 2 Buchst. a"."""
    part = _SENTENCE.sub("", part)  # no clause tells its own
    number = _DIGITS.search(part)
    return number[0] if number else part


def _words(part: str) -> set[str]:
    """Return what names an item without what it holds: 1호 of 1호나목, "al. 1" and "3°" of "al. 1 3°"."""
    return set(re.split("[호号]", part)[0].split())


def _likeness(quoted: str, text: str, position: int) -> int:
    """Return 2 if the quoted words are those at a position of the text, 0 if they are others of it, else 1."""
    text, quoted = text.lower(), quoted.lower()
    found = text.find(quoted)
    if not quoted or found < 0:
        return 1
    while 0 <= found <= position:
        if position < found + len(quoted):
            return 2
        found = text.find(quoted, found + 1)
    return 0


def _unlisted(law: Law, target: Target) -> list[str]:
    """Return the ends of a range of which no member is known; of annexes counted without branches, all."""
    ends = [f"{law.slug}_{target.label}", f"{law.slug}_{target.last_label}"]
    (_, part, first, _), (_, _, last, _) = sort_key(ends[0]), sort_key(ends[1])
    if part == 0 or len(first) != 1 or len(last) != 1 or not 0 < last[0] - first[0] < _LONGEST_RANGE:
        return ends
    return [f"{law.slug}_{target.label.replace(str(first[0]), str(n), 1)}" for n in range(first[0], last[0] + 1)]


def _absent(name: str, found: _Found) -> Provision:
    label, law = parse(name).label, found.law
    return Provision(
        semantic_id=name,
        doc_id=_NO_NUMBER,
        law_name=law.name,
        collection_name=law.collection_name,
        law_level=law.level,
        chapter=chapter_of(label, law.language, found.noun) if label else "",
        language=law.language,
        status=Status.ABSENT,
    )
