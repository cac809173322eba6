from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from graph.errors import SettingsError
from retrieval.lexical import FieldWeights, LexicalSettings
from retrieval.sar import SarSettings
from retrieval.settings import RetrievalSettings, cache_folder, read_settings, settings_from


def read(tmp_path: Path, text: str) -> RetrievalSettings:
    path = tmp_path / "retrieval.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path, RetrievalSettings)


def test_an_empty_file_gives_the_defaults(tmp_path):
    assert read(tmp_path, "") == RetrievalSettings()


def test_what_a_file_says_is_taken_and_the_rest_kept(tmp_path):
    settings = read(
        tmp_path, 'method = "sar:dense"\n[sar]\nbeta = 1\n[lexical]\nk1 = 1.5\n[lexical.fields]\ntext = 3\n'
    )
    assert settings == RetrievalSettings(
        method="sar:dense", sar=SarSettings(beta=1.0), lexical=LexicalSettings(k1=1.5, fields=FieldWeights(text=3))
    )


def test_settings_read_back_what_they_print():
    settings = RetrievalSettings(method="links", sar=SarSettings(n_anchors=0), exact_limit=10)
    assert settings_from(settings.to_json(), RetrievalSettings, place="here") == settings


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("colour = 1", "colour: Unexpected keyword argument"),
        ("[sar]\nn_seed = 1", "sar.n_seed: Unexpected keyword argument"),
        ("[lexical.fields]\nbody = 1", "lexical.fields.body: Unexpected keyword argument"),
        ('[sar]\nn_seeds = "7"', "sar.n_seeds: Input should be a valid integer"),
        ("[sar]\nn_seeds = 7.5", "sar.n_seeds: Input should be a valid integer"),
        ("[sar]\nn_seeds = true", "sar.n_seeds: Input should be a valid integer"),
        ("sar = 3", "sar: Input should be"),
        ("exact_limit = 2024-01-01", "exact_limit: Input should be a valid integer"),
        ("method = 3", "method: Input should be a valid string"),
        ("[sar]\nbeta = -1", "sar: Value error, SAR needs"),
        ("[sar]\nbeta = nan", "sar: Value error, SAR needs"),
        ("[sar]\npool_size = 50", "sar: Value error, SAR's pool_size 50 is below n_candidates 100"),
        ("[lexical]\nb = 2", "lexical: Value error, BM25 needs"),
        ('[lexical]\nanalysis = "mecab"', "lexical: Value error, analysis 'mecab' is none of"),
        ("[lexical.fields]\ntext = -1", "lexical.fields: Value error, field weights must be 0 or more"),
        ("[fusion]\nalpha = 1.5", "fusion: Value error, fusion needs"),
        ("[fusion]\ndense_weight = inf", "fusion: Value error, fusion needs"),
        ("[fusion]\ndense_weight = 0\nsparse_weight = 0\nlexical_weight = 0", "fusion: Value error, fusion needs"),
        ("[rocchio]\nquery_weight = nan", "rocchio: Value error, Rocchio needs"),
        ("[rocchio]\nn_feedback = 0", "rocchio: Value error, Rocchio needs"),
        ('method = "bm26"', "settings: Value error, method 'bm26' is none of"),
        ("approximate_depth = 0", "settings: Value error, retrieval needs"),
    ],
)
def test_a_setting_that_is_unknown_or_wrong_is_named_with_its_file(tmp_path, text, problem):
    with pytest.raises(SettingsError) as raised:
        read(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path / 'retrieval.toml'}: {problem}")


@pytest.mark.parametrize("content", [b"beta = ", b"\xff = 1", b"a = 1\na = 2"])
def test_a_file_that_is_not_toml_is_named(tmp_path, content):
    path = tmp_path / "retrieval.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"retrieval\.toml: not TOML: "):
        read_settings(path, RetrievalSettings)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"nowhere\.toml: cannot be read: No such file"):
        read_settings(tmp_path / "nowhere.toml", RetrievalSettings)


def test_the_cache_is_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NONLIQUET_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path


def test_without_a_word_the_cache_is_the_users(monkeypatch):
    monkeypatch.delenv("NONLIQUET_CACHE")
    assert cache_folder() == Path(platformdirs.user_cache_dir("nonliquet"))
