"""Every command as its user meets it."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from maitred.cli.main import COMMANDS
from maitred.examples.presales.flow import Presales


def test_help_names_every_command(run):
    """`maitred --help` lists all of them, and each has a help of its own."""
    shown = run("--help").out
    for name in COMMANDS:
        assert name in shown
        assert "Usage" in run(name, "--help").out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_demo_shows_all_seven_states_and_ends_in_completed(run, lang):
    """The main job, in both languages."""
    ran = run("demo", "--lang", lang)
    assert ran.code == 0
    last = ran.out.strip().splitlines()
    assert "is in completed" in last[-1]
    assert "equals the snapshot" in last[-1]
    assert last[-2].startswith("states: " + " → ".join(Presales) + " → completed")


def test_the_demo_speaks_json(run):
    """Each turn with menu, decisions, moves and reply; the order number exists in the shop's database."""
    shown = json.loads(run("demo", "--json", "--db", "d.db").out)
    assert shown["state"] == "completed"
    assert shown["replay_equal"] is True
    assert all(turn["menu"] for turn in shown["turns"] if turn["user"] != "(payment callback)")
    numbers = {n for turn in shown["turns"] for n in re.findall(r"SO\d{8}-\d{6}", turn["reply"] or "")}
    with sqlite3.connect("d.shop.db") as shop:
        in_shop = {row[0] for row in shop.execute("SELECT order_no FROM orders")}
    shop.close()
    assert numbers == in_shop
    assert len(numbers) == 1


def test_a_demo_that_does_not_complete_exits_with_1(run):
    """Own messages are played; a customer who leaves early is no success."""
    Path("two.txt").write_text("hello\nforget it, bye\n", encoding="utf-8")
    ran = run("demo", "--messages", "two.txt")
    assert ran.code == 1
    assert "is in abandoned" in ran.out
    assert "not reached" in ran.out


def test_a_new_flow_is_clean_and_sells_tea(run):
    """`new`, `check` and `chat` on what it wrote, in English and Chinese."""
    assert run("new", "shop").code == 0
    assert "0 errors, 0 warnings, 0 notes" in run("check", "shop").out
    english = run("chat", "--flow", "shop", "--why", stdin="hello\ngreen tea\n3 tins\nyes\n")
    assert "3 tins of green tea are on their way" in english.out
    assert "menu: provide" in english.out
    chinese = run("chat", "--flow", "shop", stdin="你好\n红茶，两罐\n是\n")
    assert "谢谢！2 罐 红茶 马上发出。" in chinese.out
    assert "罐数不能大于 50。" in run("chat", "--flow", "shop", stdin="红茶，90罐\n").out


def test_the_table_of_the_demo_has_one_rule_and_stands_under_its_heads(run):
    """The first thing that anybody sees."""
    head, rule, first, *rest = run("demo").out.splitlines()
    assert (set(rule), any(set(line) == {"─"} for line in (head, first, *rest))) == ({"─"}, False)
    assert (head.index("user"), head.index("menu"), head.index("decision")) == (
        first.index("Hello!"),
        first.index("provide"),
        first.index("guard"),
    )


def test_new_does_not_overwrite(run):
    """What is there stays."""
    run("new", "shop")
    again = run("new", "shop")
    assert again.code == 2
    assert "there already" in again.err


@pytest.mark.parametrize("name", ["../x", "Shop", "", "a b", "x" * 60])
def test_new_refuses_odd_names(run, name):
    """A name is a folder and a flow."""
    assert run("new", name).code == 2


def test_check_names_file_line_and_the_nearest_name(run):
    """A mistake costs exit code 1 and one line."""
    run("new", "shop")
    path = Path("shop/flow.yaml")
    path.write_text(
        path.read_text(encoding="utf-8").replace("event: bought, confirm", "event: bougt, confirm"), encoding="utf-8"
    )
    ran = run("check", "shop")
    assert ran.code == 1
    assert re.search(r"shop/flow\.yaml:\d+: .*bougt.*did you mean 'bought'", ran.out)
    found = json.loads(run("check", "shop", "--json").out)
    assert {"unknown_event"} <= {finding["code"] for finding in found}


def test_the_example_has_no_errors_and_no_warnings(run):
    """`maitred check` without an argument looks at the example."""
    ran = run("check")
    assert ran.code == 0
    assert "0 errors, 0 warnings" in ran.out


def test_graph_prints_mermaid_and_writes_svg(run):
    """Text by default; SVG through the extra."""
    assert "flowchart" in run("graph").out
    assert run("graph", "--format", "svg", "--out", "g.svg").code == 0
    assert Path("g.svg").read_text(encoding="utf-8").lstrip().startswith("<svg")


def test_sessions_and_replay_of_a_chat(run):
    """A chat is found again and replays equal."""
    run("chat", "--session", "s1", stdin="hello\nWe are Acme Ltd, 20 people\n")
    rows = json.loads(run("sessions", "--json").out)
    assert [(row["session_id"], row["flow"], row["state"]) for row in rows] == [("s1", "presales", "info_collection")]
    ran = run("replay", "s1")
    assert ran.code == 0
    assert "the log equals the snapshot" in ran.out
    assert "slots_provided" in ran.out


def test_a_chat_shows_no_words_of_another_version(run):
    """What the session holds may have other names in the flow that is loaded, and would be shown as a dash."""
    run("new", "shop")
    run("chat", "--flow", "shop", "--session", "s1", stdin="3 tins of green tea\n")
    later = Path("later")
    later.mkdir()
    for name in ("flow.yaml", "tools.py"):
        text = (
            Path("shop", name)
            .read_text(encoding="utf-8")
            .replace("tins", "boxes")
            .replace('version: "1"', 'version: "2"')
        )
        (later / name).write_text(text, encoding="utf-8")
    again = run("chat", "--flow", "later", "--session", "s1")
    assert "going on in confirm" in again.out
    assert "it began under version '1' of 'shop'; this is '2' of 'shop'" in again.out
    assert "Order them?" not in again.out


def test_a_chat_goes_on_where_it_was(run):
    """`--session` comes back to it."""
    run("chat", "--session", "s1", stdin="We are Acme Ltd, 20 people\n")
    again = run("chat", "--session", "s1", stdin="13800138000\n/state\n")
    assert "going on in info_collection" in again.out
    assert '"contact": "13800138000"' in again.out


def test_chat_commands(run):
    """/help, /why, /restart, /state, /post, /tick, /quit, and one that does not exist."""
    lines = "/help\n/why\nhello\n/restart\n/state\n/post nonsense {}\n/post payment_complete {\n/tick\n/nope\n/quit\nnever said\n"
    ran = run("chat", stdin=lines)
    assert ran.code == 0
    for part in (
        "/restart",
        "--why is on",
        "menu:",
        "nothing said yet",
        "unknown_event",
        "JSON object",
        "no command /nope",
    ):
        assert part in ran.out
    assert "never said" not in ran.out


DAMAGES = {
    "one byte changed": (
        "UPDATE log SET body = replace(CAST(body AS TEXT), 'Acme', 'Bcme') WHERE n = 7",
        "record 7 was changed",
    ),
    "record missing": ("DELETE FROM log WHERE n = 4", "record 4 is missing"),
    "two swapped": (
        "UPDATE log SET n = -5 WHERE n = 5; UPDATE log SET n = 5 WHERE n = 6; UPDATE log SET n = 6 WHERE n = -5",
        "record 5",
    ),
    "last one cut off": ("DELETE FROM log WHERE n = (SELECT max(n) FROM log)", "is missing: the log ends before it"),
    "snapshot changed": (
        "UPDATE sessions SET snapshot = replace(CAST(snapshot AS TEXT), '\"seats\":20', '\"seats\":90')",
        "snapshot differs",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_replay_finds_and_names_a_damaged_log(run, damage):
    """Exit code 1, and the record."""
    run("chat", "--session", "s1", stdin="hello\nWe are Acme Ltd, 20 people\n13800138000\n")
    sql, said = DAMAGES[damage]
    with sqlite3.connect("maitred.db") as db:
        if damage == "one byte changed":
            n = db.execute("SELECT n FROM log WHERE CAST(body AS TEXT) LIKE '%Acme%' ORDER BY n LIMIT 1").fetchone()[0]
            sql, said = sql.replace("n = 7", f"n = {n}"), f"record {n} was changed"
        db.executescript(sql)
    db.close()
    ran = run("replay", "s1")
    assert ran.code == 1
    assert said in ran.out
    assert json.loads(run("replay", "s1", "--json").out)["equal"] is False


def test_replay_all_names_what_does_not_hold(run):
    """Every session is checked; one that was tampered with is named with its record, and one of another flow counted apart."""
    for name in ("s1", "s2", "s3"):
        run("chat", "--session", name, stdin="hello\nWe are Acme Ltd, 20 people\n")
    whole = json.loads(run("replay", "--all", "--json").out)
    assert (whole["sessions"], whole["equal"], whole["broken"], whole["other_flows"]) == (3, 3, [], {})
    assert "3 of 3 sessions" in run("replay", "--all").out
    with sqlite3.connect("maitred.db") as db:
        db.execute("DELETE FROM log WHERE session_id = 's2' AND n = 4")
        db.execute(
            'UPDATE sessions SET snapshot = replace(CAST(snapshot AS TEXT), \'"fingerprint":"\', \'"fingerprint":"0\') '
            "WHERE session_id = 's3'"
        )
    db.close()
    ran = run("replay", "--all", "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["equal"], [(b["session"], b["record"]) for b in found["broken"]]) == (1, 1, [("s2", 4)])
    assert sum(found["other_flows"].values()) == 1
    assert "s2: record 4 is missing" in run("replay", "--all").out


def test_replay_takes_a_session_or_all(run):
    """Not both, not neither."""
    for arguments in (("replay",), ("replay", "s1", "--all")):
        ran = run(*arguments)
        assert (ran.code, "a session id, or --all" in ran.err) == (2, True)


def test_replay_and_sessions_need_a_database_that_is_there(run):
    """No empty file is made by looking."""
    for command in (("replay", "s1"), ("sessions",)):
        ran = run(*command)
        assert ran.code == 2
        assert "no database" in ran.err
    assert not Path("maitred.db").exists()


def test_replay_of_an_unknown_session_lists_the_known(run):
    """One looks for a name that is there."""
    run("chat", "--session", "s1", stdin="hello\n")
    ran = run("replay", "s2")
    assert ran.code == 2
    assert "sessions: s1" in ran.err


def test_schema_prints_json_schema(run):
    """All four messages, the decision and the session."""
    assert set(json.loads(run("schema").out)["discriminator"]["mapping"]) == {
        "user_request",
        "agent_response",
        "tool_call",
        "state_event",
    }
    for name in ("user_request", "agent_response", "tool_call", "state_event", "agent_decision", "session"):
        assert json.loads(run("schema", name).out)["additionalProperties"] is False
    assert run("schema", "nothing").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("chat", "--flow", "nowhere.yaml"),
        ("chat", "--flow", "no.such.module:flow"),
        ("check", "nowhere"),
        ("graph", "nowhere"),
        ("demo", "--messages", "nowhere.txt"),
        ("chat", "--session", "a b"),
        ("chat", "--session", "{x}"),
        ("chat", "--db", "."),
        ("chat", "--db", ""),
        ("demo", "--db", "no-such-folder/x.db"),
        ("chat", "--meta", "nonsense"),
        ("bench", "star", "--machines", "nowhere", "--dialogues", "nowhere"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(run, arguments):
    """No traceback, no half-done work."""
    ran = run(*arguments, stdin="hello\n")
    text = ran.err or ran.out
    assert "Traceback" not in ran.out + ran.err
    assert "error" in text
    assert ran.code == 2


BAD_DATABASES = {
    "garbage": (b"this is not a database, it is a letter" * 200, "not a SQLite database"),
    "another application": (None, "another application"),
    "newer": (None, "newer maitred"),
}


@pytest.mark.parametrize("kind", BAD_DATABASES)
def test_a_database_that_is_not_ours_is_refused_and_left_alone(run, kind):
    """One sentence, and not a byte changed."""
    content, said = BAD_DATABASES[kind]
    path = Path("x.db")
    if content is not None:
        path.write_bytes(content)
    elif kind == "newer":
        run("chat", "--db", "x.db", stdin="hello\n")
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version=99")
        db.close()
    else:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE theirs(x)")
        db.close()
    before = path.read_bytes()
    ran = run("chat", "--db", "x.db", stdin="hello\n")
    assert ran.code == 2
    assert said in ran.err
    assert path.read_bytes() == before


def test_a_terminal_that_cannot_show_chinese_shows_question_marks(tmp_path):
    """No traceback, and the demo completes."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "60"}
    ran = subprocess.run(
        [sys.executable, "-m", "maitred", "demo", "--lang", "zh"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "is in completed" in ran.stdout


def test_a_shop_file_that_is_none_is_a_plain_error(run):
    """The example keeps its shop beside the sessions."""
    Path("x.shop.db").write_bytes(b"a letter, not a shop" * 100)
    ran = run("chat", "--db", "x.db", stdin="hello\n")
    assert ran.code == 2
    assert "shop" in ran.err


def test_deep_json_posted_in_a_chat_is_told_and_the_chat_goes_on(run):
    """10,000 brackets."""
    ran = run("chat", stdin="hello\n/post payment_complete " + "[" * 10_000 + "\n/state\n")
    assert ran.code == 0
    assert "bad_request" in ran.out
    assert '"state": "info_collection"' in ran.out


def test_an_escalated_chat_is_handed_back(run):
    """/resume does what a colleague would; the version is shown on demand."""
    ran = run("chat", stdin="hello\nI want to talk to a real person\nhello?\n/resume\nWe are Acme Ltd, 20 people\n")
    assert "A colleague will answer you here" in ran.out
    assert "On which phone number" in ran.out
    assert run("--version").out.startswith("maitred ")


def test_the_script_runs_as_a_module_and_survives_a_closed_pipe(tmp_path):
    """`python -m maitred`, and `| head`."""
    command = f"{sys.executable} -m maitred demo | head -n 1"
    ran = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr
