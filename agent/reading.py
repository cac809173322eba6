"""A case read by a language model: asked, checked, asked once more where nothing stands; every reply kept in the trace.

Generators that ask by yielding a request and are sent the reply, so that one text serves plain, streamed and
asynchronous callers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

from agent.case import Case
from agent.chat_model import ModelReply, ModelRequest
from agent.extractive import Draft
from agent.model_reader import (
    Judgement,
    answer_request,
    read_answer,
    read_judgement,
    rewrite_request,
    sufficiency_request,
)
from agent.recording import model_step
from agent.reply import Step
from agent.verification import Entails, Verification, verify
from prompts.template import Prompt

__all__ = ["Fit", "MakeRequest", "Written", "checked", "judged", "written"]


class MakeRequest(Protocol):
    """Makes a request of a question and its evidence, and says from which prompt."""

    def __call__(
        self, question: str, evidence: Any, language: str, *, max_reply_tokens: int
    ) -> tuple[ModelRequest, Prompt]:
        """Return the request."""
        ...


Fit: TypeAlias = Callable[[Case, MakeRequest], tuple[ModelRequest, str, list[int | None]]]
"""Returns a request that fits the model's context, its prompt, and the tokens that the server counted on the way."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, checked; None if it could not be read."""

    checked: Verification | None
    probability: float | None  # geometric mean of its tokens' probabilities


def judged(case: Case, fit: Fit) -> Generator[ModelRequest, ModelReply, Judgement | None]:
    """Ask the model whether the evidence is enough; None if its reply cannot be read."""
    reply = yield from _asked(case, fit, sufficiency_request)
    judgement = read_judgement(reply)
    if isinstance(judgement, str):
        case.trace.append(Step("self-check", {"unreadable": judgement}))
        return None
    detail = {"said": judgement.sufficient, "missing": judgement.missing, "probability": judgement.probability}
    case.trace.append(Step("self-check", detail))
    return judgement


def written(
    case: Case, fit: Fit, *, reader: str, rewrite: bool, entails: Entails | None
) -> Generator[ModelRequest, ModelReply, Written]:
    """Have the model answer, and check what it wrote.

    An unreadable reply is asked for once more. An answer of which nothing stands is written anew once, if `rewrite`,
    with what was found as data; what then does not stand either is what the caller gets. reader: the model's name.
    """
    make: MakeRequest = answer_request
    failed: Written | None = None
    for _ in range(2):
        reply = yield from _asked(case, fit, make)
        read = read_answer(reply, case.evidence)
        detail = {"reader": reader, "mean probability": reply.mean_probability}
        case.trace.append(Step("read", {**detail, "unreadable": read if isinstance(read, str) else None}))
        if isinstance(read, str):
            continue
        found = Written(checked(case, read, entails), reply.mean_probability)
        if found.checked is None or found.checked.stands or not rewrite or failed:
            return found
        failed = found
        make = partial(rewrite_request, draft=read, checked=found.checked)
    return failed or Written(None, None)


def checked(case: Case, draft: Draft, entails: Entails | None) -> Verification:
    """Check a draft against the articles of the case's evidence, and note what was found."""
    articles = {one.article.semantic_id: one.article for one in case.evidence}
    found = verify(draft, articles, language=case.language, entails=entails)
    case.trace.append(Step("verify", found.to_json()))
    return found


def _asked(case: Case, fit: Fit, make: MakeRequest) -> Generator[ModelRequest, ModelReply, ModelReply]:
    request, prompt, counted = fit(case, make)
    reply = yield request
    case.trace.append(model_step(reply, prompt=prompt, counted=counted))
    return reply
