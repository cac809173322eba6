"""--model, --mode and --self-check, against a server on this machine."""

import json

import pytest

from agent.model_server.running import remembered, running_server
from graph.errors import ServiceUnavailable
from tests.agent.model_server import model_server

QUESTION = "등대지기는 언제 등을 켜야 하나요?"


def test_a_model_whose_citations_are_none_of_the_context_leaves_no_answer(nonliquet, golden_index):
    with model_server() as (url, _):
        result = nonliquet("ask", QUESTION, "--index", golden_index, "--model", f"{url}#good", "--json")
    reply = json.loads(result.stdout)
    assert reply["kind"] == "unverified_answer"
    assert "'a_1', which is not in the context" in json.dumps(reply["trace"], ensure_ascii=False)
    assert result.exit_code == 3


def test_a_dead_model_server_is_one_line_and_exit_1(nonliquet, golden_index):
    with model_server() as (url, _):
        pass
    result = nonliquet("ask", QUESTION, "--index", golden_index, "--model", url)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "does not answer" in result.stderr


@pytest.mark.parametrize("options", [["--mode", "agentic"], ["--self-check"]])
def test_what_only_a_model_can_do_without_one_is_wrong_usage(nonliquet, golden_index, options):
    result = nonliquet("ask", QUESTION, "--index", golden_index, *options)
    assert result.exit_code == 2
    assert "--model" in result.stderr


def test_serve_is_the_server_that_runs_here(nonliquet, golden_index):
    with model_server() as (url, server):
        with remembered(f"{url}"):
            assert running_server() == url
            nonliquet("ask", QUESTION, "--index", golden_index, "--model", "serve")
        assert server.n_requests["good"] > 0
        with pytest.raises(ServiceUnavailable, match="nonliquet serve-model"):
            running_server()


def test_a_server_that_is_gone_is_said_to_be():
    with model_server() as (url, _):
        pass
    with remembered(url), pytest.raises(ServiceUnavailable, match="any more"):
        running_server()


def test_the_key_in_the_environment_is_shown_to_the_server(nonliquet, golden_index, monkeypatch):
    monkeypatch.setenv("NONLIQUET_MODEL_API_KEY", "open sesame")
    with model_server() as (url, server):
        nonliquet("ask", QUESTION, "--index", golden_index, "--model", f"{url}#good")
    assert server.keys == {"Bearer open sesame"}


def test_a_model_that_cannot_gather_is_said_on_stderr_and_the_question_is_dealt_with_all_the_same(
    nonliquet, golden_index
):
    options = ["--index", golden_index, "--mode", "agentic", "--json"]
    with model_server() as (url, _):
        result = nonliquet("ask", QUESTION, *options, "--model", f"{url}#no-tools")
    assert "note: fell back to plain retrieval" in result.stderr
    assert "tool" in result.stderr
    assert json.loads(result.stdout)["kind"] == "unverified_answer"
