"""I/O: what the command prints: results on stdout, errors on stderr; colours and line breaks for terminals alone."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from agent.recording import FOR_REPLAY
from agent.reply import Abstention, Answer, Citation, MissingProvision, Reply, Step
from graph.records import Hit, Provision, Status

if TYPE_CHECKING:
    from retrieval.why_found import WhyFound

__all__ = [
    "print_json",
    "printable",
    "show",
    "show_error",
    "show_fallbacks",
    "show_hit",
    "show_provision",
    "show_reply",
    "show_stream",
    "show_table",
    "show_trace",
    "waiting",
]

# C0 but \t and \n, DEL and C1, which steer a terminal; and the marks that show text in another order than it stands in.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")
_CITATION_NUMBER = re.compile(r"(\[\d+\])")
_NO_LIMIT = 1_000_000  # columns: a line in a file or a pipe is not broken
_INDENT = 4
_N_VOTES = 3  # articles named that cite a hit


def printable(text: str) -> str:
    """Return the text without what would steer a terminal, a lone surrogate replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", _STEERING.sub("", text))


def print_json(value: Mapping[str, Any]) -> None:
    """Print one object on one line; what steers a terminal or has no UTF-8 is escaped."""
    line = json.dumps(value, ensure_ascii=False)
    typer.echo(_NOT_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", line))


def show(*parts: tuple[str, str] | str, indent: int = 0) -> None:
    """Print text, given in parts that may have a style each; every line of it begins `indent` columns in."""
    console = Console(markup=False, highlight=False, emoji=False)
    text = Text()
    for part in parts:
        words, style = part if isinstance(part, tuple) else (part, "")
        text.append(printable(words), style)
    for line in text.wrap(console, max(console.width - indent, 20) if console.is_terminal else _NO_LIMIT):
        line.rstrip()
        console.print(Text(" " * indent if line.plain else "") + line, soft_wrap=True)


def waiting() -> AbstractContextManager[object]:
    """Show on the terminal, while the block runs, that something is being done; elsewhere nothing."""
    return Console(stderr=True).status("")


def show_error(message: str) -> None:
    """Print an error on stderr, on one line whatever it holds."""
    typer.echo(f"error: {printable(message.replace(chr(10), ' '))}", err=True)


def show_reply(reply: Reply) -> None:
    """Print an answer with its citations, or an abstention with what is missing, who sends there and what was found."""
    match reply:
        case Answer():
            show(*_marked(reply.text))
            _show_notes(reply)
            show()
            _show_below(reply)
        case Abstention():
            show((f"No answer ({reply.kind}): ", "bold yellow"), reply.text)
            _show_notes(reply)
            for missing in reply.missing:
                _show_absent("Missing", missing)
            if reply.found:
                show()
                show(("The nearest that the statutes at hand say:", "bold"))
                _show_citations(reply.found, said=reply.text)
            for absent in reply.beyond:
                _show_absent("Not at hand", absent)


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words of an answer, its citation numbers in a style of their own."""
    for place, words in enumerate(_CITATION_NUMBER.split(text)):
        yield words, "bold cyan" if place % 2 else ""


def _show_below(answer: Answer) -> None:
    """Print what an answer rests on, and where its articles send to that is not at hand."""
    _show_citations(answer.citations, said=answer.text)
    for absent in answer.beyond:
        _show_absent("Not at hand", absent)


def _show_notes(reply: Reply) -> None:
    """Print what a reply says beside its text, unless the text has said it already."""
    notes = [note for note in reply.notes if note.text not in reply.text]
    if notes:
        show()
    for note in notes:
        show(("Note: ", "bold"), note.text)


def _show_citations(citations: Sequence[Citation], *, said: str) -> None:
    """Print where each quote stands, and the quote, unless it has been said already."""
    for number, citation in enumerate(citations, start=1):
        show((f"[{number}] {citation.law_name}, {citation.label}", "bold"), (f"  {citation.semantic_id}", "dim"))
        if citation.quote not in said:
            show(f"“{citation.quote}”", indent=_INDENT)


def _show_absent(what: str, one: MissingProvision) -> None:
    heading = f" ({one.heading})" if one.heading else ""
    show()
    show((f"{what}: ", "bold"), f"{one.law_name}, {one.label}{heading}", (f"  {one.semantic_id}", "dim"))
    show(f"{one.sent_from} sends there: “{one.sentence}”", indent=_INDENT)


def show_trace(trace: Sequence[Step]) -> None:
    """Print what was done for a reply, one line a step, without what only a replay needs.

    A decision has its reason on that line, and what it was weighed by below, a line each.
    """
    show()
    told = [step for step in trace if step.name not in FOR_REPLAY]
    for number, step in enumerate(told, start=1):
        if "because" in step.detail:
            show((f"{number}. {step.name}: ", "bold"), str(step.detail["because"]))
            for name, value in _flat(step.detail):
                show(f"{name}: {_plain(value)}", indent=_INDENT)
        else:
            details = ", ".join(f"{name} {_plain(value)}" for name, value in step.detail.items())
            show((f"{number}. {step.name}: ", "bold"), details)


def _flat(detail: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the reasons beside the one in words that there are, those in groups one by one."""
    for name, value in detail.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        elif name != "because" and value is not None:
            yield name.replace("_", " "), value


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def show_fallbacks(trace: Sequence[Step]) -> None:
    """Say on stderr what was done in another way than was asked."""
    for step in trace:
        if "fell back" in step.detail:
            typer.echo(f"note: fell back {printable(str(step.detail['fell back']))}", err=True)


def show_stream(parts: Iterable[str | Reply]) -> Reply:
    """Print an answer's words as they come, then its citations, or why there is none after all; return the reply."""
    reply: Reply | None = None
    n_words = 0
    for part in parts:
        if isinstance(part, str):
            typer.echo(printable(part), nl=False)
            n_words += 1
        else:
            reply = part
    if reply is None:
        raise ValueError("a stream ended without its reply")
    if n_words:
        typer.echo("\n")
    if isinstance(reply, Answer) and n_words:
        _show_notes(reply)
        _show_below(reply)
    else:
        show_reply(reply)
    return reply


def show_hit(rank: int, hit: Hit, article: Provision, why: WhyFound) -> None:
    """Print an article with its score and, below, why it was found, as far as that is told.

    Of the sentences that a model attends to, the one of the highest weight is marked, in bold and with ».
    """
    heading = f" ({article.chapter_description})" if article.chapter_description else ""
    show(
        f"{rank:3}  {hit.score:8.4f}  ",
        (f"{article.law_name}, {article.chapter}{heading}", "bold"),
        (f"  {article.semantic_id}", "dim"),
    )
    highest = max((one.weight for one in why.attended), default=0.0)
    for one in why.attended:
        mark, style = ("»", "bold") if one.weight == highest else (" ", "")
        show((f"{mark} {one.weight:.2f}  {' '.join(one.text.split())}", style), indent=_INDENT)
    if why.votes:
        shown = ", ".join(f"{name} ({vote:.2f})" for name, vote in list(why.votes.items())[:_N_VOTES])
        n_more = len(why.votes) - _N_VOTES
        show(f"cited by {shown}" + (f" and {n_more} more" if n_more > 0 else ""), indent=_INDENT)


def show_provision(article: Provision, *, start: int = 0, end: int = 0) -> None:
    """Print a whole article, the span `text[start:end]` marked: in colour on a terminal, between » and « elsewhere.

    An empty span is none. Of a provision without text it is said why.
    """
    heading = f" ({article.chapter_description})" if article.chapter_description else ""
    opening, closing = ("", "") if sys.stdout.isatty() or start == end else ("»", "«")
    show((f"{article.law_name}, {article.chapter}{heading}", "bold"), (f"  {article.semantic_id}", "dim"))
    if article.heading_path:
        show((article.heading_path, "dim"))
    show()
    if article.status is not Status.PRESENT:
        show((f"There is no text at hand: it is {article.status}.", "yellow"))
        return
    marked = opening + article.text[start:end] + closing
    show(article.text[:start], (marked, "bold black on yellow"), article.text[end:])


def show_table(rows: Mapping[str, object]) -> None:
    """Print names and values in two columns."""
    width = max(map(len, rows), default=0)
    for name, value in rows.items():
        show((f"{name:<{width}}  ", "bold"), str(value))
