"""The menu as lines of the prompt: name, label, parameters. Nothing of examples, nothing of conditions."""

from ..protocol.menu import Menu, MenuItem
from ..protocol.one_line import CUT
from ..protocol.slots import Slot
from ..protocol.texts import SENTENCES
from .escaping import escape


def menu_lines(menu: Menu, limit: int) -> list[str]:
    """`- name: label (parameters)` for each action. `limit`: characters of a label or of a list of choices.

    Built-in actions whose label is ours and says what their name says stand last, in one line, by name.
    """
    bare = [item.name for item in menu.items if _name_says_it(item)]
    lines = [_line(item, limit) for item in menu.items if item.name not in bare]
    return [*lines, f"- {', '.join(bare)}"] if bare else lines


def plain(text: str, limit: int) -> str:
    """An author's text on one line."""
    text = " ".join(text.split())
    return escape(text if len(text) <= limit else f"{text[: limit - 1]}{CUT}")


def _name_says_it(item: MenuItem) -> bool:
    return not item.parameters and item.label in SENTENCES.get(f"action.{item.name}", {}).values()


def _line(item: MenuItem, limit: int) -> str:
    line = f"- {plain(item.name, limit)}: {plain(item.label, limit)}"
    inside = ", ".join(_parameters(item, limit))
    return f"{line} ({inside})" if inside else line


def _parameters(item: MenuItem, limit: int) -> list[str]:
    """All of `provide` may be left out, so there a mark would say nothing."""
    return [
        f"{plain(name, limit)}{'' if slot.required or item.name == 'provide' else '?'}{_form(slot, limit)}"
        for name, slot in item.parameters.items()
    ]


def _form(slot: Slot, limit: int) -> str:
    """What the customer's words do not show: the names of choices, the form of a date. Code reads all else as it is written."""
    if slot.choices:
        return f": {plain('|'.join(slot.choices), limit)}"
    return ": YYYY-MM-DD" if slot.kind == "date" else ""
