"""I/O: opens sentence-transformers models, those made of our own modules included, without running code of theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from graph.errors import EncoderError
from retrieval.loading import without_weight_bar

__all__ = ["hub_file", "hub_folder", "open_sentence_transformer"]

_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")  # OWNER/NAME, and no path such as ../model
_OURS = ("retrieval.training.chunked_text.ChunkedText", "retrieval.training.static_embedding.AnalysisEmbedding")


def open_sentence_transformer(model: str) -> Any:
    """Open a model by id or folder; HF_HUB_OFFLINE and HF_TOKEN are respected, as the library reads them.

    A class of ours that `modules.json` names is taken from this package; sentence-transformers itself would ask for
    `trust_remote_code`, which runs whatever a repository brings. Raises EncoderError if the model cannot be opened.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EncoderError(
            f"encoder st:{model} needs sentence-transformers ({error}): pip install 'nonliquet[dense]'"
        ) from error
    try:
        folder = Path(model)
        types = _types(folder)
        modules = hub_file(model, "modules.json")
        if modules is not None and any(kind in _OURS for kind in _types(modules.parent).values()):
            folder = hub_folder(model)
            types = _types(folder)
        with without_weight_bar():
            if not any(kind in _OURS for kind in types.values()):
                return SentenceTransformer(model)
            return _of_our_modules(folder, types)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EncoderError(
            f"encoder st:{model} cannot be loaded: {reason}; it must be the id of a model that can be downloaded "
            "or is in the cache, or a folder with a sentence-transformers model"
        ) from error


def hub_file(model: str, name: str) -> Path | None:
    """Return a file of a model on the Hugging Face Hub, from the cache or else fetched.

    None if it has no such file, or `model` is no OWNER/NAME but a folder; offline, if the cache has it not.
    Raises OSError if the Hub refuses; ImportError without sentence-transformers.
    """
    if Path(model).is_dir() or not _HUB_ID.fullmatch(model):
        return None
    from huggingface_hub import try_to_load_from_cache
    from sentence_transformers.util import load_file_path

    # The cache first, which also knows what a repository lacks: without a network, each question takes half a minute.
    file = try_to_load_from_cache(model, name) or load_file_path(model, name)
    return Path(file) if isinstance(file, str) else None


def hub_folder(model: str) -> Path:
    """Return a model of the Hub as a folder, fetched or, offline, from the cache, without code and pickles.

    Raises OSError if it is not to be had.
    """
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(model, ignore_patterns=["*.py", "*.bin", "*.pt"]))


def _types(folder: Path) -> dict[str, str]:
    """Return subfolder -> class of a folder's modules, in their order; empty if it holds no such model."""
    file = folder / "modules.json"
    if not file.is_file():
        return {}
    return {str(one["path"]): str(one["type"]) for one in json.loads(file.read_text(encoding="utf-8"))}


def _of_our_modules(folder: Path, types: dict[str, str]) -> Any:
    from sentence_transformers import SentenceTransformer

    from retrieval.training.chunked_text import ChunkedText
    from retrieval.training.static_embedding import AnalysisEmbedding

    classes: dict[str, Any] = dict(zip(_OURS, (ChunkedText, AnalysisEmbedding), strict=True))
    if len(types) != 1 or next(iter(types.values())) not in classes:
        raise ValueError(f"{folder / 'modules.json'} joins modules of ours with others: {', '.join(types.values())}")
    ((path, kind),) = types.items()
    module = classes[kind].load(str(folder), subfolder=path)
    config = json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8"))
    return SentenceTransformer(modules=[module], prompts=config.get("prompts"), similarity_fn_name="cosine")
