import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import chromadb
import numpy as np
import pytest

from graph.errors import EncoderError, IndexFolderError, ServiceUnavailable
from retrieval.encoder import EncoderIdentity
from retrieval.index_build import VectorPlan, build_index
from retrieval.retriever import Retriever
from retrieval.vector_store import VectorStore

ROOT = Path(__file__).parents[2]
IDENTITY = EncoderIdentity("embedded", "1", 16, "query: {question}", "passage: {text}", "mean", "510 tokens")
N_VECTORS = 2500  # above the 1,000 at which others lost some (chroma#7090)
IDS = [f"소방기본법_{n}조의{n % 3}" for n in range(N_VECTORS)]


def unit_vectors(n, seed=0):
    rows = np.random.default_rng(seed).standard_normal((n, 16)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


VECTORS = unit_vectors(N_VECTORS)
QUERIES = unit_vectors(3, seed=1)


def in_a_fresh_process(code: str, *arguments: str) -> str:
    """Run code that sees the names above, `arguments` in sys.argv; return what it prints."""
    preamble = (
        "import sys, json, numpy as np, os\n"
        "from tests.retrieval.test_vector_store import IDENTITY, IDS, QUERIES, VECTORS\n"
        "from retrieval.vector_store import VectorStore\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", preamble + code, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert run.returncode in (0, -signal.SIGKILL), run.stderr
    return run.stdout


@pytest.fixture
def filled(tmp_path):
    """A closed folder with all the vectors."""
    folder = tmp_path / "vectors"
    with VectorStore.create(folder, "articles", IDENTITY) as store:
        store.add(IDS, VECTORS)
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_chroma(folder: Path, port: int):
    command = [Path(sys.executable).parent / "chroma", "run", "--path", folder, "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        cwd=folder.parent,
    )
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_vectors_come_back_bit_for_bit_in_the_order_asked(filled):
    order = [2400, 0, 7, 2400, 999, 1000]
    with VectorStore.open(filled, "articles", IDENTITY) as store:
        assert np.array_equal(store.matrix([IDS[row] for row in order]), VECTORS[order])


def test_all_vectors_come_back_in_pages(filled):
    with VectorStore.open(filled, "articles", IDENTITY) as store:
        assert store.count() == N_VECTORS
        assert np.array_equal(store.matrix(IDS[::-1]), VECTORS[::-1])


def test_the_nearest_are_those_of_the_exact_search(filled):
    with VectorStore.open(filled, "articles", IDENTITY) as store:
        found = store.nearest(QUERIES, 10)
    exact = QUERIES @ VECTORS.T
    for row in range(3):
        best = np.argsort(-exact[row])[:10]
        assert found.ids[row] == tuple(IDS[place] for place in best)
        assert found.scores[row] == pytest.approx(exact[row][best], abs=1e-5)


def test_a_fresh_process_finds_the_same_vectors_and_neighbours(filled):
    with VectorStore.open(filled, "articles", IDENTITY) as store:
        found = store.nearest(QUERIES, 20)
    printed = in_a_fresh_process(
        "with VectorStore.open(sys.argv[1], 'articles', IDENTITY) as store:\n"
        "    found = store.nearest(QUERIES, 20)\n"
        "    same = np.array_equal(store.matrix(IDS), VECTORS)\n"
        "print(json.dumps([same, found.ids, found.scores]))",
        str(filled),
    )
    assert json.loads(printed) == [True, [list(ids) for ids in found.ids], [list(scores) for scores in found.scores]]


def test_a_closed_folder_can_be_renamed_and_opened_in_the_same_process(filled, tmp_path):
    moved = filled.rename(tmp_path / "moved")
    with VectorStore.open(moved, "articles", IDENTITY) as store:
        assert np.array_equal(store.matrix(IDS), VECTORS)
        assert store.nearest(VECTORS[:1], 1).ids == ((IDS[0],),)
    assert not filled.exists()


def test_a_renamed_folder_can_be_opened_in_another_process(filled, tmp_path):
    moved = filled.rename(tmp_path / "moved")
    printed = in_a_fresh_process(
        "with VectorStore.open(sys.argv[1], 'articles', IDENTITY) as store:\n"
        "    print(store.count(), store.nearest(VECTORS[:1], 1).ids[0][0] == IDS[0])",
        str(moved),
    )
    assert printed == f"{N_VECTORS} True\n"


def test_a_new_folder_in_the_place_of_a_renamed_one_starts_empty(filled, tmp_path):
    filled.rename(tmp_path / "moved")
    with VectorStore.create(filled, "articles", IDENTITY) as store:
        assert store.count() == 0


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to see open files")
def test_closing_lets_go_of_every_file_within_a_moment(filled):
    def still_open():
        found = []
        for link in Path("/proc/self/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                found.append(link.readlink())
        return [path for path in found if filled in path.parents]

    deadline = time.monotonic() + 5
    while still_open() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert still_open() == []


def test_a_build_that_was_killed_goes_on(tmp_path):
    folder = tmp_path / "vectors"
    in_a_fresh_process(
        "import signal\n"
        "store = VectorStore.create(sys.argv[1], 'articles', IDENTITY)\n"
        "store.add(IDS[:1700], VECTORS[:1700])\n"
        "os.kill(os.getpid(), signal.SIGKILL)",
        str(folder),
    )
    with VectorStore.create(folder, "articles", IDENTITY) as store:
        assert store.stored_ids() == set(IDS[:1700])
        assert store.add(IDS, VECTORS) == 800
        assert np.array_equal(store.matrix(IDS), VECTORS)
        assert store.nearest(VECTORS[[3, 1699, 2499]], 1).ids == ((IDS[3],), (IDS[1699],), (IDS[2499],))


def test_an_id_that_is_there_keeps_its_vector(tmp_path):
    with VectorStore.create(tmp_path / "v", "articles", IDENTITY) as store:
        assert store.add(["a"], VECTORS[:1]) == 1
        assert store.add(["a", "b"], VECTORS[1:3]) == 1
        assert np.array_equal(store.matrix(["a", "b"]), VECTORS[[0, 2]])


def test_fewer_neighbours_than_asked_are_all_there_are(tmp_path):
    with VectorStore.create(tmp_path / "v", "articles", IDENTITY) as store:
        assert store.nearest(QUERIES, 5).ids == ((), (), ())
        store.add(["a", "b"], VECTORS[:2])
        assert set(store.nearest(QUERIES[:1], 5).ids[0]) == {"a", "b"}


def test_equal_vectors_are_ordered_by_id(tmp_path):
    with VectorStore.create(tmp_path / "v", "articles", IDENTITY) as store:
        store.add(["c", "a", "b"], np.repeat(VECTORS[:1], 3, axis=0))
        assert store.nearest(VECTORS[:1], 3).ids == (("a", "b", "c"),)


def test_queries_of_another_dimension_are_refused(filled):
    with (
        VectorStore.open(filled, "articles", IDENTITY) as store,
        pytest.raises(ValueError, match=r"\(3, 8\), where \(n, 16\)"),
    ):
        store.nearest(QUERIES[:, :8], 1)


def test_a_name_that_chroma_does_not_take_is_refused(tmp_path):
    with pytest.raises(ValueError, match="3-512 characters"):
        VectorStore.create(tmp_path / "v", "법", IDENTITY)


def test_a_question_without_a_vector_has_no_neighbours(filled):
    with VectorStore.open(filled, "articles", IDENTITY) as store:
        found = store.nearest(np.concatenate([np.zeros((1, 16), dtype=np.float32), VECTORS[:1]]), 1)
    assert found.ids == ((), (IDS[0],))


@pytest.mark.parametrize("method", ["open", "create"])
def test_another_encoder_is_an_error_that_names_both(filled, method):
    other = replace(IDENTITY, name="st:BAAI/bge-m3", dimension=1024)
    with pytest.raises(EncoderError, match=r"vectors of embedded .*dimension 16.* in use is st:BAAI/bge-m3"):
        getattr(VectorStore, method)(filled, "articles", other)


def test_a_folder_without_vectors_is_an_error_and_stays_as_it_was(tmp_path):
    with pytest.raises(IndexFolderError, match="holds no vectors"):
        VectorStore.open(tmp_path, "articles", IDENTITY)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["header.bin", "data_level0.bin", "length.bin", "index_metadata.pickle"])
@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
def test_a_damaged_file_is_an_error_before_chroma_reads_it(filled, name, damage):
    (path,) = filled.rglob(name)
    content = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "changed":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        case "missing":
            path.unlink()
    with pytest.raises(IndexFolderError, match=rf"{name} is (damaged|missing); .* nonliquet index"):
        VectorStore.open(filled, "articles", IDENTITY)


def test_a_build_that_was_killed_while_it_wrote_a_file_begins_anew(filled):
    (path,) = filled.rglob("data_level0.bin")
    path.write_bytes(path.read_bytes()[:1000])
    with VectorStore.create(filled, "articles", IDENTITY) as store:
        assert store.count() == 0
        assert store.add(IDS, VECTORS) == N_VECTORS
    with VectorStore.open(filled, "articles", IDENTITY) as store:
        assert np.array_equal(store.matrix(IDS), VECTORS)


def test_a_database_of_somebody_else_is_left_alone(filled):
    (filled / "checksums.json").unlink()
    with pytest.raises(IndexFolderError, match="not ours"):
        VectorStore.create(filled, "articles", IDENTITY)
    assert (filled / "chroma.sqlite3").is_file()


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_checksums_that_cannot_be_read_are_an_error(filled, content):
    (filled / "checksums.json").write_text(content)
    with pytest.raises(IndexFolderError, match=r"checksums\.json.*nonliquet index"):
        VectorStore.open(filled, "articles", IDENTITY)


def test_a_collection_that_is_not_there_is_an_error(filled):
    with pytest.raises(IndexFolderError, match=r"collection other at .* is not there"):
        VectorStore.open(filled, "other", IDENTITY)


def test_a_corrupt_database_is_an_error_that_says_what_to_do(filled):
    (filled / "chroma.sqlite3").write_bytes(b"no database" * 1000)
    with pytest.raises(IndexFolderError, match="nonliquet index"):
        VectorStore.open(filled, "articles", IDENTITY)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_an_error_that_says_so(filled):
    (filled / "chroma.sqlite3").chmod(0o400)
    with pytest.raises(IndexFolderError, match="cannot be written to, which Chroma needs"):
        VectorStore.open(filled, "articles", IDENTITY)


def test_an_id_without_a_vector_is_an_error_that_names_it(filled):
    with (
        VectorStore.open(filled, "articles", IDENTITY) as store,
        pytest.raises(IndexFolderError, match="has no vector of 건축법_1조"),
    ):
        store.matrix([IDS[0], "건축법_1조"])


@pytest.mark.parametrize(
    ("ids", "vectors", "message"),
    [
        (["a"], VECTORS[:2], "1 ids of dimension 16"),
        (["a"], VECTORS[:1, :8], "of dimension 16"),
        (["a", "a"], VECTORS[:2], "id a is given 2 times"),
        (["a"], VECTORS[:1] * 2, "vector of a has length 2"),
        (["a"], VECTORS[:1] * np.float32("nan"), "vector of a has length nan"),
    ],
)
def test_vectors_that_are_none_of_the_encoder_are_refused(tmp_path, ids, vectors, message):
    with VectorStore.create(tmp_path / "v", "articles", IDENTITY) as store, pytest.raises(ValueError, match=message):
        store.add(ids, vectors)


def test_a_collection_dropped_from_a_server_is_gone_and_others_stay(tmp_path):
    with running_chroma(tmp_path / "server", free_port()) as url:
        for name in ("first", "second"):
            with VectorStore.create(url, name, IDENTITY) as store:
                store.add(["a"], VECTORS[:1])
        VectorStore.drop(url, "first")
        VectorStore.drop(url, "never-there")
        with pytest.raises(IndexFolderError, match="is not there"):
            VectorStore.open(url, "first", IDENTITY)
        with VectorStore.open(url, "second", IDENTITY) as store:
            assert store.count() == 1


def test_a_folder_is_not_dropped(filled):
    with pytest.raises(ValueError, match="no server"):
        VectorStore.drop(str(filled), "articles")


def test_a_server_keeps_vectors_and_neighbours_over_a_restart(tmp_path):
    port = free_port()
    with running_chroma(tmp_path / "server", port) as url:
        with VectorStore.create(url, "articles", IDENTITY) as store:
            assert store.add(IDS, VECTORS) == N_VECTORS
            found = store.nearest(QUERIES, 20)
        with pytest.raises(EncoderError, match="in use is words"):
            VectorStore.open(url, "articles", replace(IDENTITY, name="words:a.vec"))
    with running_chroma(tmp_path / "server", port) as url, VectorStore.open(url, "articles", IDENTITY) as store:
        assert np.array_equal(store.matrix(IDS), VECTORS)
        assert store.nearest(QUERIES, 20) == found


def test_a_server_that_dies_makes_the_service_unavailable(tmp_path):
    port = free_port()
    with running_chroma(tmp_path / "server", port) as url:
        store = VectorStore.create(url, "articles", IDENTITY)
        store.add(["a"], VECTORS[:1])
    with store, pytest.raises(ServiceUnavailable, match=rf"127\.0\.0\.1:{port}"):
        store.nearest(QUERIES, 1)


def test_a_server_that_is_not_there_makes_the_service_unavailable():
    with pytest.raises(ServiceUnavailable, match="does not answer"):
        VectorStore.open(f"http://127.0.0.1:{free_port()}", "articles", IDENTITY)


@pytest.mark.parametrize("n", [1, 2, 93, 1001])
def test_a_collection_of_any_size_opens_again_and_again(tmp_path, n):
    with VectorStore.create(tmp_path / "v", "articles", IDENTITY) as store:
        store.add(IDS[: n // 2], VECTORS[: n // 2])
        store.add(IDS[:n], VECTORS[:n])
    for _ in range(3):
        with VectorStore.open(tmp_path / "v", "articles", IDENTITY) as store:
            assert np.array_equal(store.matrix(IDS[:n]), VECTORS[:n])
            assert store.nearest(VECTORS[:1], 1).ids == ((IDS[0],),)


def test_a_rebuilt_index_leaves_one_collection_on_the_server(golden_corpus, hashing_encoder, tmp_path):
    port = free_port()
    with running_chroma(tmp_path / "server", port) as url:
        for _ in range(2):
            build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=hashing_encoder, server=url))
        with chromadb.HttpClient(host="127.0.0.1", port=port) as client:
            assert len(client.list_collections()) == 1


def test_an_index_on_a_server_is_searched_after_a_restart_as_one_in_a_folder(golden_corpus, hashing_encoder, tmp_path):
    port = free_port()
    with running_chroma(tmp_path / "server", port) as url:
        build_index(golden_corpus, tmp_path / "remote", vectors=VectorPlan(encoder=hashing_encoder, server=url))
    build_index(golden_corpus, tmp_path / "local", vectors=VectorPlan(encoder=hashing_encoder))
    with (
        running_chroma(tmp_path / "server", port),
        Retriever.open(tmp_path / "remote", encoder=hashing_encoder) as remote,
        Retriever.open(tmp_path / "local", encoder=hashing_encoder) as local,
    ):
        for question in ("해가 지기 전에 등을 켠다", "안개", "무적의 점검"):
            for method in ("dense", "hybrid", "sar:hybrid"):
                hits = local.search(question, top_k=8, method=method)
                assert remote.search(question, top_k=8, method=method) == hits
                assert hits
