"""How good the answers of a run are, as a judge grades them against the reference and the gold articles.

Graded are the answers to questions that have one. Silence is no grade: where it is right it is counted as `silent
rightly`, where it is not it lowers `coverage` and the measure that says "silence 0".
"""

from __future__ import annotations

from collections.abc import Sequence

from evals.answers import answerable
from evals.judge import Grade, Ruling, Unruled, grade_prompt, grade_request, shown
from evals.realworld import Progress
from evals.rulings import Judge, Task, replies_of, ruled, rulings_folder
from evals.run_folder import RunFolder
from graph.records import Question

__all__ = ["grade_run", "grade_summary"]


def grade_run(
    run: RunFolder,
    questions: Sequence[Question],
    judge: Judge,
    progress: Progress = lambda step, done, total: None,
) -> RunFolder:
    """Grade a finished run of replies to these questions, and write the grades into it; `ruled` says what is raised."""
    replies = replies_of(run)
    tasks = []
    for question in questions:
        reply = replies[question.question_id]
        if answerable(question) and not reply["abstained"]:
            words = shown(reply)
            articles = judge.gold(question, words, question.text, question.answer)
            tasks.append(Task(question.question_id, "grade", grade_request(question, articles, words)))
    n_answerable = sum(map(answerable, questions))
    with rulings_folder(run, "judged-by", judge, grade_prompt()) as folder:
        rulings = list(ruled(folder, judge, tasks, Grade, progress).values())
        folder.write_json("metrics.json", {judge.name: grade_summary(rulings, n_answerable)})
    return folder


def grade_summary(rulings: Sequence[Ruling], n_answerable: int) -> dict[str, float]:
    """Return the measures, each in [0, 1]; those over nothing are left out.

    rulings: one for each answer to an answerable question. `judged GRADE` are shares of those that have a grade;
    `judged correct, silence 0` is a share of the answerable questions but those whose grade is missing; `no grade,
    WHY` are shares of all answers.
    """
    grades = [ruling.value for ruling in rulings if ruling.value is not None]
    found = {f"judged {grade}": grades.count(grade) / len(grades) for grade in Grade if grades}
    n_known = n_answerable - (len(rulings) - len(grades))
    if n_known:
        found["judged correct, silence 0"] = grades.count(Grade.CORRECT) / n_known
    for why in Unruled:
        if rulings:
            found[f"no grade, {why}"] = sum(ruling.missing is why for ruling in rulings) / len(rulings)
    return found
