"""I/O: what a run needs opened: the agent's retrieval, a model server, kept replies, the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent.case import CaseMaker
from agent.model_server.running import running_server
from agent.settings import AgentSettings, model_api_key
from evals.mcq.asking import Asking
from evals.mcq.choice_client import ClientSettings
from evals.mcq.controls import OVERLAP, overlap
from evals.mcq.extractive_choice import extractive
from evals.mcq.model_choice import ChoicePrompts, Way
from evals.mcq.readers import ModelReader, PlainReader, Reader
from evals.mcq.request_cache import RequestCache
from evals.mcq.served_model import served_model
from evals.mcq.sources import Sources
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder

__all__ = ["READERS", "asking", "kept_replies", "reader", "retrieve"]

READERS = (OVERLAP, "extractive", "model")


def retrieve(retriever: Retriever, settings: AgentSettings | None) -> Callable[[str], list[str]]:
    """Return what gives the articles that the agent would read for a question, best first."""
    maker = CaseMaker(retriever, None, settings or AgentSettings())
    return lambda text: [one.article.semantic_id for one in maker.make(text, ()).evidence]


def kept_replies() -> RequestCache:
    """Open the replies kept in the cache folder."""
    return RequestCache(cache_folder() / "choices.sqlite")


def asking(
    spec: str,
    sources: Sources,
    client: ClientSettings,
    *,
    revision: str | None = None,
    seed: int = 0,
    cache: RequestCache | None = None,
) -> Asking:
    """Open a model server: its address, or `serve` for the one that `nonliquet serve-model` runs here.

    Raises ServiceUnavailable if it does not answer, ModelError if it is no such server.
    """
    url = running_server() if spec == "serve" else spec
    served = served_model(url, api_key=model_api_key(), revision=revision)
    prompts = ChoicePrompts(sources, served.context_tokens, seed=seed)
    return Asking(served, prompts, client, api_key=model_api_key(), cache=cache)


def reader(name: str, sources: Sources, asked: Asking | None, ways: Sequence[Way]) -> Reader:
    """Return the reader of a name. Raises ValueError if there is none, or the model is not opened."""
    if name == "model" and asked is not None:
        return ModelReader(asked, ways)
    if name == OVERLAP:
        return PlainReader(name, overlap(sources))
    if name == "extractive":
        return PlainReader(name, extractive(sources))
    raise ValueError(f"reader {name!r} is none of {', '.join(READERS)}, or has no model")
