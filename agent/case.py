"""A question made into a case: retrieved or gathered, packed, hopped, ranked and judged, before a word is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agent.agentic import gather
from agent.chat_model import ChatModel
from agent.clause_ranking import ScoredClause, Similarity, rank_clauses
from agent.coverage import Coverage
from agent.evidence import EvidenceArticle, n_tokens, pack
from agent.followup import standalone
from agent.language import reply_language
from agent.reply import Step
from agent.settings import AgentSettings
from agent.sufficiency import Features, Verdict, judge
from graph.errors import ModelError
from graph.records import EdgeKind, Hit, Provision, Status
from prompts.template import load_prompt
from retrieval.encoder_cache import CachedEncoder
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder

__all__ = ["SMALLEST_CONTEXT", "Case", "CaseMaker"]

SMALLEST_CONTEXT = 64  # tokens: below it there is nothing to read

_FOLLOWED = (EdgeKind.DELEGATES, EdgeKind.IMPLEMENTS, EdgeKind.CITES, EdgeKind.DEFINES, EdgeKind.EXCEPTS)
"""The kinds of citation that are followed, those that matter most first."""

_N_LEADING = 3  # best clauses whose citations are followed


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
    """Makes cases of questions, on one index, for one reader."""

    def __init__(self, retriever: Retriever, model: ChatModel | None, settings: AgentSettings) -> None:
        self.retriever = retriever
        self.model = model
        self.settings = settings

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
        alone = standalone(asked, history)
        if alone != asked:
            trace.append(Step("follow-up", {"read as": alone}))
        language = reply_language(asked, default=manifest.language)
        hits = self._gathered(alone, language, trace) or self._retrieve(alone, trace)
        coverage = Coverage(alone, self.retriever.index.lexical)
        budget = self.budget(alone, language)
        evidence = self._pack(hits, coverage, budget, trace)
        ranked = rank_clauses(alone, evidence, coverage, self._similarity)
        for hop in range(self.settings.max_hops):
            fetched = self._fetch(ranked, evidence)
            trace.append(Step("hop", {"hop": hop + 1, "fetched": {hit.semantic_id: hit.origin for hit in fetched}}))
            if not fetched:
                break
            hits += fetched
            evidence = self._pack(hits, coverage, budget, trace)
            ranked = rank_clauses(alone, evidence, coverage, self._similarity)
        features = self._features(alone, ranked, coverage)
        verdict = judge(alone, ranked, features, self.retriever.index.graph, self.settings)
        trace.append(Step("sufficiency", verdict.reasons))
        return Case(question, alone, language, hits, coverage, evidence, verdict, trace)

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
        case.evidence = self._pack(case.hits, case.coverage, budget, case.trace)

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

    def _retrieve(self, question: str, trace: list[Step]) -> list[Hit]:
        hits = self.retriever.search(question, top_k=self.settings.n_hits)
        found = {hit.semantic_id: round(hit.score, 4) for hit in hits}
        trace.append(Step("retrieve", {"method": str(self.retriever.default_method), "hits": found}))
        return hits

    def _pack(self, hits: Sequence[Hit], coverage: Coverage, budget: int, trace: list[Step]) -> list[EvidenceArticle]:
        evidence = pack(
            ((hit, self.retriever.article(hit.semantic_id)) for hit in hits),
            budget_tokens=budget,
            value=lambda article, clause: coverage.share(coverage.terms(article.text[clause.start : clause.end])),
        )
        parts = {one.article.semantic_id: "whole" if one.whole else "in part" for one in evidence}
        left_out = [hit.semantic_id for hit in hits if hit.semantic_id not in parts]
        trace.append(Step("pack", {"articles": parts, "left out": left_out}))
        return evidence

    def _fetch(self, ranked: Sequence[ScoredClause], evidence: Sequence[EvidenceArticle]) -> list[Hit]:
        """Return the articles that the best clauses cite or leave detail to and that are not in the evidence."""
        graph = self.retriever.index.graph
        known = {one.article.semantic_id for one in evidence}
        fetched: dict[str, Hit] = {}
        for one in ranked[:_N_LEADING]:
            edges = graph.cites(one.article.semantic_id, kinds=_FOLLOWED)
            inside = [e for e in edges if one.clause.start <= e.start < one.clause.end or e.start < 0]
            for edge in sorted(inside, key=lambda edge: _FOLLOWED.index(edge.kind)):
                target = edge.target
                if target and target not in known and graph.provisions[target].status is Status.PRESENT:
                    fetched.setdefault(target, Hit(target, one.score, f"{edge.kind} from {edge.source}"))
        return list(fetched.values())[: self.settings.n_hop_articles]

    def _features(self, question: str, ranked: Sequence[ScoredClause], coverage: Coverage) -> Features:
        index = self.retriever.index
        cosines = self.retriever.sparse_similarities(question) if index.manifest.sparse else None
        return Features(
            clause_coverage=max((one.coverage for one in ranked), default=0.0),
            evidence_coverage=coverage.joint_share(one.terms for one in ranked),
            clause_similarity=max((one.similarity for one in ranked if one.similarity is not None), default=None),
            sparse_similarity=None if cosines is None else float(cosines.max()),
            sparse_gap=None if cosines is None else float(cosines.max() - cosines.mean()),
        )

    @cached_property
    def _clause_encoder(self) -> CachedEncoder:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        return CachedEncoder(self.retriever.encoder, folder / "vectors.sqlite")

    @property
    def _similarity(self) -> Similarity | None:
        return self._cosines if self.retriever.index.has_vectors else None

    def _cosines(self, question: str, clauses: Sequence[Provision]) -> NDArray[np.float32]:
        """Compare a question with clauses; the clauses' vectors are kept, the question's are not."""
        query = self.retriever.encoder.encode_queries([question])[0]
        return np.asarray(self._clause_encoder.encode_articles(clauses) @ query)
