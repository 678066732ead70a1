"""The block `<now>`: everything that changes from message to message, behind the customer's text and never before it.

Step, what is known and missing, tool results in one line each, background, facts, the menu, and the last error of a re-ask.
Values stand as JSON strings on one line, so that none can pass for a line of ours. Pure; called by `prompt.py`.
"""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from ..protocol.decision import DecisionRequest
from ..protocol.one_line import CUT, fields_line, one_line, quoted
from .escaping import escape
from .menu_block import label_of, menu_lines, plain
from .offered import offered
from .prompt_settings import PromptSettings
from .prompt_words import WORDS

INSTRUCTION_CHARS = 2000
TELLING_CHARS = 4
"""A shorter value may stand in our words by chance."""


def now_block(request: DecisionRequest, settings: PromptSettings, said: str = "") -> str:
    """The block for one question. `said`: our past words that stand whole before it; the block does not repeat them."""
    return "\n".join(["<now>", *_lines(request, settings, said), "</now>"])


def _lines(request: DecisionRequest, settings: PromptSettings, said: str) -> Iterator[str]:
    words = WORDS[request.lang]
    if request.instruction:
        yield words.step + plain(request.instruction, INSTRUCTION_CHARS)
    yield from _progress(request, settings, said)
    if facts := request.knowledge[: settings.facts]:
        yield words.facts
        yield from (f"- {escape(quoted(fact, settings.value_chars))}" for fact in facts)
    if request.moved:
        yield words.words_only.format(action=speaking_action(request))
        return
    if found := fields_line(request.found, settings.data_chars):
        yield words.found + escape(found)
    yield words.menu
    yield from menu_lines(offered(request), words, settings.value_chars)
    if request.last_error:
        yield words.refused.format(why=escape(quoted(request.last_error, settings.error_chars)))
    yield words.answer_now


def _progress(request: DecisionRequest, settings: PromptSettings, said: str) -> Iterator[str]:
    words = WORDS[request.lang]
    slots = {name: value for name, value in request.data.items() if not isinstance(value, (dict, list))}
    if known := fields_line(slots, settings.data_chars):
        yield words.known + escape(known)
    if request.missing and not request.moved:
        yield words.missing + _missing(request, settings)
    yield from _results(request, slots, settings, "" if request.moved else said)
    meta = {name: value for name, value in request.meta.items() if (name, value) != ("lang", request.lang)}
    if background := fields_line(meta, settings.meta_chars):
        yield words.background + escape(background)


def _missing(request: DecisionRequest, settings: PromptSettings) -> str:
    """The open slots; the one just asked with its label, for the instruction names the others."""
    first, *others = (plain(name, settings.value_chars) for name in request.missing)
    label = plain(label_of(request.menu, request.missing[0], request.lang), settings.value_chars)
    return ", ".join([f"{first} ({label})" if label else first, *others])


def _results(
    request: DecisionRequest, slots: Mapping[str, JsonValue], settings: PromptSettings, said: str
) -> Iterator[str]:
    """Tool results and outside payloads, the latest first, as far as there is room, until one that our words told.

    What stands already is not said twice.
    """
    results = {name: value for name, value in reversed(list(request.data.items())) if isinstance(value, (dict, list))}
    latest = request.last_tool if request.last_tool in results else next(iter(results), None)
    told = list(slots.items())
    left = settings.result_chars
    for name in sorted(results, key=lambda name: name != latest):
        if _is_told(results[name], slots, said):
            return
        line = one_line(_news(results[name], told), left - len(name) - 2)
        if line in ("", CUT):
            continue
        if len(line) + len(name) + 2 > left:
            return
        left -= len(line) + len(name) + 2
        yield f"{plain(name, settings.value_chars)}: {escape(line)}"


def _news(result: JsonValue, told: list[tuple[str, JsonValue]]) -> JsonValue:
    """The fields of a result that were not told yet; they are now."""
    if not isinstance(result, dict):
        return result
    news = {name: value for name, value in result.items() if (name, value) not in told}
    told += news.items()
    return news


def _is_told(result: JsonValue, slots: Mapping[str, JsonValue], said: str) -> bool:
    """Whether our words state a value of its own: then they told what mattered of it, and `show_detail` has the rest."""
    values = result.values() if isinstance(result, dict) else ()
    own = (v for v in values if isinstance(v, str) and len(v) >= TELLING_CHARS and v not in slots.values())
    return any(value in said for value in own)


def speaking_action(request: DecisionRequest) -> str:
    """The action that a request for words only is answered with: `answer`, or one that asks for nothing."""
    items = request.menu.items
    if request.menu.get("answer") or not items:
        return "answer"
    return next(
        (item.name for item in items if not any(slot.required for slot in item.parameters.values())), items[0].name
    )
