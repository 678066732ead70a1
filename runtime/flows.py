"""Flows: which version of the flow a session is served under. One that is in the middle stays with the version it began with.

A session is pinned by its flow's fingerprint (of the structure, not of texts). A new session, and a new episode of one that has
ended, begin under the current version. If its version is not here, a declared migration brings it under the current one; else it
is asked for a human. Called by `turns.py` and `service.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..protocol.errors import FlowMismatch
from ..protocol.messages import UserRequest
from ..protocol.session import Session
from ..statemachine.flow import ENDED, Flow
from ..statemachine.migration import migration_of
from .occurrence import Cause, Occurrence
from .stand_in import StandIn


@dataclass(frozen=True, slots=True)
class Flows:
    """`older`: versions that are still served, none of them to new sessions."""

    current: Flow
    older: tuple[Flow, ...] = ()

    def __iter__(self) -> Iterator[Flow]:
        return iter((self.current, *self.older))

    def of(self, session: Session) -> Flow | None:
        """The version that the session belongs to; None if it is not here."""
        return next((flow for flow in self if flow.fingerprint == session.fingerprint), None)

    def serving(self, session: Session | None, cause: Cause) -> Flow:
        """The version to serve `cause` under, or what stands in for it.

        Raises FlowMismatch if the session is in the middle of another flow, or a human hands back what nobody here can serve.
        """
        if session is None or (session.state in ENDED and isinstance(cause, UserRequest)):
            return self.current
        flow = self.of(session)
        if flow or migration_of(self.current, session):
            return flow or self.current
        handed_back = isinstance(cause, Occurrence) and cause.kind == "resume"
        if session.flow != self.current.name or handed_back:
            here = ", ".join(f"{f.name!r} version {f.version!r} ({f.fingerprint[:8]})" for f in self)
            raise FlowMismatch(
                f"session {session.session_id!r} belongs to flow {session.flow!r} version {session.flow_version!r} "
                f"({session.fingerprint[:8]}); loaded is {here}"
            )
        return StandIn(self.current, session)
