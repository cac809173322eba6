"""The language model on choice questions: what it is asked, and how its reply is read.

Two ways to choose, of one prompt: `constrained`, a reply under a JSON schema that admits the letters alone; and
`logprob`, the letter that the model would most probably begin with, from the log-probabilities of one free token.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

from agent.coverage import Coverage
from agent.evidence import EvidenceArticle, n_tokens, pack
from agent.language import reply_language
from agent.model_reader import fenced, fenced_article
from evals.mcq.choice_client import Reply, Request
from evals.mcq.records import ChoiceQuestion
from evals.mcq.sources import Sources
from evals.mcq.trials import Choice, Trial
from prompts.template import Prompt, load_prompt

__all__ = ["NO_THINKING", "TASK", "ChoicePrompts", "Way", "letter_probabilities", "read_choice"]

TASK = "choose"

# A model that thinks first would flip right answers under a schema, and put them into another field.
NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}

_REPLY_TOKENS = 24  # of a constrained reply; a schema allows white space without end
_TEMPLATE_TOKENS = 64  # what the chat template adds, estimated
_N_LOGPROBS = 20  # the most that OpenAI's and vLLM's servers give
_AROUND_A_LETTER = " \t\n▁Ġ\"'`*.:()"


class Way(StrEnum):
    """How the model chooses."""

    CONSTRAINED = "constrained"
    LOGPROB = "logprob"


class ChoicePrompts:
    """Makes the requests of trials for one model."""

    def __init__(self, sources: Sources, context_tokens: int | None, *, seed: int, temperature: float = 0.0) -> None:
        """context_tokens: what the model reads at most; longer contexts are packed as the agent packs them."""
        self._sources = sources
        self._context_tokens = context_tokens
        self.sampling = {"temperature": temperature, "seed": seed}
        self.evidence = lru_cache(maxsize=64)(self._packed)
        self.language = lru_cache(maxsize=None)(self._language_of)

    def prompt(self, question: ChoiceQuestion) -> Prompt:
        """Return the prompt in the question's language."""
        return load_prompt(TASK, self.language(question))

    def request(self, trial: Trial, way: Way) -> Request:
        """Return the request of a trial: statutes first, then question and options, so that prompts share a prefix."""
        question, prompt = trial.question, self.prompt(trial.question)
        options = "\n".join(f"{letter}. {fenced(question.options[n - 1])}" for letter, n in trial.letters.items())
        user = prompt.fill(
            evidence="\n\n".join(map(fenced_article, self.evidence(question, trial.context))),
            question=fenced(question.text),
            options=options,
        )
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": user.strip()}]
        return Request({"messages": messages, **self.sampling, **_asked(way, trial)}, trial.repeat)

    def n_cut(self, trials: Sequence[Trial]) -> int:
        """Return of how many different contexts the model reads only a part, or not every article."""
        found = {(one.question.question_id, one.context): one for one in trials}.values()
        return sum(not self._is_whole(one) for one in found)

    def _is_whole(self, trial: Trial) -> bool:
        evidence = self.evidence(trial.question, trial.context)
        return len(evidence) == len(trial.context) and all(one.whole for one in evidence)

    def _packed(self, question: ChoiceQuestion, context: tuple[str, ...]) -> list[EvidenceArticle]:
        """Return the articles of a context, or what of them fits."""
        whole = self._sources.evidence(question, context)
        if self._context_tokens is None:
            return whole
        prompt = self.prompt(question)
        asked = "\n".join((prompt.system, prompt.user, question.text, *question.options))
        coverage = Coverage(question.text, self._sources.lexical)
        return pack(
            [(one.hit, one.article) for one in whole],
            budget_tokens=self._context_tokens - _REPLY_TOKENS - _TEMPLATE_TOKENS - n_tokens(asked),
            value=lambda article, clause: coverage.share(coverage.terms(article.text[clause.start : clause.end])),
        )

    def _language_of(self, question: ChoiceQuestion) -> str:
        """Return the language of a question."""
        return reply_language(question.text, default=self._sources.language)


def _asked(way: Way, trial: Trial) -> dict[str, Any]:
    """Return the part of a request that says how to choose."""
    common = {"logprobs": True, "top_logprobs": _N_LOGPROBS, **NO_THINKING}
    if way is Way.LOGPROB:
        return {**common, "max_completion_tokens": 1}
    schema = {
        "type": "object",
        "properties": {"choice": {"type": "string", "enum": list(trial.letters)}},
        "required": ["choice"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": TASK, "schema": schema, "strict": True}}
    return {**common, "max_completion_tokens": _REPLY_TOKENS, "response_format": form}


def read_choice(trial: Trial, way: Way, reply: Reply) -> Choice:
    """Return the choice in a reply, by original numbers; one that cannot be read is neither right nor an abstention.

    confidence: the probability of the best option other than abstaining, over the letters alone.
    """
    letters = trial.letters
    if reply.refused:
        return _unreadable(f"refused: {reply.refused}")
    if way is Way.CONSTRAINED:
        letter = _constrained(reply, letters)
        if letter not in letters:
            return _unreadable(letter)
        at_letter = [one for one in reply.tokens if _bare(one) == letter]
        shares = letter_probabilities(at_letter[-1], letters) if at_letter else {}
    else:
        shares = letter_probabilities(reply.tokens[0], letters) if reply.tokens else {}
        if not shares:
            return _unreadable(f"no letter among the first tokens: {reply.text[:20]!r}")
        letter = max(shares, key=lambda one: (shares[one], -trial.place_of(letters[one])))
    chosen = letters[letter]
    answers = {one: share for one, share in shares.items() if letters[one] != trial.question.abstain}
    if chosen != trial.question.abstain:
        return Choice(chosen, chosen, shares.get(letter, 0.0))
    if not answers:
        return Choice(chosen, None, 0.0)
    best = max(answers, key=lambda one: (answers[one], -trial.place_of(letters[one])))
    return Choice(chosen, letters[best], answers[best])


def letter_probabilities(token: Mapping[str, Any], letters: Mapping[str, int]) -> dict[str, float]:
    """Return the letters' probabilities at one token, summing to 1; those not among the likeliest tokens are left out.

    token: as OpenAI's API gives it, with its `top_logprobs`; the ways to write a letter (" A", "(A") are added up.
    """
    found: dict[str, float] = {}
    for one in token.get("top_logprobs") or [token]:
        letter = _bare(one)
        if letter in letters:
            found[letter] = found.get(letter, 0.0) + math.exp(min(0.0, float(one["logprob"])))
    total = sum(found.values())
    return {letter: share / total for letter, share in found.items()} if total > 0 else {}


def _constrained(reply: Reply, letters: Mapping[str, int]) -> str:
    """Return the letter, or why there is none; the schema is checked again, as not every server keeps it."""
    if not reply.complete:
        return "the reply was cut off at its longest"
    try:
        record = json.loads(reply.text)
    except ValueError:
        return "the reply is not JSON"
    letter = record.get("choice") if isinstance(record, dict) else None
    return letter if isinstance(letter, str) and letter in letters else f"no letter of an option: {reply.text[:40]!r}"


def _bare(token: Mapping[str, Any]) -> str:
    return str(token.get("token", "")).strip(_AROUND_A_LETTER)


def _unreadable(why: str) -> Choice:
    return Choice(None, None, 0.0, why)
