import numpy as np
import pytest

from graph.errors import EncoderError, ServiceUnavailable
from graph.records import Provision
from retrieval.encoder import open_encoder
from retrieval.encoders.endpoint import EndpointEncoder
from tests.retrieval.embeddings_server import embedding, running_server


@pytest.fixture
def server():
    with running_server() as running:
        yield running


def opened(server, model="m", **options):
    pauses: list[float] = []
    return EndpointEncoder(server.url, model, sleep=pauses.append, **options), pauses


def article(text, semantic_id="law_1"):
    return Provision(
        semantic_id=semantic_id, doc_id=1, law_name="", collection_name="", law_level="", chapter="", text=text
    )


def unit(vector):
    return pytest.approx(np.array(vector) / np.linalg.norm(vector), abs=1e-6)


def test_a_question_gets_the_unit_vector_of_the_server(server):
    encoder = open_encoder(f"openai:{server.url}#m")
    assert encoder.identity.dimension == 4
    assert encoder.encode_queries(["abba"])[0] == unit([2, 2, 0, 4])


def test_a_url_without_a_path_gets_the_version(server):
    encoder = EndpointEncoder(server.url.removesuffix("/v1") + "/", "m")
    assert encoder.encode_queries(["a"])[0] == unit([1, 0, 0, 1])


def test_e5_models_are_sent_their_prefixes(server):
    encoder, _ = opened(server, "intfloat/multilingual-e5-small")
    encoder.encode_queries(["q"])
    encoder.encode_articles([article("t")])
    assert [request["input"] for request in server.requests[1:]] == [["query: q"], ["passage:   \nt"]]


def test_vectors_come_back_in_the_order_of_their_index(server):
    encoder, _ = opened(server)
    server.script = ["shuffled"]
    vectors = encoder.encode_queries(["a", "bb"])
    assert vectors[0] == unit([1, 0, 0, 1])
    assert vectors[1] == unit([0, 2, 0, 2])


def test_many_texts_go_in_batches_of_at_most_32(server):
    encoder, _ = opened(server)
    texts = ["a" * n for n in range(1, 71)]
    vectors = encoder.encode_queries(texts)
    assert [len(request["input"]) for request in server.requests[1:]] == [32, 32, 6]
    assert vectors[69] == unit(embedding(texts[69], 4))


def test_the_key_is_sent_as_bearer_token(server):
    opened(server, api_key="secret")
    assert server.authorization == ["Bearer secret"]


def test_a_text_over_the_window_is_the_mean_of_its_pieces(server):
    server.models = {"data": [{"id": "m", "max_model_len": 116}]}  # 16 are reserved: pieces of 100, 10 overlap
    encoder, _ = opened(server)
    encoder.encode_queries(["a" * 100 + "b" * 50])
    assert server.requests[-1]["input"] == ["a" * 100, "a" * 10 + "b" * 50]
    assert encoder.encode_queries(["a" * 100 + "b" * 50])[0] == unit([110 / 2, 50 / 2, 0, 160 / 2])


def test_a_text_as_long_as_the_window_is_one_piece(server):
    server.models = {"data": [{"id": "m", "max_model_len": 116}]}
    encoder, _ = opened(server)
    encoder.encode_queries(["a" * 100])
    assert server.requests[-1]["input"] == ["a" * 100]


@pytest.mark.parametrize("failure", [500, 429, 503, "silent"])
def test_a_failure_that_passes_is_waited_out(server, failure):
    encoder, pauses = opened(server)
    server.script = [failure, failure]
    assert encoder.encode_queries(["a"])[0] == unit([1, 0, 0, 1])
    assert pauses == [0.5, 1.0]


def test_a_failure_that_stays_makes_the_service_unavailable(server):
    encoder, pauses = opened(server)
    server.script = [500] * 5
    with pytest.raises(ServiceUnavailable, match="failed 5 times, the last time: status 500, 'overloaded, try later'"):
        encoder.encode_queries(["a"])
    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_a_dead_server_makes_the_service_unavailable():
    with running_server() as server:
        encoder, _ = opened(server)
    with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.1.* failed 5 times"):
        encoder.encode_queries(["a"])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("one short", "answers 2 texts with 1 embeddings"),
        ("nan", "not finite"),
        ("another dimension", "dimension 5, where 4 is due"),
        ("no json", "no list of embeddings"),
        (400, "refuses model 'm': status 400"),
        (401, "refuses model 'm': status 401"),
    ],
)
def test_an_answer_that_cannot_be_used_is_an_error_at_once(server, act, message):
    encoder, pauses = opened(server)
    server.script = [act]
    with pytest.raises(EncoderError, match=message):
        encoder.encode_queries(["a", "b"])
    assert pauses == []


def test_an_article_whose_vector_is_zero_is_named(server):
    encoder, _ = opened(server)
    server.script = ["zeros"]
    with pytest.raises(EncoderError, match="law_1 has no vector"):
        encoder.encode_articles([article("x")])


def test_no_texts_ask_nothing(server):
    encoder, _ = opened(server)
    assert encoder.encode_queries([]).shape == (0, 4)
    assert len(server.requests) == 1  # the probe at opening
