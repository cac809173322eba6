"""Small law-as-git histories, made with git for the tests that read them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FRONT = "---\n제목: {name}\n법령구분: 법률\n시행일자: {in_force}\n---\n"


def law_text(in_force: str, *articles: str, name: str = "등대법") -> str:
    """A law in force since a date; an article is "1 text", and long enough for git to know it again after a move."""
    body = "".join(f"\n##### 제{one.split()[0]}조 (등대)\n\n{one.partition(' ')[2]}\n" for one in articles)
    return FRONT.format(name=name, in_force=in_force) + body


class LawHistory:
    """A repository that is written commit by commit."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("git") is None:
            pytest.skip("git, which makes the histories of these tests, is not installed")
        self.path = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, day: str = "2000-01-01") -> str:
        """Run git as the author of a day, whatever the settings of the machine are."""
        when = f"{day}T12:00:00+09:00"
        names = {f"GIT_{role}_{what}": "a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=os.environ | names | dates, capture_output=True, check=True
        )
        return done.stdout.decode()

    def commit(self, day: str, files: dict[str, str | None]) -> None:
        """Write files, remove those that are None, and commit all that as promulgated on a day."""
        for name, text in files.items():
            path = self.path / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "법률", day=day)
