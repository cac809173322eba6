"""LegalAgent: a question in, an Answer or an Abstention out: retrieve, pack, hop, judge, read, verify."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self, TypeAlias

from agent import extractive
from agent.beyond import beyond
from agent.calibrated import Calibrated
from agent.case import SMALLEST_CONTEXT, Case, CaseMaker
from agent.chat_model import ChatModel, ModelReply, ModelRequest, open_chat_model
from agent.confidence import confidence
from agent.editions import edition_index, edition_is_there, is_history
from agent.entailment import open_entailment
from agent.grounding import QuoteSpan, cite
from agent.notes import facts_note, in_force_note, sentence_of
from agent.reading import MakeRequest, checked, judged, written
from agent.recording import asked_step
from agent.reply import (
    UNCALIBRATED,
    Abstention,
    AbstentionKind,
    Answer,
    Check,
    Citation,
    MissingProvision,
    Note,
    NoteKind,
    Reply,
    Step,
)
from agent.settings import AgentSettings, model_api_key
from agent.streaming import CheckedStream
from agent.validity import has_own_date, usual_dates
from agent.verification import Entails, Verification
from graph.edition import iso_date
from prompts.sentences import note_sentence
from prompts.sentences import version as sentences_version
from retrieval.encoder import Encoder
from retrieval.retriever import Retriever

__all__ = ["LegalAgent"]

_SHRINK = 0.7  # of the context, for each time that a request turns out too long

_OFF_THE_SUBJECT = (AbstentionKind.NO_RELEVANT_ARTICLE, AbstentionKind.OUT_OF_SCOPE)
"""Abstentions beside which it means nothing where the articles looked at send to."""

Dialogue: TypeAlias = Generator[ModelRequest, ModelReply, Reply]
"""Asks a model by yielding requests, is sent its replies, and returns the reply to the user."""


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
        reader = model.name if model else "extractive"
        self._calibrated = Calibrated.open(retriever, reader=reader, settings=self.settings)
        self._editions: dict[str, LegalAgent] = {}
        self._opening_edition = Lock()

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
        for agent in self._editions.values():
            agent.close()
        self.retriever.index.close()

    def edition(self, as_of: str) -> LegalAgent:
        """Return this agent over the law as of a date (ISO); its index is built if it is not there.

        Of sources that are no histories there is one wording alone: provisions that are in force only later are then
        taken for not in force, by their own dates. Closed with this one.
        Raises IndexFolderError if the index of an edition cannot be built, ValueError if the date is none.
        """
        day = iso_date(as_of)
        retriever, index = self.retriever, self.retriever.index
        if not is_history(index.manifest):
            return LegalAgent(retriever, model=self.model, settings=self.settings, as_of=day)
        with self._opening_edition:  # of threads that ask for the same one, the first makes it
            if day not in self._editions:
                folder = edition_index(index.folder, day, encoder=lambda: retriever.encoder)
                opened = retriever.encoder if index.has_vectors else None
                self._editions[day] = LegalAgent(
                    Retriever.open(folder, settings=retriever.settings, encoder=opened),
                    model=self.model,
                    settings=self.settings,
                    as_of=day,
                )
            return self._editions[day]

    def has_edition(self, as_of: str) -> bool:
        """Return whether `edition` gives the law of a date (ISO) without building an index.

        Raises ValueError if the date is none.
        """
        day = iso_date(as_of)
        index = self.retriever.index
        return not is_history(index.manifest) or day in self._editions or edition_is_there(index.folder, day)

    def ask(self, question: str, *, as_of: str | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer a question or abstain.

        as_of: an ISO date: answer by the law of that date, as `edition` gives it; None: by the index as it is.
        history: the earlier questions of the conversation, oldest first; a question that leans on the last carries it.
        Raises ValueError if the question is empty, ServiceUnavailable if a server that it needs does not answer.
        """
        if as_of is not None:
            return self.edition(as_of).ask(question, history=history)
        dialogue = self._dialogue(self._case(question, history))
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
        dialogue = self._dialogue(await asyncio.to_thread(self._case, question, history))
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
        dialogue, shown = self._dialogue(case), CheckedStream(case, self._entails)
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
        dialogue, shown = self._dialogue(case), CheckedStream(case, self._entails)
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

    def _dialogue(self, case: Case) -> Dialogue:
        """Abstain, or read and verify; without a model no request is made."""
        if case.verdict.kind is not None:
            return self._abstain(case, case.verdict.kind)
        if self._calibrated is not None and not self._calibrated.weigh(case):
            return self._abstain(case, AbstentionKind.INSUFFICIENT_EVIDENCE)
        if self.model is None:
            draft = extractive.read(case.verdict.clauses)
            case.trace.append(Step("read", {"reader": "extractive", "quotes": len(draft.quotes)}))
            return self._verified(case, checked(case, draft, None), None)
        if self.settings.self_check:
            judgement = yield from judged(case, self._fitting)
            if judgement is not None and not judgement.sufficient:
                return self._abstain(case, AbstentionKind.INSUFFICIENT_EVIDENCE)
        rewrite, reader = self.settings.rewrite, self.model.name
        read = yield from written(case, self._fitting, reader=reader, rewrite=rewrite, entails=self._entails)
        if read.checked is None:
            return self._abstain(case, AbstentionKind.UNVERIFIED_ANSWER)
        return self._verified(case, read.checked, read.probability)

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

    def _fitting(self, case: Case, make: MakeRequest) -> tuple[ModelRequest, str, list[int | None]]:
        """Return a request that fits the model's context, packing the evidence tighter if it has to.

        With it its prompt, and the tokens that the server counted of each that was tried.
        """
        counted: list[int | None] = []
        budget = self._cases.budget(case.alone, case.language)
        while True:
            longest = self.settings.model.max_reply_tokens
            request, prompt = make(case.alone, case.evidence, case.language, max_reply_tokens=longest)
            length = self._model.n_tokens(request)
            counted.append(length)
            limit = self._model.context_tokens
            if length is None or limit is None or length + longest <= limit:
                return request, prompt.identity, counted
            budget = int(budget * _SHRINK)
            if budget < SMALLEST_CONTEXT:
                return request, prompt.identity, counted  # the server says what it thinks of it
            self._cases.pack_anew(case, budget)

    def _verified(self, case: Case, found: Verification, probability: float | None) -> Reply:
        """Answer with the sentences that stand; where none does, or no quote, there is no answer."""
        if not found.stands:
            return self._abstain(case, AbstentionKind.UNVERIFIED_ANSWER)
        sure = confidence(case.verdict.relevance, probability=probability, share_kept=found.share_kept)
        if self._calibrated is not None and not self._calibrated.answers(case, sure):
            return self._abstain(case, AbstentionKind.INSUFFICIENT_EVIDENCE)
        kept = found.kept
        notes = (*case.verdict.notes, *self._notes(case, kept))
        return Answer(
            question=case.question,
            text=found.answer(),
            citations=kept,
            language=case.language,
            confidence=sure,
            calibration=self._calibration,
            edition=self.as_of,
            notes=notes,
            beyond=self._beyond(case, kept),
            trace=tuple(case.trace),
        )

    @property
    def _calibration(self) -> str:
        return self._calibrated.calibration.describe() if self._calibrated else UNCALIBRATED

    def _notes(self, case: Case, citations: Sequence[Citation]) -> list[Note]:
        """Return what there is to know beside the answer, whoever wrote it."""
        notes: list[Note] = []
        if self.as_of is not None:
            notes.append(Note(NoteKind.AS_OF, note_sentence("as_of", case.language, date=self.as_of)))
        else:
            cited = dict.fromkeys(self.retriever.article(one.semantic_id) for one in citations)
            late = [article for article in cited if has_own_date(article, self._usual_dates)]
            notes += [in_force_note(article, case.language) for article in late]
        if case.language != self.retriever.index.manifest.language:
            notes.append(Note(NoteKind.OTHER_LANGUAGE, note_sentence("other_language", case.language)))
        if facts := facts_note(case.alone, citations, case.language):
            notes.append(facts)
        return notes

    @cached_property
    def _usual_dates(self) -> dict[str, str]:
        return usual_dates(self.retriever.index.articles)

    def _abstain(self, case: Case, kind: AbstentionKind) -> Abstention:
        verdict = replace(case.verdict, kind=kind)
        clauses = () if kind is AbstentionKind.NO_RELEVANT_ARTICLE else verdict.clauses
        cited = tuple(cite(c.article, QuoteSpan(c.clause.start, c.clause.end, Check.EXACT)) for c in clauses)
        case.trace.append(Step("abstain", {"kind": kind, "sentences": sentences_version()}))
        return Abstention(
            question=case.question,
            kind=kind,
            text=sentence_of(verdict, case.language),
            language=case.language,
            missing=verdict.missing if kind is AbstentionKind.MISSING_PROVISION else (),
            not_in_force=verdict.not_in_force if kind is AbstentionKind.REPEALED_OR_NOT_IN_FORCE else (),
            found=cited,
            confidence=verdict.relevance,
            calibration=self._calibration,
            edition=self.as_of,
            notes=verdict.notes,
            beyond=() if kind in _OFF_THE_SUBJECT else self._beyond(case, cited, but=verdict.missing),
            trace=tuple(case.trace),
        )

    def _beyond(
        self, case: Case, quoted: Sequence[Citation], *, but: Sequence[MissingProvision] = ()
    ) -> tuple[MissingProvision, ...]:
        graph, settings = self.retriever.index.graph, self.settings
        hops, most = settings.beyond_hops, settings.n_beyond
        return beyond(case.coverage, case.evidence, quoted, graph, max_hops=hops, most=most, but=but)


def _reply_of(end: StopIteration) -> Reply:
    reply: Reply = end.value
    return reply
