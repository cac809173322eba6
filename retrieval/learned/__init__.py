"""A ranker learned from questions with known gold, over lexical, dense and structural features."""

from retrieval.learned.cross_validation import cross_validated_rankings
from retrieval.learned.features import GRAPH_GROUPS, GROUPS
from retrieval.learned.ranker import Ranker

__all__ = ["GRAPH_GROUPS", "GROUPS", "Ranker", "cross_validated_rankings"]
