"""The words of a tool's result: Markdown for the model that called it, the same that its body holds as data."""

from __future__ import annotations

from collections.abc import Sequence

from agent.mcp_server.bodies import CitationsBody, FoundBody, OpenedBody
from agent.server.bodies import CitationEdge
from graph.records import Provision, Status

__all__ = ["citations_words", "hits_words", "opened_words", "provision_words"]


def hits_words(hits: Sequence[FoundBody]) -> str:
    """Return one paragraph an article: its id, its name, how it begins."""
    if not hits:
        return "Nothing was found."
    return "\n\n".join(
        f"{hit.rank}. `{hit.semantic_id}` {_name(hit.law_name, hit.chapter, hit.chapter_description)}\n{hit.beginning}"
        for hit in hits
    )


def provision_words(provision: Provision) -> str:
    """Return a provision with its whole text."""
    return _headed(provision, provision.text)


def opened_words(provision: Provision, opened: OpenedBody) -> str:
    """Return the part of a provision that was opened, and where to go on."""
    end = opened.start + len(opened.text)
    words = _headed(provision, opened.text)
    if end >= opened.n_characters:
        return words
    return f"{words}\n\n(Characters {opened.start} to {end} of {opened.n_characters}; go on with start={end}.)"


def citations_words(found: CitationsBody) -> str:
    """Return one line a citation, first those of the provision, then those to it."""
    parts = [
        _listed(f"`{found.semantic_id}` cites:", found.cites, found.n_cites),
        _listed(f"`{found.semantic_id}` is cited by:", found.cited_by, found.n_cited_by),
    ]
    if found.unresolved:
        parts.append("It also cites what is not in the sources: " + "; ".join(found.unresolved))
    return "\n\n".join(part for part in parts if part) or f"`{found.semantic_id}` cites nothing and nothing cites it."


def _headed(provision: Provision, text: str) -> str:
    if provision.status is Status.ABSENT:
        text = "(It is cited, but its text is not at hand.)"
    elif provision.status is Status.REPEALED:
        text = "(It is repealed.)"
    dates = {Status.REPEALED: "not in force since", Status.PRESENT: "in force since"}
    known = provision.effective_date and provision.status in dates
    since = f", {dates[provision.status]} {provision.effective_date}" if known else ""
    name = _name(provision.law_name, provision.chapter, provision.chapter_description)
    return f"# {name}\n\n`{provision.semantic_id}`{since}\n\n{text}"


def _listed(heading: str, edges: Sequence[CitationEdge], n_edges: int) -> str:
    if not edges:
        return ""
    lines = [heading]
    for edge in edges:
        absent = "" if edge.status is Status.PRESENT else f" ({edge.status})"
        words = f": “{edge.text}”" if edge.text else ""
        name = _name(edge.law_name, edge.chapter, edge.chapter_description)
        lines.append(f"- {edge.kind} `{edge.semantic_id}` {name}{absent}{words}")
    if n_edges > len(edges):
        lines.append(f"- and {n_edges - len(edges)} more; raise limit to see them")
    return "\n".join(lines)


def _name(law_name: str, chapter: str, heading: str) -> str:
    label = f"{law_name}, {chapter}" if chapter else law_name
    return f"{label} ({heading})" if heading else label
