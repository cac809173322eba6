import math

import pytest

from agent.coverage import Coverage
from graph.records import Provision
from retrieval.lexical import LexicalIndex, LexicalSettings


@pytest.fixture
def lexical():
    articles = [
        Provision(
            semantic_id=f"act_{n}", doc_id=n, law_name="", collection_name="", law_level="", chapter="", text=text,
            language="en",
        )
        for n, text in enumerate(["ladder rope", "ladder", "ladder"])
    ]  # fmt: skip
    return LexicalIndex.build(articles, LexicalSettings(), language="en")


def test_rare_words_weigh_more_and_unknown_ones_most(lexical):
    coverage = Coverage("ladder rope unicorn", lexical)
    ladder, rope, unicorn = (math.log(1 + (3 - df + 0.5) / (df + 0.5)) for df in (3, 1, 0))
    assert coverage.share(coverage.terms("a rope")) == pytest.approx(rope / (ladder + rope + unicorn), abs=1e-12)


def test_texts_cover_together_what_either_covers(lexical):
    coverage = Coverage("ladder rope", lexical)
    assert coverage.joint_share([coverage.terms("ladder"), coverage.terms("rope")]) == pytest.approx(1.0)
    assert coverage.joint_share([]) == 0.0


def test_an_empty_question_is_covered_by_nothing(lexical):
    assert Coverage("", lexical).share(frozenset()) == 0.0
