"""Agentic gathering: the model itself searches, opens articles and follows citations; what it opened becomes evidence.

It writes no answer here. The articles it opened go through the same packing, judging, reading and verifying as any.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent.chat_model import errors_of
from agent.evidence import n_tokens
from graph.errors import ModelError
from graph.records import Hit, Status
from prompts.template import load_prompt
from retrieval.retriever import Retriever

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = ["Gathered", "gather", "hits_of"]

_SHOWN = 200  # characters of an article that a search shows
_LONGEST_ARTICLE = 6000  # characters of an article that is opened
_N_HITS = 8
_N_EDGES = 30


@dataclass(slots=True)
class Gathered:
    """What the model did."""

    opened: dict[str, Hit] = field(default_factory=dict)  # in the order of opening
    calls: list[dict[str, str]] = field(default_factory=list)  # tool and argument, for the trace
    n_tokens: int = 0  # of what the tools returned, estimated


def gather(
    model: BaseChatModel, retriever: Retriever, question: str, language: str, *, max_steps: int, budget_tokens: int
) -> Gathered:
    """Let the model gather articles, at most `max_steps` turns and `budget_tokens` of tool results.

    Raises ModelError if the model has no tool calling, ServiceUnavailable if it does not answer.
    """
    from langchain.agents import create_agent
    from langchain.agents.middleware import ModelCallLimitMiddleware

    gathered = Gathered()
    prompt = load_prompt("gather", language)
    agent: Any = create_agent(
        model,
        tools=_tools(retriever, gathered, budget_tokens),
        system_prompt=prompt.system,
        middleware=[ModelCallLimitMiddleware(run_limit=max_steps, exit_behavior="end")],
    )
    try:
        with errors_of("that gathers"):
            agent.invoke(
                {"messages": [{"role": "user", "content": prompt.fill(question=question)}]},
                # One tool at a time: what is opened first decides the order of the evidence.
                {"recursion_limit": 4 * max_steps + 4, "max_concurrency": 1},
            )
    except NotImplementedError as error:  # LangChain's word for a chat model without bind_tools
        raise ModelError("the model has no tool calling") from error
    return gathered


def hits_of(names: Iterable[str]) -> list[Hit]:
    """Return the hits that articles opened by the model are."""
    return [Hit(name, 1.0, "opened by the model") for name in names]


def _tools(retriever: Retriever, gathered: Gathered, budget_tokens: int) -> list[Any]:
    graph = retriever.index.graph

    def noted(tool: str, argument: str, result: str) -> str:
        gathered.calls.append({"tool": tool, "argument": argument})
        gathered.n_tokens += n_tokens(result)
        return result

    def spent() -> bool:
        return gathered.n_tokens >= budget_tokens

    def search(query: str) -> str:
        """Find articles by words or meaning. Returns their ids with the beginning of each."""
        if spent():
            return "The budget is spent. Say DONE."
        hits = retriever.search(query, top_k=_N_HITS) if query.strip() else []
        lines = []
        for hit in hits:
            article = retriever.article(hit.semantic_id)
            heading = f"{article.law_name} {article.chapter} {article.chapter_description}"
            lines.append(f"{hit.semantic_id}: {heading}: {article.text[:_SHOWN]}")
        return noted("search", query, "\n".join(lines) or "Nothing found.")

    def open_article(article_id: str) -> str:
        """Read a whole article by its id."""
        if spent():
            return "The budget is spent. Say DONE."
        provision = graph.provisions.get(article_id)
        if provision is None:
            return noted("open_article", article_id, "There is no such article; use an id that search returned.")
        if provision.status is not Status.PRESENT:
            return noted("open_article", article_id, f"{article_id} is {provision.status}: its text is not at hand.")
        gathered.opened.setdefault(article_id, *hits_of([article_id]))
        return noted("open_article", article_id, provision.text[:_LONGEST_ARTICLE])

    def follow_citations(article_id: str) -> str:
        """List what an article cites or leaves detail to, and what cites it."""
        if spent():
            return "The budget is spent. Say DONE."
        if article_id not in graph.provisions:
            return noted("follow_citations", article_id, "There is no such article.")
        out = [f"{edge.kind} {edge.target}" for edge in graph.cites(article_id) if edge.target]
        into = [f"{edge.kind} from {edge.source}" for edge in graph.cited_by(article_id)]
        lines = list(dict.fromkeys([*out, *into]))[:_N_EDGES]
        return noted("follow_citations", article_id, "\n".join(lines) or "It cites nothing and nothing cites it.")

    return [search, open_article, follow_citations]
