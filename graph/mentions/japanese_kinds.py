"""What a Japanese citation does with the provision it names, told from the words around it."""

from __future__ import annotations

import re

from graph.records import EdgeKind

__all__ = ["LEVEL", "kind_of"]

LEVEL = (
    r"(?:政令|(?:総務|法務|外務|財務|文部科学|厚生労働|農林水産|経済産業|国土交通|環境|防衛|主務)?省令|内閣府令|"
    r"(?:デジタル|復興)庁令|府令|(?<![一-鿿])規則|告示)"
)
_LONGEST_AFTER = 100  # characters
_EXCEPT = re.compile(r"(?:の規定)?に(?:かかわらず|関わらず)|(?:に掲げる[^。、\n]{0,10})?を除[くき]")
# Not 次条の許可を受けて開設する者をいう, which says whom the term means without the article's help
_DEFINES = re.compile(r"(?:の規定)?(?:(?:に規定する|に定める)[^。、（）\n]{1,60}|の[^。、（）\nるてた]{1,20})をいう")
# 法第五条第一項の政令で定める規模は
_QUOTE = re.compile(
    rf"[^。、\n「」（）]{{0,40}}?(?P<quoted>{LEVEL}で定め(?:る|た)[^はがをにへ、。とで\s「」（）]{{0,20}})"
)
_PROVIDED = re.compile(r"(?:の規定)?に(?:基づ[きく]|よ[りる](?!読)|規定する)|の[^。\n]{1,60}?は、")
_OPENING = re.compile(r"[　 ]*(?:(?:[0-9０-９]{1,3}|[①-⑳])[　 ]*)?")
_LONGEST_OPENING = 10  # characters


def kind_of(text: str, start: int, end: int, *, line_start: int, is_parent: bool) -> tuple[EdgeKind, str]:
    """Return what the enumeration `text[start:end]` does, and the words of a delegation that it quotes.

    line_start: where its line begins. is_parent: the law cited is one that the citing law may implement.
    """
    stop = end + _LONGEST_AFTER
    if _EXCEPT.match(text, end, stop):
        return EdgeKind.EXCEPTS, ""
    if is_parent and (quote := _QUOTE.match(text, end, stop)):
        return EdgeKind.IMPLEMENTS, quote["quoted"]
    if _DEFINES.match(text, end, stop):
        return EdgeKind.DEFINES, ""
    opens = start - line_start < _LONGEST_OPENING and _OPENING.fullmatch(text, line_start, start)
    if is_parent and opens and _PROVIDED.match(text, end, stop):
        return EdgeKind.IMPLEMENTS, ""
    return EdgeKind.CITES, ""
