"""A case decided, in a dialogue with a model where there is one: an abstention with its reason, or an answer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from agent import extractive
from agent.beyond import beyond
from agent.calibrated import Calibrated
from agent.case import SMALLEST_CONTEXT, Case, CaseMaker
from agent.chat_model import ModelReply, ModelRequest
from agent.confidence import confidence
from agent.grounding import QuoteSpan, cite
from agent.notes import facts_note, in_force_note, sentence_of
from agent.reading import MakeRequest, checked, judged, written
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
from agent.validity import has_own_date, usual_dates
from agent.verification import Entails, Verification
from prompts.sentences import note_sentence
from prompts.sentences import version as sentences_version

__all__ = ["Decider", "Dialogue"]

_SHRINK = 0.7  # of the context, for each time that a request turns out too long

_OFF_THE_SUBJECT = (AbstentionKind.NO_RELEVANT_ARTICLE, AbstentionKind.OUT_OF_SCOPE)
"""Abstentions beside which it means nothing where the articles looked at send to."""

Dialogue: TypeAlias = Generator[ModelRequest, ModelReply, Reply]
"""Asks a model by yielding requests, is sent its replies, and returns the reply to the user."""


class Decider:
    """Decides the cases that one maker makes, and is the one place where replies are made."""

    def __init__(self, cases: CaseMaker, *, as_of: str | None, entails: Callable[[], Entails | None]) -> None:
        """as_of: the date (ISO) by whose law is answered; None: as the sources stand. entails: asked for once a model
        writes.

        Raises SettingsError if the settings name a calibration that guarantees nothing here.
        """
        self._cases = cases
        self._retriever = cases.retriever
        self._model = cases.model
        self._settings = cases.settings
        self._as_of = as_of
        self._entails = entails
        reader = cases.model.name if cases.model else "extractive"
        self._calibrated = Calibrated.open(cases.retriever, reader=reader, settings=cases.settings)

    def dialogue(self, case: Case) -> Dialogue:
        """Abstain, or read and verify; without a model no request is made."""
        if case.verdict.kind is not None:
            return self._abstain(case, case.verdict.kind)
        if self._calibrated is not None and not self._calibrated.weigh(case):
            return self._abstain(case, AbstentionKind.INSUFFICIENT_EVIDENCE)
        if self._model is None:
            draft = extractive.read(case.verdict.clauses)
            case.trace.append(Step("read", {"reader": "extractive", "quotes": len(draft.quotes)}))
            return self._verified(case, checked(case, draft, None), None)
        if self._settings.self_check:
            judgement = yield from judged(case, self._fitting)
            if judgement is not None and not judgement.sufficient:
                return self._abstain(case, AbstentionKind.INSUFFICIENT_EVIDENCE)
        rewrite, reader = self._settings.rewrite, self._model.name
        read = yield from written(case, self._fitting, reader=reader, rewrite=rewrite, entails=self._entails())
        if read.checked is None:
            return self._abstain(case, AbstentionKind.UNVERIFIED_ANSWER)
        return self._verified(case, read.checked, read.probability)

    def _fitting(self, case: Case, make: MakeRequest) -> tuple[ModelRequest, str, list[int | None]]:
        """Return a request that fits the model's context, packing the evidence tighter if it has to.

        With it its prompt, and the tokens that the server counted of each that was tried.
        """
        if self._model is None:
            raise RuntimeError("there is no model to fit a request to")
        counted: list[int | None] = []
        budget = self._cases.budget(case.alone, case.language)
        while True:
            longest = self._settings.model.max_reply_tokens
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
            edition=self._as_of,
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
        if self._as_of is not None:
            notes.append(Note(NoteKind.AS_OF, note_sentence("as_of", case.language, date=self._as_of)))
        else:
            cited = dict.fromkeys(self._retriever.article(one.semantic_id) for one in citations)
            late = [article for article in cited if has_own_date(article, self._usual_dates)]
            notes += [in_force_note(article, case.language) for article in late]
        if case.language != self._retriever.index.manifest.language:
            notes.append(Note(NoteKind.OTHER_LANGUAGE, note_sentence("other_language", case.language)))
        if facts := facts_note(case.alone, citations, case.language):
            notes.append(facts)
        return notes

    @cached_property
    def _usual_dates(self) -> dict[str, str]:
        return usual_dates(self._retriever.index.articles)

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
            edition=self._as_of,
            notes=verdict.notes,
            beyond=() if kind in _OFF_THE_SUBJECT else self._beyond(case, cited, but=verdict.missing),
            trace=tuple(case.trace),
        )

    def _beyond(
        self, case: Case, quoted: Sequence[Citation], *, but: Sequence[MissingProvision] = ()
    ) -> tuple[MissingProvision, ...]:
        graph, settings = self._retriever.index.graph, self._settings
        hops, most = settings.beyond_hops, settings.n_beyond
        return beyond(case.coverage, case.evidence, quoted, graph, max_hops=hops, most=most, but=but)
