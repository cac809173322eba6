"""StatuteRetriever: our retrieval as a LangChain retriever."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from retrieval.retriever import Retriever

__all__ = ["StatuteRetriever"]


class StatuteRetriever(BaseRetriever):
    """Returns articles as documents: the text is the page content; the metadata hold the Provision's other fields.

    Two more fields say how the article came up: `score`, comparable within one question, and `origin`, the method.
    """

    retriever: Any  # a Retriever; pydantic cannot check it
    top_k: int = 10
    method: str | None = None  # METHOD[:BASE]; None: the index's default

    def __init__(self, retriever: Retriever, **settings: Any) -> None:
        super().__init__(**{"retriever": retriever, **settings})

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        documents = []
        for hit in self.retriever.search(query, top_k=self.top_k, method=self.method):
            fields = asdict(self.retriever.article(hit.semantic_id))
            text = fields.pop("text")
            metadata = {**fields, "status": str(fields["status"]), "score": hit.score, "origin": hit.origin}
            documents.append(Document(page_content=text, metadata=metadata, id=hit.semantic_id))
        return documents
