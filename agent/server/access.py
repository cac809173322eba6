"""What every route is given: the agent behind its limits; and who may ask."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, FastAPI, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from agent.server.asking import Asking
from agent.server.limits import check_key

__all__ = ["ONLY_KNOWN", "AskingOfApp", "give_asking"]

_BEARER = HTTPBearer(auto_error=False, description="The key that the server was started with, if it was.")


def give_asking(app: FastAPI, asking: Asking) -> None:
    """Let the routes of an app ask this agent."""
    app.state.asking = asking


async def _asking_of(request: Request) -> Asking:
    asking: Asking = request.app.state.asking
    return asking


AskingOfApp: TypeAlias = Annotated[Asking, Depends(_asking_of)]


async def _check_sent_key(
    asking: AskingOfApp, sent: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]
) -> None:
    check_key(f"{sent.scheme} {sent.credentials}" if sent else None, asking.settings.api_key)


ONLY_KNOWN = Depends(_check_sent_key)
"""The dependency of routes that show what is in the index: the key, if there is one, must be sent."""
