"""Is a question one about law at all? By what it asks for, and by whether it speaks of duties, permission or cost."""

from __future__ import annotations

from agent.wording import pattern

__all__ = ["is_other_task", "speaks_of_law"]


def is_other_task(question: str) -> bool:
    """Return whether a question asks for something else: a poem, a translation, a sum, small talk, how nature works.

    One that speaks of law as well ("write me what the Act says of …") does not.
    """
    asks_else = pattern("scope", "tasks").search(question) or pattern("scope", "asks_why").search(question)
    return bool(asks_else) and not speaks_of_law(question)


def speaks_of_law(question: str) -> bool:
    """Return whether any word is one of duties, permission, money owed, remedies, or of law itself."""
    return bool(pattern("scope", "law").search(question))
