"""A neighbourhood of provisions as a picture: citing ones left, cited ones right, the kinds by colour and by dashes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len, set_cell_size

from graph.neighbourhood import Neighbourhood
from graph.records import Edge, EdgeKind, Provision, Status
from prompts.sentences import caption

__all__ = ["svg_of"]

_WIDTH, _HEIGHT = 250, 46  # of a box, in pixels
_COLUMN, _ROW = 370, 62  # from box to box
_MARGIN, _LEGEND_ROW, _LEGEND_COLUMN = 24, 22, 250
_LABEL_CELLS, _NAME_CELLS = 32, 42  # what fits into a box: a Hangul syllable takes two
_BEND = 60  # of an edge between boxes of one column
_INVISIBLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])  # characters that XML cannot hold

# Colours that colour-blind people tell apart (Okabe and Ito), each with its own dashes; what counts most comes first.
_STYLES: dict[EdgeKind, tuple[str, str]] = {
    EdgeKind.DELEGATES: ("#D55E00", ""),
    EdgeKind.IMPLEMENTS: ("#0072B2", "10 4"),
    EdgeKind.DEFINES: ("#009E73", "2 3"),
    EdgeKind.EXCEPTS: ("#CC3377", "10 4 2 4"),
    EdgeKind.CITES: ("#555555", "6 3"),
    EdgeKind.WHOLE_LAW: ("#8C6D1F", "14 4 2 4 2 4"),
    EdgeKind.IMPLIED: ("#6A4C9C", "3 8"),
}


@dataclass(frozen=True, slots=True)
class _Box:
    x: float  # of its left edge
    y: float  # of its middle


def svg_of(around: Neighbourhood, provisions: Mapping[str, Provision], *, language: str = "en") -> str:
    """Return the picture as one SVG document, the same for the same neighbourhood; its legend in `language`.

    The group of a box carries its provision's id as `data-id`; where the legend begins is the picture's `data-legend`.
    Raises KeyError if there are no words in the language.
    """
    boxes, height = _layout(around)
    kinds = {kind: None for kind in _STYLES if any(edge.kind is kind for edge in around.edges)}
    shown = [provisions[name] for name in boxes]
    absent, repealed = (caption(part, language) for part in ("box_absent", "box_repealed"))
    notes = [caption(f"edge_{kind}", language) for kind in kinds]
    notes += [absent] * any(provision.status is Status.ABSENT for provision in shown)
    notes += [repealed] * any(provision.status is Status.REPEALED for provision in shown)
    width = max(box.x for box in boxes.values()) + _WIDTH + _MARGIN
    a_row = max(1, int((width - 2 * _MARGIN) // _LEGEND_COLUMN))
    bottom = height + _MARGIN + -(-len(notes) // a_row) * _LEGEND_ROW
    title = caption("citations_around", language, one=around.root)
    whole = caption("whole_law", language)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{bottom:g}" '
        f'viewBox="0 0 {width:g} {bottom:g}" role="img" aria-label="{_text(title)}" data-legend="{height:g}" '
        "font-family=\"'Noto Sans KR','Noto Sans CJK KR','Malgun Gothic','Apple SD Gothic Neo',sans-serif\">",
        f"<title>{_text(title)}</title>",
        f"<defs>{''.join(_arrow(kind) for kind in kinds)}</defs>",
        f'<rect width="{width:g}" height="{bottom:g}" fill="#ffffff"/>',
        *(_line(edge, boxes) for edge in _one_a_pair(around.edges)),
        *(_drawn(provisions[name], box, whole, is_root=name == around.root) for name, box in boxes.items()),
        *_legend(list(kinds), notes, absent, height + _MARGIN / 2, a_row),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _layout(around: Neighbourhood) -> tuple[dict[str, _Box], float]:
    """Put each layer into a column, in the order in which it was reached, its middle on the picture's middle line."""
    columns: dict[int, list[str]] = {}
    for name, neighbour in around.neighbours.items():
        columns.setdefault(neighbour.layer, []).append(name)
    height = 2 * _MARGIN + _ROW * max(map(len, columns.values()))
    first = min(columns)
    boxes = {}
    for layer, names in columns.items():
        top = (height - _ROW * len(names)) / 2
        for row, name in enumerate(names):
            boxes[name] = _Box(_MARGIN + (layer - first) * _COLUMN, top + (row + 0.5) * _ROW)
    return {name: boxes[name] for name in around.neighbours}, height


def _one_a_pair(edges: Iterable[Edge]) -> list[Edge]:
    """Return one edge for each two provisions and direction: of the kind that says most."""
    order = list(_STYLES)
    best: dict[tuple[str, str | None], Edge] = {}
    for edge in edges:
        known = best.get((edge.source, edge.target))
        if known is None or order.index(edge.kind) < order.index(known.kind):
            best[edge.source, edge.target] = edge
    return list(best.values())


def _line(edge: Edge, boxes: Mapping[str, _Box]) -> str:
    start, end = boxes[edge.source], boxes[edge.target or ""]
    colour, dashes = _STYLES[edge.kind]
    if start.x == end.x:  # out at the right and back
        x = start.x + _WIDTH
        path = f"M{x:g},{start.y + 6:g} C{x + _BEND:g},{start.y:g} {x + _BEND:g},{end.y:g} {x + 2:g},{end.y - 6:g}"
    else:
        leftwards = start.x > end.x
        x1, x2 = (start.x, end.x + _WIDTH) if leftwards else (start.x + _WIDTH, end.x)
        shift = 7 if leftwards else -7  # two that cite each other have two lines
        middle = (x1 + x2) / 2
        y1, y2 = start.y + shift, end.y + shift
        path = f"M{x1:g},{y1:g} C{middle:g},{y1:g} {middle:g},{y2:g} {x2:g},{y2:g}"
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    said = f"{edge.source} {edge.kind} {edge.target}" + (f": {edge.text}" if edge.text else "")
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash} marker-end="url(#{edge.kind})">'
        f"<title>{_text(said)}</title></path>"
    )


def _drawn(provision: Provision, box: _Box, whole: str, *, is_root: bool) -> str:
    is_absent, is_repealed = provision.status is Status.ABSENT, provision.status is Status.REPEALED
    heading = f" ({provision.chapter_description})" if provision.chapter_description else ""
    label = f"{provision.chapter}{heading}" if provision.chapter else provision.law_name
    name = provision.law_name if provision.chapter else whole
    fill = "#fff4cc" if is_root else "#f3f3f3" if is_absent else "#ffffff"
    border = ' stroke-dasharray="5 4" stroke="#888888"' if is_absent else ' stroke="#333333"'
    style = ' font-style="italic" fill="#555555"' if is_absent else ' fill="#111111"'
    struck = ' text-decoration="line-through"' if is_repealed else ""
    return (
        f'<g data-id="{_text(provision.semantic_id)}"><title>{_text(provision.semantic_id)}</title>'
        f'<rect x="{box.x:g}" y="{box.y - _HEIGHT / 2:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="{fill}"'
        f' stroke-width="{2.5 if is_root else 1.2}"{border}/>'
        f'<text x="{box.x + 10:g}" y="{box.y - 3:g}" font-size="14" font-weight="600"{style}{struck}>'
        f"{_text(_cut(label, _LABEL_CELLS))}</text>"
        f'<text x="{box.x + 10:g}" y="{box.y + 15:g}" font-size="11" fill="#555555">'
        f"{_text(_end_of(name, _NAME_CELLS))}</text></g>"
    )


def _legend(kinds: list[EdgeKind], notes: list[str], absent: str, top: float, a_row: int) -> Iterable[str]:
    for number, note in enumerate(notes):
        x = _MARGIN + number % a_row * _LEGEND_COLUMN
        y = top + (number // a_row + 0.5) * _LEGEND_ROW
        sample = ""
        if number < len(kinds):
            colour, dashes = _STYLES[kinds[number]]
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            sample = f'<path d="M0,0 H44" stroke="{colour}" stroke-width="2.2"{dash}/>'
        elif note == absent:
            box = 'x="8" y="-7" width="28" height="14" rx="3"'
            sample = f'<rect {box} fill="#f3f3f3" stroke="#888888" stroke-dasharray="5 4"/>'
        words = f'<text x="52" y="4" font-size="12" fill="#222222">{_text(note)}</text>'
        yield f'<g class="legend" transform="translate({x},{y:g})">{sample}{words}</g>'


def _arrow(kind: EdgeKind) -> str:
    return (
        f'<marker id="{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L10,5 L0,10 z" fill="{_STYLES[kind][0]}"/></marker>'
    )


def _cut(words: str, n_cells: int) -> str:
    return words if cell_len(words) <= n_cells else f"{set_cell_size(words, n_cells - 1).rstrip()}…"


def _end_of(words: str, n_cells: int) -> str:
    """Cut at the front: whether it is the act, its decree or its rule stands at the end of a law's name."""
    if cell_len(words) <= n_cells:
        return words
    words = words[-n_cells:]
    while cell_len(words) > n_cells - 1:
        words = words[1:]
    return f"…{words.lstrip()}"


def _text(words: str) -> str:
    """Return words as XML has them; lone surrogates and control characters have no place there."""
    return escape(words.encode("utf-8", "replace").decode("utf-8").translate(_INVISIBLE))
