"""`nonliquet evals decisions`: the agent's decisions on the built-in law: right or wrong, set by set, with why.

    python -m evals decisions

Right is: an answer that cites a gold article (of each part, where a question has two; with the note that says which
provision governs, where two differ); or an abstention of the right kind that names what it should: the missing
provision, the one not in force and since when, the two in conflict.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.options import IndexOption, JsonOption, SettingsOption
from agent.legal_agent import LegalAgent
from agent.rendering import print_json, show
from agent.reply import Abstention, AbstentionKind, Answer, Reply
from graph.errors import QuestionsError

__all__ = ["BUILTIN_SETS", "Decided", "Decision", "decide_all", "read_decisions", "register", "why_wrong"]

BUILTIN_SETS = tuple(
    Path(__file__).parent / "builtin" / name for name in ("questions.jsonl", "decisions.jsonl", "unanswerable.jsonl")
)


@dataclass(frozen=True, slots=True)
class Decision:
    """A question and what is right to reply: an answer, or the one kind of abstention."""

    question_id: int
    set_name: str
    question: str
    abstention: str  # "": it can be answered
    gold: tuple[str, ...]
    missing: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]  # gold of each of two questions in one
    governs: str  # the one of two provisions that differ
    not_in_force: tuple[str, ...]
    since: str
    as_of: str | None
    history: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """A reply to such a question."""

    decision: Decision
    reply: Reply
    wrong: str  # "" if it is right, else why not


def read_decisions(path: Path) -> list[Decision]:
    """Read a file of them, in its order. Raises QuestionsError naming file, line and field."""
    return list(_decisions(path))


def _decisions(path: Path) -> Iterator[Decision]:
    for line_no, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row: dict[str, Any] = json.loads(line)
            yield Decision(
                question_id=row["question_id"],
                set_name=row.get("set") or path.stem,
                question=row["question"],
                abstention=row["abstention"],
                gold=tuple(row.get("semantic_ids", ())),
                missing=tuple(row.get("missing_semantic_ids", ())),
                parts=tuple(map(tuple, row.get("parts", ()))),
                governs=row.get("governs", ""),
                not_in_force=tuple(row.get("not_in_force_semantic_ids", ())),
                since=row.get("since", ""),
                as_of=row.get("as_of") or None,
                history=tuple(row.get("history", ())),
            )
        except KeyError as error:
            raise QuestionsError(f"{path}:{line_no}: field {error} is missing") from error
        except ValueError as error:
            raise QuestionsError(f"{path}:{line_no}: not JSON: {error}") from error


def decide_all(agent: LegalAgent, decisions: Sequence[Decision]) -> list[Decided]:
    """Ask them all, each with its history and as of its date."""
    replies = (agent.ask(one.question, as_of=one.as_of, history=one.history) for one in decisions)
    return [Decided(one, reply, why_wrong(reply, one)) for one, reply in zip(decisions, replies, strict=True)]


def why_wrong(reply: Reply, decision: Decision) -> str:
    """Return what is wrong with a reply, in words; "" if it is right."""
    match reply:
        case Answer() if decision.abstention:
            return f"answered, where {decision.abstention} is right"
        case Answer():
            return _wrong_answer(reply, decision)
        case Abstention() if reply.kind != decision.abstention:
            return f"{reply.kind}, where {decision.abstention or 'an answer'} is right"
        case Abstention():
            return _wrong_abstention(reply, decision)


def _wrong_answer(reply: Answer, decision: Decision) -> str:
    cited = {citation.semantic_id for citation in reply.citations}
    for gold in decision.parts or (decision.gold,):
        if not cited & set(gold):
            return f"cites none of {', '.join(gold)}"
    if decision.governs and not any(decision.governs in note.semantic_ids[:1] for note in reply.notes):
        return f"does not say that {decision.governs} governs"
    return ""


def _wrong_abstention(reply: Abstention, decision: Decision) -> str:
    if reply.kind is AbstentionKind.MISSING_PROVISION:
        named = {missing.semantic_id for missing in reply.missing}
        return "" if set(decision.missing) <= named else f"names {', '.join(sorted(named))}"
    if reply.kind is AbstentionKind.REPEALED_OR_NOT_IN_FORCE:
        out = {(one.semantic_id, one.since) for one in reply.not_in_force}
        right = {(name, decision.since) for name in decision.not_in_force}
        return "" if out & right else f"names {', '.join(sorted(name for name, _ in out)) or 'none'}"
    if reply.kind is AbstentionKind.CONFLICTING_PROVISIONS:
        found = {citation.semantic_id for citation in reply.found}
        return "" if set(decision.gold) <= found else f"names {', '.join(sorted(found))}"
    return ""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("decisions", epilog="Example: python -m evals decisions")(_decisions_verb)


def _decisions_verb(
    questions: Annotated[
        list[Path] | None,
        typer.Option("--questions", metavar="FILE", help="Decisions to make.", show_default="the built-in sets"),
    ] = None,
    index: IndexOption = None,
    json: JsonOption = False,
    settings: SettingsOption = None,
) -> None:
    """Ask the questions whose right decision is known, and print right and wrong, set by set."""
    with AgentOptions(index=index, settings=settings).open() as agent:
        decided = [one for path in questions or BUILTIN_SETS for one in decide_all(agent, read_decisions(path))]
    if json:
        for one in decided:
            print_json({"question_id": one.decision.question_id, "wrong": one.wrong, "reply": one.reply.to_json()})
        return
    for name, of_set in _by_set(decided).items():
        wrong = [one for one in of_set if one.wrong]
        show((f"{name}: ", "bold"), f"{len(of_set) - len(wrong)} of {len(of_set)} right")
        for one in wrong:
            show(f"{one.decision.question_id}  {one.decision.question}", indent=2)
            show((one.wrong, "dim"), indent=7)
    show(("all: ", "bold"), f"{sum(not one.wrong for one in decided)} of {len(decided)} right")


def _by_set(decided: Sequence[Decided]) -> Mapping[str, list[Decided]]:
    sets: dict[str, list[Decided]] = {}
    for one in decided:
        sets.setdefault(one.decision.set_name, []).append(one)
    return sets
