"""I/O: which versions of which laws the commits of a git repository hold, and their texts.

`git rev-list` and `diff-tree` tell in one pass which commit changed which file, one `cat-file --batch` gives the texts.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from graph.edition import Version
from graph.errors import CorpusError
from graph.readers.front_matter import law_front
from graph.readers.git import Blobs, git
from graph.readers.markdown import article_labels, read_law
from graph.readers.source import Sourced, lines_of_bytes

__all__ = ["LawFile", "VersionTexts", "law_files"]

_REGULAR_FILE = "100"  # how git's modes of files begin
_TURN = {"D": 0, "R": 1}  # see _changes


class _Change(NamedTuple):
    """What one commit did to one file."""

    order: int  # see Version.order
    commit: str
    day: str  # ISO date of the commit
    status: str  # D, R, or A, M and T
    path: str
    blob: str  # of the text after it
    was: str = ""  # R: the path before it


@dataclass
class _Absence:
    """A time when a law's file was not there."""

    order: int  # see Version.order; of the commit that removed it
    since: str  # ISO dates of commits
    until: str = ""  # "" to the end of the history


@dataclass
class LawFile:
    """A file through its renames."""

    path: str  # the last one
    versions: list[Version] = field(default_factory=list)  # as they follow each other in the history
    absences: list[_Absence] = field(default_factory=list)

    @property
    def is_there(self) -> bool:
        """Whether the file is there after the last commit read."""
        return not self.absences or bool(self.absences[-1].until)

    def removed_on(self, chosen: Version, as_of: str | None) -> str:
        """Return since when the law was not there on the date; "" if it was."""
        if as_of is None:
            return "" if self.is_there else self.absences[-1].since
        for one in self.absences:
            if chosen.order < one.order and one.since <= as_of and (not one.until or as_of < one.until):
                return one.since
        return ""


class VersionTexts:
    """The versions of a history, read as the Markdown reader reads files."""

    def __init__(self, blobs: Blobs, source: Path) -> None:
        self.blobs = blobs
        self._source = source

    def place(self, commit: str, path: str) -> str:
        """Return what errors call a file of a commit."""
        return f"{self._source}@{commit[:12]}:{path}"

    def provisions(self, version: Version) -> Iterator[Sourced]:
        """Yield the provisions of a version."""
        return read_law(self.place(version.commit, version.path), self._lines(version))

    def labels(self, version: Version) -> set[str]:
        """Return the labels of a version's articles."""
        return article_labels(self.place(version.commit, version.path), iter(self._lines(version)))

    def _lines(self, version: Version) -> list[tuple[int, str]]:
        return list(lines_of_bytes(self.blobs[version.blob], self.place(version.commit, version.path)))


def law_files(git_dir: Path, texts: VersionTexts) -> list[LawFile]:
    """Return the files that hold laws, each through its renames; ordered by path, each with at least one version.

    Raises CorpusError if the repository or one of its laws cannot be read.
    """
    return _followed(_changes(git_dir), texts)


def _changes(git_dir: Path) -> list[_Change]:
    """Return what the commits did to Markdown files, parents first; merges are left out, as they repeat others' work.

    Within a commit, removals come first and additions last, so that what went can be told from what moved.
    """
    commits = git(git_dir, "rev-list", "--topo-order", "--reverse", "HEAD")
    told = git(
        git_dir, "diff-tree", "--stdin", "--root", "-r", "-M", "--raw", "-z", "--no-abbrev", "--format=%H %ct %cs",
        "--", "*.md", fed=commits,
    )  # fmt: skip
    tokens = iter(os.fsdecode(told).split("\0"))
    times: list[int] = []
    found: list[_Change] = []
    commit = day = ""
    for token in tokens:
        words = token.strip("\n").split(" ")
        if len(words) == 3:
            commit, day = words[0], words[2]
            times.append(int(words[1]))
        elif len(words) == 5:
            _, mode, _, blob, status = words
            was = next(tokens) if status[0] == "R" else ""
            path = next(tokens)
            if mode.startswith(_REGULAR_FILE) or status == "D":  # no symbolic links, no submodules
                found.append(_Change(len(times) - 1, commit, day, status[0], path, blob, was))
    by_time = {n: order for order, n in enumerate(sorted(range(len(times)), key=lambda n: times[n]))}
    found.sort(key=lambda one: (one.order, _TURN.get(one.status, len(_TURN))))
    return [one._replace(order=by_time[one.order]) for one in found]


def _followed(changes: Sequence[_Change], texts: VersionTexts) -> list[LawFile]:
    """Follow the files through their renames; ordered by path, each with at least one version.

    A file that was removed goes on in a new one that is the law of the same name, as git takes a move for a rename only
    while most of the text stays.
    """
    at: dict[str, LawFile] = {}
    laws: list[LawFile] = []
    for change in changes:
        if change.status == "D":
            if change.path in at:
                at[change.path].absences.append(_Absence(change.order, change.day))
            continue
        version = _version(change, texts)
        if version is None:
            continue
        law = at.pop(change.was, None) or at.get(change.path)
        if law is None or not law.is_there:
            same_name = (one for one in laws if not one.is_there and one.versions[-1].law_name == version.law_name)
            law = next(same_name, law)
        if law is None:
            law = LawFile(change.path)
            laws.append(law)
        if not law.is_there:
            law.absences[-1].until = change.day
        at[change.path], law.path = law, change.path
        if not (law.versions and change.status == "R" and law.versions[-1].blob == change.blob):
            law.versions.append(version)
    return sorted(laws, key=lambda law: PurePosixPath(law.path))


def _version(change: _Change, texts: VersionTexts) -> Version | None:
    """Return the version that a commit made; None if the file is no law: a README, for one."""
    content = texts.blobs[change.blob]
    if content.removeprefix(codecs.BOM_UTF8).split(b"\n", 1)[0].rstrip(b"\r") != b"---":
        return None
    place = texts.place(change.commit, change.path)
    law = law_front(place, lines_of_bytes(content, place)).law
    if not law["effective_date"]:
        raise CorpusError(f"{place}:1: front matter has no date of entry into force, so the law has no editions")
    return Version(
        law_name=law["law_name"],
        in_force=law["effective_date"],
        promulgated=change.day,
        order=change.order,
        commit=change.commit,
        path=change.path,
        blob=change.blob,
    )
