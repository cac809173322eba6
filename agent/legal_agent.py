"""LegalAgent: a question in, an Answer or an Abstention out: retrieve, pack, hop, judge, read, verify."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agent import extractive
from agent.clause_ranking import ScoredClause, Similarity, rank_clauses
from agent.coverage import Coverage
from agent.evidence import EvidenceArticle, pack
from agent.followup import standalone
from agent.grounding import QuoteSpan, cite, find_quote
from agent.language import reply_language
from agent.reply import Abstention, AbstentionKind, Answer, Check, Citation, Reply, Step
from agent.settings import AgentSettings
from agent.sufficiency import Features, Verdict, judge
from graph.records import EdgeKind, Hit, Provision, Status
from prompts.sentences import abstention_sentence
from prompts.sentences import version as sentences_version
from retrieval.encoder import Encoder
from retrieval.encoder_cache import CachedEncoder
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder

__all__ = ["LegalAgent"]

_FOLLOWED = (EdgeKind.DELEGATES, EdgeKind.IMPLEMENTS, EdgeKind.CITES, EdgeKind.DEFINES, EdgeKind.EXCEPTS)
"""The kinds of citation that are followed, those that matter most first."""

_N_LEADING = 3  # best clauses whose citations are followed


class LegalAgent:
    """Answers questions about the statutes of one index, citing them, or says why it does not."""

    def __init__(self, retriever: Retriever, *, settings: AgentSettings | None = None) -> None:
        self.retriever = retriever
        self.settings = settings or AgentSettings(retrieval=retriever.settings)

    @classmethod
    def open(
        cls,
        index: str | Path | None = None,
        *,
        settings: AgentSettings | None = None,
        encoder: Encoder | None = None,
    ) -> Self:
        """Open an index folder; None opens the built-in law, whose index is made on first use.

        settings: None takes the defaults, with the retrieval settings that the index was built with.
        Raises IndexFolderError or EncoderError with what mends it.
        """
        if index is None:
            from agent.default_index import builtin_index

            index = builtin_index()
        retrieval = settings.retrieval if settings else None
        return cls(Retriever.open(Path(index), settings=retrieval, encoder=encoder), settings=settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index's files."""
        self.retriever.index.close()

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Reply:
        """Answer a question or abstain.

        history: the earlier questions of the conversation, oldest first; a question that leans on the last carries it.
        Raises ValueError if the question is empty, ServiceUnavailable if a server that the index needs is not there.
        """
        asked = question.strip()[: self.settings.question_chars]
        if not asked:
            raise ValueError("the question is empty")
        trace: list[Step] = []
        alone = standalone(asked, history)
        if alone != asked:
            trace.append(Step("follow-up", {"read as": alone}))
        hits = self._retrieve(alone, trace)
        coverage = Coverage(alone, self.retriever.index.lexical)
        evidence = self._pack(hits, coverage, trace)
        ranked = rank_clauses(alone, evidence, coverage, self._similarity)
        for hop in range(self.settings.max_hops):
            fetched = self._fetch(ranked, evidence)
            trace.append(Step("hop", {"hop": hop + 1, "fetched": {hit.semantic_id: hit.origin for hit in fetched}}))
            if not fetched:
                break
            hits += fetched
            evidence = self._pack(hits, coverage, trace)
            ranked = rank_clauses(alone, evidence, coverage, self._similarity)
        features = self._features(alone, ranked, coverage)
        verdict = judge(alone, ranked, features, self.retriever.index.graph, self.settings)
        trace.append(Step("sufficiency", verdict.reasons))
        language = reply_language(asked, default=self.retriever.index.manifest.language)
        if verdict.kind is not None:
            return self._abstain(question, verdict.kind, language, verdict, trace)
        return self._answer(question, language, evidence, verdict, trace)

    async def aask(self, question: str, *, history: Sequence[str] = ()) -> Reply:
        """Do as `ask` does, in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.ask, question, history=history)

    def stream(self, question: str, *, history: Sequence[str] = ()) -> Iterator[str | Reply]:
        """Yield the text as it comes, line by line, then the whole reply."""
        reply = self.ask(question, history=history)
        yield from reply.text.splitlines(keepends=True)
        yield reply

    def batch(self, questions: Sequence[str]) -> list[Reply]:
        """Return one reply a question, in order; none sees another's."""
        return [self.ask(question) for question in questions]

    def _retrieve(self, question: str, trace: list[Step]) -> list[Hit]:
        hits = self.retriever.search(question, top_k=self.settings.n_hits)
        found = {hit.semantic_id: round(hit.score, 4) for hit in hits}
        trace.append(Step("retrieve", {"method": str(self.retriever.default_method), "hits": found}))
        return hits

    def _pack(self, hits: Sequence[Hit], coverage: Coverage, trace: list[Step]) -> list[EvidenceArticle]:
        evidence = pack(
            ((hit, self.retriever.article(hit.semantic_id)) for hit in hits),
            budget_tokens=self.settings.context_tokens,
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

    def _answer(
        self, question: str, language: str, evidence: Sequence[EvidenceArticle], verdict: Verdict, trace: list[Step]
    ) -> Reply:
        draft = extractive.read(verdict.clauses)
        trace.append(Step("read", {"reader": "extractive", "quotes": len(draft.quotes)}))
        articles = {one.article.semantic_id: one.article for one in evidence}
        citations = [_verified(quote, articles) for quote in draft.quotes]
        trace.append(
            Step("verify", {"quotes": [citation.check if citation else "not found" for citation in citations]})
        )
        if not citations or None in citations:
            return self._abstain(question, AbstentionKind.UNVERIFIED_ANSWER, language, verdict, trace)
        return Answer(
            question=question,
            text=draft.text,
            citations=tuple(citation for citation in citations if citation),
            language=language,
            confidence=verdict.relevance,
            trace=tuple(trace),
        )

    def _abstain(
        self, question: str, kind: AbstentionKind, language: str, verdict: Verdict, trace: list[Step]
    ) -> Abstention:
        missing = verdict.missing if kind is AbstentionKind.MISSING_PROVISION else ()
        names = "; ".join(
            f"{one.law_name}, {one.label}" + (f" ({one.heading})" if one.heading else "") for one in missing
        )
        found = () if kind is AbstentionKind.NO_RELEVANT_ARTICLE else verdict.clauses
        trace.append(Step("abstain", {"kind": kind, "sentences": sentences_version()}))
        return Abstention(
            question=question,
            kind=kind,
            text=abstention_sentence(kind, language, missing=names),
            language=language,
            missing=missing,
            found=tuple(cite(c.article, QuoteSpan(c.clause.start, c.clause.end, Check.EXACT)) for c in found),
            confidence=verdict.relevance,
            trace=tuple(trace),
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


def _verified(quote: extractive.Quote, articles: dict[str, Provision]) -> Citation | None:
    """Return the citation of a quote that stands in its article, and the article in the context; else None."""
    article = articles.get(quote.semantic_id)
    span = find_quote(quote.words, article.text) if article else None
    return cite(article, span) if article and span else None
