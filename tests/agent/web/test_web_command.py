"""`nonliquet web`."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result


def test_a_port_that_is_taken_is_said_with_what_to_do(nonliquet: Callable[..., Result], law_index: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = nonliquet("web", "--index", law_index, "--port", taken.getsockname()[1], "--no-browser")
    assert result.exit_code == 1
    assert "choose another with --port" in result.stderr


def test_it_shows_the_page_until_it_is_interrupted(law_index: Path):
    command = [sys.executable, "-m", "agent", "web", "--index", str(law_index), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        address = re.search(r"http://127\.0\.0\.1:\d+/", running.stdout.readline())
        try:
            assert address is not None
            with urllib.request.urlopen(address[0], timeout=60) as page:
                assert b"<title>Non Liquet</title>" in page.read()
        finally:
            running.send_signal(signal.SIGINT)
            said = running.communicate(timeout=30)
    assert "Traceback" not in said[1]
