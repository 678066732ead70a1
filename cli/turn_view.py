"""One turn as people and programs see it: user, menu, decision, moves, reply. Collects TurnEvents; draws a table row."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..protocol.messages import AgentResponse, StateEvent, ToolCall, ToolStatus
from ..protocol.one_line import fields_line
from ..protocol.turn_events import Asked, Called, Decided, Moved, Planned, Replied, TurnEvent
from ..protocol.usage import Attempt, Total

WIDE = 150
MOST_SHOWN = 1000
_COLUMNS = (("user", 3), ("menu", 3), ("decision", 3), ("move", 4), ("reply", 5))
_MODEL = ("model", 2)


@dataclass
class TurnView:
    """What happened in one turn. `user` is empty for an outside event."""

    user: str
    menu: tuple[str, ...] = ()
    decisions: list[Decided] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    moves: list[StateEvent] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    response: AgentResponse | None = None
    replayed: bool = False

    def take(self, event: TurnEvent) -> None:
        """Add one TurnEvent."""
        if isinstance(event, Planned):
            self.menu = event.menu.names
        elif isinstance(event, Asked):
            self.asked.append(event)
        elif isinstance(event, Decided):
            self.decisions.append(event)
        elif isinstance(event, Moved):
            self.moves.append(event.event)
        elif isinstance(event, Called):
            self.calls += [event.call] if event.call.status is not ToolStatus.PENDING else []
        elif isinstance(event, Replied):
            self.response, self.replayed = event.response, event.replayed

    @property
    def attempts(self) -> list[Attempt]:
        """Every call of a model in the turn."""
        return [attempt for asked in self.asked for attempt in asked.attempts]

    def as_json(self) -> dict[str, Any]:
        """For programs. `model` is there if one was asked."""
        model = [
            {
                "by": asked.by,
                "problem": asked.problem,
                "attempts": [
                    {
                        "outcome": attempt.outcome,
                        "seconds": round(attempt.latency_s, 3),
                        "prompt_tokens": attempt.usage.prompt if attempt.usage else None,
                        "cached_tokens": attempt.usage.cached if attempt.usage else None,
                        "completion_tokens": attempt.usage.completion if attempt.usage else None,
                    }
                    for attempt in asked.attempts
                ],
            }
            for asked in self.asked
        ]
        return {
            "user": self.user,
            "menu": list(self.menu),
            "decisions": [{"by": d.by, **d.decision.model_dump(), "problem": d.problem} for d in self.decisions],
            "moves": [
                {
                    "event": e.event,
                    "from": e.source_state,
                    "to": e.target_state,
                    "actor": e.actor.value,
                    "reason": e.reason,
                }
                for e in self.moves
            ],
            "tools": [{"tool": c.tool, "status": c.status.value} for c in self.calls],
            **({"model": model} if model else {}),
            "reply": self.response.text if self.response else None,
            "state": self.response.state if self.response else None,
        }

    def cost_line(self) -> str:
        """Tokens and time of the turn's model calls; empty if there were none."""
        return cost_line(self.attempts) if self.asked else ""

    def decision_lines(self) -> str:
        lines = [f"{asked.by}: no decision: {asked.problem}" for asked in self.asked if self._only_failed(asked)]
        for decided in self.decisions:
            values = fields_line(
                decided.decision.parameters, MOST_SHOWN
            )  # in JSON: a value may hold control characters
            lines.append(f"{decided.by}: {decided.decision.action}{f'({values})' if values else ''}")
            lines += [f"  refused: {decided.problem}"] if decided.problem else []
        return "\n".join(lines)

    def _only_failed(self, asked: Asked) -> bool:
        """Whether nothing came that could be shown as a refused decision."""
        return bool(asked.problem) and all(decided.problem != asked.problem for decided in self.decisions)

    def move_lines(self) -> str:
        """State changes, with the event that made each; tools with their outcome; other events by name."""
        lines = []
        for event in self.moves:
            if event.event in ("session_started", "tool_called"):
                continue
            if event.payload.get("call_id"):
                error = f" ({event.payload['error']})" if event.payload.get("error") else ""
                again = " (same as just now)" if event.payload.get("reused") else ""
                lines.append(f"tool {event.payload['tool']}: {event.payload['status']}{error}{again}")
            if event.source_state != event.target_state:
                lines.append(f"{event.source_state} → {event.target_state} ({event.event})")
            elif not event.payload.get("call_id"):
                lines.append(event.event)
        return "\n".join(lines)


def cost_line(attempts: Iterable[Attempt]) -> str:
    """Calls, tokens in (from the server's cache), tokens out, seconds: "2 calls, 524 in (190 cached), 40 out, 1.2 s"."""
    total = Total.of(attempts)
    told = f"{total.usage.prompt} in ({total.usage.cached} cached), {total.usage.completion} out"
    used = told if total.uncounted < total.calls else "tokens not told"
    calls = f"{total.calls} calls, " if total.calls != 1 else ""
    return f"{calls}{used}, {total.latency_s:.1f} s"


async def watch(user: str, events: AsyncIterator[TurnEvent]) -> TurnView:
    """Run a turn to its end and keep what happened."""
    view = TurnView(user)
    async for event in events:
        view.take(event)
    return view


def wide_console() -> Console:
    """A console for tables: the terminal's width, or a wide fixed one where there is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDE)


def header(console: Console, *, model: bool = False) -> None:
    """The head of the table of turns; with a model, what it cost has a column."""
    console.print(_table(console, heads=True, model=model))


def row(console: Console, view: TurnView, *, model: bool = False) -> None:
    """One line of it, printed at once so that a conversation is seen as it goes."""
    table = _table(console, heads=False, model=model)
    reply = view.response.text if view.response else ""
    cells = [view.user, " ".join(view.menu), view.decision_lines(), view.move_lines(), reply]
    table.add_row(*(Text(cell) for cell in ([*cells, view.cost_line()] if model else cells)))
    console.print(table)


def _table(console: Console, *, heads: bool, model: bool) -> Table:
    columns = (*_COLUMNS, _MODEL) if model else _COLUMNS
    shares = sum(share for _, share in columns)
    room = console.width - 2 * len(columns) - 2
    table = Table(box=box.HORIZONTALS if heads else box.SIMPLE, show_header=heads, show_edge=False, padding=(0, 1))
    for name, share in columns:
        table.add_column(name, width=max(8, room * share // shares), overflow="fold")
    return table
