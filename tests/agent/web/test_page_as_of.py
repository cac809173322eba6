"""The law as of a date: what a reply cites is opened as it was worded then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from agent.legal_agent import LegalAgent
from agent.server.app import create_app
from graph.corpus import read_corpus
from retrieval.index_build import build_index
from tests.agent.server.serving import serving
from tests.law_history import LawHistory, law_text

QUESTION = "등대지기는 언제 등을 켜야 하는가?"
OLD = "등대지기는 해가 지기 전에 등을 켜야 한다."
NEW = "등대지기는 오후 여섯 시에 등을 켜야 한다."
ARTICLE = "/v1/articles/등대법_1조"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Of the latest edition."""
    history = LawHistory(tmp_path / "law")
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", f"1 {OLD}", "2 등대는 바다에 둔다.")})
    history.commit("2015-01-01", {"법률.md": law_text("2015-07-01", f"1 {NEW}", "2 등대는 바다에 둔다.")})
    build_index(read_corpus([history.path]), tmp_path / "index")
    return tmp_path / "index"


def test_an_article_and_its_picture_come_from_the_edition_that_is_asked_for(index: Path):
    agent = LegalAgent.open(index)
    with TestClient(create_app(agent), base_url="http://127.0.0.1") as client:
        refused = client.get(ARTICLE, params={"as_of": "2012-01-01"})
        assert refused.status_code == 400
        assert "--as-of 2012-01-01" in refused.json()["error"]["message"]
        agent.edition("2012-01-01")
        assert client.get(ARTICLE, params={"as_of": "2012-01-01"}).json()["text"] == OLD
        assert client.get(ARTICLE).json()["text"] == NEW
        picture = client.get("/v1/neighbourhood/등대법_1조", params={"as_of": "2012-01-01", "language": "ko"})
        assert "등대법_1조의 인용 관계" in picture.text


def test_the_page_marks_the_words_of_the_edition_that_answered(index: Path, open_page: Callable[..., Any]):
    agent = LegalAgent.open(index)
    agent.edition("2012-01-01")
    with serving(agent) as served:
        page = open_page(served.url)
        page.fill("#as-of", "2012-01-01")
        page.fill("#question", QUESTION)
        page.press("#question", "Enter")
        page.locator(".chip").first.click()
        page.locator("aside mark").first.wait_for()
        assert page.locator("aside .statute").inner_text() == OLD
        assert "law as of 2012-01-01" in page.locator(".sure").inner_text()
