"""The page as people use it, in Chromium: ask, watch, open what is cited, be told what is missing."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.chat_model import ModelRequest
from agent.legal_agent import LegalAgent
from agent.server.limits import ServerSettings
from graph.corpus import read_corpus
from retrieval.index_build import build_index
from tests.agent.scripted_model import ScriptedModel, answer
from tests.agent.server.serving import ARTICLE, QUESTION, QUOTE, Served, serving

OpenPage = Callable[..., Any]
ANSWERED = "How often must a portable extinguisher be looked at?"
MARKED = "1. look once a month at every portable extinguisher, its seal and its pressure gauge;"
ABSTAINED = "Which items are on the checklist for self-inspection?"
GRAVE = ("serious", "critical")
FIRST, SECOND = "They shall not be sold to a person under 16 years of age [1].", "They shall not be given to one [1]."


class GatedModel(ScriptedModel):
    """Writes half of what it says, and the rest when the gate opens."""

    def __init__(self, *script: str) -> None:
        super().__init__(*script)
        self.gate = threading.Event()

    async def astream(self, request: ModelRequest) -> AsyncIterator[str]:
        text = self.complete(request).text
        half = text.index(SECOND) + 10
        yield text[:half]
        while not self.gate.is_set():
            await asyncio.sleep(0.02)
        yield text[half:]


@pytest.fixture
def gated(law_index: Path) -> Iterator[tuple[Served, GatedModel]]:
    model = GatedModel(answer(f"{FIRST} {SECOND}", (ARTICLE, QUOTE)))
    with serving(LegalAgent.open(law_index, model=model)) as served:
        yield served, model
        model.gate.set()


def ask(page: Any, question: str) -> Any:
    """Ask, and return the reply once it is whole."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    reply = page.locator(".turn:last-child .reply")
    reply.locator(".footing").wait_for()
    return reply


@contextmanager
def pictured(page: Any, folder: Path, name: str) -> Iterator[None]:
    yield
    page.wait_for_timeout(200)
    page.screenshot(path=folder / f"{name}.png")


def test_an_answer_opens_the_article_with_the_quoted_words_marked(
    served: Served, open_page: OpenPage, screenshots: Path
):
    page = open_page(served.url)
    reply = ask(page, ANSWERED)
    with pictured(page, screenshots, "answer"):
        reply.get_by_role("button", name="Citation 2: Fire Safety Rule, Article 8").click()
        page.locator("aside .picture svg").wait_for()
    assert page.locator("aside mark").all_text_contents() == [MARKED]
    assert page.locator("aside h2").inner_text().split("\n") == [
        "Fire Safety Rule",
        "Article 8 · Method of self-inspection",
    ]
    assert page.locator("aside .picture g[data-id='fire-safety-decree_17'][role=link]").count() == 1
    assert re.fullmatch(r"Confidence [01]\.\d\d · uncalibrated", reply.locator(".sure").inner_text())


def test_citations_in_an_article_lead_on_and_back(served: Served, open_page: OpenPage):
    page = open_page(served.url)
    ask(page, ANSWERED).locator(".source").first.click()
    page.get_by_role("link", name="Article 17(4) of the Decree").click()
    page.locator("aside h2", has_text="Article 17").wait_for()
    page.get_by_role("button", name="Back").click()
    page.locator("aside h2", has_text="Article 8").wait_for()
    page.locator("aside .picture g[data-id='fire-safety-rule_annex-2']").click()
    page.locator("aside h2", has_text="Annex 2").wait_for()
    assert "not among the sources" in page.locator("aside p.note").inner_text()


def test_an_abstention_says_what_is_missing_and_opens_who_sends_there(
    served: Served, open_page: OpenPage, screenshots: Path
):
    page = open_page(served.url)
    reply = ask(page, ABSTAINED)
    assert reply.locator("h3").inner_text() == "The provision that answers this is not at hand"
    assert (
        "Fire Safety Rule, Annex 2 (Checklists for self-inspection (Article 8))"
        in reply.locator(".absent").first.inner_text()
    )
    with pictured(page, screenshots, "abstention"):
        reply.get_by_role("button", name="Fire Safety Rule, Article 8", exact=True).first.click()
        page.locator("aside .picture svg").wait_for()
    marked = "".join(page.locator("aside mark").all_text_contents())
    assert marked == reply.locator(".absent blockquote").first.inner_text()
    reply.get_by_text("Why this reply?").click()
    assert "leaves what is asked to a provision not at hand" in reply.locator(".because").inner_text()


def test_words_are_shown_as_they_are_written_and_the_answer_when_it_has_been_checked(
    gated: tuple[Served, GatedModel], open_page: OpenPage, screenshots: Path
):
    served, model = gated
    page = open_page(served.url)
    with pictured(page, screenshots, "streaming"):
        page.fill("#question", QUESTION)
        page.press("#question", "Enter")
        page.locator(".coming .words").wait_for()
    assert page.locator(".coming .words").inner_text().strip() == FIRST
    assert page.locator("#send").inner_text() == "Stop"
    model.gate.set()
    page.locator(".footing").wait_for()
    assert re.sub(r"\s+", " ", page.locator(".answer .words").inner_text()) == re.sub(
        r"[\[\]]", "", f"{FIRST} {SECOND}"
    )


def test_an_answer_can_be_stopped_and_asked_for_again(gated: tuple[Served, GatedModel], open_page: OpenPage):
    served, _ = gated
    page = open_page(served.url)
    page.fill("#question", QUESTION)
    page.press("#question", "Enter")
    page.locator(".coming .words").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("You stopped this answer.").first.wait_for()
    assert page.locator(".failed").get_by_role("button", name="Ask again").is_visible()


def test_a_follow_up_is_read_after_the_question_before_it(served: Served, open_page: OpenPage):
    page = open_page(served.url)
    ask(page, "How many storeys make a high-rise building?")
    reply = ask(page, "And more than how many metres?")
    assert "more than 31 metres" in reply.inner_text()
    page.get_by_role("button", name="New conversation").click()
    assert page.locator(".turn").count() == 0
    assert page.evaluate("document.activeElement.id") == "question"


def test_the_page_speaks_another_language_and_remembers_it(served: Served, open_page: OpenPage, screenshots: Path):
    page = open_page(served.url)
    reply = ask(page, ABSTAINED)
    with pictured(page, screenshots, "korean"):
        page.select_option("#language", "ko")
        page.locator("h3", has_text="답이 담긴 규정을 보유하고 있지 않습니다").wait_for()
    assert page.evaluate("document.documentElement.lang") == "ko"
    assert reply.locator("p.words").get_attribute("lang") == "en"
    page.reload()
    page.get_by_role("button", name="질문").wait_for()


def test_the_keyboard_is_enough(served: Served, open_page: OpenPage):
    page = open_page(served.url)
    page.keyboard.type(ANSWERED)  # the question has the focus
    page.keyboard.press("Enter")
    page.locator(".footing").wait_for()
    chip = page.locator(".chip").first
    chip.focus()
    page.keyboard.press("Enter")
    page.locator("aside mark").first.wait_for()
    assert page.evaluate("document.activeElement.id") == "article"
    page.keyboard.press("Escape")
    assert page.locator("aside").is_hidden()
    assert chip.evaluate("one => one === document.activeElement")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.press("ArrowUp")
    assert page.input_value("#question") == ANSWERED


def test_a_syllable_that_is_being_composed_is_not_sent(served: Served, open_page: OpenPage):
    page = open_page(served.url)
    page.fill("#question", "소방")
    page.evaluate(
        "document.getElementById('question').dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    assert page.locator(".turn").count() == 0


def test_a_conversation_is_saved_as_markdown_with_its_citations(served: Served, open_page: OpenPage):
    page = open_page(served.url)
    ask(page, ANSWERED)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as Markdown").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert download.value.suggested_filename.endswith(".md")
    assert saved.startswith(f"## {ANSWERED}\n")
    assert "[2] **Fire Safety Rule, Article 8** (`fire-safety-rule_8`)" in saved


def test_a_server_with_a_key_is_asked_with_it(law_index: Path, browser: Any):
    with serving(LegalAgent.open(law_index), ServerSettings(api_key="secret")) as served:
        page = browser.new_page()  # what it is refused stands in its console
        page.goto(served.url)
        page.get_by_label("Key", exact=True).fill("secret")
        page.keyboard.press("Enter")
        assert ask(page, ANSWERED).locator(".chip").count() > 0
        page.close()


def test_what_a_statute_says_is_text_and_nothing_else(tmp_path: Path, open_page: OpenPage):
    hostile = "Lamp keepers must light the <b class='smuggled' onclick='close()'>lamp</b> within 5 minutes."
    law = tmp_path / "law.md"
    law.write_text(
        "---\ntitle: Lamp Act\nlevel: Act\ncollection: Lamp Act\nlanguage: en\neffective: 2022-01-01\n---\n\n"
        f"# Lamp Act\n\n##### Article 1 (Lamps)\n\n{hostile}\n",
        encoding="utf-8",
    )
    build_index(read_corpus([law]), tmp_path / "index")
    with serving(LegalAgent.open(tmp_path / "index")) as served:
        page = open_page(served.url)
        reply = ask(page, "Within how many minutes must lamp keepers light the lamp?")
        reply.locator(".source").first.click()
        page.locator("aside .statute").wait_for()
        assert hostile in page.locator("aside .statute").inner_text()
        assert hostile in reply.inner_text()
        assert page.locator(".smuggled").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_no_serious_fault_and_nothing_is_wider_than_the_window(
    served: Served, open_page: OpenPage, axe: str, screenshots: Path, width: int, scheme: str
):
    page = open_page(served.url, width=width, height=850 if width > 400 else 740, scheme=scheme)

    def check(name: str) -> None:
        page.wait_for_timeout(200)
        page.screenshot(path=screenshots / f"{name}-{scheme}-{width}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate(axe)
        faults = page.evaluate("axe.run()")["violations"]
        told = [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults if one["impact"] in GRAVE]
        assert told == []

    check("welcome")
    ask(page, ANSWERED)
    reply = ask(page, ABSTAINED)
    for fold in reply.locator("summary").all():
        fold.click()
    check("conversation")
    reply.locator(".sender button").first.click()
    page.locator("aside .picture svg").wait_for()
    check("article")
