"""What the README shows of the service does what it says."""

import json
import re
import shlex
from pathlib import Path

import httpx2

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
