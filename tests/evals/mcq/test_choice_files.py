from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evals.mcq.choice_files import brings_its_articles, read_choice_questions
from graph.errors import QuestionsError

ROW = {
    "question_id": 7,
    "related_semantic_ids": ["fire-code_5", "fire-decree_3"],
    "question": "How often?",
    "option_1": "monthly",
    "option_2": "yearly",
    "option_3": "It cannot be said.",
    "answer_partial": 3,
    "answer_full": 2,
}
SAMPLE = {
    "ファイル名": "金商法 問題1",
    "コンテキスト": "## 甲法\n### 第5条\n届出書を提出する。\n#### 第2項\n期限は三月とする。\n"
    "## 甲法施行令\n### 第3条の4\n六月とする。",
    "問題文": "期限を教えてください。",
    "選択肢": "a 一月\nb 三月\nのうち早い日\nc 六月\nd 一年",
    "output": "b",
}


@pytest.fixture
def names(golden_graph):
    first, second = golden_graph.articles[:2]
    return first, second, golden_graph


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "mcq.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sampled(tmp_path: Path, *samples: dict[str, Any]) -> Path:
    path = tmp_path / "selection.json"
    path.write_text(json.dumps({"samples": samples}), encoding="utf-8")
    return path


def test_a_question_of_searchfiresafety_is_read(tmp_path, names):
    first, second, graph = names
    path = written(tmp_path, {**ROW, "related_semantic_ids": [first, second]})
    (question,) = read_choice_questions(path, graph)
    assert question.question_id == question.cluster == "7"
    assert question.options == ("monthly", "yearly", "It cannot be said.")
    assert (question.gold_full, question.abstain) == (2, 3)
    assert question.articles == (first, second)
    assert question.group == first
    assert question.answerable


def test_articles_may_be_given_by_number(tmp_path, names):
    first, second, graph = names
    row = {name: value for name, value in ROW.items() if name != "related_semantic_ids"}
    numbers = [graph.provisions[name].doc_id for name in (first, second)]
    (question,) = read_choice_questions(written(tmp_path, {**row, "related_doc_ids": numbers}), graph)
    assert question.articles == (first, second)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"option_5": "never"}, r"mcq.jsonl:1: expected option_1, option_2, … without a gap, found \[1, 2, 3, 5\]"),
        ({"answer_full": 4}, "answer_full: expected the number of an option, 1 to 3, found 4"),
        ({"answer_full": "2"}, "answer_full: expected the number"),
        ({"answer_partial": 0}, "answer_partial: expected the number"),
        ({"related_semantic_ids": ["nowhere_1"]}, "related_semantic_ids: the index has no provision 'nowhere_1'"),
        ({"related_semantic_ids": []}, "names no article"),
        ({"question": " "}, "question: expected a text"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, names, change, message):
    first, second, graph = names
    with pytest.raises(QuestionsError, match=message):
        read_choice_questions(written(tmp_path, {**ROW, "related_semantic_ids": [first, second], **change}), graph)


def test_an_id_that_comes_twice_is_an_error(tmp_path, names):
    first, second, graph = names
    row = {**ROW, "related_semantic_ids": [first, second]}
    with pytest.raises(QuestionsError, match=r"mcq.jsonl:2: id 7 appears twice, first at .*mcq.jsonl:1"):
        read_choice_questions(written(tmp_path, row, row), graph)


def test_questions_that_name_articles_need_an_index(tmp_path):
    with pytest.raises(QuestionsError, match="name it with --index"):
        read_choice_questions(written(tmp_path, ROW), None)


def test_a_question_of_lawqa_brings_its_articles(tmp_path):
    path = sampled(tmp_path, SAMPLE)
    assert brings_its_articles(path)
    (question,) = read_choice_questions(path, None)
    assert question.question_id == "金商法_問題1"
    assert question.options == ("一月", "三月\nのうち早い日", "六月", "一年")
    assert (question.gold_full, question.abstain) == (2, None)
    assert [(one.law_name, one.chapter) for one in question.given] == [("甲法", "第5条"), ("甲法施行令", "第3条の4")]
    assert question.given[0].text == "届出書を提出する。\n#### 第2項\n期限は三月とする。"
    assert question.articles == tuple(one.semantic_id for one in question.given)


def test_the_orders_of_one_lawqa_question_share_a_cluster(tmp_path):
    path = sampled(tmp_path, *({**SAMPLE, "回答オーダーマップ番号": n} for n in (0, 1)))
    questions = read_choice_questions(path, None)
    assert [one.question_id for one in questions] == ["金商法_問題1#0", "金商法_問題1#1"]
    assert {one.cluster for one in questions} == {"金商法_問題1"}


def test_an_article_whose_heading_comes_twice_is_one(tmp_path):
    context = "## 甲法\n### 第5条\n一。\n## 乙法\n### 第1条\n二。\n## 甲法\n### 第5条\n三。"
    (question,) = read_choice_questions(sampled(tmp_path, {**SAMPLE, "コンテキスト": context}), None)
    assert [one.text for one in question.given] == ["一。\n三。", "二。"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"output": "e"}, "sample 1: output: expected one of a, b, c, d, found 'e'"),
        ({"選択肢": "a 一月\nc 三月"}, "選択肢: expected lines that begin with a, b, c"),
        ({"問題文": ""}, "問題文: expected a text"),
    ],
)
def test_what_is_wrong_in_lawqa_is_named(tmp_path, change, message):
    with pytest.raises(QuestionsError, match=message):
        read_choice_questions(sampled(tmp_path, {**SAMPLE, **change}), None)


def test_json_of_another_form_is_an_error(tmp_path):
    (tmp_path / "x.json").write_text("[]", encoding="utf-8")
    with pytest.raises(QuestionsError, match="an object with a list 'samples'"):
        read_choice_questions(tmp_path / "x.json", None)


def test_lawqa_jp_is_read_whole(shared_data):
    questions = read_choice_questions(shared_data / "lawqa-jp" / "selection.json", None)
    assert Counter(one.gold_full for one in questions) == {1: 23, 2: 37, 3: 48, 4: 32}
    assert all(len(one.options) == 4 and one.given for one in questions)
    orders = read_choice_questions(shared_data / "lawqa-jp" / "selection_randomized.json", None)
    assert Counter(one.gold_full for one in orders) == dict.fromkeys(range(1, 5), 140)
    assert len({one.cluster for one in orders}) == 140
