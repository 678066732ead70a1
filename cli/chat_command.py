"""`maitred chat`: talk to a flow in the terminal, or pipe messages into it, one a line."""

import asyncio
import json
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Literal
from uuid import uuid4

import typer
from rich.console import Console
from rich.text import Text

from ..app.maitred import Maitred
from ..examples.presales.world import World
from ..protocol.errors import BadRequest, MaitredError
from ..protocol.ids import check_id
from ..protocol.messages import AgentResponse
from ..protocol.texts import Lang, in_lang
from ..statemachine.machine import new_session
from ..statemachine.menu import allowed_actions
from ..statemachine.words import asked_now, say
from .model_options import ModelChoice, opened_decider, takes_model, thinking
from .opening import AT_A_TERMINAL, DB_ENV, DB_HELP, DB_NAMES, DEFAULT_DB, EXAMPLE, FLOW_HELP, Opened, open_flow
from .turn_view import TurnView, watch

HELP = """/state           where the session is: state, menu, collected data
/resume          hand an escalated session back to the flow, as a colleague would
/why             show or hide menu, decision and moves of each turn
/restart         begin a new session
/post EVENT {..} bring an outside event, with a JSON payload
/tick            let deadlines fire
/quit            leave (the session stays; --session comes back to it)"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(chat)


@takes_model()
def chat(
    flow: Annotated[str, typer.Option(help=FLOW_HELP)] = EXAMPLE,
    db: Annotated[str, typer.Option(*DB_NAMES, help=DB_HELP, envvar=DB_ENV)] = DEFAULT_DB,
    session: Annotated[str | None, typer.Option(help="Go on with this session.")] = None,
    lang: Annotated[Literal["en", "zh"] | None, typer.Option(help="Language; else that of the first message.")] = None,
    why: Annotated[bool, typer.Option(help="Show menu, decision and moves of each turn.")] = False,
    meta: Annotated[
        list[str] | None, typer.Option(help="Background of the customer, KEY=VALUE; may be repeated.")
    ] = None,
    *,
    choice: ModelChoice,
) -> None:
    """Talk to a flow. In the chat, /help lists the commands. Reads lines from standard input where there is no terminal."""
    if session is not None:
        check_id(session, "--session")
    opened = open_flow(flow, db)
    chat = _Chat(opened, Console(soft_wrap=True, highlight=False), session, _background(meta, lang), why, choice)
    asyncio.run(chat.run(db))


def _background(pairs: list[str] | None, lang: Lang | None) -> dict[str, str]:
    meta: dict[str, str] = {"lang": lang} if lang else {}
    for pair in pairs or ():
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise BadRequest(f"--meta is KEY=VALUE; got {pair!r}")
        meta[name] = value
    return meta


@dataclass
class _Chat:
    opened: Opened
    console: Console
    session_id: str | None
    meta: dict[str, str]
    why: bool
    choice: ModelChoice
    maitred: Maitred = field(init=False)

    async def run(self, db: str) -> None:
        async with (
            opened_decider(self.choice) as decider,
            Maitred(self.opened.flow, store=db, decider=decider, times=AT_A_TERMINAL) as self.maitred,
        ):
            await self._welcome()
            while (line := self._next_line()) is not None:  # blocking: nothing else runs here, and Ctrl-C must reach it
                if not line.strip():
                    continue
                if not await self._handled(line):
                    return

    def _next_line(self) -> str | None:
        """The next line; None at the end of input."""
        if sys.stdin and sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  # line editing and history for input(), where the platform has it
            before = signal.signal(signal.SIGINT, signal.default_int_handler)  # asyncio's own does not end an input()
            try:
                return self.console.input("[bold]> [/bold]")
            except (EOFError, KeyboardInterrupt):
                return None
            finally:
                signal.signal(signal.SIGINT, before)
        line = sys.stdin.readline() if sys.stdin else ""
        return line.rstrip("\n") if line else None

    async def _welcome(self) -> None:
        known = await self.maitred.store.load(self.session_id) if self.session_id else None
        self.session_id = self.session_id or f"chat-{uuid4().hex[:8]}"
        self.console.print(f"session {self.session_id}; /help lists the commands", style="dim", markup=False)
        flow = self.opened.flow
        if known:
            self.console.print(f"going on in {known.state}", style="dim", markup=False)
            if known.fingerprint == flow.fingerprint:
                self._say(say(flow, known) or asked_now(flow, known))
            else:  # what it holds may have other names here
                began = f"it began under version {known.flow_version!r} of {known.flow!r}"
                began += f"; this is {flow.version!r} of {flow.name!r}"
                self.console.print(began, style="dim", markup=False)
            return
        lang: Lang = "zh" if self.meta.get("lang") == "zh" else "en"
        first = in_lang(flow.greeting, lang) or asked_now(flow, new_session(flow, self.session_id))
        if first:
            self._say(first)

    async def _handled(self, line: str) -> bool:
        """Deal with one line; False ends the chat. A wrong command is told, not fatal."""
        try:
            if line.startswith("/"):
                return await self._command(line)
            await self._turn(line)
        except MaitredError as error:
            self.console.print(f"error {error.code}: {error}", style="red", markup=False)
        return True

    async def _command(self, line: str) -> bool:
        name, _, rest = line[1:].partition(" ")
        if name == "quit":
            return False
        commands: dict[str, Callable[[], object]] = {
            "help": lambda: self.console.print(HELP, markup=False),
            "why": self._toggle_why,
            "restart": self._restart,
        }
        if name in commands:
            commands[name]()
        elif name == "state":
            await self._state()
        elif name == "resume":
            self._tell(await self.maitred.resume(str(self.session_id), key=uuid4().hex))
        elif name == "post":
            await self._post(rest)
        elif name == "tick":
            for reply in await self.maitred.tick():
                self._say(reply.text)
        else:
            raise BadRequest(f"no command /{name}; /help lists them")
        return True

    def _toggle_why(self) -> None:
        self.why = not self.why
        self.console.print(f"--why is {'on' if self.why else 'off'}", style="dim")

    def _restart(self) -> None:
        self.session_id = f"chat-{uuid4().hex[:8]}"
        self.console.print(f"session {self.session_id}", style="dim", markup=False)

    async def _state(self) -> None:
        session = await self.maitred.store.load(str(self.session_id))
        if session is None:
            self.console.print("nothing said yet", style="dim")
            return
        shown = session.model_dump(mode="json", exclude_defaults=True, exclude={"head", "fingerprint"})
        shown["menu"] = list(allowed_actions(self.opened.flow, session))
        self.console.print(json.dumps(shown, indent=2, ensure_ascii=False), markup=False)

    async def _post(self, rest: str) -> None:
        event, _, payload = rest.strip().partition(" ")
        try:
            parsed = json.loads(payload or "{}")
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"the payload of /post is a JSON object: {error}") from error
        reply = await self.maitred.post(str(self.session_id), event, parsed, key=uuid4().hex)
        self._tell(reply)

    async def _turn(self, line: str) -> None:
        before = await self.maitred.store.load(str(self.session_id))
        request = self.maitred.request(str(self.session_id), line, meta=self.meta)
        with thinking(self.console, self.choice):
            view = await watch(line, self.maitred.stream(request))
        if self.why:
            self._explain(view)
        if view.response:
            self._say(view.response.text)
            await self._world(self.opened.world, view.response, before.state if before else "")

    async def _world(self, world: World | None, response: AgentResponse, came_from: str) -> None:
        for reply in await world.after_turn(self.maitred, response, came_from) if world else ():
            self.console.print("(the bank's callback arrives)", style="dim")
            self._say(reply.text)

    def _tell(self, reply: AgentResponse | None) -> None:
        self._say(reply.text) if reply else self.console.print("(nothing to say)", style="dim")

    def _say(self, text: str) -> None:
        if text:
            self.console.print(Text(text, style="cyan"))

    def _explain(self, view: TurnView) -> None:
        for name, lines in (
            ("menu", " ".join(view.menu)),
            ("model", view.cost_line()),
            ("decision", view.decision_lines()),
            ("moves", view.move_lines()),
        ):
            for part in lines.splitlines():
                self.console.print(Text(f"  {name}: {part}", style="dim"))
