from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph.corpus import Corpus, read_corpus
from graph.errors import EncoderError, IndexFolderError
from graph.links import GraphSource
from retrieval.encoder_cache import CachedEncoder
from retrieval.index import Index
from retrieval.index_build import VectorPlan, build_index
from retrieval.index_folder import FORMAT_VERSION, Manifest, read_manifest, verify_files, write_lock
from retrieval.lexical import LexicalSettings
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings, cache_folder


@pytest.fixture(scope="module")
def _built(golden_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "index"
    build_index(golden_corpus, folder)
    return folder


@pytest.fixture
def lexical_index(_built: Path, tmp_path: Path) -> Path:
    """The folder of an index of the golden law without vectors, to be spoilt at will."""
    return Path(shutil.copytree(_built, tmp_path / "index"))


@pytest.fixture
def other_corpus(tmp_path: Path) -> Corpus:
    path = tmp_path / "other.jsonl"
    path.write_text(json.dumps({"law_name": "다른법", "chapter": "제1조", "text": "다른 글"}), encoding="utf-8")
    return read_corpus([path])


def change_manifest(folder: Path, **values: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


def build_names(folder: Path) -> list[str]:
    return sorted(build.name for build in (folder / "builds").iterdir())


class FailingEncoder:
    """Stands for a power cut while articles are encoded."""

    def __init__(self, encoder) -> None:
        self.identity = encoder.identity
        self.encode_queries = encoder.encode_queries

    def encode_articles(self, articles):
        raise KeyboardInterrupt


# Building and opening


def test_an_index_opens_as_what_it_was_built_from(tmp_path, golden_corpus, golden_graph, hashing_encoder):
    build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=hashing_encoder))
    with Index.open(tmp_path / "index") as index:
        assert index.graph.provisions == golden_graph.provisions
        assert index.graph.edges == golden_graph.edges
        assert index.graph.unresolved == golden_graph.unresolved
        assert index.graph.statistics() == golden_graph.statistics() == index.manifest.counts
        assert index.matrix.tobytes() == hashing_encoder.encode_articles(index.articles).tobytes()
        assert [index.row_of[article.semantic_id] for article in index.articles] == list(range(8))


def test_a_manifest_says_what_the_index_was_made_of(tmp_path, golden_corpus, hashing_encoder):
    settings = RetrievalSettings(lexical=LexicalSettings(k1=1.5))
    built = build_index(
        replace(golden_corpus, edition="2024-07-01"),
        tmp_path / "index",
        vectors=VectorPlan(encoder=hashing_encoder),
        settings=settings,
        graph_source=GraphSource.BOTH,
    )
    manifest = read_manifest(tmp_path / "index")
    assert manifest == built
    assert manifest.sources == golden_corpus.sources
    assert (manifest.edition, manifest.language, manifest.graph) == ("2024-07-01", "ko", "both")
    assert manifest.settings == settings
    assert manifest.encoder == hashing_encoder.identity


def test_an_index_scores_with_the_settings_it_was_built_with(tmp_path, golden_corpus):
    build_index(golden_corpus, tmp_path / "a")
    build_index(golden_corpus, tmp_path / "b", settings=RetrievalSettings(lexical=LexicalSettings(b=0)))
    with Index.open(tmp_path / "a") as default, Index.open(tmp_path / "b") as without_length:
        assert default.lexical.bm25("등대지기").tolist() != without_length.lexical.bm25("등대지기").tolist()
        assert without_length.lexical.settings.b == 0


def test_two_builds_of_one_corpus_write_the_same_bytes(tmp_path, golden_corpus):
    first = build_index(golden_corpus, tmp_path / "a")
    second = build_index(golden_corpus, tmp_path / "b")
    assert first.files == second.files
    assert first.build != second.build


def test_an_index_can_be_moved(tmp_path, lexical_index):
    lexical_index.rename(tmp_path / "elsewhere")
    with Retriever.open(tmp_path / "elsewhere") as retriever:
        assert retriever.search("깃발")


def test_an_index_without_vectors_says_how_to_build_them(lexical_index, hashing_encoder):
    with (
        Retriever.open(lexical_index, encoder=hashing_encoder) as retriever,
        pytest.raises(
            IndexFolderError, match=r"built without vectors; .* nonliquet index SOURCE --index .* --encoder "
        ),
    ):
        retriever.search("등", method="dense")


def test_imported_vectors_are_stored_and_nothing_is_encoded(tmp_path, golden_corpus, golden_graph, hashing_encoder):
    rows = np.eye(8, 64, dtype=np.float32)
    np.savez(tmp_path / "vectors.npz", vectors=rows[::-1], semantic_id=np.array(golden_graph.articles[::-1]))
    plan = VectorPlan(encoder=hashing_encoder, file=tmp_path / "vectors.npz")
    build_index(golden_corpus, tmp_path / "index", vectors=plan)
    with Index.open(tmp_path / "index") as index:
        assert index.matrix.tolist() == rows.tolist()
    assert hashing_encoder.n_articles_encoded == 0


def test_imported_vectors_of_other_articles_are_refused_and_leave_no_index(tmp_path, golden_corpus, hashing_encoder):
    np.savez(tmp_path / "vectors.npz", vectors=np.eye(7, 64, dtype=np.float32))
    plan = VectorPlan(encoder=hashing_encoder, file=tmp_path / "vectors.npz")
    with pytest.raises(EncoderError, match=r"vectors\.npz: 7 vectors without ids, for 8 articles"):
        build_index(golden_corpus, tmp_path / "index", vectors=plan)
    with pytest.raises(IndexFolderError, match="whose first build was not finished"):
        Index.open(tmp_path / "index")


def test_an_encoder_that_is_not_the_indexs_is_refused_by_name(tmp_path, golden_corpus, hashing_encoder):
    build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=hashing_encoder))
    other = type(hashing_encoder)(dimension=32)
    with pytest.raises(EncoderError, match=r"dimension 64\), but the encoder in use is hashing .*dimension 32\)"):
        Retriever.open(tmp_path / "index", encoder=other)


def test_vectors_that_are_gone_are_an_error(tmp_path, golden_corpus, hashing_encoder):
    manifest = build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=hashing_encoder))
    shutil.rmtree(tmp_path / "index" / "builds" / manifest.build / "vectors")
    with Index.open(tmp_path / "index") as index, pytest.raises(IndexFolderError, match="holds no vectors"):
        _ = index.matrix


# What is no index


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: None], ids=["an empty folder", "nothing"])
def test_what_is_no_index_is_named_with_the_command_that_makes_one(tmp_path, make):
    make(tmp_path / "index")
    with pytest.raises(
        IndexFolderError, match=r"index: is no index; make it anew with: nonliquet index SOURCE --index "
    ):
        Index.open(tmp_path / "index")


def test_a_first_build_that_was_not_finished_is_called_so(tmp_path, golden_corpus, hashing_encoder):
    with pytest.raises(KeyboardInterrupt):
        build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=FailingEncoder(hashing_encoder)))
    with pytest.raises(IndexFolderError, match=r"whose first build was not finished; make it anew with: nonliquet "):
        Index.open(tmp_path / "index")


def test_every_file_of_an_index_is_verified(lexical_index):
    manifest = read_manifest(lexical_index)
    build = lexical_index / "builds" / manifest.build
    on_disk = {path.relative_to(build).as_posix() for path in build.rglob("*") if path.is_file()}
    assert manifest.files.keys() == on_disk
    for name in manifest.files:
        whole = (build / name).read_bytes()
        (build / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with pytest.raises(IndexFolderError) as raised:
            Index.open(lexical_index)
        assert str(raised.value).startswith(f"{build / name}: corrupted; make it anew with: nonliquet index SOURCE")
        (build / name).unlink()
        with pytest.raises(IndexFolderError) as raised:
            Index.open(lexical_index)
        assert str(raised.value).startswith(f"{build / name}: No such file or directory; make it anew with: nonliquet")
        (build / name).write_bytes(whole)
    Index.open(lexical_index).close()


@pytest.mark.parametrize("version", [0, FORMAT_VERSION + 1, None, "1"])
def test_another_format_version_is_named_with_ours(lexical_index, version):
    change_manifest(lexical_index, format_version=version)
    with pytest.raises(
        IndexFolderError, match=rf"index format {version!r}, this version reads {FORMAT_VERSION}; make "
    ):
        Index.open(lexical_index)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"{}"])
def test_a_manifest_that_is_none_is_named(lexical_index, content):
    (lexical_index / "manifest.json").write_bytes(content)
    with pytest.raises(IndexFolderError, match=r"manifest\.json: .*; make it anew with: nonliquet index SOURCE"):
        Index.open(lexical_index)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"files": []}, "files"),
        ({"files": {"articles.jsonl": 1}}, "files.articles.jsonl"),
        ({"counts": "many"}, "counts"),
        ({"build": 3}, "build"),
        ({"sources": [{"path": "a"}]}, "sources.0.sha256"),
        ({"encoder": {"name": "x"}}, "encoder.revision"),
        ({"settings": {"sar": {"beta": -1}}}, "settings.sar"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_field_of_a_manifest_that_is_wrong_is_named(lexical_index, values, field):
    change_manifest(lexical_index, **values)
    with pytest.raises(IndexFolderError, match=rf"manifest\.json: {field}: .*: not a manifest of ours; make it anew"):
        Index.open(lexical_index)


# Building again


def test_a_new_build_replaces_the_index_and_removes_the_old_one(lexical_index, other_corpus):
    old = read_manifest(lexical_index).build
    manifest = build_index(other_corpus, lexical_index)
    assert manifest.build != old
    assert build_names(lexical_index) == [manifest.build]
    with Index.open(lexical_index) as index:
        assert [article.semantic_id for article in index.articles] == ["다른법_1조"]


def test_an_index_that_is_replaced_while_it_is_opened_opens_as_the_new_one(lexical_index, other_corpus, monkeypatch):
    def replace_first(folder: Path, manifest: Manifest) -> Path:
        monkeypatch.setattr("retrieval.index.verify_files", verify_files)
        build_index(other_corpus, folder)
        return verify_files(folder, manifest)

    monkeypatch.setattr("retrieval.index.verify_files", replace_first)
    with Index.open(lexical_index) as index:
        assert [article.semantic_id for article in index.articles] == ["다른법_1조"]


@pytest.mark.parametrize("part", ["matrix", "sparse"])
def test_an_index_that_was_replaced_since_it_was_opened_says_so(
    tmp_path, golden_corpus, other_corpus, sparse_hashing_encoder, part
):
    build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=sparse_hashing_encoder))
    with Index.open(tmp_path / "index") as index:
        build_index(other_corpus, tmp_path / "index")
        with pytest.raises(IndexFolderError, match="index: was replaced since it was opened; open it again"):
            getattr(index, part)
        assert len(index.lexical.bm25("등대")) == 8  # what was opened stays open


def test_a_build_that_fails_leaves_the_old_index(lexical_index, other_corpus, hashing_encoder):
    old = read_manifest(lexical_index)
    with pytest.raises(KeyboardInterrupt):
        build_index(other_corpus, lexical_index, vectors=VectorPlan(encoder=FailingEncoder(hashing_encoder)))
    assert len(build_names(lexical_index)) == 2
    with Index.open(lexical_index) as index:
        assert index.manifest == old
        assert len(index.articles) == 8


def test_what_a_failed_build_left_is_removed_by_the_next(lexical_index, other_corpus, hashing_encoder):
    with pytest.raises(KeyboardInterrupt):
        build_index(other_corpus, lexical_index, vectors=VectorPlan(encoder=FailingEncoder(hashing_encoder)))
    manifest = build_index(other_corpus, lexical_index)
    assert build_names(lexical_index) == [manifest.build]


def test_a_failed_build_over_an_index_of_another_format_keeps_that_one(lexical_index, other_corpus, hashing_encoder):
    old = read_manifest(lexical_index).build
    change_manifest(lexical_index, format_version=FORMAT_VERSION + 1)
    with pytest.raises(KeyboardInterrupt):
        build_index(other_corpus, lexical_index, vectors=VectorPlan(encoder=FailingEncoder(hashing_encoder)))
    assert old in build_names(lexical_index)
    assert build_index(other_corpus, lexical_index).build in build_names(lexical_index)
    assert old not in build_names(lexical_index)


def test_an_index_with_an_unreadable_manifest_can_be_built_anew(lexical_index, golden_corpus):
    (lexical_index / "manifest.json").write_bytes(b"{")
    build_index(golden_corpus, lexical_index)
    Index.open(lexical_index).close()


def test_a_second_writer_is_refused(lexical_index, other_corpus):
    with (
        write_lock(lexical_index),
        pytest.raises(IndexFolderError, match="another process is building this index; wait for it"),
    ):
        build_index(other_corpus, lexical_index)
    with Index.open(lexical_index) as index:
        assert len(index.articles) == 8


def test_an_index_can_be_read_while_it_is_locked(lexical_index):
    with write_lock(lexical_index), Retriever.open(lexical_index) as retriever:
        assert retriever.search("깃발")


def test_a_folder_of_somebody_else_is_refused_and_left_alone(tmp_path, golden_corpus):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(IndexFolderError, match=r"holds 'thesis\.txt', so it is no index of ours; name another folder"):
        build_index(golden_corpus, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path, golden_corpus):
    (tmp_path / "index").write_text("", encoding="utf-8")
    with pytest.raises(IndexFolderError, match="index: is a file; name a folder for the index"):
        build_index(golden_corpus, tmp_path / "index")


def test_a_folder_that_cannot_be_made_is_named(tmp_path, golden_corpus):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(IndexFolderError, match=r"file/index: cannot be written: "):
        build_index(golden_corpus, tmp_path / "file" / "index")


def test_articles_encoded_once_are_not_encoded_again(tmp_path, golden_corpus, hashing_encoder):
    for name in ("a", "b"):
        build_index(golden_corpus, tmp_path / name, vectors=VectorPlan(encoder=hashing_encoder))
    assert hashing_encoder.n_articles_encoded == 8
    articles = [p for p in golden_corpus.provisions if p.status.value == "present"]
    assert CachedEncoder(hashing_encoder, cache_folder() / "vectors.sqlite").n_cached(articles) == 8


def test_progress_ends_at_the_number_of_articles(tmp_path, golden_corpus, hashing_encoder):
    steps: list[tuple[str, int, int]] = []
    build_index(
        golden_corpus,
        tmp_path / "index",
        vectors=VectorPlan(encoder=hashing_encoder),
        progress=lambda *step: steps.append(step),
    )
    assert steps == [("citations", 0, 1), ("terms", 0, 1), ("vectors", 8, 8)]


@pytest.mark.parametrize(
    ("languages", "asked", "expected"),
    [({"ko"}, None, True), ({"en"}, None, False), ({"en"}, True, True), ({"ko"}, False, False)],
)
def test_sparse_vectors_are_made_where_they_know_the_language_or_are_asked_for(
    tmp_path, golden_corpus, sparse_hashing_encoder, languages, asked, expected
):
    sparse_hashing_encoder.sparse_languages = frozenset(languages)
    plan = VectorPlan(encoder=sparse_hashing_encoder, sparse=asked)
    assert build_index(golden_corpus, tmp_path / "index", vectors=plan).sparse is expected


def test_the_manifest_names_the_analysis_and_another_one_is_refused(lexical_index: Path):
    assert read_manifest(lexical_index).analysis == "default ko 1"
    change_manifest(lexical_index, analysis="default ko 0")
    with pytest.raises(IndexFolderError, match="made by the analysis 'default ko 0', this version's is 'default ko 1'"):
        Index.open(lexical_index)


def test_an_index_that_names_no_analysis_was_made_by_the_first(lexical_index: Path):
    change_manifest(lexical_index, analysis="")
    assert len(Index.open(lexical_index).articles) == 8
    change_manifest(lexical_index, language="ja")
    with pytest.raises(IndexFolderError, match="this version's is 'default ja 2'; make it anew with: nonliquet index"):
        Index.open(lexical_index)
