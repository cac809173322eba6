"""I/O: a law-as-git history: one edition of it, the law as of a date, straight from the objects of the repository.

Nothing is checked out. The git that made the history is asked, not a library that reads its objects: it is there, reads
every format of repository, and finds renames; dulwich would be one more dependency, and slower.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from graph.edition import EditionNote, NoteKind, Version, first_in_force, in_force_on, overtaken
from graph.errors import CorpusError
from graph.readers.git import Blobs, git, git_dir_of, has_commit, repository
from graph.readers.history_log import LawFile, VersionTexts, law_files
from graph.readers.source import Part, Sourced, file_hash
from graph.records import Provision, Status
from graph.semantic_id import semantic_id

__all__ = ["History", "history_hash", "history_parts", "looks_like_history", "open_history"]

_BUNDLE_SIGNATURES = (b"# v2 git bundle\n", b"# v3 git bundle\n")


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
        texts = VersionTexts(blobs, path)
        laws = law_files(git_dir, texts)
        if not laws:
            raise CorpusError(f"{path}: its commits hold no law as Markdown; --format markdown reads the folder itself")
        yield History(path, laws, texts)


class History:
    """All versions of the laws of a history, while its repository is open."""

    def __init__(self, path: Path, laws: Sequence[LawFile], texts: VersionTexts) -> None:
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


def _not_covered(law: LawFile) -> Part:
    first = first_in_force(law.versions)
    note = EditionNote(kind=NoteKind.NOT_COVERED, law_name=first.law_name, other=first.dates)
    return Part(law.path, _hash(first.blob), lambda: iter(()), (note,))


def _part(texts: VersionTexts, law: LawFile, chosen: Version, as_of: str | None) -> Part:
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


def _read(
    texts: VersionTexts, chosen: Version, earlier: Sequence[Version], removed_on: str, in_force: Mapping[str, str]
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


def _hash(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
