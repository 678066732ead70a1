"""The tau bench: made-up cases, the engine allows what the policy does and no more, and the public data reaches its goals."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maitred.benchmarks.tau import bench_tau
from maitred.benchmarks.tau_flow import POLICIES, UNOPENED, as_heard, as_said
from maitred.benchmarks.tau_play import ANSWERS, YES, Answer, Played, Stage
from maitred.benchmarks.tau_rows import Schema, Write, read_schemas
from maitred.protocol.errors import BadRequest
from maitred.protocol.polarity import polarity


def tool(name: str, required: Sequence[str], **types: Any) -> dict[str, Any]:
    """A tool as tau-bench describes it; a type is a name or a whole property."""
    properties = {n: {"type": t} if isinstance(t, str) else t for n, t in types.items()}
    return {"name": name, "parameters": {"type": "object", "properties": properties, "required": [*required]}}


LISTS = {"type": "array", "items": {"type": "string"}}
REASONS = {"type": "string", "enum": ["too late", "too dear"]}
FLAT = {"type": "string", "description": "The flat, such as 'B' or ''."}
TOOLS: dict[str, Any] = {
    "retail": [
        tool("get_order_details", ["order_id"], order_id="string"),
        tool("cancel_pending_order", ["order_id", "reason"], order_id="string", reason=REASONS),
        tool("modify_pending_order_items", ["order_id", "item_ids"], order_id="string", item_ids=LISTS),
        tool(
            "modify_pending_order_address",
            ["order_id", "street", "flat"],
            order_id="string",
            street="string",
            flat=FLAT,
        ),
        tool("return_delivered_order_items", ["order_id", "item_ids"], order_id="string", item_ids=LISTS),
        tool("modify_user_address", ["user_id", "street"], user_id="string", street="string"),
        tool("paint_order", ["order_id"], order_id="string"),
    ],
    "airline": [
        tool("cancel_reservation", ["reservation_id"], reservation_id="string"),
        tool("book_reservation", ["flights", "bags"], flights={"type": "array"}, bags="integer", insured="boolean"),
    ],
}


def call(tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return tool, arguments


CANCEL = call("cancel_pending_order", order_id="#A", reason="too dear")
ITEMS = call("modify_pending_order_items", order_id="#A", item_ids=["1", "2"])
MOVE = call("modify_pending_order_address", order_id="#A", street="1 Old Road", flat="")
RETURN = call("return_delivered_order_items", order_id="#B", item_ids=["3"])
AT_HOME = call("modify_user_address", user_id="ann_1", street="2 New Road")
BOOK = call("book_reservation", flights=[{"number": "X 1", "day": "2026-05-01"}], bags=2)
LOOK = call("get_order_details", order_id="#A")


def case(*actions: tuple[str, dict[str, Any]], domain: str = "retail") -> dict[str, Any]:
    return {"id": f"tau:{domain}:own:1", "actions": actions, "writes": [name for name, _ in actions if name != LOOK[0]]}


def files(folder: Path, *cases: object, tools: object = TOOLS) -> tuple[Path, Path]:
    paths = folder / "cases.jsonl", folder / "tools.json"
    paths[0].write_text("\n".join(map(json.dumps, cases)) + "\n")
    paths[1].write_text(json.dumps(tools))
    return paths


@pytest.fixture(scope="module")
def schemas() -> dict[str, dict[str, Schema]]:
    return {name: {t["name"]: Schema.model_validate(t) for t in tools} for name, tools in TOOLS.items()}


@pytest.fixture
def on_stage(schemas: dict[str, dict[str, Schema]]) -> Callable[..., Any]:
    """Plays something on the stage of a domain."""

    def play(do: Callable[[Stage], Awaitable[Any]], domain: str = "retail", **policy: Any) -> Any:
        async def with_stage() -> Any:
            stage = Stage(domain, replace(POLICIES[domain], **policy), schemas[domain])
            async with stage.maitred:
                return await do(stage)

        return asyncio.run(with_stage())

    return play


def gold(on_stage: Callable[..., Any], *writes: tuple[str, dict[str, Any]], domain: str = "retail") -> list[bool]:
    accepted, played = on_stage(lambda stage: stage.gold([Write(*write) for write in writes]), domain)
    assert played.illegal == 0
    return list(accepted)


@pytest.mark.parametrize(
    "writes", [(CANCEL,), (ITEMS,), (MOVE,), (RETURN,), (AT_HOME,), (MOVE, MOVE, ITEMS, RETURN, AT_HOME)]
)
def test_what_the_policy_allows_happens_as_it_is_meant(on_stage: Callable[..., Any], writes: Any) -> None:
    """Lists, choices and empty texts reach the tool to the letter; several writes and several orders in one session."""
    assert all(gold(on_stage, *writes))


@pytest.mark.parametrize(
    ("first", "then"), [(ITEMS, MOVE), (ITEMS, CANCEL), (CANCEL, ITEMS), (RETURN, RETURN), (CANCEL, CANCEL)]
)
def test_what_an_earlier_write_rules_out_does_not_happen(on_stage: Callable[..., Any], first: Any, then: Any) -> None:
    """The state after a write is the flow's, not the case's; the refusal does not stop what comes after it."""
    assert gold(on_stage, first, then, AT_HOME) == [True, False, True]


def test_an_order_comes_back_in_the_status_that_it_was_left_in(on_stage: Callable[..., Any]) -> None:
    """Between two orders, the one that is open is looked up anew."""
    assert gold(on_stage, MOVE, RETURN, ITEMS, RETURN, CANCEL) == [True, True, True, False, False]


def test_objects_and_numbers_reach_the_tool(on_stage: Callable[..., Any]) -> None:
    """Lists of objects, whole numbers and a parameter that is left out; another domain, the same converter."""
    assert gold(on_stage, BOOK, call("cancel_reservation", reservation_id="R1"), domain="airline") == [True, True]


@pytest.mark.parametrize("status", [UNOPENED, *(s for s in POLICIES["retail"].statuses if s != "pending")])
def test_a_wrong_status_is_refused(on_stage: Callable[..., Any], status: str) -> None:
    """However often it is proposed, and though the customer says yes."""
    assert on_stage(lambda stage: stage.in_status(Write(*CANCEL), status)) == Played(0, 0, reached=True)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
def test_without_a_yes_nothing_happens(on_stage: Callable[..., Any], answer: Answer) -> None:
    """A no, a question, a condition, silence; a decider that forges the yes or the event."""
    for write in (RETURN, AT_HOME):
        assert on_stage(lambda stage, write=write: stage.answered(Write(*write), answer)) == Played(0, 0, reached=True)


def test_a_yes_that_comes_too_late_does_nothing(on_stage: Callable[..., Any]) -> None:
    """The record changed after the question was asked."""
    assert on_stage(lambda stage: stage.overtaken(Write(*CANCEL))) == Played(0, 0, reached=True)


def test_the_judges_see_a_write_that_happens(on_stage: Callable[..., Any]) -> None:
    """The right status, a yes, and a policy that allows too much: each is found out."""
    assert on_stage(lambda stage: stage.in_status(Write(*CANCEL), "pending")).writes == 1
    assert on_stage(lambda stage: stage.answered(Write(*CANCEL), Answer("yes", YES))).writes == 1
    lax = {"moves": {**POLICIES["retail"].moves, CANCEL[0]: ("processed", "cancelled")}}
    assert on_stage(lambda stage: stage.in_status(Write(*CANCEL), "processed"), **lax).writes == 1
    assert on_stage(lambda stage: stage.in_status(Write(*CANCEL), "pending"), **lax).writes == 0


def test_the_answers_are_no_plain_yes() -> None:
    """Otherwise there is nothing to refuse; and the yes is one."""
    assert {polarity(answer.text) for answer in ANSWERS if answer.text} == {"no", "other"}
    assert polarity(YES) == "yes"


@pytest.mark.parametrize("given", [{"flat": "", "street": "x"}, {"flat": "7", "street": "x"}])
def test_arguments_survive_the_way(schemas: dict[str, dict[str, Schema]], given: Any) -> None:
    """What a decision cannot say, an empty text, comes back in the tool."""
    schema = schemas["retail"]["modify_pending_order_address"]
    assert as_heard(schema, as_said(schema, given)) == given


def test_the_bench_counts_and_repeats_itself(tmp_path: Path) -> None:
    """Each write, in each wrong status, with each answer; a second run prints the same."""
    paths = files(tmp_path, case(LOOK, ITEMS, CANCEL, AT_HOME), case(BOOK, domain="airline"), case(LOOK))
    told: list[tuple[int, int]] = []
    figures = bench_tau(*paths, lambda done, total: told.append((done, total)))
    wrong = 2 * len(POLICIES["retail"].statuses)
    assert figures["cases"] == 3
    assert figures["writes"] == {"total": 4, "accepted": 3}
    assert figures["wrong_state"] == {"total": wrong, "rejected": wrong, "reached": wrong}
    assert figures["without_yes"] == dict.fromkeys(("total", "rejected", "reached"), 4 * len(ANSWERS))
    assert figures["overtaken"] == {"total": 2, "rejected": 2, "reached": 2}
    assert figures["illegal_moves"] == 0
    assert figures["not_accepted"] == [{"line": 1, "tool": "cancel_pending_order"}]
    assert figures["not_rejected"] == []
    assert figures["outside"] == {"cases": {}, "writes": {}}
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert bench_tau(*paths) == figures


def test_what_the_flows_cannot_say_is_counted_as_outside(tmp_path: Path) -> None:
    """Other domains, tools without a schema or a policy, arguments that do not fit; none of it stops the others."""
    figures = bench_tau(
        *files(
            tmp_path,
            case(call("reset_router"), domain="telecom"),
            {**case(CANCEL), "id": "17"},
            case(call("exchange_delivered_order_items", order_id="#A"), call("paint_order", order_id="#A"), CANCEL),
            case(
                call("cancel_pending_order", order_id="#A", why="x"),
                call("cancel_pending_order", order_id=7, reason="x"),
            ),
            case(call("cancel_pending_order", order_id="#A", reason="a whim")),
            case(call("modify_user_address", user_id=None, street={"no": 1})),
        )
    )
    assert figures["outside"] == {
        "cases": {"telecom: no policy or no tools": 1, "no domain: no policy or no tools": 1},
        "writes": {
            "retail: exchange_delivered_order_items: not in the tools file": 1,
            "retail: paint_order: no policy says when it is allowed": 1,
            "retail: cancel_pending_order: unknown 'why', no 'reason'": 1,
            "retail: cancel_pending_order: no 'order_id'": 1,
        },
    }
    assert figures["writes"] == {"total": 3, "accepted": 1}
    assert figures["without_yes"] == {"total": 24, "rejected": 24, "reached": 8}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '{"id": 1}',
        '{"id": "a", "actions": [["x"]], "writes": []}',
        '{"id": "a", "actions": [], "writes": ["x"]}',
    ],
)
def test_a_case_that_is_none_is_bad_input(tmp_path: Path, line: str) -> None:
    """The error names file and line."""
    cases, tools = files(tmp_path, case(CANCEL))
    cases.write_text(cases.read_text() + line)
    with pytest.raises(BadRequest, match=r"cases\.jsonl: line 2"):
        bench_tau(cases, tools)


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"retail": [{"name": "x"}]}', b"\xff"])
def test_a_tools_file_that_is_none_is_bad_input(tmp_path: Path, content: bytes) -> None:
    """The error names the file; an empty cases file is told, too."""
    cases, tools = files(tmp_path, case(CANCEL))
    tools.write_bytes(content)
    with pytest.raises(BadRequest, match=r"tools\.json"):
        bench_tau(cases, tools)
    cases.write_text("\n")
    tools.write_text("{}")
    with pytest.raises(BadRequest, match="holds no cases"):
        bench_tau(cases, tools)


def test_the_public_data_reaches_the_goals() -> None:
    """Nearly every gold write happens; none does in a wrong state or without a yes."""
    folder = os.environ.get("MAITRED_DATA")
    if not folder:
        pytest.skip("MAITRED_DATA is not set: the public cases are not part of the repository")
    tools = Path(folder, "tau_tools.json")
    figures: Any = bench_tau(Path(folder, "tau_cases.jsonl"), tools)
    assert figures["cases"] == 194
    assert figures["writes"]["total"] == 286
    assert figures["writes"]["accepted"] >= 0.99 * 286
    for kind in ("wrong_state", "without_yes", "overtaken"):
        assert figures[kind]["rejected"] == figures[kind]["reached"] == figures[kind]["total"] > 0
    assert figures["illegal_moves"] == 0
    assert figures["outside"] == {"cases": {}, "writes": {}}
    assert set(read_schemas(tools)) == set(POLICIES)
