"""The routes of our own: ask, its events, search, articles, the picture, health."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import httpx
import pytest

from agent.legal_agent import LegalAgent
from agent.reply import Abstention, AbstentionKind
from agent.server.bodies import ReplyBody
from agent.server.limits import ServerSettings
from evals.decisions import BUILTIN_SETS, read_decisions
from tests.agent.conftest import ABSTENTION, ANSWER
from tests.agent.scripted_model import ScriptedModel, answer
from tests.agent.server.serving import ARTICLE, QUESTION, QUOTE, WRITTEN, Served, serving

FOLLOW_UP = "And to a person of 17?"


def events_of(served: Served, **body: Any) -> list[tuple[str, Any]]:
    """Return the events of a streamed question, by name."""
    with httpx.stream("POST", f"{served.url}/v1/ask", json={**body, "stream": True}, timeout=30) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        blocks = response.read().decode().replace("\r\n", "\n").split("\n\n")
    fields = [dict(line.split(": ", 1) for line in block.splitlines()) for block in blocks if block]
    return [(one["event"], json.loads(one["data"])) for one in fields]


def post(served: Served, **body: Any) -> httpx.Response:
    return httpx.post(f"{served.url}/v1/ask", json=body, timeout=30)


def get(served: Served, path: str, **query: Any) -> httpx.Response:
    return httpx.get(f"{served.url}{path}", params=query, timeout=30)


def test_ask_returns_the_agents_reply(served):
    assert post(served, question=QUESTION).json() == served.agent.ask(QUESTION).to_json()


def test_ask_takes_history_and_a_date(served):
    expected = served.agent.ask(FOLLOW_UP, history=[QUESTION], as_of="2026-01-31").to_json()
    assert post(served, question=FOLLOW_UP, history=[QUESTION], as_of="2026-01-31").json() == expected
    assert expected["edition"] == "2026-01-31"


def test_the_events_of_a_quoted_answer_are_its_words_and_then_the_reply(served):
    *drafts, (last, reply) = events_of(served, question=QUESTION)
    assert {name for name, _ in drafts} == {"draft"}
    assert "".join(data["text"] for _, data in drafts) == reply["text"]
    assert (last, reply) == ("reply", served.agent.ask(QUESTION).to_json())


def test_an_abstention_has_no_draft(served):
    ((name, reply),) = events_of(served, question="What does Annex 1 to the Act say about riding halls?")
    assert (name, reply["abstained"]) == ("reply", True)


def test_no_sentence_that_does_not_stand_is_in_a_draft(law_index):
    """The second sentence's number is in no quote."""
    text = "They shall not be sold to a person under 16. [1] The fine is 900 crowns. [1]"
    model = ScriptedModel(answer(text, (ARTICLE, QUOTE)))
    with serving(LegalAgent.open(law_index, model=model)) as served:
        *drafts, (_, reply) = events_of(served, question=QUESTION)
    assert "".join(data["text"] for _, data in drafts) == reply["text"]
    assert reply["text"] == "They shall not be sold to a person under 16. [1]"


def test_every_kind_of_reply_fits_its_description(served, law_index):
    """Replies to the questions that decisions are tested on; the kind that needs a bad writer, by one."""
    replies = [served.agent.ask(one.question, history=one.history) for one in read_decisions(BUILTIN_SETS[1])]
    with LegalAgent.open(law_index, model=ScriptedModel("…", "…")) as agent:
        replies.append(agent.ask(QUESTION))
    with LegalAgent.open(law_index, model=ScriptedModel(WRITTEN)) as agent:
        replies.append(agent.ask(QUESTION))
    for reply in (*replies, ANSWER, ABSTENTION):
        sent = json.loads(json.dumps(reply.to_json()))
        read = ReplyBody.model_validate(sent, strict=False).model_dump(mode="json")
        assert {name: value for name, value in read.items() if name in sent} == sent
    kinds = {reply.kind for reply in replies if isinstance(reply, Abstention)}
    assert kinds >= set(AbstentionKind) - {AbstentionKind.CONFLICTING_PROVISIONS}
    assert any(not reply.abstained for reply in replies)


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "question"),
        ({"question": " \n"}, "question"),
        ({"question": "\ud800"}, "question"),
        ({"question": QUESTION, "history": "?"}, "history"),
        ({"question": QUESTION, "as_of": "yesterday"}, "as_of"),
        ({"question": QUESTION, "as_of": "2026-02-30"}, "as_of"),
        ({"question": QUESTION, "as_off": "2026-02-28"}, "as_off"),
        ({"question": "a" * 20_001}, "question"),
        ({"question": QUESTION, "history": ["a" * 20_001]}, "history.0"),
        ({"question": QUESTION, "history": ["?"] * 51}, "history"),
    ],
)
def test_a_wrong_body_is_refused_naming_the_field(served, body, param):
    content = json.dumps(body)  # lone surrogates as escapes, as httpx would not have them
    refused = httpx.post(f"{served.url}/v1/ask", content=content, headers={"Content-Type": "application/json"})
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert (error["param"], error["type"]) == (param, "invalid_request_error")
    assert param in error["message"] or param == "history"


def test_what_is_no_json_is_refused(served):
    refused = httpx.post(f"{served.url}/v1/ask", content="{", headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")


@pytest.mark.parametrize("method", [None, "bm25", "sar-undirected:tfidf"])
def test_search_returns_the_retrievers_hits(served, method):
    found = get(served, "/v1/search", question=QUESTION, top_k=3, **({"method": method} if method else {})).json()
    hits = served.agent.retriever.search(QUESTION, top_k=3, method=method)
    assert [(one["semantic_id"], one["score"]) for one in found["hits"]] == [
        (hit.semantic_id, hit.score) for hit in hits
    ]
    assert [one["rank"] for one in found["hits"]] == [1, 2, 3]
    assert found["method"] == (method or "sar:bm25")
    assert found["hits"][0]["law_name"] == served.agent.retriever.article(hits[0].semantic_id).law_name


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"question": ""}, "query.question"),
        ({"question": "?", "top_k": 0}, "query.top_k"),
        ({"question": "?", "top_k": 1001}, "query.top_k"),
        ({"question": "?", "method": "bm26"}, "method"),
        ({"question": "?", "method": "cross:/etc/passwd:bm25"}, "method"),
        ({"question": "?", "method": "bm25-rank"}, "method"),
    ],
)
def test_a_search_that_cannot_be_made_is_refused_naming_the_parameter(served, query, param):
    refused = get(served, "/v1/search", **query)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)


def test_search_by_vectors_where_there_are_none_is_refused(served):
    refused = get(served, "/v1/search", question="?", method="dense")
    assert refused.status_code == 400
    assert "was built without vectors" in refused.json()["error"]["message"]


def test_an_article_has_its_text_its_date_and_its_citations_both_ways(served):
    graph = served.agent.retriever.index.graph
    article = graph.provisions[ARTICLE]
    found = get(served, f"/v1/articles/{quote(ARTICLE)}").json()
    assert (found["text"], found["effective_date"], found["status"]) == (
        article.text,
        article.effective_date,
        "present",
    )
    cited, citing = (sorted(one["semantic_id"] for one in found[way]) for way in ("cites", "cited_by"))
    assert cited == sorted(edge.target for edge in graph.cites(ARTICLE) if edge.target)
    assert citing == sorted(edge.source for edge in graph.cited_by(ARTICLE)) != []
    for edge in found["cites"]:
        assert edge["start"] < 0 or article.text[edge["start"] : edge["end"]] == edge["text"]


def test_an_absent_provision_is_known_and_has_no_text(served):
    found = get(served, "/v1/articles/fire-safety-act_annex-1").json()
    assert (found["status"], found["text"]) == ("absent", "")
    assert found["cited_by"] != []


@pytest.mark.parametrize("path", ["/v1/articles/fire-safety-act_999", "/v1/neighbourhood/%F0%9F%94%A5", "/v2/ask"])
def test_what_is_not_there_is_404(served, path):
    found = get(served, path)
    assert (found.status_code, found.json()["error"]["type"]) == (404, "not_found_error")


def test_the_neighbourhood_is_a_picture_with_the_articles_around(served):
    found = get(served, f"/v1/neighbourhood/{ARTICLE}", depth=1)
    assert found.headers["content-type"] == "image/svg+xml"
    titles = [one.text for one in ElementTree.fromstring(found.text).iter("{http://www.w3.org/2000/svg}title")]
    citing = {edge.source for edge in served.agent.retriever.index.graph.cited_by(ARTICLE)}
    assert citing <= set(titles)


def test_health_says_what_it_answers_from(served):
    assert get(served, "/healthz").json() == {
        "status": "ok",
        "version": "0.1.0",
        "articles": len(served.agent.retriever.index.articles),
        "edition": None,
        "encoder": None,
        "model": None,
    }


def test_health_does_not_say_where_the_model_is_served(law_index):
    model = ScriptedModel()
    model.name = "http://10.0.0.1:8000/v1#Qwen"
    with serving(LegalAgent.open(law_index, model=model)) as served:
        assert get(served, "/healthz").json()["model"] == "Qwen"


def test_an_edition_that_is_not_built_is_refused_with_the_command_that_builds_it(tmp_path):
    from graph.corpus import read_corpus
    from retrieval.index_build import build_index
    from tests.law_history import LawHistory, law_text

    history = LawHistory(tmp_path / "law")
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 등대지기는 해가 지기 전에 등을 켜야 한다.")})
    history.commit("2015-01-01", {"법률.md": law_text("2015-07-01", "1 등대지기는 오후 여섯 시에 등을 켜야 한다.")})
    build_index(read_corpus([history.path]), tmp_path / "index")
    asked = {"question": "등대지기는 언제 등을 켜야 하는가?", "as_of": "2012-01-01"}
    with serving(LegalAgent.open(tmp_path / "index")) as served:
        refused = post(served, **asked)
        assert refused.status_code == 400
        assert "--as-of 2012-01-01" in refused.json()["error"]["message"]
    assert not (tmp_path / "index" / "editions").exists()
    with serving(LegalAgent.open(tmp_path / "index"), ServerSettings(build_editions=True)) as served:
        assert post(served, **asked).json()["edition"] == "2012-01-01"
