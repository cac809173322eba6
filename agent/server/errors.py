"""Every error of the server in the OpenAI shape, so that its clients raise what they know, with what mends it."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from graph.errors import NonLiquetError, ServiceUnavailable

__all__ = [
    "ErrorBody",
    "ErrorDetail",
    "RefusedError",
    "add_error_handlers",
    "error_body",
    "error_of",
    "error_response",
    "refusals",
]

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    500: "internal_error",
    503: "service_unavailable",
}


class ErrorDetail(BaseModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ErrorBody(BaseModel):
    """The body of every reply that is an error."""

    error: ErrorDetail


class RefusedError(Exception):
    """A request that gets no reply: the status, why, and after how many seconds it may come again."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, retry_after_s: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.retry_after_s = retry_after_s


def error_of(error: Exception) -> RefusedError:
    """Return how an error is told to a client.

    A server that is down is 503; what else the agent raises on purpose is the request's fault, 400; a fault of the
    program is 500, and its words stay here.
    """
    match error:
        case RefusedError():
            return error
        case ServiceUnavailable():
            return RefusedError(503, str(error), retry_after_s=10)
        case NonLiquetError() | ValueError():
            return RefusedError(400, str(error))
    return RefusedError(500, "a fault of the server; its log names this request's X-Request-Id")


def error_body(error: RefusedError) -> dict[str, Any]:
    """Return the JSON of an error."""
    kind = _TYPES.get(error.status, "internal_error" if error.status >= 500 else "invalid_request_error")
    return ErrorBody(error=ErrorDetail(message=error.message, type=kind, param=error.param)).model_dump()


def error_response(error: RefusedError) -> JSONResponse:
    """Return the reply that an error is."""
    headers = {} if error.retry_after_s is None else {"Retry-After": str(error.retry_after_s)}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(error_body(error), error.status, headers=headers)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of a route's errors; what HTTP itself may say besides is 4XX."""
    return {**{status: {"model": ErrorBody} for status in statuses}, "4XX": {"model": ErrorBody}}


def add_error_handlers(app: FastAPI) -> None:
    """Give all errors of an app one shape."""

    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> JSONResponse:
        return error_response(error)

    @app.exception_handler(NonLiquetError)
    async def world(request: Request, error: NonLiquetError) -> JSONResponse:
        return error_response(error_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        message = f"{place}: {first['msg']}" if place else str(first["msg"])
        return error_response(RefusedError(400, _encodable(message), param=_encodable(place) or None))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        shown = error_response(RefusedError(error.status_code, str(error.detail)))
        shown.headers.update(error.headers or {})
        return shown


def _encodable(text: str) -> str:
    """Return the text with what UTF-8 cannot hold, lone surrogates, as escapes."""
    return json.dumps(text)[1:-1] if any("\ud800" <= character <= "\udfff" for character in text) else text
