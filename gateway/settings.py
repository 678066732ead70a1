"""GatewaySettings: what an operator may set of the HTTP service. Values only; read from a file or options by `cli/`."""

from dataclasses import dataclass

from ..protocol.errors import BadRequest

CONVERSATION_HEADERS = ("x-conversation-id", "x-openwebui-chat-id", "x-litellm-session-id", "x-*-session-id")
MESSAGE_HEADERS = ("x-message-id", "idempotency-key")


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Bytes, requests, seconds.

    `rate_per_s`, `burst`: requests of one tenant. `turns_at_once`, `streams_at_once`: of all; `tenant_...`: of one tenant.
    `body_s`, `headers_s`: how long a body, and the head of a request, may take to come. `ping_s`: a stream is opened after
    this long, and a comment sent as often while a turn runs. `tick_s`: how often deadlines are looked at. `close_s`: how long a
    stop waits for turns in flight. `conversation_headers`: headers that name a conversation, the first that is there; `*` stands
    for any letters. `conversation_fields`: fields of a body that do, beside those that always do ("user" or "prompt_cache_key",
    only if they are per conversation). `message_headers`: headers that name a message. `resend_s`: the same text within this
    time of the reply to it, without history and without a message's id, is taken for a resend. `keep_days`: how long the
    transcripts of nameless conversations are known.
    """

    body_bytes: int = 20_000_000
    rate_per_s: float = 50.0
    burst: int = 100
    turns_at_once: int = 256
    tenant_turns_at_once: int = 64
    streams_at_once: int = 1024
    tenant_streams_at_once: int = 256
    body_s: float = 20.0
    headers_s: float = 10.0
    ping_s: float = 5.0
    tick_s: float = 30.0
    close_s: float = 30.0
    conversation_headers: tuple[str, ...] = CONVERSATION_HEADERS
    conversation_fields: tuple[str, ...] = ()
    message_headers: tuple[str, ...] = MESSAGE_HEADERS
    resend_s: float = 10.0
    keep_days: float = 30.0

    def __post_init__(self) -> None:
        for name in (
            "body_bytes",
            "rate_per_s",
            "burst",
            "turns_at_once",
            "tenant_turns_at_once",
            "streams_at_once",
            "tenant_streams_at_once",
            "body_s",
            "headers_s",
            "ping_s",
            "tick_s",
            "keep_days",
        ):
            if getattr(self, name) <= 0:
                raise BadRequest(f"{name} is more than 0; got {getattr(self, name)!r}")
