import re
import unicodedata
import zlib

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

from sentence_transformers import SentenceTransformer  # noqa: E402

from graph.errors import EncoderError  # noqa: E402
from graph.records import Provision  # noqa: E402
from retrieval.encoder import open_encoder  # noqa: E402
from retrieval.tokens import analysis  # noqa: E402
from retrieval.training.bi_encoder import static_base  # noqa: E402
from retrieval.training.model_files import open_sentence_transformer  # noqa: E402
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
    module.start_from(["소방서"], seed=0)
    model = SentenceTransformer(modules=[module])
    table = module.embedding.weight.detach().numpy()
    rows = [module.preprocess([term])["input_ids"].tolist() for term in ("소방", "방서")]
    trigram = set(module.preprocess(["소방서"])["input_ids"].tolist()) - {row for of_one in rows for row in of_one}
    assert [len(of_one) for of_one in rows] == [1, 1]
    assert len(trigram) == 1
    expected = table[[rows[0][0], rows[1][0], *trigram]].mean(axis=0)
    assert np.allclose(model.encode_query(["소방서"])[0], expected, atol=1e-7)
    assert np.allclose(model.encode_query(["소방서 소방서"])[0], expected, atol=1e-7)


def rows_of(module, text, **options):
    return set(module.preprocess([text], **options)["input_ids"].tolist())


def test_the_terms_of_a_heading_count_as_its_own_too_in_articles_alone():
    module = AnalysisEmbedding("en", headings=True)
    text = "Fire alarms\nThe landlord fits them."
    assert rows_of(module, text) < rows_of(module, text, task="document")
    of_heading = {"^fire", "^alarm", "^~fire", "^~alar", "^~larm", "^~arms"}
    added = rows_of(module, text, task="document") - rows_of(module, text)
    assert added == {zlib.crc32(term.encode()) % (1 << 17) for term in of_heading}
    assert not added & rows_of(module, "Fire alarms. The landlord fits them.", task="document")
    assert rows_of(AnalysisEmbedding("en"), text, task="document") == rows_of(module, text)


def test_a_saved_model_still_reads_headings_and_encodes_articles_with_them(tmp_path):
    model = static_base("en", ARTICLES, seed=0)
    model.save(str(tmp_path / "model"), create_model_card=False)
    text = "Fire alarms\nThe landlord fits alarms."
    (vector,) = open_sentence_transformer(str(tmp_path / "model")).encode_document([text])
    table = model[0].embedding.weight.detach().numpy()
    assert np.allclose(vector, table[sorted(rows_of(model[0], text, task="document"))].mean(axis=0), atol=1e-6)
    assert not np.allclose(vector, model.encode_query([text])[0], atol=1e-3)


def test_a_term_that_no_article_has_adds_nothing():
    module = AnalysisEmbedding("en", dimension=8)
    module.start_from(["fire alarm", "fire door"], seed=0)
    assert not module.embedding.weight[sorted(rows_of(module, "kitchen"))].any()
    assert module.embedding.weight[sorted(rows_of(module, "alarm"))].all()


TEXTS_OF = {
    "ko": "제13조의2(소방시설 등) 관계인은\t소방ㆍ방화 시설을\u300030일 이내에 점검(點檢)하여야 한다.",
    "ja": "第五条　消防長は、百 五十日 以内に\n建築物の所有者に対し、命ずることができる。",
    "zh": "第三条 建筑物的 所有人应当在30日内检查。",
    "en": "The landlord's  alarms, art. 13-2, shall be\nchecked within 1.5 days.",
    "fr": "L’ exploitant qu’il désigne\u00a0: œuvres d'art, jusqu’ au 3.2 mai.",
    "de": "Der Eigentümer prüft die Brandschutz­anlagen gemäß § 3 Abs. 2.",
    "vi": "Chủ sở hữu  chợ đêm phải kiểm tra\nhệ thống báo cháy.",
}


@pytest.mark.parametrize("language", TEXTS_OF)
def test_the_terms_of_a_text_are_those_of_its_analysis_as_a_whole_and_its_n_grams(language):
    text = TEXTS_OF[language]
    size, runs = (
        (3, r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+") if language in ("ko", "ja", "zh") else (4, r"[^\W\d_]+")
    )
    words = re.findall(runs, unicodedata.normalize("NFC", text).lower())
    grams = {"~" + word[place : place + size] for word in words for place in range(len(word) - size + 1)}
    terms = {*analysis(language=language)(text), *grams}
    found = rows_of(AnalysisEmbedding(language, dimension=1), text)
    assert found == {zlib.crc32(term.encode()) % (1 << 17) for term in terms}


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
