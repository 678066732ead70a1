"""What errors say: the server's words at the start only, in one plain line, never the key; nothing of an answer, ever."""

import traceback
from typing import Any

import pytest

from maitred.decision.client import InstructorDecider
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.errors import ModelError, ModelUnreachable
from maitred.protocol.menu import Menu, MenuItem

Do = Any
Server = Any
Says = Any

KEY = "sk-secret-0123456789"
SECRET = "13800138000"
REQUEST = DecisionRequest(session_id="s", lang="en", menu=Menu("offer", (MenuItem("accept", "x"),)), text="hello")


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAITRED_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


async def said_at_the_start(server: Server, do: Do, words: Any, key: str | None = KEY) -> str:
    server.otherwise = do.fail(400, words)
    async with InstructorDecider("m", server.url, key) as decider:
        with pytest.raises(ModelError) as failed:
            await decider.probe()
    return str(failed.value).partition("it does not take the request")[2]


@pytest.mark.parametrize("before", [0, 150, 185, 190, 199, 200, 250])
async def test_no_part_of_the_key_is_quoted(server: Server, do: Do, before: int) -> None:
    """Also where the cut goes through it."""
    said = await said_at_the_start(server, do, "x" * before + KEY + KEY)
    assert "sk-" not in said
    assert said.startswith(f" ({'x' * min(before, 200)}")
    assert len(said) <= 203


async def test_a_server_without_a_key_is_quoted_as_it_speaks(server: Server, do: Do) -> None:
    """There is nothing to hide."""
    assert await said_at_the_start(server, do, "none of the models", None) == " (none of the models)"


async def test_a_server_s_words_are_one_plain_line(server: Server, do: Do) -> None:
    """They end in a terminal."""
    said = await said_at_the_start(server, do, "no\r\n\x1b[31m such\u009b\n\n  model\x00")
    assert said == " (no [31m such model)"


@pytest.mark.parametrize("words", [None, "", " \n", 3, ["x"]])
async def test_a_server_may_say_nothing(server: Server, do: Do, words: Any) -> None:
    """Or something that is no text."""
    assert (await said_at_the_start(server, do, words)).lower() in ("", " (3)", " (['x'])")


ANSWERS = {
    "no object": f"call {SECRET}",
    "not whole": f'{{"reply_text": "{SECRET}',
    "an extra key": f'{{"action": "accept", "mood": "{SECRET}"}}',
    "a wrong type": f'{{"action": "accept", "reply_text": ["{SECRET}"]}}',
}


@pytest.mark.parametrize("how", ANSWERS)
@pytest.mark.parametrize("finish", ["stop", "length", "content_filter"])
async def test_no_traceback_quotes_an_answer(server: Server, do: Do, how: str, finish: str) -> None:
    """Whoever logs the error with its causes logs no customer's words."""
    server.otherwise = do.answer(ANSWERS[how], finish=finish)
    async with InstructorDecider("m", server.url, KEY) as decider:
        with pytest.raises(ModelError) as failed:
            await decider.decide(REQUEST)
    assert SECRET not in "".join(traceback.format_exception(failed.value))


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
async def test_no_traceback_quotes_a_server(server: Server, do: Do, status: int) -> None:
    """Which may repeat the prompt, or the key."""
    server.otherwise = do.fail(status, f"{SECRET} {KEY}", retry_after="60")
    async with InstructorDecider("m", server.url, KEY, pause_s=0) as decider:
        with pytest.raises(ModelError) as failed:
            await decider.decide(REQUEST)
    written = "".join(traceback.format_exception(failed.value))
    assert SECRET not in written
    assert KEY not in written


async def test_what_broke_a_connection_is_kept(server: Server) -> None:
    """It is about the network, and hard to guess."""
    async with InstructorDecider("m", "http://127.0.0.1:1/v1", KEY, pause_s=0) as decider:
        with pytest.raises(ModelUnreachable, match=r"^http://127\.0\.0\.1:1: ConnectError$") as failed:
            await decider.decide(REQUEST)
        assert type(failed.value.__cause__).__name__ == "ConnectError"
        with pytest.raises(ModelUnreachable, match=r": ConnectError \(.+\)$"):
            await decider.probe()
