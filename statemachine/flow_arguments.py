"""What `Flow(...)` is given, before anything is made of it: a wrong type is told by name, not by a traceback from within."""

import re
from collections.abc import Callable, Iterator, Mapping

from ..protocol.errors import FlowError
from ..protocol.limits import Limits
from ..protocol.texts import LANGS
from .parts import Migration

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_KINDS_OF_EXIT = ("human", "leave", "closing")


def refuse_wrong_arguments(given: Mapping[str, object]) -> None:
    """Raise FlowError that lists every argument of a wrong type."""
    wrong = [f"  {name}: {problem}" for name, check in _CHECKS.items() for problem in check(given.get(name))]
    if wrong:
        raise FlowError("Flow(...) was given\n" + "\n".join(wrong))


def _name(value: object) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield f"a flow needs a name; got {value!r}"


def _limits(value: object) -> Iterator[str]:
    if value is not None and not isinstance(value, Limits):
        yield f"Limits(...) or nothing; got a {type(value).__name__}"


def _text(value: object) -> Iterator[str]:
    if value is None or isinstance(value, str):
        return
    if not isinstance(value, Mapping):
        yield f"a text is a string or a mapping of {' and '.join(LANGS)}; got a {type(value).__name__}"
        return
    for lang, wording in value.items():
        if lang not in LANGS or not isinstance(wording, str):
            yield f"a text maps {' and '.join(LANGS)} to strings; got {lang!r}: {type(wording).__name__}"


def _texts(value: object) -> Iterator[str]:
    for key, text in value.items() if isinstance(value, Mapping) else ():
        yield from (f"{key}: {problem}" for problem in _text(text))


def _many(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield f"a list of them, not one string; write [{value!r}]"


def _hosts(value: object) -> Iterator[str]:
    yield from _many(value)
    for host in value if isinstance(value, (list, tuple, set, frozenset)) else ():
        if not isinstance(host, str) or not _HOST.fullmatch(host):
            yield f"a host such as 'shop.example', without 'https://', path or port; got {host!r}"


def _own_words(value: object) -> Iterator[str]:
    for kind, words in value.items() if isinstance(value, Mapping) else ():
        if kind not in _KINDS_OF_EXIT:
            yield f"{kind!r} is none of {', '.join(_KINDS_OF_EXIT)}"
        if isinstance(words, str):
            yield f"{kind}: a tuple of phrases, not one string"


def _migrations(value: object) -> Iterator[str]:
    for item in value if isinstance(value, (list, tuple)) else ():
        if not isinstance(item, Migration):
            yield f"a list of Migration(...); got a {type(item).__name__}"


_CHECKS: Mapping[str, Callable[[object], Iterator[str]]] = {
    "name": _name,
    "version": _name,
    "states": _many,
    "limits": _limits,
    "identity": _text,
    "greeting": _text,
    "texts": _texts,
    "outside": _many,
    "no_leave": _many,
    "links": _hosts,
    "everywhere": _many,
    "own_words": _own_words,
    "migrations": _migrations,
}
