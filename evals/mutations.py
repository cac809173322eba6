"""Answers broken on purpose, and how many of them verification lets through.

A sound answer is one that the extractive reader gave, a clause restated as a sentence by rule, or a restatement written
by hand (`builtin/paraphrases.jsonl`). Each rule below breaks sound answers that passed; an answer that is broken and
passes is a miss, a sound one that does not pass a false alarm. The words that are changed stand here, apart from those
that verification knows: a word that it lacks is to show.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from agent.extractive import Draft, Quote
from agent.reply import Answer, Check, Reply
from agent.verification import Verification, verify
from graph.errors import QuestionsError
from graph.records import Provision

__all__ = ["Broken", "Rule", "Sound", "Tally", "broken", "caught", "paraphrases", "passes", "restatements", "tallies"]


class Rule(StrEnum):
    """How an answer is broken."""

    NUMBER = "a number changed"
    NEGATION = "a not dropped or added"
    QUOTE = "a quote altered by a word"
    CITATION = "a citation swapped"


@dataclass(frozen=True, slots=True)
class Sound:
    """An answer that is right."""

    source: str  # extractive, restated, by hand
    language: str  # of the answer
    draft: Draft
    articles: Mapping[str, Provision]  # the context


@dataclass(frozen=True, slots=True)
class Broken:
    """A sound answer with one thing changed; `place` is that of the quote, where it is a quote's."""

    rule: Rule
    sound: Sound
    draft: Draft
    place: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of what were broken or sound, and of how many."""

    name: str
    language: str
    n: int
    n_all: int

    @property
    def share(self) -> float | None:
        """In [0, 1]; None of nothing."""
        return self.n / self.n_all if self.n_all else None


def passes(sound: Sound) -> bool:
    """Whether verification has nothing against a sound answer."""
    checked = _verified(sound, sound.draft)
    return not checked.findings and all(one and one.check is Check.EXACT for one in checked.citations)


def caught(one: Broken) -> bool:
    """Whether verification drops what was broken, or shows the article's own words in its place."""
    checked = _verified(one.sound, one.draft)
    if checked.findings:
        return True
    if one.rule is not Rule.QUOTE:
        return not checked.citations[one.place]
    shown = checked.citations[one.place]
    return shown is None or (shown.check is Check.REPAIRED and one.draft.quotes[one.place].words != shown.quote)


def _verified(sound: Sound, draft: Draft) -> Verification:
    return verify(draft, sound.articles, language=sound.language)


# Sound answers


def restatements(replies: Sequence[tuple[Reply, Mapping[str, Provision]]]) -> list[Sound]:
    """Return the answers among replies as they are, and their clauses restated one by one.

    replies: each with the articles that it cites, by semantic id.
    """
    found = []
    for reply, articles in replies:
        if not isinstance(reply, Answer):
            continue
        quotes = tuple(Quote(one.semantic_id, one.quote) for one in reply.citations)
        found.append(Sound("extractive", reply.language, Draft(reply.text, quotes), articles))
        for quote in quotes:
            article = articles[quote.semantic_id]
            for words in _restated(quote.words, article):
                found.append(Sound("restated", article.language, Draft(f"{words} [1]", (quote,)), articles))
    return list({(one.source, one.draft): one for one in found}.values())


_MARKER = re.compile(r"^\s*(?:\(\w{1,3}\)|\d+(?:의\d+)?\.|[①-⑳]|[가-하a-z]\.)\s*")
_SPOKEN = {
    "하여야 한다": "해야 합니다",
    "할 수 있다": "할 수 있습니다",
    "아니 된다": "안 됩니다",
    "아니한다": "않습니다",
    "한다": "합니다",
    "된다": "됩니다",
    "없다": "없습니다",
}
_IN_WORDS = {"2": "two", "3": "three", "5": "five", "7": "seven", "10": "ten", "14": "fourteen", "30": "thirty"}


def _restated(words: str, article: Provision) -> Iterator[str]:
    """Yield a clause as a sentence: without its marker, after its article's name, in the style of an answer."""
    words = " ".join(_MARKER.sub("", words).split())
    if not words or words[-1] not in ".":
        return  # a lead-in or an item of a list is no sentence
    yield words
    if article.language == "ko":
        yield f"「{article.law_name}」 {article.chapter}에 따르면 {words}"
        for written, spoken in _SPOKEN.items():
            if words.endswith(f"{written}."):
                yield words.removesuffix(f"{written}.") + f"{spoken}."
                break
    else:
        yield f"Under {article.chapter} of the {article.law_name}, {words[0].lower()}{words[1:]}"
        spelled = re.sub(
            r"(?<![\d.,(-])\b(\d+)(?= (?:days|months|years|hours|metres|litres)\b)",
            lambda found: _IN_WORDS.get(found[1], found[1]),
            words,
        )
        if spelled != words:
            yield spelled


def paraphrases(path: Path, law: Mapping[str, Provision]) -> list[Sound]:
    """Read restatements written by hand. law: the built-in law, by semantic id.

    Raises QuestionsError naming file and line.
    """
    found = []
    for line_no, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            name, quote, answer = row["semantic_id"], row["quote"], row["answer"]
            article = _invented(name, row["law"]) if row["law"] else law[name]
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionsError(f"{path}:{line_no}: no restatement: {error}") from error
        draft = Draft(f"{answer} [1]", (Quote(name, quote),))
        found.append(Sound("by hand", row["language"], draft, {name: article}))
    return found


def _invented(name: str, text: str) -> Provision:
    law_name, _, label = name.partition("_")
    return Provision(
        semantic_id=name,
        doc_id=0,
        law_name=law_name.replace("-", " "),
        collection_name=law_name,
        law_level="법률",
        chapter=f"제{label}",
        text=text,
    )


# Breaking them


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


# Counting


def tallies(
    sound: Sequence[Sound], law: Mapping[str, Provision], *, n: int, rng: random.Random
) -> tuple[list[Tally], list[Tally], list[Broken]]:
    """Return what was caught, by rule and language; the false alarms, by source and language; and the misses.

    n: answers broken a rule.
    """
    passed, alarms = [], []
    for source, language in sorted({(one.source, one.language) for one in sound}):
        of_kind = [one for one in sound if (one.source, one.language) == (source, language)]
        fine = [one for one in of_kind if passes(one)]
        passed += fine
        alarms.append(Tally(source, language, len(of_kind) - len(fine), len(of_kind)))
    counts, misses = [], []
    for rule in Rule:
        made = broken([one for one in passed if one.language in _DROPS], rule, n, rng, law)
        missed = [one for one in made if not caught(one)]
        misses += missed
        for language in sorted({one.sound.language for one in made}):
            n_all = sum(one.sound.language == language for one in made)
            n_missed = sum(one.sound.language == language for one in missed)
            counts.append(Tally(rule, language, n_all - n_missed, n_all))
    return counts, alarms, misses
