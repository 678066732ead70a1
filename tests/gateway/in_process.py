"""The application on a real socket inside this process: for flows, stores and clocks that a test makes itself."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from maitred.app.maitred import Maitred
from maitred.gateway.app import create_app
from maitred.gateway.derived_effects import DerivedEffects
from maitred.protocol.errors import StoreUnavailable
from maitred.protocol.ports import Append
from maitred.protocol.slots import Slot
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Outside, Step, Terminal
from maitred.store.memory import MemoryStore
from maitred.tools.tool import FunctionTool, tool


def tea_flow(*tools: FunctionTool) -> Flow:
    """How many tins? Then `order` may be said, which runs the tool `order_tea`."""
    order = tools or (order_tea,)
    return Flow(
        name="tea",
        states=("tins", "order", "paying"),
        initial="tins",
        transitions={
            ("tins", "known"): "order",
            ("order", "ordered"): "paying",
            ("paying", "paid"): Terminal.COMPLETED,
        },
        steps={
            "tins": Step(say="{ask}", collects={"tins": Slot("int", read="number", ask="How many?")}, complete="known"),
            "order": Step(
                say="{tins} tins?",
                actions=(Action("order", tool="order_tea", on={"ok": "ordered"}, examples=("order them",)),),
            ),
            "paying": Step(say="Please pay."),
        },
        tools=order,
        outside=[Outside("paid", money=True)],
    )


@tool(effect="idempotent")
async def order_tea(tins: int) -> str:
    """Order it."""
    return "ordered"


class FailsAtTheEnd(MemoryStore):
    """Cannot write the end of a turn, as often as `fails` says."""

    fails = 0

    async def append(self, write: Append) -> None:
        if write.final and self.fails:
            self.fails -= 1
            raise StoreUnavailable("the disk is full")
        await super().append(write)


@contextmanager
def running(app: FastAPI) -> Iterator[httpx2.Client]:
    """The application served; a client for it."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", timeout_graceful_shutdown=20)
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    listening.listen(100)  # so that nobody comes too early
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    try:
        with httpx2.Client(base_url=address, timeout=30) as client:
            yield client
    finally:
        app.state.gateway.work.stopping.set()
        server.should_exit = True
        thread.join()
        listening.close()


def app_of(flow: Flow, store: str = ":memory:", **options: Any) -> FastAPI:
    return create_app(Maitred(flow, store=store, runner=DerivedEffects()), **options)


def chat_body(*texts: str, **fields: Any) -> dict[str, Any]:
    """Customer, reply, customer, ..."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"model": "tea", "messages": messages, **fields}


def words(answer: httpx2.Response) -> str:
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])
