import json
from collections import Counter
from functools import cache

from graph.corpus import BUILTIN_LAW, read_corpus
from tests.conftest import ROOT

FIELDS = ["paraphrase_id", "language", "semantic_id", "law", "quote", "answer"]


@cache
def rows():
    lines = (ROOT / "evals" / "builtin" / "paraphrases.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_paraphrases_have_the_fields_and_counts_of_the_readme():
    assert all(list(row) == FIELDS for row in rows())
    assert [row["paraphrase_id"] for row in rows()] == list(range(1, 95))
    assert Counter(bool(row["law"]) for row in rows()) == {False: 70, True: 24}
    assert sum(row["language"] != "en" for row in rows() if not row["law"]) == 14
    assert sum(row["language"] == "en" for row in rows() if row["law"]) == 3


def test_every_quote_stands_in_its_article_and_no_answer_is_one():
    law = {article.semantic_id: article.text for article in read_corpus([BUILTIN_LAW]).provisions}
    for row in rows():
        assert row["quote"] in (row["law"] or law[row["semantic_id"]]), row["paraphrase_id"]
        assert row["answer"].rstrip(".") not in (row["law"] or law[row["semantic_id"]]), row["paraphrase_id"]


def test_the_sentences_in_another_language_have_the_fields_and_counts_of_the_readme():
    lines = (ROOT / "evals" / "builtin" / "cross_lingual.jsonl").read_text(encoding="utf-8").splitlines()
    law = {article.semantic_id: article.text for article in read_corpus([BUILTIN_LAW]).provisions}
    found = [json.loads(line) for line in lines]
    assert all(list(row) == FIELDS for row in found)
    assert [row["paraphrase_id"] for row in found] == list(range(1, 21))
    assert Counter((row["language"], bool(row["law"])) for row in found) == {
        ("en", True): 8,
        ("fr", True): 3,
        ("ja", True): 3,
        ("ko", False): 6,
    }
    assert all(row["quote"] in (row["law"] or law[row["semantic_id"]]) for row in found)
