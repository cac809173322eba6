"""I/O: opens sentence-transformers models, those made of our own modules included, without running code of theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graph.errors import EncoderError

__all__ = ["open_sentence_transformer"]

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
        if not any(kind in _OURS for kind in types.values()) and _is_ours_on_hub(model):
            from huggingface_hub import snapshot_download

            folder = Path(snapshot_download(model, ignore_patterns=["*.py", "*.bin", "*.pt"]))
            types = _types(folder)
        if not any(kind in _OURS for kind in types.values()):
            return SentenceTransformer(model)
        return _of_our_modules(folder, types)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EncoderError(
            f"encoder st:{model} cannot be loaded: {reason}; it must be the id of a model that can be downloaded "
            "or is in the cache, or a folder with a sentence-transformers model"
        ) from error


def _types(folder: Path) -> dict[str, str]:
    """Return subfolder -> class of a folder's modules, in their order; empty if it holds no such model."""
    file = folder / "modules.json"
    if not file.is_file():
        return {}
    return {str(one["path"]): str(one["type"]) for one in json.loads(file.read_text(encoding="utf-8"))}


def _is_ours_on_hub(model: str) -> bool:
    """Tell whether a repository's `modules.json`, fetched or in the cache, names a class of ours."""
    if Path(model).is_dir() or model.count("/") != 1:
        return False
    from sentence_transformers.util import load_file_path

    file = load_file_path(model, "modules.json")
    return file is not None and any(kind in _OURS for kind in _types(Path(file).parent).values())


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
