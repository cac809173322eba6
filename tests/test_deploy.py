"""The examples in deploy/ are well-formed, fit the command as it is, and let nobody in by mistake."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
UNIT = (DEPLOY / "nonliquet.service").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def _started() -> list[list[str]]:
    """Return the arguments that `nonliquet` is started with."""
    ours = [one["command"] for one in SERVICES.values() if one.get("image") == "nonliquet"]
    (start,) = re.findall(r"^ExecStart=\S+ (.*)$", UNIT, re.MULTILINE)
    return [*ours, shlex.split(start)]


def test_compose_starts_a_model_server_a_vector_server_and_us():
    assert set(SERVICES) == {"model", "vectors", "index", "nonliquet"}
    for one in SERVICES.values():
        for volume in one["volumes"]:
            source = volume.rpartition(":/")[0]
            assert source.startswith("${LAW") or source in COMPOSE["volumes"]


def test_every_image_is_of_a_version_and_chromas_is_that_of_the_client():
    pinned = dict(re.findall(r"^([\w.-]+)==(.+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    assert SERVICES["vectors"]["image"] == f"chromadb/chroma:{pinned['chromadb']}"
    model_guide = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    assert f"`vllm` {SERVICES['model']['image'].partition(':v')[2]}" in model_guide


def test_nothing_but_this_machine_reaches_us_and_nobody_without_a_key():
    assert [port for one in SERVICES.values() for port in one.get("ports", ())] == ["127.0.0.1:8080:8080"]
    assert SERVICES["nonliquet"]["environment"]["NONLIQUET_API_KEY"].startswith("${NONLIQUET_API_KEY:?")
    assert "--host" not in _started()[-1]  # the unit's: 127.0.0.1


def test_every_variable_is_in_the_example_of_the_environment():
    variables = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    given = set(re.findall(r"^(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))
    assert variables == given


@pytest.mark.parametrize("arguments", _started(), ids=" ".join)
def test_the_command_takes_what_the_examples_give_it(arguments: list[str]):
    run = subprocess.run(
        [sys.executable, "-m", "agent", arguments[0], "--help"], capture_output=True, text=True, timeout=60, check=True
    )
    for option in (argument for argument in arguments[1:] if argument.startswith("--")):
        assert f" {option} " in run.stdout


def test_the_image_gets_what_the_package_is_built_from():
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not {"agent", "graph", "retrieval", "prompts", "evals", "constraints.txt", "README.md"} & set(ignored)
    (extras,) = re.findall(r"/src\[(.*?)\]", (DEPLOY / "Dockerfile").read_text())
    project = (ROOT / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = \[", project, re.MULTILINE) for extra in extras.split(","))


def test_compose_reads_its_file():
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode
    ):
        pytest.skip("there is no docker compose here")
    run = subprocess.run(
        ["docker", "compose", "--env-file", "/dev/null", "-f", DEPLOY / "compose.yaml", "config", "--quiet"],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LAW": "law", "NONLIQUET_API_KEY": "key"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr


def test_systemd_takes_the_unit(tmp_path: Path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here")
    unit = tmp_path / "nonliquet.service"
    here = UNIT.replace("/opt/nonliquet/bin/nonliquet", sys.executable).replace("User=nonliquet", "User=daemon")
    unit.write_text(here, encoding="utf-8")
    run = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert unit.name not in run.stderr  # what it says of other units is not ours
