"""I/O: the prompts, one file per task and language (`answer.ko.md`): version, system part, user part with slots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["Prompt", "load_prompt"]

_FORM = re.compile(r"version: (\S+)\n+# system\n+(.*?)\n+# user\n+(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The words of one task in one language."""

    task: str
    language: str
    version: str
    system: str
    user: str  # with $slots

    @property
    def identity(self) -> str:
        """What a trace says of it: answer.ko v1."""
        return f"{self.task}.{self.language} v{self.version}"

    def fill(self, **slots: str) -> str:
        """Return the user part with its slots filled. Raises ValueError on a slot that is missing or not there."""
        template = Template(self.user)
        if set(template.get_identifiers()) != set(slots):
            raise ValueError(f"{self.identity} has the slots {template.get_identifiers()}, not {sorted(slots)}")
        return template.substitute(slots)


@cache
def load_prompt(task: str, language: str) -> Prompt:
    """Return the prompt of a task in a language (ISO 639-1). Raises ValueError if there is none, or it is malformed."""
    name = f"{task}.{language}.md"
    try:
        text = (files("prompts") / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValueError(f"there is no prompt {name}") from None
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"prompt {name}: expected 'version: …', '# system' and '# user'")
    return Prompt(task, language, *found.groups())
