"""What InstructorDecider is given: a slip is named when it is made, and `extra` has the last word on the request."""

from typing import Any

import pytest

from maitred.decision.client import InstructorDecider
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.errors import BadRequest
from maitred.protocol.menu import Menu, MenuItem

Do = Any
Server = Any
Says = Any

LOCAL = "http://127.0.0.1:1/v1"
TEMPLATE = "{{7*7}} 20{% off"
REQUEST = DecisionRequest(
    session_id="s", lang="en", menu=Menu("offer", (MenuItem("accept", "take it"),)), text=TEMPLATE
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAITRED_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["api_key", "MAITRED_API_KEY", "OPENAI_API_KEY"])
@pytest.mark.parametrize("bad", ["sk-sec\nret", "sk-sec\x1bret", "sk-sec\u200bret", "钥匙", "sk-“sec”"])
def test_a_key_that_cannot_be_sent_is_named_and_not_shown(monkeypatch: pytest.MonkeyPatch, name: str, bad: str) -> None:
    """From wherever it comes."""
    given = {"api_key": bad} if name == "api_key" else {}
    if not given:
        monkeypatch.setenv(name, bad)
    with pytest.raises(BadRequest, match=f"^{name} holds a character") as failed:
        InstructorDecider("m", LOCAL, **given)
    assert "sec" not in str(failed.value)
    assert "钥" not in str(failed.value)


async def test_white_space_around_a_key_is_not_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key out of a file ends in a newline; one that is only white space is none."""
    monkeypatch.setenv("MAITRED_API_KEY", " \n")
    monkeypatch.setenv("OPENAI_API_KEY", " sk-1\r\n")
    async with InstructorDecider("m", f" {server.url}\n") as decider:
        await decider.probe()
    assert server.headers[0]["authorization"] == "Bearer sk-1"


@pytest.mark.parametrize("name", ["base_url", "OPENAI_BASE_URL"])
@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("127.0.0.1:8080/v1", "does not begin with http:// or https://"),
        ("ftp://127.0.0.1/v1", "does not begin with http:// or https://"),
        ("http://[::1/v1", "is no address: "),
        ("http://host:eighty/v1", "is no address: "),
        ("http://ho\nst/v1", "is no address: "),
        ("http://", "names no host"),
        ("https:///v1", "names no host"),
    ],
)
def test_an_address_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, name: str, bad: str, why: str) -> None:
    """As it came, and where from."""
    if name != "base_url":
        monkeypatch.setenv(name, bad)
    with pytest.raises(BadRequest) as failed:
        InstructorDecider("m", bad if name == "base_url" else None, "k")
    assert str(failed.value).startswith(f"{name} {bad!r} {why}")


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *(("timeout_s", value) for value in (0, -1, float("nan"), float("inf"))),
        *(("pause_s", value) for value in (-1, float("nan"), float("inf"))),
        *(("max_tokens", value) for value in (0, -5)),
        *(("temperature", value) for value in (-0.1, float("nan"))),
    ],
)
def test_a_number_that_makes_no_sense_is_named(name: str, bad: float) -> None:
    """With what came and what is allowed."""
    settings: dict[str, Any] = {name: bad}
    with pytest.raises(BadRequest, match=rf"^{name} is {bad!r}, and must be a finite number of at least"):
        InstructorDecider("m", LOCAL, **settings)


def test_the_smallest_numbers_are_allowed() -> None:
    """Nothing is refused that works."""
    InstructorDecider("m", LOCAL, timeout_s=0.001, pause_s=0, max_tokens=1, temperature=0)


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"messages": []}, "extra may not set 'messages'"),
        ({"messages": None}, "extra may not set 'messages'"),
        ({"stream": True}, "extra may not set 'stream'"),
        ({"x": float("nan")}, "extra is no JSON"),
        ({"x": object()}, "extra is no JSON"),
    ],
)
def test_extra_that_cannot_work_is_refused(extra: Any, why: str) -> None:
    """At the start."""
    with pytest.raises(BadRequest, match=why):
        InstructorDecider("m", LOCAL, extra=extra)


async def test_extra_has_the_last_word_on_every_request(server: Server, do: Do, says: Says) -> None:
    """In a decision and in the probe: over our fields, over instructor's; None takes a field out."""
    server.otherwise = do.answer(says("accept"))
    extra: Any = {
        "response_format": {"type": "json_object"}, "max_tokens": None, "temperature": None,
        "max_completion_tokens": 900, "model": "other",
    }  # fmt: skip
    async with InstructorDecider("m", server.url, extra=extra) as decider:
        await decider.probe()
        await decider.decide(REQUEST)
    for body in server.received:
        del body["messages"]
        assert body == {
            "model": "other",
            "response_format": {"type": "json_object"},
            "max_completion_tokens": 900,
        }


async def test_extra_may_leave_the_format_out(server: Server, do: Do, says: Says) -> None:
    """For servers that know none: the prompt asks for JSON, and the answer is dug out of what stands around it."""
    server.otherwise = do.answer(f"Sure:\n```json\n{says('accept')}\n```")
    async with InstructorDecider("m", server.url, extra={"response_format": None}) as decider:
        await decider.probe()
        answered = await decider.decide(REQUEST)
    assert answered.decision.action == "accept"  # type: ignore[union-attr]
    assert [body for body in server.received if "response_format" in body] == []


@pytest.mark.parametrize(
    "name", ["context", "hooks", "strict", "max_retries", "timeout", "token_budget", "cache", "books"]
)
async def test_extra_is_the_server_s_and_nobody_else_s(server: Server, do: Do, says: Says, name: str) -> None:
    """Fields that mean something to instructor, such as `context`, which renders templates in what customers write."""
    server.otherwise = do.answer(says("accept"))
    async with InstructorDecider("m", server.url, extra={name: {"a": 1}}) as decider:
        await decider.decide(REQUEST)
    (body,) = server.received
    assert body[name] == {"a": 1}
    assert TEMPLATE in body["messages"][-1]["content"]
