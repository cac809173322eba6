from pathlib import Path

import numpy as np
import pytest

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import EncoderIdentity
from retrieval.vector_files import import_vectors

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "firelaw-kr" / "vectors_e5_small_q4.npz"
IDENTITY = EncoderIdentity("embedded", "1", 2, "", "", "", "")


def article(doc_id):
    return Provision(
        semantic_id=f"law_{doc_id}", doc_id=doc_id, law_name="", collection_name="", law_level="", chapter=""
    )


ARTICLES = [article(7), article(8), article(9)]
VECTORS = np.array([[3, 4], [0, 2], [1, 0]], dtype=np.float16)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({}, [[0.6, 0.8], [0, 1], [1, 0]]),
        ({"doc_id": np.array([9, 7, 8])}, [[0, 1], [1, 0], [0.6, 0.8]]),
        ({"semantic_id": np.array(["law_8", "law_9", "law_7"])}, [[1, 0], [0.6, 0.8], [0, 1]]),
    ],
)
def test_vectors_come_as_unit_rows_in_the_order_of_the_articles(tmp_path, ids, expected):
    np.savez(tmp_path / "v.npz", vectors=VECTORS, **ids)
    assert import_vectors(tmp_path / "v.npz", ARTICLES, IDENTITY) == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"vectors": VECTORS[:2]}, "2 vectors without ids, for 3 articles"),
        ({"vectors": VECTORS, "doc_id": [7, 8, 10]}, "unknown doc_id: 10; without a vector: 9"),
        ({"vectors": VECTORS[:2], "doc_id": [7, 8]}, "2 vectors for 3 articles; .* without a vector: 9"),
        ({"vectors": VECTORS, "semantic_id": ["law_7", "x", "law_9"]}, "unknown semantic_id: x; .*: law_8"),
        ({"vectors": VECTORS, "doc_id": [7, 8, 7]}, "doc_id 7 is there twice, in rows 0 and 2"),
        ({"vectors": VECTORS, "doc_id": [7, 8]}, r"doc_id has shape \(2,\), for 3 vectors"),
        ({"vectors": VECTORS[:, :1]}, "vectors of dimension 1, but embedded"),
        ({"vectors": np.array([[1, 2]])}, "is int64 of shape"),
        ({"vectors": np.array([1.0])}, "not floats of shape"),
        ({"matrix": VECTORS}, "has no array 'vectors', only matrix"),
        ({"vectors": VECTORS * np.array([[1], [np.nan], [1]])}, "the vector of law_8 has values that are not finite"),
        ({"vectors": VECTORS * np.array([[1], [0], [1]])}, "law_8 has no vector"),
        ({"vectors": np.array([[None, 1]])}, "cannot be read as a NumPy archive"),
    ],
)
def test_a_file_that_does_not_fit_is_an_error_that_names_what_differs(tmp_path, arrays, message):
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(EncoderError, match=message):
        import_vectors(tmp_path / "v.npz", ARTICLES, IDENTITY)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 cut off"])
def test_a_file_that_is_no_archive_is_an_error_that_names_it(tmp_path, content):
    (tmp_path / "v.npz").write_bytes(content)
    with pytest.raises(EncoderError, match=r"v\.npz: cannot be read"):
        import_vectors(tmp_path / "v.npz", ARTICLES, IDENTITY)


def test_a_single_array_is_an_error_that_says_what_is_needed(tmp_path):
    np.save(tmp_path / "v.npy", VECTORS)
    with pytest.raises(EncoderError, match=r"is one array, not an archive"):
        import_vectors(tmp_path / "v.npy", ARTICLES, IDENTITY)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(EncoderError, match=r"v\.npz"):
        import_vectors(tmp_path / "v.npz", ARTICLES, IDENTITY)


@pytest.mark.skipif(not DATA.is_file(), reason="needs ../shared/data/firelaw-kr beside the repository")
def test_the_published_file_is_read_by_its_doc_ids():
    identity = EncoderIdentity("embedded", "1", 384, "", "", "", "")
    vectors = import_vectors(DATA, [article(doc_id) for doc_id in reversed(range(4738))], identity)
    raw = np.load(DATA)["vectors"][0].astype(np.float64)
    assert vectors.shape == (4738, 384)
    assert vectors[-1] @ raw / np.linalg.norm(raw) == pytest.approx(1, abs=1e-6)
