"""The menu as lines of the prompt: name, parameters with their types, label. Nothing of examples, nothing of conditions."""

from collections.abc import Mapping

from ..protocol.menu import Menu, MenuItem
from ..protocol.one_line import CUT
from ..protocol.slots import Slot
from ..protocol.texts import Lang, in_lang
from .escaping import escape
from .prompt_words import PromptWords


def menu_lines(menu: Menu, words: PromptWords, limit: int) -> list[str]:
    """`- name(parameter: type, ...): label` for each action. `limit`: characters of a label or of a list of choices."""
    return [_line(item, words, limit) for item in menu.items]


def label_of(menu: Menu, name: str, lang: Lang) -> str:
    """How the slot `name` is called in the menu's parameters; empty if it has no label."""
    slot = next((item.parameters[name] for item in menu.items if name in item.parameters), None)
    return in_lang(slot.label, lang) if slot else ""


def plain(text: str, limit: int) -> str:
    """An author's text on one line."""
    text = " ".join(text.split())
    return escape(text if len(text) <= limit else f"{text[: limit - 1]}{CUT}")


def _line(item: MenuItem, words: PromptWords, limit: int) -> str:
    inside = ", ".join(_parameters(item, words, limit))
    name = plain(item.name, limit)
    return f"- {name}({inside}): {plain(item.label, limit)}" if inside else f"- {name}: {plain(item.label, limit)}"


def _parameters(item: MenuItem, words: PromptWords, limit: int) -> list[str]:
    """All of `provide` may be left out, so there a mark would say nothing."""
    return [
        f"{plain(name, limit)}{'' if slot.required or item.name == 'provide' else '?'}: {_type(slot, words, limit)}"
        for name, slot in item.parameters.items()
    ]


def _type(slot: Slot, words: PromptWords, limit: int) -> str:
    """No bounds: a value out of bounds is asked again by code, and the customer's words are what they are."""
    if slot.choices:
        return _choices(slot.choices, limit)
    return words.types[slot.kind]


def _choices(choices: Mapping[str, tuple[str, ...]], limit: int) -> str:
    return plain("|".join(choices), limit)
