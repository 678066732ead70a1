"""Whose words does the customer read? Chosen from what happened in the turn; the last words win and are never joined.

The decider's own text counts only where the turn ended as it began and ran no tool. After a move or a tool result the step's
`say` speaks; where there is none, `words_after` returns None and the turn asks the decider once more. Templates are filled
from session data, which only events fill.
"""

from collections.abc import Mapping, Sequence

from ..protocol.messages import StateEvent, ToolStatus
from ..protocol.normalize import script_of
from ..protocol.session import PendingConfirmation, Session
from ..protocol.slots import Slot
from ..protocol.texts import Lang, fill, in_lang
from ..protocol.tool_spec import OUTCOME_OF
from .flow import Flow
from .menu import action_label, has_entry_result, menu_of, missing_slots
from .parts import Terminal
from .rows import BUILT_IN_ACTIONS, ESCALATED

_QUIET = frozenset(
    {
        "session_started",
        "flow_changed",
        "language_noted",
        "meta_noted",
        "tool_called",
        "decision_rejected",
        "values_dropped",
        "reply_replaced",
    }
)
_RULE_SENTENCES: Mapping[str, str] = {
    "too_many_turns": "too_many_turns",
    "no_progress": "no_progress",
    "too_many_calls": "too_many_calls",
    "tool_unknown": "tool_unknown",
    "quarantined": "quarantined",
}


_WHY_ROLLED_BACK: Mapping[str, str] = {"unheard": "unavailable", "stopped": "stopped"}


def words_after(flow: Flow, session: Session, events: Sequence[StateEvent], spoken: str) -> str | None:
    """The reply after a turn's `events` led to `session`. `spoken`: the decider's text. None: nothing of ours fits."""
    told = [event for event in events if event.event not in _QUIET]
    if session.state == Terminal.ESCALATED:
        return _handoff(flow, session, told)
    if session.state in (Terminal.COMPLETED, Terminal.ABANDONED):
        return _end(flow, session)
    if isinstance(session.pending, PendingConfirmation):
        lead = _lead(flow, session, told, spoken) if told else ""
        question = pending_question(flow, session, session.pending)
        return f"{lead}\n{question}" if lead and lead != question else question
    if not told:
        return say(flow, session) or asked_now(flow, session) or None
    if told[-1].event == "answer_given" and not spoken and events[0].event == "session_started":
        return say(flow, session) or asked_now(flow, session) or None  # nothing was missed: we have only just met
    return _by_last_event(flow, session, told[-1], spoken)


def _by_last_event(flow: Flow, session: Session, last: StateEvent, spoken: str) -> str | None:
    if last.event in ("rolled_back", "confirmation_declined", "input_refused", "event_refused"):
        return _refusal(flow, session, last)
    if last.event == "detail_shown":
        return _detail(session.data.get(str(last.payload["tool"])))
    if last.event == "slots_provided":
        return _after_slots(flow, session, last, spoken)
    if last.event == "answer_given":
        return _answer(flow, session, last, spoken)
    if last.payload.get("call_id") and last.source_state == last.target_state:
        return _after_tool(flow, session, last)
    return say(flow, session) or asked_now(flow, session) or None


def say(flow: Flow, session: Session) -> str:
    """The step's words on arrival, filled; empty if it has none, or if they tell of what its entry tool did not bring."""
    step = flow.step(session.state)
    template = in_lang(step.say, session.lang)
    if not template or (step.on_enter and _tells_of_nothing(flow, session, template, step.on_enter.tool)):
        return ""
    return fill(template, _scope(flow, session)).strip()


def _tells_of_nothing(flow: Flow, session: Session, template: str, tool: str) -> bool:
    return not has_entry_result(flow, session) and f"{{{flow.specs[tool].data_name}" in template


def asked_now(flow: Flow, session: Session) -> str:
    """The question for the first missing slot; empty if nothing is missing."""
    missing = missing_slots(flow, session)
    if not missing:
        return ""
    slot = flow.step(session.state).collects[missing[0]]
    template = in_lang(slot.ask, session.lang)
    if template:
        return fill(template, {**_shown(flow, session), "meta": session.meta})
    return fill(flow.sentence("ask_slot", session.lang), {"label": slot_label(flow, session, missing[0])})


def slot_label(flow: Flow, session: Session, name: str) -> str:
    """How a slot is called in front of the customer."""
    slot = flow.slots.get(name)
    return (in_lang(slot.label, session.lang) if slot else "") or name.replace("_", " ")


def choices(flow: Flow, session: Session) -> str:
    """The menu as a sentence: what a customer who is stuck may pick."""
    own = [item.label for item in menu_of(flow, session).items if item.name not in BUILT_IN_ACTIONS]
    human = flow.sentence("action.ask_human", session.lang)
    separator = "、" if session.lang == "zh" else "; "
    return fill(flow.sentence("choices", session.lang), {"labels": separator.join([*own, human])})


def _scope(flow: Flow, session: Session) -> Mapping[str, object]:
    return {**_shown(flow, session), "meta": session.meta, "ask": asked_now(flow, session)}


def _shown(flow: Flow, session: Session) -> Mapping[str, object]:
    """Session data as customers read it: a choice by its first synonym in their language, where it has one."""
    names = {
        name: _choice_name(slot, str(session.data[name]), session.lang)
        for name, slot in flow.slots.items()
        if slot.choices and name in session.data
    }
    return {**session.data, **names}


def _choice_name(slot: Slot, value: str, lang: Lang) -> str:
    return next((word for word in slot.choices.get(value, ()) if script_of(word) == lang and "..." not in word), value)


def _handoff(flow: Flow, session: Session, told: Sequence[StateEvent]) -> str:
    moved = next(
        (e for e in reversed(told) if e.target_state == Terminal.ESCALATED and e.source_state != e.target_state), None
    )
    if moved is None:
        return flow.sentence("with_human", session.lang)
    rule = str(moved.payload.get("rule", "")) if moved.event == ESCALATED else ""
    return flow.sentence(_RULE_SENTENCES.get(rule, "handoff"), session.lang)


def _end(flow: Flow, session: Session) -> str:
    return say(flow, session) or flow.sentence(
        "completed" if session.state == Terminal.COMPLETED else "farewell", session.lang
    )


def _lead(flow: Flow, session: Session, told: Sequence[StateEvent], spoken: str) -> str:
    """What stands before a pending question: the answer to what the customer wanted to know instead, or what was refused."""
    last = told[-1]
    if last.event == "confirmation_asked" and last.payload.get("asked", 1) != 1:
        return spoken.strip() or flow.sentence("confirm_again", session.lang)
    if last.event == "confirmation_asked" and len(told) > 1:
        last = told[-2]
    if last.event in ("input_refused", "event_refused"):
        return _refusal(flow, session, last)
    if last.event == "answer_given":
        return spoken.strip()
    if last.event == "slots_provided":
        return "\n".join([*_refused_lines(flow, session, last), *([spoken.strip()] if spoken.strip() else [])])
    if last.payload.get("origin") and last.source_state == last.target_state:
        return _after_tool(flow, session, last) or ""
    return ""


def pending_question(flow: Flow, session: Session, pending: PendingConfirmation) -> str:
    """The words that ask for the yes that is pending."""
    if pending.action == "leave":
        return flow.sentence("leave_question", session.lang)
    if pending.on_enter and (words := say(flow, session)):
        return words
    action = flow.step(session.state).action(pending.action)
    label = action_label(action, session.lang) if action else pending.action
    template = in_lang(action.ask if action else None, session.lang) or flow.sentence("confirm_question", session.lang)
    return fill(template, {**_scope(flow, session), **pending.parameters, "label": label})


def _refusal(flow: Flow, session: Session, last: StateEvent) -> str:
    again = next((key for mark, key in _WHY_ROLLED_BACK.items() if last.payload.get(mark)), "rephrase")
    key = {"rolled_back": again, "confirmation_declined": "declined", "event_refused": "too_often"}.get(
        last.event
    ) or str(last.payload["reason"])
    text = fill(flow.sentence(key, session.lang), {"limit": flow.limits.text_chars})
    return f"{text} {choices(flow, session)}" if last.event == "confirmation_declined" else text


def _after_slots(flow: Flow, session: Session, last: StateEvent, spoken: str) -> str:
    lines = _refused_lines(flow, session, last)
    question = asked_now(flow, session)
    if lines:
        return "\n".join([*lines, question] if question else lines)
    told = spoken.strip()
    if (
        told and question and not told.endswith(("?", "？"))
    ):  # an answer on the side; what is missing is still asked for
        return f"{told}\n{question}"
    return told or question or say(flow, session) or flow.sentence("noted", session.lang)


def _refused_lines(flow: Flow, session: Session, last: StateEvent) -> list[str]:
    refused = last.payload.get("refused")
    return [_refused(flow, session, name, why) for name, why in refused.items()] if isinstance(refused, dict) else []


def _refused(flow: Flow, session: Session, name: str, why: object) -> str:
    code, allowed = (str(why.get("code")), str(why.get("allowed"))) if isinstance(why, dict) else ("wrong_type", "")
    return fill(
        flow.sentence(f"refused.{code}", session.lang), {"label": slot_label(flow, session, name), "allowed": allowed}
    )


def _answer(flow: Flow, session: Session, last: StateEvent, spoken: str) -> str:
    action = flow.step(session.state).action(str(last.payload.get("action", "")))
    template = in_lang(action.reply, session.lang) if action else ""
    if template:
        values = last.payload.get("values")
        return fill(template, {**_scope(flow, session), **(values if isinstance(values, dict) else {})})
    return (
        spoken.strip()
        or f"{flow.sentence('not_understood', session.lang)} {asked_now(flow, session) or choices(flow, session)}"
    )


def _after_tool(flow: Flow, session: Session, last: StateEvent) -> str | None:
    """A tool answered and nothing moved."""
    status = ToolStatus(str(last.payload.get("status")))
    if status is not ToolStatus.OK:
        own = flow.texts.get(f"{last.payload.get('tool')}.{OUTCOME_OF[status]}")
        return fill(in_lang(own, session.lang), _scope(flow, session)) or flow.sentence("tool_trouble", session.lang)
    action = flow.step(session.state).action(str(last.payload.get("origin", "")))
    template = in_lang(action.reply, session.lang) if action else ""
    return fill(template, _scope(flow, session)) if template else say(flow, session) or None


def _detail(result: object) -> str:
    if isinstance(result, Mapping):
        return "\n".join(f"{key}: {value}" for key, value in result.items())
    return str(result)
