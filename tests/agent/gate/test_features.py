"""What the gate looks at, on the built-in law; shares against a plain loop over terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from agent.gate.features import GROUPS, GateFeatures, Knowledge, group_of
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import VectorPlan, build_index
from retrieval.retriever import Retriever
from tests.conftest import HashingEncoder

ACT, DECREE, RULE = "fire-safety-act_2", "fire-safety-decree_2", "fire-safety-decree_3"
CONTEXTS = ([ACT], [DECREE], [ACT, DECREE], [ACT, RULE])
QUESTION = "Does a club with a dance floor of 70 square metres count as public assembly premises?"
OPTIONS = ("No, it is reckoned to hold 70 persons", "Yes, it is reckoned to hold 140 persons")


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    folder = tmp_path_factory.mktemp("gate") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NONLIQUET_CACHE", str(folder.parent / "cache"))
        build_index(read_corpus([BUILTIN_LAW]), folder, vectors=VectorPlan(encoder=HashingEncoder()))
    with Retriever.open(folder, encoder=HashingEncoder()) as opened:
        yield opened


def features(retriever: Retriever, knowledge: Knowledge, *, vectors: bool = True) -> GateFeatures:
    return GateFeatures(retriever, knowledge, encoder=HashingEncoder() if vectors else None)


def share(retriever: Retriever, question: str, articles: Sequence[str], *, but: Sequence[str] = ()) -> float:
    """The idf-weighted share of a question's terms that some articles say and others do not, by a plain loop."""
    lexical, graph = retriever.index.lexical, retriever.index.graph

    def terms(names: Sequence[str]) -> list[str]:
        found = [graph.provisions[name] for name in names]
        return [t for one in found for t in lexical.settings.fields.terms(one, lexical.analyze)]

    said, passed_over, total, reached = terms(articles), terms(but), 0.0, 0.0
    for term in sorted(set(lexical.analyze(question))):
        total += lexical.idf(term)
        reached += lexical.idf(term) if term in said and term not in passed_over else 0.0
    return reached / total


@pytest.mark.parametrize("knowledge", Knowledge)
@pytest.mark.parametrize(("question", "options"), [("", ()), ("?! …", ()), ("", ("", "..")), ("the of", ("and",))])
def test_nothing_can_be_computed_without_words_that_ask(
    retriever: Retriever, knowledge: Knowledge, question: str, options: tuple[str, ...]
):
    gate = features(retriever, knowledge)
    for context in CONTEXTS:
        assert set(gate.values(question, context, options).values()) == {0.0}


def test_a_question_that_the_index_has_no_word_of_reads_the_same_under_every_condition(retriever: Retriever):
    for knowledge in Knowledge:
        gate = features(retriever, knowledge, vectors=False)
        found = [gate.values("Zyzzyva qwertz?", context, ("xyzzy", "plugh")) for context in CONTEXTS]
        assert all(values == found[0] for values in found[1:])


@pytest.mark.parametrize("context", CONTEXTS)
def test_coverage_is_the_share_that_the_context_says_and_the_most_that_a_linked_article_adds(
    retriever: Retriever, context: list[str]
):
    values = features(retriever, Knowledge.CORPUS).values(QUESTION, context)
    graph = retriever.index.graph
    linked = {edge.target for name in context for edge in graph.cites(name)}
    linked |= {edge.source for name in context for edge in graph.cited_by(name)}
    present = [one for one in graph.articles if one in linked and one not in context]
    assert values["question.coverage"] == pytest.approx(share(retriever, QUESTION, context), abs=1e-12)
    gains = [share(retriever, QUESTION, [one], but=context) for one in present]
    assert values["question.coverage_linked"] == pytest.approx(max(gains), abs=1e-12)


def test_the_missing_article_fits_by_more_than_what_stays_absent_from_the_full_context(retriever: Retriever):
    gate = features(retriever, Knowledge.CORPUS)
    question = retriever.article(DECREE).text
    partial, full = gate.values(question, [ACT]), gate.values(question, [ACT, DECREE])
    for name in ("bm25_linked", "dense_linked", "clause_linked", "coverage_linked", "bm25_best"):
        assert partial[f"question.{name}"] > full[f"question.{name}"]
    assert full["question.bm25"] == 1 > partial["question.bm25"]
    assert full["question.bm25_rank"] == 0 < partial["question.bm25_rank"]


def test_with_the_knowledge_of_the_context_no_other_article_is_read(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
):
    gate = features(retriever, Knowledge.CONTEXT)
    read: set[str] = set()
    original = gate._articles.read

    def spy(row: int) -> object:
        read.add(retriever.index.graph.articles[row])
        return original(row)

    monkeypatch.setattr(gate._articles, "read", spy)
    gate.values(QUESTION, [ACT, RULE], OPTIONS)
    assert read == {ACT, RULE}


@pytest.mark.parametrize("knowledge", Knowledge)
def test_neither_the_order_of_the_context_nor_the_call_before_counts(retriever: Retriever, knowledge: Knowledge):
    gate = features(retriever, knowledge)
    first = gate.values(QUESTION, [ACT, DECREE], OPTIONS)
    gate.values("Something else?", [RULE], OPTIONS)
    assert gate.values(QUESTION, [DECREE, ACT], OPTIONS) == first
    assert features(retriever, knowledge).values(QUESTION, [ACT, DECREE], OPTIONS) == first


@pytest.mark.parametrize("knowledge", Knowledge)
def test_names_tell_the_wording_and_the_group(retriever: Retriever, knowledge: Knowledge):
    with_options = features(retriever, knowledge).values(QUESTION, [ACT], OPTIONS)
    alone = features(retriever, knowledge).values(QUESTION, [ACT])
    assert {group_of(name) for name in with_options} == set(GROUPS)
    assert list(alone) == [name for name in with_options if name.startswith("question.")]
    without = features(retriever, knowledge, vectors=False).values(QUESTION, [ACT], OPTIONS)
    assert list(without) == [name for name in with_options if group_of(name) != "dense"]


def test_an_empty_context_and_an_unknown_article_are_errors(retriever: Retriever):
    gate = features(retriever, Knowledge.CORPUS)
    with pytest.raises(ValueError, match="empty context"):
        gate.values(QUESTION, [])
    with pytest.raises(KeyError, match="no-such"):
        gate.values(QUESTION, ["no-such_1"])
