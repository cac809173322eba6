"""I/O: lines typed at a terminal: edited, completed by Tab, and remembered from one session to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs
import typer

__all__ = ["LineEditor", "history_file"]

_N_REMEMBERED = 1000  # lines


def history_file() -> Path:
    """Return where the lines of earlier sessions are: a file in the user's folder for such things."""
    return platformdirs.user_state_path("nonliquet") / "chat_history"


class LineEditor:
    """Reads lines, with readline where Python has it; elsewhere lines are as they come, and a note says so.

    completions: given the line so far and its last word, the words that may stand for that one.
    history: the file that remembers; None remembers nothing. A line is remembered at once, so a killed session loses
    none; the file is for its owner alone.
    """

    def __init__(self, completions: Callable[[str, str], Sequence[str]], history: Path | None) -> None:
        self._history = history
        try:
            import readline
        except ImportError:
            self._remember: Callable[[], None] = _nothing
            _note("lines are neither edited nor remembered, for this Python has no readline")
            return
        self._readline = readline
        self._found: Sequence[str] = ()

        def complete(word: str, number: int) -> str | None:
            if number == 0:
                self._found = completions(readline.get_line_buffer(), word)
            return self._found[number] if number < len(self._found) else None

        readline.set_completer(complete)
        readline.set_completer_delims(" ")  # the ids of provisions hold hyphens and dots
        readline.parse_and_bind("tab: complete")
        self._remember = _nothing if history is None else self._append
        if history is not None:
            self._recall(history)
        self._n_known = readline.get_current_history_length()

    def line(self, prompt: str) -> str:
        """Return the next line. Raises EOFError at the end, KeyboardInterrupt on Ctrl-C."""
        typed = input(prompt)
        self._remember()
        return typed

    def _recall(self, history: Path) -> None:
        self._readline.set_history_length(_N_REMEMBERED)
        try:
            history.parent.mkdir(parents=True, exist_ok=True)
            history.touch(mode=0o600)
            self._readline.read_history_file(history)
        except OSError as error:
            self._forget(error)

    def _append(self) -> None:
        n_known = self._readline.get_current_history_length()
        try:
            self._readline.append_history_file(n_known - self._n_known, self._history)
        except OSError as error:
            self._forget(error)
        self._n_known = n_known

    def _forget(self, error: OSError) -> None:
        self._remember = _nothing
        _note(f"lines are not remembered: {self._history}: {error.strerror}")


def _nothing() -> None:
    pass


def _note(words: str) -> None:
    typer.echo(f"note: {words}", err=True)
