"""The page that describes the routes, on a machine without a network."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import httpx

from tests.agent.server.serving import Served


def test_the_page_asks_no_other_host_and_all_that_it_asks_for_is_here(served: Served):
    page = httpx.get(f"{served.url}/docs").text
    assert "SwaggerUIBundle(" in page
    assert "://" not in page
    wanted = re.findall(r"(?:src|href)=\"([^\"]+)\"|url: '([^']+)'", page)
    places = [attribute or setting for attribute, setting in wanted]
    assert [place.rpartition(".")[2] for place in places] == ["css", "png", "js", "json"]
    for place in places:
        response = httpx.get(urljoin(f"{served.url}/docs", place))
        assert response.status_code == 200, place
        assert len(response.content) > 1000


def test_the_page_has_no_validator_of_elsewhere_judge_the_description(served: Served):
    assert '"validatorUrl": null' in httpx.get(f"{served.url}/docs").text


def test_there_is_one_page_of_the_kind(served: Served):
    assert httpx.get(f"{served.url}/redoc").status_code == 404
