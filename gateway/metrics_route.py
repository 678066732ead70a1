"""`/metrics`: for Prometheus, and off the path of the tenants' keys: the numbers are of all tenants, so no key of one opens them.

Who asks from this machine, by its own name and through no proxy, needs nothing; anybody else needs the operator's own secret.
"""

import hmac
from hashlib import sha256

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from ..observability.metrics import CONTENT_TYPE, Metrics
from .door import names_this_machine
from .errors import body_of
from .keys import is_loopback

_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


def add_metrics_route(app: FastAPI, metrics: Metrics, secret: str) -> None:
    """`secret`: opens it from elsewhere; empty: nothing does."""
    digest = sha256(secret.encode()).digest() if secret else None

    @app.get("/metrics", tags=["Health"], response_class=Response)
    def metrics_text(request: Request) -> Response:
        """Counts, as Prometheus reads them."""
        if not (_comes_from_here(request) or _knows(digest, request.headers.get("authorization", ""))):
            message = "metrics are read on this machine by its own name, or with 'Authorization: Bearer' and MAITRED_METRICS_KEY"
            return JSONResponse(body_of(message, 401, "invalid_api_key"), 401, {"www-authenticate": "Bearer"})
        return Response(metrics.text(), media_type=CONTENT_TYPE)


def _comes_from_here(request: Request) -> bool:
    """A proxy on this machine passes strangers on, and says so in a header, or by their name for this service."""
    client = request.client
    return (
        client is not None
        and is_loopback(client.host)
        and names_this_machine(request.headers.get("host", ""))
        and not any(name in request.headers for name in _FORWARDED)
    )


def _knows(digest: bytes | None, authorization: str) -> bool:
    scheme, _, given = authorization.partition(" ")
    presented = sha256(given.strip().encode("utf-8", "replace")).digest()
    return digest is not None and scheme.lower() == "bearer" and hmac.compare_digest(digest, presented)
