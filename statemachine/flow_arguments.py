"""What `Flow(...)` is given, before anything is made of it: a wrong type is told by name, not by a traceback from within."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from ..protocol.errors import WrongArguments
from ..protocol.limits import Limits
from ..protocol.texts import LANGS
from ..protocol.tool_spec import ToolSpec
from .conditions import When
from .parts import Action, Migration, Outside, Step

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_KINDS_OF_EXIT = ("human", "leave", "closing")


def refuse_wrong_arguments(given: Mapping[str, object]) -> None:
    """Raise WrongArguments that lists every argument of a wrong type."""
    wrong = tuple((name, problem) for name, check in _CHECKS.items() for problem in check(given.get(name)))
    if wrong:
        raise WrongArguments("Flow", wrong)


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


def _list_of(kinds: tuple[type, ...], what: str) -> Callable[[object], Iterator[str]]:
    """A check of a list: its items are of these kinds."""

    def check(value: object) -> Iterator[str]:
        if value is None:
            return
        if isinstance(value, str) or not isinstance(value, Iterable):
            yield f"a list of {what}; got {_short(value)}"
            return
        for item in value if isinstance(value, Collection) else ():  # an iterator is read once, by Flow
            if not isinstance(item, kinds):
                yield f"a list of {what}; got {_short(item)}"

    return check


def _steps(value: object) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield f"a mapping state -> Step(...); got {_short(value)}"
        return
    for state, step in value.items():
        if not isinstance(step, Step):
            yield f"a mapping state -> Step(...); got {str(state)!r}: {_short(step)}"


def _transitions(value: object) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"a mapping (state, event) -> state; got {_short(value)}"
        return
    for key, target in value.items():
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, str) for part in key)):
            yield f"its keys are pairs (state, event); got {_short(key)}"
        elif isinstance(target, When):
            yield f"{_row(key)}: one When(...) alone is written [When(...)]"
        elif not isinstance(target, (str, list, tuple)):
            yield f"{_row(key)}: a state, an end, IGNORE or a list of When(...); got {_short(target)}"
        elif not isinstance(target, str):
            yield from (f"{_row(key)}: a list of When(...); got {_short(w)}" for w in target if not isinstance(w, When))


def _row(key: tuple[str, str]) -> str:
    return f"({key[0]}, {key[1]})"


def _tools(value: object) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, str) or not isinstance(value, Iterable):
        yield f"a list of tools; got {_short(value)}"
        return
    for item in value if isinstance(value, Collection) else ():
        if not isinstance(getattr(item, "spec", None), ToolSpec) or not callable(getattr(item, "call", None)):
            plain = inspect.isfunction(item)
            name = f"the plain function {item.__name__!r}" if plain else _short(item)
            yield f"functions with @tool(effect=...) above them; got {name}"


def _knowledge(value: object) -> Iterator[str]:
    if value is not None and not callable(value):
        yield f"a function (text, lang) -> list of facts; got {_short(value)}"


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "..."


_CHECKS: Mapping[str, Callable[[object], Iterator[str]]] = {
    "name": _name,
    "version": _name,
    "states": _many,
    "transitions": _transitions,
    "steps": _steps,
    "tools": _tools,
    "knowledge": _knowledge,
    "limits": _limits,
    "identity": _text,
    "greeting": _text,
    "texts": _texts,
    "outside": _list_of((Outside, str), "Outside(...) or names of events"),
    "no_leave": _many,
    "links": _hosts,
    "everywhere": _list_of((Action,), "Action(...)"),
    "own_words": _own_words,
    "migrations": _list_of((Migration,), "Migration(...)"),
}
