from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from graph.errors import EncoderError
from retrieval.cross_encoder import open_cross_encoder


class ByLength:
    """Stands in for sentence_transformers.CrossEncoder: the longer an article, the better it fits."""

    def __init__(self, model: str) -> None:
        if model == "nowhere":
            raise OSError("nowhere is not a local folder\nand no model either")

    def predict(self, pairs: list[tuple[str, str]], *, show_progress_bar: bool) -> Any:
        assert not show_progress_bar
        return np.array([[len(article)] for _, article in pairs], dtype=np.float32)


@pytest.fixture
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.CrossEncoder = ByLength  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("_library")
def test_articles_are_scored_in_their_order(golden_graph):
    articles = [golden_graph.provisions[name] for name in golden_graph.articles[:3]]
    scores = open_cross_encoder("a/model").score("?", articles)
    assert scores.shape == (3,)
    assert scores.dtype == np.float64
    assert np.argmax(scores) == max(range(3), key=lambda row: len(articles[row].text))
    assert open_cross_encoder("a/model").score("?", []).shape == (0,)


@pytest.mark.usefixtures("_library")
def test_a_model_that_cannot_be_loaded_is_named_in_one_line():
    with pytest.raises(EncoderError, match="cross:nowhere cannot be loaded: nowhere is not a local folder; it must"):
        open_cross_encoder("nowhere")


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderError, match=r"pip install 'nonliquet\[dense\]'"):
        open_cross_encoder("a/model")
