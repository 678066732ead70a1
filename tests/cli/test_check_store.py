"""`maitred check --against-store`: which live sessions a changed flow strands, changes or merely pins."""

import json
from pathlib import Path

OLD = """
flow: tea
version: "1"
initial: order
steps:
  order:
    collects:
      tins: {type: int, read: number, cues: [tins], ask: How many tins?}
    complete: known
    transitions: {known: pay}
  pay:
    say: Please pay.
    actions:
      - {name: done, event: done, examples: [I paid]}
    transitions: {done: completed}
"""


def flow(path: str, text: str) -> str:
    Path(path).write_text(text, encoding="utf-8")
    return path


def test_it_tells_what_becomes_of_the_live_sessions(run):
    """An ended one begins anew; the others need their version, and two of them more than that."""
    old = flow("old.yaml", OLD)
    run("chat", "--flow", old, "--session", "ended", stdin="3 tins\nI paid\n")
    run("chat", "--flow", old, "--session", "asked", stdin="hello\n")
    run("chat", "--flow", old, "--session", "paying", stdin="300 tins\n")
    assert run("check", old, "--against-store", "maitred.db").code == 0

    renamed = flow("renamed.yaml", OLD.replace('version: "1"', 'version: "2"').replace("pay", "payment"))
    ran = run("check", renamed, "--against-store", "maitred.db", "--json")
    found = {f["session_id"]: f for f in json.loads(ran.out)}
    assert (ran.code, set(found)) == (1, {"asked", "paying"})
    assert (found["asked"]["verdict"], found["asked"]["reasons"]) == ("pinned", [])
    assert found["paying"]["verdict"] == "strands"
    assert "did you mean 'payment'?" in found["paying"]["reasons"][0]

    bounded = flow(
        "bounded.yaml", OLD.replace('version: "1"', 'version: "3"').replace("type: int,", "type: int, maximum: 100,")
    )
    shown = run("check", bounded, "--against-store", "maitred.db").out
    assert "changes paying in pay" in shown
    assert "'tins' does not fit" in shown

    other = flow("other.yaml", OLD.replace('version: "1"', 'version: "4"').replace("tins:", "boxes:"))
    shown = run("check", other, "--against-store", "maitred.db").out
    assert "'tins' is stored, and nothing of the flow is called that" in shown
    assert "0 strands, 1 changes, 1 pinned" in shown
    assert "Maitred(flows=[old, new])" in shown


def test_it_needs_a_store_that_is_there(run):
    """No empty file is made by looking."""
    ran = run("check", "--against-store", "nowhere.db")
    assert (ran.code, "no database" in ran.err, Path("nowhere.db").exists()) == (2, True, False)


def test_it_tells_what_a_migration_moves_and_what_it_forgets(run):
    """What is moved is no trouble; a state that the migration leads nowhere is."""
    old = flow("old.yaml", OLD)
    run("chat", "--flow", old, "--session", "paying", stdin="300 tins\n")
    moved = OLD.replace('version: "1"', 'version: "2"').replace("pay", "payment").replace("tins:", "boxes:")
    whole = "migrations:\n  - {from_version: 1, states: {pay: payment}, data: {tins: boxes}}\n"
    ran = run("check", flow("moved.yaml", moved + whole), "--against-store", "maitred.db", "--json")
    assert (ran.code, [(f["verdict"], f["reasons"]) for f in json.loads(ran.out)]) == (0, [("moves", [])])

    bare = flow("bare.yaml", moved + "migrations:\n  - {from_version: 1, states: {pay: payment}, data: {tins: }}\n")
    assert "'tins' is dropped" in run("check", bare, "--against-store", "maitred.db").out

    half = flow("half.yaml", moved + "migrations:\n  - {from_version: 1, data: {tins: boxes}}\n")
    ran = run("check", half, "--against-store", "maitred.db")
    assert (ran.code, "does not say where 'pay' leads" in ran.out) == (1, True)


def test_it_names_sessions_of_another_flow(run):
    """A flow that was renamed has lost its sessions: that is told, not hidden."""
    run("chat", "--flow", flow("old.yaml", OLD), "--session", "s", stdin="3 tins\n")
    renamed = flow("renamed.yaml", OLD.replace("flow: tea", "flow: coffee"))
    ran = run("check", renamed, "--against-store", "maitred.db")
    assert (ran.code, "it belongs to flow 'tea'" in ran.out) == (0, True)
