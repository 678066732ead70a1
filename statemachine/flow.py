"""Flow: an immutable definition of a business process. Owns the compiled rows, the fingerprint and look-ups.

Built once from Python (here) or from YAML (`flow_file.py`, which ends here). Building refuses a flow with errors and lists all
of them; `check.py` holds the rules. Nothing of a session is kept here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..protocol.canonical import fingerprint
from ..protocol.errors import FlowError, WrongArguments
from ..protocol.limits import Limits
from ..protocol.menu import Menu
from ..protocol.ports import Knowledge, Tool
from ..protocol.slots import Slot
from ..protocol.texts import SENTENCES, Lang, Text, in_lang
from ..protocol.tool_spec import ToolSpec
from .conditions import When
from .flow_arguments import refuse_wrong_arguments
from .parts import Action, Call, Migration, Outside, Step, Terminal
from .rows import Rows, built_in_rows

Target = str | Sequence[When]
TransitionMap = Mapping[tuple[Any, str], Target]  # keys are states: names or members of the flow's enum
StepMap = Mapping[Any, Step]


class Flow:
    """A flow: states, rows, steps, tools, limits and texts.

    `states`: a StrEnum class or names. `transitions`: (state, event) -> state, Terminal, IGNORE or ordered `When`s.
    `steps`: state -> Step; `Terminal.COMPLETED` may have one for its `say`. `everywhere`: actions on every
    step's menu, but where the step names them in `without`. `tools`: what `@tool` makes. `outside`: events that
    `post` may bring. `facts`: name -> pattern; such a thing is shown to a customer only if an event of the session holds it.
    `links`: hosts that words of a decider may lead to; without it anywhere, but show no images (`fallback/links.py`).
    `texts`: replaces built-in sentences by key. `no_leave`: states that a customer cannot simply drop. `knowledge(text, lang)`:
    facts for the action `answer`. `own_words`: extra phrases for leave, closing and human. `migrations`: how sessions in the
    middle of older versions go on under this one; without, they stay with theirs (`Maitred(flows=[old, new])`).

    Raises FlowError with every finding of severity error.
    """

    def __init__(
        self,
        *,
        name: str,
        states: type[StrEnum] | Iterable[str],
        initial: str,
        transitions: TransitionMap,
        version: str = "1",
        steps: StepMap | None = None,
        everywhere: Iterable[Action] = (),
        tools: Iterable[Tool] = (),
        outside: Iterable[Outside | str] = (),
        limits: Limits | None = None,
        identity: Text | None = None,
        greeting: Text | None = None,
        facts: Mapping[str, str] | None = None,
        links: Iterable[str] | None = None,
        texts: Mapping[str, Text] | None = None,
        no_leave: Iterable[str] = (),
        knowledge: Knowledge | None = None,
        own_words: Mapping[str, tuple[str, ...]] | None = None,
        migrations: Iterable[Migration] = (),
    ) -> None:
        refuse_wrong_arguments(locals())
        self.name = name
        self.version = version
        self.states = tuple(str(state) for state in states)
        self.initial = str(initial)
        self.transitions: Rows = {(str(s), str(e)): _row(target) for (s, e), target in transitions.items()}
        everywhere = tuple(everywhere)
        self.everywhere = tuple(action.name for action in everywhere)
        given = {str(s): step for s, step in (steps or {}).items()}
        self.steps: Mapping[str, Step] = MappingProxyType(_with_actions(self.states, given, everywhere))
        self.tools: Mapping[str, Tool] = MappingProxyType({tool.spec.name: tool for tool in tools})
        self.specs: Mapping[str, ToolSpec] = MappingProxyType({name: tool.spec for name, tool in self.tools.items()})
        self.outside = MappingProxyType({o.event: o for o in (_outside(item) for item in outside)})
        self.limits = limits or Limits()
        self.identity = identity
        self.greeting = greeting
        self.facts = MappingProxyType({name: _pattern(name, p) for name, p in (facts or {}).items()})
        self.links = None if links is None else frozenset(host.casefold() for host in links)
        self.texts = MappingProxyType(dict(texts or {}))
        self.no_leave = frozenset(str(state) for state in no_leave)
        self.knowledge = knowledge
        self.own_words = MappingProxyType(dict(own_words or {}))
        self.migrations = tuple(migrations)
        self.rows = MappingProxyType(built_in_rows(self.states, self.no_leave) | self.transitions)
        self.menus: dict[tuple[str, Lang, bool, bool, bool], Menu] = {}  # made when first asked for, by `menu.py`
        self._refuse_errors()

    def _refuse_errors(self) -> None:
        from .check import check  # check.py describes flows, so it imports this module

        errors = tuple(finding for finding in check(self) if finding.severity == "error")
        if errors:
            lines = "\n".join(f"  {finding}" for finding in errors)
            raise FlowError(f"flow {self.name!r} has {len(errors)} error(s):\n{lines}", errors)

    def step(self, state: str) -> Step:
        """The step of a state; an empty one where the flow gives none."""
        return self.steps.get(state, _EMPTY_STEP)

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """Every slot that any step collects, by name."""
        return MappingProxyType({name: slot for step in self.steps.values() for name, slot in step.collects.items()})

    def events_of(self, state: str) -> tuple[str, ...]:
        """Events with a row in `state`, the map's before the built-in ones."""
        own = tuple(event for (source, event) in self.transitions if source == state)
        return own + tuple(
            event for (source, event) in self.rows if source == state and (source, event) not in self.transitions
        )

    def sentence(self, key: str, lang: Lang) -> str:
        """A sentence for the customer: the flow's own under `key`, else the built-in one."""
        return in_lang(self.texts.get(key) or SENTENCES[key], lang)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the structure: states, rows, names, types of actions, slots and tools, limits; neither texts nor migrations."""
        return fingerprint(self.structure())[:32]

    def structure(self) -> dict[str, object]:
        """The structure as plain JSON data: what the fingerprint is taken of."""
        return {
            "name": self.name,
            "version": self.version,
            "states": sorted(self.states),
            "initial": self.initial,
            "rows": sorted(
                [source, event, [[when.condition, when.target, *sorted(when.forget)] for when in row]]
                for (source, event), row in self.transitions.items()
            ),
            "steps": {state: _step_structure(self.step(state)) for state in sorted(self.states)},
            "tools": {name: _tool_structure(tool) for name, tool in sorted(self.tools.items())},
            "outside": {event: outside.money for event, outside in sorted(self.outside.items())},
            "facts": {name: pattern.pattern for name, pattern in sorted(self.facts.items())},
            "no_leave": sorted(self.no_leave),
            "limits": asdict(self.limits),
        }

    def __repr__(self) -> str:
        return f"Flow({self.name!r}, version={self.version!r}, {len(self.states)} states, {len(self.transitions)} rows)"


_EMPTY_STEP = Step()
TERMINALS: frozenset[str] = frozenset(Terminal)
ENDED: frozenset[str] = frozenset({Terminal.COMPLETED, Terminal.ABANDONED})
"""Ends after which a new message starts a new episode."""


def _with_actions(states: Iterable[str], steps: dict[str, Step], everywhere: tuple[Action, ...]) -> dict[str, Step]:
    if not everywhere:
        return steps
    whole = {state: steps.get(state, _EMPTY_STEP) for state in states}
    added = {s: tuple(a for a in everywhere if a.name not in step.without) for s, step in whole.items()}
    return steps | {s: replace(step, actions=step.actions + added[s]) for s, step in whole.items()}


def _row(target: Target) -> tuple[When, ...]:
    if isinstance(target, str):
        return (When(None, target),)
    return tuple(target)


def _outside(item: Outside | str) -> Outside:
    return Outside(item) if isinstance(item, str) else item


def _pattern(name: str, pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        fault = (f"facts.{name}", f"{pattern!r} is not a regular expression: {error}")
        raise WrongArguments("Flow", (fault,)) from error
    if compiled.search(""):
        fault = (f"facts.{name}", f"{pattern!r} matches everything; say what such a thing looks like")
        raise WrongArguments("Flow", (fault,))
    return compiled


def _step_structure(step: Step) -> dict[str, object]:
    return {
        "actions": {action.name: _action_structure(action) for action in step.actions},
        "collects": {name: _slot_structure(slot) for name, slot in step.collects.items()},
        "complete": step.complete,
        "on_enter": _call_structure(step.on_enter) if step.on_enter else None,
        "confirms": step.confirms,
        "on_close": step.on_close,
        "deadline": [step.deadline.after_s, step.deadline.event] if step.deadline else None,
        "without": sorted(step.without),
    }


def _call_structure(call: Call) -> list[object]:
    return [call.tool, dict(call.on)]


def _action_structure(action: Action) -> dict[str, object]:
    return {
        "event": action.event,
        "tool": action.tool,
        "on": dict(action.on),
        "confirm": action.confirm,
        "parameters": {name: _slot_structure(slot) for name, slot in action.parameters.items()},
    }


def _slot_structure(slot: Slot) -> list[object]:
    return [slot.type, slot.required, sorted(slot.choices), slot.pattern, slot.minimum, slot.maximum]


def _tool_structure(tool: Tool) -> list[object]:
    spec = tool.spec
    return [
        spec.effect,
        spec.timeout_s,
        sorted(spec.parameters),
        sorted(spec.required),
        dict(spec.bind),
        spec.data_name,
        *(["fresh"] if spec.fresh else []),
    ]


FlowBuilder = Callable[[], Flow]
