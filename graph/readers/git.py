"""I/O: git, as it is asked for a history: its plumbing keeps to one format whatever a user has set."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from graph.errors import CorpusError

__all__ = ["Blobs", "git", "git_dir_of", "has_commit", "repository"]


def git_dir_of(path: Path) -> Path | None:
    """Return where a repository keeps its objects; None if the folder is none."""
    if (path / ".git").exists():
        return path / ".git"
    return path if all((path / name).exists() for name in ("HEAD", "objects", "refs")) else None


def has_commit(git_dir: Path) -> bool:
    """Tell whether a repository's HEAD is a commit."""
    return _run(git_dir, "rev-parse", "--quiet", "--verify", "HEAD^{commit}").returncode == 0


@contextmanager
def repository(path: Path) -> Iterator[Path]:
    """Give the repository to read; a bundle is unpacked for as long as that takes.

    Raises CorpusError if there is none, or its HEAD is no commit.
    """
    if not path.is_file():
        git_dir = git_dir_of(path)
        if git_dir is None:
            raise CorpusError(f"{path}: is neither a git repository nor a bundle of one")
        yield _with_commit(git_dir, path)
        return
    with tempfile.TemporaryDirectory(prefix="nonliquet-") as folder:
        git_dir = Path(folder) / "history.git"
        git(None, "clone", "--quiet", "--bare", "--", str(path.absolute()), str(git_dir))
        yield _with_commit(git_dir, path)


def _with_commit(git_dir: Path, path: Path) -> Path:
    if not has_commit(git_dir):
        raise CorpusError(f"{path}: its HEAD is no commit; a bundle is made with: git bundle create FILE HEAD main")
    return git_dir


def git(git_dir: Path | None, *arguments: str, fed: bytes = b"") -> bytes:
    """Return what git prints. Raises CorpusError if it fails."""
    done = _run(git_dir, *arguments, fed=fed)
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().splitlines() or ["no reason given"]
        why = next((line for line in said if line.startswith("fatal:")), said[-1])
        raise CorpusError(f"{git_dir or arguments[-2]}: git {arguments[0]} failed: {why}")
    return done.stdout


def _run(git_dir: Path | None, *arguments: str, fed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git on a repository, which is named outright so that git looks for no other one."""
    where = [f"--git-dir={git_dir}"] if git_dir else []
    try:
        return subprocess.run(["git", *where, *arguments], input=fed, capture_output=True, check=False)
    except FileNotFoundError:
        raise CorpusError(
            f"{git_dir or arguments[-2]}: a history is read with git, which is not installed; install it, or read a "
            "folder of Markdown files as it is with --format markdown"
        ) from None


class Blobs:
    """The texts of a repository by their names, from one `git cat-file --batch`."""

    def __init__(self, git_dir: Path, source: Path) -> None:
        """source: what errors call the repository."""
        self._source = source
        self._process = subprocess.Popen(
            ["git", f"--git-dir={git_dir}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def __getitem__(self, blob: str) -> bytes:
        """Return a text. Raises CorpusError if the repository has not fetched it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{blob}\n".encode())
        self._process.stdin.flush()
        header = self._process.stdout.readline().split()
        if len(header) != 3 or header[1] != b"blob":
            raise CorpusError(f"{self._source}: the text {blob} is not in the repository; clone it anew, and whole")
        return self._process.stdout.read(int(header[2]) + 1)[:-1]
