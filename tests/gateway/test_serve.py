"""`maitred serve` as a process: what it says, what it refuses, how it stops, what survives it."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from hashlib import blake2b
from pathlib import Path

import httpx2
import pytest

from maitred.examples.presales.conversation import CONVERSATION

from .served import SECRET, Chat, Start

MARK = blake2b(b"webui:presales:13800138000", key=b"always-the-same").hexdigest()[:12]
SLOW = '''
import pathlib, time
from maitred import Action, Flow, Slot, Step, Terminal, tool

@tool(effect="idempotent", timeout_s=30)
def order_tea(tins: int) -> str:
    """Order it."""
    pathlib.Path("entered").touch()
    for _ in range(600):
        if pathlib.Path("go").exists():
            break
        time.sleep(0.05)
    return "ordered"

flow = Flow(
    name="presales", states=("tins", "order"), initial="tins", tools=[order_tea],
    transitions={("tins", "known"): "order", ("order", "ordered"): Terminal.COMPLETED},
    steps={
        "tins": Step(say="{ask}", collects={"tins": Slot("int", read="number", ask="How many?")}, complete="known"),
        "order": Step(say="{tins} tins?", actions=(
            Action("order", tool="order_tea", on={"ok": "ordered"}, examples=("order them",)),)),
    },
)
'''


def refused(folder: Path, *options: str, keys: str = "") -> str:
    """What it says when it does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "maitred", "serve", "--port", "0", *options],
        cwd=folder,
        env={"MAITRED_API_KEYS": keys, "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_it_says_what_it_serves_and_how_to_reach_it(serve: Start):
    """Address, flow, store, decider, keys by name, and what to write into Open WebUI; never a secret."""
    service = serve()
    said = _all_said(service.said)
    for word in (
        "listens on http://127.0.0.1:",
        "presales 1",
        "maitred.db",
        "keyword",
        "webui (webui)",
        "bank     simulated",
        "/v1",
        "CHAT_ID",
    ):
        assert word in said
    assert SECRET not in said
    assert service.stop() == 0


def _all_said(said: list[str]) -> str:
    """The lines up to the last; they come one by one."""
    until = time.monotonic() + 20
    while not any("Ctrl-C" in line for line in said) and time.monotonic() < until:
        time.sleep(0.01)
    return "".join(said)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.invalid"])
def test_without_a_key_only_this_machine_may_call(tmp_path: Path, host: str):
    """Refused before anything is opened, with what to set."""
    assert "MAITRED_API_KEYS" in refused(tmp_path, "--host", host)


def test_with_a_key_it_listens_everywhere(serve: Start):
    """And says an address that can be called. On this machine it needs no key."""
    service = serve("--host", "0.0.0.0")
    assert service.address.startswith("http://127.0.0.1:")
    with service.http() as http:
        assert http.get("/v1/models").status_code == 200
    service = serve("--store", ":memory:", env={"MAITRED_API_KEYS": ""})
    assert httpx2.get(f"{service.address}/v1/models").status_code == 200


def test_a_request_is_a_line_of_the_log_without_what_was_said(serve: Start):
    """As JSON, with the secret of nobody and the name of no conversation; what a refused key was is not there either."""
    service = serve("--log-format", "json", env={"MAITRED_LOG_KEY": "always-the-same", "MAITRED_DB": "two.db"})
    with service.http() as http:
        body = {"model": "maitred", "messages": [{"role": "user", "content": "my name is Kanarienvogel"}]}
        for _ in range(2):
            http.post("/v1/chat/completions", json=body, headers={"x-conversation-id": "13800138000"})
        http.get("/v1/sessions/13800138000")
    with service.http("wrong-secret-kanarienvogel") as http:
        http.get("/v1/models?secret=kanarienvogel")
    assert service.stop() == 0
    assert (service.folder / "two.db").exists()
    lines = [json.loads(line) for line in service.said if line.startswith("{")]
    shown = [(line["method"], line["route"], line["status"], line["tenant"]) for line in lines]
    assert shown == [
        ("POST", "/v1/chat/completions", 200, "webui"),
        ("POST", "/v1/chat/completions", 200, "webui"),
        ("GET", "/v1/sessions/{session}", 200, "webui"),
        ("GET", "other", 401, "-"),
    ]
    assert {line["session"] for line in lines} == {"s-" + MARK, "-"}
    said = "".join(service.said).lower()
    assert not [word for word in ("kanarienvogel", "13800138000", SECRET) if word in said]


@pytest.mark.parametrize(
    ("set_", "file"),
    [
        ({"MAITRED_STORE": "one.db"}, "one.db"),
        ({"MAITRED_DB": "two.db"}, "two.db"),
        ({"MAITRED_STORE": "one.db", "MAITRED_DB": "two.db"}, "one.db"),
    ],
)
def test_the_store_has_one_name_for_every_command(tmp_path: Path, set_: dict[str, str], file: str):
    """Both variables are read by all of them, in one order."""
    maitred = [sys.executable, "-m", "maitred"]
    env = {**os.environ, "MAITRED_STORE": "", "MAITRED_DB": "", **set_}
    chat = subprocess.run(
        [*maitred, "chat"], input="hi\n", cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert chat.returncode == 0, chat.stderr
    assert (tmp_path / file).exists()
    listed = subprocess.run([*maitred, "sessions"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "presales" in listed.stdout


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("[serve]\nbody_byte = 5", "did you mean 'body_bytes'"),
        ("[serve]\nburst = 'much'", "burst is a number"),
        ("[serve]\nburst = 0", "burst is more than 0"),
        ("[serve]\nconversation_headers = 'x'", "list of strings"),
        ("[server]\n", "no setting 'server'"),
        ("[[keys]]\nname = 'a'", "'secret' or 'secret_env'"),
        ("[[keys]]\nname = 'a'\nsecret = 'short'", "16 or more"),
        ("[[keys]]\nname = 'a'\nsecret_env = 'NOWHERE'", "'NOWHERE' is not set"),
        (f"[[keys]]\nname = 'a'\nsecret = '{SECRET}'\nmay = ['reed']", "chat, read, act"),
        (f"[[keys]]\nname = 'a'\nsecret = '{SECRET}'\nmay = 'read'", "list of strings"),
        (f"[[keys]]\nname = 'a'\nsecret = '{SECRET}'\nflow = ['tea']", "did you mean 'flows'"),
        ("not toml", "not TOML"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_is_named(tmp_path: Path, settings: str, problem: str):
    """With the file and the nearest name."""
    (tmp_path / "m.toml").write_text(settings)
    said = refused(tmp_path, "--settings", "m.toml")
    assert problem in said
    assert "m.toml" in said


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--store", "mongo://x"), "mongo"),
        (("--decider", "model"), "--model"),
        (("--decider", "local"), "--local"),
        (("--settings", "nowhere.toml"), "nowhere.toml"),
        (("--flow", "nowhere.yaml"), "nowhere.yaml"),
    ],
)
def test_a_wrong_option_is_told(tmp_path: Path, options: tuple[str, ...], problem: str):
    """In one line."""
    assert problem in refused(tmp_path, *options)


def test_a_port_in_use_is_told(tmp_path: Path):
    """Which one, and why."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}" in refused(tmp_path, "--port", port)


def test_keys_of_the_file_open_too(serve: Start, tmp_path: Path):
    """Beside those of the environment; a secret may stand in a variable of its own."""
    (tmp_path / "m.toml").write_text(
        "[serve]\nburst = 7\n[[keys]]\nname = 'f'\ntenant = 't'\nsecret_env = 'SHOP_KEY'\n"
    )
    service = serve("--settings", "m.toml", env={"SHOP_KEY": "z" * 20})
    for secret, status in (("z" * 20, 200), (SECRET, 200), ("y" * 20, 401)):
        with service.http(secret) as http:
            assert http.get("/v1/models").status_code == status


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_the_turn_in_flight(serve: Start, tmp_path: Path, how: int):
    """The customer gets the reply; followers of a session are let go."""
    (tmp_path / "slow.py").write_text(SLOW)
    service = serve("--flow", "slow.py:flow")
    chat = Chat(service.openai(), headers={"X-Conversation-Id": "1"})
    chat.say("5")
    follows = threading.Event()
    follower = threading.Thread(target=_follow, args=(service.address, chat.session, follows))
    follower.start()
    assert follows.wait(20)
    replies: list[str] = []
    turn = threading.Thread(target=lambda: replies.append(chat.say("order them")))
    turn.start()
    _wait_for(tmp_path / "entered")
    service.process.send_signal(how)
    follower.join(20)
    assert not follower.is_alive()
    assert service.process.poll() is None
    (tmp_path / "go").touch()
    turn.join(20)
    assert replies == ["That is all done. Thank you!"]
    assert service.process.wait(20) == 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_turn_that_outlasts_a_stop_is_told_as_an_error_and_ends_the_stream(
    serve: Start, tmp_path: Path, stream: bool
):
    """In OpenAI's form and whole, behind `close_s`; no connection is cut."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "m.toml").write_text("[serve]\nclose_s = 0.4\nping_s = 0.1\n")
    service = serve("--flow", "slow.py:flow", "--settings", "m.toml")
    chat = Chat(service.openai(), headers={"X-Conversation-Id": "1"})
    chat.say("5")
    messages = [{"role": "user", "content": "order them"}]
    body = {"model": "presales", "messages": messages, "stream": stream}
    answers: list[httpx2.Response] = []
    with service.http() as http:
        post = partial(http.post, "/v1/chat/completions", json=body, headers={"x-conversation-id": "1"})
        turn = threading.Thread(target=lambda: answers.append(post()))
        turn.start()
        _wait_for(tmp_path / "entered")
        time.sleep(0.3)  # the stream is open
        service.process.send_signal(signal.SIGTERM)
        turn.join(20)
    (tmp_path / "go").touch()
    assert answers[0].status_code == (200 if stream else 503)
    last = answers[0].text.strip().rpartition("data: ")[2]
    assert json.loads(last)["error"]["code"] == "service_stopping"
    assert service.process.wait(20) == 0
    assert not any("Exception in ASGI" in line for line in service.said)


def _follow(address: str, session: str, follows: threading.Event) -> None:
    with httpx2.stream(
        "GET", f"{address}/v1/sessions/{session}/events", headers={"authorization": f"Bearer {SECRET}"}
    ) as s:
        for _ in s.iter_lines():
            follows.set()


def _wait_for(path: Path) -> None:
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_a_killed_service_goes_on_where_it_was(serve: Start, tmp_path: Path, named: bool):
    """Killed in the middle of a tool call; the client's resend finishes the turn at the next process."""
    (tmp_path / "slow.py").write_text(SLOW)
    service = serve("--flow", "slow.py:flow")
    chat = Chat(service.openai(), headers={"X-Conversation-Id": "1"} if named else {})
    chat.say("5")
    chat.messages.append({"role": "user", "content": "order them"})
    lost = threading.Thread(target=_loses, args=(chat,))
    lost.start()
    _wait_for(tmp_path / "entered")
    service.stop(signal.SIGKILL)
    lost.join(20)
    (tmp_path / "go").touch()
    chat.client = serve("--flow", "slow.py:flow").openai()
    session = chat.session
    assert chat.ask() == "That is all done. Thank you!"
    assert (chat.state, chat.session) == ("completed", session)
    assert service.turns(session) == 2


def _loses(chat: Chat) -> None:
    with pytest.raises(Exception, match="Connection error"):
        Chat.ask(chat)


def test_the_help_teaches(tmp_path: Path):
    """Where to send what, where keys come from, how a conversation is known."""
    shown = subprocess.run(
        [sys.executable, "-m", "maitred", "serve", "--help"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    for word in ("/v1/chat/completions", "MAITRED_API_KEYS", "X-Conversation-Id", "curl", "docs/gateway.md"):
        assert word in shown


def test_nothing_else_loads_the_web_libraries():
    """Neither `import maitred` nor the command line without `serve`."""
    code = (
        "import sys, maitred; from maitred.cli.main import build; build(); "
        "print([m for m in ('fastapi', 'starlette', 'uvicorn', 'maitred.gateway') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_a_new_version_lets_sessions_in_the_middle_stay_with_theirs(serve: Start, tmp_path: Path):
    """If the old one is served beside it; else they go to a human."""
    (tmp_path / "go").touch()
    (tmp_path / "one.py").write_text(SLOW)
    (tmp_path / "two.py").write_text(
        SLOW.replace('"order"', '"basket"').replace('name="presales"', 'name="presales", version="2"')
    )
    chat = Chat(serve("--flow", "one.py:flow").openai(), headers={"X-Conversation-Id": "1"})
    chat.say("5")
    gone = Chat(chat.client, headers={"X-Conversation-Id": "2"})
    gone.say("5")
    gone.client = serve("--flow", "two.py:flow").openai()
    gone.say("order them")
    assert gone.state == "escalated"
    chat.client = serve("--flow", "two.py:flow", "--older-flow", "one.py:flow").openai()
    chat.say("order them")
    assert chat.state == "completed"
    fresh = Chat(chat.client)
    fresh.say("5")
    assert fresh.state == "basket"


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_two_services_over_one_redis_serve_one_conversation(serve: Start, redis_server, named: bool):
    """Each message at the other one, as a load balancer would send them."""
    both = [serve("--store", redis_server.url) for _ in range(2)]
    chat = Chat(both[0].openai(), headers={"X-Conversation-Id": "1"} if named else {})
    for n, text in enumerate(CONVERSATION["en"]):
        chat.client = both[n % 2].openai()
        chat.say(text)
        if n == 8:  # regenerated, at the other one
            reply = chat.messages.pop()
            chat.client = both[(n + 1) % 2].openai()
            assert chat.ask() == reply["content"]
            chat.messages.append(reply)
    assert chat.state == "completed"
