"""Reading a large corpus and finding its citations article by article takes no more memory than its longest law."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

MOST_MB = 300  # in all, Python and the libraries included

PASS = """
import re, sys
from pathlib import Path
from graph.mentions import find_mentions, name_key
from graph.readers import read_source

path = Path(sys.argv[1])
names = {name_key(provision.law_name) for provision, _ in read_source(path)}
n_articles = n_mentions = 0
for provision, _ in read_source(path):
    n_articles += 1
    n_mentions += len(find_mentions(provision.text, provision.language, known_laws=names))
# Not getrusage: its maximum goes on from that of the process that started this one.
kilobytes = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(n_articles, n_mentions, int(kilobytes[1]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell a process's memory")
def test_a_pass_over_the_large_corpus_stays_below_300_megabytes(shared_data: Path):
    path = shared_data / "firelaw-kr-large" / "legal_docs.jsonl.xz"
    told = subprocess.run([sys.executable, "-c", PASS, path], cwd=ROOT, capture_output=True, text=True, check=True)
    n_articles, n_mentions, megabytes = map(int, told.stdout.split())
    assert n_articles == 42_164
    assert n_mentions > 100_000
    assert megabytes < MOST_MB
