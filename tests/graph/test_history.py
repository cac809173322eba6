"""Editions of law-as-git histories: which version is taken, what is said about it, and what was repealed before."""

from __future__ import annotations

import os
import random
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from graph.corpus import Corpus, read_corpus
from graph.edition import EditionNote, NoteKind, VersionDates
from graph.errors import CorpusError
from graph.readers import detected_format
from graph.readers.history import History, open_history
from graph.records import Provision, Status
from retrieval.index_build import build_index
from tests.law_history import LawHistory, law_text

LONG = "등대지기는 해가 지기 전에 등을 켜고 해가 뜬 다음에 등을 끄며 그 사이에는 등을 떠나지 아니한다. " * 5


@pytest.fixture
def history(tmp_path: Path) -> LawHistory:
    return LawHistory(tmp_path / "law")


def edition(history: LawHistory, as_of: str | None = None) -> Corpus:
    return read_corpus([history.path], as_of=as_of)


def texts(corpus: Corpus) -> dict[str, str]:
    """The articles in force."""
    return {p.semantic_id: p.text for p in corpus.provisions if p.status is Status.PRESENT}


def repealed(corpus: Corpus) -> dict[str, str]:
    """The repealed articles, and since when."""
    return {p.semantic_id: p.effective_date for p in corpus.provisions if p.status is Status.REPEALED}


def error_of(history: LawHistory, as_of: str | None = None) -> str:
    with pytest.raises(CorpusError) as raised:
        edition(history, as_of)
    return str(raised.value).removeprefix(str(history.path))


# Which version


@pytest.fixture
def amended(history: LawHistory) -> LawHistory:
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 처음")})
    history.commit("2012-01-01", {"법률.md": law_text("2012-07-01", "1 다음")})
    return history


@pytest.mark.parametrize(
    ("as_of", "text"),
    [
        ("2010-07-01", "처음"),
        ("2012-06-30", "처음"),  # promulgated, and not yet in force
        ("2012-07-01", "다음"),
        ("2030-01-01", "다음"),
        (None, "다음"),
    ],
)
def test_the_version_in_force_on_the_date_is_taken(amended: LawHistory, as_of: str | None, text: str):
    corpus = edition(amended, as_of)
    assert texts(corpus) == {"등대법_1조": text}
    assert (corpus.edition, corpus.notes) == (as_of, ())


def test_without_a_date_the_last_version_is_taken_though_it_is_not_yet_in_force(history: LawHistory):
    history.commit("2012-01-01", {"법률.md": law_text("2012-07-01", "1 처음")})
    history.commit("2013-01-01", {"법률.md": law_text("2099-01-01", "1 나중")})
    assert texts(edition(history)) == {"등대법_1조": "나중"}


def test_of_two_versions_in_force_since_one_date_the_later_promulgated_is_taken(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 먼저")})
    history.commit("2010-02-01", {"법률.md": law_text("2010-07-01", "1 나중")})
    corpus = edition(history, "2010-07-01")
    assert (texts(corpus), corpus.notes) == ({"등대법_1조": "나중"}, ())


def test_of_two_versions_of_one_day_the_later_commit_is_the_later_promulgated(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 먼저")})
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 나중")})
    assert texts(edition(history, "2010-07-01")) == {"등대법_1조": "나중"}


def test_promulgation_goes_by_the_commits_dates_where_their_order_is_another(history: LawHistory):
    history.commit("2010-02-01", {"법률.md": law_text("2010-07-01", "1 나중")})
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 먼저")})
    assert texts(edition(history, "2010-07-01")) == {"등대법_1조": "나중"}


def test_a_version_promulgated_later_that_took_effect_earlier_is_noted(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2011-01-01", "1 먼저 공포")})
    history.commit("2010-03-01", {"법률.md": law_text("2010-07-01", "1 나중 공포")})
    assert texts(edition(history, "2010-12-31")) == {"등대법_1조": "나중 공포"}
    assert edition(history, "2010-12-31").notes == ()
    corpus = edition(history, "2011-01-01")
    assert texts(corpus) == {"등대법_1조": "먼저 공포"}
    (note,) = corpus.notes
    assert note == EditionNote(
        kind=NoteKind.OVERTAKEN,
        law_name="등대법",
        chosen=VersionDates("2010-01-01", "2011-01-01"),
        other=VersionDates("2010-03-01", "2010-07-01"),
    )
    assert str(note) == (
        "등대법: the version promulgated on 2010-01-01 and in force since 2011-01-01 is taken, though the version "
        "promulgated on 2010-03-01 and in force since 2010-07-01 was promulgated later"
    )


def test_a_law_that_begins_after_the_date_is_not_covered_and_said_so(amended: LawHistory):
    amended.commit("2015-01-01", {"다른.md": law_text("2015-07-01", "1 글", name="다른법")})
    corpus = edition(amended, "2013-01-01")
    assert texts(corpus) == {"등대법_1조": "다음"}
    (note,) = corpus.notes
    assert (note.kind, note.law_name, note.other) == (
        NoteKind.NOT_COVERED,
        "다른법",
        VersionDates("2015-01-01", "2015-07-01"),
    )


def test_a_date_before_all_versions_is_an_error_that_says_where_the_history_begins(amended: LawHistory):
    problem = ": 2010-06-30 is not covered by this history, whose first version is in force since 2010-07-01"
    assert error_of(amended, "2010-06-30") == problem


# What was repealed


def test_an_article_no_longer_mentioned_is_repealed_since_the_first_version_without_it(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 글", "2 글")})
    history.commit("2011-01-01", {"법률.md": law_text("2011-07-01", "1 글")})
    history.commit("2012-01-01", {"법률.md": law_text("2012-07-01", "1 새 글")})
    assert repealed(edition(history, "2011-01-01")) == {}
    for as_of in ("2011-07-01", "2013-01-01", None):
        corpus = edition(history, as_of)
        assert repealed(corpus) == {"등대법_2조": "2011-07-01"}
        (gone,) = (p for p in corpus.provisions if p.status is Status.REPEALED)
        assert (gone.chapter, gone.chapter_description, gone.text) == ("제2조", "등대", "")


def test_an_article_said_to_be_repealed_keeps_the_date_it_gave_when_it_is_no_longer_mentioned(
    history: LawHistory,
):
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 글", "2 삭제 <2009.3.4>")})
    assert repealed(edition(history, "2010-07-01")) == {"등대법_2조": "2009-03-04"}
    history.commit("2011-01-01", {"법률.md": law_text("2011-07-01", "1 글")})
    assert repealed(edition(history, "2011-07-01")) == {"등대법_2조": "2009-03-04"}


def test_a_repeal_takes_effect_with_the_version_that_was_promulgated_on_the_day_of_its_mark(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 글", "2 글")})
    history.commit("2011-01-01", {"법률.md": law_text("2011-12-01", "1 글", "2 삭제 <2011.1.1>")})
    assert repealed(edition(history, "2011-11-30")) == {}
    assert repealed(edition(history, "2011-12-01")) == {"등대법_2조": "2011-12-01"}
    # Promulgated later, in force earlier, and already without the article: since then, in what the mirror holds.
    history.commit("2011-02-01", {"법률.md": law_text("2011-10-01", "1 글", "2 삭제 <2011.1.1>")})
    assert repealed(edition(history, "2011-11-30")) == {"등대법_2조": "2011-10-01"}
    assert repealed(edition(history, "2011-12-01")) == {"등대법_2조": "2011-12-01"}


def test_an_article_that_came_back_is_in_force(history: LawHistory):
    for year, articles in ((2010, ["1 글", "2 글"]), (2011, ["1 글"]), (2012, ["1 글", "2 다시"])):
        history.commit(f"{year}-01-01", {"법률.md": law_text(f"{year}-07-01", *articles)})
    assert repealed(edition(history)) == {}
    assert texts(edition(history))["등대법_2조"] == "다시"


def test_an_article_of_a_law_that_changed_its_name_is_repealed_under_the_new_one(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 글", "2 글", name="등대관리법")})
    history.commit("2011-01-01", {"법률.md": law_text("2011-07-01", "1 글")})
    corpus = edition(history)
    assert (texts(corpus).keys(), repealed(corpus)) == ({"등대법_1조"}, {"등대법_2조": "2011-07-01"})
    assert texts(edition(history, "2010-07-01")).keys() == {"등대관리법_1조", "등대관리법_2조"}


# Files that move and go


def test_a_renamed_file_keeps_its_earlier_versions(history: LawHistory):
    history.commit("2010-01-01", {"a.md": law_text("2010-07-01", f"1 {LONG}", "2 글")})
    history.commit("2011-01-01", {"a.md": None, "b/c.md": law_text("2011-07-01", f"1 {LONG}", name="등불법")})
    assert texts(edition(history, "2010-07-01")).keys() == {"등대법_1조", "등대법_2조"}
    assert texts(edition(history, "2011-07-01")).keys() == {"등불법_1조"}
    assert repealed(edition(history, "2011-07-01")) == {"등불법_2조": "2011-07-01"}
    assert edition(history).notes == ()


def test_a_move_alone_is_no_new_version(history: LawHistory):
    history.commit("2010-01-01", {"a.md": law_text("2010-07-01", "1 글")})
    history.commit("2010-02-01", {"z.md": law_text("2010-07-01", "1 글", name="다른법")})
    history.commit("2012-01-01", {"a.md": None, "b.md": law_text("2010-07-01", "1 글")})
    with open_history(history.path) as opened:
        assert [(part.name, part.notes) for part in opened.parts("2010-07-01")] == [("b.md", ()), ("z.md", ())]
    assert texts(edition(history, "2010-07-01")) == {"등대법_1조": "글", "다른법_1조": "글"}


@pytest.mark.parametrize("in_one_commit", [True, False])
def test_a_file_rewritten_under_another_path_is_the_law_of_the_same_name(history: LawHistory, in_one_commit: bool):
    history.commit("2010-01-01", {"a.md": law_text("2010-07-01", f"1 {LONG}", "2 글")})
    rewritten = {"b.md": law_text("2011-07-01", "1 전부 다른 글")}
    if in_one_commit:
        history.commit("2011-01-01", {"a.md": None, **rewritten})
    else:
        history.commit("2011-01-01", {"a.md": None})
        history.commit("2011-01-01", rewritten)
    assert texts(edition(history, "2011-06-30")).keys() == {"등대법_1조", "등대법_2조"}
    assert texts(edition(history, "2011-07-01")) == {"등대법_1조": "전부 다른 글"}
    assert repealed(edition(history)) == {"등대법_2조": "2011-07-01"}


def test_a_file_written_anew_before_the_old_one_goes_is_the_law_from_then_on(history: LawHistory):
    history.commit("2010-01-01", {"a.md": law_text("2010-07-01", f"1 {LONG}", "2 글")})
    history.commit("2011-01-01", {"b.md": law_text("2011-07-01", "1 전부 다른 글")})
    history.commit("2011-01-02", {"a.md": None})
    assert texts(edition(history)) == texts(edition(history, "2012-01-01")) == {"등대법_1조": "전부 다른 글"}


@pytest.fixture
def removed(amended: LawHistory) -> LawHistory:
    amended.commit("2014-01-01", {"다른.md": law_text("2010-01-01", "1 글", name="다른법")})
    amended.commit("2014-05-05", {"법률.md": None})
    return amended


def test_a_law_whose_file_was_removed_is_in_force_until_then(removed: LawHistory):
    assert texts(edition(removed, "2014-05-04")) == {"등대법_1조": "다음", "다른법_1조": "글"}


@pytest.mark.parametrize("as_of", ["2014-05-05", None])
def test_a_law_whose_file_was_removed_is_repealed_since_then(removed: LawHistory, as_of: str | None):
    corpus = edition(removed, as_of)
    assert (texts(corpus), repealed(corpus)) == ({"다른법_1조": "글"}, {"등대법_1조": "2014-05-05"})
    (note,) = corpus.notes
    assert (note.kind, note.law_name, note.date) == (NoteKind.REMOVED, "등대법", "2014-05-05")


def test_a_law_whose_file_came_back_was_not_there_in_between_alone(removed: LawHistory):
    removed.commit("2016-01-01", {"법률.md": law_text("2016-07-01", "1 다시")})
    assert repealed(edition(removed, "2015-01-01")) == {"등대법_1조": "2014-05-05"}
    assert texts(edition(removed, "2016-01-01"))["등대법_1조"] == "다음"
    assert texts(edition(removed, "2016-07-01"))["등대법_1조"] == texts(edition(removed))["등대법_1조"] == "다시"


def test_two_files_of_one_law_are_an_error_that_names_both(amended: LawHistory):
    amended.commit("2013-01-01", {"또.md": law_text("2013-07-01", "1 글")})
    assert re.fullmatch(
        r"@[0-9a-f]{12}:법률\.md:7: 등대법_1조 appears twice, first at .*@[0-9a-f]{12}:또\.md:7; remove one",
        error_of(amended),
    )


# What is a history, and what is none


def test_a_bare_repository_and_a_bundle_read_as_the_repository_does(amended: LawHistory, tmp_path: Path):
    amended.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    amended.git("bundle", "create", "--quiet", str(tmp_path / "law.bundle"), "HEAD", "main")
    for as_of in ("2011-01-01", None):
        expected = edition(amended, as_of)
        for name in ("bare", "law.bundle"):
            corpus = read_corpus([tmp_path / name], as_of=as_of)
            assert (corpus.provisions, corpus.parts) == (expected.provisions, expected.parts)
            assert corpus.sources[0].path == str(tmp_path / name)


def test_what_is_not_committed_is_not_read(amended: LawHistory):
    (amended.path / "법률.md").write_text("---\nnothing", encoding="utf-8")
    assert texts(edition(amended)) == {"등대법_1조": "다음"}


def test_the_latest_edition_of_a_history_is_what_its_files_say(history: LawHistory):
    files = {f"{name}.md": law_text("2010-07-01", "1 글", name=name) for name in ("나법", "가법", "a b법")}
    history.commit("2010-01-01", {"README.md": "# 법\n", **files})
    assert edition(history).provisions == read_corpus([history.path], format_name="markdown").provisions


def test_the_hash_of_a_history_changes_with_every_commit(amended: LawHistory):
    before = edition(amended).sources
    assert edition(amended, "2011-01-01").sources == before
    amended.commit("2013-01-01", {"README.md": "# 법\n"})
    assert edition(amended).sources != before


def test_symbolic_links_are_not_followed(amended: LawHistory):
    (amended.path / "link.md").symlink_to("/etc/passwd")
    amended.commit("2013-01-01", {})
    assert texts(edition(amended)) == {"등대법_1조": "다음"}


def test_file_names_of_any_bytes_are_read_and_named(amended: LawHistory):
    (amended.path / os.fsdecode(b"a\n\xff b.md")).write_text(law_text("2010-07-01", "1 글", name="다른법"), "utf-8")
    amended.commit("2013-01-01", {})
    assert texts(edition(amended)).keys() == {"등대법_1조", "다른법_1조"}


def test_a_repository_without_commits_is_a_folder_of_markdown(history: LawHistory):
    (history.path / "법률.md").write_text(law_text("2010-07-01", "1 글"), encoding="utf-8")
    assert detected_format(history.path) == "markdown"


def test_a_source_that_is_no_history_has_no_edition(tmp_path: Path):
    (tmp_path / "law.md").write_text(law_text("2010-07-01", "1 글"), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"is no law-as-git history .*, so it has no edition of 2010-07-01"):
        read_corpus([tmp_path / "law.md"], as_of="2010-07-01")


def test_a_history_without_laws_is_an_error(history: LawHistory):
    history.commit("2010-01-01", {"README.md": "# 법\n"})
    assert error_of(history) == ": its commits hold no law as Markdown; --format markdown reads the folder itself"


def test_an_old_version_that_is_malformed_is_named_by_commit_file_and_line(history: LawHistory):
    history.commit("2010-01-01", {"법률.md": law_text("2010-02-30", "1 글")})
    history.commit("2011-01-01", {"법률.md": law_text("2011-07-01", "1 글")})
    commit = history.git("rev-parse", "HEAD~1").strip()[:12]
    assert error_of(history) == f"@{commit}:법률.md:1: front-matter field '시행일자': '2010-02-30' is no ISO date"


def test_without_git_a_history_is_an_error_that_says_what_mends_it(
    amended: LawHistory, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CorpusError, match=r"is read with git, which is not installed; .* --format markdown"):
        edition(amended)


def test_a_bundle_that_is_cut_off_is_an_error(amended: LawHistory, tmp_path: Path):
    amended.git("bundle", "create", "--quiet", str(tmp_path / "law.bundle"), "HEAD", "main")
    whole = (tmp_path / "law.bundle").read_bytes()
    (tmp_path / "law.bundle").write_bytes(whole[:-30])
    with pytest.raises(CorpusError, match=r"law\.bundle: git clone failed: fatal: "):
        read_corpus([tmp_path / "law.bundle"])


def test_a_bundle_without_a_head_is_an_error_that_says_how_to_make_one(amended: LawHistory, tmp_path: Path):
    amended.git("branch", "old")
    amended.git("bundle", "create", "--quiet", str(tmp_path / "law.bundle"), "old")
    with pytest.raises(CorpusError, match=r"law\.bundle: its HEAD is no commit; .* git bundle create FILE HEAD main"):
        read_corpus([tmp_path / "law.bundle"])


def test_a_text_that_the_repository_does_not_hold_is_an_error(amended: LawHistory):
    blob = amended.git("rev-parse", "HEAD:법률.md").strip()
    (amended.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert error_of(amended) == f": the text {blob} is not in the repository; clone it anew, and whole"


# The mirror of the fire-safety statutes, its editions computed once more from `git log` and `git show` alone

SEED = 20261130
N_PAIRS = 300


class Committed(NamedTuple):
    in_force: str
    day: str
    text: str


@pytest.fixture(scope="module")
def mirror(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mirror") / "law"
    bundle = shared_data / "firelaw-kr" / "history.bundle"
    subprocess.run(["git", "clone", "--quiet", str(bundle), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def versions(mirror: Path) -> dict[str, list[Committed]]:
    """By path, as committed."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-c", "core.quotePath=false", *arguments], cwd=mirror, capture_output=True)
        return done.stdout.decode()

    found: dict[str, list[Committed]] = defaultdict(list)
    for path in git("ls-files").splitlines():
        for line in git("log", "--reverse", "--format=%H %cs", "--", path).splitlines():
            commit, day = line.split()
            text = git("show", f"{commit}:{path}")
            in_force = re.search(r"^시행일자: '?([\d-]+)", text, re.MULTILINE)
            assert in_force
            found[path].append(Committed(in_force[1], day, text))
    return found


@pytest.fixture(scope="module")
def opened(mirror: Path) -> Iterator[History]:
    with open_history(mirror) as history:
        yield history


def ties(versions: dict[str, list[Committed]]) -> list[tuple[str, str]]:
    """Path and in-force date of each version that shares the date with one committed before it."""
    return [
        (path, one.in_force)
        for path, all_of_law in versions.items()
        for place, one in enumerate(all_of_law)
        if one.in_force in [other.in_force for other in all_of_law[:place]]
    ]


def inversions(versions: dict[str, list[Committed]]) -> list[tuple[str, str]]:
    """Path and in-force date of each version whose successor took effect before it."""
    return [
        (path, one.in_force)
        for path, all_of_law in versions.items()
        for one, after in pairwise(all_of_law)
        if after.in_force < one.in_force
    ]


def check_edition(opened: History, versions: dict[str, list[Committed]], path: str, as_of: str, scratch: Path) -> str:
    """Compare one law of one edition with the rule, and return what was found."""
    expected: Committed | None = None
    for one in versions[path]:  # later ones win ties
        if one.in_force <= as_of and (expected is None or one.in_force >= expected.in_force):
            expected = one
    if all(one.in_force > as_of for all_of_law in versions.values() for one in all_of_law):
        with pytest.raises(CorpusError, match="not covered by this history"):
            list(opened.parts(as_of))
        return "before the history"
    (part,) = (part for part in opened.parts(as_of) if part.name == path)
    if expected is None:
        assert [note.kind for note in part.notes] == [NoteKind.NOT_COVERED]
        assert list(part.read()) == []
        return "not covered"
    (scratch / "law.md").write_text(expected.text, encoding="utf-8")
    published = read_corpus([scratch / "law.md"]).provisions
    read = [sourced.provision for sourced in part.read()]
    in_version = {p.semantic_id for p in published}
    in_force = {one.day: min(one.in_force, expected.in_force) for one in versions[path]}
    since = {p.semantic_id: in_force.get(p.effective_date, p.effective_date) for p in published}
    dated = [replace(p, effective_date=since[p.semantic_id]) if p.status is Status.REPEALED else p for p in published]
    assert [p for p in read if p.semantic_id in in_version] == [replace(p, doc_id=-1) for p in dated]
    assert n_articles(expected.text) == sum(p.status is not Status.ABSENT for p in published)
    place = versions[path].index(expected)
    later = [one for one in versions[path][place + 1 :] if one.in_force < expected.in_force]
    assert [note.other for note in part.notes] == [VersionDates(one.day, one.in_force) for one in later]
    assert all(note.chosen == VersionDates(expected.day, expected.in_force) for note in part.notes)
    check_repealed([p for p in read if p.semantic_id not in in_version], versions[path], expected)
    return "overtaken" if later else "found"


def check_repealed(lost: list[Provision], versions: list[Committed], chosen: Committed) -> None:
    """What the edition has beyond the version's text: the articles of versions in force before it, all repealed."""
    before = [one for one in versions if (one.in_force, one.day) < (chosen.in_force, chosen.day)]
    labels = {label for one in before for label in labels_of(one.text)} - labels_of(chosen.text)
    assert {p.chapter for p in lost} == labels
    assert all(p.status is Status.REPEALED and "" < p.effective_date <= chosen.in_force for p in lost)


def labels_of(text: str) -> set[str]:
    body = re.split(r"^#+ *부 *칙", text, maxsplit=1, flags=re.MULTILINE)[0]
    return set(re.findall(r"^#{5} (제\d+조(?:의\d+)*)", body, re.MULTILINE))


def n_articles(text: str) -> int:
    return len(labels_of(text))


def test_random_editions_of_the_mirror_follow_the_rule(opened, versions, tmp_path):
    chosen = random.Random(SEED)
    first, last = date(2003, 5, 29), date(2026, 12, 31)
    paths = sorted(versions)
    found = defaultdict(int)
    for _ in range(N_PAIRS):
        path = chosen.choice(paths)
        as_of = first + timedelta(days=chosen.randrange((last - first).days + 1))
        found[check_edition(opened, versions, path, as_of.isoformat(), tmp_path)] += 1
    assert sum(found.values()) == N_PAIRS
    assert min(found["found"], found["overtaken"], found["not covered"], found["before the history"]) > 0


def test_every_tie_of_the_mirror_goes_to_the_later_promulgation(opened, versions, tmp_path):
    pairs = ties(versions)
    assert len(pairs) == 28
    for path, day in pairs:
        assert check_edition(opened, versions, path, day, tmp_path) in ("found", "overtaken")


def test_every_inversion_of_the_mirror_is_noted(opened, versions, tmp_path):
    pairs, tied = inversions(versions), set(ties(versions))
    assert len(pairs) == 36
    found = [(pair in tied, check_edition(opened, versions, *pair, tmp_path)) for pair in pairs]
    # Where another version is in force since the same date and was promulgated last, that one is taken.
    assert found.count((False, "overtaken")) == 32
    assert {what for is_tied, what in found if not is_tied} == {"overtaken"}


@pytest.mark.parametrize(
    ("path", "as_of", "found"),
    [
        # in force since one date: promulgated apart, on one day, and twice on one day with a third amendment after
        ("kr/소방기본법/시행령.md", "2022-12-01", "found"),
        ("kr/다중이용업소의안전관리에관한특별법/시행령.md", "2012-02-05", "found"),
        ("kr/건축물관리법/법률.md", "2020-12-10", "found"),
        # promulgated later, in force earlier: one amendment, and three
        ("kr/소방기본법/법률.md", "2022-12-01", "overtaken"),
        ("kr/위험물안전관리법/법률.md", "2015-03-01", "overtaken"),
    ],
)
def test_a_named_tie_or_inversion_of_the_mirror_is_decided_by_the_rule(opened, versions, tmp_path, path, as_of, found):
    assert check_edition(opened, versions, path, as_of, tmp_path) == found


def test_three_amendments_that_were_overtaken_are_all_noted(opened):
    (part,) = (one for one in opened.parts("2015-03-01") if one.name == "kr/위험물안전관리법/법률.md")
    assert {note.chosen for note in part.notes} == {VersionDates("2013-06-04", "2015-01-01")}
    assert [note.other for note in part.notes] == [
        VersionDates("2013-08-06", "2014-08-07"),
        VersionDates("2014-11-19", "2014-11-19"),
        VersionDates("2014-12-30", "2014-12-30"),
    ]


def test_an_edition_of_the_mirror_is_indexed_in_ten_seconds(mirror, tmp_path):
    began = time.monotonic()
    build_index(read_corpus([mirror], as_of="2023-01-01"), tmp_path / "index")
    assert time.monotonic() - began < 10
