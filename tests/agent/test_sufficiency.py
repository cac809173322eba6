"""The decision, on the golden law in English: two laws, one delegation that ends in an annex that is not there."""

from dataclasses import replace

import pytest

from agent.clause_ranking import ScoredClause, rank_clauses
from agent.coverage import Coverage
from agent.evidence import pack
from agent.gaps import Gap
from agent.reply import AbstentionKind, MissingProvision
from agent.settings import AgentSettings, RelevanceWeights
from agent.sufficiency import Features, first_named, judge, relevance
from graph.citation_graph import CitationGraph
from graph.clauses import clauses
from graph.links import citation_graph
from graph.records import Edge, EdgeKind, Hit, Provision, Status
from retrieval.lexical import LexicalIndex, LexicalSettings


def article(law, number, text, *, level="Act", status=Status.PRESENT, chapter=None):
    return Provision(
        semantic_id=f"{law.lower().replace(' ', '-')}_{number}",
        doc_id=-1,
        law_name=law,
        collection_name="Ladder Act",
        law_level=level,
        chapter=chapter or f"Article {number}",
        text=text,
        language="en",
        status=status,
    )


STORE = article("Ladder Act", 1, "A ladder shall not be stored above the height prescribed by the Decree.")
HEIGHT = article(
    "Ladder Decree",
    2,
    'The "height prescribed by the Decree" in Article 1 of the Act is set out in Annex 1.',
    level="Decree",
)
PAINT = article("Ladder Act", 3, "A ladder shall be painted once in 5 years.")
ANNEX = article("Ladder Decree", "annex-1", "", level="Decree", status=Status.ABSENT, chapter="Annex 1")
ALL = [STORE, HEIGHT, PAINT, ANNEX]


def decide(
    question,
    articles=(STORE, HEIGHT, PAINT),
    *,
    features=None,
    graph: CitationGraph | None = None,
    gaps=(),
    of_family=tuple,
):
    lexical = LexicalIndex.build([STORE, HEIGHT, PAINT], LexicalSettings(), language="en")
    coverage = Coverage(question, lexical)
    evidence = pack(
        ((Hit(a.semantic_id, 1.0), a) for a in articles), budget_tokens=1000, value=lambda article, clause: 0.0
    )
    ranked = rank_clauses(question, evidence, coverage, None)
    features = features or Features(clause_coverage=1.0, evidence_coverage=1.0)
    return judge(
        question, ranked, features, graph or citation_graph(ALL), AgentSettings(), gaps=gaps, of_family=of_family
    )


def test_a_clause_that_holds_what_is_asked_is_enough():
    verdict = decide("How often shall a ladder be painted?")
    assert verdict.kind is None
    assert verdict.clauses[0].article is PAINT


def test_a_delegation_that_ends_in_an_absent_annex_is_missing_and_says_who_sends_there():
    verdict = decide("Up to how many metres may a ladder be stored?")
    assert verdict.kind is AbstentionKind.MISSING_PROVISION
    (missing,) = verdict.missing
    assert missing.semantic_id == "ladder-decree_annex-1"
    assert missing.sent_from == "ladder-decree_2"
    assert missing.sentence == HEIGHT.text


def test_without_the_absent_annex_the_same_evidence_is_merely_insufficient():
    graph = CitationGraph([STORE, HEIGHT, PAINT], [])
    verdict = decide("Up to how many metres may a ladder be stored?", graph=graph)
    assert verdict.kind is AbstentionKind.INSUFFICIENT_EVIDENCE
    assert verdict.missing == ()


def test_evidence_that_does_not_fit_at_all_is_no_relevant_article():
    verdict = decide("Who may marry?", features=Features(clause_coverage=0.0, evidence_coverage=0.0))
    assert verdict.kind is AbstentionKind.NO_RELEVANT_ARTICLE


def test_no_evidence_at_all_is_no_relevant_article():
    verdict = decide("Who may marry?", [], features=Features(clause_coverage=0.0, evidence_coverage=0.0))
    assert verdict.kind is AbstentionKind.NO_RELEVANT_ARTICLE
    assert verdict.clauses == ()


def test_evidence_on_the_subject_that_does_not_fit_is_insufficient():
    features = Features(clause_coverage=0.4, evidence_coverage=0.2)
    assert decide("Who paints ladders?", features=features).kind is AbstentionKind.INSUFFICIENT_EVIDENCE


@pytest.mark.parametrize(("value", "expected"), [(0.0, 1 / (1 + 2.718281828459045)), (0.5, 0.5)])
def test_relevance_is_the_logistic_of_the_weighted_features(value, expected):
    weights = RelevanceWeights(evidence_coverage=2.0, bias=-1.0)
    features = Features(clause_coverage=0.9, evidence_coverage=value)
    assert relevance(features, weights) == pytest.approx(expected, abs=1e-12)


def test_a_form_that_the_best_clause_sends_to_is_no_gap_and_an_annex_is():
    paint = article("Ladder Act", 4, "Whoever paints a ladder reports it as in Annex 1.")
    form = article("Ladder Decree", "form-1", "", level="Decree", status=Status.ABSENT, chapter="Form 1")
    start = paint.text.index("Annex 1")
    for target, kind in ((form, None), (ANNEX, AbstentionKind.MISSING_PROVISION)):
        edge = Edge(paint.semantic_id, target.semantic_id, EdgeKind.CITES, start, start + 7, "Annex 1")
        graph = CitationGraph([paint, target], [edge])
        assert decide("Is painting reported?", [paint], graph=graph).kind is kind


def test_dense_cosines_decide_on_relevance_only_where_it_is_known_what_chance_gives():
    # logistic(17.66 * above + 3.31 * 0.2 - 5.25): 0.5 at 4.588 / 17.66 = 0.2598.
    # By words alone: logistic(12 * 0.2 - 3).
    far, near = (Features(0.2, 0.2, 0.9, similarity_above_chance=above) for above in (0.259, 0.26))
    question = "How often shall a ladder be painted?"
    assert decide(question, features=far).kind is not None
    assert decide(question, features=near).kind is None
    other = replace(near, similarity_above_chance=None)
    assert decide(question, features=other).kind is not None
    assert decide(question, features=other).reasons["relevance_by"] == "words alone"
    assert decide(question, features=near).reasons["features"]["similarity_above_chance"] == 0.26


def test_rare_words_that_an_article_shares_beyond_chance_make_up_for_cosines_that_lie_near_it():
    # 17.66 * 0.07 + 3.31 * 0.52 - 5.25 = -2.2926, and 3.81 a word: 0.6017 words turn it.
    question = "How often shall a ladder be painted?"
    for words, fits in ((0.0, False), (0.60, False), (0.61, True)):
        features = Features(0.39, 0.52, 0.85, similarity_above_chance=0.07, words_beyond_chance=words)
        assert (decide(question, features=features).kind is None) is fits


FEE = article("Ladder Act", 5, "The licence is 5 crowns.")
COST = article("Ladder Act", 6, "The owner shall bear the cost.")


@pytest.mark.parametrize(
    ("question", "ranked", "kind"),
    [
        ("Who pays for the paint?", [(PAINT, 0.5), (COST, 0.0)], AbstentionKind.INSUFFICIENT_EVIDENCE),
        ("How much does the paint cost?", [(PAINT, 0.5), (FEE, 0.009)], AbstentionKind.INSUFFICIENT_EVIDENCE),
        ("Who pays for the paint?", [(PAINT, 0.5), (COST, 0.01)], None),  # it says a word of the question
        ("Who pays for the paint?", [(COST, 0.0), (PAINT, 0.5)], None),  # nothing fits better
        ("Wer zahlt die Farbe?", [(PAINT, 0.0), (COST, 0.0)], None),  # no words in common with any clause
        ("When is it painted?", [(COST, 0.5), (PAINT, 0.0)], None),  # a period
    ],
)
def test_who_pays_and_how_much_is_read_from_a_clause_that_says_a_word_of_the_matter(question, ranked, kind):
    clauses_of = [replace(ScoredClause.of(one, clauses(one.text)[0]), coverage=said, score=1.0) for one, said in ranked]
    verdict = judge(question, clauses_of, Features(1.0, 1.0), CitationGraph(ALL, []), AgentSettings())
    assert verdict.kind is kind


def test_a_gap_that_fits_a_little_less_than_the_best_clause_counts_only_where_sparse_vectors_are():
    missing = MissingProvision(ANNEX.semantic_id, ANNEX.law_name, ANNEX.chapter, "", HEIGHT.semantic_id, HEIGHT.text)
    dense = Features(1.0, 1.0, clause_similarity=0.9, similarity_above_chance=1.0)
    with_sparse = replace(dense, sparse_over_chance=3.0)
    for features, fit, kind in (
        (with_sparse, -0.02, AbstentionKind.MISSING_PROVISION),
        (dense, -0.02, AbstentionKind.INSUFFICIENT_EVIDENCE),
        (dense, 0.0, AbstentionKind.MISSING_PROVISION),
    ):
        question = "Up to how many metres may a ladder be stored?"
        assert decide(question, [PAINT], features=features, gaps=[Gap(missing, fit)]).kind is kind


def missing(name, *, sent_from=HEIGHT, heading=""):
    return MissingProvision(name, "Ladder Decree", name, heading, sent_from.semantic_id, sent_from.text)


def test_of_an_article_that_fills_in_for_several_only_the_clause_that_names_the_one_counts():
    call = article("Ladder Act", 5, "(2) Whoever calls for a ladder pays a charge prescribed by the Decree.")
    text = "(1) The fee under Article 6 of the Act is set out in Annex 1.\n"
    text += "(2) The charge under Article 5(2) of the Act is 20 crowns."
    fees = article("Ladder Decree", 8, text, level="Decree")
    back, to_annex, from_act = (
        Edge(fees.semantic_id, call.semantic_id, EdgeKind.IMPLEMENTS, text.index("Article 5"), len(text) - 27, ""),
        Edge(fees.semantic_id, ANNEX.semantic_id, EdgeKind.CITES, text.index("Annex 1"), text.index("Annex 1") + 7, ""),
        Edge(call.semantic_id, fees.semantic_id, EdgeKind.DELEGATES, 58, 68, "the Decree"),
    )
    question = "Does whoever calls for a ladder pay a charge?"
    with_back = CitationGraph([call, fees, ANNEX], [replace(back, text="Article 5(2)"), to_annex, from_act])
    without = CitationGraph([call, fees, ANNEX], [to_annex, from_act])
    assert decide(question, [call, fees], graph=with_back).kind is None
    assert decide(question, [call, fees], graph=without).kind is AbstentionKind.MISSING_PROVISION


def test_where_a_sum_is_asked_and_no_money_is_in_what_is_missing_what_holds_money_is_named_beside_it():
    fines = missing("ladder-decree_annex-2", heading="Scale of fines")
    tools = missing("ladder-decree_annex-3", heading="Tools")
    verdict = decide(
        "How much must I pay for a ladder stored too high?",
        [STORE, HEIGHT],
        of_family=lambda: [Gap(tools, 0.0), Gap(fines, -0.1)],
    )
    assert verdict.kind is AbstentionKind.MISSING_PROVISION
    assert [one.semantic_id for one in verdict.missing] == [ANNEX.semantic_id, fines.semantic_id]


def test_what_fits_alike_in_the_family_is_named_beside_a_gap_and_three_at_most():
    family = [Gap(missing(f"ladder-decree_annex-{n}"), fit) for n, fit in ((4, 0.1), (5, 0.09), (6, 0.08), (7, 0.05))]
    verdict = decide(
        "Up to how many metres may a ladder be stored?",
        [PAINT],
        features=Features(1.0, 1.0, 0.9),
        gaps=family[:1],
        of_family=lambda: family[1:],
    )
    assert [one.semantic_id[-1] for one in verdict.missing] == ["4", "5"]  # 0.08 lies more than 0.015 below 0.1


def test_a_form_is_no_gap_where_a_quantity_is_asked():
    form = Gap(missing("ladder-decree_form-1"), 0.5)
    features = Features(1.0, 1.0, 0.9)
    assert decide("How often shall a ladder be stored?", [STORE], features=features, gaps=[form]).missing == ()
    assert decide("Which details does it ask for?", [STORE], features=features, gaps=[form]).missing == (form.missing,)


def test_each_provision_is_named_once_in_the_order_in_which_they_come():
    first, second, third = (missing(f"ladder-decree_annex-{n}") for n in (4, 5, 6))
    again = missing("ladder-decree_annex-4", sent_from=STORE)
    assert first_named([first, second, again, third], 2) == (first, second)
