"""The menus bench: a decider sees what was known and nothing of what came, answers are judged, and shares are counted."""

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from maitred.benchmarks.malformed_server import SayingServer
from maitred.benchmarks.menus import bench_menus, wilson
from maitred.benchmarks.menus_rows import Question, read_questions, readable
from maitred.cli.main import build
from maitred.decision.client import InstructorDecider
from maitred.decision.keyword import KeywordDecider
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.errors import BadRequest, ModelAnswerUnusable, ModelDown, ModelTimeout

TALK = {
    "walk": ["hello", "bike_ask_size", "query_check", "free_text", "bike_available", "bike_ask_day", "goodbye_1"],
    "user": [" hi ", "a bike please", "medium", "", "", "and how much?", "bye"],
    "menu": [
        ["hello", "bike_ask_day", "goodbye_1"],
        ["bike_ask_day", "bike_ask_size"],
        None,
        None,
        ["bike_available", "bike_sold_out"],
        ["bike_ask_day"],
        ["goodbye_1", "hello", "bike_ask_size"],
    ],
}


def written(folder: Path, talks: Sequence[object] = (TALK,)) -> Path:
    path = folder / "talks.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(talk) + "\n" for talk in talks).encode()))
    return path


@pytest.fixture
def questions(tmp_path: Path) -> list[Question]:
    return read_questions(written(tmp_path))


def many(folder: Path, talks: int = 40) -> list[Question]:
    return read_questions(written(folder, [TALK] * talks))


def of_menu(place: int) -> Any:
    return lambda request: AgentDecision(action=request.menu.names[place])


def knowing(questions: Sequence[Question], seed: int) -> ScriptedDecider:
    """Always right: it has the answers."""
    gold = {(q.line, q.request(seed).text): q.gold for q in questions}
    return ScriptedDecider(
        lambda request: AgentDecision(action=gold[int(request.session_id.removeprefix("line-")), request.text])
    )


# The questions


def test_a_request_holds_what_was_known_at_its_place(questions: list[Question]) -> None:
    """The customer's last words, turns before it, what was done since; the place after a query keeps the words before it."""
    asked = [question.request(1) for question in questions]
    assert [request.text for request in asked] == ["hi", "a bike please", "medium", "and how much?", "bye"]
    assert [dict(request.data) for request in asked] == [{}, {}, {"done": "Query check; Free text"}, {}, {}]
    assert [(e.user, e.reply, e.turn) for e in asked[3].history] == [
        ("hi", "Hello", 1),
        ("a bike please", "Bike ask size", 2),
        ("medium", "Query check; Free text; Bike available", 3),
    ]
    assert asked[0].history == ()
    assert [question.queried for question in questions] == [False, False, True, False, False]


def test_nothing_of_the_choice_or_of_later_enters_a_request(tmp_path: Path, questions: list[Question]) -> None:
    """Another choice and another end of the dialogue: the same request."""
    other = {**TALK, "walk": ["goodbye_1", *["x_end"] * 6], "user": [" hi ", *["later"] * 6]}
    other["menu"] = [TALK["menu"][0], *[None] * 6]
    assert read_questions(written(tmp_path, [other]))[0].request(1) == questions[0].request(1)


def test_labels_are_made_readable() -> None:
    """Words, without a number at the end; never empty."""
    assert [readable(label) for label in ("party_ask_day", "goodbye_1", "answer_2_ask", "7", "_")] == [
        "Party ask day",
        "Goodbye",
        "Answer 2 ask",
        "7",
        "_",
    ]


def test_options_are_shuffled_by_the_seed(tmp_path: Path) -> None:
    """Each place of the suggested action comes up about as often; a seed gives the same order again, another one another."""
    of_three = [question for question in many(tmp_path, 200) if len(question.offer) == 3]

    def orders(seed: int) -> list[tuple[str, ...]]:
        return [question.request(seed).menu.names for question in of_three]

    places = [names.index(question.offer[0]) for question, names in zip(of_three, orders(1), strict=True)]
    assert all(0.25 < places.count(place) / len(places) < 0.42 for place in range(3))
    assert orders(1) == orders(1) != orders(2)
    assert all(set(names) == set(q.offer) for q, names in zip(of_three, orders(1), strict=True))


# The figures


async def test_a_decider_that_knows_is_always_right(tmp_path: Path, questions: list[Question]) -> None:
    """And menus of one action are not asked."""
    told: list[tuple[int, int]] = []
    decider = knowing(questions, 5)
    found: Any = await bench_menus(questions, decider, seed=5, progress=lambda *done: told.append(done))
    assert found["menus"] == {"total": 5, "of_one_action": 1, "asked": 4}
    assert (found["accuracy"], found["legal"], found["errors"], found["refused"]) == (1.0, 4, {}, {})
    assert found["first"] == 0.75
    assert found["chance"] == round((2 / 3 + 2 / 2) / 4, 4)
    assert {size: part["total"] for size, part in found["by_size"].items()} == {"2": 2, "3": 2}
    assert (found["after_message"]["total"], found["after_query"]["total"]) == (3, 1)
    assert told == [(n, 4) for n in range(1, 5)]


async def test_who_always_takes_the_first_line_is_at_chance(tmp_path: Path) -> None:
    """After shuffling: its place tells nothing."""
    questions = many(tmp_path, 200)
    found: Any = await bench_menus(questions, ScriptedDecider(of_menu(0)))
    low, high = found["interval_95"]
    assert low < found["chance"] < high < found["first"]


async def test_refused_answers_are_wrong_and_told_apart(questions: list[Question]) -> None:
    """Not on the menu, no shape, words only, unusable, too late: none is a choice, none stops the bench."""
    script = [
        {"action": "bike_paint"},
        {"acts": 1},
        AgentDecision(action="hello", parameters={"size": 1}),
        AgentDecision(action="answer"),
    ]
    found: Any = await bench_menus(questions, ScriptedDecider(script))
    assert (found["right"], found["legal"], found["accuracy_of_legal"]) == (0, 0, None)
    assert (found["refused"], found["errors"]) == ({"illegal": 3, "answer": 1}, {})
    failing = ScriptedDecider([ModelAnswerUnusable("no"), ModelTimeout("late"), {"acts": 1}, {"acts": 1}])
    found = await bench_menus(questions, failing)
    assert found["refused"] == {"illegal": 2, "model_answer_unusable": 1, "model_timeout": 1}


async def test_a_model_that_is_down_stops_the_bench(questions: list[Question]) -> None:
    """Its silence is not a share of wrong answers."""
    with pytest.raises(ModelDown):
        await bench_menus(questions, ScriptedDecider([ModelDown("500")]))


async def test_errors_say_what_was_taken_for_what(tmp_path: Path) -> None:
    """Most frequent first, at most twenty kinds, only of legal answers."""

    def wrong(request: DecisionRequest) -> AgentDecision:
        names = set(request.menu.names) - {"goodbye_1", "bike_available"}
        return AgentDecision(action="bike_ask_day" if "bike_ask_day" in names else min(names))

    found: Any = await bench_menus(many(tmp_path, 3), ScriptedDecider(wrong))
    assert found["errors"] == {
        "hello -> bike_ask_day": 3,
        "bike_ask_size -> bike_ask_day": 3,
        "bike_available -> bike_sold_out": 3,
        "goodbye_1 -> bike_ask_size": 3,
    }
    talks = [{"walk": [f"a{n}"], "user": ["x"], "menu": [[f"a{n}", "b"]]} for n in range(30)]
    found = await bench_menus(
        read_questions(written(tmp_path, talks)), ScriptedDecider(lambda _: AgentDecision(action="b"))
    )
    assert len(found["errors"]) == 20


async def test_a_limit_draws_by_the_seed_and_asks_the_same(tmp_path: Path) -> None:
    """A part of the file, in its order, with the options as in a run over all."""
    questions = many(tmp_path)
    whole, part, again, other = (ScriptedDecider(of_menu(0)) for _ in range(4))
    await bench_menus(questions, whole, seed=3)
    found: Any = await bench_menus(questions, part, limit=10, seed=3)
    await bench_menus(questions, again, limit=10, seed=3)
    await bench_menus(questions, other, limit=10, seed=4)
    assert found["menus"]["asked"] == found["total"] == len(part.requests) == 10
    assert part.requests == again.requests == [request for request in whole.requests if request in part.requests]
    assert [r.session_id for r in part.requests] != [r.session_id for r in other.requests]
    assert len(whole.requests) == 160


async def test_a_model_is_asked_over_http(questions: list[Question]) -> None:
    """The real client; what it says is judged as its choice."""
    async with SayingServer() as server, InstructorDecider("bench", server.url, api_key="none", pause_s=0.0) as decider:
        server.says = json.dumps({"action": "bike_ask_size", "parameters": {}, "reply_text": ""})
        found: Any = await bench_menus(questions, decider)
        assert (found["decider"], server.heard) == ("bench", 4)
    assert (found["right"], found["legal"], found["refused"]) == (1, 2, {"illegal": 2})


@pytest.mark.parametrize(
    ("right", "total", "interval"),
    [
        (0, 0, (0.0, 1.0)),
        (0, 10, (0.0, 0.2775)),
        (10, 10, (0.7225, 1.0)),
        (5, 10, (0.2366, 0.7634)),
        (81, 263, (0.2553, 0.3662)),
    ],
)
def test_the_interval_is_wilsons(right: int, total: int, interval: tuple[float, float]) -> None:
    """Against published values (Newcombe 1998, 81 of 263) and the closed forms at 0 and 1."""
    assert wilson(right, total) == interval


# The file and the command


BAD = {
    "no array": ({**TALK, "user": "hi"}, "user: "),
    "missing": ({"walk": []}, "user: .*required"),
    "uneven": ({**TALK, "user": ["hi"]}, "7 of walk, 1 of user, 7 of menu"),
    "gold not offered": ({"walk": ["a"], "user": ["x"], "menu": [["b"]]}, "menu 0 must hold walk 0"),
    "twice": ({"walk": ["a"], "user": ["x"], "menu": [["a", "a"]]}, "nothing twice"),
    "empty menu": ({"walk": ["a"], "user": ["x"], "menu": [[]]}, r"menu\.0: "),
    "no label": ({"walk": [""], "user": ["x"], "menu": [None]}, r"walk\.0: "),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_line_that_is_no_dialogue_is_named(tmp_path: Path, kind: str) -> None:
    """File, line, field and rule."""
    talk, said = BAD[kind]
    with pytest.raises(BadRequest, match=rf"talks\.jsonl\.gz: line 2: .*{said}"):
        read_questions(written(tmp_path, [TALK, talk]))


@pytest.mark.parametrize("content", [b"", b"\x1f\x8bxx", b"\xff", b'{"walk": ["a"], "user": ["x"], "menu": [["a"]]}'])
def test_a_file_without_choices_is_bad_input(tmp_path: Path, content: bytes) -> None:
    """Empty, broken, or only menus of one action: no figure comes of it."""
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadRequest, match=r"bad\.jsonl: "):
        read_questions(path)


def test_the_command_prints_the_document(tmp_path: Path) -> None:
    """All menus for the keywords, a limit if one is given."""
    arguments = ["bench", "menus", "--dialogues", str(written(tmp_path)), "--decider", "keyword", "--json"]
    ran = CliRunner().invoke(build(), arguments)
    assert ran.exit_code == 0
    assert (json.loads(ran.stdout)["decider"], json.loads(ran.stdout)["total"]) == ("keyword", 4)
    assert json.loads(CliRunner().invoke(build(), [*arguments, "--limit", "2"]).stdout)["total"] == 2


@pytest.mark.parametrize("decider", ["model", "local"])
def test_a_decider_needs_its_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decider: str) -> None:
    """What is missing is said before a file is read."""
    for name in ("MODEL", "LOCAL"):
        monkeypatch.delenv(f"MAITRED_{name}", raising=False)
    ran = CliRunner().invoke(build(), ["bench", "menus", "--dialogues", "nowhere", "--decider", decider])
    assert isinstance(ran.exception, BadRequest)
    assert f"--{decider}" in str(ran.exception)


async def test_the_public_menus_are_read_as_they_are() -> None:
    """Counts of the data, and the keyword decider: rarely a choice, and then a right one. The figures of docs/benchmarks.md."""
    folder = os.environ.get("MAITRED_DATA")
    if not folder:
        pytest.skip("MAITRED_DATA is not set: the public dialogues are not part of the repository")
    questions = read_questions(Path(folder, "star_dialogues.jsonl.gz"))
    found: Any = await bench_menus(questions, KeywordDecider())
    assert found["menus"] == {"total": 10070, "of_one_action": 135, "asked": 9935}
    assert found["first"] == pytest.approx(0.88, abs=0.005)
    assert found["legal"] + sum(found["refused"].values()) == 9935
    assert found["accuracy_of_legal"] > 0.8
