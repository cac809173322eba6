"""One question looked into: retrieved, packed, hopped, ranked and judged, before a word is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from agent.chance import Chance, above_chance, beyond_chance, chance, shared_words
from agent.clause_ranking import ScoredClause, Similarity, rank_clauses
from agent.conflicts import Statement, differing, statements
from agent.coverage import Coverage
from agent.evidence import EvidenceArticle, pack
from agent.followup import points
from agent.gaps import Gap, absent_of_family, absent_within_reach, gaps
from agent.named_article import ArticleNames, Named
from agent.overruling import overruled
from agent.reply import MissingProvision, Step
from agent.settings import AgentSettings
from agent.sufficiency import Features, Verdict, judge
from agent.two_in_one import Part
from graph.records import EdgeKind, Hit, Provision, Status
from retrieval.encoder_cache import CachedEncoder
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder

__all__ = ["Looked", "QuestionReader"]

_FOLLOWED = (EdgeKind.DELEGATES, EdgeKind.IMPLEMENTS, EdgeKind.CITES, EdgeKind.DEFINES, EdgeKind.EXCEPTS)
"""The kinds of citation that are followed, those that matter most first."""

_EMBEDDED = "embedded"  # as the encoder calls itself
_N_LEADING = 3  # best clauses whose citations are followed
_N_QUESTIONS = 16  # whose vectors are kept in memory: as many as may be looked into at once
_N_COMPARED = 5  # articles whose statements are held against the best one


@dataclass(slots=True)
class Looked:
    """A question with what was found for it."""

    part: Part
    hits: list[Hit]
    coverage: Coverage
    evidence: list[EvidenceArticle]
    verdict: Verdict


class QuestionReader:
    """Looks into questions, on one index.

    as_of: an ISO date by which articles that are in force only later are none; None: as the sources stand.
    """

    def __init__(self, retriever: Retriever, settings: AgentSettings, *, as_of: str | None = None) -> None:
        self._retriever = retriever
        self._settings = settings
        self._as_of = as_of

    def look_into(
        self, part: Part, language: str, trace: list[Step], *, budget: int, gathered: Sequence[Hit] = ()
    ) -> Looked:
        """Return what there is to answer a question from, and whether it is enough.

        language: of the notes. budget: tokens that the evidence may take. gathered: hits to take in place of retrieval.
        """
        hits = list(gathered) or self._retrieve(part.text, trace)
        named, aside = self._named(part, hits, trace)
        citing = self._citing(named)
        asked_for, beside = (
            [Hit(name, score, "named") for name in names]
            for names, score in ((named.present, 1.0), (aside.present, 0.0))
        )
        hits = [*asked_for, *citing, *hits, *beside]
        hits = list({hit.semantic_id: hit for hit in reversed(hits)}.values())[::-1]
        coverage = Coverage(part.own, self._retriever.index.lexical, context=part.before)
        first = frozenset((*named.present, *(hit.semantic_id for hit in citing)))
        evidence = self.pack(hits, coverage, budget, trace)
        ranked = rank_clauses(part.text, evidence, coverage, self._similarity, named=first)
        for hop in range(self._settings.max_hops):
            fetched = self._fetch(ranked, evidence)
            trace.append(Step("hop", {"hop": hop + 1, "fetched": {hit.semantic_id: hit.origin for hit in fetched}}))
            if not fetched:
                break
            hits += fetched
            evidence = self.pack(hits, coverage, budget, trace)
            ranked = rank_clauses(part.text, evidence, coverage, self._similarity, named=first)
        features = self._features(part, ranked, coverage, language)
        graph = self._retriever.index.graph
        verdict = judge(
            part.asked,
            ranked,
            features,
            graph,
            self._settings,
            context=part.context,
            named=first,
            gaps=self._gaps(part.text, evidence, coverage, features),
            of_family=lambda: self._gaps_of_family(part.text, ranked[0].article, coverage, features),
        )
        if verdict.kind is None and (against := self._differing(verdict.clauses[0])):
            known = {hit.semantic_id for hit in hits}
            others = dict.fromkeys(one.article.semantic_id for one in against)
            hits += [Hit(name, 0.0, "says otherwise") for name in others if name not in known]
            evidence = self.pack(hits, coverage, budget, trace)
            verdict = replace(verdict, against=tuple(against))
        gone = " ".join(f"{one.law_level} {one.law_name} {one.chapter}" for one in named.repealed)
        verdict = overruled(
            verdict,
            named,
            aside,
            ranked,
            graph,
            language,
            as_of=self._as_of,
            names=self._names,
            question=part.asked,
            name_terms=coverage.terms(gone),
        )
        trace.append(Step("sufficiency", verdict.reasons))
        return Looked(part, hits, coverage, evidence, verdict)

    def pack(self, hits: Sequence[Hit], coverage: Coverage, budget: int, trace: list[Step]) -> list[EvidenceArticle]:
        """Return the articles of hits that fit into so many tokens."""
        evidence = pack(
            ((hit, self._retriever.article(hit.semantic_id)) for hit in hits),
            budget_tokens=budget,
            value=lambda article, clause: coverage.share(coverage.terms(article.text[clause.start : clause.end])),
        )
        parts = {one.article.semantic_id: "whole" if one.whole else "in part" for one in evidence}
        left_out = [hit.semantic_id for hit in hits if hit.semantic_id not in parts]
        trace.append(Step("pack", {"articles": parts, "left out": left_out}))
        return evidence

    def _retrieve(self, question: str, trace: list[Step]) -> list[Hit]:
        hits = self._retriever.search(question, top_k=self._settings.n_hits)
        found = {hit.semantic_id: round(hit.score, 4) for hit in hits}
        trace.append(Step("retrieve", {"method": str(self._retriever.default_method), "hits": found}))
        return hits

    @cached_property
    def _names(self) -> ArticleNames:
        return ArticleNames(self._retriever.index.graph, self._retriever.index.manifest.language)

    def _named(self, part: Part, hits: Sequence[Hit], trace: list[Step]) -> tuple[Named, Named]:
        """Return what the question names, and what is only named beside it: "Article 17 I know. But how often …"."""
        near = [hit.semantic_id for hit in hits]
        named, aside = self._names.find(part.asked, near), self._names.find(part.context, near)
        if not named.is_any and points(part.asked):  # "A letter speaks of Article 11. What does it say?"
            named, aside = aside, named
        if named.is_any or aside.is_any:
            trace.append(Step("named", {"asked for": named.to_json(), "beside": aside.to_json()}))
        return named, aside

    def _citing(self, named: Named) -> list[Hit]:
        """Return the articles that still speak of a repealed one that is named, as transitional provisions do."""
        graph = self._retriever.index.graph
        gone = [] if named.present else [provision.semantic_id for provision in named.repealed]
        citing = dict.fromkeys(edge.source for name in gone for edge in graph.cited_by(name))
        here = (name for name in citing if graph.provisions[name].status is Status.PRESENT)
        return [Hit(name, 1.0, f"cites {gone[0]}") for name in here]

    def _fetch(self, ranked: Sequence[ScoredClause], evidence: Sequence[EvidenceArticle]) -> list[Hit]:
        """Return the articles that the best clauses cite or leave detail to and that are not in the evidence.

        The best clause of the article that retrieval put first is among them, whatever its words.
        """
        graph = self._retriever.index.graph
        known = {one.article.semantic_id for one in evidence}
        fetched: dict[str, Hit] = {}
        first = next((one for one in ranked if one.place == 0), None)
        for one in dict.fromkeys((*ranked[:_N_LEADING], *filter(None, (first,)))):
            edges = graph.cites(one.article.semantic_id, kinds=_FOLLOWED)
            inside = [e for e in edges if one.clause.start <= e.start < one.clause.end or e.start < 0]
            for edge in sorted(inside, key=lambda edge: _FOLLOWED.index(edge.kind)):
                target = edge.target
                if target and target not in known and graph.provisions[target].status is Status.PRESENT:
                    fetched.setdefault(target, Hit(target, one.score, f"{edge.kind} from {edge.source}"))
        return list(fetched.values())[: self._settings.n_hop_articles]

    def _differing(self, best: ScoredClause) -> list[Statement]:
        """Return the statements of the law's family that say otherwise than the best clause of the answer."""
        index = self._retriever.index
        one = next((s for s in statements(best.article) if s.clause == best.clause), None)
        if one is None:
            return []
        scores = index.lexical.bm25(one.text)
        rows = index.ties.sort(np.arange(len(scores)), scores).rows[: _N_COMPARED + 1]
        family = (index.articles[row] for row in rows.tolist())
        near = [article for article in family if article.collection_name == best.article.collection_name]
        others = (other for article in near for other in statements(article))
        return differing(one, others, index.lexical, index.graph)

    def _gaps(
        self, question: str, evidence: Sequence[EvidenceArticle], coverage: Coverage, features: Features
    ) -> list[Gap]:
        """Return the absent provisions within reach, held against the best clause."""
        graph = self._retriever.index.graph
        reach = absent_within_reach([one.article for one in evidence], graph, max_hops=self._settings.max_hops)
        return self._compared(question, reach, coverage, features)

    def _gaps_of_family(self, question: str, article: Provision, coverage: Coverage, features: Features) -> list[Gap]:
        """Return the absent provisions that the family of an article's law sends to, held against the best clause."""
        graph = self._retriever.index.graph
        reach = absent_of_family(article, graph, lambda card: coverage.share(coverage.terms(card.text)))
        return self._compared(question, reach, coverage, features)

    def _compared(
        self,
        question: str,
        reach: Sequence[tuple[MissingProvision, Provision]],
        coverage: Coverage,
        features: Features,
    ) -> list[Gap]:
        if self._similarity is not None and features.clause_similarity is not None:
            best, similarity = features.clause_similarity, self._similarity
            return gaps(reach, lambda cards: [float(cosine) - best for cosine in similarity(question, cards)])
        said = features.clause_coverage
        return gaps(reach, lambda cards: [coverage.share(coverage.terms(card.text)) - said for card in cards])

    def _features(self, part: Part, ranked: Sequence[ScoredClause], coverage: Coverage, language: str) -> Features:
        index = self._retriever.index
        encoder = index.manifest.encoder
        similarity = max((one.similarity for one in ranked if one.similarity is not None), default=None)
        above, over, beyond = None, None, None
        if similarity is not None and encoder is not None and encoder.name == _EMBEDDED:
            by_chance = self._chance(language)
            above = above_chance(similarity, by_chance.similarity)
            if by_chance.sparse:
                over = float(self._retriever.sparse_similarities(part.text).max()) / by_chance.sparse
            rows = [index.row_of[name] for name in {one.article.semantic_id for one in ranked}]
            beyond = beyond_chance(float(shared_words(index.lexical, part.asked)[rows].max()), by_chance.words)
        return Features(
            clause_coverage=max((one.coverage for one in ranked), default=0.0),
            evidence_coverage=coverage.joint_share(one.terms for one in ranked),
            clause_similarity=similarity,
            similarity_above_chance=above,
            sparse_over_chance=over,
            words_beyond_chance=beyond,
        )

    @cached_property
    def _chance(self) -> Callable[[str], Chance]:
        """Returns what unrelated questions in a language reach, held against the index once."""
        return cache(lambda language: chance(self._retriever, self._clause_encoder, language))

    @cached_property
    def _clause_encoder(self) -> CachedEncoder:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        return CachedEncoder(self._retriever.encoder, folder / "vectors.sqlite")

    @property
    def _similarity(self) -> Similarity | None:
        return self._cosines if self._retriever.index.has_vectors else None

    def _cosines(self, question: str, clauses: Sequence[Provision]) -> NDArray[np.float32]:
        """Compare a question with clauses; the clauses' vectors are kept on disk, the last questions' in memory."""
        return np.asarray(self._clause_encoder.encode_articles(clauses) @ self._query_vector(question))

    @cached_property
    def _query_vector(self) -> Callable[[str], NDArray[np.float32]]:
        """Encodes a question once, though each hop compares it again."""
        encoder = self._retriever.encoder
        return lru_cache(maxsize=_N_QUESTIONS)(lambda question: encoder.encode_queries([question])[0])
