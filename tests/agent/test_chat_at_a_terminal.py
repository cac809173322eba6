"""`nonliquet chat` in a process of its own at a pseudo-terminal: keys in, what a screen would show out."""

from __future__ import annotations

import codecs
import os
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agent.model_server import model_server
from tests.conftest import ROOT

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")
pytest.importorskip("readline", reason="this Python has no readline")

CTRL_C, CTRL_D, UP, TAB, ENTER = "\x03", "\x04", "\x1b[A", "\t", "\r"
QUESTION = "등대지기는 언제 등을 켜야 하는가?"


class Terminal:
    """A process at a terminal. `shown` is all that it wrote so far."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self.shown = ""
        self._screen = screen
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._seen = 0  # characters of `shown` that a test has waited for

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def until(self, words: str, timeout_s: float = 60) -> str:
        """Wait for words that were not waited for yet, and return what was shown up to them."""
        end = time.monotonic() + timeout_s
        while (place := self.shown.find(words, self._seen)) < 0:
            if not select.select([self._screen], [], [], max(end - time.monotonic(), 0))[0] or not self._read():
                pytest.fail(f"{words!r} is not shown after {self.shown[self._seen :]!r}")
        before, self._seen = self.shown[self._seen : place], place + len(words)
        return before

    def _read(self) -> bool:
        """Read what there is; return whether anybody can still write more."""
        try:
            self.shown += self._decoder.decode(os.read(self._screen, 65536))
        except OSError:  # so Linux says that the other end is closed
            return False
        return True

    def leave(self) -> None:
        """Type Ctrl-D, and wait for the process to end well."""
        self.type(CTRL_D)
        assert self.process.wait(timeout=60) == 0
        assert "Traceback" not in self.shown


@contextmanager
def terminal(state: Path, *arguments: object) -> Iterator[Terminal]:
    """Run `nonliquet chat` at a terminal of its own, and wait for its first prompt."""
    screen, end = pty.openpty()

    def take_terminal() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs in the background ignores it, and so would its child
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    command = [sys.executable, "-m", "agent", "chat", *map(str, arguments)]
    names = ("COLUMNS", "LINES", "NO_COLOR", "INPUTRC")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"TERM": "xterm", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": str(state), "INPUTRC": os.devnull}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=end,
        stdout=end,
        stderr=end,
        env=environment,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(end)
    try:
        shown = Terminal(process, screen)
        shown.until("Ctrl-D leaves.")
        shown.until("> ")
        yield shown
    finally:
        process.kill()
        process.wait()
        os.close(screen)


def test_ctrl_c_stops_an_answer_and_not_the_program(golden_index: Path, tmp_path: Path):
    with model_server() as (url, server), terminal(tmp_path, "--index", golden_index, "--model", f"{url}#late") as chat:
        chat.type(QUESTION + ENTER)
        until = time.monotonic() + 60
        while not server.n_requests.get("late") and time.monotonic() < until:
            time.sleep(0.05)
        chat.type(CTRL_C)
        chat.until("> ", timeout_s=2.5)  # before the model says anything, which takes it three seconds
        chat.type("/why" + ENTER)
        chat.until("Nothing has been asked yet.")
        chat.until("> ")
        chat.leave()
        assert server.n_requests == {"late": 1}


@pytest.fixture(scope="module")
def chat(golden_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """One chat for several tests, each of which leaves it at a prompt; it remembers nothing for later."""
    state = tmp_path_factory.mktemp("state")
    with terminal(state, "--index", golden_index, "--no-history") as shown:
        yield shown
        shown.leave()
    assert list(state.iterdir()) == []


def test_ctrl_c_drops_the_line_being_typed(chat: Terminal):
    chat.type("/hel")
    chat.until("/hel")
    time.sleep(0.5)  # Python's readline heeds a signal only once it waits for the next key
    chat.type(CTRL_C)
    chat.until("> ")
    chat.type("/open x" + ENTER)
    chat.until("/open x: that is no provision's id")
    chat.until("> ")


def test_an_answer_comes_in_colours_and_a_citation_opens_with_its_quote_marked(chat: Terminal):
    chat.type(QUESTION + ENTER)
    chat.until("\x1b[1;36m[1]\x1b[0m")
    chat.until("> ")
    chat.type("/open 1" + ENTER)
    chat.until("\x1b[1;30;43m")
    chat.until("> ")


def test_tab_completes_commands_and_ids(chat: Terminal):
    chat.type("/gr" + TAB + "등대-안전법-시행령_1" + TAB + ENTER)
    chat.until("등대 안전법 시행령, 제1조 (점등 시각)")
    chat.until("> ")


def test_lines_are_remembered_from_one_session_to_the_next_by_their_owner_alone(golden_index: Path, tmp_path: Path):
    with terminal(tmp_path, "--index", golden_index) as chat:
        chat.type("/open 등대-안전법_3조" + ENTER)
        chat.until("무적을 울린다.")
        chat.until("> ")
        chat.process.kill()  # a line is remembered before it is answered
    remembered = tmp_path / "nonliquet" / "chat_history"
    assert remembered.read_text(encoding="utf-8") == "/open 등대-안전법_3조\n"
    assert stat.S_IMODE(remembered.stat().st_mode) == 0o600
    with terminal(tmp_path, "--index", golden_index) as chat:
        chat.type(UP + ENTER)
        chat.until("무적을 울린다.")
        chat.until("> ")
        chat.leave()
