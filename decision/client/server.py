"""Server: posts a request to a model's server, tries once more what failed on the way, and keeps the books of every call.

Knows nothing of menus and decisions. openai carries the call by `AsyncOpenAI.post`, which skips the walk over every message that
`create` does, and never retries. Causes are dropped where they would quote the server or the customer. Called by `decider.py`.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import httpx2
import openai
from pydantic import ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random

from ...protocol.errors import ModelBusy, ModelDown, ModelError, ModelKeyRefused, ModelTimeout, ModelUnreachable
from ...protocol.messages import explain
from ...protocol.per_loop import PerLoop
from ...protocol.usage import Attempt
from ..completion import Completion
from ..growing import Growing
from .bounded import bound
from .failures import may_pass, meaning
from .stream import StoppedError, completion_from

TRIES = 2
CONNECT_S = 5.0


@dataclass(slots=True)
class Books:
    """The attempts of one question, made within `limit`. `telling`: errors may quote the server."""

    limit: asyncio.Timeout
    telling: bool
    attempts: list[Attempt] = field(default_factory=list)

    def spoil(self, code: str) -> None:
        """The last call came through, but what it brought cannot be used."""
        if self.attempts:
            self.attempts[-1] = replace(self.attempts[-1], outcome=code)


class Server:
    """One address, with its connections. `address` None is OpenAI itself, which wants a key."""

    def __init__(self, model: str, address: str | None, key: str | None, timeout_s: float, pause_s: float) -> None:
        if not key and not address:
            raise ModelKeyRefused(
                "no key for OpenAI: set MAITRED_API_KEY or OPENAI_API_KEY, or name another server's base_url"
            )
        self._model, self._key = model, key
        self._pause = wait_random(pause_s / 5, pause_s)
        # A host that does not answer leaves time for the second try.
        connect_s = min(CONNECT_S, timeout_s / (TRIES + 1))
        self._openai = PerLoop(
            lambda: _client(address, key, httpx2.Timeout(None, connect=connect_s)), openai.AsyncOpenAI.close
        )

    async def complete(self, body: Mapping[str, object], books: Books, growing: Growing | None = None) -> Completion:
        """What the server makes of this body; streamed, if it is to be heard while it grows. Raises ModelError."""

        def again(error: BaseException) -> bool:
            return may_pass(error) and not (growing and growing.heard)

        tries = AsyncRetrying(
            stop=stop_after_attempt(TRIES), retry=retry_if_exception(again), wait=self._wait, reraise=True
        )
        return await tries(self._booked, body, books, growing)

    async def close(self) -> None:
        """Close the connections."""
        await self._openai().close()

    @property
    def _where(self) -> str:
        url = self._openai().base_url
        return f"{url.scheme}://{url.netloc.decode()}"

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        return (asked_s or 0.0) + self._pause(state)

    async def _booked(self, body: Mapping[str, object], books: Books, growing: Growing | None) -> Completion:
        began, outcome, usage = time.perf_counter(), ModelError.code, None
        try:
            completion = await self._post(body, growing, telling=books.telling)
            outcome, usage = "ok", completion.counted
            return completion
        except ModelError as error:
            outcome = error.code
            raise
        except asyncio.CancelledError:
            outcome = ModelTimeout.code if books.limit.expired() else outcome
            raise
        finally:
            books.attempts.append(Attempt(time.perf_counter() - began, outcome, usage))

    async def _post(self, body: Mapping[str, object], growing: Growing | None, *, telling: bool) -> Completion:
        try:
            if growing is None:
                response = await self._openai().post("/chat/completions", body=body, cast_to=httpx2.Response)
                return Completion.model_validate_json(response.content)
            response = await self._openai().post(
                "/chat/completions", body=body, cast_to=httpx2.Response, stream=True, stream_cls=None
            )
            growing.begin()
            return await completion_from(response, growing)
        except ValidationError as error:
            raise ModelDown(f"{self._where}: its answer is no chat completion: {explain(error)}") from None
        except StoppedError as error:
            raise ModelDown(f"{self._where}: {error}") from None
        except httpx2.TransportError as error:  # on the way of a stream; before it, openai makes them its own
            raise ModelUnreachable(f"{self._where}: {type(error).__name__}") from error
        except openai.OpenAIError as error:
            failure = meaning(error, self._where, self._model, self._key, telling=telling)
            raise failure from (error.__cause__ if isinstance(failure, ModelUnreachable) else None)


def _client(address: str | None, key: str | None, timeout: httpx2.Timeout) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=address,
        max_retries=0,
        timeout=timeout,
        default_headers={"Accept-Encoding": "identity"},
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            event_hooks={"response": [bound]},
            # No proxy of the environment (HTTP_PROXY) has a way to this machine, or is to see what stays on it.
            mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
        ),
    )
