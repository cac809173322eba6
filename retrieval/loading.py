"""How models are loaded: without the bar that transformers draws for weights that are on this disk already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_weight_bar"]


@contextmanager
def without_weight_bar() -> Iterator[None]:
    """Switch the bars of transformers off for a while; those of downloads stay as they are."""
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, enable_progress_bars
    from transformers.utils import logging

    shows_downloads, was_on = not are_progress_bars_disabled(), logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # those of downloads, too
    if shows_downloads:
        enable_progress_bars()
    try:
        yield
    finally:
        if was_on:
            logging.enable_progress_bar()
