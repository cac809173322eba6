"""The model's own judgement of the evidence as a gate on choice questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from agent.chat_model import ModelReply, TokenProbability
from agent.model_reader import Judgement, read_judgement, sufficiency_request
from evals.mcq.asking import Asking
from evals.mcq.choice_client import Reply, Request
from evals.mcq.gates import GateCase
from evals.mcq.model_choice import NO_THINKING
from evals.realworld import Progress

__all__ = ["SelfGate"]

_REPLY_TOKENS = 200


class SelfGate:
    """Asks the model whether the articles are enough, as the agent does with its self-check; the options are not shown.

    The sufficiency is the probability of the word true, else 1 or 0; NaN where the reply cannot be read.
    """

    name = "self"

    def __init__(self, asking: Asking, progress: Progress = lambda step, done, total: None) -> None:
        self._asking = asking
        self._progress = progress

    def sufficiencies(self, cases: Sequence[GateCase]) -> list[float]:
        """Return, a case, how sufficient the model holds its context to be.

        Raises ServiceUnavailable or ModelError if the server does not answer.
        """
        found = [math.nan] * len(cases)
        n_done = 0

        def done(place: int, reply: Reply) -> None:
            nonlocal n_done
            found[place] = _sufficiency(reply)
            n_done += 1
            self._progress("self gate", n_done, len(cases))

        self._asking.ask(self._requests(cases), done)
        return found

    def _requests(self, cases: Sequence[GateCase]) -> Iterator[tuple[int, Request]]:
        prompts = self._asking.prompts
        for place in sorted(range(len(cases)), key=lambda n: (cases[n].context, n)):  # for the server's prefix cache
            question = cases[place].question
            evidence = prompts.evidence(question, cases[place].context)
            language = prompts.language(question)
            asked, _ = sufficiency_request(question.text, evidence, language, max_reply_tokens=_REPLY_TOKENS)
            messages = [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.user.strip()}]
            form = {"name": asked.schema_name, "schema": asked.schema, "strict": True}
            body = {
                "messages": messages,
                **prompts.sampling,
                "max_completion_tokens": _REPLY_TOKENS,
                "logprobs": True,
                "response_format": {"type": "json_schema", "json_schema": form},
                **NO_THINKING,
            }
            yield place, Request(body)


def _sufficiency(reply: Reply) -> float:
    tokens = (TokenProbability(str(one["token"]), math.exp(min(0.0, one["logprob"]))) for one in reply.tokens)
    judgement = read_judgement(ModelReply(reply.text, reply.complete, tuple(tokens)))
    if not isinstance(judgement, Judgement):
        return math.nan
    return float(judgement.sufficient) if judgement.probability is None else judgement.probability
