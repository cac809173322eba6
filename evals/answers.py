"""The agent's replies against the gold: does it cite the right articles, quote them, keep silent when it should?

Three contexts: what the agent retrieves; the gold articles, an upper bound for any retrieval; and none, which shows
what an answer owes to the articles at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from agent.legal_agent import LegalAgent
from agent.reply import AbstentionKind
from agent.settings import AgentSettings
from evals.markdown import percent, table
from evals.realworld import Progress, run_inputs
from evals.run_folder import RunFolder
from graph.errors import QuestionsError
from graph.records import Hit, Question
from retrieval.retriever import Retriever
from retrieval.tokens import Analyze

__all__ = ["REPLIES", "Context", "answerable", "metrics", "page", "reply_measures", "rouge_l", "run_answers", "summary"]

REPLIES = "replies.jsonl"


class Context(StrEnum):
    """Which articles the reader gets."""

    RETRIEVED = "retrieved"
    GOLD = "gold"
    NONE = "none"


class _Given(Retriever):
    """A retriever that returns the articles it was given, whatever is asked."""

    given: Sequence[str] = ()

    def search(self, question: str, *, top_k: int = 10, method: str | None = None) -> list[Hit]:
        return [Hit(name, 1.0, "given") for name in self.given]


def run_answers(
    agent: LegalAgent,
    questions: Sequence[Question],
    context: Context,
    out: Path,
    *,
    source: Path,
    progress: Progress = lambda step, done, total: None,
) -> RunFolder:
    """Ask the agent every question in a context, and write the run: one reply a line, as it comes.

    source: the file the questions came from. A run that was killed goes on where it stopped. Raises QuestionsError if
    a question has neither gold nor a right abstention, or `out` holds another run or is being written.
    """
    for question in questions:
        if not question.gold and not question.abstention:
            raise QuestionsError(f"question {question.question_id} has neither a gold article nor a right abstention")
    settings, retriever, index = agent.settings, agent.retriever, agent.retriever.index
    reader = agent.model.name if agent.model else "extractive"
    given: _Given | None = None
    if context is not Context.RETRIEVED:
        encoder = retriever.encoder if index.has_vectors else None
        given = _Given(index, settings=retriever.settings, encoder=encoder)
        settings = replace(settings, max_hops=0, mode="plain")  # nothing but what is given
        agent = LegalAgent(given, model=agent.model, settings=settings)
    with RunFolder.writing(out, _config(agent, questions, source, context, reader)) as run:
        run.drop_unfinished_line(REPLIES)
        records = run.records(REPLIES)
        if [record["question_id"] for record in records] != [one.question_id for one in questions[: len(records)]]:
            raise QuestionsError(f"{out}: its replies are not to these questions; name another folder")
        step = f"{reader}, {context}"
        for question in questions[len(records) :]:
            progress(step, len(records), len(questions))
            if given is not None:
                given.given = question.gold if context is Context.GOLD else ()
            reply = agent.ask(question.text).to_json()
            cited = [one["semantic_id"] for one in reply.get("citations", ())]
            texts = {name: retriever.article(name).text for name in cited}
            measured = reply_measures(reply, question, texts, index.lexical.analyze)
            record = {"question_id": question.question_id, "values": measured, "reply": reply}
            run.append_record(REPLIES, record)
            records.append(record)
        progress(step, len(records), len(questions))
        run.write_json("metrics.json", {step: summary(records, questions)})
    return run


def answerable(question: Question) -> bool:
    """Whether answering is right."""
    return not question.abstention


def reply_measures(
    reply: Mapping[str, Any], question: Question, texts: Mapping[str, str], analyze: Analyze
) -> dict[str, float]:
    """Return what one reply scores, each in [0, 1]; what cannot be said of it is left out.

    reply: as `Reply.to_json` has it. texts: of the articles it cites. `answered`; of answers: `valid quotes`, the share
    of quotes that stand where they are said to; and if answering was right, `citation precision`, `recall` and `F1`
    over articles, `cites gold`, whether any gold article is cited, and `ROUGE-L` where there is a model answer.
    """
    values: dict[str, float] = {"answered": float(not reply["abstained"])}
    if reply["abstained"]:
        return values
    citations = reply["citations"]
    valid = [texts[one["semantic_id"]][one["start"] : one["end"]] == one["quote"] != "" for one in citations]
    values["valid quotes"] = sum(valid) / len(valid)
    if not answerable(question):
        return values
    cited, gold = {one["semantic_id"] for one in citations}, set(question.gold)
    n_right = len(cited & gold)
    precision, recall = n_right / len(cited), n_right / len(gold)
    values |= {
        "citation precision": precision,
        "citation recall": recall,
        "citation F1": 2 * precision * recall / (precision + recall) if n_right else 0.0,
        "cites gold": float(n_right > 0),
    }
    if question.answer:
        values["ROUGE-L"] = rouge_l(analyze(reply["text"]), analyze(question.answer))
    return values


def rouge_l(found: Sequence[str], reference: Sequence[str]) -> float:
    """Return ROUGE-L's F1 (Lin, 2004) of two texts as terms: from their longest common subsequence, in [0, 1]."""
    lengths = [0] * (len(reference) + 1)
    for term in found:
        diagonal = 0
        for place, other in enumerate(reference, start=1):
            above = lengths[place]
            lengths[place] = diagonal + 1 if term == other else max(above, lengths[place - 1])
            diagonal = above
    return 2 * lengths[-1] / (len(found) + len(reference)) if lengths[-1] else 0.0


def summary(records: Sequence[Mapping[str, Any]], questions: Sequence[Question]) -> dict[str, float]:
    """Return the measures of a run, each in [0, 1]; those over nothing are left out.

    `coverage` is over answerable questions; the citation measures over those of them that were answered, and
    `citation F1, silence 0` over all of them. `silent rightly` and `silent for the right cause` are over the
    unanswerable ones, `abstained, KIND` over all.
    """
    right = [answerable(question) for question in questions]
    values = [record["values"] for record in records]
    replies = [record["reply"] for record in records]
    open_ones = [one for one, is_right in zip(values, right, strict=True) if is_right]
    found = {"coverage": [one["answered"] for one in open_ones]}
    for name in ("citation precision", "citation recall", "citation F1", "cites gold", "ROUGE-L"):
        found[name] = [one[name] for one in open_ones if name in one]
    found["citation F1, silence 0"] = [one.get("citation F1", 0.0) for one in open_ones]
    found["valid quotes"] = [one["valid quotes"] for one in values if "valid quotes" in one]
    closed = [(q, reply) for q, reply in zip(questions, replies, strict=True) if not answerable(q)]
    found["silent rightly"] = [float(reply["abstained"]) for _, reply in closed]
    found["silent for the right cause"] = [float(reply.get("kind") == q.abstention) for q, reply in closed]
    kinds = Counter(reply["kind"] for reply in replies if reply["abstained"])
    shares = {f"abstained, {kind}": kinds[kind] / len(replies) for kind in AbstentionKind if kinds[kind]}
    return {**{name: sum(ones) / len(ones) for name, ones in found.items() if ones}, **shares}


def metrics(run: RunFolder) -> dict[str, dict[str, float]]:
    """Return system -> measure -> value, with judges' grades among the measures: "judged correct by NAME"."""
    found = run.metrics()
    judged = {
        f"{name} by {judge}": value
        for folder in _rulings(run)
        if folder.config["kind"] == "grades"
        for judge, values in folder.metrics().items()
        for name, value in values.items()
    }
    return {system: {**values, **judged} for system, values in found.items()}


def page(run: RunFolder, *, level: int = 1) -> str:
    """Return a run as Markdown. level: of its heading; below 1 it is the run's name."""
    config = run.config
    heading = "#" * level
    parts = [
        f"{heading} {run.path.name if level > 1 else 'Replies against the gold'}\n",
        f"{config['questions']['asked']} questions ({', '.join(config['questions']['files'])}), reader "
        f"{config['reader']}, context {config['context']}. Values in %.\n",
        _values(run),
    ]
    for folder in _rulings(run):
        judged = folder.config
        what = "Answers graded" if judged["against"] is None else f"Against {judged['against']['run']}, judged"
        parts += [
            f"{heading}# {what} by {judged['judge']}, prompt {judged['prompt']}\n",
            _values(folder),
        ]
    return "\n".join(parts)


def _values(run: RunFolder) -> str:
    rows = [[name, percent(value)] for values in run.metrics().values() for name, value in values.items()]
    return table(["measure", "value"], rows)


def _rulings(run: RunFolder) -> list[RunFolder]:
    """Return the folders in which judges have finished with the run: see `evals.rulings`."""
    return [RunFolder(path.parent) for path in sorted(run.path.glob("*-by-*/metrics.json"))]


def _config(
    agent: LegalAgent, questions: Sequence[Question], source: Path, context: Context, reader: str
) -> dict[str, Any]:
    settings: AgentSettings = agent.settings
    return {
        "kind": "answers",
        **run_inputs(agent.retriever.index, questions, source),
        "context": context.value,
        "reader": reader,
        "method": str(agent.retriever.default_method) if context is Context.RETRIEVED else None,
        "settings": {**asdict(settings), "retrieval": agent.retriever.settings.to_json()},
    }
