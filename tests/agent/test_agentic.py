import json

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from agent import AgentSettings, LegalAgent
from agent.chat_model import ModelSettings, open_chat_model
from agent.reply import Answer
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import ServiceUnavailable
from retrieval.index_build import build_index
from tests.agent.model_server import model_server
from tests.agent.scripted_model import ScriptedModel, answer

QUESTION = "May fireworks be sold to a person under 16 years of age?"
ARTICLE = "fire-safety-act_13-2"
QUOTE = "Fireworks shall not be sold or given to a person under 16 years of age."
AGENTIC = AgentSettings(mode="agentic", max_hops=0)


class CallsTools(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


class Gathering(ScriptedModel):
    """A scripted model whose gathering is scripted too: one list of (tool, argument) a turn."""

    def __init__(self, turns, *script):
        super().__init__(*script)
        self.turns = turns

    def with_tools(self):
        names = {"search": "query", "open_article": "article_id", "follow_citations": "article_id"}
        messages = [
            AIMessage("", tool_calls=[{"name": t, "args": {names[t]: a}, "id": f"{n}-{t}-{a}"} for t, a in turn])
            for n, turn in enumerate(self.turns)
        ]
        return CallsTools(messages=iter([*messages, AIMessage("DONE")]))


class WithoutTools(ScriptedModel):
    def with_tools(self):
        return GenericFakeChatModel(messages=iter([AIMessage("I have no tools.")]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


def ask(folder, model, settings=AGENTIC):
    with LegalAgent.open(folder, model=model, settings=settings) as agent:
        return agent.ask(QUESTION)


def gather_step(reply):
    return next(step.detail for step in reply.trace if step.name == "gather")


def test_the_articles_that_the_model_opened_are_the_evidence(folder):
    turns = [[("search", "fireworks age")], [("open_article", ARTICLE), ("follow_citations", ARTICLE)]]
    model = Gathering(turns, answer("No.", (ARTICLE, QUOTE)))
    reply = ask(folder, model)
    assert isinstance(reply, Answer)
    assert gather_step(reply)["opened"] == [ARTICLE]
    assert [call["tool"] for call in gather_step(reply)["calls"]] == ["search", "open_article", "follow_citations"]
    ids = model.requests[0].schema["properties"]["citations"]["items"]["properties"]["id"]["enum"]
    assert ids == [ARTICLE]


def test_a_model_that_opens_nothing_leaves_it_to_retrieval(folder):
    reply = ask(folder, Gathering([], answer("No.", (ARTICLE, QUOTE))))
    assert isinstance(reply, Answer)
    assert gather_step(reply)["opened"] == []
    assert any(step.name == "retrieve" for step in reply.trace)


def test_what_is_not_there_is_said_and_not_opened(folder):
    turns = [[("open_article", "fire-safety-act_999"), ("open_article", "fire-safety-decree_annex-1")]]
    reply = ask(folder, Gathering(turns, answer("No.", (ARTICLE, QUOTE))))
    assert gather_step(reply)["opened"] == []


def test_the_models_turns_and_the_tools_results_are_bounded(folder):
    turns = [[("search", f"fire {n}")] for n in range(50)]
    few = AgentSettings(mode="agentic", max_steps=3)
    reply = ask(folder, Gathering(turns, answer("No.", (ARTICLE, QUOTE))), few)
    assert len(gather_step(reply)["calls"]) == 3
    little = AgentSettings(mode="agentic", max_steps=20, gather_tokens=10)
    reply = ask(folder, Gathering(turns, answer("No.", (ARTICLE, QUOTE))), little)
    assert len(gather_step(reply)["calls"]) == 1


def test_a_model_without_tools_falls_back_and_the_trace_says_so(folder):
    reply = ask(folder, WithoutTools(answer("No.", (ARTICLE, QUOTE))))
    assert isinstance(reply, Answer)
    assert "cannot gather" in gather_step(reply)["fell back"]


def test_a_server_that_refuses_tools_makes_it_fall_back_and_one_that_is_dead_does_not(folder):
    quick = ModelSettings(timeout_s=2, n_retries=0)
    with model_server() as (url, server):
        refusing = open_chat_model(f"{url}#refuses", settings=quick)
        with LegalAgent.open(folder, model=refusing, settings=AGENTIC) as agent:
            case = agent._cases.make(QUESTION, ())
        assert "maximum context length" in next(s.detail["fell back"] for s in case.trace if s.name == "gather")
        assert {tool["function"]["name"] for tool in server.bodies[0]["tools"]} == {
            "search",
            "open_article",
            "follow_citations",
        }
        assert "response_format" not in json.dumps(server.bodies[0])
        failing = open_chat_model(f"{url}#fails", settings=quick)
        with pytest.raises(ServiceUnavailable), LegalAgent.open(folder, model=failing, settings=AGENTIC) as agent:
            agent.ask(QUESTION)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="neither plain nor agentic"):
        AgentSettings(mode="clever")
