"""The learned gate on choice questions: fitted on full, partial and decoy contexts, never on the question it judges."""

from __future__ import annotations

from collections.abc import Sequence

from agent.gate.features import GateFeatures, Knowledge
from agent.gate.model import GateModel
from evals.gate_training import GateExample, fit_gate, out_of_fold
from evals.mcq.contexts import contexts
from evals.mcq.gates import GateCase
from evals.mcq.records import ChoiceQuestion, Condition
from graph.errors import QuestionsError
from retrieval.encoder_cache import CachedEncoder
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder

__all__ = ["ChoiceFeatures", "LearnedChoiceGate", "fitted_on"]

_LABELS = {Condition.FULL: True, Condition.PARTIAL: False, Condition.DECOY: False}
"""The conditions that are learned from, and whether the context is enough."""


class ChoiceFeatures:
    """The features of choice questions with contexts, the questions' vectors kept in the cache folder.

    with_options: read the options' texts, too, but for the one that says "cannot be answered".
    """

    def __init__(self, retriever: Retriever, knowledge: Knowledge, *, with_options: bool = True) -> None:
        encoder = None
        if retriever.index.has_vectors:
            cache_folder().mkdir(parents=True, exist_ok=True)
            encoder = CachedEncoder(retriever.encoder, cache_folder() / "vectors.sqlite")
        self.knowledge = knowledge
        self.graph = retriever.index.graph
        self._with_options = with_options
        self._features = GateFeatures(retriever, knowledge, encoder=encoder)
        self._described: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}

    def example(self, case: GateCase, *, enough: bool | None) -> GateExample:
        """Describe a case whose context is not empty."""
        question = case.question
        key = question.question_id, case.context
        if key not in self._described:
            options = [one for number, one in enumerate(question.options, start=1) if number != question.abstain]
            self._described[key] = self._features.values(
                question.text, case.context, options if self._with_options else ()
            )
        return GateExample(self._described[key], question.group, enough)

    def labelled(self, questions: Sequence[ChoiceQuestion]) -> list[GateExample]:
        """Return the full, partial and decoy contexts of the questions that can be answered, where there are some."""
        found = []
        for question in questions:
            for condition, enough in _LABELS.items():
                context = contexts(question, condition, self.graph) if question.answerable else None
                if context and len(question.articles) > 1 and not question.given:
                    found.append(self.example(GateCase(question, condition, context), enough=enough))
        return found


class LearnedChoiceGate:
    """Judges by the learned gate.

    training: the questions to learn from; none: those that are judged, each by a gate fitted on the other folds, which
    are divided by first article. seed: of the folds and the trees.
    """

    name = "learned"

    def __init__(
        self,
        features: ChoiceFeatures,
        questions: Sequence[ChoiceQuestion],
        *,
        training: Sequence[ChoiceQuestion] | None = None,
        seed: int = 0,
    ) -> None:
        self._features = features
        self._questions = questions
        self._training = training
        self._seed = seed

    def sufficiencies(self, cases: Sequence[GateCase]) -> list[float]:
        """Return, a case, the probability that its context is enough, in [0, 1]; 0 for an empty one.

        Raises QuestionsError if there is too little to learn from, SettingsError without the extra `learn`.
        """
        judged = [place for place, case in enumerate(cases) if case.context]
        examples = [self._features.example(cases[place], enough=None) for place in judged]
        if self._training is None:
            labelled = self._features.labelled(self._questions)
            try:
                found = out_of_fold([*labelled, *examples], self._features.knowledge, seed=self._seed)[len(labelled) :]
            except ValueError as error:
                raise QuestionsError(f"gate learned: {error}; or name other questions with --train FILE") from error
        else:
            model = fitted_on(self._features, self._training, seed=self._seed)
            found = [model.probability(one.values) for one in examples]
        by_place = dict(zip(judged, found, strict=True))
        return [by_place.get(place, 0.0) for place in range(len(cases))]


def fitted_on(features: ChoiceFeatures, questions: Sequence[ChoiceQuestion], *, seed: int) -> GateModel:
    """Return a gate fitted on all contexts of these questions. Raises QuestionsError if they are too few."""
    try:
        return fit_gate(features.labelled(questions), features.knowledge, seed=seed)
    except ValueError as error:
        raise QuestionsError(f"gate learned: {error}") from error
