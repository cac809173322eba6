"""Where the contexts' articles come from: an index, or the file of the questions itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from agent.evidence import EvidenceArticle
from evals.mcq.records import ChoiceQuestion
from graph.citation_graph import CitationGraph
from graph.clauses import clauses
from graph.records import Hit, Provision
from retrieval.lexical import LexicalIndex, LexicalSettings
from retrieval.retriever import Retriever
from retrieval.tokens import Analyze

__all__ = ["Sources"]


class Sources:
    """The articles of contexts, and the statistics of their terms."""

    def __init__(self, questions: Sequence[ChoiceQuestion], retriever: Retriever | None) -> None:
        """retriever: None is enough where the questions bring their articles. Raises ValueError where they do not."""
        if retriever is None and any(not question.given for question in questions):
            raise ValueError("questions that name articles need an index")
        self.questions = tuple(questions)
        self.retriever = retriever

    @property
    def graph(self) -> CitationGraph | None:
        """The citation graph; None without an index."""
        return self.retriever.index.graph if self.retriever else None

    @property
    def language(self) -> str:
        """The language that the law is mainly in (ISO 639-1)."""
        if self.retriever:
            return self.retriever.index.manifest.language
        return self.questions[0].given[0].language

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The term statistics: of the index, else of all articles that the questions bring."""
        if self.retriever:
            return self.retriever.index.lexical
        given = [article for question in self.questions for article in question.given]
        return LexicalIndex.build(given, LexicalSettings(), language=self.language)

    @property
    def analyze(self) -> Analyze:
        """From text to its terms."""
        return self.lexical.analyze

    def article(self, question: ChoiceQuestion, semantic_id: str) -> Provision:
        """Return an article as this question's context has it. Raises KeyError if there is none."""
        for one in question.given:
            if one.semantic_id == semantic_id:
                return one
        if self.retriever is None:
            raise KeyError(semantic_id)
        return self.retriever.article(semantic_id)

    def evidence(self, question: ChoiceQuestion, context: Sequence[str]) -> list[EvidenceArticle]:
        """Return the articles of a context, whole, cut into their clauses."""
        articles = [self.article(question, name) for name in context]
        return [
            EvidenceArticle(one, Hit(one.semantic_id, 1.0, "given"), tuple(clauses(one.text)), whole=True)
            for one in articles
        ]
