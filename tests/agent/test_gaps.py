"""Provisions that are not at hand, reached along citations: Act 1 -> Decree 2 -> Annex 1, and Act 3 -> another Act."""

from dataclasses import replace

from agent.gaps import absent_of_family, absent_within_reach, gaps
from graph.links import citation_graph
from graph.records import Provision, Status


def article(law, label, text="", *, level="Act", status=Status.PRESENT, heading=""):
    return Provision(
        semantic_id=f"{law.lower().replace(' ', '-')}_{label.lower().replace(' ', '-').removeprefix('article-')}",
        doc_id=-1,
        law_name=law,
        collection_name="Ladder Act",
        law_level=level,
        chapter=label,
        chapter_description=heading,
        text=text,
        language="en",
        status=status,
    )


STORE = article("Ladder Act", "Article 1", "A ladder shall not be stored above the height prescribed by the Decree.")
HEIGHT = article(
    "Ladder Decree",
    "Article 2",
    'The "height prescribed by the Decree" in Article 1 of the Act is set out in Annex 1.',
    level="Decree",
)
ANNEX = article("Ladder Decree", "Annex 1", level="Decree", status=Status.ABSENT, heading="Heights of ladders")
SAFE = article("Ladder Act", "Article 3", "Ladders are inspected under Article 7 of the Tools Act.")
GRAPH = citation_graph([STORE, HEIGHT, ANNEX, SAFE])


def names(articles, max_hops):
    return [missing.semantic_id for missing, _ in absent_within_reach(articles, GRAPH, max_hops=max_hops)]


def test_a_provision_is_within_reach_if_no_more_hops_lead_to_it_than_may_be_made():
    assert names([STORE], 0) == []
    assert names([STORE], 1) == ["ladder-decree_annex-1"]
    assert names([HEIGHT], 0) == ["ladder-decree_annex-1"]
    assert names([SAFE], 0) == ["tools-act_7"]


def test_it_says_who_sends_there_in_which_words_and_is_read_by_all_that_the_law_says_of_it():
    ((missing, card),) = absent_within_reach([STORE], GRAPH, max_hops=1)
    assert (missing.sent_from, missing.sentence) == ("ladder-decree_2", HEIGHT.text)
    assert card.text.splitlines() == ["Heights of ladders", HEIGHT.text, STORE.text]


def test_gaps_come_in_the_order_of_their_fit():
    reach = absent_within_reach([STORE, SAFE], GRAPH, max_hops=1)
    fits = {"ladder-decree_annex-1": 0.1, "tools-act_7": 0.3}
    found = gaps(reach, lambda cards: [fits[missing.semantic_id] for missing, _ in reach])
    assert [(gap.missing.semantic_id, gap.fit) for gap in found] == [
        ("tools-act_7", 0.3),
        ("ladder-decree_annex-1", 0.1),
    ]
    assert gaps([], lambda cards: []) == []


def test_of_a_family_are_the_absent_provisions_that_any_of_its_articles_sends_to_but_forms_the_most_worth_first():
    report = article("Ladder Act", "Article 4", "Accidents are reported in Form 1 of the Ladder Decree.")
    form = article("Ladder Decree", "Form 1", level="Decree", status=Status.ABSENT)
    alien = replace(article("Bridge Act", "Article 1", "Tolls are in Article 9 of the Toll Act."), collection_name="B")
    graph = citation_graph([STORE, HEIGHT, ANNEX, SAFE, report, form, alien])
    assert "toll-act_9" in graph.provisions
    worth = {"ladder-decree_2": 0.1, "ladder-act_3": 0.3}
    found = absent_of_family(STORE, graph, lambda card: worth[card.semantic_id])
    assert [missing.semantic_id for missing, _ in found] == ["tools-act_7", "ladder-decree_annex-1"]
