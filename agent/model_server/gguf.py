"""I/O: what a user names as the model -> what vLLM can load: a GGUF file becomes a folder of safetensors, once."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from agent.model_server import convert_gguf
from agent.model_server.environment import Device, Environment, Say
from graph.errors import ModelError
from retrieval.settings import cache_folder

__all__ = ["DTYPES", "ServableModel", "servable_model"]

_MAGIC = b"GGUF"
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_RECORD = "nonliquet.json"  # the script writes it last
_PART = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
# A GPU serves at the type it is fast at; this vLLM is several times slower at bfloat16 than at float32 on a CPU.
DTYPES: dict[Device, str] = {"cuda": "bfloat16", "cpu": "float32"}
_N_LAST_LINES = 6


@dataclass(frozen=True, slots=True)
class ServableModel:
    """What vLLM loads."""

    location: str  # a folder, or the id of a model on a hub
    name: str  # what clients call it
    is_local: bool


def servable_model(
    model: str, environment: Environment, *, root: Path | None = None, say: Say = lambda line: None
) -> ServableModel:
    """Return the model in a form that vLLM loads; a GGUF file is converted on first use, minutes for a large one.

    model: a GGUF file, a folder that holds one, a folder of safetensors, or a hub's OWNER/NAME, which vLLM downloads.
    environment: whose Python converts, and whose device chooses the weights' type.
    root: the folder for converted models, by default the cache folder. say: is told what is done, and whether the model
    has no chat template of its own.
    Raises ModelError naming what is wrong with the model: not there, several files, a file of another kind.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        if (path / "config.json").is_file():
            return ServableModel(str(path.resolve()), path.resolve().name, is_local=True)
        path = _only_gguf(path)
    elif not path.is_file():
        if _HUB_ID.fullmatch(model) and not model.startswith(".") and path.suffix != ".gguf":
            return ServableModel(model, model, is_local=False)
        raise ModelError(f"{model}: no such file or folder, and no OWNER/NAME of a hub")
    _check(path)
    folder = _converted(path, environment, root or cache_folder(), say)
    if json.loads((folder / _RECORD).read_text(encoding="utf-8"))["chat_template"] == "bare":
        say(f"{path.name} has no chat template (a base model): messages are put one after the other, without roles.")
    return ServableModel(str(folder), path.stem, is_local=True)


def _only_gguf(folder: Path) -> Path:
    # The projector of a model that also sees stands beside the model itself.
    found = sorted(path for path in folder.glob("*.gguf") if not path.name.startswith("mmproj"))
    if not found:
        raise ModelError(f"{folder}: neither config.json with safetensors nor a GGUF file is in it")
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise ModelError(f"{folder}: holds several GGUF files ({names}); name one of them")
    return found[0]


def _check(path: Path) -> None:
    if _PART.search(path.name):
        raise ModelError(f"{path}: one of several parts; merge them into one file first (llama-gguf-split --merge)")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ModelError(f"{path}: not a GGUF file; name one, or a folder of safetensors with its config.json")


def _converted(gguf: Path, environment: Environment, root: Path, say: Say) -> Path:
    """Return the folder of the converted model, named for the file's content so that another one is another folder."""
    with gguf.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    dtype = DTYPES[environment.device]
    folder = root / "models" / f"{gguf.stem}-{digest[:12]}-{dtype}"
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if not folder.is_dir():
                say(f"Converting {gguf} to {dtype} in {folder}, this once.")
                _convert(gguf, folder, dtype, environment)
    except OSError as error:
        raise ModelError(f"{folder}: cannot be written: {error.strerror}") from error
    return folder


def _convert(gguf: Path, folder: Path, dtype: str, environment: Environment) -> None:
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    # Isolated: the script's own folder has a module named gguf, as has the package that it needs.
    command = [str(environment.python), "-I", convert_gguf.__file__, str(gguf.resolve()), str(aside), dtype]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if run.returncode != 0:
            last = [line.strip() for line in run.stderr.splitlines() if line.strip()][-_N_LAST_LINES:]
            raise ModelError(f"{gguf}: cannot be converted: {' | '.join(last)}")
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
