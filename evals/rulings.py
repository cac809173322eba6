"""I/O: a judge's rulings on the replies of a run, one a line in a folder inside the run, gone on with after a kill.

judged-by-MODEL/            grades: each answer against the reference and the gold articles
against-RUN-by-MODEL/       which of two runs' replies is better
    config.json             the judge's name, its prompt's version, hashes of the replies
    rulings.jsonl           one ruling a line
    metrics.json
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agent.chat_model import ChatModel, ModelRequest, ModelSettings, open_chat_model
from agent.coverage import Coverage
from agent.evidence import EvidenceArticle, n_tokens, pack
from agent.settings import AgentSettings, model_api_key
from evals.answers import REPLIES
from evals.judge import Grade, Preference, Ruling, Unruled, read_ruling
from evals.realworld import Progress
from evals.run_folder import RunFolder, file_name, sha256_of
from graph.errors import ModelError, ServiceUnavailable
from graph.records import Hit, Question
from prompts.template import Prompt
from retrieval.retriever import Retriever

__all__ = ["Judge", "Task", "open_judge", "replies_of", "ruled", "rulings_folder"]

_RULINGS = "rulings.jsonl"
_MAX_REPLY_TOKENS = 500  # a sentence of 300 characters in any script, and the ruling
_TOKENS_BESIDE = 1500  # of the judge's window: prompt, question and reference
_SMALLEST_CONTEXT = 200
_MOST_FAILURES = 5  # in a row: then the judge is taken for down


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to rule on."""

    question_id: str
    part: str  # which of the question's rulings: of a pair there are two, one an order
    request: ModelRequest


class Judge:
    """A model that rules, and what it is shown of the law."""

    def __init__(self, model: ChatModel, retriever: Retriever) -> None:
        self.model = model
        self._retriever = retriever
        budget = AgentSettings().context_tokens
        if model.context_tokens is not None:
            budget = max(_SMALLEST_CONTEXT, min(budget, model.context_tokens - _MAX_REPLY_TOKENS - _TOKENS_BESIDE))
        self.context_tokens = budget

    @property
    def name(self) -> str:
        """The model's name, without the address of the server that happens to serve it."""
        return self.model.name.split("#")[-1]

    def gold(self, question: Question, *replies: str) -> list[EvidenceArticle]:
        """Return the question's gold articles, as much of them as fits beside the replies."""
        coverage = Coverage(question.text, self._retriever.index.lexical)
        spare = sum(map(n_tokens, replies)) if self.model.context_tokens is not None else 0
        return pack(
            ((Hit(name, 1.0, "gold"), self._retriever.article(name)) for name in question.gold),
            budget_tokens=max(_SMALLEST_CONTEXT, self.context_tokens - spare),
            value=lambda article, clause: coverage.share(coverage.terms(article.text[clause.start : clause.end])),
        )


def open_judge(spec: str) -> ChatModel:
    """Open the model that judges, as `agent.chat_model` has the forms; `serve` is the one that `serve-model` runs here.

    Raises ModelError or ServiceUnavailable as `open_chat_model` does.
    """
    if spec == "serve":
        from agent.model_server.running import running_server

        spec = running_server()
    return open_chat_model(spec, settings=ModelSettings(max_reply_tokens=_MAX_REPLY_TOKENS), api_key=model_api_key())


def replies_of(run: RunFolder) -> dict[str, dict[str, Any]]:
    """Return question id -> reply, as `Reply.to_json` has it."""
    return {record["question_id"]: record["reply"] for record in run.records(REPLIES)}


@contextmanager
def rulings_folder(
    run: RunFolder, name: str, judge: Judge, prompt: Prompt, *, against: RunFolder | None = None
) -> Iterator[RunFolder]:
    """Open the folder of a judge's rulings inside a run for writing.

    Raises QuestionsError if it holds rulings on other replies, by another prompt or with another budget.
    """
    config = {
        "kind": "grades" if against is None else "preferences",
        "judge": judge.name,
        "prompt": prompt.identity,
        "context_tokens": judge.context_tokens,
        "replies": sha256_of(run.path / REPLIES),
        "against": against and {"run": against.path.name, "replies": sha256_of(against.path / REPLIES)},
    }
    with RunFolder.writing(run.path / f"{name}-{file_name(judge.name)}", config) as folder:
        yield folder


def ruled(
    folder: RunFolder,
    judge: Judge,
    tasks: Sequence[Task],
    values: type[Grade] | type[Preference],
    progress: Progress = lambda step, done, total: None,
) -> dict[tuple[str, str], Ruling]:
    """Return a ruling for each task, by question id and part; those that the folder has are not asked for again.

    A judge that does not answer, refuses or cannot be read leaves a ruling without a value. What failed is asked for
    again by the next call, what was unreadable is not: the judge would say the same.
    Raises ServiceUnavailable if the judge fails five times in a row; what was ruled until then stays.
    """
    folder.drop_unfinished_line(_RULINGS)
    found = {
        (record["question_id"], record["part"]): Ruling(
            record["ruling"], record["words"], Unruled(record["missing"]) if record["missing"] else None
        )
        for record in folder.records(_RULINGS)
    }
    left = [task for task in tasks if _is_open(found.get((task.question_id, task.part)))]
    n_failures = 0
    for n_done, task in enumerate(left, start=len(tasks) - len(left)):
        progress(f"judge {judge.name}", n_done, len(tasks))
        ruling = _asked(judge, task.request, values)
        n_failures = n_failures + 1 if ruling.missing is Unruled.FAILED else 0
        record = {"ruling": ruling.value, "words": ruling.words, "missing": ruling.missing}
        folder.append_record(_RULINGS, {"question_id": task.question_id, "part": task.part, **record})
        found[task.question_id, task.part] = ruling
        if n_failures == _MOST_FAILURES:
            raise ServiceUnavailable(
                f"the judge failed {n_failures} times in a row: {ruling.words}; the same command goes on from here"
            )
    progress(f"judge {judge.name}", len(tasks), len(tasks))
    return {(task.question_id, task.part): found[task.question_id, task.part] for task in tasks}


def _is_open(ruling: Ruling | None) -> bool:
    return ruling is None or ruling.missing is Unruled.FAILED


def _asked(judge: Judge, request: ModelRequest, values: type[Grade] | type[Preference]) -> Ruling:
    try:
        reply = judge.model.complete(request)
    except (ServiceUnavailable, ModelError) as error:
        return Ruling(None, str(error), Unruled.FAILED)
    return read_ruling(reply, values)
