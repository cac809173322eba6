"""The one place that decides in which language a reply is written."""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["LANGUAGES", "reply_language"]

LANGUAGES = ("ko", "en", "fr", "ja", "de", "vi")
"""ISO 639-1 codes of the languages that replies are written in."""

_SURE = 0.9  # share of probability from which on the question's language is believed


def reply_language(question: str, *, default: str) -> str:
    """Return the language of a question; of one too short to tell, `default`, or English if that is none of ours."""
    language, probability = _identifier().classify(question)
    if probability >= _SURE:
        return str(language)
    return default if default in LANGUAGES else "en"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier
