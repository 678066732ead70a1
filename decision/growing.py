"""Growing: a decision while a model still writes it. Says at once when what is whole of it is refused; lets words be heard.

Nothing is judged here by rules of its own: action and parameters pass the check that every decision passes, only earlier, and
what stops here is refused by that check again. Words are heard once action and parameters stand whole before them; in any other
order, or with prose before the object, nothing is heard and the whole is read at the end (`salvage.py`). Pure; for `client/`.
"""

import json
import re
from collections.abc import Mapping

from pydantic import JsonValue, ValidationError
from pydantic_core import from_json

from ..protocol.decision import AgentDecision
from ..protocol.menu import Menu
from ..protocol.ports import Listener
from .check_decision import Invalid, check_decision
from .salvage import MAX_ANSWER_CHARS

MAX_HEARD_CHARS = 10_000
"""Of an answer; a longer one is read at its end, for each piece is read with all before it."""

_KEYS = {"action", "parameters", "reply_text"}
_BEGINNING = re.compile(r"[\s\ufeff]*(?:<think>.*</think>\s*)?(?:```(?:json)?\s*)?(?=\{)", re.DOTALL | re.IGNORECASE)


class Growing:
    """One answer. `text`: what came so far; `heard`: whether the listener was told anything, from then on no other may begin."""

    def __init__(self, menu: Menu, listener: Listener) -> None:
        self._menu, self._listener = menu, listener
        self.heard = False
        self.begin()

    def begin(self) -> None:
        """Another try: nothing has come yet."""
        self.text = ""
        self._begins: int | None = None
        self._legal: AgentDecision | None = None

    def add(self, piece: str) -> bool:
        """Whether more of the answer is wanted. If not, `text` is what was refused, as a whole object, or is too long."""
        self.text += piece
        if len(self.text) > MAX_ANSWER_CHARS:
            return False
        found = self._read()
        if "action" not in found:
            return True
        action, parameters = found["action"], found.get("parameters")
        if not isinstance(action, str) or not isinstance(parameters, (dict, type(None))):
            return True
        if self._menu.get(action.strip()) is None:
            return self._refused(action, {})
        if set(found) != _KEYS or list(found)[-1] != "reply_text":
            return True
        return self._listen(action, parameters or {}, found["reply_text"])

    def _listen(self, action: str, parameters: Mapping[str, JsonValue], words: JsonValue) -> bool:
        if self._legal is None:
            try:
                checked = check_decision(self._menu, AgentDecision(action=action, parameters=dict(parameters)))
            except ValidationError:
                return True
            if isinstance(checked, Invalid):
                return self._refused(action, parameters)
            self._legal = checked
        if isinstance(words, str) and words and self._legal.action == action.strip():
            self.heard = True
            self._listener(self._legal.model_copy(update={"reply_text": words}))
        return True

    def _refused(self, action: str, parameters: Mapping[str, JsonValue]) -> bool:
        self.text = json.dumps({"action": action, "parameters": dict(parameters)})
        return False

    def _read(self) -> Mapping[str, JsonValue]:
        """What stands in the object so far: of a value that is not whole yet, only words; empty if there is nothing to read."""
        if self._begins is None:
            begins = _BEGINNING.match(self.text[:MAX_HEARD_CHARS])
            if begins is None:
                return {}
            self._begins = begins.end()
        if len(self.text) - self._begins > MAX_HEARD_CHARS:
            return {}
        try:
            read = self.text[self._begins :]
            whole = from_json(read, allow_partial=True, allow_inf_nan=False)
            return from_json(read, allow_partial="trailing-strings", allow_inf_nan=False) if "action" in whole else {}
        except ValueError:
            return {}
