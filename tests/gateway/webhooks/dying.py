"""A service that kills itself at a step of a webhook's way: `python dying.py JSON`. Writes the names of its steps to a file.

Steps: before and after each write of the boxes and of the sessions, and each letter that is sent.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import uvicorn

sys.path.insert(0, str(Path(__file__).parents[1]))
from in_process import app_of, tea_flow

from maitred.gateway.webhooks.chatwoot import Chatwoot
from maitred.gateway.webhooks.standard import StandardWebhooks
from maitred.gateway.webhooks.webhooks import Webhook


class Steps:
    """Counts; at step `die_at` the process is killed."""

    def __init__(self, die_at: int, names: Path) -> None:
        self.n, self.die_at, self.names = 0, die_at, names

    def __call__(self, name: str) -> None:
        self.n += 1
        with self.names.open("a") as file:
            file.write(f"{self.n} {name}\n")
        if self.n == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, held: Any, method: str, owner: str) -> None:
        """Steps before and after each call of a method."""
        inner = getattr(held, method)

        async def counted(*args: Any, **options: Any) -> Any:
            self(f"before {owner}.{method}")
            result = await inner(*args, **options)
            if method != "change" or result is not None:
                self(f"after {owner}.{method}")
            return result

        object.__setattr__(held, method, counted)


def main() -> None:
    given = json.loads(sys.argv[1])
    base = {"name": "desk", "secret": given["secret"]}
    channel = (
        StandardWebhooks(**base, callback_url=given["url"])
        if given["kind"] == "standard"
        else Chatwoot(**base, account="1", api_base=given["url"], token=given["token"])
    )
    app = app_of(tea_flow(), given["store"], webhooks=[Webhook(channel, tenant="local", settle_s=0.05)])
    steps = Steps(given["die_at"], Path(given["names"]))
    webhooks = app.state.gateway.webhooks
    webhooks.inbox_lease_s = webhooks.outbox_lease_s = 1.0
    steps.around(webhooks.boxes, "change", "boxes")
    steps.around(channel, "say", "channel")
    steps.around(app.state.gateway.maitred.store, "begin", "store")
    steps.around(app.state.gateway.maitred.store, "append", "store")
    config = uvicorn.Config(app, host="127.0.0.1", port=given["port"], log_level="warning")
    asyncio.run(uvicorn.Server(config).serve())


main()
