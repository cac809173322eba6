import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

from sentence_transformers import SentenceTransformer  # noqa: E402

from graph.errors import EncoderError  # noqa: E402
from graph.records import Provision  # noqa: E402
from retrieval.encoder import open_encoder  # noqa: E402
from retrieval.training.bi_encoder import static_base  # noqa: E402
from retrieval.training.static_embedding import AnalysisEmbedding  # noqa: E402


def article(number, text):
    return Provision(
        semantic_id=f"law_{number}",
        doc_id=number,
        law_name="Fire Act",
        collection_name="",
        law_level="",
        chapter=str(number),
        text=text,
        language="en",
    )


ARTICLES = [article(1, "Fireworks may not be sold."), article(2, "The landlord fits alarms."), article(3, "")]


def test_a_vector_is_the_mean_of_the_rows_of_the_distinct_terms():
    module = AnalysisEmbedding("ko", n_rows=1000, dimension=4)
    module.start_from(["소방"], seed=0)
    model = SentenceTransformer(modules=[module])
    table = module.embedding.weight.detach().numpy()
    rows = [module.preprocess([term])["input_ids"].tolist() for term in ("소방", "방서")]
    trigram = set(module.preprocess(["소방서"])["input_ids"].tolist()) - {row for of_one in rows for row in of_one}
    assert [len(of_one) for of_one in rows] == [1, 1]
    assert len(trigram) == 1
    expected = table[[rows[0][0], rows[1][0], *trigram]].mean(axis=0)
    assert np.allclose(model.encode_query(["소방서"])[0], expected, atol=1e-7)
    assert np.allclose(model.encode_query(["소방서 소방서"])[0], expected, atol=1e-7)


def test_before_training_rare_terms_are_long_and_frequent_ones_short():
    module = AnalysisEmbedding("en", n_rows=1000, dimension=256)
    module.start_from(["fire alarm", "fire door", "fire exit", "fire hose"], seed=0)
    rows = {word: module.preprocess([word])["input_ids"][0] for word in ("fire", "alarm")}
    lengths = {word: float(module.embedding.weight[row].detach().norm()) for word, row in rows.items()}
    idf = {"fire": np.log(1 + 0.5 / 4.5), "alarm": np.log(1 + 3.5 / 1.5)}
    assert lengths["fire"] / lengths["alarm"] == pytest.approx(idf["fire"] / idf["alarm"], rel=0.2)


def test_an_untrained_model_finds_the_article_that_shares_words():
    model = static_base("en", ARTICLES, seed=0)
    vectors = model.encode_document([one.text for one in ARTICLES[:2]])
    query = model.encode_query(["who fits the alarms?"])[0]
    assert vectors[1] @ query > vectors[0] @ query


def test_a_saved_model_is_an_encoder_with_the_same_vectors(tmp_path):
    model = static_base("en", ARTICLES, seed=0)
    model.save(str(tmp_path / "model"), create_model_card=False)
    encoder = open_encoder(f"st:{tmp_path / 'model'}")
    assert encoder.identity.dimension == 256
    assert encoder.identity.window == "whole texts"
    assert encoder.encode_articles(ARTICLES).shape == (3, 256)
    vector = model.encode_query(["alarms"])[0]
    assert np.allclose(encoder.encode_queries(["alarms"])[0], vector / np.linalg.norm(vector), atol=1e-6)


def test_a_question_without_any_term_is_a_row_of_zeros():
    assert not static_base("en", ARTICLES, seed=0).encode_query(["?!", "alarms"])[0].any()


def test_weights_of_another_analysis_are_refused():
    with pytest.raises(EncoderError, match="made by the analysis 'default fr 1'"):
        AnalysisEmbedding("fr", analysis="default fr 1")


def test_the_seed_alone_decides_the_table():
    tables = [static_base("en", ARTICLES, seed=seed)[0].embedding.weight.detach() for seed in (1, 1, 2)]
    assert torch.equal(tables[0], tables[1])
    assert not torch.equal(tables[0], tables[2])
