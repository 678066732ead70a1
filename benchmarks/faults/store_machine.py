"""Store machine: any sequence of steps that hypothesis can think of, on a store and on the plain dict of `store_model.py`.

Workers keep every lease that they were ever given and use it again whenever they like, on two sessions and few message ids, while
the lease clock moves. After each step outcome, snapshot and log must be the model's. Needs hypothesis, of the extra `faults`.
"""

import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from ...protocol.errors import Fenced
from ...protocol.log import chain
from ...protocol.messages import Actor, AgentResponse, StateEvent, UserRequest
from ...protocol.ports import Append, Begun, Lease, Stage
from ...protocol.session import Session
from .child import Tell, in_child
from .experiment import Progress, Tally, rounds
from .mutant import Mutant
from .site import Site
from .store_model import StoreModel, without_history
from .stores import Kind, Opening

_LEASE_S = 15.0
_STEPS = 40
"""Of one example at most."""
_EXAMPLES_AT_ONCE = 50
_NOW = datetime(2026, 11, 30, tzinfo=UTC)
_SESSIONS, _REQUESTS, _CONTENTS = ("s1", "s2"), ("m1", "m2", "m3"), ("one", "two")


class Differs(Exception):
    """A store did not do what the model says."""


class StoreMachine(RuleBasedStateMachine):
    """A store beside the model; `kind` and `mutant` are set by a subclass."""

    kind: Kind
    mutant: Mutant

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="maitred-faults-")
        self._serving = self.kind.serving(Path(self._folder.name), Opening(durable=False))
        self._serving.__enter__()
        self._run = asyncio.Runner().run
        self._now = _NOW.timestamp()
        site = Site(Path(self._folder.name), self.kind, self.mutant)
        self._store = site.open(opening=Opening(lease_s=_LEASE_S, clock=lambda: self._now, durable=False)).store
        self._model = StoreModel(_LEASE_S)
        self._leases: list[Lease] = []

    @rule(
        session=st.sampled_from(_SESSIONS),
        request=st.sampled_from(_REQUESTS),
        content=st.sampled_from(_CONTENTS[:1] * 4 + _CONTENTS),
    )
    def begin(self, session: str, request: str, content: str) -> None:
        body = content.encode()
        outcome = without_history(self._run(self._store.begin(session, request, content, body)))
        expected = self._model.begin(session, request, content, body, self._now)
        self._same("begin", outcome, expected)
        if isinstance(expected, Begun):
            self._leases.append(expected.lease)

    @precondition(lambda self: self._leases)
    @rule(data=st.data(), final=st.booleans(), stale=st.sampled_from((0, 0, 0, 1)), stage=st.sampled_from(Stage))
    def append(self, data: st.DataObject, final: bool, stale: int, stage: Stage) -> None:
        write = self._write(self._any_lease(data), final, stale, stage)
        try:
            self._run(self._store.append(write))
            taken = True
        except Fenced:
            taken = False
        self._same("append", taken, self._model.append(write, self._now))

    @precondition(lambda self: self._leases)
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        lease = self._any_lease(data)
        try:
            self._run(self._store.renew(lease))
            taken = True
        except Fenced:
            taken = False
        self._same("renew", taken, self._model.renew(lease, self._now))

    @precondition(lambda self: self._leases)
    @rule(data=st.data(), untried=st.booleans())
    def release(self, data: st.DataObject, untried: bool) -> None:
        lease = self._any_lease(data)
        self._run(self._store.release(lease, untried=untried))
        self._model.release(lease, untried=untried)
        self._same("release", None, None)

    @rule(seconds=st.sampled_from((1.0, 7.0, _LEASE_S)))
    def time_passes(self, seconds: float) -> None:
        self._now += seconds

    def _any_lease(self, data: st.DataObject) -> Lease:
        """Mostly the latest, but any that was ever given."""
        latest = data.draw(st.sampled_from((True, True, False)))
        return self._leases[-1] if latest else data.draw(st.sampled_from(self._leases))

    def _write(self, lease: Lease, final: bool, stale: int, stage: Stage) -> Append:
        held = self._model.held[lease.session_id]
        base = held.session or Session(
            session_id=lease.session_id, flow="f", flow_version="1", fingerprint="ff", state="open"
        )
        seq = base.event_seq + 1
        name, request = lease.session_id, lease.request_id
        heard = UserRequest(session_id=name, timestamp=_NOW, message_id=request, text="hello")
        event = StateEvent(
            session_id=name, timestamp=_NOW, message_id=f"e{seq}", event="waved", event_seq=seq, source_state="open",
            target_state="open", actor=Actor.MODEL, turn=1,
        )  # fmt: skip
        reply = AgentResponse(
            session_id=name, timestamp=_NOW, message_id=f"r{seq}", reply_to=request, text="yes?", state="open"
        )
        records, head = chain([heard, event, *([reply] if final else [])], base.records, base.head)
        session = base.model_copy(
            update={"event_seq": seq, "records": base.records + len(records), "head": head, "updated_at": _NOW}
        )
        return Append(
            lease=lease, after_event_seq=base.event_seq + stale, session=session, records=records, stage=stage,
            final=final, reply_record=session.records if final else None,
        )  # fmt: skip

    def _same(self, step: str, found: object, expected: object) -> None:
        if found != expected:
            raise Differs(f"{step}: {found}, not {expected}")
        for name in _SESSIONS:
            held = self._model.held.get(name)
            stored = (self._run(self._store.load(name)), self._run(self._store.log(name)))
            if stored != ((held.session, held.log) if held else (None, ())):
                raise Differs(f"{step} left another session or log {name!r} than the model has")

    def teardown(self) -> None:
        self._run(self._store.close())
        self._serving.__exit__(None, None, None)
        self._folder.cleanup()


def store_steps(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """A fault is an example, of up to 40 steps."""

    def one(site: Site, tally: Tally, left: int) -> None:
        examples, number = min(_EXAMPLES_AT_ONCE, left), rng.randrange(2**32)
        tally.violations += in_child(lambda tell: _explore(kind, mutant, examples, number, tell))
        tally.done += examples

    return rounds(kind, mutant, n, progress, one)


async def _explore(kind: Kind, mutant: Mutant, examples: int, number: int, tell: Tell) -> None:
    """Tells the first difference."""
    machine = seed(number)(type("Machine", (StoreMachine,), {"kind": kind, "mutant": mutant}))
    how = settings(
        max_examples=examples,
        stateful_step_count=_STEPS,
        deadline=None,
        database=None,
        print_blob=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(_judge, machine, how, tell)  # it has a loop of its own


def _judge(machine: type[StoreMachine], how: settings, tell: Tell) -> None:
    try:
        run_state_machine_as_test(machine, settings=how)
    except Exception as error:  # noqa: BLE001  # a store may also fail by raising what it should not
        tell(f"{type(error).__name__}: {error}")
