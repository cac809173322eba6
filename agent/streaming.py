"""A streamed answer shown sentence by sentence, each once it has been checked: what is shown is what is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.case import Case
from agent.chat_model import ModelReply
from agent.extractive import Draft
from agent.model_reader import TextSoFar, read_quotes
from agent.reply import Answer, Reply
from agent.sentences import sentences
from agent.verification import Entails, verify

__all__ = ["CheckedStream"]

_WORD = re.compile(r"\S+\s*|\s+")


class CheckedStream:
    """Follows the replies of one dialogue and gives the words that may be shown."""

    def __init__(self, case: Case, entails: Entails | None) -> None:
        self._case = case
        self._entails = entails
        self._shown = ""
        self.begin()

    def begin(self) -> None:
        """Begin a reply."""
        self._so_far = TextSoFar()
        self._n_checked = 0

    @property
    def reply(self) -> ModelReply:
        """The reply as far as it has come."""
        return ModelReply(self._so_far.reply, True, ())

    def add(self, chunk: str) -> Iterator[str]:
        """Take the next part of a reply; yield the words of the sentences that are whole by it and that stand.

        The citations come before the answer; where they do not, nothing is shown before the end.
        """
        self._so_far.add(chunk)
        quotes = read_quotes(self._so_far.record, self._case.evidence)
        found = sentences(self._so_far.answer)[:-1]  # the last may go on
        if isinstance(quotes, str) or len(found) <= self._n_checked:
            return
        self._n_checked = len(found)
        articles = {one.article.semantic_id: one.article for one in self._case.evidence}
        draft = Draft(self._so_far.answer[: found[-1].end], quotes)
        checked = verify(draft, articles, language=self._case.language, entails=self._entails)
        yield from self._grown(checked.standing())

    def rest(self, reply: Reply) -> Iterator[str]:
        """Yield what is still to be shown of the answer that the dialogue ended with; nothing of an abstention."""
        if not isinstance(reply, Answer):
            return
        if not reply.text.startswith(self._shown):  # the model was asked again after something of its first reply stood
            yield "\n\n"
            self._shown = ""
        yield from self._grown(reply.text)

    def _grown(self, text: str) -> Iterator[str]:
        yield from _WORD.findall(text[len(self._shown) :] if text.startswith(self._shown) else "")
        self._shown = max(self._shown, text, key=len)
