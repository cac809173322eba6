from __future__ import annotations

import io
import re

from rich.console import Console

from agent import progress as module


def shown(monkeypatch, *, with_rate: bool) -> str:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=200, color_system=None)
    monkeypatch.setattr(module, "Console", lambda **settings: terminal)
    with module.build_progress(with_rate=with_rate) as progress:
        for done in range(5):
            progress("asking", done, 4)
    return screen.getvalue()


def test_a_long_run_shows_its_rate_and_when_it_will_end(monkeypatch):
    words = shown(monkeypatch, with_rate=True)
    assert re.search(r"asking .*4/4 .*\d+\.\d/s left 0:00:00", words)


def test_a_build_shows_neither(monkeypatch):
    words = shown(monkeypatch, with_rate=False)
    assert "4/4" in words
    assert "/s" not in words
