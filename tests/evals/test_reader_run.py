import json

import pytest

from agent import LegalAgent
from evals.reader_run import count, questions_of
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import QuestionsError
from retrieval.index_build import build_index
from tests.agent.scripted_model import ScriptedModel, answer

QUESTION = "May fireworks be sold to a person under 16 years of age?"
ARTICLE = "fire-safety-act_13-2"
QUOTE = "Fireworks shall not be sold or given to a person under 16 years of age."


def test_replies_quotes_and_outcomes_are_counted(tmp_path):
    build_index(read_corpus([BUILTIN_LAW]), tmp_path / "index")
    script = [
        "no JSON",
        answer("No.", (ARTICLE, QUOTE), (ARTICLE, "Everybody may.")),
        answer("x", (ARTICLE, "Nobody.")),
        answer("x", (ARTICLE, "Nobody.")),  # the rewrite
    ]
    with LegalAgent.open(tmp_path / "index", model=ScriptedModel(*script)) as agent:
        counts = count(agent, [agent.ask(QUESTION), agent.ask(QUESTION), agent.ask("Xyzzy plugh?")])
    assert (counts.n_questions, counts.n_model_replies, counts.n_readable) == (3, 4, 3)
    assert (counts.n_quotes, counts.n_quotes_exact) == (4, 1)
    assert (counts.n_citations, counts.n_citations_in_context, counts.n_citations_verbatim) == (1, 1, 1)
    assert counts.outcomes == {"answer": 1, "unverified_answer": 1, "no_relevant_article": 1}


def test_question_files_are_read_and_a_bad_line_is_named(tmp_path):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps({"question": "Who?"}) + "\n", encoding="utf-8")
    bad.write_text('{"question": "Who?"}\n{"q": 1}\n', encoding="utf-8")
    assert questions_of([good, good]) == ["Who?", "Who?"]
    with pytest.raises(QuestionsError, match=r"bad\.jsonl:2"):
        questions_of([bad])
    with pytest.raises(QuestionsError, match="cannot be read"):
        questions_of([tmp_path / "none.jsonl"])
