import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.citation_graph import CitationGraph
from graph.records import Edge, EdgeKind, Provision, Status
from retrieval.graph_vectors import RELATIONS, HeadingNode, Neighbourhoods, heading_nodes, smoothed


def article(law, number, headings="", status=Status.PRESENT):
    return Provision(
        semantic_id=f"{law}_{number}",
        doc_id=hash((law, number)) % 10000,
        law_name=law,
        collection_name=law,
        law_level="Act",
        chapter=f"Article {number}",
        heading_path=headings,
        text="Words.",
        language="en",
        status=status,
    )


def cites(source, target, kind=EdgeKind.CITES):
    return Edge(source, target, kind)


# Two laws, each with a chapter of general provisions; the first has sections below its second chapter.
LAW = [
    article("act", 1, "General provisions"),
    article("act", 2, "General provisions"),
    article("act", 3, "Duties > Owners"),
    article("act", 4, "Duties > Owners"),
    article("act", 5, "Duties > Tenants"),
    article("decree", 1, "General provisions"),
    article("decree", 2, "General provisions"),
    article("decree", 3),
    article("old", 1, status=Status.REPEALED),
]
EDGES = [
    cites("act_3", "act_1"),
    cites("act_3", "act_1"),
    cites("act_3", "decree_3"),
    cites("decree_1", "act_3", EdgeKind.IMPLEMENTS),
    cites("decree_2", "act_3", EdgeKind.IMPLEMENTS),
    cites("act_1", "decree_2", EdgeKind.DELEGATES),
    cites("act_1", "decree_3", EdgeKind.IMPLIED),
    cites("act_2", "old_1"),
    Edge("act_4", None, EdgeKind.CITES, reason="it names no article"),
]
GRAPH = CitationGraph(LAW, EDGES)
N = len(GRAPH.articles)
ROW = {name: row for row, name in enumerate(GRAPH.articles)}
ONE_HOT = np.eye(N)


def neighbours(relation, name, **options):
    """The neighbours that a mean of one-hot vectors shows, which must weigh the same."""
    mean = Neighbourhoods(GRAPH).means(ONE_HOT, relations=(relation,), **options)[0, ROW[name]]
    found = [GRAPH.articles[row] for row in np.flatnonzero(mean)]
    assert mean[mean > 0].tolist() == pytest.approx([1 / max(len(found), 1)] * len(found), abs=1e-12)
    return found


@pytest.mark.parametrize(
    ("relation", "name", "expected"),
    [
        ("cites", "act_3", ["act_1", "decree_3"]),  # cited twice, article 1 counts once
        ("cites", "act_1", []),
        ("cites", "act_2", []),  # what it cites has no text
        ("cites", "act_4", []),
        ("cites reversed", "act_1", ["act_3"]),
        ("cites reversed", "act_3", []),
        ("implements", "decree_1", ["act_3"]),
        ("implements", "act_3", []),
        ("implements reversed", "act_3", ["decree_1", "decree_2"]),
        ("delegates", "act_1", ["decree_2"]),  # an implied edge is none
        ("delegates reversed", "decree_2", ["act_1"]),
        ("heading", "act_1", ["act_2"]),  # and not the decree's general provisions
        ("heading", "decree_1", ["decree_2"]),
        ("heading", "decree_3", []),
        ("heading", "act_3", ["act_4"]),
        ("heading", "act_5", []),
        ("outer heading", "act_5", ["act_3", "act_4"]),
        ("outer heading", "act_1", []),
        ("law", "decree_3", ["decree_1", "decree_2"]),
        ("law", "act_5", ["act_1", "act_2", "act_3", "act_4"]),
    ],
)
def test_the_neighbours_of_an_article_by_a_relation(relation, name, expected):
    assert neighbours(relation, name) == expected


def test_an_article_that_is_left_out_is_nobodys_neighbour():
    left_out = [ROW["act_4"], ROW["decree_1"]]
    assert neighbours("heading", "act_3", without=left_out) == []
    assert neighbours("outer heading", "act_5", without=left_out) == ["act_3"]
    assert neighbours("implements reversed", "act_3", without=left_out) == ["decree_2"]
    assert neighbours("law", "act_4", without=left_out) == ["act_1", "act_2", "act_3", "act_5"]


def test_a_heading_is_a_node_of_its_law_its_edition_and_its_place():
    nodes = heading_nodes(LAW[2], "2026-01-01")
    assert nodes == (
        HeadingNode("act", "2026-01-01", ()),
        HeadingNode("act", "2026-01-01", ("Duties",)),
        HeadingNode("act", "2026-01-01", ("Duties", "Owners")),
    )
    assert heading_nodes(LAW[2], "2025-01-01")[1] != nodes[1]
    general = [node for node in Neighbourhoods(GRAPH).nodes if node.path == ("General provisions",)]
    assert [node.law for node in general] == ["act", "decree"]


def test_it_is_counted_how_many_articles_have_neighbours():
    counts = Neighbourhoods(GRAPH).n_with_neighbours()
    assert list(counts) == list(RELATIONS)
    assert {name: n for name, n in counts.items() if n} == {
        "cites": 1,
        "cites reversed": 2,
        "delegates": 1,
        "delegates reversed": 1,
        "implements": 2,
        "implements reversed": 1,
        "heading": 6,
        "outer heading": 3,
        "law": 8,
    }


def test_without_gains_the_vectors_stay_as_they_are():
    vectors = np.random.default_rng(1).standard_normal((N, 5))
    assert smoothed(vectors, Neighbourhoods(GRAPH), dict.fromkeys(RELATIONS, 0.0)).tolist() == vectors.tolist()
    assert smoothed(vectors, Neighbourhoods(GRAPH), {}).tolist() == vectors.tolist()


def plainly_smoothed(vectors, articles, edges, gains, without):
    """The equation of the module, article by article and edge by edge."""
    found = []
    for row, one in enumerate(articles):
        value = [float(x) for x in vectors[row]]
        for relation, gain in gains.items():
            kind, _, direction = relation.partition(" ")
            near = set()
            for edge in edges:
                if edge.kind.value == kind:
                    here, there = (edge.target, edge.source) if direction else (edge.source, edge.target)
                    if here == one.semantic_id:
                        near.add(there)
            own = one.heading_path.split(" > ") if one.heading_path else []
            depth = {"heading": len(own), "outer heading": len(own) - 1, "law": 0}.get(relation)
            if depth is not None and (depth > 0 or relation == "law"):
                for other in articles:
                    its = other.heading_path.split(" > ") if other.heading_path else []
                    if other is not one and other.law_name == one.law_name and its[:depth] == own[:depth]:
                        near.add(other.semantic_id)
            rows = [number for number, other in enumerate(articles) if other.semantic_id in near]
            rows = [number for number in rows if number not in without]
            for number in rows:
                for place in range(len(value)):
                    value[place] += gain * float(vectors[number][place]) / len(rows)
        found.append(value)
    return found


@st.composite
def laws(draw):
    headings = ["", "I", "II", "I > a", "I > b", "II > a", "II > a > x"]
    n_of_law = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    articles = [
        article(f"law{law}", number, draw(st.sampled_from(headings)))
        for law, n_articles in enumerate(n_of_law)
        for number in range(1, n_articles + 1)
    ]
    names = [one.semantic_id for one in articles]
    edge = st.tuples(st.sampled_from(names), st.sampled_from(names), st.sampled_from(list(EdgeKind)))
    edges = [Edge(*one) for one in draw(st.lists(edge, max_size=12)) if one[0] != one[1]]
    return articles, edges, draw(st.sets(st.integers(0, len(names) - 1), max_size=2)), draw(st.integers(0, 999))


@given(laws())
def test_smoothing_is_what_plain_loops_give(law):
    articles, edges, without, seed = law
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((len(articles), 3)).astype(np.float32)
    gains = dict(zip(RELATIONS, rng.standard_normal(len(RELATIONS)).tolist(), strict=True))
    neighbourhoods = Neighbourhoods(CitationGraph(articles, edges))
    expected = np.array(plainly_smoothed(vectors, articles, edges, gains, without))
    found = smoothed(vectors, neighbourhoods, gains, without=without)
    assert np.abs(found - expected).max() < 1e-6
    some = np.arange(0, len(articles), 2)
    assert np.abs(smoothed(vectors, neighbourhoods, gains, rows=some, without=without) - expected[some]).max() < 1e-6
