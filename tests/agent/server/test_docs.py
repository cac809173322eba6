"""Runs the Python and the addresses that docs/http.md shows, against a server."""

from __future__ import annotations

import re
import shlex

import httpx
import pytest

from tests.agent.server.serving import ARTICLE, QUESTION
from tests.conftest import ROOT

GUIDE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
CURL = re.findall(r"^curl .*$", GUIDE, re.MULTILINE)
ADDRESS = "http://127.0.0.1:8080"


@pytest.mark.parametrize("code", PYTHON)
def test_python_code_in_the_guide_runs(served, capsys, code):
    assert ADDRESS in code
    exec(compile(code.replace(ADDRESS, served.url), "docs/http.md", "exec"), {})
    printed = capsys.readouterr().out
    assert served.agent.ask(QUESTION).text in printed
    assert ARTICLE in printed


@pytest.mark.parametrize("line", CURL)
def test_what_the_guide_asks_by_curl_is_answered(served, line):
    words = shlex.split(line.replace(ADDRESS, served.url))
    url = next(word for word in words if word.startswith("http"))
    if "--json" in words:
        response = httpx.post(
            url, content=words[words.index("--json") + 1], headers={"Content-Type": "application/json"}
        )
    else:
        response = httpx.get(url, params=dict(word.split("=", 1) for word in words if "=" in word))
    assert response.status_code == 200
    assert ARTICLE in response.text


def test_the_guide_names_every_route(served):
    paths = httpx.get(f"{served.url}/openapi.json").json()["paths"]
    assert all(f"{path}`" in GUIDE for path in paths if path.startswith(("/v1", "/healthz", "/metrics")))
