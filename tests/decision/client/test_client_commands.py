"""`maitred demo|chat --model`, as processes against the server on loopback."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

Do = Any
Server = Any
Says = Any


async def run(folder: Path, *arguments: str, stdin: str = "", **environment: str) -> tuple[int, str, str]:
    unset = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAITRED_") and name not in unset}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "maitred", *arguments, cwd=folder, env={**clean, **environment},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("command", ["demo", "chat"])
@pytest.mark.parametrize(
    ("status", "code"), [(401, "model_key_refused"), (404, "model_unknown"), (400, "model_request_refused")]
)
async def test_a_wrong_key_or_model_stops_the_start(
    server: Server, do: Do, tmp_path: Path, command: str, status: int, code: str
) -> None:
    """One sentence on stderr, exit 2, nothing played."""
    server.otherwise = do.fail(status, "no such thing")
    ended, out, err = await run(tmp_path, command, "--model", "m", "--base-url", server.url, stdin="hello\n")
    assert (ended, out) == (2, "")
    assert err.startswith(f"error {code}: http://127.0.0.1:{server.port} answered {status}")
    assert len(err.splitlines()) == 1
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--base-url", "http://127.0.0.1:1/v1"), "bad_request"),
        (("--model", "m"), "model_key_refused"),
        (("--model", "m", "--base-url", "http://127.0.0.1:1/v1"), "model_unreachable"),
        (("--model", "m", "--base-url", "127.0.0.1:1/v1"), "bad_request"),
        (("--model", "m", "--base-url", "http://[::1/v1"), "bad_request"),
        (("--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--model-extra", "{"), "bad_request"),
        (("--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--model-extra", "[]"), "bad_request"),
        (("--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--model-extra", '{"stream": true}'), "bad_request"),
    ],
)
async def test_what_cannot_be_right_stops_the_start(tmp_path: Path, arguments: tuple[str, ...], code: str) -> None:
    """Also without a server."""
    ended, out, err = await run(tmp_path, "demo", *arguments)
    assert (ended, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"error {code}: ")


@pytest.mark.parametrize("key", ["sk-secret\nx", "sk-secret-é"])
async def test_a_key_that_cannot_be_sent_is_not_printed(server: Server, tmp_path: Path, key: str) -> None:
    """One sentence that names the variable."""
    ended, out, err = await run(tmp_path, "demo", "--model", "m", "--base-url", server.url, MAITRED_API_KEY=key)
    assert (ended, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("error bad_request: MAITRED_API_KEY holds a character that cannot be sent")
    assert "secret" not in err
    assert server.received == []


async def test_fields_of_the_request(server: Server, do: Do, says: Says, tmp_path: Path) -> None:
    """For servers that know another format, and models that take no temperature; also from the environment."""
    server.otherwise = do.answer(says("answer", "Phones."))
    extra = '{"response_format": {"type": "json_object"}, "temperature": null}'
    play = ("chat", "--model", "m", "--base-url", server.url)
    first, *_ = await run(tmp_path, *play, "--model-extra", extra, stdin="what is it that you sell\n")
    second, *_ = await run(tmp_path, *play, stdin="what is it that you sell\n", MAITRED_MODEL_EXTRA=extra)
    assert (first, second, len(server.received)) == (0, 0, 4)
    for body in server.received:
        assert body["response_format"] == {"type": "json_object"}
        assert "temperature" not in body
        assert "max_tokens" in body


async def test_an_address_in_the_environment_alone_asks_for_no_model(tmp_path: Path) -> None:
    """It may be there for other times."""
    ended, out, err = await run(tmp_path, "demo", MAITRED_BASE_URL="http://127.0.0.1:1/v1")
    assert (ended, err) == (0, "")
    assert "completed" in out


async def test_a_busy_model_is_told_and_the_chat_begins(server: Server, do: Do, says: Says, tmp_path: Path) -> None:
    """It may be there for the next message. `--why` shows what a turn cost."""
    server.script.append(do.fail(429, retry_after="60"))
    server.otherwise = do.answer(says("answer", "We sell phone systems."))
    settings = {"MAITRED_MODEL": "m", "MAITRED_BASE_URL": server.url, "MAITRED_API_KEY": "k-7"}
    ended, out, err = await run(tmp_path, "chat", "--why", stdin="what is it that you sell\n", **settings)
    assert ended == 0
    assert err.startswith("warning model_busy: ")
    assert "We sell phone systems." in out
    assert "model: 100 in (60 cached), 7 out, " in out
    assert {headers["authorization"] for headers in server.headers} == {"Bearer k-7"}


async def test_the_demo_shows_tokens_and_time(server: Server, do: Do, says: Says, tmp_path: Path) -> None:
    """Per turn and in all, in JSON and in the table; a call that brought no decision says why."""
    lines = tmp_path / "lines.txt"
    lines.write_text("what is it that you sell\n", encoding="utf-8")
    play = ("demo", "--model", "m", "--base-url", server.url, "--messages", str(lines))
    good = do.answer(says("answer", "Phones."))
    server.script += [good, do.answer("prose"), good]
    ended, out, _ = await run(tmp_path, *play, "--json")
    shown = json.loads(out)
    assert ended == 1  # one message does not complete the conversation
    seconds = shown["model"].pop("model_s")
    assert seconds > 0
    assert shown["model"] == {
        "name": "m", "model_calls": 2, "prompt_tokens": 200, "cached_tokens": 120, "completion_tokens": 14,
    }  # fmt: skip
    first, second = shown["turns"][0]["model"]
    assert first["problem"] == "model_answer_unusable: no decision: no JSON object in it"
    assert first["attempts"][0]["outcome"] == "model_answer_unusable"
    assert (second["problem"], second["attempts"][0]["prompt_tokens"]) == (None, 100)

    server.script += [good, do.answer("prose"), good]
    _, out, _ = await run(tmp_path, *play)
    words = " ".join(out.split())
    assert "m: 2 calls, 200 in (120 cached), 14 out, " in words
    assert "model" in out.splitlines()[0]
