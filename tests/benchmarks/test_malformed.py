"""The malformed bench: damage is put on decisions as the rows show it, cases end as they should, and faults would be seen."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.benchmarks.malformed import OUTCOMES, bench_malformed
from maitred.benchmarks.malformed_case import Mouth, Stage, opened, play_case
from maitred.benchmarks.malformed_damage import INSTEAD, damaged, written
from maitred.benchmarks.malformed_scenes import CONVERSATIONS
from maitred.benchmarks.malformed_server import SayingServer
from maitred.cli.main import main
from maitred.decision.salvage import Unusable, salvage
from maitred.examples.presales.world import World
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.errors import BadRequest
from maitred.protocol.messages import AgentResponse

MEANT = AgentDecision(action="provide", parameters={"seats": 25, "recording": True}, reply_text="Noted: 25.")
WHOLE = '{"action": "provide", "parameters": {"seats": 25, "recording": true}, "reply_text": "Noted: 25."}'
LINES = CONVERSATIONS["en"]

SOUND = {
    '{"a": "b"}': ("undamaged", WHOLE),
    ' {"a": {"b": [1, "}"]}}\n': ("undamaged", f" {WHOLE}\n"),
    'Sure:\n```json\n{"a": 1}\n```': ("around", f"Sure:\n```json\n{WHOLE}\n```"),
    '<think>{b}</think>{"a": 1}': ("around", f"<think>{{b}}</think>{WHOLE}"),
    '{"a": 1} {"b": 2}': ("around", f'{WHOLE} {{"b": 2}}'),
}
CUT = {
    '{"name": "Jo': ("cut", '{"action": "provi'),
    '{"n": [7, 12': ("cut", '{"action": "provide", "parameters": {"seats": 2'),
    '{"n": {"a": 7,': ("cut", '{"action": "provide", "parameters": {"seats": 25,'),
    'Well: {"name":': ("cut", 'Well: {"action": "provide", "parameters": {"seats":'),
    '{"name": "Jo\\': ("cut", '{"action": "provi\\'),
}
WITHIN = {
    '{\\"a\\": \\"b\\"}': ("all quotes escaped", WHOLE.replace('"', '\\"')),
    '{{"a": "b"}}': ("braces doubled", f"{{{WHOLE}}}"),
    '{"a": 1, // why\n "b": 2}': ("comment", WHOLE.replace(", ", ", // why\n ", 1)),
    '{"a": "http://x", /* why */ "b": 2}': ("comment", WHOLE.replace(", ", ", /* why */ ", 1)),
    '{“a”: "b"}': (
        "slanted quotes",
        '{“action”: "provide", “parameters”: {“seats”: 25, “recording”: true}, “reply_text”: "Noted: 25."}',
    ),
    "{'a': 'b'}": ("single quotes", WHOLE.replace('"', "'")),
    '{"a": ""b"}': ("quotes doubled", WHOLE.replace('"Noted', '""Noted')),
    '{"a": True}': ("words of Python", WHOLE.replace("true", "True")),
    '{"a": .5}': ("no JSON number", WHOLE.replace("25,", ".25,")),
    '{"a": 007}': ("no JSON number", WHOLE.replace("25,", "0025,")),
    '{"a": 5-10}': ("no JSON number", WHOLE.replace("25,", "25-10,")),
    '{"a": 1, "b": }': ("value missing", WHOLE.replace('"Noted: 25."', "")),
    '{"a": 1, ...}': ("dots for the rest", WHOLE[:-1] + ", ...}"),
    '{"a": 1,}': ("comma too many", WHOLE[:-1] + ", }"),
    '{"a": "b" "c": "d"}': ("comma missing", WHOLE.replace(", ", " ", 1)),
    '{"a: "b"}': ("closing quote of a key missing", WHOLE.replace('action"', "action")),
    '{"a"b"": "c"}': ("quotes in a key", WHOLE.replace("action", 'ac"tion"')),
    '{"a": 1, so "b": 2}': ("word before a key", WHOLE.replace(", ", ",  so ", 1)),
    '{"a": "b" so}': ("word behind a value", WHOLE[:-1] + " so}"),
    '{"a": "b\nc"}': ("line break in a string", WHOLE[:-2] + '\n\t"}'),
    '{"a": "b\\c"}': ("no such escape", WHOLE[:-2] + '\\e"}'),
    '{"a": "he said "b" and left."}': ("quotes in a value", WHOLE.replace("Noted: 25.", 'Not"ed:" 25.')),
    '{"a": "b}': ("closing quote missing", WHOLE[:-2] + "}"),
    '{"a": ["b"}, "c": ["d"]}': ("wrong bracket", WHOLE.replace("}", "]", 1)),
    '{"a"}': ("key alone", WHOLE.replace(': "Noted: 25."', "")),
    '{"a": 1, ["b"]}': ("list as a member", WHOLE[:-1] + ', ["b"]}'),
    '{a: "b"}': (
        "keys without quotes",
        '{action: "provide", parameters: {seats: 25, recording: true}, reply_text: "Noted: 25."}',
    ),
    '{"a": b}': ("value without quotes", WHOLE.replace('"Noted: 25."', "Noted: 25.")),
    '{"a": 1, "a": 1}': ("key twice", WHOLE.replace('{"action": "provide", ', '{"action": "provide", "action": "provide", ', 1)),
    '{"a": {"b": 1}': ("bracket missing", WHOLE.replace("}", "", 1)),
    '{"a": [{"b": 1}}]}': ("bracket too many", WHOLE.replace("}", "}}", 1)),
    '{a}': (INSTEAD, "{a}"),
    '["a": "b"]': ("brackets for braces", f"[{WHOLE[1:-1]}]"),
    'a: b': ("braces missing", WHOLE[1:-1]),
    "": (INSTEAD, ""),
    "I think so.": (INSTEAD, "I think so."),
    "[1, 2]": (INSTEAD, "[1, 2]"),
    "null": (INSTEAD, "null"),
}  # fmt: skip


@pytest.mark.parametrize("row", [*SOUND, *CUT, *WITHIN])
def test_the_decision_gets_the_damage_of_the_row(row: str) -> None:
    """What is wrong with the row is wrong with the decision, and nothing else."""
    way, text = (SOUND | CUT | WITHIN)[row]
    made = damaged(row, MEANT)
    assert (made.way, made.text) == (way, text)


@pytest.mark.parametrize("row", [*CUT, *WITHIN])
def test_what_is_damaged_within_is_never_taken(row: str) -> None:
    """The object is not mended; what stands around a whole one is no damage to it."""
    assert isinstance(salvage(damaged(row, MEANT).text), Unusable)


@pytest.mark.parametrize("line", [*CONVERSATIONS["en"], *CONVERSATIONS["zh"]], ids=lambda line: line.text)
def test_no_beginning_of_a_decision_is_taken(line: Any) -> None:
    """25 seats cut to 2 are not 2 seats, wherever the text stops; nor if only its head is lost."""
    whole = written(line.meant)
    taken = [n for n in range(len(whole)) if isinstance(salvage(whole[:n]), str)]
    assert taken == []
    assert [n for n in range(1, len(whole)) if isinstance(salvage(whole[n:]), str)] == []


pieces = st.lists(st.sampled_from([*"{}[]:,\"'\\ \n/#“.-_1a", '"a"', '"a": ', "true", "True", '{"a": 1}']), max_size=12)


@given(st.text() | pieces.map("".join))
def test_no_row_is_too_strange(row: str) -> None:
    """Always some text, never another decision in whole JSON: that would be no damage but another answer."""
    made = damaged(row, MEANT)
    if made.way == INSTEAD:
        assert made.text == row
    else:
        try:
            value = json.loads(made.text, object_pairs_hook=lambda pairs: pairs)
        except ValueError:
            return
        assert value == json.loads(WHOLE, object_pairs_hook=lambda pairs: pairs) or made.way == "key twice"


# --- the figures ---

ROWS = [
    {"text": '{"a": 1}', "expected": None, "kind": "valid"},
    {"text": 'So:\n```\n{"a": 1}\n```', "expected": "", "kind": "fenced"},
    {"text": '{"a": 1, "b": 2', "expected": "", "kind": "truncated"},
    {"text": "{'a': 'b'}", "kind": "quotes"},
    {"text": "no"},
    {"text": "[\ud800]", "kind": "odd"},
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n", encoding="utf-8")
    return path


def test_every_case_ends_in_one_way(rows: Path) -> None:
    """Understood at once, or: once asked again, twice rolled back, three times handed over. A second run says the same."""
    told: list[tuple[int, int]] = []
    figures: Any = bench_malformed(rows, World, lambda done, total: told.append((done, total)))
    assert list(figures)[:7] == ["total", *OUTCOMES, "illegal_moves"]
    assert [figures[name] for name in list(figures)[:7]] == [18, 6, 4, 4, 4, 0, 0]
    assert figures["by_kind"]["fenced"] == {"salvaged": 3}
    assert figures["by_kind"]["unnamed"] == {"accepted_after_retry": 1, "rolled_back": 1, "escalated": 1}
    assert sum(counts.get("escalated", 0) for counts in figures["by_damage"].values()) == 4
    assert figures["findings"] == []
    assert told == [(n, 18) for n in range(1, 19)]
    assert bench_malformed(rows, World) == figures


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no rows"),
        (b'{"text": "a"}\n{', "line 2: not JSON"),
        (b'{"text": "a"}\n\n["a"]\n{"text": 1}', "line 3: a JSON list; wanted is an object.*line 4: 'text' is int"),
        (b'{"kind": "a"}', "line 1: 'text' is NoneType; wanted is a string"),
        (b'{"text": "a", "kind": null}', "line 1: 'kind' is NoneType"),
        (b"[1]\n" * 9, r"and 4 more"),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_file_with_bad_rows_is_refused_whole(tmp_path: Path, content: bytes, said: str) -> None:
    """The error names file, line, what came and what was wanted: no row is left out in silence."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(content)
    with pytest.raises(BadRequest, match=rf"(?s)bad\.jsonl: .*{said}"):
        bench_malformed(bad, World)


def test_the_command_prints_one_document(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--json` for programs: nothing else on stdout or stderr. A file that is not there is bad input."""

    def ran(path: Path) -> object:
        monkeypatch.setattr(sys, "argv", ["maitred", "bench", "malformed", "--file", str(path), "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code

    assert ran(rows) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["total"] == 18
    assert shown.err == ""
    assert ran(tmp_path / "none.jsonl") == 2
    assert "none.jsonl" in capsys.readouterr().err


# --- faults would be seen ---


class Mending:
    """A client as it must not be: it closes what is open and takes that for the decision."""

    name, timeout_s = "mending", 5.0

    def __init__(self, server: SayingServer) -> None:
        self.server = server

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        says = self.server.says
        for end in ("", "}", "}}", '"}', '"}}'):
            try:
                return AgentDecision.model_validate_json(says + end)
            except ValueError:
                continue
        raise ValueError("not to be mended")


class Broken(World):
    """A world in which what follows a turn fails."""

    async def after_turn(self, maitred: Any, response: AgentResponse, came_from: str) -> Any:
        raise RuntimeError("the bank is shut")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    return tmp_path / "a", tmp_path / "b"


@asynccontextmanager
async def stage(folder: Path, row: str, repeats: int) -> AsyncIterator[Stage]:
    server = SayingServer()
    mouth = Mouth(server, Mending(server), lambda meant: damaged(row, meant).text, repeats)
    async with opened(folder, World, mouth, "en") as made:
        yield made


async def test_a_truncated_amount_that_counts_is_an_illegal_move(tmp_path: Path) -> None:
    """A decider that mends cut numbers is found out by what it did, in the log and beside the decision meant."""
    async with stage(tmp_path, '{"n": [7, 12', 1) as made:
        judged = await play_case(made, LINES[:1], [])
    assert judged.outcome == "salvaged"
    assert judged.illegal_moves == 3  # the value, and that it was dropped for the one that the customer gave
    assert made.taken[0][0].parameters["seats"] == 2


async def test_words_that_were_not_meant_are_illegal_too(folders: tuple[Path, Path]) -> None:
    """Even where the moves are the same."""
    async with stage(folders[0], '{"a": "b"}', 1) as made:
        await made.play(LINES[0])
        first = (await made.maitred.replay("bench")).moves
    moved = [(e.event, e.actor, e.source_state, e.target_state, e.payload) for e in first]
    cut_in_the_words = '{"a": "' + "x" * 60
    async with stage(folders[1], cut_in_the_words, 1) as made:
        judged = await play_case(made, LINES[:1], moved)
    assert (judged.outcome, judged.illegal_moves, judged.why) == ("salvaged", 1, "another decision was taken")


async def test_after_a_rollback_the_customer_says_it_again(folders: tuple[Path, Path]) -> None:
    """The second time the good decision is taken."""
    async with stage(folders[0], "no", 2) as made:
        judged = await play_case(made, LINES[:1], [])
    assert judged.outcome == "rolled_back"
    assert made.taken == [(LINES[0].meant, LINES[0].meant)]


async def test_an_exception_that_reaches_the_caller_is_a_crash(tmp_path: Path) -> None:
    """Whatever it is."""
    async with stage(tmp_path, '{"a": "b"}', 1) as made:
        made.world = Broken(tmp_path / "other.db")
        judged = await play_case(made, LINES[:1], [])
    assert (judged.outcome, judged.why) == ("crashed", "RuntimeError: the bank is shut")


def test_the_public_data_ends_without_crash_or_illegal_move() -> None:
    """91 rows, three times each."""
    folder = os.environ.get("MAITRED_DATA")
    if not folder:
        pytest.skip("MAITRED_DATA is not set: the public rows are not part of the repository")
    figures: Any = bench_malformed(Path(folder, "malformed_json.jsonl"), World)
    assert figures["total"] == 273 == sum(figures[name] for name in OUTCOMES)
    assert (figures["crashed"], figures["illegal_moves"], figures["findings"]) == (0, 0, [])
    assert figures["by_damage"]["undamaged"] == {"salvaged": figures["by_damage"]["undamaged"]["salvaged"]}
    assert figures["escalated"] == figures["rolled_back"] == figures["accepted_after_retry"] > 0
