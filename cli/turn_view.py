"""One turn as people and programs see it: user, menu, decision, moves, reply. Collects TurnEvents; draws a table row."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..protocol.messages import AgentResponse, StateEvent, ToolCall, ToolStatus
from ..protocol.turn_events import Called, Decided, Moved, Planned, Replied, TurnEvent

WIDE = 150
_COLUMNS = (("user", 3), ("menu", 3), ("decision", 3), ("move", 4), ("reply", 5))


@dataclass
class TurnView:
    """What happened in one turn. `user` is empty for an outside event."""

    user: str
    menu: tuple[str, ...] = ()
    decisions: list[Decided] = field(default_factory=list)
    moves: list[StateEvent] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    response: AgentResponse | None = None
    replayed: bool = False

    def take(self, event: TurnEvent) -> None:
        """Add one TurnEvent."""
        if isinstance(event, Planned):
            self.menu = event.menu.names
        elif isinstance(event, Decided):
            self.decisions.append(event)
        elif isinstance(event, Moved):
            self.moves.append(event.event)
        elif isinstance(event, Called):
            self.calls += [event.call] if event.call.status is not ToolStatus.PENDING else []
        elif isinstance(event, Replied):
            self.response, self.replayed = event.response, event.replayed

    def as_json(self) -> dict[str, Any]:
        """For programs."""
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
            "reply": self.response.text if self.response else None,
            "state": self.response.state if self.response else None,
        }

    def decision_lines(self) -> str:
        lines = []
        for decided in self.decisions:
            values = ", ".join(f"{k}={v}" for k, v in decided.decision.parameters.items())
            lines.append(f"{decided.by}: {decided.decision.action}{f'({values})' if values else ''}")
            lines += [f"  refused: {decided.problem}"] if decided.problem else []
        return "\n".join(lines)

    def move_lines(self) -> str:
        """State changes, with the event that made each; tools with their outcome; other events by name."""
        lines = []
        for event in self.moves:
            if event.event in ("session_started", "tool_called"):
                continue
            if event.payload.get("call_id"):
                error = f" ({event.payload['error']})" if event.payload.get("error") else ""
                lines.append(f"tool {event.payload['tool']}: {event.payload['status']}{error}")
            if event.source_state != event.target_state:
                lines.append(f"{event.source_state} → {event.target_state} ({event.event})")
            elif not event.payload.get("call_id"):
                lines.append(event.event)
        return "\n".join(lines)


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


def header(console: Console) -> None:
    """The head of the table of turns."""
    console.print(_table(console, heads=True))


def row(console: Console, view: TurnView) -> None:
    """One line of it, printed at once so that a conversation is seen as it goes."""
    table = _table(console, heads=False)
    reply = view.response.text if view.response else ""
    table.add_row(
        *(Text(cell) for cell in (view.user, " ".join(view.menu), view.decision_lines(), view.move_lines(), reply))
    )
    console.print(table)


def _table(console: Console, *, heads: bool) -> Table:
    shares = sum(share for _, share in _COLUMNS)
    room = console.width - 2 * len(_COLUMNS) - 2
    table = Table(box=box.HORIZONTALS if heads else box.SIMPLE, show_header=heads, show_edge=heads, padding=(0, 1))
    for name, share in _COLUMNS:
        table.add_column(name, width=max(8, room * share // shares), overflow="fold")
    return table
