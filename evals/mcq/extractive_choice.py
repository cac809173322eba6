"""The extractive reader on choice questions: which option does one clause of the context say best?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from agent.coverage import Coverage
from agent.evidence import EvidenceArticle
from evals.mcq.controls import Chooser, tie_break
from evals.mcq.records import ChoiceQuestion
from evals.mcq.sources import Sources
from evals.mcq.trials import Choice, Trial

__all__ = ["extractive"]

_SAID = 0.5  # share of an option's weight that a clause must say, below which the option is not found in the context


def extractive(sources: Sources) -> Chooser:
    """Choose the option that one clause says best together with the question.

    The score is the greatest, over the context's clauses, of the mean of two shares: of the option's words and of the
    question's words that the clause holds, by weight of their rarity; a clause is read with its lead-in and heading.
    Ties go by the hash of the option's words. Abstains where no clause says half of the chosen option. The confidence
    is the score.
    """

    @lru_cache(maxsize=64)
    def shares(question: ChoiceQuestion, context: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
        return _shares(question, sources.evidence(question, context), sources)

    def choose(trial: Trial) -> Choice:
        question = trial.question
        scored = [
            (score, tie_break(option), number, said)
            for number, (option, (score, said)) in enumerate(
                zip(question.options, shares(question, trial.context), strict=True), start=1
            )
            if number != question.abstain
        ]
        score, _, best, said = max(scored)
        silent = question.abstain is not None and said < _SAID
        return Choice(question.abstain if silent else best, best, score)

    return choose


def _shares(
    question: ChoiceQuestion, evidence: Sequence[EvidenceArticle], sources: Sources
) -> tuple[tuple[float, float], ...]:
    """Return, an option, the score of the clause that says it best, and the share of the option that clause says."""
    of_question = Coverage(question.text, sources.lexical)
    texts = []
    for one in evidence:
        for clause in one.clauses:
            lead = one.article.text[clause.lead_start : clause.lead_end]
            words = one.article.text[clause.start : clause.end]
            texts.append(f"{one.article.chapter_description}\n{lead}\n{words}")
    asked = [of_question.share(of_question.terms(text)) for text in texts]
    found = []
    for option in question.options:
        coverage = Coverage(option, sources.lexical)
        said = [coverage.share(coverage.terms(text)) for text in texts]
        found.append(max((((s + q) / 2, s) for s, q in zip(said, asked, strict=True)), default=(0.0, 0.0)))
    return tuple(found)
