"""What can be seen from outside: ids, log lines, counts, spans; and what must not be."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from agent.legal_agent import LegalAgent
from agent.server.limits import ServerSettings
from tests.agent.scripted_model import ScriptedModel
from tests.agent.server.serving import QUESTION, Served, serving, wait_until

SECRET = "Zweigstelle Quellenhof"  # in a question, and nowhere else


def counts_of(served: Served) -> dict[tuple[str, ...], float]:
    page = httpx.get(f"{served.url}/metrics").text
    samples = [one for family in text_string_to_metric_families(page) for one in family.samples]
    return {(one.name, *one.labels.values()): one.value for one in samples if "bucket" not in one.name}


def ask(served: Served, question: str = QUESTION, **options: Any) -> httpx.Response:
    return httpx.post(f"{served.url}/v1/ask", json={"question": question}, timeout=30, **options)


def test_every_reply_carries_an_id_and_keeps_one_that_is_short_and_plain(served):
    made = [ask(served).headers["x-request-id"], httpx.get(f"{served.url}/nowhere").headers["x-request-id"]]
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in made)
    assert made[0] != made[1]
    for given, kept in (("a-1.b_2", True), ("a b", False), ("x" * 65, False)):
        assert (ask(served, headers={"X-Request-Id": given}).headers["x-request-id"] == given) is kept


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/search", "/v1/chat/completions"])
def test_a_request_is_one_log_line_without_what_was_asked(law_index, path):
    with capture_logs() as lines, serving(LegalAgent.open(law_index)) as served:
        if path == "/v1/search":
            response = httpx.get(f"{served.url}{path}", params={"question": SECRET})
        else:
            messages = [{"role": "user", "content": SECRET}]
            body = {"question": SECRET} if path == "/v1/ask" else {"model": "nonliquet", "messages": messages}
            response = httpx.post(f"{served.url}{path}", json=body)
        assert wait_until(lambda: bool(lines))
    (line,) = lines
    assert line["request_id"] == response.headers["x-request-id"]
    assert (line["route"], line["status"]) == (path, 200)
    assert line["ms"] > 0
    assert SECRET not in str(line)


def test_a_fault_is_500_in_the_usual_shape_and_logged_by_its_place_without_its_words(law_index):
    model = ScriptedModel(KeyError(SECRET), KeyError(SECRET))
    logged = capture_logs(processors=[merge_contextvars])
    with logged as lines, serving(LegalAgent.open(law_index, model=model)) as served:
        response = ask(served)
        events = httpx.post(f"{served.url}/v1/ask", json={"question": QUESTION, "stream": True}).text
    assert (response.status_code, response.json()["error"]["type"]) == (500, "internal_error")
    assert "event: error" in events
    assert "internal_error" in events
    faults = [line for line in lines if line["event"] == "fault"]
    assert [one["error"] for one in faults] == ["KeyError"] * 2
    assert all("scripted_model.py" in one["where"] for one in faults)
    assert faults[0]["request_id"] == response.headers["x-request-id"]
    assert SECRET not in f"{lines} {response.text} {events}"


def test_requests_and_replies_are_counted_by_route_status_and_outcome(law_index):
    with serving(LegalAgent.open(law_index), ServerSettings()) as served:
        for question in (QUESTION, QUESTION, "What does Annex 1 to the Act say about riding halls?", " "):
            ask(served, question)
        httpx.get(f"{served.url}/v1/articles/fire-safety-act_1")
        httpx.get(f"{served.url}/v1/articles/nowhere")
        httpx.get(f"{served.url}/one/of/many/paths/that/are/none")
        counts = counts_of(served)
    asked = "nonliquet_requests_total"
    assert counts[asked, "/v1/ask", "200"] == 3
    assert counts[asked, "/v1/ask", "400"] == 1
    assert counts[asked, "/v1/articles/{semantic_id:path}", "200"] == 1
    assert counts[asked, "/v1/articles/{semantic_id:path}", "404"] == 1
    assert counts[asked, "none", "404"] == 1
    assert counts["nonliquet_request_seconds_count", "/v1/ask"] == 4
    assert counts["nonliquet_replies_total", "answer"] == 2
    assert counts["nonliquet_replies_total", "missing_provision"] == 1
    assert counts[("nonliquet_requests_in_flight",)] == 1  # the one that reads the counts


def test_a_span_of_a_request_has_its_outcome_and_not_the_question(law_index):
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the OpenTelemetry SDK is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("opentelemetry.trace.get_tracer_provider", lambda: provider)
        with serving(LegalAgent.open(law_index)) as served:
            ask(served, f"{QUESTION} {SECRET}")
            httpx.get(f"{served.url}/v1/search", params={"question": SECRET})
            ask(served, SECRET, headers={"Content-Type": "text/plain"})
    spans = {span.attributes["http.route"]: span for span in exporter.get_finished_spans()}
    assert spans["/v1/ask"].attributes["http.request.method"] == "POST"
    outcomes = [span.attributes.get("nonliquet.outcome") for span in exporter.get_finished_spans()]
    assert "answer" in outcomes
    assert SECRET not in "".join(span.to_json() for span in exporter.get_finished_spans())
    assert SECRET.replace(" ", "+") not in "".join(span.to_json() for span in exporter.get_finished_spans())
