"""A browser, where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="nonliquet[web] is not installed")

from tests.conftest import ROOT

_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")

OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium, without a window; not longer than a module, as its event loop keeps others from having one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("NONLIQUET_TEST_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        pytest.skip(f"there is no Chromium: none of {', '.join(_BROWSERS)}, and no $NONLIQUET_TEST_CHROMIUM")
    with playwright.sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=program, args=_FLAGS.split(), locale="en-GB"
        )
        yield context
        context.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """Open a URL in a tab of its own; what its console complains of fails the test."""
    tabs: list[Any] = []
    complaints: list[str] = []

    def open_one(url: str, *, width: int = 1280, height: int = 850, scheme: str = "light") -> Any:
        tab = browser.new_page()
        tabs.append(tab)
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        tab.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(url)
        tab.evaluate("localStorage.clear()")
        tab.locator("#about:not(:empty)").wait_for()
        return tab

    yield open_one
    for tab in tabs:
        tab.close()
    assert complaints == []


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where pictures are left: $NONLIQUET_SCREENSHOTS, if it is set."""
    folder = Path(os.environ.get("NONLIQUET_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker's code."""
    installed = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    path = Path(os.environ.get("NONLIQUET_AXE") or installed)
    if not path.is_file():
        pytest.skip("axe-core is not here: npm install axe-core, or $NONLIQUET_AXE with the path of axe.min.js")
    return path.read_text(encoding="utf-8")
