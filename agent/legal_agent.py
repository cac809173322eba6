"""LegalAgent: a question in, an Answer or an Abstention out: retrieve, pack, hop, judge, read, verify."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from agent import extractive
from agent.case import SMALLEST_CONTEXT, Case, CaseMaker
from agent.chat_model import ChatModel, ModelReply, ModelRequest, open_chat_model
from agent.editions import edition_index
from agent.extractive import Draft, Quote
from agent.grounding import QuoteSpan, cite, find_quote
from agent.model_reader import (
    TextSoFar,
    answer_request,
    astream_texts,
    read_answer,
    read_judgement,
    stream_texts,
    sufficiency_request,
)
from agent.reply import Abstention, AbstentionKind, Answer, Check, Citation, Reply, Step
from agent.settings import AgentSettings, model_api_key
from graph.edition import iso_date
from graph.records import Provision
from prompts.sentences import abstention_sentence
from prompts.sentences import version as sentences_version
from retrieval.encoder import Encoder
from retrieval.retriever import Retriever

__all__ = ["LegalAgent"]

_SHRINK = 0.7  # of the context, for each time that a request turns out too long

Dialogue: TypeAlias = Generator[ModelRequest, ModelReply, Reply]
"""Asks a model by yielding requests, is sent its replies, and returns the reply to the user."""


class LegalAgent:
    """Answers questions about the statutes of one index, citing them, or says why it does not."""

    def __init__(
        self, retriever: Retriever, *, model: ChatModel | None = None, settings: AgentSettings | None = None
    ) -> None:
        self.retriever = retriever
        self.model = model
        self.settings = settings or AgentSettings()
        self._cases = CaseMaker(retriever, model, self.settings)
        self._editions: dict[str, LegalAgent] = {}

    @classmethod
    def open(
        cls,
        index: str | Path | None = None,
        *,
        model: str | ChatModel | None = None,
        settings: AgentSettings | None = None,
        encoder: Encoder | None = None,
    ) -> Self:
        """Open an index folder; None opens the built-in law, whose index is made on first use.

        model: as `agent.chat_model` has it, or one that is open; None quotes instead of writing. A server is shown the
        key in $NONLIQUET_MODEL_API_KEY.
        settings: None takes the defaults, and the retrieval settings that the index was built with.
        Raises IndexFolderError, EncoderError or ModelError with what mends it, ServiceUnavailable if a server is down.
        """
        if index is None:
            from agent.default_index import builtin_index

            index = builtin_index()
        retrieval = settings.retrieval if settings else None
        retriever = Retriever.open(Path(index), settings=retrieval, encoder=encoder)
        if isinstance(model, str):
            model = open_chat_model(model, settings=(settings or AgentSettings()).model, api_key=model_api_key())
        return cls(retriever, model=model, settings=settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index's files."""
        for agent in self._editions.values():
            agent.close()
        self.retriever.index.close()

    def edition(self, as_of: str) -> LegalAgent:
        """Return this agent over the law as of a date (ISO); its index is built if it is not there.

        Closed with this one. Raises IndexFolderError if the index is made from no history, or cannot be built,
        ValueError if the date is none.
        """
        day = iso_date(as_of)
        if day not in self._editions:
            retriever, index = self.retriever, self.retriever.index
            folder = edition_index(index.folder, day, encoder=lambda: retriever.encoder)
            opened = retriever.encoder if index.has_vectors else None
            self._editions[day] = LegalAgent(
                Retriever.open(folder, settings=retriever.settings, encoder=opened),
                model=self.model,
                settings=self.settings,
            )
        return self._editions[day]

    def ask(self, question: str, *, as_of: str | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer a question or abstain.

        as_of: an ISO date: answer by the law of that date, as `edition` gives it; None: by the index as it is.
        history: the earlier questions of the conversation, oldest first; a question that leans on the last carries it.
        Raises ValueError if the question is empty, ServiceUnavailable if a server that it needs does not answer.
        """
        if as_of is not None:
            return self.edition(as_of).ask(question, history=history)
        dialogue = self._dialogue(self._cases.make(question, history))
        try:
            request = next(dialogue)
            while True:
                request = dialogue.send(self._model.complete(request))
        except StopIteration as end:
            return _reply_of(end)

    async def aask(self, question: str, *, history: Sequence[str] = ()) -> Reply:
        """Do as `ask` does without blocking the event loop."""
        dialogue = self._dialogue(await asyncio.to_thread(self._cases.make, question, history))
        try:
            request = next(dialogue)
            while True:
                request = dialogue.send(await self._model.acomplete(request))
        except StopIteration as end:
            return _reply_of(end)

    def stream(self, question: str, *, history: Sequence[str] = ()) -> Iterator[str | Reply]:
        """Yield the answer's words as they come, then the reply: an abstention where they could not be verified."""
        dialogue = self._dialogue(self._cases.make(question, history))
        n_words = 0
        try:
            request = next(dialogue)
            while True:
                so_far = TextSoFar()
                for words in stream_texts(self._model.stream(request), so_far):
                    n_words += 1
                    yield words
                request = dialogue.send(ModelReply(so_far.reply, True, ()))
        except StopIteration as end:
            reply = _reply_of(end)
        if not n_words and isinstance(reply, Answer):
            yield from reply.text.splitlines(keepends=True)
        yield reply

    async def astream(self, question: str, *, history: Sequence[str] = ()) -> AsyncIterator[str | Reply]:
        """Do as `stream` does without blocking the event loop."""
        dialogue = self._dialogue(await asyncio.to_thread(self._cases.make, question, history))
        n_words = 0
        try:
            request = next(dialogue)
            while True:
                so_far = TextSoFar()
                async for words in astream_texts(self._model.astream(request), so_far):
                    n_words += 1
                    yield words
                request = dialogue.send(ModelReply(so_far.reply, True, ()))
        except StopIteration as end:
            reply = _reply_of(end)
        if not n_words and isinstance(reply, Answer):
            for line in reply.text.splitlines(keepends=True):
                yield line
        yield reply

    def batch(self, questions: Sequence[str]) -> list[Reply]:
        """Return one reply a question, in order; none sees another's. With a model, several are in flight at once."""
        if self.model is None:
            return [self.ask(question) for question in questions]
        return asyncio.run(self.abatch(questions))

    async def abatch(self, questions: Sequence[str]) -> list[Reply]:
        """Do as `batch` does, with at most `settings.model.concurrency` questions in flight."""
        free = asyncio.Semaphore(self.settings.model.concurrency)

        async def one(question: str) -> Reply:
            async with free:
                return await self.aask(question)

        return list(await asyncio.gather(*(one(question) for question in questions)))

    @property
    def _model(self) -> ChatModel:
        if self.model is None:
            raise RuntimeError("a dialogue without a model asked for one")
        return self.model

    def _dialogue(self, case: Case) -> Dialogue:
        """Abstain, or read and verify; without a model no request is made."""
        if case.verdict.kind is not None:
            return self._abstain(case, case.verdict.kind)
        if self.model is None:
            draft = extractive.read(case.verdict.clauses)
            case.trace.append(Step("read", {"reader": "extractive", "quotes": len(draft.quotes)}))
            return self._verified(case, draft, 1.0)
        if self.settings.self_check:
            request, prompt = self._fitting(case, "sufficiency")
            judgement = read_judgement((yield request))
            detail: dict[str, Any] = {
                "prompt": prompt,
                "model": self.model.name,
                "said": judgement if isinstance(judgement, str) else None,
            }
            if not isinstance(judgement, str):
                detail = {**detail, "said": judgement.sufficient, "missing": judgement.missing}
                detail["probability"] = judgement.probability
            case.trace.append(Step("self-check", detail))
            if not isinstance(judgement, str) and not judgement.sufficient:
                return self._abstain(case, AbstentionKind.INSUFFICIENT_EVIDENCE)
        for _ in range(2):  # an unreadable reply is asked for once more
            request, prompt = self._fitting(case, "answer")
            reply = yield request
            read = read_answer(reply, case.evidence)
            detail = {"reader": self.model.name, "prompt": prompt, "mean probability": reply.mean_probability}
            case.trace.append(Step("read", {**detail, "unreadable": read if isinstance(read, str) else None}))
            if not isinstance(read, str):
                return self._verified(case, read, 1.0 if reply.mean_probability is None else reply.mean_probability)
        return self._abstain(case, AbstentionKind.UNVERIFIED_ANSWER)

    def _fitting(self, case: Case, task: str) -> tuple[ModelRequest, str]:
        """Return a request that fits the model's context, packing the evidence tighter if it has to, and its prompt."""
        make = answer_request if task == "answer" else sufficiency_request
        budget = self._cases.budget(case.alone, case.language)
        while True:
            longest = self.settings.model.max_reply_tokens
            request, prompt = make(case.alone, case.evidence, case.language, max_reply_tokens=longest)
            length = self._model.n_tokens(request)
            limit = self._model.context_tokens
            if length is None or limit is None or length + longest <= limit:
                return request, prompt.identity
            budget = int(budget * _SHRINK)
            if budget < SMALLEST_CONTEXT:
                return request, prompt.identity  # the server says what it thinks of it
            self._cases.pack_anew(case, budget)

    def _verified(self, case: Case, draft: Draft, probability: float) -> Reply:
        """Keep the citations whose quotes hold; without any, there is no answer."""
        articles = {one.article.semantic_id: one.article for one in case.evidence}
        citations = [_cited(quote, articles) for quote in draft.quotes]
        checks = {"quotes": [citation.check if citation else "dropped" for citation in citations]}
        case.trace.append(Step("verify", checks))
        kept = tuple(dict.fromkeys(citation for citation in citations if citation))
        if not kept:
            return self._abstain(case, AbstentionKind.UNVERIFIED_ANSWER)
        marks = "".join(f"[{number}]" for number in range(1, len(kept) + 1))
        return Answer(
            question=case.question,
            text=draft.text if self.model is None else f"{draft.text} {marks}",
            citations=kept,
            language=case.language,
            confidence=case.verdict.relevance * probability,
            edition=self.retriever.index.manifest.edition,
            trace=tuple(case.trace),
        )

    def _abstain(self, case: Case, kind: AbstentionKind) -> Abstention:
        verdict = case.verdict
        missing = verdict.missing if kind is AbstentionKind.MISSING_PROVISION else ()
        names = "; ".join(
            f"{one.law_name}, {one.label}" + (f" ({one.heading})" if one.heading else "") for one in missing
        )
        found = () if kind is AbstentionKind.NO_RELEVANT_ARTICLE else verdict.clauses
        case.trace.append(Step("abstain", {"kind": kind, "sentences": sentences_version()}))
        return Abstention(
            question=case.question,
            kind=kind,
            text=abstention_sentence(kind, case.language, missing=names),
            language=case.language,
            missing=missing,
            found=tuple(cite(c.article, QuoteSpan(c.clause.start, c.clause.end, Check.EXACT)) for c in found),
            confidence=verdict.relevance,
            edition=self.retriever.index.manifest.edition,
            trace=tuple(case.trace),
        )


def _cited(quote: Quote, articles: dict[str, Provision]) -> Citation | None:
    """Return the citation of a quote that stands in its article, and the article in the context; else None."""
    article = articles.get(quote.semantic_id)
    span = find_quote(quote.words, article.text) if article else None
    return cite(article, span) if article and span else None


def _reply_of(end: StopIteration) -> Reply:
    reply: Reply = end.value
    return reply
