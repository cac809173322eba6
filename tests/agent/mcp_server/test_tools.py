"""The tools and resources of the MCP server, called by the SDK's own client, which checks results by their schemas."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'nonliquet[mcp]'")

from mcp import Client, MCPError
from mcp.types import CallToolResult, ResourceTemplateReference

from agent.legal_agent import LegalAgent
from agent.mcp_server.server import ARTICLE_URI, create_mcp_server
from agent.reply_markdown import reply_markdown
from agent.server.limits import ServerSettings
from graph.corpus import read_corpus
from graph.errors import ServiceUnavailable
from retrieval.index_build import build_index
from tests.agent.scripted_model import ScriptedModel
from tests.agent.server.serving import SlowModel
from tests.law_history import LawHistory, law_text

ACT_1, ACT_2, ANNEX_1, DECREE_1 = "등대-안전법_1조", "등대-안전법_2조", "등대-안전법_별표1", "등대-안전법-시행령_1조"
WHEN = "등대지기는 언제 등을 켜야 하는가?"

Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def agent(golden_index: Path) -> Iterator[LegalAgent]:
    with LegalAgent.open(golden_index) as opened:
        yield opened


def talk(agent: LegalAgent, what: Talk, settings: ServerSettings | None = None) -> Any:
    """Say something to a server over this agent, as a client in the same process."""

    async def said() -> Any:
        async with Client(create_mcp_server(agent, settings)) as client:
            return await what(client)

    return asyncio.run(said())


def call(agent: LegalAgent, tool: str, settings: ServerSettings | None = None, **arguments: Any) -> CallToolResult:
    result = talk(agent, lambda client: client.call_tool(tool, arguments), settings)
    assert isinstance(result, CallToolResult)
    return result


def words(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


def refusal(result: CallToolResult) -> str:
    assert result.is_error
    assert result.structured_content is None
    return words(result)


def test_each_tool_says_what_it_takes_and_gives_and_that_it_only_reads(agent: LegalAgent):
    tools = {tool.name: tool for tool in talk(agent, lambda client: client.list_tools()).tools}
    assert set(tools) == {"search", "open_article", "follow_citations", "ask"}
    for tool in tools.values():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert all("description" in one for one in tool.input_schema["properties"].values())
    required = {name: tool.input_schema["required"] for name, tool in tools.items()}
    assert required["follow_citations"] == required["open_article"] == ["semantic_id"]
    assert required["ask"] == required["search"] == ["question"]
    given = {name: set((tool.output_schema or {})["properties"]) for name, tool in tools.items()}
    assert {"text", "citations", "abstained", "missing", "confidence", "calibration"} <= given["ask"]
    assert given["search"] == {"hits"}


def test_search_gives_the_hits_of_retrieval_with_their_beginnings(agent: LegalAgent):
    result = call(agent, "search", question=WHEN, top_k=3)
    expected = agent.retriever.search(WHEN, top_k=3)
    hits = (result.structured_content or {})["hits"]
    assert [(hit["semantic_id"], hit["score"]) for hit in hits] == [(hit.semantic_id, hit.score) for hit in expected]
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    for hit in hits:
        text = agent.retriever.article(hit["semantic_id"]).text
        assert hit["beginning"] == text[:200]
        assert f"`{hit['semantic_id']}`" in words(result)


def test_search_by_a_method(agent: LegalAgent):
    hits = (call(agent, "search", question=WHEN, method="tfidf").structured_content or {})["hits"]
    assert {hit["origin"] for hit in hits} == {"tfidf"}


def test_a_search_that_finds_nothing_says_so(agent: LegalAgent):
    result = call(agent, "search", question="xyzzy")
    assert (words(result), result.structured_content) == ("Nothing was found.", {"hits": []})


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search", {"question": " "}, "the question is empty"),
        ("search", {"question": "등", "method": "magic"}, "magic"),
        ("search", {"question": "등", "method": "cross:some/model"}, "not offered to clients"),
        ("search", {"question": "등", "top_k": 0}, "top_k"),
        ("ask", {"question": "x" * 21}, "at most 20"),
        ("ask", {"question": "등", "as_of": "yesterday"}, "as_of"),
        ("ask", {"question": "등", "as_of": "2024-02-31"}, "2024-02-31"),
        ("open_article", {"semantic_id": "등대-안전법_99조"}, "use an id that search gave"),
        ("open_article", {"semantic_id": ACT_1, "start": -1}, "start"),
        ("follow_citations", {"semantic_id": "../../etc/passwd"}, "use an id that search gave"),
        ("follow_citations", {"semantic_id": ACT_1, "limit": 0}, "limit"),
        ("ask", {}, "question"),
        ("repeal", {}, "repeal"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_says_why(
    agent: LegalAgent, tool: str, arguments: dict[str, Any], told: str
):
    assert told in refusal(call(agent, tool, ServerSettings(max_question_chars=20), **arguments))


def test_open_article_gives_its_whole_text_and_date(agent: LegalAgent, golden_index: Path):
    article = agent.retriever.article(ACT_1)
    result = call(agent, "open_article", semantic_id=ACT_1)
    opened = result.structured_content or {}
    assert (opened["text"], opened["start"], opened["n_characters"]) == (article.text, 0, len(article.text))
    assert (opened["status"], opened["effective_date"]) == ("present", "2024-07-01")
    assert words(result) == f"# 등대 안전법, 제1조 (점등)\n\n`{ACT_1}`, in force since 2024-07-01\n\n{article.text}"


def test_a_long_article_is_opened_in_parts_that_make_the_whole(agent: LegalAgent, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("agent.mcp_server.server._LONGEST_PART", 10)
    text, parts = agent.retriever.article(ACT_1).text, ""
    while len(parts) < len(text):
        result = call(agent, "open_article", semantic_id=ACT_1, start=len(parts))
        opened = result.structured_content or {}
        assert (opened["start"], opened["n_characters"]) == (len(parts), len(text))
        parts += opened["text"]
        assert (f"go on with start={len(parts)}" in words(result)) == (len(parts) < len(text))
    assert parts == text


def test_all_tools_read_the_law_of_a_date_whose_edition_is_there(tmp_path: Path):
    history = LawHistory(tmp_path / "law")
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 등대지기는 해가 지기 전에 등을 켜야 한다.")})
    history.commit("2015-01-01", {"법률.md": law_text("2015-07-01", "1 등대지기는 오후 여섯 시에 등을 켜야 한다.")})
    build_index(read_corpus([history.path]), tmp_path / "index")
    calls = {
        "ask": {"question": WHEN},
        "search": {"question": WHEN},
        "open_article": {"semantic_id": "등대법_1조"},
        "follow_citations": {"semantic_id": "등대법_1조"},
    }
    with LegalAgent.open(tmp_path / "index") as agent:
        for tool, arguments in calls.items():
            assert "is not indexed here" in refusal(call(agent, tool, as_of="2012-01-01", **arguments))
        agent.edition("2012-01-01")
        said = {tool: words(call(agent, tool, as_of="2012-01-01", **arguments)) for tool, arguments in calls.items()}
    assert all("해가 지기 전에" in said[tool] for tool in ("ask", "search", "open_article"))
    assert said["follow_citations"] == "`등대법_1조` cites nothing and nothing cites it."


@pytest.mark.parametrize(
    ("name", "status", "said"), [(ACT_2, "repealed", "(It is repealed.)"), (ANNEX_1, "absent", "not at hand")]
)
def test_a_provision_without_text_says_why(agent: LegalAgent, name: str, status: str, said: str):
    result = call(agent, "open_article", semantic_id=name)
    assert (result.structured_content or {})["status"] == status
    assert said in words(result)


def test_follow_citations_gives_both_directions_with_the_words_that_make_them(agent: LegalAgent):
    found = call(agent, "follow_citations", semantic_id=ACT_1).structured_content or {}
    text = agent.retriever.article(ACT_1).text
    assert (DECREE_1, "delegates") in {(edge["semantic_id"], edge["kind"]) for edge in found["cites"]}
    assert (DECREE_1, "implements") in {(edge["semantic_id"], edge["kind"]) for edge in found["cited_by"]}
    for edge in found["cites"]:
        assert text[edge["start"] : edge["end"]] == edge["text"]
    assert (found["n_cites"], found["n_cited_by"]) == (len(found["cites"]), len(found["cited_by"]))


def test_follow_citations_stops_at_the_limit_and_says_how_many_there_are(tmp_path: Path):
    lamps = ["Article 1\n\nA lamp is a light.", *(f"Article {n}\n\nA lamp of Article 1 is lit." for n in (2, 3, 4))]
    law = tmp_path / "lamps.md"
    front = "---\ntitle: Lamp Act\nlevel: Act\nlanguage: en\n---\n\n# Lamp Act\n"
    law.write_text(front + "".join(f"\n##### {one}\n" for one in lamps), encoding="utf-8")
    build_index(read_corpus([law]), tmp_path / "index")
    with LegalAgent.open(tmp_path / "index") as agent:
        result = call(agent, "follow_citations", semantic_id="lamp-act_1", limit=2)
    found = result.structured_content or {}
    assert [edge["semantic_id"] for edge in found["cited_by"]] == ["lamp-act_2", "lamp-act_3"]
    assert found["n_cited_by"] == 3
    assert "and 1 more" in words(result)


def test_follow_citations_names_what_is_not_in_the_sources(agent: LegalAgent):
    result = call(agent, "follow_citations", semantic_id="등대-안전법_3조의2")
    assert (result.structured_content or {})["unresolved"] == ["제9조"]
    assert words(result).endswith("It also cites what is not in the sources: 제9조")


def test_ask_gives_the_agents_reply_and_its_citations_as_words(agent: LegalAgent):
    reply = agent.ask(WHEN)
    result = call(agent, "ask", question=WHEN)
    assert result.structured_content is not None
    for name, value in reply.to_json().items():
        assert result.structured_content[name] == ([] if name == "trace" else value)
    assert words(result) == reply_markdown(reply)
    assert reply.to_json()["citations"]


def test_an_abstention_is_a_result_and_no_error(agent: LegalAgent):
    result = call(agent, "ask", question="Wer zahlt die Hundesteuer?")
    reply = result.structured_content or {}
    assert not result.is_error
    assert reply["abstained"]
    assert reply["kind"]


def test_the_trace_comes_when_it_is_asked_for(agent: LegalAgent):
    reply = call(agent, "ask", question=WHEN, trace=True).structured_content or {}
    assert [step["step"] for step in reply["trace"]] == [step.name for step in agent.ask(WHEN).trace]


def test_a_model_server_that_is_down_is_told_as_such(golden_index: Path):
    model = ScriptedModel(ServiceUnavailable("the model server does not answer"))
    with LegalAgent.open(golden_index, model=model) as agent:
        assert "the model server does not answer" in refusal(call(agent, "ask", question=WHEN))


def test_a_question_that_takes_too_long_is_given_up_and_told(golden_index: Path):
    model = SlowModel(wait_s=60)
    with LegalAgent.open(golden_index, model=model) as agent:
        told = refusal(call(agent, "ask", ServerSettings(timeout_s=0.5), question=WHEN))
    assert "no answer within 0.5 s" in told
    assert model.cancelled.acquire(timeout=0)


def test_the_work_for_a_client_that_gives_up_ends(golden_index: Path):
    model = SlowModel(wait_s=60)

    async def give_up(client: Client) -> bool:
        asking = asyncio.create_task(client.call_tool("ask", {"question": WHEN}))
        assert await asyncio.to_thread(model.asked.acquire, timeout=30)
        asking.cancel()
        return await asyncio.to_thread(model.cancelled.acquire, timeout=10)

    with LegalAgent.open(golden_index, model=model) as agent:
        assert talk(agent, give_up)


@pytest.mark.parametrize("name", [ACT_1, ACT_2, DECREE_1])
@pytest.mark.parametrize("escaped", [True, False])
def test_each_provision_is_a_resource(agent: LegalAgent, name: str, escaped: bool):
    uri = "nonliquet://articles/" + (quote(name) if escaped else name)
    (content,) = talk(agent, lambda client: client.read_resource(uri)).contents
    assert content.mime_type == "text/markdown"
    assert agent.retriever.article(name).text in content.text
    assert f"`{name}`" in content.text


def test_the_template_of_the_resources_is_listed(agent: LegalAgent):
    (template,) = talk(agent, lambda client: client.list_resource_templates()).resource_templates
    assert (template.uri_template, template.mime_type) == (ARTICLE_URI, "text/markdown")


@pytest.mark.parametrize("uri", ["nonliquet://articles/등대-안전법_99조", "nonliquet://articles/../1", "other://x"])
def test_a_resource_that_is_not_there_is_the_protocols_error(agent: LegalAgent, uri: str):
    async def error_of(client: Client) -> int:
        with pytest.raises(MCPError) as error:
            await client.read_resource(uri)
        return error.value.code

    assert talk(agent, error_of) == -32602


def test_ids_are_completed(agent: LegalAgent):
    ref = ResourceTemplateReference(type="ref/resource", uri=ARTICLE_URI)

    async def completed(client: Client) -> Any:
        return (await client.complete(ref, {"name": "semantic_id", "value": "등대-안전법_3"})).completion

    completion = talk(agent, completed)
    assert (completion.values, completion.total) == (["등대-안전법_3조", "등대-안전법_3조의2"], 2)
