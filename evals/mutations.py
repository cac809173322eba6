"""Right answers broken on purpose: a number changed, a "not" dropped or added, a quote altered, a citation swapped.

The words that are changed stand here, apart from those that verification knows: a word that it lacks is to show.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agent.extractive import Draft, Quote
from evals.sound_answers import Sound
from graph.records import Provision

__all__ = ["NEGATED_LANGUAGES", "Broken", "Rule", "broken"]


class Rule(StrEnum):
    """How an answer is broken."""

    NUMBER = "a number changed"
    NEGATION = "a not dropped or added"
    QUOTE = "a quote altered by a word"
    CITATION = "a citation swapped"


@dataclass(frozen=True, slots=True)
class Broken:
    """A sound answer with one thing changed; `place` is that of the quote, where it is a quote's."""

    rule: Rule
    sound: Sound
    draft: Draft
    place: int = 0


def broken(
    sound: Sequence[Sound], rule: Rule, n: int, rng: random.Random, law: Mapping[str, Provision]
) -> list[Broken]:
    """Return `n` different answers broken by a rule, fewer if there are no more, by turns over languages.

    law: articles to take other words and other citations from, by semantic id.
    """
    breaks = {
        Rule.NUMBER: _number_changed,
        Rule.NEGATION: _negation_moved,
        Rule.QUOTE: _quote_altered,
        Rule.CITATION: _citation_swapped,
    }[rule]
    names = sorted(law)
    by_language: dict[str, list[Broken]] = {}
    for one in rng.sample(list(sound), len(sound)):
        for changed in breaks(one, rng, law, names):
            by_language.setdefault(one.language, []).append(changed)
    queues = [list({one.draft: one for one in found}.values()) for _, found in sorted(by_language.items())]
    chosen: list[Broken] = []
    for turn in range(max(map(len, queues), default=0)):
        chosen += [queue[turn] for queue in queues if turn < len(queue)]
    return chosen[:n]


_A_NUMBER = re.compile(r"(?<![\d\[.,-])\d+(?:[,.]\d+)*(?![\d\]])")
_A_SPELLED_NUMBER = re.compile(
    r"\b(two|three|four|five|six|seven|ten|twelve|fourteen|sixteen|thirty|sixty)\b", re.IGNORECASE
)
_SPELLED = ("two", "three", "five", "eight", "nine", "eleven", "fifteen", "twenty", "forty", "ninety")


def _number_changed(
    one: Sound, rng: random.Random, law: Mapping[str, Provision], names: Sequence[str]
) -> Iterator[Broken]:
    text = one.draft.text
    places = [*_A_NUMBER.finditer(text), *_A_SPELLED_NUMBER.finditer(text)]
    for place in rng.sample(places, min(3, len(places))):
        old = place[0]
        if old[0].isdigit():
            value = int(re.sub(r"\D", "", old.split(".")[0]) or 0)
            new = str(rng.choice([value + 1, value + 5, value * 2 + 1, value * 10 + 10]))
        else:
            new = rng.choice([word for word in _SPELLED if word != old.lower()])
        yield _with_text(one, Rule.NUMBER, text[: place.start()] + new + text[place.end() :])


_DROPS = {
    "en": (
        (r"\b(shall|may|must|can|need|does|do|is|are) not\b", r"\1"),
        (r"\bcannot\b", "can"),
        (r"n't\b", ""),
        (r"\b(No|no) (person|fee|building|permit|equipment|compensation|fire|notice)\b", r"A \2"),
        (r"\b[Nn]obody\b", "Everybody"),
        (r"\bwithout\b", "with"),
        (r"\bnot (?=more|less|older|later|apply)", ""),
    ),
    "ko": (
        (r"하여서는 아니 된다", "할 수 있다"),
        (r"(?:서는|면) (?:아니|안) (?:된다|됩니다)", "도 됩니다"),
        (r"지 아니하여도 된다", "여야 한다"),
        (r"하지 (?:아니한다|않는다|않습니다)", "한다"),
        (r"지 아니하", ""),
        (r"없(?=다|습니다)", "있"),
        (r"금지(?=됩니다|된다)", "허용"),
    ),
}
NEGATED_LANGUAGES = frozenset(_DROPS)
"""The languages (ISO 639-1) in which a "not" can be dropped or added."""

_ADDS = {
    "en": (
        (r"\b(shall|may|must|can)(?! not)\b", r"\1 not"),
        (r"\b(is|are)(?! not)\b", r"\1 not"),
        (r"\b(has|have) to\b", r"does not \1 to"),
    ),
    "ko": (
        (r"수 있(?=다|습니다)", "수 없"),
        (r"하여야 한다", "하여서는 아니 된다"),
        (r"해야 합니다", "하지 않아도 됩니다"),
        (r"(?<=[가-힣])한다(?=\.)", "하지 아니한다"),
        (r"(?<=[가-힣])합니다(?=\.)", "하지 않습니다"),
        (r"(?<=[가-힣])된다(?=\.)", "되지 아니한다"),
    ),
}


def _negation_moved(
    one: Sound, rng: random.Random, law: Mapping[str, Provision], names: Sequence[str]
) -> Iterator[Broken]:
    text = one.draft.text
    changes = [
        (place, place.expand(new))
        for table in (_DROPS, _ADDS)
        for old, new in table.get(one.language, ())
        for place in re.finditer(old, text)
    ]
    for place, new in rng.sample(changes, min(2, len(changes))):
        yield _with_text(one, Rule.NEGATION, text[: place.start()] + new + text[place.end() :])


def _quote_altered(
    one: Sound, rng: random.Random, law: Mapping[str, Provision], names: Sequence[str]
) -> Iterator[Broken]:
    """Put another word of the law in the place of one of a quote."""
    place = rng.randrange(len(one.draft.quotes))
    quote = one.draft.quotes[place]
    words = list(re.finditer(r"[^\W\d_]{2,}", quote.words))
    others = re.findall(r"[^\W\d_]{2,}", law[rng.choice(names)].text)
    if len(words) < 4 or not others:
        return
    word, other = rng.choice(words), rng.choice(others)
    if word[0].casefold() != other.casefold():
        altered = replace(quote, words=quote.words[: word.start()] + other + quote.words[word.end() :])
        yield _with_quote(one, Rule.QUOTE, place, altered)


def _citation_swapped(
    one: Sound, rng: random.Random, law: Mapping[str, Provision], names: Sequence[str]
) -> Iterator[Broken]:
    """Say that a quote stands in another article of the context; and let a sentence name another quote than its own."""
    place = rng.randrange(len(one.draft.quotes))
    quote = one.draft.quotes[place]
    other = law[rng.choice(names)]
    if other.text and other.semantic_id not in one.articles and quote.words not in other.text:
        context = replace(one, articles={**one.articles, other.semantic_id: other})
        yield _with_quote(context, Rule.CITATION, place, replace(quote, semantic_id=other.semantic_id))
    first = re.search(r"[^.]{20,}\. \[1\]$", one.draft.text)
    if first and one.source == "restated" and other.text and quote.words not in other.text:
        words = other.text[:200].rpartition(" ")[0]
        quotes = (Quote(other.semantic_id, words), quote)  # the sentence names the first, and is shown by the second
        yield Broken(
            Rule.CITATION,
            replace(one, articles={**one.articles, other.semantic_id: other}),
            Draft(one.draft.text, quotes),
            place=1,
        )


def _with_text(one: Sound, rule: Rule, text: str) -> Broken:
    return Broken(rule, one, replace(one.draft, text=text))


def _with_quote(one: Sound, rule: Rule, place: int, quote: Quote) -> Broken:
    quotes = (*one.draft.quotes[:place], quote, *one.draft.quotes[place + 1 :])
    return Broken(rule, one, replace(one.draft, quotes=quotes), place)
