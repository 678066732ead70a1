"""Decider: the prompt of a request goes to the server, one decision comes back, validated; every other ending is a ModelError.

Who retries: openai and instructor never; tenacity what failed on the way (two tries, jitter); the ladder alone asks again.
instructor makes the request's schema and validates the answer; it is never given `context=`, which would render customers' words
as templates, nor any field of the settings. The texts of errors, and of what caused them, hold nothing of a prompt or an answer.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self, cast

import instructor
from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException
from openai.types import CompletionUsage
from pydantic import JsonValue, ValidationError

from ...protocol.decision import AgentDecision, Answered, DecisionRequest
from ...protocol.errors import ModelAnswerUnusable, ModelError, ModelTimeout
from ...protocol.messages import explain
from ...protocol.ports import Listener, ReadsFirst
from ..completion import DugOut, dug_out
from ..growing import Growing
from ..history import Message
from ..offered import offered
from ..prompt import messages_for
from ..schema import Shape, Wire, constant_schema, menu_schema, shape_of, wire_model
from .server import Books, Server
from .settings import address_in_force, check_number, checked_extra, key_in_force

PROBE_TOKENS = 16
ONE_ACTION: Shape = (("answer", ()),)
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


class InstructorDecider:
    """A model that picks from the menu. One for all sessions; keeps its connections. `name` is the model's.

    `base_url`: else OPENAI_BASE_URL, else OpenAI itself. `api_key`: else MAITRED_API_KEY, else OPENAI_API_KEY; an address of
    one's own needs none. `timeout_s`: for a decision, tries and pauses included. `menu_schema`: each menu's own schema, for
    servers that enforce it. `temperature`, `max_tokens`: None leaves them out, for models that do not take them. `extra`: fields
    laid over the request as it would be sent; None takes one out. `pause_s`: the longest random wait before the second try.
    `reads_first`: the model is not called for a message that only gives slot values which code can read. "sure": every word is
    accounted for; "likely": it is short, for small models, which read worse than code; False: it is called.

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
        reads_first: ReadsFirst = "sure",
        messages: Callable[[DecisionRequest], Sequence[Message]] = messages_for,
    ) -> None:
        check_number("timeout_s", timeout_s, least=0.001)
        check_number("temperature", temperature or 0.0)
        check_number("max_tokens", 1 if max_tokens is None else max_tokens, least=1)
        check_number("pause_s", pause_s)
        self.name = model
        self.timeout_s = timeout_s
        self.reads_first = reads_first
        self._menu_schema = menu_schema
        self._messages = messages
        self._fixed = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        self._extra = checked_extra(extra)
        self._server = Server(model, address_in_force(base_url), key_in_force(api_key), timeout_s, pause_s)
        patched = instructor.patch(create=self._send, mode=instructor.Mode.JSON_SCHEMA)
        self._create = cast(Callable[..., Awaitable[Any]], patched)  # its type is that of a blocking client
        self._models: dict[Shape | None, type[Wire]] = {}
        logging.getLogger("instructor.v2.retry").addFilter(_not_ours)

    async def decide(self, request: DecisionRequest) -> Answered:
        """The model's decision, not yet checked against the menu. Raises ModelError, with the attempts it took."""
        return await self._decide(request, None)

    async def decide_aloud(self, request: DecisionRequest, listener: Listener) -> Answered:
        """The same, streamed: `listener` hears the words as they come. What is not on the menu, or does not fit, stops the stream
        at once and is the decision; the server then tells no tokens."""
        return await self._decide(request, Growing(request.menu, listener))

    async def _decide(self, request: DecisionRequest, growing: Growing | None) -> Answered:
        async with self._asking() as books:
            answer: Wire = await self._create(
                response_model=self._model_for(request),
                max_retries=0,
                messages=list(self._messages(request)),
                books=books,
                growing=growing,
            )
            decision = AgentDecision(action=answer.action, parameters=answer.parameters, reply_text=answer.reply_text)
        return Answered(decision, tuple(books.attempts))

    async def probe(self) -> None:
        """One small call, to know at the start whether address, key, model and fields are right; what the model says is not read.

        Raises the ModelError that says what is wrong.
        """
        schema = menu_schema(ONE_ACTION) if self._menu_schema else constant_schema()
        made: dict[str, object] = {
            "messages": [{"role": "user", "content": "Answer with an empty JSON object."}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "AgentDecision", "schema": schema}},
            "max_tokens": self._fixed["max_tokens"] and PROBE_TOKENS,
        }
        async with self._asking(telling=True) as books:
            await self._server.complete(self._body(made), books)

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _model_for(self, request: DecisionRequest) -> type[Wire]:
        """The type as instructor wants it; otherwise it would make one anew at each call."""
        shape = shape_of(offered(request)) if self._menu_schema else None
        if shape not in self._models:
            self._models[shape] = instructor.response_schema(wire_model(shape))
        return self._models[shape]

    def _body(self, made: Mapping[str, object]) -> dict[str, object]:
        body = {**self._fixed, **made, **self._extra}
        return {name: value for name, value in body.items() if value is not None}

    async def _send(self, *, books: Books, growing: Growing | None, **made: object) -> DugOut:
        """What instructor takes for `create`: the request as it has made it -> the completion, its one object already dug out."""
        body = self._body({**made, **STREAMED} if growing else made)
        completion = await self._server.complete(body, books, growing)
        return dug_out(completion, _nothing_used())

    @asynccontextmanager
    async def _asking(self, *, telling: bool = False) -> AsyncIterator[Books]:
        """The time limit, and every ending as one of our errors that carries the attempts."""
        token = _ours.set(True)
        books = Books(asyncio.timeout(self.timeout_s), telling)
        try:
            async with books.limit:
                yield books
        except TimeoutError:
            raise ModelTimeout(f"no answer within {self.timeout_s:g} s", tuple(books.attempts)) from None
        except (IncompleteOutputException, InstructorRetryException, ModelError) as error:
            reason = _reason(error)
            if isinstance(reason, ModelAnswerUnusable):
                books.spoil(reason.code)
            reason.attempts = tuple(books.attempts)
            raise reason from reason.__cause__  # not from instructor's, which quotes the answer
        finally:
            _ours.reset(token)


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


_ours: ContextVar[bool] = ContextVar("maitred_asking", default=False)


def _not_ours(_: logging.LogRecord) -> bool:
    """instructor logs each failure with the answer in it, which may hold a customer's words; we log ours, without."""
    return not _ours.get()
