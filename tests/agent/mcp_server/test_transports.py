"""`nonliquet mcp` in a process of its own, over stdio and over HTTP, with the SDK's own client."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import Result

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'nonliquet[mcp]'")

from mcp import Client, StdioServerParameters, stdio_client

from tests.conftest import ROOT

Run = Callable[..., Result]

ACT_1 = "등대-안전법_1조"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPTS = {"Accept": "application/json, text/event-stream"}


async def _conversation(client: Client) -> None:
    """Use each kind of thing that the server offers once."""
    assert {tool.name for tool in (await client.list_tools()).tools} >= {"search", "ask"}
    opened = await client.call_tool("open_article", {"semantic_id": ACT_1})
    assert (opened.structured_content or {})["law_name"] == "등대 안전법"
    refused = await client.call_tool("open_article", {"semantic_id": "nothing"})
    assert refused.is_error
    asked = await client.call_tool("ask", {"question": "등대지기는 언제 등을 켜야 하는가?"})
    assert "해가 지기" in (asked.structured_content or {})["text"]
    (resource,) = (await client.read_resource(f"nonliquet://articles/{ACT_1}")).contents
    assert "해가 지기 전에" in resource.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_stdio_nothing_but_the_protocol_is_on_stdout(golden_index: Path, mode: str):
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "agent", "mcp", "--index", str(golden_index)],
        cwd=ROOT,
        env=dict(os.environ),
    )

    async def talk() -> None:
        async with Client(stdio_client(server), mode=mode) as client:
            await _conversation(client)

    asyncio.run(asyncio.wait_for(talk(), 120))


@contextmanager
def serving(index: Path, *options: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "agent", "mcp", "--http", "--port", str(port), "--index", str(index), *options]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _wait_for(port: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if process.poll() is not None:
            pytest.fail(f"the server ended: {process.stderr.read() if process.stderr else ''}")
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server does not listen")


def test_over_http_clients_of_both_generations_use_it_and_pages_of_other_names_cannot(golden_index: Path):
    with serving(golden_index) as url:

        async def talk(mode: str) -> None:
            async with Client(url, mode=mode) as client:
                await _conversation(client)

        for mode in ("auto", "legacy"):
            asyncio.run(asyncio.wait_for(talk(mode), 60))
        for name, value in (("Host", "evil.example"), ("Origin", "http://evil.example")):
            refused = httpx.post(url, json=INITIALIZE, headers={**ACCEPTS, name: value})
            assert refused.status_code in (403, 421)


def test_over_http_nobody_gets_in_without_the_key(golden_index: Path):
    with serving(golden_index, "--api-key", "sesame") as url:
        for sent in ({}, {"Authorization": "Bearer open"}, {"Authorization": "Basic sesame"}):
            refused = httpx.post(url, json=INITIALIZE, headers={**ACCEPTS, **sent})
            assert refused.status_code == 401
            assert "Authorization: Bearer" in refused.json()["error"]["message"]
        admitted = httpx.post(url, json=INITIALIZE, headers={**ACCEPTS, "Authorization": "Bearer sesame"})
        assert admitted.status_code == 200
        assert admitted.json()["result"]["serverInfo"]["name"] == "nonliquet"


def test_another_address_without_a_key_is_wrong_usage(nonliquet: Run, golden_index: Path):
    result = nonliquet("mcp", "--http", "--host", "0.0.0.0", "--index", golden_index)
    assert result.exit_code == 2
    assert "--api-key" in result.stderr


def test_a_key_that_no_header_can_hold_is_wrong_usage(nonliquet: Run, golden_index: Path):
    result = nonliquet("mcp", "--http", "--api-key", "schlüssel", "--index", golden_index)
    assert result.exit_code == 2
    assert "ASCII" in result.stderr
