"""The star bench: made-up graphs keep every row as flows, the engine judges walks, and the public data reaches its goals."""

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from maitred.benchmarks.star import bench_star, stages_of
from maitred.benchmarks.star_flow import outcomes_of
from maitred.benchmarks.star_graph import Graph, Row, graphs_of
from maitred.benchmarks.star_mutants import corrupted, foreign, same_order, shuffled
from maitred.benchmarks.star_rows import honoured
from maitred.benchmarks.star_walk import Stage
from maitred.protocol.errors import BadRequest, FlowError

ROWS = """
START greet hello | START user ask_size | hello user ask_size | ask_size user ask_day | ask_day user query_check
query_check free table_offer | query_check full table_sorry | table_offer yes query_book | table_offer no ask_size
query_book result table_booked | table_booked user anything_else | anything_else no goodbye_1
"""
TWO_WAYS = """
START greet welcome | START user ask_card
ask_card user ask_pin | ask_card lost ask_birthday | ask_pin lost ask_birthday | ask_pin user ask_sum
ask_birthday user ask_sum | ask_birthday unknown sorry | ask_sum user query | query done paid | query failed sorry
paid same note | paid other note | island user note
"""
OTHER = "START user ask_song | ask_song user query | query result play_song"


def machine(rows: str, *more: str) -> dict[str, Any]:
    """A task of a machines file from "source event target" triples."""
    triples = [line.split() for part in rows.split("\n") for line in part.split("|") if line.strip()]
    events = sorted({event for _, event, _ in triples})
    actions = sorted({name for source, _, target in triples for name in (source, target)} - {"START"})
    return {"transition_map": triples, "events": events, "actions": actions, "replies": dict.fromkeys(more, "")}


MACHINES = {
    "table": machine(ROWS, "table_ask_garden", "table_inform_menu", "table_bye"),
    "pay": machine(TWO_WAYS),
    "song": machine(OTHER),
}


@pytest.fixture(scope="module")
def stages() -> dict[str, Stage]:
    return stages_of(graphs_of(MACHINES))


@pytest.fixture(scope="module")
def table(stages: dict[str, Stage]) -> Stage:
    return stages["table"]


def refused_at(stage: Stage, walk: str) -> int | None:
    """Index of the label that the engine refuses, or None."""
    walked = stage.walk(walk.split())
    return None if walked.refused is None else walked.accepted


@pytest.mark.parametrize("task", MACHINES)
def test_every_row_is_honoured(stages: dict[str, Stage], task: str) -> None:
    """Runs, merges, two events to one node, dead ends and a node without a way in: every row holds in the engine."""
    stage = stages[task]
    assert set(stage.graph.rows) - set(honoured(stage)) == set()


@pytest.mark.parametrize(
    "row",
    [
        Row("table_offer", "yes", "table_booked"),
        Row("table_offer", "perhaps", "query_book"),
        Row("query_check", "full", "table_offer"),
        Row("ask_size", "user", "query_check"),
        Row("nowhere", "user", "table_offer"),
    ],
)
def test_a_row_that_the_flow_does_not_keep_is_not_honoured(table: Stage, row: Row) -> None:
    """The check can fail: a row of another graph does not hold."""
    graph = replace(table.graph, rows=(*table.graph.rows, row))
    assert row not in honoured(replace(table, graph=graph))


@pytest.mark.parametrize(
    "walk",
    [
        "hello ask_size ask_day query_check table_offer query_book table_booked anything_else goodbye_1",
        "query_check table_offer",
        "ask_day ask_size ask_day query_check table_sorry",
        "hello hello table_ask_garden ask_day query_check table_sorry query_check table_offer query_book table_booked",
        "query_check query_book table_booked table_booked",
        "query_check table_sorry ask_day query_check table_offer ask_size query_check table_offer table_inform_menu",
        "my_own_words query_check my_own_words table_sorry goodbye_2 table_bye goodbye_1 my_own_words",
        "query_check table_offer query_book table_booked goodbye_1 anything_else ask_size query_check table_sorry",
        "",
    ],
)
def test_talks_that_customers_have_are_accepted(table: Stage, walk: str) -> None:
    """Questions in any order, skipped, repeated; requests changed and made again; own words; goodbye; silence after it."""
    walked = table.walk(walk.split())
    assert walked.refused is None
    assert all(table.folds(table.fell_silent(branch)) for branch in walked.branches)


@pytest.mark.parametrize(
    ("walk", "at"),
    [
        ("table_offer query_check", 0),
        ("ask_size query_book", 1),
        ("query_check table_offer table_booked", 2),
        ("query_check table_sorry table_offer", 2),
        ("query_check table_sorry query_book", 2),
        ("query_check table_offer query_check table_sorry query_book", 4),
        ("query_check table_sorry ask_day table_sorry", 3),
        ("ask_size hello", 1),
        ("goodbye_1", 0),
        ("query_check table_sorry goodbye_1 query_check", 3),
        ("query_check play_song", 1),
        ("table_inform_menu", 0),
    ],
)
def test_what_the_order_forbids_is_refused_where_it_stands(table: Stage, walk: str, at: int) -> None:
    """No outcome without its query, no booking without a free table, no other task's labels."""
    assert refused_at(table, walk) == at


def test_a_talk_is_completed_by_silence_after_goodbye(table: Stage) -> None:
    """The timer ends it; before goodbye it does not."""
    (said,) = table.walk("query_check table_sorry goodbye_1".split()).branches
    assert table.fell_silent(said).session.state == "completed"
    assert {table.fell_silent(b).session.state for b in table.walk(["query_check"]).branches} == {
        "table_offer",
        "table_sorry",
    }


def test_a_query_has_as_many_outcomes_as_a_tool() -> None:
    """Good news is ok, bad news an error; a fourth outcome cannot be said."""
    graph = Graph.from_json(
        "x", machine("START user query | query available a | query unavailable b | query query_failure c")
    )
    assert outcomes_of(graph, "query")["ok"] == "available"
    with pytest.raises(FlowError, match="4 outcomes"):
        stages_of(
            {"x": Graph.from_json("x", machine("START user query | query a a | query b b | query c c | query d d"))}
        )


def test_a_run_of_questions_ends_where_another_way_leads_in() -> None:
    """Straight runs are blocks; a merge and the target of another event begin a new one."""
    assert graphs_of(MACHINES)["pay"].blocks == (("ask_card", "ask_pin"), ("ask_sum",), ("ask_birthday",))


def test_corrupted_walks_announce_what_no_query_brought(table: Stage) -> None:
    """Outcome first, query dropped, other outcome: one each for the first query, none where nothing was announced."""
    made = [" ".join(walk) for walk in corrupted(table.graph, "hello query_check table_offer".split())]
    assert made == ["hello table_offer query_check", "hello table_offer", "hello query_check table_offer table_sorry"]
    assert list(corrupted(table.graph, ["hello", "query_check"])) == []
    assert all(refused_at(table, walk) is not None for walk in made)


def test_foreign_walks_keep_half_the_labels(stages: dict[str, Stage]) -> None:
    """As long as before, half of it from the other graph."""
    mixed = foreign(["hello"] * 10, stages["song"].graph, Random(1))
    assert len(mixed) == 10
    assert mixed.count("hello") == 5
    assert set(mixed) <= {"hello", *stages["song"].graph.nodes}


def test_a_shuffle_of_one_request_is_left_out(table: Stage) -> None:
    """Only questions of one unbroken run changed about: the same order; anything else is another."""
    assert same_order(table.graph, ["ask_day", "ask_size", "query_check"]) == ["ask_day", "ask_size", "query_check"]
    assert shuffled(table.graph, ["ask_size", "ask_day"], Random(1)) is None
    assert shuffled(table.graph, ["ask_size", "query_check"], Random(1)) == ["query_check", "ask_size"]


def dialogue(task: str, walk: str, *, happy: bool = True, broken: int | None = None) -> dict[str, Any]:
    return {"task": task, "walk": walk.split(), "happy": happy, "invariant_break": broken}


def files(folder: Path) -> tuple[Path, Path]:
    machines, dialogues = folder / "machines.json", folder / "dialogues.jsonl.gz"
    machines.write_text(json.dumps(MACHINES))
    rows = [
        dialogue("table", "hello ask_size query_check table_offer query_book table_booked goodbye_1"),
        dialogue("pay", "ask_pin ask_card query paid my_own_words"),
        dialogue("pay", "paid"),
        dialogue("song", "ask_song query play_song", happy=False),
        dialogue("table", "query_book", broken=0),
    ]
    dialogues.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return machines, dialogues


def test_the_bench_counts_and_repeats_itself(tmp_path: Path) -> None:
    """Kinds are told apart (a break at index 0 is one), own words are listed, and a second run prints the same."""
    paths = files(tmp_path)
    told: list[tuple[int, int]] = []
    result = bench_star(*paths, lambda done, total: told.append((done, total)))
    rows = sum(len(task["transition_map"]) for task in MACHINES.values())
    assert result["map_rows"] == {"total": rows, "honoured": rows}
    assert result["happy"] == {"total": 3, "accepted": 2}
    assert result["unhappy"] == {"total": 1, "accepted": 1}
    assert result["invariant_breaks"] == {"total": 1, "rejected": 1}
    assert result["corrupted"]["rejected"] == result["corrupted"]["total"] > 0
    assert result["outside_labels"] == ["my_own_words"]
    assert told[-1] == (5, 5)
    assert bench_star(*paths) == result


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b'{"t": {}}', b'{"t": {"transition_map": [[1]], "actions": [], "events": []}}']
)
def test_a_machines_file_that_is_none_is_bad_input(tmp_path: Path, content: bytes) -> None:
    """The error names the file."""
    _, dialogues = files(tmp_path)
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    with pytest.raises(BadRequest, match=r"bad\.json"):
        bench_star(bad, dialogues)


@pytest.mark.parametrize("content", [b"{", b'{"task": 1}', b"\x1f\x8bxx", b"\xff"])
def test_a_dialogues_file_that_is_none_is_bad_input(tmp_path: Path, content: bytes) -> None:
    """The error names file and line."""
    machines, _ = files(tmp_path)
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(content)
    with pytest.raises(BadRequest, match=r"bad\.jsonl: line 1"):
        bench_star(machines, bad)


def test_the_public_data_reaches_the_goals() -> None:
    """24 graphs through one converter, real dialogues through the real engine."""
    folder = os.environ.get("MAITRED_DATA")
    if not folder:
        pytest.skip("MAITRED_DATA is not set: the public dialogues are not part of the repository")
    result = bench_star(Path(folder, "star_machines.json"), Path(folder, "star_dialogues.jsonl.gz"))
    assert result["map_rows"] == {"total": 292, "honoured": 292}
    assert result["happy"]["total"] == 1071
    assert result["happy"]["accepted"] >= 0.90 * 1071
    assert result["invariant_breaks"] == {"total": 72, "rejected": 72}
    for kind, share in {"corrupted": 0.99, "foreign": 0.95, "shuffled": 0.90}.items():
        assert result[kind]["rejected"] >= share * result[kind]["total"] > 0
