"""Runs the Python that docs/ shows and compares what it prints; what pages link to and name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVER = "http://127.0.0.1:8080"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def _blocks() -> Iterator[object]:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            if SERVER in found[1]:
                continue  # tests/agent/server/test_docs.py runs it beside a server
            line_no = text[: found.start()].count("\n") + 2
            yield pytest.param(path, line_no, found[1], found[2], id=f"{path.name}:{line_no}")


@pytest.fixture
def _builtin_cache(builtin_index_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NONLIQUET_CACHE", str(builtin_index_folder.parent))


@pytest.mark.parametrize(("path", "line_no", "code", "printed"), list(_blocks()))
@pytest.mark.usefixtures("_builtin_cache")
def test_python_code_in_docs_runs_and_prints_what_is_shown(
    path: Path,
    line_no: int,
    code: str,
    printed: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    from graph.readers import FORMATS

    monkeypatch.chdir(tmp_path)
    before = dict(FORMATS)
    try:
        exec(compile("\n" * (line_no - 1) + code, str(path), "exec"), {"__name__": "__main__"})
    finally:
        FORMATS.clear()
        FORMATS.update(before)
    shown = capsys.readouterr().out
    if printed is None:
        assert shown
    else:
        assert shown == printed


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_and_the_files_it_names_are_there(page: Path):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:graph|retrieval|agent|evals|prompts|tests|deploy|docs)/[\w./-]*)`", text):
        assert (ROOT / named).exists(), named
