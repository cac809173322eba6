"""A question that leans on the one before it, made to stand alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["standalone"]

# One line a language: English, Korean, French, German, Japanese, Vietnamese.
_CONNECTIVES = (
    r"and|but|so|what about|how about|what if|then|also|or",
    r"그럼|그러면|그렇다면|그런데|그리고|그래서|만약|또",
    r"et|mais|alors",
    r"und|aber|dann",
    r"では|それなら|じゃあ",
    r"còn|vậy|thế",
)
_POINTERS = (
    r"\b(?:it|its|they|them|their|that|those|this|these|there|then|one|he|she|same)\b",
    r"그것|그거|이것|이거|그건|이건|그곳|거기|그 경우|이 경우|같은 경우",
    r"\b(?:celui-ci|celle-ci|cela|ça|ce cas)\b",
    r"\b(?:dies\w*|das|er|sie|es)\b",
    r"それ|この場合|その場合",
    r"\b(?:nó|đó|này)\b",
)
_LEANS = re.compile(rf"^\s*(?:{'|'.join(_CONNECTIVES)})(?=[\s,、])|{'|'.join(_POINTERS)}", re.IGNORECASE)
_SHORT = 25  # characters: a question this short seldom says what it is about


def standalone(question: str, history: Sequence[str]) -> str:
    """Return the question, after the last one of the history if it leans on it.

    history: the earlier questions of the conversation, oldest first. A question leans on the last if it is short, opens
    with a connective, or points with a pronoun. Without a model, its words are carried along rather than rewritten.
    """
    if history and (len(question.strip()) <= _SHORT or _LEANS.search(question)):
        return f"{history[-1].strip()}\n{question.strip()}"
    return question
