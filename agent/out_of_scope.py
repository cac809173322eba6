"""Is a question none about law? Only one that plainly asks for something else is: words of law are too many to list."""

from __future__ import annotations

from agent.wording import pattern

__all__ = ["is_other_task", "speaks_of_law"]


def is_other_task(question: str) -> bool:
    """Return whether a question asks for something else: a poem, a sum, small talk, the weather, how nature works.

    One that speaks of law as well ("write me what the Act says of …") does not.
    """
    asks_else = any(pattern("scope", key).search(question) for key in ("tasks", "topics", "asks_why"))
    return asks_else and not speaks_of_law(question)


def speaks_of_law(question: str) -> bool:
    """Return whether any word is one of duties, permission, money owed, remedies, or of law itself."""
    return bool(pattern("scope", "law").search(question))
