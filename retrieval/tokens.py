"""Text to lexical terms, the same for articles and questions.

| script or language       | terms                                                                          |
| ------------------------ | ------------------------------------------------------------------------------ |
| Hangul, Han, Kana        | the character bigrams of a run of letters and digits that holds one such letter |
|                          | (제13조의2: 제1 13 3조 조의 의2); a run of one character gives itself           |
| Japanese                 | besides, each Chinese character alone; numbers in them become digits (第五条: 第5 |
|                          | 5条 第 条)                                                                      |
| English, French, German  | lower-cased, elided, without stop words, stemmed (Snowball), then accent-folded |
| Vietnamese               | syllables, lower-cased, tones kept, not stemmed, without stop words; and each   |
|                          | two that follow each other, as most words are two (chợ đêm: chợ đêm chợ_đêm)    |
| other alphabets          | lower-cased, accent-folded                                                      |
| numbers, labels          | as they stand: 13, 13-2, 1.5; in Korean, Japanese and Chinese law bigrams, since |
|                          | there a number is mostly glued to its counter (15층)                            |

German compounds are taken apart in the question (`compounds.py`). docs/languages.md says what was measured.
Full-width letters and digits and ligatures are folded, enclosed digits (①) are not: a paragraph's number is none of
its text. Middle dots of all kinds are one letter in Korean, Japanese and Chinese (연구·개발: 연구 구ㆍ ㆍ개 개발) and
part words elsewhere.
On Korean statutes, bigrams equal a morphological analyser in quality at a fiftieth of its time; terms split at white
space have half their recall.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from bm25s import stopwords

from graph.errors import SettingsError
from graph.numerals import kanji_to_arabic

__all__ = ["ANALYSES", "Analyze", "analysis", "analysis_identity"]

Analyze = Callable[[str], list[str]]
"""Text to its terms, in order, with repetitions."""

ANALYSES = ("default", "whitespace", "kiwi")

_REVISIONS = {"de": 2, "fr": 2, "ja": 2, "vi": 3}
"""Counted up when the terms of a language's default analysis change; 1 for the others."""

_HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
_KANA = r"\u3040-\u30ff\u31f0-\u31ff"
_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK = _HANGUL + _KANA + _HAN
_TERM = re.compile(rf"(?P<grams>\w*[{_CJK}]\w*)|(?P<number>\d+(?:[.,:-]\d+)*)|(?P<word>[^\W\d_]+)")
_CJK_TERM = re.compile(rf"(?P<grams>\w*[{_CJK}]\w*|\b\d+\b)|(?P<word>\w+)")
_CJK_LANGUAGES = frozenset({"ko", "ja", "zh"})
_FORMS = re.compile(r"[\ufb00-\ufb06\uff01-\uffee\u3000]+")  # ligatures, full and half width
_DOT = "ㆍ"
_MIDDLE_DOTS = re.compile("[ㆍ·‧・]")  # written for one another; the first is a letter to Unicode
_HAN_LETTER = re.compile(rf"[{_HAN}]")
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae"})
_MARKS = re.compile(r"[\u0300-\u036f]")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)['’](?=\w)")
_STEMMERS = {"en": "english", "fr": "french", "de": "german"}
_STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(stopwords.STOPWORDS_EN_PLUS),
    "fr": frozenset(stopwords.STOPWORDS_FRENCH),
    "de": frozenset(stopwords.STOPWORDS_GERMAN),
    "vi": frozenset(
        (
            *("và", "của", "các", "có", "được", "cho", "không", "là", "trong", "với", "để", "đến", "từ", "này", "đó"),
            *("khi", "thì", "ở", "bị", "do", "về", "theo", "phải", "một", "những", "ra", "vào", "như", "nào", "gì"),
            *("sao", "ai", "tôi"),
        )
    ),
}


def analysis_identity(name: str, *, language: str) -> str:
    """Name an analysis so that texts analysed under one name have comparable terms, whatever version did it."""
    return f"{name} {language} {_REVISIONS.get(language, 1) if name == 'default' else 1}"


def analysis(name: str = "default", *, language: str = "ko") -> Analyze:
    """Return the analysis of that name for texts that are mainly in `language` (ISO 639-1).

    Raises ValueError on an unknown name, SettingsError for "kiwi" where kiwipiepy is not installed.
    """
    if name == "default":
        return _Default(language)
    if name == "whitespace":
        return str.split
    if name == "kiwi":
        return _kiwi()
    raise ValueError(f"analysis {name!r} is none of {', '.join(ANALYSES)}")


class _Default:
    """The analysis of the table above, for one language."""

    def __init__(self, language: str) -> None:
        self._stop_words = _STOP_WORDS.get(language, frozenset())
        self._stem = _stemmer(language)
        self._is_vietnamese = language == "vi"
        self._is_japanese = language == "ja"
        self._elides = language == "fr"
        self._term = _CJK_TERM if language in _CJK_LANGUAGES else _TERM
        self._middle_dot = _DOT if language in _CJK_LANGUAGES else " "

    def __call__(self, text: str) -> list[str]:
        text = unicodedata.normalize("NFC", text).lower()
        text = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
        text = _MIDDLE_DOTS.sub(self._middle_dot, text)
        if self._elides:
            text = _ELISION.sub("", text).translate(_LIGATURES)
        if self._is_japanese:
            text = kanji_to_arabic(text)
        terms: list[str] = []
        before, end = "", -1  # the word just read, and where it ends
        for found in self._term.finditer(text):
            run = found[0]
            if found.lastgroup == "grams":
                terms += self._grams(run)
            elif found.lastgroup == "number":
                terms.append(run)
            elif run not in self._stop_words:
                terms.append(self._word(run))
                if self._is_vietnamese:
                    if before and text[end : found.start()] == " ":
                        terms.append(f"{before}_{run}")
                    before, end = run, found.end()
        return terms

    def _grams(self, run: str) -> list[str]:
        grams = [run[i : i + 2] for i in range(len(run) - 1)] or ([run] if run != _DOT else [])
        return grams + _HAN_LETTER.findall(run) if self._is_japanese and len(run) > 1 else grams

    def _word(self, word: str) -> str:
        if self._is_vietnamese:
            return word
        return _MARKS.sub("", unicodedata.normalize("NFD", self._stem(word)))


@lru_cache
def _stemmer(language: str) -> Callable[[str], str]:
    if language not in _STEMMERS:
        return str
    import Stemmer  # its import loads the Snowball tables

    return lru_cache(maxsize=100_000)(Stemmer.Stemmer(_STEMMERS[language]).stemWord)


def _kiwi() -> Analyze:
    try:
        from kiwipiepy import Kiwi  # type: ignore[import-not-found, unused-ignore]  # an extra: loads a 100 MB model
    except ModuleNotFoundError as error:
        raise SettingsError("analysis 'kiwi' needs a package: pip install 'nonliquet[kiwi]'") from error

    kiwi: Any = Kiwi()
    content = ("N", "V", "X", "S", "M")  # nouns, verbs, roots, numbers and letters, modifiers; no particles or endings

    def analyze(text: str) -> list[str]:
        return [token.form for token in kiwi.tokenize(text) if token.tag.startswith(content) and token.tag[:2] != "SP"]

    return analyze
