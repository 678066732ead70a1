"""Scripts: the Lua files beside this one, one for each atomic step, run by their hash. Called by `redis.py`."""

from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

_LUA = Path(__file__).parent / "lua"


class Script:
    """A Lua file behind `shared.lua`; the server is given the text when it does not know the hash."""

    def __init__(self, name: str) -> None:
        self.text = b"\n".join((_LUA / file).read_bytes() for file in ("shared.lua", f"{name}.lua"))
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest()

    async def run(self, redis: Redis, keys: Sequence[str], *values: Any) -> Any:
        try:
            return await redis.evalsha(self.sha, len(keys), *keys, *values)
        except NoScriptError:
            return await self.run_anew(redis, keys, *values)

    async def run_anew(self, redis: Redis, keys: Sequence[str], *values: Any) -> Any:
        """After the server said that it does not know the script: nothing of it was done."""
        return await redis.eval(self.text, len(keys), *keys, *values)  # type: ignore[arg-type]  # bytes will do
