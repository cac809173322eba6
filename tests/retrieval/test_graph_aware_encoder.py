import json
from dataclasses import replace

import numpy as np
import pytest

import retrieval.encoders.graph_aware
from graph.corpus import read_corpus
from graph.errors import EncoderError
from graph.links import GraphSource
from retrieval.encoder import open_encoder, unit_rows
from retrieval.encoders.graph_aware import GraphAwareEncoder, save_graph_model
from retrieval.graph_vectors import RELATIONS, Neighbourhoods
from retrieval.index import Index
from retrieval.index_build import VectorPlan, build_index
from retrieval.retriever import Retriever
from tests.conftest import GOLDEN_LAW, HashingEncoder
from tests.retrieval.test_graph_vectors import plainly_smoothed

GAINS = {name: 0.1 * place - 0.4 for place, name in enumerate(RELATIONS)}


@pytest.fixture(autouse=True)
def _hashing(monkeypatch):
    """Let the model's base be the encoder that needs no model."""
    monkeypatch.setattr(retrieval.encoders.graph_aware, "open_encoder", lambda spec: HashingEncoder())


def model_in(folder, gains=GAINS, source=GraphSource.TEXT, base=None):
    save_graph_model(folder, base or HashingEncoder().identity, source, gains)
    return GraphAwareEncoder(str(folder))


@pytest.fixture
def model(tmp_path):
    return model_in(tmp_path / "model")


def stored(folder):
    with Index.open(folder) as index:
        return dict(zip(index.graph.articles, index.matrix.tolist(), strict=True))


def expected(folder, gains=GAINS):
    """What plain loops make of the index's articles and edges."""
    with Index.open(folder) as index:
        vectors = HashingEncoder().encode_articles(index.articles)
        return index.graph.articles, unit_rows(
            np.array(plainly_smoothed(vectors, list(index.articles), index.graph.edges, gains, set()))
        )


def test_an_index_holds_the_smoothed_vectors_and_says_whose(tmp_path, golden_corpus, model):
    manifest = build_index(golden_corpus, tmp_path / "law", vectors=VectorPlan(encoder=model))
    assert manifest.encoder == model.identity
    names, vectors = expected(tmp_path / "law")
    found = stored(tmp_path / "law")
    assert list(found) == list(names)
    assert np.abs(np.array(list(found.values())) - vectors).max() < 1e-6
    assert np.abs(vectors - HashingEncoder().encode_articles(golden_articles(golden_corpus))).max() > 0.1


def golden_articles(corpus):
    return [one for one in corpus.provisions if one.status == "present"]


def test_without_gains_an_index_holds_the_bases_vectors(tmp_path, golden_corpus):
    model = model_in(tmp_path / "model", gains=dict.fromkeys(RELATIONS, 0.0))
    build_index(golden_corpus, tmp_path / "law", vectors=VectorPlan(encoder=model))
    build_index(golden_corpus, tmp_path / "plain", vectors=VectorPlan(encoder=HashingEncoder()))
    assert stored(tmp_path / "law") == stored(tmp_path / "plain")


def test_vectors_of_the_base_that_are_imported_are_smoothed_too(tmp_path, golden_corpus, model):
    articles = golden_articles(golden_corpus)
    names = np.array([one.semantic_id for one in articles])
    np.savez(tmp_path / "base.npz", vectors=HashingEncoder().encode_articles(articles), semantic_id=names)
    plan = VectorPlan(encoder=model, file=tmp_path / "base.npz")
    build_index(golden_corpus, tmp_path / "imported", vectors=plan)
    build_index(golden_corpus, tmp_path / "encoded", vectors=VectorPlan(encoder=model))
    assert stored(tmp_path / "imported") == stored(tmp_path / "encoded")


def test_a_question_is_encoded_by_the_base_as_it_is(model):
    questions = ["무적은 언제 울리나요?", "등대"]
    assert model.encode_queries(questions).tolist() == HashingEncoder().encode_queries(questions).tolist()


def test_a_law_that_changes_leaves_no_vector_of_before(tmp_path, model):
    """An article's neighbours change its vector, though its own words are the same."""
    law = tmp_path / "sources"
    law.mkdir()
    for file in GOLDEN_LAW.glob("*.md"):
        (law / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")

    def built(folder):
        build_index(read_corpus([law]), folder, vectors=VectorPlan(encoder=model))
        return stored(folder)

    before = built(tmp_path / "law")
    (law / "rule.md").unlink()
    after = built(tmp_path / "law")
    assert after == built(tmp_path / "anew")
    assert after.keys() < before.keys()
    assert any(after[name] != before[name] for name in after)


def test_the_same_folder_gives_the_same_vectors(tmp_path, golden_graph, model):
    again = GraphAwareEncoder(str(tmp_path / "model"))
    assert again.identity == model.identity
    assert again.gains == model.gains == GAINS
    articles = [golden_graph.provisions[name] for name in golden_graph.articles]
    vectors = HashingEncoder().encode_articles(articles)
    both = [one.smooth(vectors, Neighbourhoods(golden_graph), articles).tolist() for one in (again, model)]
    assert both[0] == both[1]


def test_an_index_of_another_model_is_an_error_that_names_both(tmp_path, golden_corpus, model):
    build_index(golden_corpus, tmp_path / "law", vectors=VectorPlan(encoder=model))
    other = model_in(tmp_path / "model", gains=GAINS | {"law": 0.9})
    with pytest.raises(EncoderError, match="holds vectors of") as error, Retriever.open(tmp_path / "law") as retriever:
        _ = Retriever(retriever.index, encoder=other)
    for one in (model, other):
        assert one.identity.revision in str(error.value)


def test_a_graph_of_another_source_is_an_error_that_names_both(tmp_path, golden_corpus):
    model = model_in(tmp_path / "model", source=GraphSource.DATASET)
    with pytest.raises(EncoderError, match="'dataset', but the index's is of 'text'; index with --graph dataset"):
        build_index(golden_corpus, tmp_path / "law", vectors=VectorPlan(encoder=model))
    assert not (tmp_path / "law").exists()


def test_a_base_that_is_another_by_now_is_an_error_that_names_both(tmp_path):
    earlier = replace(HashingEncoder().identity, revision="0")
    with pytest.raises(EncoderError, match=r"over vectors of hashing \(revision 0.*now opens hashing \(revision 1"):
        model_in(tmp_path / "model", base=earlier)


def test_the_specification_opens_it(tmp_path, model):
    assert open_encoder(f"graph:{tmp_path / 'model'}").identity == model.identity


def test_a_model_on_the_hub_is_opened_by_its_id(tmp_path, model, monkeypatch):
    on_hub = {("owner/name", "graph_encoder.json"): tmp_path / "model" / "graph_encoder.json"}
    monkeypatch.setattr(retrieval.encoders.graph_aware, "hub_file", lambda *asked: on_hub[asked])
    opened = GraphAwareEncoder("owner/name")
    assert opened.gains == GAINS
    assert opened.identity.name == "graph:owner/name"


def test_a_hub_that_refuses_is_an_error_that_names_the_model(monkeypatch):
    def refuse(model, name):
        raise OSError("401: no such repository\nRequest ID: 5")

    monkeypatch.setattr(retrieval.encoders.graph_aware, "hub_file", refuse)
    with pytest.raises(EncoderError, match=r"graph:owner/name: cannot be fetched: 401: no such repository$"):
        GraphAwareEncoder("owner/name")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda values: values.pop("base"), "must have the fields base, gains, graph"),
        (lambda values: values["gains"].pop("law"), "must name the relations cites, "),
        (lambda values: values["gains"].update(law="much"), "gain of law is 'much'"),
        (lambda values: values["gains"].update(law=float("nan")), "gain of law is nan"),
        (lambda values: values.update(graph="hearsay"), "graph: 'hearsay'"),
    ],
)
def test_a_model_that_is_damaged_is_an_error_that_says_where(tmp_path, model, change, message):
    file = tmp_path / "model" / "graph_encoder.json"
    values = json.loads(file.read_text())
    change(values)
    file.write_text(json.dumps(values))
    with pytest.raises(EncoderError, match=message):
        GraphAwareEncoder(str(tmp_path / "model"))


def test_a_folder_without_a_model_is_an_error_that_says_how_to_make_one(tmp_path):
    with pytest.raises(EncoderError, match="nonliquet train graph-aware"):
        GraphAwareEncoder(str(tmp_path))
