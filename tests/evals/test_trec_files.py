from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.trec_files import read_qrels, read_run, run_scores, write_qrels, write_run
from graph.errors import QuestionsError

NAMES = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=6)
RANKINGS = st.lists(NAMES, unique=True, min_size=1, max_size=8)


def test_a_run_is_written_with_scores_that_count_down(tmp_path):
    write_run(tmp_path / "run", {"7": ["b_1", "a_1"]}, tag="sar:bm25")
    assert (tmp_path / "run").read_text() == "7 Q0 b_1 1 2 sar:bm25\n7 Q0 a_1 2 1 sar:bm25\n"


def test_qrels_are_written_with_their_grades(tmp_path):
    write_qrels(tmp_path / "qrels", {"7": {"b_1": 1}})
    assert (tmp_path / "qrels").read_text() == "7 0 b_1 1\n"


@given(run=st.dictionaries(NAMES, RANKINGS, max_size=4))
def test_a_run_reads_back_as_it_was_written(tmp_path_factory, run):
    path = tmp_path_factory.mktemp("trec") / "run"
    write_run(path, run, tag="x")
    assert read_run(path) == run


@given(qrels=st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(0, 3), min_size=1), max_size=4))
def test_qrels_read_back_as_they_were_written(tmp_path_factory, qrels):
    path = tmp_path_factory.mktemp("trec") / "qrels"
    write_qrels(path, qrels)
    assert read_qrels(path) == qrels


@given(ranking=RANKINGS)
def test_the_scores_of_a_run_fall_strictly(ranking):
    scores = list(run_scores(ranking).values())
    assert all(first > second for first, second in pairwise(scores))


@pytest.mark.parametrize("name", ["a b", "a\u3000b", " a", "a\n", ""])
def test_an_id_with_white_space_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="is empty or holds white space"):
        write_run(tmp_path / "run", {"1": [name]}, tag="x")
    with pytest.raises(ValueError, match="is empty or holds white space"):
        write_qrels(tmp_path / "qrels", {name: {"a": 1}})
    assert list(tmp_path.iterdir()) == []


def test_an_article_that_comes_twice_is_refused():
    with pytest.raises(ValueError, match="names an article twice"):
        run_scores(["a", "a"])


def test_a_foreign_run_is_read_by_its_scores(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 0.1 x\n1 Q0 b 2 0.9 x\n1 Q0 c 3 0.1 x\n")
    assert read_run(tmp_path / "run") == {"1": ["b", "c", "a"]}  # trec_eval gives equals in descending order of ids


@pytest.mark.parametrize(
    ("text", "problem"), [("1 Q0 a 1 x\n", "run:1: expected 6 fields, found 5"), ("1 Q0 a 1 s x\n", "'s' is no number")]
)
def test_a_run_that_cannot_be_read_is_named(tmp_path, text, problem):
    (tmp_path / "run").write_text(text)
    with pytest.raises(QuestionsError, match=problem):
        read_run(tmp_path / "run")


def test_qrels_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a good\n")
    with pytest.raises(QuestionsError, match="qrels:1: grade: 'good' is no whole number"):
        read_qrels(tmp_path / "qrels")
    with pytest.raises(QuestionsError, match="nowhere: cannot be read"):
        read_qrels(tmp_path / "nowhere")
