"""A model in this process: what stops it, and, where MAITRED_GGUF names a file and xllamacpp is installed, a real one at work."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from maitred import Maitred, local_decider
from maitred.app.local_model import serving
from maitred.examples.presales.world import World
from maitred.protocol.errors import BadRequest

DOCUMENT = Path(__file__).parents[2] / "docs" / "deciders.md"


@pytest.fixture(scope="session")
def gguf() -> str:
    pytest.importorskip("xllamacpp", reason="needs pip install 'maitred[local]'")
    file = os.environ.get("MAITRED_GGUF")
    if not file:
        pytest.skip("MAITRED_GGUF names no model file")
    return file


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"", "is not a GGUF file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is not a GGUF file"),
    ],
)
async def test_a_file_that_is_no_model_is_refused_without_the_library(tmp_path, monkeypatch, content, said):
    """Before anything is loaded, xllamacpp included."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    file = tmp_path / "m.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadRequest, match=said):
        async with local_decider(file):
            pytest.fail("it was opened")


def test_a_missing_library_is_named_with_what_else_one_can_do(tmp_path, monkeypatch):
    """None in sys.modules is what an import of something that is not there meets."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(BadRequest, match=r"pip install 'maitred\[local\]'.* --base-url"), serving(file):
        pytest.fail("it was opened")


def test_a_damaged_file_is_one_error_and_leaves_no_thread(tmp_path, capfd):
    """llama.cpp is silent about it unless asked."""
    pytest.importorskip("xllamacpp", reason="needs pip install 'maitred[local]'")
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF" + b"\3" + b"\0" * 2000)
    with pytest.raises(BadRequest, match=r"cannot be loaded; the log of llama.cpp says why"), serving(file):
        pytest.fail("it was opened")
    assert capfd.readouterr() == ("", "")
    with pytest.raises(BadRequest, match=r"cannot be loaded$"), serving(file, logs=True):
        pytest.fail("it was opened")
    assert "load" in capfd.readouterr().err


def _status(url: str, key: str = "") -> int:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_it_is_served_on_loopback_to_who_has_the_key_and_then_gone(gguf, capfd):
    """Any OpenAI-compatible client may ask; another user of the machine may not; llama.cpp says nothing."""
    before = threading.active_count()
    with serving(gguf, threads=1) as server:
        assert urlsplit(server.base_url).hostname == "127.0.0.1"
        assert server.name == Path(gguf).stem
        assert _status(f"{server.base_url}/models", server.api_key) == 200
        assert _status(f"{server.base_url}/models", "guessed") == 401
        assert _status(f"{server.base_url}/models") == 401
    with pytest.raises(urllib.error.URLError):
        _status(f"{server.base_url}/models", server.api_key)
    assert threading.active_count() == before
    assert capfd.readouterr() == ("", "")


async def test_a_real_model_answers_from_the_menu(gguf, monkeypatch):
    """One turn, with its tokens in the books; a proxy of the environment is not asked."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with local_decider(gguf, timeout_s=300) as decider, Maitred(World().flow, decider=decider) as maitred:
        asked = [e async for e in maitred.stream(maitred.request("s", "what is it that you sell"))]
        attempts = [attempt for event in asked for attempt in getattr(event, "attempts", ())]
        assert attempts[0].outcome == "ok"
        assert attempts[0].usage.prompt > 100
        assert (await maitred.replay("s")).equal


async def _maitred(folder: Path, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """As a process: it must end by itself."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAITRED_", "OPENAI_"))}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "maitred", *arguments, cwd=folder, env=clean,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_the_demo_plays_with_it(gguf, tmp_path):
    """Tokens and time of each turn, nothing on stderr, an end."""
    (tmp_path / "lines.txt").write_text("what is it that you sell\n", encoding="utf-8")
    played = ("demo", "--local", gguf, "--messages", "lines.txt", "--model-timeout", "300", "--json")
    ended, out, err = await _maitred(tmp_path, *played)
    shown = json.loads(out)
    assert (ended, err) == (1, "")  # one message does not complete the conversation
    assert shown["model"]["name"] == Path(gguf).stem
    assert shown["model"]["prompt_tokens"] > 100
    assert shown["turns"][0]["model"][0]["attempts"][0]["seconds"] > 0


async def test_a_chat_ends_with_its_input(gguf, tmp_path):
    """No port, no thread and no process is left."""
    ended, out, err = await _maitred(tmp_path, "chat", "--local", gguf, stdin="/state\n/quit\n")
    assert (ended, err) == (0, "")
    assert "nothing said yet" in out


def test_the_program_of_the_document_runs(gguf, tmp_path):
    """The example that CI can only define, with a model."""
    found = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (code,) = [block for block in found if "local_decider" in block]
    ran = subprocess.run([sys.executable, "-c", code, gguf], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.strip()
