"""`index --as-of` and `ask --as-of`: the law as of a date, and what is said where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from typer.testing import Result

from agent.legal_agent import LegalAgent
from agent.reply import Abstention, Answer, NoteKind
from graph.corpus import read_corpus
from graph.records import Status
from retrieval.index_build import VectorPlan, build_index
from retrieval.index_folder import read_manifest
from tests.conftest import HashingEncoder
from tests.law_history import LawHistory, law_text

Run = Callable[..., Result]

QUESTION = "등대지기는 언제 등을 켜야 하는가?"
OLD = "1 등대지기는 해가 지기 전에 등을 켜야 한다."
NEW = "1 등대지기는 오후 여섯 시에 등을 켜야 한다."


@pytest.fixture
def history(tmp_path: Path) -> LawHistory:
    history = LawHistory(tmp_path / "law")
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", OLD, "2 등대는 바다에 둔다.")})
    history.commit("2015-01-01", {"법률.md": law_text("2015-07-01", NEW, "2 등대는 바다에 둔다.")})
    history.commit("2015-02-01", {"다른.md": law_text("2015-07-01", "1 배는 항구에 둔다.", name="항구법")})
    return history


@pytest.fixture
def index(history: LawHistory, tmp_path: Path) -> Path:
    """Of the latest edition, without vectors."""
    build_index(read_corpus([history.path]), tmp_path / "index")
    return tmp_path / "index"


def asked(nonliquet: Run, index: Path, *options: object) -> tuple[Result, str]:
    """Ask for the old or new text; return the result and the whole of what was found."""
    result = nonliquet("ask", QUESTION, "--index", index, "--json", *options)
    reply = json.loads(result.stdout)
    return result, json.dumps([reply.get("citations"), reply.get("found"), reply["edition"]], ensure_ascii=False)


def test_index_as_of_a_date_holds_the_edition_and_says_what_there_is_to_know(
    nonliquet: Run, history: LawHistory, tmp_path: Path
):
    folder = tmp_path / "edition"
    result = nonliquet("index", history.path, "--as-of", "2012-01-01", "--index", folder, "--encoder", "none")
    made, note, _ = result.stdout.splitlines()
    assert made.startswith(f"{folder}: 2 articles, ")
    assert note.startswith("Note: 항구법: not covered by this history, which begins with the version promulgated on ")
    manifest = read_manifest(folder)
    assert manifest.edition == "2012-01-01"
    assert [note.law_name for note in manifest.notes] == ["항구법"]
    stats = nonliquet("stats", "--index", folder)
    assert "edition                        2012-01-01; notes: 1 (--json has them)\n" in stats.stdout


def test_index_again_says_how_many_laws_were_read(nonliquet: Run, history: LawHistory, tmp_path: Path):
    options = ("--index", tmp_path / "edition", "--encoder", "none")
    assert "read again" not in nonliquet("index", history.path, *options).stdout
    history.commit("2016-01-01", {"법률.md": law_text("2016-07-01", OLD)})
    assert nonliquet("index", history.path, *options).stdout.splitlines()[0].endswith("; 1 of 2 laws read again")


def test_ask_as_of_a_date_answers_by_the_law_of_that_date_and_says_so(nonliquet: Run, index: Path):
    result, found = asked(nonliquet, index)
    assert "여섯 시" in found
    assert json.loads(result.stdout)["edition"] is None
    result, found = asked(nonliquet, index, "--as-of", "2012-01-01")
    assert result.stderr == "The law as of 2012-01-01 is indexed, this once.\n"
    assert "해가 지기 전에" in found
    reply = json.loads(result.stdout)
    assert reply["edition"] == "2012-01-01"
    step = next(step for step in reply["trace"] if step["step"] == "edition")
    assert step["as of"] == "2012-01-01"
    assert [note.partition(":")[0] for note in step["notes"]] == ["항구법"]
    assert not asked(nonliquet, index, "--as-of", "2012-01-01")[0].stderr


def test_the_edition_lies_in_the_index_and_another_build_of_the_index_keeps_it(
    nonliquet: Run, index: Path, history: LawHistory
):
    asked(nonliquet, index, "--as-of", "2012-01-01")
    edition = index / "editions" / "2012-01-01"
    before = read_manifest(edition).build
    nonliquet("index", history.path, "--index", index, "--encoder", "none")
    assert not asked(nonliquet, index, "--as-of", "2012-01-01")[0].stderr
    assert read_manifest(edition).build == before


def test_the_indexs_own_edition_is_not_built_again(nonliquet: Run, history: LawHistory, tmp_path: Path):
    folder = tmp_path / "edition"
    nonliquet("index", history.path, "--as-of", "2012-01-01", "--index", folder, "--encoder", "none")
    assert "해가 지기 전에" in asked(nonliquet, folder, "--as-of", "2012-01-01")[1]
    assert not (folder / "editions").exists()


def test_an_edition_is_built_again_when_the_history_has_grown(nonliquet: Run, index: Path, history: LawHistory):
    asked(nonliquet, index, "--as-of", "2012-01-01")
    history.commit("2016-01-01", {"법률.md": law_text("2011-07-01", "1 등대지기는 늘 등을 켜야 한다.")})
    result, found = asked(nonliquet, index, "--as-of", "2012-01-01")
    assert result.stderr
    assert "늘 등을" in found


def test_an_edition_that_is_built_is_used_when_its_history_is_gone(nonliquet: Run, index: Path, history: LawHistory):
    asked(nonliquet, index, "--as-of", "2012-01-01")
    shutil.rmtree(history.path)
    assert "해가 지기 전에" in asked(nonliquet, index, "--as-of", "2012-01-01")[1]


def test_an_edition_whose_history_is_gone_is_an_error_with_the_command_that_builds_it(
    nonliquet: Run, index: Path, history: LawHistory, tmp_path: Path
):
    moved = tmp_path / "moved"
    history.path.rename(moved)
    result = nonliquet("ask", QUESTION, "--index", index, "--as-of", "2012-01-01")
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: {index}: the edition of 2012-01-01 is not built, and {history.path} is not there to build it from; "
        f"build it with: nonliquet index REPO --as-of 2012-01-01 --index {index / 'editions' / '2012-01-01'}\n"
    )
    nonliquet(
        "index", moved, "--as-of", "2012-01-01", "--index", index / "editions" / "2012-01-01", "--encoder", "none"
    )
    assert "해가 지기 전에" in asked(nonliquet, index, "--as-of", "2012-01-01")[1]


@pytest.fixture
def plain_index(tmp_path: Path) -> Path:
    """Of a folder of files that is no repository, its one law in force since 2010-07-01."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "법률.md").write_text(law_text("2010-07-01", OLD), encoding="utf-8")
    build_index(read_corpus([tmp_path / "files"]), tmp_path / "plain")
    return tmp_path / "plain"


def test_an_index_of_no_history_is_read_by_the_dates_of_its_articles(nonliquet: Run, plain_index: Path):
    result = nonliquet("ask", QUESTION, "--index", plain_index, "--as-of", "2010-06-30", "--json")
    reply = json.loads(result.stdout)
    assert (result.exit_code, reply["edition"], reply["kind"]) == (3, "2010-06-30", "repealed_or_not_in_force")
    assert [(one["label"], one["since"]) for one in reply["not_in_force"]] == [("제1조", "2010-07-01")]
    assert "2010-07-01" in reply["text"]


def test_a_date_that_the_history_does_not_cover_is_an_error_and_builds_nothing(nonliquet: Run, index: Path):
    result = nonliquet("ask", QUESTION, "--index", index, "--as-of", "2001-01-01")
    assert result.exit_code == 1
    assert (
        "2001-01-01 is not covered by this history, whose first version is in force since 2010-07-01" in result.stderr
    )
    assert not (index / "editions").exists()


@pytest.mark.parametrize("verb", [("index", "law"), ("ask", QUESTION)])
@pytest.mark.parametrize("day", ["2012-02-30", "2012", "gestern", ""])
def test_a_date_that_is_none_is_wrong_usage(nonliquet: Run, index: Path, verb: tuple[str, str], day: str):
    result = nonliquet(*verb, "--index", index, "--as-of", day)
    assert result.exit_code == 2
    assert "is no date" in result.stderr


def test_the_agent_asks_by_several_editions_with_the_vectors_of_one_cache(
    history: LawHistory, tmp_path: Path, hashing_encoder: HashingEncoder
):
    build_index(read_corpus([history.path]), tmp_path / "index", vectors=VectorPlan(encoder=hashing_encoder))
    assert hashing_encoder.n_articles_encoded == 3
    with LegalAgent.open(tmp_path / "index", encoder=hashing_encoder) as agent:
        replies = [agent.ask(QUESTION, as_of=day) for day in (None, "2012-01-01", "2016-01-01")]
        assert [reply.edition for reply in replies] == [None, "2012-01-01", "2016-01-01"]
        assert agent.edition("2012-01-01").retriever.index.manifest.encoder == hashing_encoder.identity
        assert len(agent.edition("2012-01-01").retriever.index.matrix) == 2
        with pytest.raises(ValueError, match="'2012-13-01' is no date"):
            agent.ask(QUESTION, as_of="2012-13-01")


def test_the_edition_has_the_encoder_of_its_index(
    nonliquet: Run, history: LawHistory, tmp_path: Path, hashing_as_embedded: HashingEncoder
):
    folder = tmp_path / "index"
    nonliquet("index", history.path, "--index", folder)
    asked(nonliquet, folder, "--as-of", "2012-01-01")
    assert read_manifest(folder / "editions" / "2012-01-01").encoder == hashing_as_embedded.identity
    build_index(read_corpus([history.path]), folder)  # anew, and without vectors
    assert asked(nonliquet, folder, "--as-of", "2012-01-01")[0].stderr
    assert read_manifest(folder / "editions" / "2012-01-01").encoder is None


def test_articles_that_did_not_change_are_not_encoded_again(
    history: LawHistory, tmp_path: Path, hashing_encoder: HashingEncoder
):
    plan = VectorPlan(encoder=hashing_encoder)
    build_index(read_corpus([history.path]), tmp_path / "index", vectors=plan)
    build_index(read_corpus([history.path], as_of="2012-01-01"), tmp_path / "edition", vectors=plan)
    assert hashing_encoder.n_articles_encoded == 3 + 1  # article 1 as it was


def test_the_agent_over_an_index_of_no_history_answers_from_what_was_in_force_and_says_so(plain_index: Path):
    with LegalAgent.open(plain_index) as agent:
        before, after = (agent.ask(QUESTION, as_of=day) for day in ("2010-06-30", "2010-07-01"))
    assert isinstance(before, Abstention)
    assert isinstance(after, Answer)
    assert [(note.kind, "2010-07-01" in note.text) for note in after.notes] == [(NoteKind.AS_OF, True)]


def test_an_article_of_the_real_history_is_read_before_its_repeal_and_said_to_be_gone_after(
    shared_data: Path, tmp_path: Path
):
    build_index(read_corpus([shared_data / "firelaw-kr" / "history.bundle"]), tmp_path / "index")
    with LegalAgent.open(tmp_path / "index") as agent:
        provisions = agent.retriever.index.graph.provisions.values()
        gone = max(
            (one for one in provisions if one.status is Status.REPEALED and one.effective_date > "2012"),
            key=lambda one: (one.effective_date, one.semantic_id),
        )
        question = f"{gone.law_name} {gone.chapter}가 뭐라고 하나요?"
        reply = agent.ask(question)
        assert isinstance(reply, Abstention)
        assert [(one.semantic_id, one.since) for one in reply.not_in_force] == [(gone.semantic_id, gone.effective_date)]
        assert gone.effective_date in reply.text
        before = (date.fromisoformat(gone.effective_date) - timedelta(days=1)).isoformat()
        earlier = agent.ask(question, as_of=before)
        assert earlier.edition == before
        assert isinstance(earlier, Answer)
        assert gone.chapter in {citation.label for citation in earlier.citations}
