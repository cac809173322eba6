"""`nonliquet graph`: the tree and the picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import Result

from agent.graph_svg import svg_of
from graph.citation_graph import CitationGraph
from graph.neighbourhood import neighbourhood
from graph.records import Edge, EdgeKind, Provision, Status

Run = Callable[..., Result]
SVG = "{http://www.w3.org/2000/svg}"


def provision(number: int, status: Status = Status.PRESENT, heading: str = "") -> Provision:
    return Provision(
        semantic_id=f"등대-법_{number}조",
        doc_id=number,
        law_name="등대 법",
        collection_name="등대 법",
        law_level="법률",
        chapter=f"제{number}조",
        chapter_description=heading,
        status=status,
    )


def picture(graph: CitationGraph, root: str, **options: int) -> ElementTree.Element:
    return ElementTree.fromstring(svg_of(neighbourhood(graph, root, **options), graph.provisions))


def test_the_tree_shows_both_directions_and_each_provision_once(nonliquet: Run, golden_index: Path):
    result = nonliquet("graph", "등대-안전법_1조", "--index", golden_index, "--depth", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    root, decree = result.stdout.splitlines()
    assert root.startswith("등대 안전법, 제1조")
    assert decree.startswith("└─ delegates → 등대 안전법 시행령, 제1조")


def test_depth_0_is_the_provision_alone(nonliquet: Run, golden_index: Path):
    assert nonliquet("graph", "등대-안전법_3조", "--index", golden_index, "--depth", "0").stdout.count("\n") == 1


def test_what_is_left_out_is_counted(nonliquet: Run, golden_index: Path):
    result = nonliquet("graph", "등대-안전법_3조", "--index", golden_index, "--most", "1")
    assert result.exit_code == 0
    graph = CitationGraph(
        [provision(n) for n in range(6)],
        [Edge("등대-법_0조", f"등대-법_{n}조", EdgeKind.CITES, start=n) for n in range(1, 6)],
    )
    assert neighbourhood(graph, "등대-법_0조", most=2).neighbours["등대-법_0조"].n_more == 3


def test_an_unknown_id_is_wrong_usage(nonliquet: Run, golden_index: Path):
    result = nonliquet("graph", "등대-안전법_99조", "--index", golden_index)
    assert result.exit_code == 2
    assert "등대-안전법_99조" in result.stderr


def test_the_picture_is_written_and_is_the_same_again(nonliquet: Run, golden_index: Path, tmp_path: Path):
    for name in ("one.svg", "two.svg"):
        result = nonliquet("graph", "등대-안전법_3조의2", "--index", golden_index, "--svg", tmp_path / name)
        assert result.exit_code == 0
        assert str(tmp_path / name) in result.stdout
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert ElementTree.parse(tmp_path / "one.svg").getroot().tag == f"{SVG}svg"


def test_a_picture_that_cannot_be_written_is_one_line(nonliquet: Run, golden_index: Path, tmp_path: Path):
    result = nonliquet("graph", "등대-안전법_3조", "--index", golden_index, "--svg", tmp_path / "no" / "such.svg")
    assert result.exit_code == 1
    assert f"error: {tmp_path / 'no' / 'such.svg'}: cannot be written" in result.stderr


def test_kinds_differ_in_colour_and_in_dashes_and_stand_in_the_legend():
    kinds = list(EdgeKind)
    graph = CitationGraph(
        [provision(n) for n in range(len(kinds) + 1)],
        [Edge("등대-법_0조", f"등대-법_{n}조", kind, start=n) for n, kind in enumerate(kinds, start=1)],
    )
    root = picture(graph, "등대-법_0조", most=20)
    lines = [path for path in root.iter(f"{SVG}path") if path.get("marker-end")]
    assert len(lines) == len(kinds)
    assert len({path.get("stroke") for path in lines}) == len(kinds)
    assert len({path.get("stroke-dasharray") for path in lines}) == len(kinds)
    words = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert all(kind.value.split("_")[0] in words for kind in kinds if kind is not EdgeKind.WHOLE_LAW)
    assert "cites the law as a whole" in words


def test_absent_and_repealed_provisions_look_different_and_are_explained():
    graph = CitationGraph(
        [provision(0), provision(1, Status.ABSENT), provision(2, Status.REPEALED)],
        [Edge("등대-법_0조", f"등대-법_{n}조", EdgeKind.CITES) for n in (1, 2)],
    )
    root = picture(graph, "등대-법_0조")
    dashed = [rect for rect in root.iter(f"{SVG}rect") if rect.get("rx") == "6" and rect.get("stroke-dasharray")]
    struck = [text for text in root.iter(f"{SVG}text") if text.get("text-decoration") == "line-through"]
    assert (len(dashed), [text.text for text in struck]) == (1, ["제2조"])
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert "dashed box: its text is not in the sources" in words
    assert "struck out: repealed" in words


def test_a_long_label_is_cut_to_its_box():
    graph = CitationGraph([provision(0, heading="소방시설의 설치 및 관리에 관한 아주 긴 제목")], [])
    label = next(text.text for text in picture(graph, "등대-법_0조").iter(f"{SVG}text"))
    assert label is not None
    assert label.endswith("…")


def test_a_long_name_keeps_its_end_that_tells_the_level():
    law = Provision(
        semantic_id="긴-이름_1조",
        doc_id=0,
        law_name="다중이용업소의 안전관리와 그 밖의 일에 관한 특별법 시행규칙",
        collection_name="",
        law_level="총리령",
        chapter="제1조",
    )
    _, name, *_ = (text.text for text in picture(CitationGraph([law], []), "긴-이름_1조").iter(f"{SVG}text"))
    assert name is not None
    assert name.startswith("…")
    assert name.endswith("특별법 시행규칙")


@given(st.text(max_size=60), st.text(max_size=20))
def test_whatever_a_heading_holds_the_picture_is_xml(heading: str, words: str):
    edges = [Edge("등대-법_0조", "등대-법_1조", EdgeKind.CITES, text=words)]
    graph = CitationGraph([provision(0, heading=heading), provision(1)], edges)
    assert picture(graph, "등대-법_0조").tag == f"{SVG}svg"


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30), st.integers(0, 3), st.integers(1, 4))
def test_each_provision_is_reached_once_by_its_shortest_way(pairs: list[tuple[int, int]], depth: int, most: int):
    edges = [Edge(f"등대-법_{a}조", f"등대-법_{b}조", EdgeKind.CITES) for a, b in pairs]
    graph = CitationGraph([provision(n) for n in range(8)], edges)
    around = neighbourhood(graph, "등대-법_0조", depth=depth, most=most)
    assert next(iter(around.neighbours)) == "등대-법_0조"
    for name, neighbour in around.neighbours.items():
        assert abs(neighbour.layer) <= depth
        if neighbour.parent is not None:
            assert abs(around.neighbours[neighbour.parent].layer) == abs(neighbour.layer) - 1
            assert name in around.neighbours[neighbour.parent].children
    assert {edge.source for edge in around.edges} | {edge.target for edge in around.edges} <= set(around.neighbours)


@pytest.mark.parametrize(("root", "depth", "most"), [("nowhere", 1, 1), ("등대-법_0조", -1, 1), ("등대-법_0조", 1, 0)])
def test_a_wrong_argument_is_refused(root: str, depth: int, most: int):
    with pytest.raises(ValueError, match=r"no provision|must be at least"):
        neighbourhood(CitationGraph([provision(0)], []), root, depth=depth, most=most)
