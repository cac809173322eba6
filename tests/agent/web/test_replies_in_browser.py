"""How the page shows replies that this law does not bring about, as a server would send them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.reply import (
    Abstention,
    AbstentionKind,
    Answer,
    Check,
    Citation,
    MissingProvision,
    Note,
    NoteKind,
    NotInForce,
    Reply,
    Step,
)
from tests.agent.server.serving import ARTICLE, QUOTE, Served

OpenPage = Callable[..., Any]
CITATION = Citation(ARTICLE, 0, "Fire Safety Act", "Article 13-2", QUOTE, 0, len(QUOTE), Check.REPAIRED)
ANSWER = Answer(
    question="May they be sold?",
    text="No, not to the young [1].",
    citations=(CITATION,),
    language="en",
    confidence=0.5,
    calibration="P(wrong) ≤ 0.05",
    notes=(Note(NoteKind.FACTS, "It depends on the age."),),
    trace=(Step("gather", {"fell back": "to plain retrieval, as the model cannot gather"}),),
)
ABSTENTION = Abstention(
    question="May they be sold?", kind=AbstentionKind.OUT_OF_SCOPE, text="The reason.", language="en"
)
MISSING = MissingProvision(
    "fire-safety-rule_annex-2", "Fire Safety Rule", "Annex 2", "", "fire-safety-rule_8", "See it."
)
GONE = NotInForce("fire-safety-act_9", "Fire Safety Act", "Article 9", "Lamps", True, "2020-01-01")


def answered_with(page: Any, event: str, data: Any) -> Any:
    """Ask, and let the server answer with one event; return what is shown."""
    body = f"event: {event}\r\ndata: {json.dumps(data)}\r\n\r\n"
    page.route("**/v1/ask", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.fill("#question", "May they be sold?")
    page.press("#question", "Enter")
    shown = page.locator(".turn:last-child .reply:not(.coming)")
    shown.wait_for()
    page.unroute("**/v1/ask")
    return shown


def test_what_fell_back_was_repaired_and_is_calibrated_is_said(served: Served, open_page: OpenPage):
    shown = answered_with(open_page(served.url), "reply", ANSWER.to_json())
    assert "Done in another way than asked: to plain retrieval" in shown.locator(".fell-back").inner_text()
    assert shown.locator(".sure").inner_text() == "Confidence 0.50 · P(wrong) ≤ 0.05"
    assert "quote moved to the nearest words" in shown.locator(".sources").inner_text()
    assert shown.locator(".note").inner_text() == "It depends on the age."


@pytest.mark.parametrize("kind", list(AbstentionKind))
def test_every_kind_of_abstention_has_its_card(
    served: Served, open_page: OpenPage, screenshots: Path, kind: AbstentionKind
):
    reply: Reply = replace(
        ABSTENTION,
        kind=kind,
        missing=(MISSING,) if kind is AbstentionKind.MISSING_PROVISION else (),
        not_in_force=(GONE,) if kind is AbstentionKind.REPEALED_OR_NOT_IN_FORCE else (),
        found=(CITATION, CITATION),
    )
    page = open_page(served.url)
    shown = answered_with(page, "reply", reply.to_json())
    page.screenshot(path=screenshots / f"{kind}.png")
    assert shown.locator("h3").inner_text() not in ("", kind)
    assert "The reason." in shown.inner_text()
    assert ("repealed, 2020-01-01" in shown.inner_text()) == (kind is AbstentionKind.REPEALED_OR_NOT_IN_FORCE)
    assert ("Missing:" in shown.inner_text()) == (kind is AbstentionKind.MISSING_PROVISION)
    assert ("The two provisions" in shown.inner_text()) == (kind is AbstentionKind.CONFLICTING_PROVISIONS)


def test_an_error_is_shown_in_the_servers_words_and_the_question_can_be_asked_again(
    served: Served, open_page: OpenPage
):
    page = open_page(served.url)
    shown = answered_with(page, "error", {"error": {"message": "the model server is down"}})
    assert "the model server is down" in shown.inner_text()
    shown.get_by_role("button", name="Ask again").click()
    page.locator(".turn:last-child .footing").wait_for()  # by the real server
    assert page.locator(".turn").count() == 1


def test_a_stream_that_breaks_off_shows_nothing_of_it(served: Served, open_page: OpenPage):
    shown = answered_with(open_page(served.url), "draft", {"text": "They may be sold freely."})
    assert "broke off before it could be checked" in shown.inner_text()
    assert "sold freely" not in shown.inner_text()
