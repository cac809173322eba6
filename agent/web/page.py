"""I/O: the page's files, and what it asks for beside the server's own routes: what it answers from, and Markdown."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field

from agent.legal_agent import LegalAgent
from agent.recording import FOR_REPLAY
from agent.server.access import ONLY_KNOWN
from agent.server.bodies import ReplyBody
from agent.server.errors import refusals
from agent.server.limits import ServerSettings
from agent.web.export import conversation_markdown

__all__ = ["PageAbout", "add_page"]

_HERE = Path(str(files("agent.web")))
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",  # a new version's page must not meet an old one's modules
}
_BUILTIN_ARTICLE = "fire-safety-act_13-2"
_BUILTIN_EXAMPLES = (
    "How often must a fire extinguisher be checked?",
    "How many storeys make a high-rise building?",
    "Which items are on the checklist for self-inspection?",
)


class PageAbout(BaseModel):
    """What the page says of the server, and keeps to."""

    laws: list[str] = Field(description="Names of the laws that have articles here, in the corpus's order.")
    articles: int
    edition: str | None
    encoder: str | None
    model: str | None
    examples: list[str] = Field(description="Questions on the built-in law, if that is what the index holds.")
    for_replay: list[str] = Field(description="Steps of a trace that nobody has to read.")
    max_history: int


class _Files(StaticFiles):
    """Files that browsers ask anew for, and take for nothing else than they are."""

    def file_response(self, *args: Any, **kwargs: Any) -> Any:
        response = super().file_response(*args, **kwargs)
        response.headers.update({name: _HEADERS[name] for name in ("X-Content-Type-Options", "Cache-Control")})
        return response


def add_page(app: FastAPI, agent: LegalAgent, settings: ServerSettings) -> None:
    """Put the page at `/` and what belongs to it under `/page`."""
    told = _about(agent, settings)
    routes = APIRouter(prefix="/page", tags=["page"], dependencies=[ONLY_KNOWN], responses=refusals(401))

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse((_HERE / "page.html").read_text(encoding="utf-8"), headers=_HEADERS)

    @routes.get("/about", summary="What the page answers from")
    async def about() -> PageAbout:
        return told

    @routes.post(
        "/markdown",
        response_class=Response,
        responses={200: {"content": {"text/markdown": {}}}, **refusals(400, 413)},
        summary="A conversation as one Markdown document",
    )
    async def markdown(replies: list[ReplyBody]) -> Response:
        return Response(conversation_markdown(replies), media_type="text/markdown")

    app.include_router(routes)
    app.mount("/page/texts", _Files(directory=_HERE / "texts"))
    app.mount("/page", _Files(directory=_HERE / "static"))


def _about(agent: LegalAgent, settings: ServerSettings) -> PageAbout:
    index = agent.retriever.index
    return PageAbout(
        laws=list(dict.fromkeys(article.law_name for article in index.articles)),
        articles=len(index.articles),
        edition=agent.as_of,
        encoder=index.manifest.encoder.name if index.manifest.encoder else None,
        model=agent.model.name.rpartition("#")[2] if agent.model else None,
        examples=list(_BUILTIN_EXAMPLES) if _BUILTIN_ARTICLE in index.graph.provisions else [],
        for_replay=sorted(FOR_REPLAY),
        max_history=settings.max_history,
    )
