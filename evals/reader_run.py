"""What a reader does with questions: how many replies can be read, cite the context alone, and quote word for word.

    python -m evals.reader_run --model http://127.0.0.1:8000/v1 --out run.jsonl QUESTIONS.jsonl ...

It measures the plumbing, not the law: whether an answer is right is another matter.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.legal_agent import LegalAgent
from agent.reply import Answer, Check, Reply
from agent.settings import AgentSettings
from graph.errors import NonLiquetError, QuestionsError

__all__ = ["ReaderCounts", "count", "questions_of"]


@dataclass
class ReaderCounts:
    """Counts over replies; shares of nothing are None."""

    n_questions: int = 0
    n_model_replies: int = 0  # asked of the model, second tries among them
    n_readable: int = 0  # of those, the ones that fit the schema
    n_quotes: int = 0  # that the reader gave
    n_quotes_exact: int = 0
    n_quotes_repaired: int = 0
    n_citations: int = 0  # that the reply shows
    n_citations_in_context: int = 0
    n_citations_verbatim: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)  # answer, or the kind of abstention


def questions_of(paths: Iterable[Path]) -> list[str]:
    """Read the question texts of SearchFireSafety-style files. Raises QuestionsError naming file and line."""
    texts = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise QuestionsError(f"{path}: cannot be read: {error.strerror}") from error
        for line_no, line in enumerate(lines, start=1):
            try:
                text = json.loads(line)["question"]
            except (ValueError, KeyError, TypeError) as error:
                raise QuestionsError(f"{path}:{line_no}: expected an object with 'question'") from error
            texts.append(str(text))
    return texts


def count(agent: LegalAgent, replies: Sequence[Reply]) -> ReaderCounts:
    """Check every reply against the index and count what held."""
    counts = ReaderCounts(n_questions=len(replies))
    for reply in replies:
        counts.outcomes["answer" if isinstance(reply, Answer) else reply.kind.value] += 1
        packed: set[str] = set()
        for step in reply.trace:
            if step.name == "pack":
                packed = set(step.detail["articles"])
            elif step.name == "read" and "unreadable" in step.detail:
                counts.n_model_replies += 1
                counts.n_readable += step.detail["unreadable"] is None
            elif step.name == "verify":
                checks = step.detail["quotes"]
                counts.n_quotes += len(checks)
                counts.n_quotes_exact += checks.count(Check.EXACT)
                counts.n_quotes_repaired += checks.count(Check.REPAIRED)
        for citation in reply.citations if isinstance(reply, Answer) else ():
            text = agent.retriever.article(citation.semantic_id).text
            counts.n_citations += 1
            counts.n_citations_in_context += citation.semantic_id in packed
            counts.n_citations_verbatim += citation.quote == text[citation.start : citation.end]
    return counts


def _main(
    questions: list[Path],
    model: Annotated[str | None, typer.Option(help="The language model; without one, the extractive reader.")] = None,
    index: Annotated[Path | None, typer.Option(help="The index; without one, the built-in law.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write the replies, one a line.")] = None,
    concurrency: Annotated[int, typer.Option(help="Questions in flight.")] = 4,
    timeout_s: Annotated[float, typer.Option(help="Seconds for one try of the model.")] = 600.0,
    repetition_penalty: Annotated[float | None, typer.Option(help="vLLM's, for small models.")] = None,
    max_reply_tokens: Annotated[int, typer.Option(help="The longest reply of the model.")] = 1000,
) -> None:
    """Ask all questions and print the counts."""
    defaults = AgentSettings()
    asked = replace(
        defaults.model,
        concurrency=concurrency,
        timeout_s=timeout_s,
        max_reply_tokens=max_reply_tokens,
        repetition_penalty=repetition_penalty,
        n_retries=0,
    )
    settings = replace(defaults, model=asked)
    with LegalAgent.open(index, model=model, settings=settings) as agent:
        start = time.monotonic()
        replies = agent.batch(questions_of(questions))
        counts = count(agent, replies)
    if out is not None:
        aside = out.with_suffix(".new")
        lines = (json.dumps(reply.to_json(), ensure_ascii=False) + "\n" for reply in replies)
        aside.write_text("".join(lines), encoding="utf-8")
        aside.replace(out)
    record: dict[str, Any] = {**vars(counts), "outcomes": dict(counts.outcomes)}
    typer.echo(json.dumps({**record, "seconds": round(time.monotonic() - start, 1)}, indent=1))


if __name__ == "__main__":
    try:
        typer.run(_main)
    except NonLiquetError as error:
        raise SystemExit(f"error: {error}") from error
