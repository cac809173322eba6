"""I/O: one vLLM process: started, waited for until it answers, and stopped with all that it started."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from agent.model_server.environment import Environment
from agent.model_server.gguf import DTYPES, ServableModel
from graph.errors import ServiceUnavailable
from retrieval.settings import cache_folder

__all__ = ["ModelServer"]

_HOST = "127.0.0.1"
_PORT = 8000
_POLL_S = 0.25
_STOP_S = 20.0  # between asking a server to end and ending it
_TAIL = 64 * 1024  # bytes of the log that are searched for what went wrong
_N_LINES = 4
_LINE = 300  # characters
_PREFIX = re.compile(r"(\([\w ]+pid=\d+\) )?((?P<level>[A-Z]+) [\d-]+ [\d:]+ \[[^]]*\] ?)?")
_FRAME = re.compile(r'  File "|    ')  # of a traceback: a place and its code
_CAUSE = re.compile(r"\w(Error|Exception): \S")


class ModelServer:
    """A vLLM server, as a context: on entry it answers, on exit nothing of it is left.

    base_url: what an OpenAI client is given. name: what the server calls the model. command: what is run.
    log: the file that holds what vLLM prints.
    """

    def __init__(
        self,
        model: ServableModel,
        environment: Environment,
        *,
        port: int | None = None,
        max_model_len: int | None = None,
        gpu_memory_utilization: float | None = None,
        extra_arguments: Sequence[str] = (),
        log: Path | None = None,
        timeout_s: float = 1800.0,
    ) -> None:
        """Describe a server; nothing runs yet.

        port: by default 8000, or any free one if that is taken. max_model_len: tokens of prompt and reply, by default
        the model's own. gpu_memory_utilization: share of the GPU's memory, by default vLLM's. extra_arguments: for
        vLLM, after ours, so that they win. log: by default in the cache folder, one file a port. timeout_s: how long it
        may take until it answers.
        """
        if port is None:
            port = _PORT if _is_free(_PORT) else _any_free_port()
        self.base_url = f"http://{_HOST}:{port}/v1"
        self.name = model.name
        self.log = log or cache_folder() / "logs" / f"vllm-{port}.log"
        self.command = _command(model, environment, port, max_model_len, gpu_memory_utilization, extra_arguments)
        self._port = port
        self._variables = _variables(model, environment)
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it, and wait until it answers.

        Raises ServiceUnavailable if the port is taken, if it ends before it answers (with what its log says), or if it
        takes too long; nothing of it is left then.
        """
        if not _is_free(self._port):
            raise ServiceUnavailable(f"port {self._port} is in use; choose another with --port")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self._variables},
                start_new_session=True,  # a group that we can end as a whole, and that Ctrl-C does not reach
            )
        try:
            self._wait_until_it_answers(self._process)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def wait(self) -> None:
        """Return when the server has ended by itself, which it never does in good health.

        Raises ServiceUnavailable with what its log says.
        """
        assert self._process is not None, "wait() is for a server that was entered"
        self._process.wait()
        raise self._ended(self._process)

    def stop(self) -> None:
        """Ask the server to end, end it if it does not, and return when none of its processes is left."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.poll() is None:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_STOP_S)
        finally:  # also when a second Ctrl-C cuts the wait short
            _kill_group(process.pid)
            process.wait()

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + self._timeout_s
        # A proxy that the user has set up is not for this machine.
        with httpx.Client(trust_env=False, timeout=5.0) as client:
            while not self._answers(client):
                if process.poll() is not None:
                    raise self._ended(process)
                if time.monotonic() >= until:
                    raise ServiceUnavailable(
                        f"vLLM did not answer within {self._timeout_s:g} s; its log, {self.log}, says: "
                        f"{_what_went_wrong(self.log)}"
                    )
                time.sleep(_POLL_S)

    def _answers(self, client: httpx.Client) -> bool:
        try:
            if client.get(f"http://{_HOST}:{self._port}/health").status_code != httpx.codes.OK:
                return False
            models = client.get(f"{self.base_url}/models")
        except httpx.HTTPError:
            return False
        # With an API key among the extra arguments, being refused is an answer.
        return models.status_code in (httpx.codes.OK, httpx.codes.UNAUTHORIZED)

    def _ended(self, process: subprocess.Popen[bytes]) -> ServiceUnavailable:
        return ServiceUnavailable(
            f"vLLM ended with exit code {process.returncode}; its log, {self.log}, says: {_what_went_wrong(self.log)}"
        )


def _command(
    model: ServableModel,
    environment: Environment,
    port: int,
    max_model_len: int | None,
    gpu_memory_utilization: float | None,
    extra_arguments: Sequence[str],
) -> list[str]:
    # Not `vllm serve`: in the CPU build it looks for a package of another name. -P: nor what stands in this folder.
    command = [str(environment.python), "-P", "-m", "vllm.entrypoints.openai.api_server", "--model", model.location]
    command += ["--served-model-name", model.name, "--host", _HOST, "--port", str(port)]
    command += ["--dtype", DTYPES[environment.device]]
    if environment.device == "cpu":
        command.append("--enforce-eager")  # compiling takes longer there than it saves
    if max_model_len is not None:
        command += ["--max-model-len", str(max_model_len)]
    if gpu_memory_utilization is not None:
        command += ["--gpu-memory-utilization", str(gpu_memory_utilization)]
    return [*command, *extra_arguments]


def _variables(model: ServableModel, environment: Environment) -> dict[str, str]:
    """Return the environment variables that vLLM needs; the user's own values stay."""
    wanted = {"VLLM_NO_USAGE_STATS": "1"}
    if model.is_local:
        wanted["HF_HUB_OFFLINE"] = "1"
    if environment.device == "cpu":
        wanted["VLLM_CPU_KVCACHE_SPACE"] = "2"  # GiB for keys and values; vLLM's default is a share of the memory
    return {name: value for name, value in wanted.items() if name not in os.environ}


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server will: a port whose last connections are still closing can be had, one listened on cannot.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            return False
        return True


def _any_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _kill_group(group: int) -> None:
    """End every process of the group; return when none is left or, where nobody collects the dead, after a while."""
    until = time.monotonic() + _STOP_S
    with suppress(ProcessLookupError, PermissionError):  # nobody left; macOS says so of the dead by the second
        while time.monotonic() < until:
            os.killpg(group, signal.SIGKILL)
            time.sleep(0.05)


def _what_went_wrong(log: Path) -> str:
    """Return the log's last errors and last lines, on one line: vLLM's very last error says only to look above it."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL))
        text = file.read().decode("utf-8", errors="replace")
    lines, errors, causes = [], [], []
    for line in text.splitlines():
        prefix = _PREFIX.match(line)
        assert prefix is not None, "every line begins with a prefix, if an empty one"
        message = line[prefix.end() :]
        if not message.strip() or _FRAME.match(message):
            continue
        lines.append(message.strip()[:_LINE])
        if prefix["level"] in (None, "ERROR", "CRITICAL") and not message.startswith("Traceback "):
            errors.append(lines[-1])
            if _CAUSE.search(message):
                causes.append(lines[-1])
    return " | ".join(dict.fromkeys([*causes[-_N_LINES:], *(errors or lines)[-_N_LINES:]])) or "nothing"
