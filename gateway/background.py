"""Background: gateways ask for titles, tags and suggestions under the conversation's own id. Those are no turns: they get a fixed
short text in the form that is asked for, and nothing of a session is read or written.

Known by `X-Task` (Open WebUI's header template), by the model's name with `-task` behind it, or by how the prompts begin.
"""

import json
from collections.abc import Mapping, Sequence

from .identity import Said

TASK_SUFFIX = "-task"
_PREFIXES = (
    ("### Task:", ""),  # Open WebUI; which of them says the text
    ("Provide a concise, 5-word-or-less title", "title"),  # LibreChat
    ("Analyze this conversation and provide:", "title"),
)
_SYSTEM = ("You are a professional conversation summarizer",)  # LobeChat
_KINDS = ("follow_up", "title", "tags", "queries")


def background_kind(headers: Mapping[str, str], model: str, said: Sequence[Said], system: Sequence[str]) -> str | None:
    """Which background call this is ("" if it is one of no known kind); None for a customer's message."""
    task = headers.get("x-task", "").strip()
    if task:
        return _kind_in(task)
    last = next((message.text for message in reversed(said) if message.role == "user"), "").lstrip()
    for prefix, kind in _PREFIXES:
        if last.startswith(prefix):
            return kind or _kind_in(last)
    if model.endswith(TASK_SUFFIX):
        return _kind_in(last)
    return "title" if any(text.lstrip().startswith(_SYSTEM) for text in system) else None


def _kind_in(text: str) -> str:
    lower = text.lower()
    return next((kind for kind in _KINDS if kind in lower or kind.replace("_", "-") in lower), "")


def background_answer(kind: str, flow: str, text: str) -> str:
    """What such a call is answered. JSON where the prompt asks for it."""
    if kind == "title":
        return json.dumps({"title": flow}, ensure_ascii=False) if "json" in text.lower() else flow
    empty = {"follow_up": "follow_ups", "tags": "tags", "queries": "queries"}
    return json.dumps({empty[kind]: []}) if kind in empty else flow
