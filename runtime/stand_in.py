"""StandIn: what serves a session whose version of the flow is not here. It has the rows that every flow has, and nothing else.

So what happens to the session (it goes to a human, an open call ends as unknown, money is put on record) is legal under its own
version, too: loaded again, that goes on where the session was. Called by `flows.py`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ..protocol.errors import InternalError
from ..protocol.ports import CallContext
from ..protocol.session import PendingCall, Session
from ..protocol.tool_spec import ToolSpec
from ..statemachine.flow import TERMINALS, Flow


class StandIn(Flow):
    """For `session`; texts and limits are those of `current`."""

    def __init__(self, current: Flow, session: Session) -> None:
        open_places = [place for place in (session.state, session.resume_to) if place and place not in TERMINALS]
        places = open_places or [current.initial]  # of one that has ended no place is asked for
        call = session.pending if isinstance(session.pending, PendingCall) else None
        super().__init__(
            name=session.flow,
            version=session.flow_version,
            states=dict.fromkeys(places),
            initial=places[0],
            transitions={},
            tools=[_GoneTool(ToolSpec(call.tool, "non_idempotent"))] if call else [],
            outside=current.outside.values(),
            limits=current.limits,
            texts=current.texts,
            own_words=current.own_words,
        )
        self._print = session.fingerprint

    @property
    def fingerprint(self) -> str:  # the session's, not that of these few rows
        return self._print

    def _refuse_errors(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class _GoneTool:
    """The tool of an open call. Nobody runs it: the call ends as unknown."""

    spec: ToolSpec
    lookup: Callable[[str], Awaitable[JsonValue]] | None = None

    async def call(self, arguments: Mapping[str, JsonValue], context: CallContext) -> JsonValue:
        raise InternalError(f"tool {self.spec.name!r} belongs to a version that is not here")
