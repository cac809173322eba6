from agent.clause_ranking import ScoredClause
from agent.extractive import Quote, read
from graph.clauses import clauses
from graph.records import Provision

ARTICLE = Provision(
    semantic_id="act_1", doc_id=0, law_name="Act", collection_name="Act", law_level="Act", chapter="Article 1",
    chapter_description="Tools", text="(1) Needed are:\n  1. a ladder;\n  2. a rope.\n(2) Nothing else.", language="en",
)  # fmt: skip
LEAD_IN, LADDER, ROPE, ELSE = (
    ScoredClause(ARTICLE, clause, 0, frozenset(), 0.0, None, 0.0) for clause in clauses(ARTICLE.text)
)


def test_items_of_one_list_share_their_lead_in_and_their_article_is_named_once():
    draft = read([ROPE, LADDER])
    assert draft.text == "Act, Article 1 (Tools): “(1) Needed are:” [1] “2. a rope.” [2] “1. a ladder;” [3]"
    assert draft.quotes == tuple(Quote("act_1", words) for words in ("(1) Needed are:", "2. a rope.", "1. a ladder;"))


def test_nothing_to_quote_is_an_empty_draft():
    assert read([]).quotes == ()
    assert read([]).text == ""
