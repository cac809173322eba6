"""Each provision as a resource, whose id a client can have completed."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from agent.legal_agent import LegalAgent
from agent.mcp_server.words import provision_words

__all__ = ["ARTICLE_URI", "add_resources"]

ARTICLE_URI = "nonliquet://articles/{+semantic_id}"
"""The resource of a provision. An id may hold a slash, so the variable takes what is left of the address."""

_N_COMPLETIONS = 100  # the most that the protocol allows


def add_resources(server: MCPServer, agent: LegalAgent) -> None:
    """Let a server offer the provisions of an agent's index."""
    provisions = agent.retriever.index.graph.provisions

    @server.resource(
        ARTICLE_URI,
        name="article",
        title="An article",
        description="The text of an article, annex or notice, with its name, status and date.",
        mime_type="text/markdown",
        security=ResourceSecurity(exempt_params={"semantic_id"}),  # a name that is looked up, not a path
    )
    async def article(semantic_id: str) -> str:
        if semantic_id not in provisions:
            raise ResourceNotFoundError(f"there is no provision {semantic_id!r}; use an id that search gave")
        return provision_words(provisions[semantic_id])

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        if not isinstance(ref, ResourceTemplateReference) or ref.uri != ARTICLE_URI:
            return None
        fitting = [name for name in provisions if name.startswith(argument.value)]
        return Completion(values=fitting[:_N_COMPLETIONS], total=len(fitting), has_more=len(fitting) > _N_COMPLETIONS)
