from __future__ import annotations

import pytest

from retrieval.methods import BASES, RERANKERS, Method, parse_method


@pytest.mark.parametrize("base", BASES)
def test_a_base_names_itself(base):
    assert parse_method(base) == Method(base)


@pytest.mark.parametrize(
    "reranker", [name for name in RERANKERS if not name.startswith(("rocchio", "cross", "trained"))]
)
@pytest.mark.parametrize("base", BASES)
def test_a_reranker_goes_over_any_base(reranker, base):
    assert parse_method(f"{reranker}:{base}") == Method(base, reranker)


@pytest.mark.parametrize(("name", "base"), [("sar", "bm25"), ("links", "bm25"), ("rocchio", "dense")])
def test_a_reranker_has_a_base_of_its_own(name, base):
    assert parse_method(name) == Method(base, name)


@pytest.mark.parametrize("name", ["bm25", "sar:bm25", "sar-undirected:hybrid", "rocchio:dense"])
def test_a_printed_method_parses_back(name):
    assert str(parse_method(name)) == name


@pytest.mark.parametrize("name", ["", "bm26", "SAR", ":bm25", " sar"])
def test_an_unknown_method_is_told_the_known_ones(name):
    with pytest.raises(ValueError, match=f"method {name!r} is none of tfidf, bm25, .* sar, "):
        parse_method(name)


def test_an_unknown_base_is_told_the_known_ones():
    with pytest.raises(ValueError, match="method 'sar:bm26': base 'bm26' is none of tfidf, bm25, "):
        parse_method("sar:bm26")


@pytest.mark.parametrize(
    ("name", "model", "base"),
    [
        ("cross:org/model", "org/model", "bm25"),
        ("cross:org/model:hybrid", "org/model", "hybrid"),
        ("cross:C:/models/one:dense", "C:/models/one", "dense"),
    ],
)
@pytest.mark.parametrize("reranker", ["cross", "trained"])
def test_cross_and_trained_name_a_model_and_perhaps_a_base(reranker, name, model, base):
    method = parse_method(name.replace("cross", reranker))
    assert method == Method(base, reranker, model)
    assert parse_method(str(method)) == method


@pytest.mark.parametrize("reranker", ["cross", "trained"])
@pytest.mark.parametrize("rest", ["", ":", "::dense"])
def test_cross_and_trained_without_a_model_are_refused(reranker, rest):
    with pytest.raises(ValueError, match=f"expected {reranker}:MODEL or {reranker}:MODEL:BASE"):
        parse_method(reranker + rest)


def test_a_base_takes_no_base():
    with pytest.raises(ValueError, match="bm25 scores by itself and takes no base"):
        parse_method("bm25:dense")


def test_rocchio_goes_over_dense_alone():
    with pytest.raises(ValueError, match="Rocchio moves a dense query"):
        parse_method("rocchio:bm25")


@pytest.mark.parametrize(
    ("name", "needs"), [("bm25", False), ("sar", False), ("links:hybrid", True), ("rocchio", True)]
)
def test_a_method_says_whether_it_reads_vectors(name, needs):
    assert parse_method(name).needs_vectors is needs
