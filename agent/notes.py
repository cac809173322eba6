"""What a reply says of its own, in words: the sentence of an abstention, and the notes beside an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agent.reply import AbstentionKind, Citation, MissingProvision, Note, NoteKind, NotInForce
from agent.sufficiency import Verdict
from agent.wording import pattern
from graph.records import Provision
from prompts.sentences import abstention_sentence, note_sentence

__all__ = ["facts_note", "governs_note", "in_force_note", "in_words", "listed", "out_of_force_words", "sentence_of"]


def in_words(provision: Provision | MissingProvision | NotInForce) -> str:
    """Return a provision's name for a reader: Fire Safety Decree, Annex 4 (Scale of administrative fines)."""
    if isinstance(provision, Provision):
        label, heading = provision.chapter, provision.chapter_description
    else:
        label, heading = provision.label, provision.heading
    return ", ".join(filter(None, (provision.law_name, label))) + (f" ({heading})" if heading else "")


def listed(provisions: Iterable[Provision | MissingProvision | NotInForce]) -> str:
    """Return the names of provisions as a list in words."""
    return "; ".join(in_words(one) for one in provisions)


def out_of_force_words(one: NotInForce, language: str) -> str:
    """Return that a provision was repealed, or is not in force yet, and since when: a clause without a full stop."""
    if not one.repealed:
        return note_sentence("not_yet", language, one=in_words(one), date=one.since)
    kind = "repealed" if one.since else "repealed_undated"
    return note_sentence(kind, language, one=in_words(one), date=one.since)


def sentence_of(verdict: Verdict, language: str) -> str:
    """Return why there is no answer. Raises ValueError of a verdict that there is one."""
    if verdict.kind is None:
        raise ValueError("the verdict is to answer")
    for note in verdict.notes:
        if note.kind is NoteKind.NO_SUCH_ARTICLE and verdict.kind is AbstentionKind.NO_RELEVANT_ARTICLE:
            return note.text
    match verdict.kind:
        case AbstentionKind.REPEALED_OR_NOT_IN_FORCE:
            named = "; ".join(out_of_force_words(one, language) for one in verdict.not_in_force)
        case AbstentionKind.CONFLICTING_PROVISIONS:
            named = listed(dict.fromkeys(one.article for one in verdict.clauses))
        case _:
            named = listed(verdict.missing)
    return abstention_sentence(verdict.kind, language, missing=named)


def governs_note(kind: str, one: Provision, others: Sequence[Provision], language: str) -> Note:
    """Return that a provision governs over others; kind: a key of `notes.toml` that begins with governs."""
    text = note_sentence(kind, language, one=in_words(one), others=listed(others))
    return Note(NoteKind.GOVERNS, text, (one.semantic_id, *(other.semantic_id for other in others)))


def in_force_note(article: Provision, language: str) -> Note:
    """Return since or from when an article is in force, which is later than most of its law."""
    text = note_sentence("in_force_from", language, one=in_words(article), date=article.effective_date)
    return Note(NoteKind.IN_FORCE_FROM, text, (article.semantic_id,))


def facts_note(question: str, citations: Sequence[Citation], language: str) -> Note | None:
    """Return which provisions' conditions matter, if a question is about the asker's own case and any sets some."""
    if not pattern("own_case", "persons").search(question):
        return None
    setting = [one for one in citations if pattern("own_case", "conditions").search(one.quote)]
    if not setting:
        return None
    names = dict.fromkeys(f"{one.law_name}, {one.label}" for one in setting)
    text = note_sentence("facts", language, part="; ".join(names))
    return Note(NoteKind.FACTS, text, tuple(dict.fromkeys(one.semantic_id for one in setting)))
