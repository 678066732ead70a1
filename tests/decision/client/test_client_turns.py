"""A model's server that misbehaves, through a whole turn: the customer gets a sentence, the log says why, nothing moves."""

import json
from typing import Any

import pytest

Do = Any
Server = Any
Open = Any

REPHRASE = "I did not get that right, so I have changed nothing. Could you say it in other words?"
UNAVAILABLE = "I cannot answer just now, so I have changed nothing. Please try again in a moment."
GOOD = '{"action": "provide", "parameters": {"size": 42}}'


def answers(content: str | None, **how: Any) -> Any:
    return lambda do: do.answer(content, **how)


BAD_ANSWERS = {
    "prose": (answers("I would take the shoes, they are nice."), "no JSON object"),
    "half": (answers(GOOD[:30]), "not whole JSON"),
    "empty": (answers(""), "empty"),
    "no content": (answers(None), "empty"),
    "declined": (answers(None, refusal="I cannot help with that."), "declined"),
    "a list": (answers(f"[{GOOD}]"), "a list"),
    "two objects": (answers(f"{GOOD} or {GOOD}"), "more than one"),
    "doubled key": (answers('{"action": "leave", "action": "provide", "parameters": {"size": 1}}'), "twice"),
    "doubled inner key": (answers('{"action": "provide", "parameters": {"size": 1, "size": 2}}'), "twice"),
    "extra key": (answers('{"action": "answer", "reply_text": "hi", "mood": "good"}'), "mood"),
    "no action": (answers('{"parameters": {}}'), "action: Field required"),
    "1e400": (answers('{"action": "provide", "parameters": {"size": 1e400}}'), "double"),
    "NaN": (answers('{"action": "provide", "parameters": {"size": NaN}}'), "NaN"),
    "null": (answers('{"action": "provide", "parameters": {"size": null}}'), "'size' must be"),
    "illegal action": (answers('{"action": "accept"}'), "not allowed here; allowed: provide"),
    "another action's parameters": (answers('{"action": "answer", "parameters": {"size": 1}}'), "'size' not known"),
    "unknown parameter": (answers('{"action": "provide", "parameters": {"colour": "red"}}'), "'colour' not known"),
    "lone surrogate": (answers('{"action": "answer", "reply_text": "\\ud800"}'), "hex escape"),
    "long": (answers(json.dumps({"action": "answer", "reply_text": "x" * 100_000})), "characters"),
    "10 MB": (answers(json.dumps({"action": "answer", "reply_text": "x" * 10_000_000})), "bytes"),
    "cut by the server": (answers(GOOD, finish="length"), "max_tokens"),
    "filtered": (answers("", finish="content_filter"), "content filter"),
}  # fmt: skip


def raw(data: bytes, *, close: bool = True) -> Any:
    return lambda do: do.send(data, close=close)


HEAD = b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n"
BAD_SERVERS = {
    "closes at once": (raw(b""), "model_unreachable"),
    "cut in the middle": (raw(HEAD + b"content-length: 500\r\n\r\n{"), "model_unreachable"),
    "cut in a chunk": (raw(HEAD + b"transfer-encoding: chunked\r\n\r\n20\r\n{"), "model_unreachable"),
    "no HTTP": (raw(b"hello\r\n\r\n"), "model_unreachable"),
    "429": (lambda do: do.fail(429), "model_busy"),
    "429 and soon": (lambda do: do.fail(429, retry_after="0"), "model_busy"),
    "500": (lambda do: do.fail(500), "model_down"),
    "503 without a body": (raw(b"HTTP/1.1 503 X\r\ncontent-length: 0\r\n\r\n", close=False), "model_down"),
    "a page": (raw(HEAD + b"content-length: 6\r\n\r\n<html>"), "model_down"),
    "not UTF-8": (raw(HEAD + b"content-length: 4\r\n\r\n\"\xff\xfe\""), "model_down"),
    "no choices": (raw(HEAD + b'content-length: 14\r\n\r\n{"choices":[]}'), "model_down"),
    "another shape": (raw(HEAD + b'content-length: 22\r\n\r\n{"choices":[{"a": 1}]}'), "model_down"),
    "not packed though it says so": (raw(HEAD + b"content-length: 1\r\ncontent-encoding: gzip\r\n\r\nx"), "model_down"),
}  # fmt: skip
GIVEN_UP_AT_ONCE = {
    "401": (lambda do: do.fail(401, "Incorrect API key provided: sk-secret"), "model_key_refused"),
    "403": (lambda do: do.fail(403), "model_key_refused"),
    "404": (lambda do: do.fail(404), "model_unknown"),
    "400": (lambda do: do.fail(400), "model_request_refused"),
    "429 and later": (lambda do: do.fail(429, retry_after="60"), "model_busy"),
    "429 and at a date": (lambda do: do.fail(429, retry_after="Wed, 21 Oct 2037 07:28:00 GMT"), "model_busy"),
}
WITHOUT_END = {"never": lambda do: do.hang, "slow drip": lambda do: do.drip(HEAD + b"x-a: " + b"a" * 100_000)}


@pytest.mark.parametrize("menu_schema", [False, True], ids=["constant schema", "menu schema"])
@pytest.mark.parametrize("how", BAD_ANSWERS)
async def test_bad_answers_end_in_a_sentence(
    server: Server, open_shop: Open, do: Do, how: str, menu_schema: bool
) -> None:
    """Two in a row: asked again, then rolled back. Nothing moved, nothing was noted."""
    behave, hint = BAD_ANSWERS[how]
    if how == "illegal action" and menu_schema:
        hint = "action: Input should be 'provide'"
    server.otherwise = behave(do)
    shop = open_shop(menu_schema=menu_schema)
    assert await shop.say("I need shoes, please") == REPHRASE
    session = await shop.maitred.session("s1")
    assert (session.state, session.data, session.invalid, len(server.received)) == ("ask", {}, 2, 2)
    (reason,) = await shop.reasons()
    assert hint in reason
    assert hint[:20] in server.prompts()[1]  # the ladder tells the model
    assert hint[:20] not in server.prompts()[0]


@pytest.mark.parametrize("how", BAD_ANSWERS)
async def test_a_good_answer_after_a_bad_one_counts(server: Server, open_shop: Open, do: Do, how: str) -> None:
    """The customer sees nothing of the first; the log does."""
    server.script.append(BAD_ANSWERS[how][0](do))
    server.otherwise = do.answer(GOOD)
    shop = open_shop()
    assert await shop.say("I need shoes, please") == "Size 42, 80 euros."
    assert [event.event for event in await shop.events()][1] == "decision_rejected"
    assert (await shop.maitred.session("s1")).invalid == 0


@pytest.mark.parametrize("how", BAD_SERVERS)
async def test_bad_servers_are_tried_twice_for_each_question(server: Server, open_shop: Open, do: Do, how: str) -> None:
    """Then the ladder goes on. The model is not told of it: it had no part in it."""
    behave, code = BAD_SERVERS[how]
    server.otherwise = behave(do)
    shop = open_shop()
    assert await shop.say("I need shoes, please") == UNAVAILABLE
    assert (await shop.maitred.session("s1")).data == {}
    (reason,) = await shop.reasons()
    assert reason.startswith(f"{code}: ")
    assert len(server.received) == 4
    assert len(set(server.prompts())) == 1


@pytest.mark.parametrize("how", BAD_SERVERS)
async def test_a_second_try_is_silent(server: Server, open_shop: Open, do: Do, how: str) -> None:
    """What failed once on the way is no invalid decision."""
    server.script.append(BAD_SERVERS[how][0](do))
    server.otherwise = do.answer(GOOD)
    shop = open_shop()
    assert await shop.say("I need shoes, please") == "Size 42, 80 euros."
    assert await shop.reasons() == []
    assert len(server.received) == 2


@pytest.mark.parametrize("how", GIVEN_UP_AT_ONCE)
async def test_what_trying_again_cannot_mend_is_not_tried_again(
    server: Server, open_shop: Open, do: Do, how: str
) -> None:
    """One call for each question of the ladder; the reason names no secret and nothing that the server said."""
    behave, code = GIVEN_UP_AT_ONCE[how]
    server.otherwise = behave(do)
    shop = open_shop()
    assert await shop.say("I need shoes, please") == UNAVAILABLE
    (reason,) = await shop.reasons()
    assert reason.startswith(f"{code}: http://127.0.0.1:{server.port} answered ")
    assert "sk-secret" not in reason
    assert len(server.received) == 2


@pytest.mark.parametrize("how", WITHOUT_END)
async def test_what_never_ends_is_ended(server: Server, open_shop: Open, do: Do, how: str) -> None:
    """Also if bytes keep coming. The time is for the whole decision, so it is not tried again, nor soon after."""
    server.otherwise = WITHOUT_END[how](do)
    shop = open_shop(timeout_s=0.3)
    assert await shop.say("I need shoes, please") == UNAVAILABLE
    assert await shop.reasons() == ["model_frozen: decider 'm' gave no answer in time just now"]
    assert len(server.received) <= 1  # on a busy machine the time may be up before a request is out


async def test_nobody_listens(server: Server, open_shop: Open) -> None:
    """Connection refused."""
    shop = open_shop(base_url="http://127.0.0.1:1/v1")
    assert await shop.say("I need shoes, please") == UNAVAILABLE
    assert (await shop.reasons())[0].startswith("model_unreachable: http://127.0.0.1:1: ")


async def test_the_third_failure_hands_over(server: Server, open_shop: Open, do: Do) -> None:
    """Over two messages, whatever failed: a bad answer, a server that is down, a wrong key."""
    server.script += [do.answer("prose"), do.fail(500), do.fail(500), do.fail(401)]
    shop = open_shop()
    assert await shop.say("I need shoes, please") == UNAVAILABLE
    assert "passing you to a colleague" in await shop.say("shoes, please")
    assert (await shop.maitred.session("s1")).state == "escalated"
    assert len(server.received) == 4


@pytest.mark.parametrize(
    "around", ["```json\n{}\n```", "Here you are:\n{}\nAnything else?", "<think>hm {{?}}</think>{}", "好的：{}"]
)
async def test_one_object_in_fences_or_prose_costs_no_call(
    server: Server, open_shop: Open, do: Do, around: str
) -> None:
    """It is taken as it is."""
    server.otherwise = do.answer(around.format(GOOD))
    shop = open_shop()
    assert await shop.say("I need shoes, please") == "Size 42, 80 euros."
    assert len(server.received) == 1
    assert await shop.reasons() == []


@pytest.mark.parametrize("menu_schema", [False, True], ids=["constant schema", "menu schema"])
@pytest.mark.parametrize(
    "content",
    [
        '{"action": " provide\\n", "parameters": {"size": 42}}',
        '{"action": "provide", "parameters": {"size": 42}, "reply_text": null}',
        [{"type": "text", "text": GOOD}],
        [{"type": "text", "text": GOOD[:20]}, {"type": "text", "text": GOOD[20:]}],
        [
            {"type": "reasoning", "text": "{"},
            {"type": "thinking", "thinking": "{"},
            {"type": "text", "text": GOOD},
            {"type": "text"},
            "{",
        ],
    ],
)
async def test_what_is_said_in_another_way_costs_no_call(
    server: Server, open_shop: Open, do: Do, content: Any, menu_schema: bool
) -> None:
    """There is one way to read it."""
    server.otherwise = do.answer(content)
    shop = open_shop(menu_schema=menu_schema)
    assert await shop.say("I need shoes, please") == "Size 42, 80 euros."
    assert len(server.received) == 1


async def test_no_parameters_may_be_null(server: Server, open_shop: Open, do: Do) -> None:
    """As if they were left out; a null among them is a value, and none of ours."""
    server.otherwise = do.answer('{"action": "answer", "parameters": null, "reply_text": "Yes."}')
    assert await open_shop().say("do you have shoes?") == "Yes."
    assert len(server.received) == 1


async def test_only_the_first_choice_is_read(server: Server, open_shop: Open, do: Do) -> None:
    """Whatever the others look like."""
    body = json.dumps({"choices": [{"message": {"content": GOOD}}, {"delta": 1}, None]}).encode()
    server.otherwise = do.send(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
    assert await open_shop().say("I need shoes, please") == "Size 42, 80 euros."
