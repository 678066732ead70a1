"""Rights: what the key of a request may do. Each route names what it needs, and gets its tenant only so. Called by the routes."""

from starlette.requests import Request

from .errors import NotAllowed
from .keys import Key, Right

_WHAT = {"chat": "send customers' messages", "read": "read sessions", "act": "bring events or hand sessions back"}


def tenant_with(request: Request, *rights: Right) -> str:
    """The tenant of the request's key. Raises NotAllowed if the key has not all of these rights."""
    key: Key = request.state.key
    for right in rights:
        if right not in key.rights:
            raise NotAllowed(f"key {key.name!r} may not {_WHAT[right]}: it has no {right!r} among its rights")
    return key.tenant
