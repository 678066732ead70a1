"""The OpenAPI document: what FastAPI derives from the routes, with errors as they are here, and streams where there are some."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

_STREAMS = (
    ("/v1/chat/completions", "post"),
    ("/v1/responses", "post"),
    ("/v1/sessions/{session}/messages", "post"),
    ("/v1/sessions/{session}/events", "get"),
)
_TEXT = {"type": "string"}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": _TEXT,
                "type": _TEXT,
                "code": _TEXT,
                "param": {"anyOf": [_TEXT, {"type": "null"}]},
            },
        }
    },
}


def document_of(app: FastAPI) -> dict[str, Any]:
    """Made once, kept in `app.openapi_schema`."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):  # FastAPI's own form of an error; ours is another
        schemas.pop(name, None)
    schemas["Error"] = _ERROR
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            responses = operation["responses"]
            responses.pop("422", None)
            responses["default"] = {"description": "An error, in OpenAI's form", "content": content}
            if (path, method) in _STREAMS:
                responses["200"].setdefault("content", {})["text/event-stream"] = {"schema": _TEXT}
    app.openapi_schema = document
    return document
