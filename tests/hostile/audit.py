"""The audit: reads a session's log from the first record and says what in it may not be. Shares no code with the machine.

Knows only `TRANSITION_MAP`, who may bring which event (written down here), and what the driver itself did (`Deeds`). Each finding
is a sentence. Called by the driver when all turns are done.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from maitred.examples.presales.flow import TRANSITION_MAP
from maitred.protocol.log import Message
from maitred.protocol.messages import AgentResponse, StateEvent, ToolCall, UserRequest

from .customers import CANCELS
from .detector import has_words, numbers_in

ENDED = ("completed", "abandoned")
KEPT = ("order_generation", "payment_guidance")
WHO_MAY_MOVE = {
    "info_complete": {"system"}, "analysis_done": {"system"}, "params_changed": {"system"},
    "accepted": {"model"}, "plan_reopened": {"model"}, "closed": {"model", "guard"},
    "params_confirmed": {"human"},
    "no_plan": {"tool"}, "quote_failed": {"tool"}, "order_created": {"tool"}, "order_failed": {"tool"},
    "order_cancelled": {"tool"}, "unpaid": {"tool"},
    "payment_complete": {"outside"}, "payment_overdue": {"timer"},
    "human_requested": {"model", "guard"}, "escalated_by_rule": {"system"}, "customer_left": {"guard"},
    "session_expired": {"timer"}, "human_resumed": {"human"},
}  # fmt: skip
WHO_MAY_NOTE = {
    "language_noted": {"system"}, "meta_noted": {"system"}, "decision_rejected": {"system"}, "rolled_back": {"system"},
    "slots_provided": {"model", "guard"}, "answer_given": {"model", "guard"}, "detail_shown": {"model"},
    "confirmation_asked": {"model", "guard", "system"}, "confirmation_declined": {"guard"},
    "tool_called": {"model", "human", "system"}, "tool_returned": {"tool"},
    "input_refused": {"guard"}, "reply_replaced": {"guard"}, "values_dropped": {"guard"}, "event_refused": {"guard"},
    "unexpected_event": {"outside"}, "message_passed_on": {"guard"},
}  # fmt: skip
NEEDS_YES = {
    "params_confirmed": "confirm_order",
    "order_cancelled": "cancel_order",
    "tool:cancel_order": "cancel_order",
}
BOUND = {
    "customer_id": "session_id", "lang": "lang", "plan": "recommend_plan.plan", "shown": "recommend_plan.plan",
    "quote_no": "make_quote.quote_no", "order_no": "create_order.order_no",
}  # fmt: skip
QUESTIONS = {
    "confirm_order": ("Shall I place the order? (yes / no)", "确认下单吗？（是 / 否）"),
    "cancel_order": ("? (yes / no)", " 吗？（是 / 否）"),
}
ASKED_ABOUT = {"confirm_order": "make_quote.total", "cancel_order": "create_order.order_no"}
ISSUED = ("order_no", "quote_no")


@dataclass
class Deeds:
    """What the driver did to one session: the only outside events, returns of humans and lapses of time that there are."""

    posted: Counter[str] = field(default_factory=Counter)
    resumed: int = 0
    time_jumped: bool = False


@dataclass
class Audit:
    """One session's log, replayed by hand. `findings`: what may not be; `numbers`: issued to this session by the shop's tools."""

    session_id: str
    deeds: Deeds
    yeses: frozenset[str]
    findings: list[str] = field(default_factory=list)
    numbers: set[str] = field(default_factory=set)
    orders: dict[str, str] = field(default_factory=dict)
    calls: list[ToolCall] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._n = 0
        self._state, self._left, self._seq, self._version = "info_collection", "", 0, 0
        self._data: dict[str, Any] = {}
        self._lang = ""
        self._asked: tuple[str, int] | None = None  # the action asked about, and the record that asked
        self._said: tuple[str, int] = ("", 0)  # the customer's last message, and its record
        self._shown = ""  # the reply before it
        self._read = ""  # the last reply
        self._agreed = False
        self._open: dict[str, ToolCall] = {}

    def read(self, log: Sequence[Message]) -> "Audit":
        """Go through the log."""
        unanswered: set[str] = set()
        for self._n, message in enumerate(log, start=1):
            if message.session_id != self.session_id:
                self._find(f"belongs to {message.session_id}")
            match message:
                case UserRequest():
                    self._said, self._shown = (message.text, self._n), self._read
                    unanswered.add(message.message_id)
                case AgentResponse():
                    unanswered.discard(message.reply_to)
                    self._reply(message)
                case ToolCall():
                    self._call(message)
                case StateEvent():
                    self._event(message)
        if unanswered:
            self._find(f"no reply to {sorted(unanswered)}")
        came = Counter(name for name in self.seen.elements() if name == "outside")
        if came["outside"] > self.deeds.posted.total():
            self._find(f"{came['outside']} outside events, {self.deeds.posted.total()} were posted")
        if self.seen["human_resumed"] > self.deeds.resumed:
            self._find(f"{self.seen['human_resumed']} returns from a human, {self.deeds.resumed} there were")
        return self

    def _find(self, what: str) -> None:
        self.findings.append(f"{self.session_id} record {self._n}: {what}")

    # --- what customers were shown -----------------------------------------------------------------------------------

    def _reply(self, reply: AgentResponse) -> None:
        self._read = reply.text
        if not has_words(reply.text):
            self._find(f"an empty reply: {reply.text!r}")
        if reply.state != self._state:
            self._find(f"the reply says {reply.state}, the log {self._state}")
        if strange := numbers_in(reply.text) - self.numbers:
            self._find(f"shows {strange}, which it does not hold: {reply.text!r}")

    # --- moves -------------------------------------------------------------------------------------------------------

    def _event(self, event: StateEvent) -> None:
        name, actor, source, target = event.event, event.actor.value, event.source_state, event.target_state
        self.seen[name] += 1
        self.seen[f"state:{target}"] += 1
        if actor == "outside":
            self.seen["outside"] += 1
        if (event.event_seq, source) != (self._seq + 1, self._state):
            self._find(f"{name} {event.event_seq} in {source} follows {self._seq} in {self._state}")
        moves = name not in WHO_MAY_NOTE
        allowed = (
            {"system"} if name == "session_started" else (WHO_MAY_MOVE if moves else WHO_MAY_NOTE).get(name, set())
        )
        if actor not in allowed:
            self._find(f"{name} by {actor}")
        if target != self._target(name, source):
            self._find(f"illegal move: {source} --{name}--> {target}")
        if event.state_version != self._version + moves:
            self._find(f"{name} has version {event.state_version} after {self._version}")
        if actor == "timer" and not self.deeds.time_jumped:
            self._find(f"{name} though no time passed")
        self._confirmed(name, event)
        self._apply(name, event)
        if target == "escalated" and source != "escalated":
            self._left = source
        self._seq, self._state, self._version = event.event_seq, target, event.state_version or 0

    def _target(self, name: str, source: str) -> str | None:
        """Where the map, the rows that every flow has, or staying lead."""
        if name == "session_started":
            return "info_collection" if self._seq == 0 or source in ENDED else None
        if name == "message_passed_on" and source != "escalated":
            return None
        if name in WHO_MAY_NOTE:
            return source
        for (state, event), target in TRANSITION_MAP.items():
            if (str(state), event) == (source, name):
                return str(target)
        if name == "human_resumed":
            return self._left if source == "escalated" else None
        if source == "escalated" or (source in ENDED and name != "escalated_by_rule"):
            return None
        built_in = {"human_requested": "escalated", "escalated_by_rule": "escalated", "session_expired": "abandoned"}
        return "abandoned" if name == "customer_left" and source not in KEPT else built_in.get(name)

    # --- confirmations -----------------------------------------------------------------------------------------------

    def _confirmed(self, name: str, event: StateEvent) -> None:
        action = NEEDS_YES.get(f"tool:{event.payload['tool']}" if name == "tool_called" else name)
        if name == "order_cancelled":  # its call was judged
            return
        if action and not self._said_yes_to(action):
            self._find(f"{name} without a yes to {action}: asked {self._asked}, said {self._said} to {self._shown!r}")
        if name == "params_confirmed":
            self._agreed = True
            quote = self._data["make_quote"]
            if other := [slot for slot in ("seats", "term_months", "contact") if self._data[slot] != quote[slot]]:
                self._find(f"agreed to a quote with another {other}")

    def _said_yes_to(self, action: str) -> bool:
        """Asked by code, shown at the end of the last reply with what it is about, and answered by a plain yes."""
        asked, (text, at) = self._asked, self._said
        read = self._shown.endswith(QUESTIONS[action]) and str(self._value(ASKED_ABOUT[action]) or "") in self._shown
        said = text in self.yeses or (action == "cancel_order" and text in CANCELS)
        return asked is not None and asked[0] == action and asked[1] < at and read and said

    def _apply(self, name: str, event: StateEvent) -> None:
        payload = event.payload
        if name == "session_started":
            self._data, self._lang, self._asked, self._agreed = {}, str(payload["lang"]), None, False
        elif name == "language_noted":
            self._lang = str(payload["lang"])
        elif name == "confirmation_asked":
            self._asked = (str(payload["action"]), self._n)
        elif name == "slots_provided" and isinstance(values := payload["values"], dict):
            self._data |= values
            self._asked = None if values else self._asked
        elif name not in WHO_MAY_NOTE or name in ("confirmation_declined", "tool_called"):
            self._asked = None
        if event.actor.value == "tool" and payload["status"] == "ok":
            self._data[str(payload.get("saves", payload["tool"]))] = payload["result"]
        if event.actor.value == "outside":
            self.numbers |= numbers_in(str(payload))  # the driver said it, not the model

    # --- tools -------------------------------------------------------------------------------------------------------

    def _call(self, call: ToolCall) -> None:
        if call.status.value != "pending":
            asked = self._open.pop(call.call_id, None)
            if asked is None or asked.tool != call.tool:
                self._find(f"an end of {call.tool} that nobody called")
            if call.status.value == "ok" and isinstance(call.result, dict):
                self._issued(call.tool, call.result)
            return
        self.calls.append(call)
        self._open[call.call_id] = call
        for name, value in call.arguments.items():
            if value != (own := self._own(call, name)):
                self._find(f"{call.tool}({name}={value!r}), the session's own is {own!r}")
        if call.tool == "create_order":
            if not self._agreed:
                self._find("an order that nobody agreed to")
            self._agreed = False  # one yes, one order

    def _own(self, call: ToolCall, name: str) -> Any:
        if name == "key":
            return call.key
        if BOUND.get(name) in ("session_id", "lang"):
            return self.session_id if name == "customer_id" else self._lang
        return self._value(BOUND.get(name, name))

    def _value(self, path: str) -> Any:
        value: Any = self._data
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def _issued(self, tool: str, result: dict[str, Any]) -> None:
        """Only what stands in the fields made for it: a number in the name of a company was not issued by anybody."""
        for name in ISSUED:
            self.numbers |= numbers_in(str(result.get(name, "")))
        if tool == "create_order":
            self.orders[str(result["order_no"])] = self._said[0]


def unlike(calls: Sequence[ToolCall], received: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """What the shop received that is not what the log says was sent, in order."""
    renamed = {"exclude": "shown", "prefer": "plan_wish"}
    methods = {"recommend_other": "recommend_plan", "check_payment": "claim_paid"}
    sent = [(methods.get(call.tool, call.tool), call.arguments) for call in calls]
    if [name for name, _ in sent] != [name for name, _ in received]:
        yield f"sent {[name for name, _ in sent]}, received {[name for name, _ in received]}"
        return
    for (name, given), (_, arguments) in zip(sent, received, strict=True):
        for parameter, value in arguments.items():
            if (wanted := given.get(renamed.get(parameter, parameter), "")) != value:
                yield f"{name} received {parameter}={value!r}; sent was {wanted!r}"
