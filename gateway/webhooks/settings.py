"""Settings of webhooks: from the values of one `[[webhooks]]` table to a Webhook. Read by `cli/`, which knows files and secrets.

A kind is one of those here, or a class of one's own as `file.py:Name` or `module:Name`. Its fields are its settings.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ...app.references import resolve
from ...protocol.errors import BadRequest
from ...statemachine.check import nearest
from .channel import Channel
from .webhooks import Webhook

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_OWN = {"tenant": str, "settle_s": float, "body_bytes": int, "per_s": float, "burst": int}
_BUILT_IN = ("chatwoot", "standard", "wechat")
_URLS = ("api_base", "callback_url")


def make_webhook(kind: str, name: str, given: Mapping[str, object], folder: Path) -> Webhook:
    """`given`: all values but kind and name. Raises BadRequest, which never shows a secret."""
    if not _NAME.fullmatch(name):
        raise BadRequest(f"a name is 1 to 40 letters, digits, '_', '.' or '-' of ASCII; got {name[:60]!a}")
    made_by = _class_of(kind, folder)
    wanted = {field.name: field for field in fields(made_by) if field.init and field.name != "name"}
    for setting in given:
        if setting not in wanted and setting not in _OWN:
            raise BadRequest(f"no setting {setting!r}{nearest(setting, [*wanted, *_OWN])}")
    for setting, field in wanted.items():
        if setting not in given and field.default is MISSING and field.default_factory is MISSING:
            raise BadRequest(
                f"{setting!r} is missing; a secret is given as {setting}_env, the name of an environment variable"
            )
    channel = made_by(name=name, **{setting: _text(setting, given[setting]) for setting in wanted if setting in given})
    own = {setting: _fit(setting, kind_, given[setting]) for setting, kind_ in _OWN.items() if setting in given}
    return Webhook(channel, **{"tenant": name, **own})  # type: ignore[arg-type]  # each has its type by `_fit`


def _class_of(kind: str, folder: Path) -> type[Channel]:
    if ":" in kind:
        found = resolve(kind, folder)
        if not (isinstance(found, type) and is_dataclass(found) and issubclass(found, Channel)):
            raise BadRequest(f"{kind!r} is no dataclass that is a Channel")
        for problem in _unfinished(found):
            raise BadRequest(f"{kind!r}: {problem}")
        return found
    if kind == "chatwoot":
        from .chatwoot import Chatwoot

        return Chatwoot
    if kind == "standard":
        from .standard import StandardWebhooks

        return StandardWebhooks
    if kind == "wechat":
        from .wechat import WeChat

        return WeChat
    raise BadRequest(
        f"kind is {', '.join(_BUILT_IN)} or file.py:Class; got {kind[:60]!r}{nearest(kind, list(_BUILT_IN))}"
    )


def _unfinished(channel: type[Channel]) -> Iterator[str]:
    """What would show only when a message comes, or as a riddle."""
    if missing := sorted(channel.__abstractmethods__):
        yield f"it needs the method {' and the method '.join(missing)}"
    annotated = inspect.get_annotations(channel)
    if annotated and "__dataclass_fields__" not in vars(channel):
        yield f"put @dataclass(frozen=True) above it, so that {', '.join(annotated)} become its settings"
    for method, given, named in _CALLED:
        try:
            inspect.signature(getattr(channel, method)).bind(*("self", *given), **dict.fromkeys(named))
        except TypeError as error:
            wanted = ", ".join(("self", *given, *(("*", *named) if named else ())))
            yield f"{method} is called as {method}({wanted}), and it does not take that: {error}"


_CALLED = (
    ("hear", ("call",), ()),
    ("say", ("posting", "place", "letter"), ("again",)),
    ("hand_off", ("posting", "place", "letter"), ()),
    ("control", ("posting", "place"), ()),
)
"""Method of a channel, its arguments by place and by name."""


def _text(setting: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        raise BadRequest(f"{setting} is a text that is not empty; got a {type(value).__name__}")
    return _url(setting, str(value)) if setting in _URLS else str(value)


def _url(setting: str, text: str) -> str:
    """Where letters are sent to; nothing else says so."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise BadRequest(f"{setting} is not a URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.fragment:
        raise BadRequest(
            f"{setting} is http://HOST or https://HOST, without a user; got the scheme {parts.scheme[:20]!r}"
        )
    return text.rstrip("/")


def _fit(setting: str, kind: type, value: object) -> object:
    if kind is str:
        return _text(setting, value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (kind is int and not isinstance(value, int)):
        raise BadRequest(f"{setting} is a number; got {value!r}")
    if value < 0 or (value == 0 and setting != "settle_s"):
        raise BadRequest(f"{setting} is more than 0; got {value!r}")
    return kind(value)
