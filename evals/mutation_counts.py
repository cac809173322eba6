"""How many broken answers verification catches, and how many sound ones it takes for broken.

An answer that is broken and passes is a miss, a sound one that does not pass a false alarm.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.extractive import Draft
from agent.reply import Check
from agent.verification import Verification, verify
from evals.mutations import NEGATED_LANGUAGES, Broken, Rule, broken
from evals.sound_answers import Sound
from graph.records import Provision

__all__ = ["Tally", "caught", "passes", "tallies"]


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
        made = broken([one for one in passed if one.language in NEGATED_LANGUAGES], rule, n, rng, law)
        missed = [one for one in made if not caught(one)]
        misses += missed
        for language in sorted({one.sound.language for one in made}):
            n_all = sum(one.sound.language == language for one in made)
            n_missed = sum(one.sound.language == language for one in missed)
            counts.append(Tally(rule, language, n_all - n_missed, n_all))
    return counts, alarms, misses
