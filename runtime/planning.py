"""Planning: what guards and deciders are shown, made from flow and session. Values only; asking is the turn's work."""

import logging
from collections.abc import Mapping
from copy import deepcopy
from datetime import date

from ..fallback.guards import GuardView
from ..fallback.guards.turn_cap import too_many_turns
from ..protocol.decision import DecisionRequest, Exchange
from ..protocol.messages import UserRequest
from ..protocol.session import PendingConfirmation, Session
from ..protocol.slots import Scalar
from ..protocol.texts import all_langs, in_lang
from ..statemachine.flow import Flow
from ..statemachine.menu import menu_of, missing_slots
from ..statemachine.reading.coverage import is_nothing_else
from ..statemachine.reading.message import prepare
from ..statemachine.reading.names import EDGES
from ..statemachine.reading.readers import read_slots
from ..statemachine.reading.relative import is_relative
from ..statemachine.words import pending_question
from .hearing import sets_right

logger = logging.getLogger("maitred.planning")


def read_text(flow: Flow, session: Session, text: str, today: date) -> Mapping[str, Scalar]:
    """What code finds in the text: slots of this step and others, parameters of the menu's actions."""
    slots = {name: slot for item in menu_of(flow, session).items for name, slot in item.parameters.items()}
    missing = missing_slots(flow, session)
    found = read_slots({**flow.slots, **slots}, text, asked=missing, today=today)
    if not found and not missing:
        return _bare_number(flow, session, text, today)
    return {name: value for name, value in found.items() if not _is_to_reckon_with(flow, session, name, value, text)}


def _is_to_reckon_with(flow: Flow, session: Session, name: str, value: Scalar, text: str) -> bool:
    slot = flow.slots.get(name)
    return slot is not None and slot.read == "number" and name in session.data and is_relative(text, value)


def _bare_number(flow: Flow, session: Session, text: str, today: date) -> Mapping[str, Scalar]:
    """A number and nothing else ("make it 5") where only a yes is asked for: it corrects the one number that there is, if it is
    one. What it is called need not be said again."""
    provide = menu_of(flow, session).get("provide")
    if provide is None or not (confirming(session) or flow.step(session.state).confirms):
        return {}
    slots = {**provide.also, **provide.parameters}
    numbers = [name for name, slot in slots.items() if slot.read == "number" and session.data.get(name) is not None]
    if len(numbers) != 1:
        return {}
    found = read_slots({numbers[0]: slots[numbers[0]]}, text, asked=numbers[0], today=today)
    return found if found and is_nothing_else(text, slots, found, corrects=True) else {}


def guard_view(
    flow: Flow,
    session: Session,
    base: Session,
    request: UserRequest,
    found: Mapping[str, Scalar],
    history: tuple[Exchange, ...],
) -> GuardView:
    """What the guards may know. `base`: the session before this turn."""
    pending = session.pending
    read = history[: len(history) - len(missed_words(request, history))]
    asked = read[-1].reply if read else ""
    return GuardView(
        text=request.text,
        asked=asked,
        attachments=len(request.attachments),
        outdated=request.state_version not in (None, base.state_version),
        text_chars=flow.limits.text_chars,
        confirming=pending.asked if isinstance(pending, PendingConfirmation) else 0,
        unread=is_unread(flow, session, base, request, history),
        confirms=_names_of_pending(flow, session),
        confirms_action=confirming(session),
        brings_values=any(session.data.get(name) != value for name, value in found.items()),
        answers_choice=_names_choice_asked(flow, session, found)
        or _corrects_choice(flow, session, found, request.text, asked),
        can_leave=session.state not in flow.no_leave,
        on_close=flow.step(session.state).on_close,
        over_turn_cap=base.episode == session.episode and too_many_turns(base, flow.limits),
        greeting=in_lang(flow.greeting, session.lang),
        own_words=flow.own_words,
    )


def is_unread(flow: Flow, session: Session, base: Session, request: UserRequest, history: tuple[Exchange, ...]) -> bool:
    """Whether the customer has not read the question that is pending: it was asked in this very turn, with which a new episode or
    another version of the flow began; or it came unprompted, and not in words, or on a channel that shows none such."""
    pending = session.pending
    if pending != base.pending or session.fingerprint != base.fingerprint:
        return True
    if not isinstance(pending, PendingConfirmation) or not pending.unprompted:
        return False
    said = _unprompted_words(history)
    return request.answers_only or not said or pending_question(flow, session, pending) not in said[-1].reply


def missed_words(request: UserRequest, history: tuple[Exchange, ...]) -> tuple[str, ...]:
    """What was said since the last answer to a message and could not be shown, for the channel shows answers only."""
    return tuple(each.reply for each in _unprompted_words(history)) if request.answers_only else ()


def _unprompted_words(history: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """What was said since the last answer to a message: it has the number of the turn before."""
    answers = [i for i, each in enumerate(history) if each.user or not i or each.turn != history[i - 1].turn]
    return history[answers[-1] + 1 :] if answers else ()


def confirming(session: Session) -> str:
    """The action whose confirmation is asked; empty if none is."""
    return session.pending.action if isinstance(session.pending, PendingConfirmation) else ""


def _names_of_pending(flow: Flow, session: Session) -> tuple[str, ...]:
    """How the action whose confirmation is pending may be called."""
    action = flow.step(session.state).action(confirming(session))
    return (*all_langs(action.label), *action.phrases) if action else ()


def _names_choice_asked(flow: Flow, session: Session, found: Mapping[str, Scalar]) -> bool:
    """Whether the text names one of the choices of the slot that was asked for."""
    missing = missing_slots(flow, session)
    return bool(missing) and missing[0] in found and bool(flow.step(session.state).collects[missing[0]].choices)


def _corrects_choice(flow: Flow, session: Session, found: Mapping[str, Scalar], text: str, reply: str) -> bool:
    """Whether the text says that something is wrong and names, in a clause of its own, another choice than the one that the
    reply just rested on ("suits sales calls": "that is wrong, customer service")."""
    item = menu_of(flow, session).get("provide")
    if item is None or not sets_right(text):
        return False
    slots = {name: slot for name, slot in {**item.also, **item.parameters}.items() if slot.choices and name in found}
    return any(
        session.data.get(name) not in (None, found[name])
        and _is_clause(slot.choices[str(found[name])], text)
        and read_slots({name: slot}, reply, today=date.min).get(name) == session.data[name]
        for name, slot in slots.items()
    )


def _is_clause(words: tuple[str, ...], text: str) -> bool:
    message = prepare(text)
    return any(message.lower[start:end].strip(EDGES) in words for start, end in message.clauses)


def decision_request(
    flow: Flow,
    session: Session,
    text: str,
    *,
    found: Mapping[str, Scalar],
    history: tuple[Exchange, ...],
    last_error: str | None = None,
    moved: bool = False,
) -> DecisionRequest:
    """The question for the decider."""
    return DecisionRequest(
        session_id=session.session_id,
        lang=session.lang,
        menu=menu_of(flow, session),
        text=text,
        identity=in_lang(flow.identity, session.lang),
        instruction=in_lang(flow.step(session.state).instruction, session.lang),
        data=deepcopy(session.data),  # a decider is somebody else's code: what it does to these must stay there
        meta=deepcopy(session.meta),
        found=found,
        missing=missing_slots(flow, session),
        knowledge=_knowledge(flow, session, text),
        history=history,
        last_error=last_error,
        moved=moved,
        last_tool=session.last_tool[0] if session.last_tool else None,
        confirming=confirming(session),
    )


def _knowledge(flow: Flow, session: Session, text: str) -> tuple[str, ...]:
    """What the flow's own function knows about the text; if it fails, nothing."""
    if flow.knowledge is None or not text:
        return ()
    try:
        return tuple(flow.knowledge(text, session.lang))
    except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit):
        logger.exception("the knowledge function of flow %s failed", flow.name)
        return ()
