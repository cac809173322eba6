"""I/O: sources on the Hugging Face Hub: `hf:OWNER/NAME` is a data set, `hf:OWNER/NAME/FILE` a file of it.

The prefix is asked for, so that a mistyped path never reaches for the network. HF_HUB_OFFLINE and HF_TOKEN are
respected, since huggingface_hub reads them; what was fetched once is taken from its cache.
"""

from __future__ import annotations

import re
from pathlib import Path

from graph.errors import CorpusError

__all__ = ["is_on_hub", "local_copy"]

_PREFIX = "hf:"
_SPEC = re.compile(r"hf:(?P<id>[\w.-]+/[\w.-]+)(?:/(?P<file>.+))?")


def is_on_hub(path: Path) -> bool:
    """Tell whether a path names a data set, or a file of one, on the Hub."""
    return str(path).startswith(_PREFIX)


def local_copy(path: Path, *, default_file: str = "articles.csv") -> Path:
    """Return a path on this machine: the same path, or that of a fetched file.

    default_file: the file of a data set that is meant where none is named; BSARD's articles.
    Raises CorpusError if the package is missing, the data set or file does not exist, or the Hub cannot be reached.
    """
    if not is_on_hub(path):
        return path
    found = _SPEC.fullmatch(str(path))
    if found is None:
        raise CorpusError(f"{path}: expected hf:OWNER/NAME or hf:OWNER/NAME/FILE")
    try:
        from huggingface_hub import hf_hub_download
    except ModuleNotFoundError as error:
        raise CorpusError(f"{path}: needs a package: pip install 'nonliquet[hub]'") from error
    name, file = found["id"], found["file"] or default_file
    try:
        return Path(hf_hub_download(repo_id=name, filename=file, repo_type="dataset"))
    except (OSError, ValueError) as error:  # the Hub's own errors are among these: not there, not allowed, offline
        raise CorpusError(
            f"{path}: {file} of the data set {name} cannot be fetched: {error} "
            "Download it by hand and name the file instead."
        ) from error
