"""The menu: what a session may do now, and which slots it still wants. Computed from flow and snapshot alone."""

from ..protocol.menu import Menu, MenuItem
from ..protocol.session import PendingCall, Session
from ..protocol.texts import Lang, in_lang
from .flow import TERMINALS, Flow
from .parts import Action, Step


def menu_of(flow: Flow, session: Session) -> Menu:
    """Own actions of the step, then the built-in ones. Empty at the ends and while a tool call is pending."""
    if session.state in TERMINALS or isinstance(session.pending, PendingCall):
        return Menu(session.state, ())
    has_result = session.last_tool is not None and session.last_tool[0] in session.data
    key = (session.state, session.lang, has_result, session.agreed, has_entry_result(flow, session))
    if key not in flow.menus:
        flow.menus[key] = _make(flow, *key)
    return flow.menus[key]


def has_entry_result(flow: Flow, session: Session) -> bool:
    """Whether the step's entry tool, if there is one, brought something: only then is there anything to agree to."""
    on_enter = flow.step(session.state).on_enter
    return on_enter is None or flow.specs[on_enter.tool].data_name in session.data


def _make(flow: Flow, state: str, lang: Lang, has_result: bool, agreed: bool, entered: bool) -> Menu:
    step = flow.step(state)
    hidden = None if entered else step.confirms
    own = tuple(_item(a, lang) for a in step.actions if a.name != hidden and _has_row(flow, state, a))
    return Menu(state, own + _built_in(flow, step, state, lang, has_result, agreed))


def allowed_actions(flow: Flow, session: Session) -> tuple[str, ...]:
    """Names only."""
    return menu_of(flow, session).names


def missing_slots(flow: Flow, session: Session) -> tuple[str, ...]:
    """Required slots of the current step without a value, in the order of the flow: the first is the one to ask for."""
    collects = flow.step(session.state).collects
    return tuple(name for name, slot in collects.items() if slot.required and session.data.get(name) is None)


def _has_row(flow: Flow, state: str, action: Action) -> bool:
    return action.event is None or (state, action.event) in flow.rows


def _item(action: Action, lang: Lang) -> MenuItem:
    return MenuItem(action.name, action_label(action, lang), action.parameters, {}, action.phrases)


def action_label(action: Action, lang: Lang) -> str:
    """The action's label, or its name in plain words."""
    return in_lang(action.label, lang) or action.name.replace("_", " ")


def _built_in(flow: Flow, step: Step, state: str, lang: Lang, has_result: bool, agreed: bool) -> tuple[MenuItem, ...]:
    def item(name: str) -> MenuItem:
        return MenuItem(name, flow.sentence(f"action.{name}", lang))

    items = []
    others = {} if agreed else {name: slot for name, slot in flow.slots.items() if name not in step.collects}
    if (step.collects or others) and "provide" not in step.without:
        items.append(MenuItem("provide", flow.sentence("action.provide", lang), step.collects, others))
    items.append(item("answer"))
    items.append(item("ask_human"))
    if state not in flow.no_leave:
        items.append(item("leave"))
    if has_result:
        items.append(item("show_detail"))
    return tuple(i for i in items if i.name not in step.without)
