"""Settings as TOML: a file that `index`, `search` and `ask` take with --settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from retrieval.settings import RetrievalSettings

__all__ = ["settings_toml"]


def settings_toml(settings: RetrievalSettings, *, method: str, note: str) -> str:
    """Return the text of a settings file that reads back as these settings with this default method."""
    lines = [f"# {note}"]
    _add(lines, "retrieval", replace(settings, method=method).to_json())
    return "\n".join(lines) + "\n"


def _add(lines: list[str], name: str, values: Mapping[str, Any]) -> None:
    lines += ["", f"[{name}]"]
    # A JSON string, number or list is a TOML one; a value of None is one that is left out.
    lines += [f"{key} = {json.dumps(v)}" for key, v in values.items() if not isinstance(v, Mapping) and v is not None]
    for key, inner in values.items():
        if isinstance(inner, Mapping):
            _add(lines, f"{name}.{key}", inner)
