"""Metrics: counts what the engine tells of its turns, and what the service tells of its requests, in Prometheus' text.

One listener (`Metrics.job`, a Watcher) over the engine's own events. A label's values are names that the flow or this code gives:
never a session, a customer's or a model's text; what a model made up is counted without its name. Under several workers each
writes to files of its own and a scrape of any of them adds these up (prometheus_client's multiprocess mode, on by its environment
variable).
"""

import os
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from ..protocol.errors import MaitredError
from ..protocol.messages import ToolCall, ToolStatus
from ..protocol.turn_events import Asked, Called, Decided, Moved, Planned, Replied, TurnEvent
from ..protocol.usage import Attempt

CONTENT_TYPE = CONTENT_TYPE_LATEST
FILES_ENV = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_TERMINALS = frozenset(("completed", "abandoned", "escalated"))
_GUARDS = frozenset(("guard", "code"))


def _known_codes(kind: type[MaitredError] = MaitredError) -> Iterable[str]:
    yield kind.code
    for below in kind.__subclasses__():
        yield from _known_codes(below)


class Metrics:
    """`flow`: name of the flow that is served. `frozen`: names of what is left alone just now."""

    def __init__(self, flow: str, frozen: Callable[[], frozenset[str]] = frozenset) -> None:
        self._flow, self._frozen = flow, frozen
        self._shown_frozen: frozenset[str] = frozenset()
        self._registry = CollectorRegistry()
        made: dict[str, Any] = {"registry": self._registry, "namespace": "maitred"}
        by_flow = ("flow",)
        self.jobs = Counter(
            "turns", "Messages and events that were served, by how that ended.", ("flow", "kind", "outcome"), **made
        )
        self.job_s = Histogram(
            "turn_seconds", "From a message's arrival to its reply.", ("flow", "kind"), buckets=_SECONDS, **made
        )
        self.running = Gauge(
            "turns_running", "Messages and events at work.", by_flow, multiprocess_mode="livesum", **made
        )
        self.waiting = Gauge(
            "turns_waiting", "Those that wait for the one before them.", by_flow, multiprocess_mode="livesum", **made
        )
        self.decisions = Counter("decisions", "Choices from the menu, by who chose.", ("flow", "by", "action"), **made)
        self.refused = Counter(
            "decisions_refused", "Choices that were not legal, or that could not be had.", ("flow", "by"), **made
        )
        self.decision_s = Histogram(
            "decision_seconds", "From the menu to the choice.", ("flow", "by"), buckets=_SECONDS, **made
        )
        self.calls = Counter("model_calls", "Calls of a model, by how each ended.", ("flow", "outcome"), **made)
        self.call_s = Histogram("model_call_seconds", "One call of a model.", by_flow, buckets=_SECONDS, **made)
        self.tokens = Counter("model_tokens", "Tokens, as the model's server counts them.", ("flow", "kind"), **made)
        self.ends = Counter("sessions_ended", "Sessions that came to an end, or to a human.", ("flow", "state"), **made)
        self.tools = Counter("tool_calls", "Calls of tools, by how each ended.", ("flow", "tool", "status"), **made)
        self.tool_s = Histogram("tool_call_seconds", "One call of a tool.", ("flow", "tool"), buckets=_SECONDS, **made)
        self.open = Gauge(
            "frozen",
            "1: left alone after a time-out, or waiting for a probe.",
            ("name",),
            multiprocess_mode="livemax",
            **made,
        )
        self.requests = Counter("http_requests", "Requests that were answered.", ("method", "route", "status"), **made)
        self.request_s = Histogram("http_request_seconds", "One request.", ("route",), buckets=_SECONDS, **made)
        self._codes = frozenset(_known_codes())
        if FILES_ENV not in os.environ:
            ProcessCollector(registry=self._registry)
            PlatformCollector(registry=self._registry)

    def job(self, kind: str) -> "_JobWatch":
        """Watcher of the engine: a job has come."""
        return _JobWatch(self, self._flow, kind)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request has its answer."""
        self.requests.labels(method, route, str(status)).inc()
        self.request_s.labels(route).observe(seconds)

    def code_of(self, error: BaseException) -> str:
        """A label for an error: its code, if it is one of ours."""
        return self.known(error.code) if isinstance(error, MaitredError) else "cancelled_or_foreign"

    def known(self, code: str) -> str:
        """The code if it is one of ours: who writes a decider may call its endings what he likes."""
        return code if code == "ok" or code in self._codes else "other"

    def note_frozen(self) -> None:
        """Freezing begins and ends with a call, so looking behind each job is enough."""
        now = self._frozen()
        if now != self._shown_frozen:
            for name in now | self._shown_frozen:
                self.open.labels(name).set(name in now)
            self._shown_frozen = now

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        if FILES_ENV not in os.environ:
            return generate_latest(self._registry)
        every = CollectorRegistry()
        MultiProcessCollector(every)  # type: ignore[no-untyped-call]
        return generate_latest(every)


class _JobWatch:
    """One job. It waits until the first event of a turn, then runs."""

    __slots__ = ("_began", "_called_at", "_ends", "_flow", "_kind", "_metrics", "_outcome", "_planned_at", "_waits")

    def __init__(self, metrics: Metrics, flow: str, kind: str) -> None:
        self._metrics, self._flow, self._kind = metrics, flow, kind
        self._began = perf_counter()
        self._planned_at = self._called_at = self._began
        self._ends: list[str] = []
        self._outcome = "silent"
        self._waits = True
        metrics.running.labels(flow).inc()
        metrics.waiting.labels(flow).inc()

    def event(self, event: TurnEvent) -> None:
        self._no_more_waiting()
        if isinstance(event, Moved):
            self._moved(event)
        elif isinstance(event, Planned):
            self._planned_at = perf_counter()
        elif isinstance(event, Decided):
            self._decided(event)
        elif isinstance(event, Asked):
            for attempt in event.attempts:
                self._asked(attempt)
        elif isinstance(event, Called):
            self._called(event.call)
        elif isinstance(event, Replied):
            self._outcome = "replayed" if event.replayed else "replied"

    def ended(self, error: BaseException | None) -> None:
        self._no_more_waiting()
        metrics = self._metrics
        outcome = metrics.code_of(error) if error else self._outcome
        metrics.running.labels(self._flow).dec()
        metrics.jobs.labels(self._flow, self._kind, outcome).inc()
        metrics.job_s.labels(self._flow, self._kind).observe(perf_counter() - self._began)
        if not error:
            for state in self._ends:
                metrics.ends.labels(self._flow, state).inc()
        metrics.note_frozen()

    def _no_more_waiting(self) -> None:
        if self._waits:
            self._waits = False
            self._metrics.waiting.labels(self._flow).dec()

    def _moved(self, moved: Moved) -> None:
        """Counted when the job ends: until then a roll-back may take it back."""
        event = moved.event
        if event.event == "rolled_back":
            self._ends.clear()
        elif event.target_state in _TERMINALS and event.source_state != event.target_state:
            self._ends.append(event.target_state)

    def _decided(self, decided: Decided) -> None:
        by = decided.by if decided.by in _GUARDS else "decider"
        self._metrics.decision_s.labels(self._flow, by).observe(perf_counter() - self._planned_at)
        if decided.problem is None:
            self._metrics.decisions.labels(self._flow, by, decided.decision.action).inc()
        else:
            self._metrics.refused.labels(self._flow, by).inc()

    def _asked(self, attempt: Attempt) -> None:
        metrics, flow = self._metrics, self._flow
        metrics.calls.labels(flow, metrics.known(attempt.outcome)).inc()
        metrics.call_s.labels(flow).observe(max(0.0, attempt.latency_s))
        if usage := attempt.usage:
            for kind in ("prompt", "cached", "completion"):
                metrics.tokens.labels(flow, kind).inc(max(0, getattr(usage, kind)))

    def _called(self, call: ToolCall) -> None:
        if call.status is ToolStatus.PENDING:
            self._called_at = perf_counter()
            return
        self._metrics.tools.labels(self._flow, call.tool, call.status.value).inc()
        self._metrics.tool_s.labels(self._flow, call.tool).observe(perf_counter() - self._called_at)
