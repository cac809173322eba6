import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import AgentSettings, LegalAgent
from agent.chat_model import ModelReply, TokenProbability
from agent.recording import model_step, reply_of
from agent.replay import differences, read_trace, replay, trace_of
from agent.reply import Abstention, Answer
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import TraceError
from retrieval.index_build import build_index
from tests.agent.scripted_model import ScriptedModel, answer, judgement

QUESTION = "May fireworks be sold to a person under 16 years of age?"
ARTICLE = "fire-safety-act_13-2"
QUOTE = "Fireworks shall not be sold or given to a person under 16 years of age."
RIGHT = answer("They shall not be sold to a person under 16. [1]", (ARTICLE, QUOTE))
WRONG = answer("They may be sold to anyone over 12. [1]", (ARTICLE, QUOTE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


def asked(folder, *script, question=QUESTION, history=(), settings=None, as_of=None, **model):
    scripted = ScriptedModel(*script, **model) if script else None
    with LegalAgent.open(folder, model=scripted, settings=settings) as agent:
        return agent.ask(question, history=history, as_of=as_of)


def written(reply):
    """Return a reply as it is read back from a file."""
    return json.loads(json.dumps(reply.to_json()))


def same_again(folder, reply):
    trace = trace_of(written(reply), place="t.json")
    again = replay(trace, folder)
    assert differences(trace, again) == []
    assert written(again)["trace"] == written(reply)["trace"]
    return again


@pytest.mark.parametrize(
    "question",
    ["How often must a fire extinguisher be checked?", QUESTION, "Xyzzy plugh?", "Who wrote Hamlet?"],
)
def test_what_the_extractive_reader_said_is_said_again(folder, question):
    same_again(folder, asked(folder, question=question))


def test_a_follow_up_is_read_with_its_history_again(folder):
    reply = asked(folder, question="And under 18?", history=[QUESTION])
    again = same_again(folder, reply)
    assert any(step.name == "follow-up" for step in again.trace)


def test_the_law_of_a_date_is_the_law_of_that_date_again(folder):
    reply = asked(folder, question="May I charge my e-scooter in the stairway?", as_of="2024-01-01")
    again = same_again(folder, reply)
    assert again.edition == "2024-01-01"


def test_the_models_words_are_the_traces_and_no_model_is_asked(folder):
    tokens = (TokenProbability("They", 0.25), TokenProbability(" shall", 1.0))
    reply = asked(folder, ModelReply(RIGHT, True, tokens))
    again = same_again(folder, reply)
    assert isinstance(again, Answer)
    assert again.confidence == reply.confidence > 0


@pytest.mark.parametrize("script", [("…", RIGHT), (WRONG, RIGHT), (WRONG, WRONG), ("…", "…")])
def test_second_tries_and_rewrites_are_replayed(folder, script):
    reply = asked(folder, *script)
    again = same_again(folder, reply)
    assert isinstance(again, Answer) == (script[1] == RIGHT)
    assert [step.name for step in again.trace].count("model") == 2


def test_the_models_own_judgement_is_replayed(folder):
    settings = AgentSettings(self_check=True)
    reply = asked(folder, judgement(False, "the rule", probability=0.9), settings=settings)
    assert isinstance(same_again(folder, reply), Abstention)


def test_a_request_that_was_packed_tighter_is_packed_so_again(folder, monkeypatch):
    monkeypatch.setattr(ScriptedModel, "n_tokens", lambda self, request: len(request.user))
    reply = asked(folder, RIGHT, context_tokens=4000)
    step = next(step.detail for step in reply.trace if step.name == "model")
    assert len(step["counted"]) > 1
    same_again(folder, reply)


def test_articles_that_the_model_opened_are_the_traces(folder):
    opened = {"step": "gather", "calls": [], "tokens": 0, "opened": ["fire-safety-act_32", ARTICLE]}
    record = written(asked(folder, RIGHT))
    for step in record["trace"]:
        if step["step"] == "asked":
            step["settings"]["mode"] = "agentic"
    record["trace"].insert(0, opened)
    again = replay(trace_of(record, place="t.json"), folder)
    packed = next(step.detail["articles"] for step in again.trace if step.name == "pack")
    assert list(packed)[:2] == ["fire-safety-act_32", ARTICLE]


def test_other_words_of_the_model_make_a_difference_that_is_said(folder):
    record = written(asked(folder, RIGHT))
    for step in record["trace"]:
        if step["step"] == "model":
            step["reply"]["text"] = answer("They shall not be given to a person under 16. [1]", (ARTICLE, QUOTE))
    trace = trace_of(record, place="t.json")
    (difference,) = differences(trace, replay(trace, folder))
    assert difference.startswith("text: was")
    assert "given to a person under 16" in difference


def test_another_index_is_an_error_that_names_both(folder, golden_index):
    trace = trace_of(written(asked(folder)), place="t.json")
    with LegalAgent.open(golden_index) as other:
        theirs = other.retriever.index.manifest.content_hash
    with pytest.raises(TraceError, match=f"{trace.index}.*{theirs}"):
        replay(trace, golden_index)


def test_steps_that_ask_for_more_than_the_model_said_are_an_error(folder):
    trace = trace_of(written(asked(folder, WRONG, RIGHT)), place="t.json")
    with pytest.raises(TraceError, match="more often"):
        replay(replace(trace, replies=trace.replies[:1]), folder)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"question": "?", "trace": []}', '{"question": "?", "trace": [{"step": "asked"}]}', "7"]
)
def test_what_is_no_trace_is_an_error_that_names_the_file(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TraceError, match=r"t\.json.*ask --json"):
        read_trace(path)


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(TraceError, match=r"nothing\.json"):
        read_trace(tmp_path / "nothing.json")


@given(
    st.builds(
        ModelReply,
        text=st.text(),
        complete=st.booleans(),
        tokens=st.lists(st.builds(TokenProbability, token=st.text(), probability=st.floats(0, 1))).map(tuple),
    ),
    st.lists(st.none() | st.integers(0, 10**6)),
)
def test_a_reply_is_read_back_as_it_was_recorded(reply, counted):
    recorded = json.loads(json.dumps(model_step(reply, prompt="answer.en v2", counted=counted).to_json()))
    assert reply_of(recorded["reply"]) == reply
    assert recorded["counted"] == counted


def test_what_ask_prints_is_a_trace_and_the_command_says_that_it_comes_out_the_same(nonliquet, folder, tmp_path):
    printed = nonliquet("ask", QUESTION, "--index", folder, "--json")
    path = tmp_path / "t.json"
    path.write_text(printed.stdout, encoding="utf-8")
    run = nonliquet("replay", path, "--index", folder)
    assert run.exit_code == 0
    assert "The same decision" in run.stdout
    record = json.loads(nonliquet("replay", path, "--index", folder, "--json").stdout)
    assert record["same"] is True
    assert record["reply"]["citations"] == json.loads(printed.stdout)["citations"]


def test_a_difference_is_printed_with_exit_code_1_and_so_is_another_index(nonliquet, folder, golden_index, tmp_path):
    record = json.loads(nonliquet("ask", QUESTION, "--index", folder, "--json").stdout)
    path = tmp_path / "t.json"
    path.write_text(json.dumps({**record, "text": "Something else."}), encoding="utf-8")
    run = nonliquet("replay", path, "--index", folder)
    assert run.exit_code == 1
    assert 'text: was "Something else."' in run.stdout
    other = nonliquet("replay", path, "--index", golden_index)
    assert other.exit_code == 1
    assert "name the index it was made with" in other.stderr
