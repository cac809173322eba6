"""The OpenAPI description: complete, and kept by what the server does with whatever is sent."""

from __future__ import annotations

import os
from typing import Any

import httpx
import pytest

from tests.agent.server.serving import Served

N_EXAMPLES = int(os.environ.get("NONLIQUET_TEST_N_EXAMPLES", "15"))  # of each operation


@pytest.fixture(scope="module")
def schema(served: Served) -> dict[str, Any]:
    described: dict[str, Any] = httpx.get(f"{served.url}/openapi.json").json()
    return described


def operations(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {f"{verb} {path}": one for path, item in schema["paths"].items() for verb, one in item.items()}
    return {name: one for name, one in found.items() if "/v1/" in name or name in ("get /healthz", "get /metrics")}


def test_every_operation_is_described_with_its_errors_in_one_shape(schema):
    found = operations(schema)
    assert {
        "post /v1/chat/completions",
        "get /v1/models",
        "post /v1/ask",
        "get /v1/search",
        "get /v1/articles/{semantic_id}",
        "get /v1/neighbourhood/{semantic_id}",
        "get /healthz",
        "get /metrics",
    } <= set(found)
    for name, one in found.items():
        assert one["summary"], name
        assert one["responses"]["200"]["content"], name
        errors = {status: response for status, response in one["responses"].items() if status != "200"}
        assert "422" not in errors, name
        assert "4XX" in errors, name
        for response in errors.values():
            assert response["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorBody"), name
    for name in ("post /v1/chat/completions", "post /v1/ask"):
        assert {"400", "401", "413", "503"} <= set(found[name]["responses"])
        assert "text/event-stream" in found[name]["responses"]["200"]["content"]
        assert found[name]["security"]


def test_whatever_is_sent_gets_what_is_described_and_no_500(served):
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
    described = schemathesis.openapi.from_url(f"{served.url}/openapi.json")
    n_tried = 0
    for result in described.get_all_operations():

        @given(case=result.ok().as_strategy())
        @settings(
            max_examples=N_EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def keeps_its_description(case: Any) -> None:
            nonlocal n_tried
            n_tried += 1
            case.call_and_validate(checks=checks)

        keeps_its_description()
    assert n_tried >= N_EXAMPLES
