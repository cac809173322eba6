"""I/O: the trials as a task of inspect_ai, or of lm-evaluation-harness, for people who measure with those.

inspect   trials.jsonl, nonliquet_mcq.py                             inspect eval DIR/nonliquet_mcq.py --model …
lm-eval   trials_CONDITION.jsonl, nonliquet_mcq_CONDITION.yaml,      lm_eval --include_path DIR --tasks nonliquet_mcq
          nonliquet_mcq.yaml                                             --model …

The prompts, the orders of the options and what is right under each condition are those of a run here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from agent.aside import write_aside
from evals.mcq.model_choice import ChoicePrompts, Way
from evals.mcq.records import Condition
from evals.mcq.trials import Trial

__all__ = ["export_inspect", "export_lm_eval"]

_TRIALS = "trials.jsonl"
_TASK = "nonliquet_mcq"

_INSPECT = '''"""Choice questions on statutes under full and partial contexts: `nonliquet evals mcq --export inspect`.

    inspect eval {task}.py --model openai/… [-T condition=partial]
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import accuracy, grouped, pattern, stderr
from inspect_ai.solver import generate

TRIALS = Path(__file__).parent / "{trials}"


def sample(record):
    return Sample(
        input=[ChatMessageSystem(content=record["system"]), ChatMessageUser(content=record["user"])],
        target=record["right"],
        id=record["key"],
        metadata={{name: record[name] for name in ("condition", "question_id", "permutation", "abstain", "gold_full")}},
    )


@task
def {task}(condition: str | None = None):
    """Accuracy by condition; on an incomplete context the abstain option is right. A reply is its first letter."""
    dataset = json_dataset(str(TRIALS), sample)
    if condition is not None:
        dataset = dataset.filter(lambda one: one.metadata["condition"] == condition)
    scorer = pattern(r"^\\W*([A-Z])\\b", ignore_case=False)
    metrics = [grouped(accuracy(), "condition"), stderr(cluster="question_id")]
    config = GenerateConfig(temperature=0.0, max_tokens=8)
    return Task(dataset=dataset, solver=generate(), scorer=scorer, metrics=metrics, config=config)
'''


def export_inspect(folder: Path, trials: Sequence[Trial], prompts: ChoicePrompts) -> list[Path]:
    """Write a task of inspect_ai, and return the files. Repeats are left out: both tools have their own."""
    folder.mkdir(parents=True, exist_ok=True)
    trials_file = folder / _TRIALS
    write_aside(trials_file, _lines(trials, prompts, None))
    task = folder / f"{_TASK}.py"
    write_aside(task, _INSPECT.format(task=_TASK, trials=_TRIALS))
    return [trials_file, task]


def export_lm_eval(folder: Path, trials: Sequence[Trial], prompts: ChoicePrompts) -> list[Path]:
    """Write tasks of lm-evaluation-harness, one a condition in a group, and return the files.

    Scored by the log-probability of the letters. The files name the folder by its absolute path, as that tool reads
    paths from where it is started.
    """
    folder.mkdir(parents=True, exist_ok=True)
    conditions = [one for one in Condition if any(trial.condition is one for trial in trials)]
    written = []
    for condition in conditions:
        of_condition = folder / f"trials_{condition}.jsonl"
        write_aside(of_condition, _lines(trials, prompts, condition))
        task = {
            "task": _task_of(condition),
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(of_condition.resolve())}},
            "test_split": "test",
            "output_type": "multiple_choice",
            "description": "{{system}}\n\n",
            "doc_to_text": "{{user}}\n\n",
            "doc_to_choice": "{{letters}}",
            "doc_to_target": "{{letters.index(right)}}",
            "target_delimiter": "",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
            "metadata": {"version": 1, "prompts": sorted({prompts.prompt(one.question).identity for one in trials})},
        }
        written += [of_condition, _write_yaml(folder / f"{_task_of(condition)}.yaml", task)]
    group = {"group": _TASK, "task": [_task_of(condition) for condition in conditions], "metadata": {"version": 1}}
    return [*written, _write_yaml(folder / f"{_TASK}.yaml", group)]


def _task_of(condition: Condition) -> str:
    return f"{_TASK}_{condition.replace('-', '_')}"


def _lines(trials: Sequence[Trial], prompts: ChoicePrompts, condition: Condition | None) -> str:
    chosen = [one for one in trials if one.repeat == 0 and condition in (None, one.condition)]
    records = [_record(one, prompts) for one in chosen if _right(one) is not None]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _right(trial: Trial) -> int | None:
    """Return what is right under a trial's condition; None where nothing is known to be.

    That is so of what the agent retrieves, and of incomplete contexts of questions without an abstain option or with
    one that is right even on full: they count in accuracy on full alone.
    """
    question = trial.question
    if trial.condition is Condition.FULL:
        return question.gold_full
    if question.abstain is None:
        return question.gold_full if trial.condition is Condition.NONE else None
    return question.abstain if trial.condition.is_incomplete and question.answerable else None


def _record(trial: Trial, prompts: ChoicePrompts) -> dict[str, Any]:
    letter_of = {number: letter for letter, number in trial.letters.items()}
    system, user = (message["content"] for message in prompts.request(trial, Way.LOGPROB).body["messages"])
    right, abstain = _right(trial), trial.question.abstain
    assert right is not None
    return {
        "key": trial.key,
        "question_id": trial.question.question_id,
        "condition": trial.condition,
        "permutation": trial.permutation,
        "system": system,
        "user": user,
        "letters": list(trial.letters),
        "right": letter_of[right],
        "gold_full": letter_of[trial.question.gold_full],
        "abstain": None if abstain is None else letter_of[abstain],
        "context": trial.context,
    }


def _write_yaml(path: Path, values: dict[str, Any]) -> Path:
    write_aside(path, yaml.safe_dump(values, allow_unicode=True, sort_keys=False))
    return path
