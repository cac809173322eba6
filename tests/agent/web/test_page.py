"""The page's routes, without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from agent.legal_agent import LegalAgent
from agent.reply_markdown import reply_markdown
from agent.server.app import create_app
from agent.server.limits import ServerSettings

STATIC = Path(__file__).parents[3] / "agent" / "web" / "static"
ANSWERED = "How many storeys make a high-rise building?"
ABSTAINED = "Which items are on the checklist for self-inspection?"


@pytest.fixture(scope="module")
def client(law_index: Path) -> Iterator[TestClient]:
    with TestClient(create_app(LegalAgent.open(law_index)), base_url="http://127.0.0.1") as client:
        yield client


def test_the_page_may_run_its_own_files_alone(client: TestClient):
    page = client.get("/")
    assert page.status_code == 200
    policy = dict(one.split(" ", 1) for one in page.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "connect-src")} == {"'self'"}
    assert "<script>" not in page.text
    assert " style=" not in page.text


def test_what_the_page_links_is_there(client: TestClient):
    linked = re.findall(r'(?:src|href)="([^"#]+)"', client.get("/").text)
    assert len(linked) == 4
    for path in linked:
        assert client.get(f"/{path}").status_code == 200


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.iterdir()))
def test_files_are_taken_for_nothing_but_what_they_are(client: TestClient, name: str):
    file = client.get(f"/page/{name}")
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    assert file.headers["content-type"].startswith(kinds[Path(name).suffix])
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/page/../page.py", "/page/%2e%2e/page.py", "/page/texts/..%2f..%2fexport.py"])
def test_nothing_beside_them_can_be_read(client: TestClient, path: str):
    assert client.get(path).status_code == 404


def test_the_page_is_told_what_it_answers_from(client: TestClient):
    told = client.get("/page/about").json()
    assert sorted(told["laws"]) == [
        "Fire Equipment Notice",
        "Fire Safety Act",
        "Fire Safety Decree",
        "Fire Safety Rule",
    ]
    assert told["articles"] == 93
    assert (told["encoder"], told["model"], told["edition"]) == (None, None, None)
    assert told["for_replay"] == ["asked", "model"]


def test_another_law_has_no_examples_of_the_built_in_one(golden_index: Path):
    with TestClient(create_app(LegalAgent.open(golden_index)), base_url="http://127.0.0.1") as client:
        assert client.get("/page/about").json()["examples"] == []


def test_a_conversation_as_markdown_is_each_reply_under_its_question(client: TestClient, law_index: Path):
    with LegalAgent.open(law_index) as agent:
        replies = agent.batch([ANSWERED, ABSTAINED])
    assert [reply.abstained for reply in replies] == [False, True]
    sent = client.post("/page/markdown", json=[{**reply.to_json(), "trace": []} for reply in replies])
    assert sent.headers["content-type"].startswith("text/markdown")
    assert sent.text == "\n".join(f"## {reply.question}\n\n{reply_markdown(reply)}" for reply in replies)


def test_an_abstention_without_its_kind_is_refused(client: TestClient, law_index: Path):
    with LegalAgent.open(law_index) as agent:
        body = {**agent.ask(ABSTAINED).to_json(), "kind": None, "trace": []}
    refused = client.post("/page/markdown", json=[body])
    assert refused.status_code == 400
    assert ABSTAINED in refused.json()["error"]["message"]


def test_with_a_key_the_page_opens_and_what_comes_of_the_index_does_not(law_index: Path):
    app = create_app(LegalAgent.open(law_index), ServerSettings(api_key="secret"))
    with TestClient(app) as client:
        assert client.get("/").status_code == client.get("/page/page.js").status_code == 200
        assert client.get("/page/about").status_code == client.post("/page/markdown", json=[]).status_code == 401
        assert client.get("/page/about", headers={"Authorization": "Bearer secret"}).status_code == 200
