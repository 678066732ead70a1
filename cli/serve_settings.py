"""What `maitred serve` is set to: keys from the environment and the settings file, limits and webhooks from that file.

Wrong ones stop the start and name the key.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from secrets import token_bytes

from ..gateway.keys import Key, is_loopback, make_key, parse_keys
from ..gateway.settings import GatewaySettings
from ..gateway.webhooks.settings import make_webhook
from ..gateway.webhooks.webhooks import Webhook
from ..protocol.errors import BadRequest
from ..statemachine.check import nearest

KEYS_ENV = "MAITRED_API_KEYS"
METRICS_ENV = "MAITRED_METRICS_KEY"
LOG_KEY_ENV = "MAITRED_LOG_KEY"
_KEY_TEXTS = ("name", "tenant", "secret", "secret_env")
_KEY_LISTS = ("may", "flows")
_TABLES = ("serve", "keys", "webhooks")
_ENV = "_env"


def read_settings(path: Path | None) -> tuple[GatewaySettings, tuple[Key, ...]]:
    """Settings and keys; those of the environment come first."""
    keys = parse_keys(os.environ.get(KEYS_ENV, ""))
    if path is None:
        return GatewaySettings(), keys
    document = _document(path)
    where = str(path)
    _known(document, _TABLES, where)
    listed = document.get("keys", [])
    if not isinstance(listed, list):
        raise BadRequest(f"{where}: keys are written as [[keys]] tables")
    return _settings(document.get("serve", {}), where), (*keys, *(_key(n, k, where) for n, k in enumerate(listed, 1)))


def read_webhooks(path: Path | None, flow: str) -> tuple[Webhook, ...]:
    """The `[[webhooks]]` of the file; classes of one's own are found beside it. `flow`: the name of the one that is served."""
    if path is None:
        return ()
    listed = _document(path).get("webhooks", [])
    if not isinstance(listed, list):
        raise BadRequest(f"{path}: webhooks are written as [[webhooks]] tables")
    return tuple(_webhook(f"{path}: webhook {n}", table, flow, path.parent) for n, table in enumerate(listed, 1))


def _webhook(place: str, table: object, flow: str, folder: Path) -> Webhook:
    if not isinstance(table, Mapping):
        raise BadRequest(f"{place} is no table")
    given = dict(table)
    kind, name = str(given.pop("kind", "")), str(given.pop("name", ""))
    if given.pop("flow", flow) != flow:
        raise BadRequest(f"{place}: 'flow' is {table['flow']!r}, and what is served is {flow!r}")
    secrets = [key for key in given if key.endswith(_ENV)]
    values = {key: value for key, value in given.items() if key not in secrets}
    for key in secrets:
        values[key.removesuffix(_ENV)] = _secret(f"{place}: {key}", given[key])
    try:
        return make_webhook(kind, name, values, folder)
    except BadRequest as error:
        raise BadRequest(f"{place}: {error}") from error


def _secret(place: str, variable: object) -> str:
    secret = os.environ.get(variable, "") if isinstance(variable, str) else ""
    if not secret:
        raise BadRequest(f"{place}: the environment variable {variable!r} is not set")
    return secret


def metrics_key() -> str:
    """The secret that opens `/metrics` to other machines; empty if there is none."""
    secret = os.environ.get(METRICS_ENV, "")
    if secret:
        try:
            make_key("metrics", secret)  # the same rules as for any other
        except BadRequest as error:
            raise BadRequest(f"{METRICS_ENV}: {error}") from error
    return secret


def log_key() -> bytes:
    """What the marks of sessions in logs are made with: the same key, the same marks. Another one each start if none is set."""
    return os.environ.get(LOG_KEY_ENV, "").encode() or token_bytes(16)


def refuse_open_door(host: str, keys: tuple[Key, ...]) -> None:
    """Without a key only this machine may call."""
    if not keys and not is_loopback(host):
        raise BadRequest(
            f"--host {host} lets other machines call, and there is no key; set {KEYS_ENV} to a secret of 16 or more "
            "characters (NAME:SECRET, several with commas between), or listen on 127.0.0.1"
        )


def _document(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRequest(f"--settings {str(path)!r} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadRequest(f"--settings {str(path)!r} is not TOML: {error}") from error


def _settings(table: object, where: str) -> GatewaySettings:
    if not isinstance(table, Mapping):
        raise BadRequest(f"{where}: [serve] is a table")
    defaults = GatewaySettings()
    _known(table, tuple(field.name for field in fields(GatewaySettings)), f"{where}: [serve]")
    values: dict[str, object] = {
        name: _fit(name, value, getattr(defaults, name), where) for name, value in table.items()
    }
    try:
        return GatewaySettings(**values)  # type: ignore[arg-type]  # each value has its default's type
    except BadRequest as error:
        raise BadRequest(f"{where}: [serve] {error}") from error


def _fit(name: str, value: object, default: object, where: str) -> object:
    if isinstance(default, tuple):
        return _strings(value, f"{where}: [serve] {name}")
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        raise BadRequest(f"{where}: [serve] {name} is a number; got {value!r}")
    return value


def _strings(value: object, place: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise BadRequest(f"{place} is a list of strings")


def _key(n: int, table: object, where: str) -> Key:
    place = f"{where}: key {n}"
    if not isinstance(table, Mapping):
        raise BadRequest(f"{place} is no table")
    _known(table, (*_KEY_TEXTS, *_KEY_LISTS), place)
    texts = {name: str(table.get(name, "")) for name in _KEY_TEXTS}
    lists = {name: _strings(table[name], f"{place}: {name}") for name in _KEY_LISTS if name in table}
    if bool(texts["secret"]) == bool(texts["secret_env"]):
        raise BadRequest(f"{place} has either 'secret' or 'secret_env', the name of an environment variable")
    secret = texts["secret"] or os.environ.get(texts["secret_env"], "")
    if not secret:
        raise BadRequest(f"{place}: the environment variable {texts['secret_env']!r} is not set")
    try:
        return make_key(texts["name"], secret, texts["tenant"], **lists)  # type: ignore[arg-type]  # make_key looks at them
    except BadRequest as error:
        raise BadRequest(f"{place}: {error}") from error


def _known(table: Mapping[str, object], names: tuple[str, ...], where: str) -> None:
    for name in table:
        if name not in names:
            raise BadRequest(f"{where}: no setting {name!r}{nearest(name, list(names))}")
