"""Sessions out of a store, into another, and gone for good."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest


def chat(run, session: str, words: str, db: str = "maitred.db"):
    return run("chat", "--db", db, "--session", session, stdin=words)


def names(run, db: str = "maitred.db") -> list[str]:
    return sorted(row["session_id"] for row in json.loads(run("sessions", "--db", db, "--json").out))


def test_a_session_moves_and_goes_on(run):
    """In the other store it is where it was, and its log replays."""
    chat(run, "s1", "We are Acme Ltd, 20 people\n")
    chat(run, "s2", "你好\n")
    exported = run("sessions", "export", "s1", "--out", "s1.jsonl")
    assert (exported.code, exported.out) == (0, "")
    ran = run("sessions", "import", "s1.jsonl", "--db", "other.db", "--json")
    assert (ran.code, json.loads(ran.out)) == (0, {"imported": ["s1"], "already_there": []})
    assert names(run, "other.db") == ["s1"]
    assert json.loads(run("replay", "s1", "--db", "other.db", "--json").out)["equal"]
    assert '"contact": "13800138000"' in chat(run, "s1", "13800138000\n/state\n", "other.db").out
    again = run("sessions", "import", "s1.jsonl", "--db", "other.db")
    assert (again.code, "already there: s1" in again.out) == (1, True)


def test_all_sessions_through_a_pipe(run):
    """Standard output to standard input; nothing but JSON lines in between."""
    for name in ("s1", "s2"):
        chat(run, name, "hello\n")
    lines = run("sessions", "export", "--all").out
    assert all(json.loads(line) for line in lines.splitlines())
    assert run("sessions", "import", "-", "--db", "copy.db", stdin=lines).code == 0
    assert names(run, "copy.db") == ["s1", "s2"]
    assert run("sessions", "export", "--all", "--db", "copy.db").out == lines


SPOILED = {
    "a word changed": lambda lines: [line.replace("Acme", "Bcme") for line in lines],
    "a record lost": lambda lines: lines[:3] + lines[4:],
    "cut off": lambda lines: lines[:-1],
    "another version": lambda lines: [lines[0].replace('"maitred_session": 1', '"maitred_session": 9'), *lines[1:]],
    "another's log": lambda lines: [lines[0].replace('"session_id": "s1"', '"session_id": "mallory"'), *lines[1:]],
    "no id": lambda lines: [line.replace("s1", "s{1}") for line in lines],
    "twice": lambda lines: [*lines, *lines],
    "no session file": lambda lines: ["hello", *lines],
    "a reply that is none": lambda lines: [lines[0].replace('"reply_record": 4', '"reply_record": 1'), *lines[1:]],
}


@pytest.mark.parametrize("damage", SPOILED)
def test_a_file_that_is_not_whole_brings_nothing_in(run, damage):
    """Also not the sessions before the fault; the line is named."""
    chat(run, "s1", "We are Acme Ltd, 20 people\n")
    chat(run, "s0", "hello\n")
    good = run("sessions", "export", "s0").out
    lines = run("sessions", "export", "s1").out.splitlines()
    spoiled = SPOILED[damage](lines)
    assert spoiled != lines
    Path("bad.jsonl").write_text(good + "\n".join(spoiled), encoding="utf-8")
    ran = run("sessions", "import", "bad.jsonl", "--db", "new.db")
    assert (ran.code, "bad.jsonl:" in ran.err) == (2, True)
    assert "Acme" not in ran.err
    assert not Path("new.db").exists()


def test_purge_by_name_and_by_date(run):
    """Asked first, unless told not to; the words are in no file any more."""
    for name in ("s1", "s2", "s3"):
        chat(run, name, "We are Swordfish Ltd, 20 people\n")
    asked = run("sessions", "purge", "s1", stdin="n\n")
    assert (asked.code, names(run)) == (1, ["s1", "s2", "s3"])
    assert json.loads(run("sessions", "purge", "s1", "--yes", "--json").out) == {"purged": ["s1"], "busy": []}
    assert run("sessions", "purge", "--before", "2020-01-01", "--yes").out == "maitred.db: 0 purged\n"
    assert names(run) == ["s2", "s3"]
    assert run("sessions", "purge", "--before", "2999-01-01", "--yes").code == 0
    assert names(run) == []
    assert not any(b"Swordfish" in file.read_bytes() for file in Path().glob("maitred.db*"))


def test_an_id_that_looks_like_markup_is_shown_as_it_is(run):
    """Whatever a channel calls a customer."""
    chat(run, "[/x]", "hello\n")
    assert "[/x]" in run("sessions").out


def test_an_export_that_fails_leaves_no_file(run):
    """One that is there would be taken for all that there was."""
    chat(run, "s1", "hello\n")
    ran = run("sessions", "export", "s1", "s9", "--out", "out.jsonl")
    assert (ran.code, "'s9'" in ran.err) == (2, True)
    with closing(sqlite3.connect("maitred.db")) as db, db:
        db.execute("UPDATE sessions SET snapshot='{}'")
    assert run("sessions", "export", "--all", "--out", "out.jsonl").code != 0
    assert not Path("out.jsonl").exists()


def test_an_export_never_writes_over_a_file(run):
    """Least of all over the store."""
    chat(run, "s1", "hello\n")
    ran = run("sessions", "export", "--all", "--out", "maitred.db")
    assert (ran.code, "there already" in ran.err, names(run)) == (2, True, ["s1"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("purge", "s1", "--before", "2020-01-01", "--yes"), "--before"),
        (("export", "s1", "--all"), "--all"),
        (("purge",), "--before"),
        (("purge", "nobody", "--yes"), "no session 'nobody'"),
        (("export",), "--all"),
        (("export", "nobody"), "no session 'nobody'"),
        (("import", "nowhere.jsonl"), "nowhere.jsonl"),
    ],
)
def test_what_is_missing_is_said(run, arguments, said):
    """With exit code 2."""
    chat(run, "s1", "hello\n")
    ran = run("sessions", *arguments)
    assert (ran.code, said in ran.err) == (2, True)
