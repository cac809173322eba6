"""An answer's sentences, each with the passages that it names: [1] after a sentence is the first quote."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.clauses import clauses

__all__ = ["Sentence", "sentences"]

_MARKS = re.compile(r"\s*(?:\[\d{1,3}\]\s*)+")
_MARK = re.compile(r"\[(\d{1,3})\]")
_LETTER = "é"  # ends no sentence, and may begin one
_CLOSING_MARKS = re.compile(r"(?<=[.!?。])(\s*)((?:\[\d{1,3}\])+)")
_QUOTATION = re.compile(r"“[^“”]*”|「[^「」]*」|『[^『』]*』|«[^«»]*»")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:end]` of an answer, its marks included."""

    start: int
    end: int
    words: str  # without marks
    marks: tuple[int, ...]  # numbers of quotes, from 1


def sentences(text: str) -> list[Sentence]:
    """Cut an answer into its sentences, in order; marks that follow a sentence's full stop are that sentence's.

    A quotation is not cut, whatever stands in it.
    """
    found: list[Sentence] = []
    covered = _QUOTATION.sub(_covered_quotation, text)
    for clause in clauses(_MARK.sub(_covered, _CLOSING_MARKS.sub(_closing, covered))):
        start = clause.start
        marks = _MARKS.match(text, start, clause.end)
        if marks and found and text.count("\n", found[-1].end, start) == 0:
            last = found[-1]
            found[-1] = Sentence(last.start, marks.end(), last.words, (*last.marks, *_numbers(marks[0])))
            start = marks.end()
        words = text[start : clause.end]
        if words.strip():
            found.append(Sentence(start, clause.end, _MARK.sub("", words).strip(), _numbers(words)))
    return found


def _closing(found: re.Match[str]) -> str:
    """Cover marks after a full stop as the end of a sentence, which "16. The" alone is not known to be."""
    return found[1] + _LETTER * (len(found[2]) - 1) + "。"


def _covered(found: re.Match[str]) -> str:
    return _LETTER * len(found[0])


def _covered_quotation(found: re.Match[str]) -> str:
    """Cover what is quoted but its last full stop, which may end the sentence around it as well."""
    return _LETTER * (len(found[0]) - 2) + found[0][-2:]


def _numbers(words: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _MARK.findall(words))
