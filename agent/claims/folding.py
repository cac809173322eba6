"""The form in which claims are read: compatibility forms, apostrophes and white space folded, unseen marks left out."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["fold", "text_language"]

_ENCLOSED = re.compile("[\u2460-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf]")  # ① numbers a paragraph: no quantity
_GROUPS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")  # 30 000, with a space that does not break
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "⁄": "/"})
_FORMAT = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA_OR_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = {"ko": _HANGUL, "ja": _KANA_OR_HAN}
_LATIN_DEFAULT = "en"


def fold(text: str) -> str:
    """Return the text in the form in which claims are read; characters that cannot be seen are left out."""
    text = _GROUPS.sub("'", _ENCLOSED.sub(" ", _FORMAT.sub("", text)))
    return " ".join(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).split())


def text_language(text: str, *, default: str) -> str:
    """Return the language in which a text is read (ISO 639-1): `default` unless its script says otherwise.

    A text with Hangul is Korean, one with Kana or Han Japanese. One in Latin letters where `default` has another
    script is told by its words, and is English if they do not tell.
    """
    for language, script in _SCRIPTS.items():
        if script.search(text):
            return language
    if default in _SCRIPTS and _LETTER.search(text):
        from agent.language import reply_language

        found = reply_language(text[:500], default=_LATIN_DEFAULT)
        return _LATIN_DEFAULT if found in _SCRIPTS else found
    return default
