"""I/O: every number of the agent that can be set, with its unit; it holds retrieval's settings too."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from agent.chat_model import ModelSettings
from retrieval.settings import RetrievalSettings

__all__ = ["AgentSettings", "RelevanceWeights", "model_api_key"]


@dataclass(frozen=True, slots=True)
class RelevanceWeights:
    """Relevance = logistic(bias + sum of weight · feature): how well the evidence fits the question at all.

    The features are those of `agent.sufficiency.Features`. The defaults are what `python -m evals relevance` fits to
    laws in six languages; docs/decisions.md has each of them judged without itself.
    """

    similarity_above_chance: float = 0.0
    sparse_over_chance: float = 0.0
    words_beyond_chance: float = 0.0
    evidence_coverage: float = 0.0
    bias: float = 0.0


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What the agent reads, how far it follows citations, and when it keeps silent."""

    retrieval: RetrievalSettings | None = None  # None: those that the index was built with
    model: ModelSettings = field(default_factory=ModelSettings)
    self_check: bool = False  # ask the model, before it answers, whether the evidence is enough
    calibration: str | None = None  # file of `nonliquet evals calibrate`: which answers are sure enough to be given
    mode: str = "plain"  # "agentic": with a model that calls tools, it gathers the articles itself
    max_steps: int = 8  # agentic: turns of the model
    gather_tokens: int = 12_000  # agentic: what the tools may return, estimated
    n_hits: int = 6  # articles retrieved for a question
    context_tokens: int = 6000  # what the evidence may take, estimated: see agent.evidence.n_tokens
    max_hops: int = 2  # how often the articles that the best clauses cite are fetched
    n_hop_articles: int = 6  # articles fetched a hop
    n_quotes: int = 3  # clauses that an extractive answer quotes
    n_beyond: int = 3  # provisions not at hand that a reply names beside what it says
    beyond_hops: int = 2  # citations followed to find them; nothing is fetched for it
    question_chars: int = 20_000  # of a longer question, the rest is not read
    min_relevance: float = 0.5  # in [0, 1]: below it the statutes do not speak of what is asked
    on_subject_above_chance: float = 0.21  # similarity from which on the subject itself is dealt with: agent.chance
    on_subject_coverage: float = 0.35  # the same by words alone: the best clause's share of the question
    rewrite: bool = True  # have the model write an answer anew, once, of which nothing could be verified
    entailment_model: str | None = None  # a cross-encoder for inference that has to agree; None: verification by rules
    min_entailment: float = 0.5  # in [0, 1]: probability from which on it agrees
    gap_margin: float = 0.03  # cosine by which an absent provision may fit the question less than the best clause does
    gap_tie: float = 0.01  # cosine up to which two absent provisions fit alike, so that both are named
    gap_beside: float = 0.015  # the same for what the other articles of the law's family send to
    n_missing: int = 3  # provisions named as missing where it cannot be told which one it is
    near_best: float = 0.7  # share of the best clause's score from which on another one fits as well
    as_near: float = 0.8  # the same for the clauses that are quoted, if any of them holds what is asked
    embedded_relevance: RelevanceWeights = RelevanceWeights(
        similarity_above_chance=2.36, sparse_over_chance=8.40, evidence_coverage=2.32, bias=-15.22
    )
    dense_relevance: RelevanceWeights = RelevanceWeights(  # without sparse vectors
        similarity_above_chance=17.66, words_beyond_chance=3.81, evidence_coverage=3.31, bias=-5.25
    )
    lexical_relevance: RelevanceWeights = RelevanceWeights(evidence_coverage=12.0, bias=-3.0)  # of other encoders, too

    def __post_init__(self) -> None:
        counted = ("n_hits", "context_tokens", "n_quotes", "question_chars", "max_steps", "gather_tokens")
        for name, value in ((name, getattr(self, name)) for name in counted):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if self.mode not in ("plain", "agentic"):
            raise ValueError(f"mode {self.mode!r} is neither plain nor agentic")
        if not 0 <= self.min_entailment <= 1:
            raise ValueError(f"min_entailment must lie within [0, 1], not {self.min_entailment}")
        for name in ("max_hops", "n_hop_articles", "n_beyond", "beyond_hops"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if not 0 <= self.min_relevance <= 1:
            raise ValueError(f"min_relevance must lie within [0, 1], not {self.min_relevance}")


def model_api_key() -> str | None:
    """Return the key that model servers are shown, $NONLIQUET_MODEL_API_KEY; None if there is none."""
    return os.environ.get("NONLIQUET_MODEL_API_KEY") or None
