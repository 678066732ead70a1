"""Flows: which version of the flow a session is served under. One that is in the middle stays with the version it began with.

A session is pinned by its flow's fingerprint (of the structure, not of texts). A new session, and a new episode of one that has
ended, begin under the current version. Called by `turns.py` and `service.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..protocol.errors import FlowMismatch
from ..protocol.messages import UserRequest
from ..protocol.session import Session
from ..statemachine.flow import ENDED, Flow
from .occurrence import Cause


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
        """The version to serve `cause` under. Raises FlowMismatch if the session is in the middle of one that is not here."""
        if session is None or (session.state in ENDED and isinstance(cause, UserRequest)):
            return self.current
        flow = self.of(session)
        if flow is None:
            here = ", ".join(f"{f.name!r} version {f.version!r} ({f.fingerprint[:8]})" for f in self)
            raise FlowMismatch(
                f"session {session.session_id!r} belongs to flow {session.flow!r} version {session.flow_version!r} "
                f"({session.fingerprint[:8]}); loaded is {here}"
            )
        return flow
