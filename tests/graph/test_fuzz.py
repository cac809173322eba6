"""Fifty of the thousand texts that `python -m tests.graph.fuzz --n 1000` throws at the grammars, and 50 files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.graph.fuzz import BOUND_S, check, check_file, text_of


@pytest.mark.parametrize("number", range(50))
def test_a_text_is_read_within_its_bound_and_gives_mentions_inside_it(number: int):
    text, language = text_of(number, seed=0)
    started = time.process_time()
    check(text, language)
    assert time.process_time() - started < 2 * BOUND_S * 2  # it is read twice; machines of CI are half as fast


@pytest.mark.parametrize("number", range(1, 50, 2))
def test_a_file_of_such_a_text_gives_provisions_or_an_error_that_names_it(tmp_path: Path, number: int):
    text, _ = text_of(number, seed=1)
    check_file(text, tmp_path)


@pytest.mark.parametrize("number", range(0, 50, 7))
def test_a_statute_that_begins_well_and_goes_on_like_that_is_read_or_named(tmp_path: Path, number: int):
    text, _ = text_of(number + 1, seed=2)
    front = "---\n제목: 등대 법\n법령구분: 법률\n시행일자: 2024-01-01\n---\n\n##### 제1조 (점등)\n\n"
    check_file(front + text, tmp_path)
    check_file('{"law_name": "등대 법", "chapter": "제1조", "text": ' + text, tmp_path)
