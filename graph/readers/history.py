"""I/O: a law-as-git history: one edition of it, the law as of a date, straight from the objects of the repository.

`git rev-list` and `diff-tree` tell in one pass which commit changed which file, one `cat-file --batch` gives the texts.
Nothing is checked out. The git that made the history is asked, not a library that reads its objects: it is there, reads
every format of repository, and finds renames; dulwich would be one more dependency, and slower.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from graph.edition import EditionNote, NoteKind, Version, first_in_force, in_force_on, overtaken
from graph.errors import CorpusError
from graph.readers.front_matter import law_front
from graph.readers.git import Blobs, git, git_dir_of, has_commit, repository
from graph.readers.markdown import article_labels, read_law
from graph.readers.source import Part, Sourced, file_hash, lines_of_bytes
from graph.records import Provision, Status
from graph.semantic_id import semantic_id

__all__ = ["History", "history_hash", "history_parts", "looks_like_history", "open_history"]

_BUNDLE_SIGNATURES = (b"# v2 git bundle\n", b"# v3 git bundle\n")
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
class _Law:
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


def looks_like_history(path: Path) -> bool:
    """Tell whether a path is a git repository with a commit, bare or not, or a bundle of one."""
    if path.is_file():
        with path.open("rb") as file:
            return file.read(len(_BUNDLE_SIGNATURES[0])) in _BUNDLE_SIGNATURES
    git_dir = git_dir_of(path)
    return git_dir is not None and has_commit(git_dir)


def history_hash(path: Path) -> str:
    """Return a hash that changes when the history does: of a bundle's bytes, of a repository's last commit."""
    if path.is_file():
        return file_hash(path)
    with repository(path) as git_dir:
        return hashlib.sha256(git(git_dir, "rev-parse", "HEAD").strip()).hexdigest()


def history_parts(path: Path, as_of: str | None) -> Iterator[Part]:
    """Yield the laws of one edition: see `History.parts`."""
    with open_history(path) as history:
        yield from history.parts(as_of)


@contextmanager
def open_history(path: Path) -> Iterator[History]:
    """Find out which versions a repository or a bundle holds.

    Raises CorpusError if git is missing, the history cannot be read, or it holds no law.
    """
    with repository(path) as git_dir, Blobs(git_dir, path) as blobs:
        texts = _Texts(blobs, path)
        laws = _laws(_changes(git_dir), texts)
        if not laws:
            raise CorpusError(f"{path}: its commits hold no law as Markdown; --format markdown reads the folder itself")
        yield History(path, laws, texts)


class History:
    """All versions of the laws of a history, while its repository is open."""

    def __init__(self, path: Path, laws: Sequence[_Law], texts: _Texts) -> None:
        """Not for callers: use `open_history`."""
        self._path = path
        self._laws = laws
        self._texts = texts

    def parts(self, as_of: str | None) -> Iterator[Part]:
        """Yield the laws of the edition of a date, in the order of their paths; of one not covered, a note alone.

        as_of: an ISO date; None: the latest version of each file.
        Articles that an earlier version had and the chosen one no longer mentions are repealed since the in-force date
        of the first version without them. A law whose file was removed is repealed as a whole since the commit that did
        it, as the history knows no better date; not so where the file came back, or lives on under another path.
        Raises CorpusError if no law is covered.
        """
        chosen = [(law, in_force_on(law.versions, as_of)) for law in self._laws]
        if as_of is not None and not any(version for _, version in chosen):
            first = min(first_in_force(law.versions).in_force for law in self._laws)
            raise CorpusError(
                f"{self._path}: {as_of} is not covered by this history, whose first version is in force since {first}"
            )
        standing = {one.law_name for law, one in chosen if one and not law.removed_on(one, as_of)}
        for law, version in chosen:
            if version is None:
                yield _not_covered(law)
            elif version.law_name not in standing or not law.removed_on(version, as_of):
                yield _part(self._texts, law, version, as_of)


def _not_covered(law: _Law) -> Part:
    first = first_in_force(law.versions)
    note = EditionNote(kind=NoteKind.NOT_COVERED, law_name=first.law_name, other=first.dates)
    return Part(law.path, _hash(first.blob), lambda: iter(()), (note,))


def _part(texts: _Texts, law: _Law, chosen: Version, as_of: str | None) -> Part:
    removed_on = law.removed_on(chosen, as_of)
    if as_of is None:
        earlier = law.versions[:-1]
    else:
        by_date = sorted(law.versions, key=lambda version: (version.in_force, version.order))
        earlier = by_date[: by_date.index(chosen)]
    notes: list[EditionNote] = []
    if removed_on:
        notes.append(EditionNote(kind=NoteKind.REMOVED, law_name=chosen.law_name, chosen=chosen.dates, date=removed_on))
    elif as_of is not None:
        notes += [
            EditionNote(kind=NoteKind.OVERTAKEN, law_name=chosen.law_name, chosen=chosen.dates, other=other.dates)
            for other in overtaken(law.versions, chosen)
        ]
    in_force = {one.promulgated: min(one.in_force, chosen.in_force) for one in law.versions}
    dates = (f"{promulgated} {since}" for promulgated, since in in_force.items())
    key = _hash(removed_on, *(f"{one.in_force} {one.blob}" for one in (*earlier, chosen)), *dates)
    return Part(law.path, key, partial(_read, texts, chosen, earlier, removed_on, in_force), tuple(notes))


# Which versions there are


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


def _laws(changes: Sequence[_Change], texts: _Texts) -> list[_Law]:
    """Follow the files through their renames; ordered by path, each with at least one version.

    A file that was removed goes on in a new one that is the law of the same name, as git takes a move for a rename only
    while most of the text stays.
    """
    at: dict[str, _Law] = {}
    laws: list[_Law] = []
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
            law = _Law(change.path)
            laws.append(law)
        if not law.is_there:
            law.absences[-1].until = change.day
        at[change.path], law.path = law, change.path
        if not (law.versions and change.status == "R" and law.versions[-1].blob == change.blob):
            law.versions.append(version)
    return sorted(laws, key=lambda law: PurePosixPath(law.path))


def _version(change: _Change, texts: _Texts) -> Version | None:
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


# What they say


def _read(
    texts: _Texts, chosen: Version, earlier: Sequence[Version], removed_on: str, in_force: Mapping[str, str]
) -> Iterator[Sourced]:
    """Yield the provisions of a version, then the articles that the earlier ones had and it has not, as repealed.

    in_force: since when the version promulgated on a day is in force. The mark of a repeal, 삭제 <2021.11.30>, gives
    the day on which it was promulgated.
    """
    named: set[str] = set()
    for published, place in texts.provisions(chosen):
        provision = _dated(published, in_force)
        named.add(provision.chapter)
        if not removed_on:
            yield Sourced(provision, place)
        elif provision.status is not Status.ABSENT:
            yield Sourced(_repealed(provision, removed_on), place)
    lost: dict[str, tuple[Version, str]] = {}  # by label: the last version that has it, the date of the one after
    for version, after in pairwise([*earlier, chosen]):
        for label in texts.labels(version) - named:
            lost[label] = version, after.in_force
    by_version: dict[Version, set[str]] = defaultdict(set)
    for label, (version, _) in lost.items():
        by_version[version].add(label)
    for version in earlier:
        for provision, place in texts.provisions(version) if version in by_version else ():
            if provision.chapter in by_version[version] and provision.status is not Status.ABSENT:
                gone = _repealed(_dated(provision, in_force), lost[provision.chapter][1])
                yield Sourced(_renamed(gone, chosen), place)


def _dated(provision: Provision, in_force: Mapping[str, str]) -> Provision:
    """Date a repeal by when it took effect, if the version that made it is there; else its mark's date stands."""
    if provision.status is not Status.REPEALED:
        return provision
    return replace(provision, effective_date=in_force.get(provision.effective_date, provision.effective_date))


def _repealed(provision: Provision, since: str) -> Provision:
    if provision.status is Status.REPEALED:
        return provision
    return replace(provision, status=Status.REPEALED, effective_date=since, text="")


def _renamed(provision: Provision, chosen: Version) -> Provision:
    """Give an article of a law that has changed its name the name of today."""
    if provision.law_name == chosen.law_name:
        return provision
    name = semantic_id(chosen.law_name, provision.chapter, language=provision.language)
    return replace(provision, semantic_id=name, law_name=chosen.law_name)


class _Texts:
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


def _hash(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
