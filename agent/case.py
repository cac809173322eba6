"""A question made into a case: read with its history, taken apart, each part looked into, before a word is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from agent.agentic import gather
from agent.chat_model import ChatModel
from agent.coverage import Coverage
from agent.evidence import EvidenceArticle, n_tokens
from agent.followup import carried
from agent.language import reply_language
from agent.notes import sentence_of
from agent.one_question import Looked, QuestionReader
from agent.out_of_scope import is_other_task
from agent.reply import AbstentionKind, Note, NoteKind, NotInForce, Step
from agent.settings import AgentSettings
from agent.sufficiency import Verdict, first_named
from agent.two_in_one import Part, parts_of
from graph.errors import ModelError
from graph.records import Hit
from prompts.sentences import note_sentence
from prompts.template import load_prompt
from retrieval.retriever import Retriever

__all__ = ["SMALLEST_CONTEXT", "Case", "CaseMaker"]

SMALLEST_CONTEXT = 64  # tokens: below it there is nothing to read

_TELLING = (
    AbstentionKind.CONFLICTING_PROVISIONS,
    AbstentionKind.REPEALED_OR_NOT_IN_FORCE,
    AbstentionKind.MISSING_PROVISION,
    AbstentionKind.INSUFFICIENT_EVIDENCE,
    AbstentionKind.NO_RELEVANT_ARTICLE,
)
"""Of several questions in one that have no answer, the one whose reason tells most gives the reason; first is most."""


@dataclass(slots=True)
class Case:
    """A question while it is being dealt with."""

    question: str  # as asked
    alone: str  # as read: cut to length, made to stand alone
    language: str
    hits: list[Hit]
    coverage: Coverage
    evidence: list[EvidenceArticle]
    verdict: Verdict
    trace: list[Step]


class CaseMaker:
    """Makes cases of questions, on one index, for one reader. as_of: as `agent.one_question` has it."""

    def __init__(
        self, retriever: Retriever, model: ChatModel | None, settings: AgentSettings, *, as_of: str | None = None
    ) -> None:
        self.retriever = retriever
        self.model = model
        self.settings = settings
        self._reader = QuestionReader(retriever, settings, as_of=as_of)

    def make(self, question: str, history: Sequence[str]) -> Case:
        """Do everything that comes before a word is written.

        Raises ValueError if the question is empty, ServiceUnavailable if a server that it needs does not answer.
        """
        asked = question.strip()[: self.settings.question_chars]
        if not asked:
            raise ValueError("the question is empty")
        trace: list[Step] = []
        manifest = self.retriever.index.manifest
        if manifest.edition:
            trace.append(Step("edition", {"as of": manifest.edition, "notes": [str(note) for note in manifest.notes]}))
        earlier = carried(asked, history)[-self.settings.question_chars :]
        alone = f"{earlier}\n{asked}" if earlier else asked
        if earlier:
            trace.append(Step("follow-up", {"read as": alone}))
        language = reply_language(asked, default=manifest.language)
        if is_other_task(alone):
            verdict = Verdict(AbstentionKind.OUT_OF_SCOPE, reasons={"because": "it asks for something else than law"})
            trace.append(Step("sufficiency", verdict.reasons))
            coverage = Coverage(alone, self.retriever.index.lexical)
            return Case(question, alone, language, [], coverage, [], verdict, trace)
        gathered = self._gathered(alone, language, trace)
        parts = [Part(asked, before=earlier)] if gathered else [_after(earlier, part) for part in parts_of(asked)]
        budget = self.budget(alone, language) // len(parts)
        looked: list[Looked] = []
        for number, part in enumerate(parts, start=1):
            if len(parts) > 1:
                trace.append(Step("part", {"part": number, "asked": part.asked, "context": part.context}))
            looked.append(self._reader.look_into(part, language, trace, budget=budget, gathered=gathered))
        coverage = looked[0].coverage if len(looked) == 1 else Coverage(alone, self.retriever.index.lexical)
        hits, evidence = _joined(looked)
        return Case(
            question,
            alone,
            language,
            hits,
            coverage,
            evidence,
            _verdict(looked, language, n_missing=self.settings.n_missing),
            trace,
        )

    def budget(self, question: str, language: str) -> int:
        """Return the tokens that the evidence may take: what the settings allow and the model has room for."""
        budget = self.settings.context_tokens
        if self.model is None or self.model.context_tokens is None:
            return budget
        spent = n_tokens(load_prompt("answer", language).system) + n_tokens(question)
        room = self.model.context_tokens - self.settings.model.max_reply_tokens - spent
        return max(SMALLEST_CONTEXT, min(budget, room))

    def pack_anew(self, case: Case, budget: int) -> None:
        """Pack a case's evidence into fewer tokens."""
        case.evidence = self._reader.pack(case.hits, case.coverage, budget, case.trace)

    def _gathered(self, question: str, language: str, trace: list[Step]) -> list[Hit]:
        """Let the model gather articles, where the settings say so; none if it has no tool calling, which is said."""
        if self.settings.mode != "agentic" or self.model is None:
            return []
        settings = self.settings
        try:
            gathered = gather(
                self.model.with_tools(),
                self.retriever,
                question,
                language,
                max_steps=settings.max_steps,
                budget_tokens=settings.gather_tokens,
            )
        except ModelError as error:
            trace.append(Step("gather", {"fell back": f"to plain retrieval, as the model cannot gather: {error}"}))
            return []
        trace.append(
            Step("gather", {"calls": gathered.calls, "tokens": gathered.n_tokens, "opened": list(gathered.opened)})
        )
        return list(gathered.opened.values())


def _after(earlier: str, part: Part) -> Part:
    return replace(part, before="\n".join(filter(None, (earlier, part.before))))


def _joined(looked: Sequence[Looked]) -> tuple[list[Hit], list[EvidenceArticle]]:
    """Return the hits and the evidence of all parts, in their order; an article that one of them has whole is whole."""
    hits = {hit.semantic_id: hit for one in reversed(looked) for hit in reversed(one.hits)}
    evidence: dict[str, EvidenceArticle] = {}
    for article in (article for one in looked for article in one.evidence):
        known = evidence.get(article.article.semantic_id)
        if known is None or (article.whole and not known.whole):
            evidence[article.article.semantic_id] = article
    return list(hits.values())[::-1], list(evidence.values())


def _verdict(looked: Sequence[Looked], language: str, *, n_missing: int) -> Verdict:
    """Return the verdict on all parts: an answer if one of them has one, with a note on each that has none."""
    verdicts = [one.verdict for one in looked]
    if len(verdicts) == 1:
        return verdicts[0]
    answered = [one for one in verdicts if one.kind is None]
    notes = [note for one in verdicts for note in one.notes]
    in_turn = zip_longest(*(one.missing for one in verdicts))  # the likeliest of each part first
    missing = first_named([miss for turn in in_turn for miss in turn if miss is not None], n_missing)
    gone: dict[str, NotInForce] = {out.semantic_id: out for one in verdicts for out in one.not_in_force}
    clauses = tuple(dict.fromkeys(clause for one in answered or verdicts for clause in one.clauses))
    if not answered:
        first = min(verdicts, key=lambda one: _TELLING.index(one.kind) if one.kind in _TELLING else len(_TELLING))
        return replace(first, clauses=clauses, missing=missing, not_in_force=tuple(gone.values()))
    for number, one in enumerate(verdicts, start=1):
        if one.kind is not None:
            ids = (*(miss.semantic_id for miss in one.missing), *(out.semantic_id for out in one.not_in_force))
            text = note_sentence("unanswered", language, part=str(number), why=sentence_of(one, language))
            notes.append(Note(NoteKind.UNANSWERED, text, ids))
    return Verdict(
        None,
        clauses,
        relevance=min(one.relevance for one in answered),
        notes=tuple(dict.fromkeys(notes)),
        reasons={"because": f"{len(answered)} of {len(verdicts)} questions in it have an answer"},
    )
