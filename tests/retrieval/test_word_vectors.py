import gzip

import pytest

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import open_encoder


def write(path, text):
    path.write_bytes(text.encode())
    return open_encoder(f"words:{path}")


def article(text):
    return Provision(
        semantic_id="law_1", doc_id=1, law_name="", collection_name="", law_level="", chapter="", text=text
    )


def test_a_text_is_the_mean_of_its_words(tmp_path):
    encoder = write(tmp_path / "a.vec", "2 2\nfire 1 0\nexit 0 1\n")
    # fire twice, exit once: (2, 1)/3, of length sqrt(5)/3
    assert encoder.encode_queries(["Fire, fire: EXIT!"]).tolist()[0] == pytest.approx(
        [2 / 5**0.5, 1 / 5**0.5], abs=1e-7
    )


def test_the_word_as_written_goes_before_its_lower_case(tmp_path):
    encoder = write(tmp_path / "a.vec", "us 1 0\nUS 0 1\n")
    assert encoder.encode_queries(["US", "Us"]).tolist() == [[0, 1], [1, 0]]


def test_a_gzipped_file_reads_like_a_plain_one(tmp_path):
    path = tmp_path / "a.vec.gz"
    path.write_bytes(gzip.compress("1 2\n화재 3 4\n".encode()))
    assert open_encoder(f"words:{path}").encode_queries(["화재"]).tolist()[0] == pytest.approx([0.6, 0.8], abs=1e-7)


def test_a_word_may_hold_spaces_where_the_first_line_gives_the_dimension(tmp_path):
    encoder = write(tmp_path / "a.vec", "2 2\n. . 1 0\nfire 0 1\n")
    assert encoder.encode_queries(["fire"]).tolist() == [[0, 1]]


def test_the_first_of_two_vectors_of_a_word_counts(tmp_path):
    assert write(tmp_path / "a.vec", "a 1 0\na 0 1\n").encode_queries(["a"]).tolist() == [[1, 0]]


def test_a_question_without_a_known_word_is_a_row_of_zeros(tmp_path):
    assert write(tmp_path / "a.vec", "fire 1 0\n").encode_queries(["물", ""]).tolist() == [[0, 0], [0, 0]]


def test_an_article_without_a_known_word_is_an_error_that_names_it(tmp_path):
    with pytest.raises(EncoderError, match="law_1 has no vector"):
        write(tmp_path / "a.vec", "fire 1 0\n").encode_articles([article("물")])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("2 2\nfire 1 0\nexit 1\n", "a.vec:3: 1 values, where 2 are due"),
        ("fire 1 0\nexit 1 x\n", "a.vec:2: the vector of 'exit' is not of numbers"),
        ("fire 1 0\nexit 1 0 5\nroom 1 z 2", "a.vec:3: the vector of 'room 1' is not of numbers"),
        ("fire 1 nan\n", "a.vec:1: the vector of 'fire' has values that are not finite"),
        ("fire 1 1e99\n", "a.vec:1: the vector of 'fire'"),
        ("fire\n", "a.vec:1: 0 values"),
        ("3 2\nfire 1 0\n", "holds 1 vectors, but its first line says 3"),
        ("", "holds no word vectors"),
    ],
)
def test_a_malformed_file_is_an_error_that_names_file_and_line(tmp_path, content, message):
    with pytest.raises(EncoderError, match=message):
        write(tmp_path / "a.vec", content)


def test_a_file_that_is_no_text_is_an_error(tmp_path):
    path = tmp_path / "a.vec"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EncoderError, match="cannot be read as word vectors"):
        open_encoder(f"words:{path}")


def test_a_cut_off_gzip_is_an_error(tmp_path):
    path = tmp_path / "a.vec.gz"
    path.write_bytes(gzip.compress(b"fire 1 0\n" * 1000)[:-12])
    with pytest.raises(EncoderError, match="cannot be read as word vectors"):
        open_encoder(f"words:{path}")


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(EncoderError, match=r"no\.vec"):
        open_encoder(f"words:{tmp_path / 'no.vec'}")


def test_another_file_under_the_same_name_is_another_encoder(tmp_path):
    first = write(tmp_path / "a.vec", "fire 1 0\n").identity
    assert write(tmp_path / "a.vec", "fire 0 1\n").identity != first
