"""render: a Flow as a Mermaid flowchart. Owns the drawing's text; deterministic, so documents can be compared with the code.

A flowchart, not a stateDiagram: its nodes have ids of ours (`s0`, `s1`) and labels in quotes, so no name of a state or event can
break the drawing; in a stateDiagram some can. A row is a text node between two lines and not a label on one, because Mermaid lets
labels of neighbouring arrows overlap, but never nodes. Rows between the same two states share one. Called by `maitred graph`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..protocol.texts import Lang, in_lang
from .conditions import Test, When
from .flow import Flow
from .parts import IGNORE, Terminal

_WORDS: Final[Mapping[str, Mapping[Lang, str]]] = {
    "otherwise": {"en": "otherwise", "zh": "否则"},
    "known": {"en": "{} is known", "zh": "{} 已知"},
    "missing": {"en": "{} is missing", "zh": "{} 缺失"},
    "and": {"en": " and ", "zh": " 且 "},
    "ignored": {"en": "nothing happens", "zh": "忽略"},
    "anywhere": {"en": "any state", "zh": "任意状态"},
    "except": {"en": "not from {}", "zh": "{} 除外"},
    "back": {"en": "the state it came from", "zh": "回到原状态"},
    "timer": {"en": "after {:g} s", "zh": "{:g} 秒后"},
    "outside": {"en": "from outside", "zh": "外部事件"},
}
_SIGNS: Final = {"eq": "=", "ne": "≠", "lt": "<", "lte": "≤", "gt": ">", "gte": "≥", "in": "∈"}
_LAYOUT: Final = '%%{init: {"flowchart": {"rankSpacing": 28, "nodeSpacing": 24, "padding": 10}}}%%'
_STYLE: Final = (
    "classDef row fill:none,stroke:none,color:#333333",
    "classDef state fill:#eef2ff,stroke:#4f5d95,color:#1b1f3b",
    "classDef terminal fill:#e7f5ec,stroke:#2f7d4f,color:#12351f",
    "classDef start fill:#1b1f3b,stroke:#1b1f3b,color:#1b1f3b",
    "classDef any fill:#ffffff,stroke:#888888,color:#555555,stroke-dasharray:4 3",
)
Arrows = dict[tuple[str, str, bool], list[str]]
"""(from, to, dotted) -> lines of text: a row is one or two of them."""


def mermaid(flow: Flow, lang: Lang = "en", built_in: bool = False) -> str:
    """The flow as Mermaid text. `lang`: of action labels and of the few words in the drawing.

    `built_in`: also the rows that every flow has (human, leaving, expiry), in one place instead of at every state.
    """
    ids = {state: f"s{i}" for i, state in enumerate(flow.states)} | {end: f"end_{end}" for end in Terminal}
    arrows = _own_arrows(flow, ids, lang)
    extra = _built_in_arrows(flow, ids, lang) if built_in else {}
    used = {target for _, target, _ in (*arrows, *extra)} | {source for source, _, _ in extra}
    lines = [_LAYOUT, "flowchart TD", '    start((" ")):::start', f"    start --> {ids[flow.initial]}"]
    lines += [f'    {ids[state]}("{quoted(state)}"):::state' for state in flow.states]
    lines += [f'    {ids[end]}(["{quoted(end)}"]):::terminal' for end in Terminal if ids[end] in used]
    lines += [f'    {node}["{quoted(text)}"]:::any' for node, text in _extra_nodes(lang) if node in used]
    for i, ((source, target, dotted), labels) in enumerate((arrows | extra).items()):
        text = "<br/>".join(quoted(label) for label in labels)
        line, arrow = ("-.-", "-.->") if dotted else ("---", "-->")
        lines += [f'    {source} {line} r{i}["{text}"]:::row', f"    r{i} {arrow} {target}"]
    return "\n".join([*lines, *(f"    {style}" for style in _STYLE)]) + "\n"


def _extra_nodes(lang: Lang) -> tuple[tuple[str, str], ...]:
    return ("anywhere", _word("anywhere", lang)), ("back", _word("back", lang))


def quoted(text: str) -> str:
    """`text` for use between double quotes in Mermaid: whatever has a meaning there becomes a numeric entity."""
    shown = " ".join(str(text).split()) or " "
    return re.sub(r"[^\w \-.,:()/+=∈≠≤≥，。：（）？！、·]", lambda m: f"#{ord(m.group())};", shown)


def _word(key: str, lang: Lang) -> str:
    return in_lang(_WORDS[key], lang)


# The map's rows.


def _own_arrows(flow: Flow, ids: Mapping[str, str], lang: Lang) -> Arrows:
    arrows: Arrows = {}
    for (state, event), row in flow.transitions.items():
        for when in row:
            ignored = when.target == IGNORE
            target = ids[state] if ignored else ids[when.target]
            condition = _condition(when, row, lang)
            note = f"[{condition}]" if condition else f"({_word('ignored', lang)})" if ignored else ""
            lines = [" ".join(part for part in (event, _who(flow, state, event, lang)) if part), note]
            arrows.setdefault((ids[state], target, ignored), []).extend(line for line in lines if line)
    return arrows


def _who(flow: Flow, state: str, event: str, lang: Lang) -> str:
    """Who proposes the event, where that is worth a word: the label of its action, a timer, the outside."""
    step = flow.step(state)
    label = next((in_lang(action.label, lang) for action in step.actions if action.event == event), "")
    if label:
        return f"· {label}"
    if step.deadline and step.deadline.event == event:
        return f"· {_word('timer', lang).format(step.deadline.after_s)}"
    return f"· {_word('outside', lang)}" if event in flow.outside else ""


def _condition(when: When, row: Iterable[When], lang: Lang) -> str:
    if when.condition is None:
        return _word("otherwise", lang) if len(tuple(row)) > 1 else ""
    return _word("and", lang).join(part for path, test in when.condition.items() for part in _tests(path, test, lang))


def _tests(path: str, test: Test, lang: Lang) -> list[str]:
    if not isinstance(test, Mapping):
        return [f"{path} = {_value(test)}"]
    shown = []
    for op, wanted in test.items():
        if op == "present":
            shown.append(_word("known" if wanted else "missing", lang).format(path))
        else:
            shown.append(f"{path} {_SIGNS[op]} {_value(wanted)}")
    return shown


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"({', '.join(_value(item) for item in value)})"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


# The rows that every flow has.


def _built_in_arrows(flow: Flow, ids: Mapping[str, str], lang: Lang) -> Arrows:
    """Rows that all states share start at one node; exceptions are named behind the event."""
    groups: dict[tuple[str, str], list[str]] = {}
    for (source, event), row in flow.rows.items():
        if (source, event) not in flow.transitions:
            groups.setdefault((event, row[0].target), []).append(source)
    arrows: Arrows = {}
    for (event, target), sources in groups.items():
        to = ids.get(target, "back")
        if any(state in sources for state in flow.states):
            left_out = [state for state in flow.states if state not in sources]
            label = f"{event} ({_word('except', lang).format(', '.join(left_out))})" if left_out else event
            arrows.setdefault(("anywhere", to, True), []).append(label)
        for end in (source for source in sources if source in {*Terminal}):
            arrows.setdefault((ids[end], to, True), []).append(event)
    return arrows
