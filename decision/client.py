"""InstructorDecider: asks a model behind any OpenAI-compatible address. The one file that knows openai, instructor and tenacity.

Who retries: openai and instructor never; tenacity what failed on the way (two tries, jitter); the ladder alone asks again.
instructor makes the request's schema and validates the answer; it is never given `context=`, which would render customers' words
as templates. Between the two, `_send` calls `AsyncOpenAI.post`, which skips the walk over every message that `create` does, and
keeps the books of each attempt before instructor adds them up. The texts of errors hold nothing of a prompt or an answer.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self, cast

import httpx2
import instructor
import openai
from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException
from openai.types import CompletionUsage
from pydantic import JsonValue, ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random

from ..protocol.decision import AgentDecision, Answered, DecisionRequest
from ..protocol.errors import (
    BadRequest,
    ModelAnswerUnusable,
    ModelBusy,
    ModelDown,
    ModelError,
    ModelKeyRefused,
    ModelRequestRefused,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)
from ..protocol.messages import explain
from ..protocol.usage import Attempt
from .completion import Completion, DugOut, dug_out
from .history import Message
from .prompt import messages_for
from .schema import Shape, Wire, shape_of, wire_model

TRIES = 2
MAX_BODY_BYTES = 1_000_000
MAX_PACKED_BYTES = 50_000
"""Of a body that comes compressed though it was asked for plain: unpacked it may be a thousand times as much."""
LONGEST_PAUSE_S = 2.0
"""A server that wants us to wait longer than this is not asked again in this turn."""
CONNECT_S = 5.0


class InstructorDecider:
    """A model that picks from the menu. One for all sessions; keeps its connections. `name` is the model's.

    `base_url`: OpenAI itself if None. `api_key`: else MAITRED_API_KEY, else OPENAI_API_KEY; an address of one's own needs none.
    `timeout_s`: for a decision, tries and pauses included. `menu_schema`: each menu's own schema, for servers that enforce it.
    `temperature`, `max_tokens`: None leaves them out, for models that do not take them. `extra`: more fields of the request.
    `pause_s`: the longest random wait before the second try.

        async with InstructorDecider("qwen2.5", base_url="http://127.0.0.1:8080/v1") as decider:
            maitred = Maitred(flow, decider=decider)
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 30.0,
        menu_schema: bool = False,
        *,
        temperature: float | None = 0.0,
        max_tokens: int | None = 300,
        extra: Mapping[str, JsonValue] | None = None,
        pause_s: float = 0.25,
        messages: Callable[[DecisionRequest], Sequence[Message]] = messages_for,
    ) -> None:
        self.name = model
        self.timeout_s = timeout_s
        self._menu_schema = menu_schema
        self._pause = wait_random(pause_s / 5, pause_s)
        self._messages = messages
        fixed: dict[str, Any] = {"model": model, "temperature": temperature, "max_tokens": max_tokens, **(extra or {})}
        self._fixed = {name: value for name, value in fixed.items() if value is not None}
        self._openai = _client(base_url, api_key, min(CONNECT_S, timeout_s))
        self._where = f"{self._openai.base_url.scheme}://{self._openai.base_url.netloc.decode()}"
        patched = instructor.patch(create=self._send, mode=instructor.Mode.JSON_SCHEMA)
        self._create = cast(Callable[..., Awaitable[Any]], patched)  # its type is that of a blocking client
        self._models: dict[Shape | None, type[Wire]] = {}
        logging.getLogger("instructor.v2.retry").addFilter(_not_ours)

    async def decide(self, request: DecisionRequest) -> Answered:
        """The model's decision, not yet checked against the menu. Raises ModelError, with the attempts it took."""
        books = _Books()
        async with self._translated(books):
            answer: Wire = await self._create(
                response_model=self._model_for(request),
                max_retries=0,
                messages=list(self._messages(request)),
                books=books,
                **self._fixed,
            )
            decision = AgentDecision(action=answer.action, parameters=answer.parameters, reply_text=answer.reply_text)
        return Answered(decision, tuple(books.attempts))

    async def probe(self) -> None:
        """One small call, to know at the start whether address, key and model are right. Raises the ModelError that says."""
        books = _Books(telling=True)
        async with self._translated(books):
            await self._create(
                response_model=None,
                messages=[{"role": "user", "content": "Answer with an empty JSON object."}],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "AgentDecision", "schema": self._ready(None).model_json_schema()},
                },
                books=books,
                **{**self._fixed, **({"max_tokens": 16} if "max_tokens" in self._fixed else {})},
            )

    async def close(self) -> None:
        """Close the connections."""
        await self._openai.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _model_for(self, request: DecisionRequest) -> type[Wire]:
        return self._ready(shape_of(request.menu) if self._menu_schema else None)

    def _ready(self, shape: Shape | None) -> type[Wire]:
        """The type as instructor wants it; otherwise it would make one anew at each call."""
        if shape not in self._models:
            self._models[shape] = instructor.response_schema(wire_model(shape))
        return self._models[shape]

    @asynccontextmanager
    async def _translated(self, books: "_Books") -> AsyncIterator[None]:
        """The time limit, and every ending as one of our errors that carries the attempts."""
        token = _asking.set(True)
        try:
            async with asyncio.timeout(self.timeout_s):
                yield
        except TimeoutError as error:
            raise ModelTimeout(f"no answer within {self.timeout_s:g} s", tuple(books.attempts)) from error
        except (IncompleteOutputException, InstructorRetryException, ModelError) as error:
            reason = _reason(error)
            if isinstance(reason, ModelAnswerUnusable):
                books.spoil(reason.code)
            reason.attempts = tuple(books.attempts)
            raise reason from error
        finally:
            _asking.reset(token)

    async def _send(self, *, books: "_Books", **body: Any) -> DugOut:
        """What instructor takes for `create`: the request as it has made it -> the completion, its one object already dug out."""
        tries = AsyncRetrying(
            stop=stop_after_attempt(TRIES), retry=retry_if_exception(_may_pass), wait=self._wait, reraise=True
        )
        async for attempt in tries:
            with attempt:
                return dug_out(await self._once(body, books), _nothing_used())
        raise ModelError("no try was made")  # tenacity gives at least one

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        return (asked_s or 0.0) + self._pause(state)

    async def _once(self, body: Mapping[str, object], books: "_Books") -> Completion:
        began, outcome, usage = time.perf_counter(), ModelTimeout.code, None
        try:
            response = await self._openai.post("/chat/completions", body=body, cast_to=httpx2.Response)
            completion = Completion.model_validate_json(response.content)
            outcome, usage = "ok", completion.counted
            return completion
        except ValidationError as error:
            outcome = ModelDown.code
            raise ModelDown(f"{self._where}: its answer is no chat completion: {explain(error)}") from error
        except openai.OpenAIError as error:
            reason = self._failure(error, telling=books.telling)
            outcome = reason.code
            raise reason from error
        finally:  # also when the time is up
            books.attempts.append(Attempt(time.perf_counter() - began, outcome, usage))

    def _failure(self, error: openai.OpenAIError, *, telling: bool) -> ModelError:
        """What an exception of openai means. The server's words are told only at the start: no customer has spoken yet."""
        if isinstance(error, _TooLargeError):
            return ModelAnswerUnusable(str(error))
        if not isinstance(error, openai.APIStatusError):
            cause = error.__cause__ or error
            return ModelUnreachable(f"{self._where}: {type(cause).__name__}{f': {cause}' if telling else ''}")
        status, said = error.status_code, _said(error, self._openai.api_key) if telling else ""
        where = f"{self._where} answered {status}"
        if status in (401, 403):
            return ModelKeyRefused(f"{where}: the key is missing or not accepted{said}")
        if status == 404:
            return ModelUnknown(f"{where}: no model {self.name!r}, or no /chat/completions at this address{said}")
        if status == 429:
            return ModelBusy(
                f"{where}: too many requests, or the quota is used up{said}", retry_after_s=_pause_asked(error)
            )
        if status >= 500 or status == 408:
            return ModelDown(f"{where}{said}")
        return ModelRequestRefused(f"{where}: it does not take the request{said}")


def _client(base_url: str | None, api_key: str | None, connect_s: float) -> openai.AsyncOpenAI:
    key = api_key or os.environ.get("MAITRED_API_KEY") or os.environ.get("OPENAI_API_KEY")
    if not key and not (base_url or os.environ.get("OPENAI_BASE_URL")):
        raise ModelKeyRefused(
            "no key for OpenAI: set MAITRED_API_KEY or OPENAI_API_KEY, or name another server's base_url"
        )
    if base_url and not base_url.startswith(("http://", "https://")):
        raise BadRequest(f"base_url {base_url!r} does not begin with http:// or https://")
    timeout = httpx2.Timeout(None, connect=connect_s)
    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        default_headers={"Accept-Encoding": "identity"},
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            event_hooks={"response": [_bound]},
            # No proxy of the environment (HTTP_PROXY) has a way to this machine, or is to see what stays on it.
            mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
        ),
    )


# --- what comes back ---------------------------------------------------------------------------------------------------------


def _nothing_used() -> CompletionUsage:
    """instructor adds usage up in place, and looks for another vendor's library where there is none: it gets one of noughts."""
    return CompletionUsage.model_construct(prompt_tokens=0, completion_tokens=0, total_tokens=0)


def _reason(error: IncompleteOutputException | InstructorRetryException | ModelError) -> ModelError:
    if isinstance(error, IncompleteOutputException):
        return ModelAnswerUnusable("no decision: cut off, the answer is longer than max_tokens")
    cause = error.__cause__ if isinstance(error, InstructorRetryException) else error
    if isinstance(cause, ModelError):
        return cause
    if isinstance(cause, ValidationError):
        return ModelAnswerUnusable(f"no decision: {explain(cause)}")
    return ModelError(f"the model client failed: {type(cause).__name__}")


def _said(error: openai.APIStatusError, key: str) -> str:
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return f" ({said[:200].replace(key, '***')})" if isinstance(said, str) else ""


def _pause_asked(error: openai.APIStatusError) -> float | None:
    """Seconds of a Retry-After; a date in it counts as long."""
    asked = error.response.headers.get("retry-after")
    if asked is None:
        return None
    try:
        return max(0.0, float(asked))
    except ValueError:
        return LONGEST_PAUSE_S + 1


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, ModelBusy):
        return (error.retry_after_s or 0.0) <= LONGEST_PAUSE_S
    return isinstance(error, (ModelUnreachable, ModelDown))


# --- a body has a bound ------------------------------------------------------------------------------------------------------


class _TooLargeError(openai.OpenAIError):
    """openai lets its own errors through as they are."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
        self._stream, self._limit = stream, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise _TooLargeError(f"no decision: an answer of more than {self._limit:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    packed = response.headers.get("content-encoding", "identity") != "identity"
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, MAX_PACKED_BYTES if packed else MAX_BODY_BYTES)


# --- the books, and quiet ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Books:
    """The attempts of one decision. `telling`: errors may quote the server."""

    attempts: list[Attempt] = field(default_factory=list)
    telling: bool = False

    def spoil(self, code: str) -> None:
        """The last call came through, but what it brought cannot be used."""
        if self.attempts:
            self.attempts[-1] = replace(self.attempts[-1], outcome=code)


_asking: ContextVar[bool] = ContextVar("maitred_asking", default=False)


def _not_ours(_: logging.LogRecord) -> bool:
    """instructor logs each failure with the answer in it, which may hold a customer's words; we log ours, without."""
    return not _asking.get()
