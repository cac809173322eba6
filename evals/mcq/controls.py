"""Systems that cannot know the answer, or know no more than which words occur: the floor under every result."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from functools import lru_cache
from string import ascii_uppercase
from typing import TypeAlias

from evals.mcq.records import ChoiceQuestion
from evals.mcq.sources import Sources
from evals.mcq.trials import Choice, Trial

__all__ = ["OVERLAP", "Chooser", "controls", "overlap", "tie_break"]

Chooser: TypeAlias = Callable[[Trial], Choice]

OVERLAP = "overlap"


def controls(sources: Sources, *, seed: int, n_permutations: int) -> dict[str, Chooser]:
    """Return the control systems by name.

    `always-k` takes the option of original number k, as the file has it: a gold that is mostly one number shows here,
    however the options are permuted. `always-A` takes the first one shown, and so on. `always-abstain` takes the option
    that says so; the questions that have none are unreadable to it. `random` draws by the seed.
    """
    n_options = max(len(question.options) for question in sources.questions)
    found: dict[str, Chooser] = {f"always-{k}": _always(k) for k in range(1, n_options + 1)}
    if n_permutations:  # in the file's order the letters are the numbers
        found |= {f"always-{letter}": _always_letter(letter) for letter in ascii_uppercase[:n_options]}
    if any(question.abstain is not None for question in sources.questions):
        found["always-abstain"] = _always_abstain
    return {**found, "random": _random(seed), OVERLAP: overlap(sources)}


def overlap(sources: Sources) -> Chooser:
    """Choose the option that shares most with the context: the greatest share of its distinct terms occurs there.

    Ties go to the option with more such terms, then to the greater hash of its words, so that neither its place nor its
    number counts. The abstain option is chosen only when no other one shares a term. The question is not read. The
    confidence is the share.
    """
    analyze = sources.analyze

    @lru_cache(maxsize=4)  # trials of one context come one after another
    def terms_of(question: ChoiceQuestion, context: tuple[str, ...]) -> frozenset[str]:
        articles = [sources.article(question, name) for name in context]
        words = (f"{one.law_name} {one.chapter} {one.chapter_description}\n{one.text}" for one in articles)
        return frozenset(term for text in words for term in analyze(text))

    def choose(trial: Trial) -> Choice:
        question = trial.question
        known = terms_of(question, trial.context)
        best, best_key = 0, (-1.0, -1, "")
        for number, option in enumerate(question.options, start=1):
            terms = set(analyze(option))
            n_shared = len(terms & known)
            key = (n_shared / len(terms) if terms else 0.0, n_shared, tie_break(option))
            if number != question.abstain and key > best_key:
                best, best_key = number, key
        nothing_shared = best_key[1] == 0 and question.abstain is not None
        return Choice(question.abstain if nothing_shared else best, best, best_key[0])

    return choose


def tie_break(option: str) -> str:
    """Return what decides between options that are alike in all else: a hash of the option's words."""
    return hashlib.sha256(option.encode()).hexdigest()


def _always(number: int) -> Chooser:
    def choose(trial: Trial) -> Choice:
        return _blind(trial.question, number) if number <= len(trial.order) else _no_such_option(str(number))

    return choose


def _always_letter(letter: str) -> Chooser:
    def choose(trial: Trial) -> Choice:
        number = trial.letters.get(letter)
        return _no_such_option(letter) if number is None else _blind(trial.question, number)

    return choose


def _always_abstain(trial: Trial) -> Choice:
    return (
        _no_such_option("abstain") if trial.question.abstain is None else _blind(trial.question, trial.question.abstain)
    )


def _random(seed: int) -> Chooser:
    def choose(trial: Trial) -> Choice:
        return _blind(trial.question, random.Random(f"{seed} {trial.key}").choice(trial.order))

    return choose


def _blind(question: ChoiceQuestion, number: int) -> Choice:
    answer = None if number == question.abstain else number
    return Choice(number, answer, 0.0 if answer is None else 1 / len(question.options))


def _no_such_option(what: str) -> Choice:
    return Choice(None, None, 0.0, f"no option {what}")
