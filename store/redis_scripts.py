"""Scripts: the Lua files beside this one, one for each atomic step, run by their hash. Called by `redis.py`."""

from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis.exceptions import NoScriptError

from .redis_server import Part, Server, Word

_LUA = Path(__file__).parent / "lua"


class Script:
    """A Lua file behind `shared.lua`; the server is given the text when it does not know the hash."""

    def __init__(self, name: str) -> None:
        self.text = b"\n".join((_LUA / file).read_bytes() for file in ("shared.lua", f"{name}.lua"))
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest()

    async def run(
        self, server: Server, keys: Sequence[str], *values: Word, before: Sequence[Part] = (), replicas: int = 0
    ) -> Any:
        """`before`: what must be done first; goes along. `replicas`: so many must have it all. Raises if anything was refused."""
        call = (len(keys), *keys, *values)
        *first, answer = await server.in_order(*before, Part(keys[0], ("EVALSHA", self.sha, *call)), replicas=replicas)
        for refusal in first:
            if isinstance(refusal, Exception):
                raise refusal
        if isinstance(answer, NoScriptError):  # nothing of it was done
            (answer,) = await server.in_order(Part(keys[0], ("EVAL", self.text, *call)), replicas=replicas)
        if isinstance(answer, Exception):
            raise answer
        return answer
