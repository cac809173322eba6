"""LegalAgent: a question in, an Answer or an Abstention out: retrieve, pack, hop, judge, read, verify."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from agent.case import Case, CaseMaker
from agent.chat_model import ChatModel, open_chat_model
from agent.deciding import Decider
from agent.edition_agents import EditionAgents
from agent.entailment import open_entailment
from agent.recording import asked_step
from agent.reply import Reply
from agent.settings import AgentSettings, model_api_key
from agent.streaming import CheckedStream
from agent.verification import Entails
from retrieval.encoder import Encoder
from retrieval.retriever import Retriever

__all__ = ["LegalAgent"]


class LegalAgent:
    """Answers questions about the statutes of one index, citing them, or says why it does not."""

    def __init__(
        self,
        retriever: Retriever,
        *,
        model: ChatModel | None = None,
        settings: AgentSettings | None = None,
        as_of: str | None = None,
    ) -> None:
        self.retriever = retriever
        self.model = model
        self.settings = settings or AgentSettings()
        self.as_of = as_of or retriever.index.manifest.edition
        self._cases = CaseMaker(retriever, model, self.settings, as_of=self.as_of)
        self._decider = Decider(self._cases, as_of=self.as_of, entails=lambda: self._entails)
        self._editions = EditionAgents(
            retriever, lambda dated, day: LegalAgent(dated, model=self.model, settings=self.settings, as_of=day)
        )

    @classmethod
    def open(
        cls,
        index: str | Path | None = None,
        *,
        model: str | ChatModel | None = None,
        settings: AgentSettings | None = None,
        encoder: Encoder | None = None,
        as_of: str | None = None,
    ) -> Self:
        """Open an index folder; None opens the built-in law, whose index is made on first use.

        model: as `agent.chat_model` has it, or one that is open; None quotes instead of writing. A server is shown the
        key in $NONLIQUET_MODEL_API_KEY.
        settings: None takes the defaults, and the retrieval settings that the index was built with. as_of: an ISO date
        by which provisions that are in force only later are none; of an edition, its own.
        Raises IndexFolderError, EncoderError or ModelError with what mends it, ServiceUnavailable if a server is down.
        """
        if index is None:
            from agent.default_index import builtin_index

            index = builtin_index()
        retrieval = settings.retrieval if settings else None
        retriever = Retriever.open(Path(index), settings=retrieval, encoder=encoder)
        if isinstance(model, str):
            model = open_chat_model(model, settings=(settings or AgentSettings()).model, api_key=model_api_key())
        return cls(retriever, model=model, settings=settings, as_of=as_of)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index's files."""
        self._editions.close()
        self.retriever.index.close()

    def edition(self, as_of: str) -> LegalAgent:
        """Return this agent over the law as of a date (ISO); its index is built if it is not there.

        Of sources that are no histories there is one wording alone: provisions that are in force only later are then
        taken for not in force, by their own dates. Closed with this one; asked for again, it is the same agent unless
        many other dates were asked for since.
        Raises IndexFolderError if the index of an edition cannot be built, ValueError if the date is none.
        """
        return self._editions.as_of(as_of)

    def has_edition(self, as_of: str) -> bool:
        """Return whether `edition` gives the law of a date (ISO) without building an index.

        Raises ValueError if the date is none.
        """
        return self._editions.is_there(as_of)

    def ask(self, question: str, *, as_of: str | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer a question or abstain.

        as_of: an ISO date: answer by the law of that date, as `edition` gives it; None: by the index as it is.
        history: the earlier questions of the conversation, oldest first; a question that leans on the last carries it.
        Raises ValueError if the question is empty, ServiceUnavailable if a server that it needs does not answer.
        """
        if as_of is not None:
            return self.edition(as_of).ask(question, history=history)
        dialogue = self._decider.dialogue(self._case(question, history))
        try:
            request = next(dialogue)
            while True:
                request = dialogue.send(self._model.complete(request))
        except StopIteration as end:
            return _reply_of(end)

    async def aask(self, question: str, *, as_of: str | None = None, history: Sequence[str] = ()) -> Reply:
        """Do as `ask` does without blocking the event loop."""
        if as_of is not None:
            return await (await asyncio.to_thread(self.edition, as_of)).aask(question, history=history)
        dialogue = self._decider.dialogue(await asyncio.to_thread(self._case, question, history))
        try:
            request = next(dialogue)
            while True:
                request = dialogue.send(await self._model.acomplete(request))
        except StopIteration as end:
            return _reply_of(end)

    def stream(self, question: str, *, as_of: str | None = None, history: Sequence[str] = ()) -> Iterator[str | Reply]:
        """Yield the answer's words, sentence by sentence as each is written and checked, then the reply.

        The words together are the answer's text; of an abstention there are none.
        """
        if as_of is not None:
            yield from self.edition(as_of).stream(question, history=history)
            return
        case = self._case(question, history)
        dialogue, shown = self._decider.dialogue(case), CheckedStream(case, self._entails)
        try:
            request = next(dialogue)
            while True:
                shown.begin()
                for chunk in self._model.stream(request):
                    yield from shown.add(chunk)
                request = dialogue.send(shown.reply)
        except StopIteration as end:
            reply = _reply_of(end)
        yield from shown.rest(reply)
        yield reply

    async def astream(
        self, question: str, *, as_of: str | None = None, history: Sequence[str] = ()
    ) -> AsyncGenerator[str | Reply, None]:
        """Do as `stream` does without blocking the event loop."""
        if as_of is not None:
            agent = await asyncio.to_thread(self.edition, as_of)
            async for part in agent.astream(question, history=history):
                yield part
            return
        case = await asyncio.to_thread(self._case, question, history)
        dialogue, shown = self._decider.dialogue(case), CheckedStream(case, self._entails)
        try:
            request = next(dialogue)
            while True:
                shown.begin()
                async for chunk in self._model.astream(request):
                    for words in shown.add(chunk):
                        yield words
                request = dialogue.send(shown.reply)
        except StopIteration as end:
            reply = _reply_of(end)
        for words in shown.rest(reply):
            yield words
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

    @cached_property
    def _entails(self) -> Entails | None:
        settings = self.settings
        if settings.entailment_model is None:
            return None
        return open_entailment(settings.entailment_model, threshold=settings.min_entailment)

    def _case(self, question: str, history: Sequence[str]) -> Case:
        """Make the case of a question, and note what is needed to make it again."""
        case = self._cases.make(question, history)
        asked = asked_step(
            history, as_of=self.as_of, retriever=self.retriever, model=self.model, settings=self.settings
        )
        case.trace.append(asked)
        return case


def _reply_of(end: StopIteration) -> Reply:
    reply: Reply = end.value
    return reply
