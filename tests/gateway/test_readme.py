"""What the README shows of the service does what it says."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from .served import Start

ROOT = Path(__file__).parents[2]


def test_the_curl_of_the_readme(serve: Start) -> None:
    """Header, body and path as they stand there; only the address is this service's."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^\$ (curl .*?(?<!\\))$", text, re.DOTALL | re.MULTILINE)
    assert found
    words = shlex.split(found[1].replace("\\\n", " "))
    headers = dict(words[n + 1].split(": ", 1) for n, word in enumerate(words) if word == "-H")
    body = json.loads(words[words.index("-d") + 1])
    path = words[1].removeprefix("http://127.0.0.1:8000")
    service = serve(env={"MAITRED_API_KEYS": ""})  # as one starts it: without a key, for this machine alone
    reply = httpx2.post(service.address + path, headers=headers, json=body).json()
    assert "phone" in reply["choices"][0]["message"]["content"]


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_headers_for_open_webui(serve: Start, readme: str) -> None:
    """One message makes four calls there: a turn, and three that change nothing."""
    found = re.search(r"`(\{\"X-Conversation-Id\".*?\})`", (ROOT / readme).read_text(encoding="utf-8"))
    assert found
    template = json.loads(found[1])
    service = serve(env={"MAITRED_API_KEYS": ""})
    for task in ("", "title_generation", "tags_generation", "follow_up_generation"):
        filled = {"{{CHAT_ID}}": "chat-1", "{{USER_MESSAGE_ID}}": "message-1", "{{TASK}}": task}
        headers = {name: filled[value] for name, value in template.items()}
        text = f"### Task:\n{task}" if task else "Hello, we are Acme Ltd, 20 people"
        body = {"model": "presales", "messages": [{"role": "user", "content": text}]}
        reply = httpx2.post(f"{service.address}/v1/chat/completions", headers=headers, json=body)
        reply.raise_for_status()
    assert httpx2.get(f"{service.address}/v1/sessions/chat-1").json()["turn"] == 1


def test_a_program_for_openai_changes_one_line(serve: Start, tmp_path: Path) -> None:
    """By its environment, as the README sets it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^\$ (OPENAI_BASE_URL=.*) python your_program\.py$", text, re.MULTILINE)
    assert found
    service = serve(env={"MAITRED_API_KEYS": ""})
    settings = dict(pair.split("=", 1) for pair in found[1].replace("http://127.0.0.1:8000", service.address).split())
    program = tmp_path / "your_program.py"
    program.write_text(
        "from openai import OpenAI\n"
        "messages = [{'role': 'user', 'content': 'Hello, we are Acme Ltd, 20 people'}]\n"
        "print(OpenAI().chat.completions.create(model='presales', messages=messages).choices[0].message.content)\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "phone" in done.stdout
