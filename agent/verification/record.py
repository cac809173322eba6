"""What checking an answer came to: its quotes where they stand, its sentences with what is wrong, and what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agent.reply import Citation
from agent.sentences import Sentence

__all__ = ["CheckedSentence", "Entails", "Finding", "Verification"]

Entails = Callable[[str, str], bool]
"""From a passage and a sentence to whether the one entails the other."""


class Finding(NamedTuple):
    """What is wrong with a sentence."""

    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of an answer, and what is wrong with it."""

    sentence: Sentence
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """An answer checked: its quotes where they stand, its sentences with what is wrong."""

    text: str
    citations: tuple[Citation | None, ...]  # of the draft's quotes, in their order; None: dropped
    sentences: tuple[CheckedSentence, ...]

    @property
    def kept(self) -> tuple[Citation, ...]:
        """The citations that hold, each once."""
        return tuple(dict.fromkeys(citation for citation in self.citations if citation))

    @property
    def stands(self) -> bool:
        """Whether there is anything to answer with."""
        return bool(self.kept) and any(not one.findings for one in self.sentences)

    @property
    def share_kept(self) -> float:
        """The share of quotes and sentences that hold, in [0, 1]; 0 if there are none."""
        n_held = sum(one is not None for one in self.citations) + sum(not one.findings for one in self.sentences)
        n_all = len(self.citations) + len(self.sentences)
        return n_held / n_all if n_all else 0.0

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of the sentences."""
        return [finding for one in self.sentences for finding in one.findings]

    def answer(self) -> str:
        """Return the sentences that stand, [1] being the first of `kept`; all numbers follow if none names one."""
        if any(one.sentence.marks for one in self.sentences if not one.findings):
            return self.standing()
        return " ".join([self.standing(), "".join(f"[{number}]" for number in range(1, len(self.kept) + 1))])

    def standing(self) -> str:
        """Return the sentences that stand, with the numbers that they name."""
        numbers = {citation: number for number, citation in enumerate(self.kept, start=1)}
        parts: list[str] = []
        last = 0
        for one in self.sentences:
            if not one.findings:
                gap = self.text[last : one.sentence.start]
                parts.append(("\n" if "\n" in gap else " ") if parts else "")
                parts.append(self._renumbered(self.text[one.sentence.start : one.sentence.end].strip(), numbers))
            last = one.sentence.end
        return "".join(parts)

    def to_json(self) -> dict[str, object]:
        """Return plain values, for a trace."""
        return {
            "quotes": [citation.check if citation else "dropped" for citation in self.citations],
            "sentences": [
                {
                    "sentence": one.sentence.words,
                    "findings": [f"{found.rule}: {found.detail}" for found in one.findings],
                }
                for one in self.sentences
            ],
        }

    def _renumbered(self, words: str, numbers: Mapping[Citation, int]) -> str:
        def mark(found: re.Match[str]) -> str:
            place = int(found[1]) - 1
            citation = self.citations[place] if 0 <= place < len(self.citations) else None
            return f"[{numbers[citation]}]" if citation else ""

        return re.sub(r"\[(\d{1,3})\]", mark, words)
