"""I/O: whether a text says what the prompts say, in any language: an answer that does gives the instructions away."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

__all__ = ["says_a_prompt"]

_RUN = 24  # letters in a row that a prompt and a text have in common by chance no more
_SHORT = 10  # letters: a text this long that stands in a prompt as a whole is taken from it


def says_a_prompt(text: str) -> bool:
    """Return whether a text is a part of a prompt, or has a long run of letters in common with one."""
    letters = _letters(text)
    if len(letters) >= _SHORT and any(letters in prompt for prompt in _prompts()):
        return True
    runs = _runs()
    return any(letters[start : start + _RUN] in runs for start in range(len(letters) - _RUN + 1))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


@cache
def _prompts() -> tuple[str, ...]:
    """Return the letters of the system part of every prompt."""
    texts = (path.read_text(encoding="utf-8") for path in files("prompts").iterdir() if path.name.endswith(".md"))
    return tuple(_letters(text.partition("# system")[2].partition("# user")[0]) for text in texts)


@cache
def _runs() -> frozenset[str]:
    return frozenset(prompt[i : i + _RUN] for prompt in _prompts() for i in range(len(prompt) - _RUN + 1))
