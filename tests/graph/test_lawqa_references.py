"""The relative references of lawqa-jp, which its authors resolved in brackets, resolve as the brackets say.

One file holds the statutes as they are (選択式), the other the same with the meaning of 前項, この条, 法第五条 and the
like in brackets behind the words: 前項[第21条第1項]. `python -m tests.graph.test_lawqa_references` prints the share and
what differs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graph.mentions import find_mentions, name_key
from graph.numerals import kanji, kanji_to_arabic
from graph.records import Provision
from graph.resolution import Resolver
from graph.semantic_id import semantic_id

N_REFERENCES = 181  # in the distinct contexts of the file
WANTED = 0.95

NUMBER = "[0-9〇一二三四五六七八九十百千]+"
ADDRESS = re.compile(
    rf"(?P<law>[^\[\]]*?)第(?P<article>{NUMBER}(?:条(?:の{NUMBER})*)?)"
    rf"(?:第(?P<paragraph>{NUMBER})項)?(?:第(?P<item>{NUMBER}号(?:の{NUMBER})*[イロハニホヘト]?))?"
)
BRACKETS = re.compile(r"\[[^\[\]\n]*\](?: \[[^\[\]\n]*\])*")
HEADING = re.compile(r"(#{2,7}) *(.*)")
WIDE = str.maketrans("０１２３４５６７８９", "0123456789")


@dataclass
class Article:
    """One article of a context, with the place in the context of each character of its text."""

    law: str
    chapter: str
    text: str = ""
    places: list[int] = field(default_factory=list)

    def add(self, words: str, start: int | None) -> None:
        self.text += words
        self.places += [-1 if start is None else start + n for n in range(len(words))]


@dataclass(frozen=True)
class Reference:
    """Words of an article with the addresses that the brackets behind them give."""

    file: str
    article: Article
    end: int  # where the words end in the article's text
    addresses: tuple[str, ...]

    def __str__(self) -> str:
        words = self.article.text[max(0, self.end - 25) : self.end]
        return f"{self.file} {self.article.law}{self.article.chapter}: …{words} {self.addresses}"


def without_brackets(annotated: str, plain: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return what was inserted into the plain text: where, and the addresses."""
    inserted = []
    at = place = 0
    while at < len(annotated):
        if annotated[at] != "[" and plain[place] == annotated[at]:
            at, place = at + 1, place + 1
            continue
        brackets = BRACKETS.match(annotated, at)
        assert brackets is not None, annotated[at : at + 40]
        inserted.append((place, tuple(brackets[0][1:-1].split("] ["))))
        at = brackets.end()
    assert place == len(plain)
    return inserted


def articles_of(context: str) -> list[Article]:
    """Write the articles of a context as statutes print them: a paragraph's number before its words."""
    articles: list[Article] = []
    law, start, mark = "", 0, ""
    for line in context.split("\n"):
        heading = HEADING.match(line)
        words = heading[2].strip().translate(WIDE) if heading else ""
        if heading and heading[1] == "##":
            law, mark = words, ""
        elif heading and heading[1] == "###":
            articles.append(Article(law, re.sub(r"[（ 　].*", "", words)))
            mark = ""
        elif paragraph := re.fullmatch(r"第(\d+)項", words):
            mark = f"{paragraph[1]}　"
        elif item := re.fullmatch(r"第(\d+)号((?:の\d+)*)", words):
            number = re.sub(r"\d+", lambda found: kanji(int(found[0])), item[1] + item[2])
            mark = f"{mark}\n{number}　" if mark else f"{number}　"
        elif sub := re.fullmatch(r"[イロハニホヘト]", words):
            mark = f"{mark}\n{sub[0]}　" if mark else f"{sub[0]}　"
        elif not heading and articles:
            articles[-1].add(f"\n{mark}" if articles[-1].text else mark, None)
            articles[-1].add(line, start)
            mark = ""
        start += len(line) + 1
    return articles


def references(folder: Path) -> Iterator[Reference]:
    """Yield the bracketed references of all distinct contexts."""
    samples = {}
    for name in ("selection_randomized.json", "selection_with_reference_randomized.json"):
        rows = json.loads((folder / "lawqa-jp" / name).read_text(encoding="utf-8"))["samples"]
        samples[name] = {(row["ファイル名"], row["回答オーダーマップ番号"]): row["コンテキスト"] for row in rows}
    plain, annotated = samples.values()
    seen = set()
    for key, context in annotated.items():
        if context in seen:
            continue
        seen.add(context)
        articles = articles_of(plain[key])
        for place, addresses in without_brackets(context, plain[key]):
            (article,) = (one for one in articles if place - 1 in one.places)
            end = article.places.index(place - 1) + 1
            yield Reference(key[0], article, len(article.text[:end].rstrip("、")), addresses)


def provision(law: str, chapter: str, family: str, text: str = "") -> Provision:
    level = "法律" if re.search(r"(?:法律|法)$", law) else "政令" if law.endswith("施行令") else law[-2:]
    return Provision(
        semantic_id=semantic_id(law, chapter, language="ja"),
        doc_id=-1,
        law_name=law,
        collection_name=family,
        law_level=level,
        chapter=chapter,
        text=text,
        language="ja",
    )


ACTS = {
    "金商法": ("金融商品取引法", "金融商品取引法施行令"),
    "薬機法": ("医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律",),
    "借地借家法": ("借地借家法",),
}


def resolved_as_said(reference: Reference) -> bool:
    """Tell whether the mention that ends with the words means what the brackets say, down to paragraph and item.

    The corpus is the article, the articles that brackets name, and the family's act and cabinet order.
    """
    family = reference.file.split("_")[0]
    own = provision(reference.article.law, reference.article.chapter, family, reference.article.text)
    corpus = {own.semantic_id: own}
    wanted = []
    for address in reference.addresses:
        said = ADDRESS.fullmatch(address.translate(WIDE))
        if said is None:
            return False
        target = provision(said["law"] or reference.article.law, f"第{said['article']}", family)
        corpus.setdefault(target.semantic_id, target)
        wanted.append((target.semantic_id, *(kanji_to_arabic(said[part] or "") for part in ("paragraph", "item"))))
    for law in ACTS[family]:
        first = provision(law, "第一条", family)
        corpus.setdefault(first.semantic_id, first)
    known = frozenset(name_key(one.law_name) for one in corpus.values())
    mentions = find_mentions(own.text, "ja", known_laws=known)
    mention = next((one for one in mentions if one.start < reference.end <= one.end), None)
    if mention is None:
        return False
    edges = [edge for edge in Resolver(corpus.values()).edges(own) if edge.start == mention.start]
    found = {edge.target for edge in edges} or {own.semantic_id}
    paragraphs, items = mention.target.paragraph.split(","), mention.target.item.split(",")
    return all(
        name in found and (not paragraph or paragraph in paragraphs) and (not item or item in items)
        for name, paragraph, item in wanted
    )


def test_references_resolve_as_the_brackets_say(shared_data: Path) -> None:
    all_of_them = list(references(shared_data))
    assert len(all_of_them) == N_REFERENCES
    right = sum(map(resolved_as_said, all_of_them))
    assert right / len(all_of_them) >= WANTED


if __name__ == "__main__":
    found = list(references(Path(sys.argv[1])))
    wrong = [one for one in found if not resolved_as_said(one)]
    for one in wrong:
        sys.stdout.write(f"{one}\n")
    sys.stdout.write(f"{len(found) - len(wrong)} of {len(found)} references resolved as the brackets say\n")
