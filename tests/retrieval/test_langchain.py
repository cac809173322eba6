from langchain_core.runnables import RunnableLambda

from retrieval.index_build import build_index
from retrieval.langchain import StatuteRetriever
from retrieval.retriever import Retriever


def test_a_chain_gets_the_hits_of_search_with_the_fields_of_their_provisions(golden_corpus, tmp_path):
    build_index(golden_corpus, tmp_path / "index")
    with Retriever.open(tmp_path / "index") as retriever:
        hits = retriever.search("등대", top_k=3)
        chain = StatuteRetriever(retriever, top_k=3) | RunnableLambda(lambda documents: documents)
        documents = chain.invoke("등대")
        assert hits
        assert [(d.id, d.metadata["score"]) for d in documents] == [(hit.semantic_id, hit.score) for hit in hits]
        article = retriever.article(hits[0].semantic_id)
        assert documents[0].page_content == article.text
        assert documents[0].metadata["law_name"] == article.law_name
        assert documents[0].metadata["origin"] == "sar:bm25"


def test_the_method_can_be_chosen(golden_corpus, tmp_path):
    build_index(golden_corpus, tmp_path / "index")
    with Retriever.open(tmp_path / "index") as retriever:
        (document,) = StatuteRetriever(retriever, top_k=1, method="bm25-rank").invoke("등대")
        assert document.metadata["origin"] == "bm25-rank"
