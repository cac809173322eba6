import pytest

from agent.language import LANGUAGES
from prompts.leaks import says_a_prompt
from prompts.template import load_prompt


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_of_a_prompt_is_known_whole_and_in_part(language):
    line = max(load_prompt("answer", language).system.splitlines(), key=len)
    assert says_a_prompt(line)
    assert says_a_prompt(f"Here you are: {line[: len(line) // 2].upper()}…")


@pytest.mark.parametrize(
    "text", ["", "No.", "Use only approved equipment.", "조문에 따르면 30일 이내에 신고하여야 합니다."]
)
def test_words_that_a_prompt_has_by_chance_are_no_leak(text):
    assert not says_a_prompt(text)
