"""Cuts an article into clauses: the sentences of its paragraphs and the items of its lists, each with its lead-in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Clause", "clauses", "sentence_spans"]

_ITEM = re.compile(r"\s+(?:\d+(?:의\d+)?\.|[가-힣a-z]\.|[ivx]+\.|\d+\)|[가-힣a-z]\)|\(\d+\)|\([가-힣a-z]\)|-)\s")
# A sentence ends at a full stop before a space and no digit or small letter: "Art. 5", "1. 5." and "No. 3" go on.
_SENTENCE_END = re.compile(r"(?<=[^\s\d][^\s.A-Z0-9])[.。!?](?:[)”\"'」])?(?=\s+[^\sa-z\d])|(?<=다)\.(?=\s)|。")
# The last word before a full stop that ends no sentence, whatever follows: "Art. L. 121-2", "vgl. § 3", "i.S.d. § 5".
_ABBREVIATION = re.compile(
    r"(?:^|[\s('’„«§])(?:[Aa]rts?|[Ss]ecs?|[Pp]aras?|Nos|[Nn]r|[Aa]bs|[Aa]bschn|[Aa]nl|[Bb]uchst|[Zz]iff|[Kk]ap|[Tt]it|"
    r"[Cc]hap|[Aa]l|[Ll]it|[Vv]gl|[Gg]em|bzw|ggf|einschl|evtl|zzgl|insb|sog|ca|bspw|cf|vs|Mrs?|Ms|Mme|Dr|Prof|St|"
    r"(?:[A-Za-z]{1,3}\.)+[A-Za-z]{1,3})\.$"
)
_LONGEST_ABBREVIATION = 12  # characters
_LONGEST_LEAD = 400  # characters of a lead-in that are still read together with an item


@dataclass(frozen=True, slots=True)
class Clause:
    """`text[start:end]`, and `text[lead_start:lead_end]`, the lead-in that an item continues; empty without one."""

    start: int  # in characters
    end: int
    lead_start: int
    lead_end: int

    @property
    def has_lead(self) -> bool:
        """Whether the clause is an item of a list."""
        return self.lead_end > self.lead_start


def clauses(text: str) -> list[Clause]:
    """Cut a text into its clauses, in order, without gaps but for white space; none overlaps another."""
    return list(_clauses(text))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of each line, in order: unlike a clause, an item is cut as well."""
    return [span for start, end in _lines(text) for span in _sentences(text, start, end)]


@lru_cache(maxsize=4096)  # texts: one question looks at the same articles several times
def _clauses(text: str) -> tuple[Clause, ...]:
    found: list[Clause] = []
    leads: list[tuple[int, int, int]] = []  # indentation, start and end of the lines that items continue
    for start, end in _lines(text):
        indentation = len(text[start:end]) - len(text[start:end].lstrip())
        leads = [lead for lead in leads if lead[0] < indentation]
        sentences = list(_sentences(text, start, end))
        if _ITEM.match(text[start:end]) and leads:
            _, lead_start, lead_end = leads[-1]
            found.append(Clause(start + indentation, end, max(lead_start, lead_end - _LONGEST_LEAD), lead_end))
        else:
            found += [Clause(first, last, first, first) for first, last in sentences]
        leads.append((indentation, *sentences[-1]))
    return tuple(found)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        if line.strip():
            yield start, start + len(line.rstrip())
        start += len(line) + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of one line."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    for stop in _SENTENCE_END.finditer(text, start, end):
        if _ABBREVIATION.search(text, max(start, stop.end() - _LONGEST_ABBREVIATION), stop.end()):
            continue
        yield start, stop.end()
        start = stop.end()
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end
