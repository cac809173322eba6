"""Where articles send to that is not at hand, on a law of ladders; its edges are given by hand."""

from dataclasses import replace

import pytest

from agent.beyond import beyond
from agent.coverage import Coverage
from agent.evidence import pack
from agent.grounding import QuoteSpan, cite
from agent.reply import Check
from graph.citation_graph import CitationGraph
from graph.records import Edge, EdgeKind, Hit, Provision, Status
from retrieval.lexical import LexicalIndex, LexicalSettings


def provision(law, label, text=""):
    return Provision(
        semantic_id=f"{law.lower().replace(' ', '-')}_{label}",
        doc_id=-1,
        law_name=law,
        collection_name="Ladder Act",
        law_level="Act",
        chapter=f"Article {label}",
        text=text,
        language="en",
        status=Status.PRESENT if text else Status.ABSENT,
    )


STORE = provision("Ladder Act", "1", "A ladder is stored below the height that the Decree prescribes.")
PAINT = provision("Ladder Act", "2", "A ladder is painted as Annex 2 says. A painter fills in Form 1 under Oil Act 5.")
HEIGHT = provision("Ladder Decree", "3", "The height under Article 1 of the Act is in Annex 1.")
ANNEX_1, ANNEX_2, FORM = (provision("Ladder Decree", label) for label in ("annex-1", "annex-2", "form-1"))
OIL = provision("Oil Act", "5")
ALL = [STORE, PAINT, HEIGHT, ANNEX_1, ANNEX_2, FORM, OIL]


def edge(source, target, words, kind=EdgeKind.CITES):
    start = source.text.index(words)
    return Edge(source.semantic_id, target.semantic_id, kind, start, start + len(words), words)


DELEGATION = edge(STORE, HEIGHT, "the Decree prescribes", EdgeKind.DELEGATES)
EDGES = [
    DELEGATION,
    edge(HEIGHT, ANNEX_1, "Annex 1"),
    edge(PAINT, ANNEX_2, "Annex 2"),
    edge(PAINT, FORM, "Form 1"),
    edge(PAINT, OIL, "Oil Act 5"),
]


def named(question, articles=(STORE, PAINT), *, edges=EDGES, quoted=(), max_hops=2, most=3, but=(), law=ALL):
    coverage = Coverage(question, LexicalIndex.build([STORE, PAINT, HEIGHT], LexicalSettings(), language="en"))
    hits = ((Hit(one.semantic_id, 1.0), one) for one in articles)
    evidence = pack(hits, budget_tokens=1000, value=lambda article, clause: 0.0)
    graph = CitationGraph(law, edges)
    return beyond(coverage, evidence, quoted, graph, max_hops=max_hops, most=most, but=but)


def ids(found):
    return [one.semantic_id for one in found]


def test_an_annex_behind_a_delegation_is_named_with_who_sends_there_and_in_which_words():
    (found,) = named("At what height?", [STORE])
    assert found.semantic_id == "ladder-decree_annex-1"
    assert found.sent_from == "ladder-decree_3"
    assert found.sentence == HEIGHT.text


def test_no_more_citations_are_followed_than_hops_are_allowed():
    assert named("At what height?", [STORE], max_hops=0) == ()
    assert ids(named("At what height?", [HEIGHT], max_hops=0)) == ["ladder-decree_annex-1"]


def test_the_clause_that_says_more_of_the_question_counts_before_the_place_of_its_article():
    both = "How is a ladder painted?"  # Annex 2 is sent to by a clause with both words, Annex 1 by one of the other
    ladder = replace(HEIGHT, text="The height of a ladder is in Annex 1.")
    edges = [DELEGATION, edge(ladder, ANNEX_1, "Annex 1"), *EDGES[2:]]
    found = named(both, [STORE, PAINT, ladder], edges=edges, law=[STORE, PAINT, ladder, ANNEX_1, ANNEX_2, FORM, OIL])
    assert ids(found)[0] == "ladder-decree_annex-2"


def test_what_a_clause_sends_to_that_says_little_of_the_question_is_not_named():
    assert ids(named("How is it painted?")) == ["ladder-decree_annex-2"]  # the other says nothing of it
    assert ids(named("At what height?")) == ["ladder-decree_annex-1"]


def test_where_words_tell_nothing_the_nearer_article_counts_and_a_delegation_is_nearer_than_a_citation():
    # 0.5 / (1 + place): annex 1 is sent to from place 0 + 1 by delegation or + 2 by citation, annex 2 from place 1.
    assert ids(named("Who?")) == ["ladder-decree_annex-1", "ladder-decree_annex-2"]  # 0.25 each
    cited = [replace(DELEGATION, kind=EdgeKind.CITES), *EDGES[1:]]
    assert ids(named("Who?", edges=cited)) == ["ladder-decree_annex-2", "ladder-decree_annex-1"]  # 0.25, 0.167


def test_no_more_are_named_than_asked_for():
    assert ids(named("Who?", most=1)) == ["ladder-decree_annex-1"]
    assert named("Who?", most=0) == ()


def test_what_is_named_already_is_not_named_again_and_takes_no_place():
    both = named("Who?")
    assert len(both) == 2
    assert ids(named("Who?", most=1, but=both[:1])) == ids(both[1:])


def test_forms_and_articles_of_other_laws_are_named_only_where_a_quoted_clause_sends_there():
    first, second = (PAINT.text.index(words) for words in ("A ladder", "A painter"))
    quote = cite(PAINT, QuoteSpan(second, len(PAINT.text), Check.EXACT))
    assert set(ids(named("Who paints?", [PAINT], quoted=[quote]))) == {
        "ladder-decree_annex-2",
        "ladder-decree_form-1",
        "oil-act_5",
    }
    other = cite(PAINT, QuoteSpan(first, second - 1, Check.EXACT))
    assert ids(named("Who paints?", [PAINT], quoted=[other])) == ["ladder-decree_annex-2"]


@pytest.mark.parametrize("kind", [EdgeKind.EXCEPTS, EdgeKind.WHOLE_LAW, EdgeKind.IMPLIED])
def test_citations_that_take_no_detail_from_where_they_lead_are_not_followed(kind):
    passed_over = [replace(one, kind=kind) for one in EDGES]
    assert named("How is it painted, and at what height?", edges=passed_over) == ()
