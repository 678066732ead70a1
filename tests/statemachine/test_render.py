"""The drawing: what it shows, that it is always the same, and that no name or label can break it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maitred.app.graph_svg import svg
from maitred.statemachine.conditions import When
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import IGNORE, Action, Deadline, Step, Terminal
from maitred.statemachine.render import mermaid, quoted

FLOW = Flow(
    name="shop",
    states=["info", "end", "支付"],
    initial="info",
    transitions={
        ("info", "ready"): [
            When({"seats": {"gte": 5}, "vip": True}, "end"),
            When({"seats": {"present": False}}, "info"),
            When(None, "支付"),
        ],
        ("end", "paid"): "支付",
        ("end", "again"): "支付",
        ("支付", "paid"): Terminal.COMPLETED,
        ("支付", "noise"): IGNORE,
        ("支付", "late"): Terminal.ABANDONED,
    },
    steps={
        "info": Step(actions=(Action(name="go", event="ready", label={"en": 'Go "on"', "zh": "继续"}),)),
        "end": Step(actions=(Action(name="again", event="again"),)),
        "支付": Step(deadline=Deadline(900, "late"), actions=(Action(name="noise", event="noise"),)),
    },
    outside=["paid"],
    no_leave=["支付"],
)


def test_states_rows_and_ends_are_shown() -> None:
    """Each state once, the initial one marked, each row between its states, ends only where a row leads."""
    lines = [line.strip() for line in mermaid(FLOW).splitlines()]
    assert "start --> s0" in lines
    assert 's1("end"):::state' in lines
    assert 's2("支付"):::state' in lines
    assert 'end_completed(["completed"]):::terminal' in lines
    assert not any(line.startswith("end_escalated") for line in lines)
    assert lines[lines.index('s1 --- r3["paid · from outside<br/>again"]:::row') + 1] == "r3 --> s2"


def test_conditions_labels_and_timers_are_shown() -> None:
    """What a reader of the map must know: the condition, the customer's word for it, the time."""
    text = mermaid(FLOW)
    for condition in ("[seats ≥ 5 and vip = true]", "[seats is missing]", "[otherwise]"):
        assert f'["ready · Go #34;on#34;<br/>{quoted(condition)}"]' in text
    assert '["late · after 900 s"]' in text
    assert 's2 -.- r5["noise<br/>(nothing happens)"]:::row\n    r5 -.-> s2' in text


def test_the_words_follow_the_language() -> None:
    """Labels and the drawing's own words are in the language asked for."""
    text = mermaid(FLOW, "zh")
    assert "继续" in text
    assert "否则" in text
    assert "otherwise" not in text


def test_built_in_rows_are_summed_up_on_request() -> None:
    """One node stands for all states; exceptions are named."""
    assert "human_requested" not in mermaid(FLOW)
    text = mermaid(FLOW, built_in=True)
    assert text.count("human_requested") == 1
    assert "session_expired<br/>customer_left (not from 支付)" in text
    assert "human_resumed" in text


def test_the_drawing_is_always_the_same() -> None:
    """Generated documents are compared with the code."""
    assert mermaid(FLOW, built_in=True) == mermaid(FLOW, built_in=True)


@given(st.text())
def test_quoted_text_holds_nothing_with_a_meaning(text: str) -> None:
    """Only letters, digits, harmless signs and numeric entities are left, on one line."""
    assert re.fullmatch(r"(?:[\w \-.,:()/+=∈≠≤≥，。：（）？！、·]|#\d+;)+", quoted(text))
    assert not re.search(r"[\"<>{}\[\]|`%&\n\r]", quoted(text))


HOSTILE = [
    *"end state subgraph click style graph default [*] a]b a|b a-->b a:::b a;b a#b #quot; %%{init:{}}%% {x} `md` **b**".split(),
    *'a"b <script>alert(1)</script> a\\b $$x$$ &amp; 支付：完成 \u202eabc 😀'.split(),
    "1. list",
    "- item",
    "a\nb",
]


@pytest.fixture(scope="module")
def hostile() -> Flow:
    """A flow in which everything that can be named has a hostile name."""
    pairs = list(zip(HOSTILE, [*HOSTILE[1:], Terminal.COMPLETED], strict=True))
    return Flow(
        name="hostile",
        states=HOSTILE,
        initial=HOSTILE[0],
        transitions={(state, f"go {state}"): [When({state: {"in": [state]}}, target)] for state, target in pairs},
        steps={state: Step(actions=(Action(name="a", event=f"go {state}", label=state),)) for state in HOSTILE},
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_no_name_breaks_the_drawing(hostile: Flow) -> None:
    """Real Mermaid draws it, with every state as text and nothing of it as markup."""
    pytest.importorskip("mermaidx")
    drawn = svg(hostile)
    assert drawn.startswith("<svg")
    assert "Syntax error" not in drawn
    assert "<script>alert" not in drawn
    for shown in ("支付：完成", "subgraph", "a--&gt;b", "&lt;script&gt;", "a:::b", "#quot;", "**b**", "{x}"):
        assert shown in drawn, shown


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@settings(max_examples=5, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=12).filter(str.strip), min_size=2, max_size=6, unique=True))
def test_any_names_can_be_drawn(names: list[str]) -> None:
    """Mermaid accepts whatever a state or event is called."""
    pytest.importorskip("mermaidx")
    names = [
        name
        for name in names
        if name not in {*Terminal, "ignore", "(where it was)", "customer_left", "session_expired"}
    ] or ["a"]
    targets = [*names[1:], Terminal.COMPLETED]
    flow = Flow(
        name="any",
        states=names,
        initial=names[0],
        transitions={(name, "e " + name): target for name, target in zip(names, targets, strict=True)},
    )
    assert svg(flow).startswith("<svg")
