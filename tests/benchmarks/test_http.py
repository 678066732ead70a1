"""bench http: real processes, measured shortly. No figure is judged here, only that each is of what it says."""

import json
import sys

import pytest

from maitred.cli.main import main

from ..conftest import RedisServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


def run(monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    monkeypatch.setattr("sys.argv", ["maitred", "bench", "http", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_turns_and_streams_are_measured_beside_their_floors(
    redis_server: RedisServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each store did its turns, Redis too; words that came early came before the end."""
    assert run(monkeypatch, "--requests", "1000", "--streams", "10", "--store", redis_server.url, "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    turns, streams = figures["turns"], figures["streams"]
    assert list(turns) == ["echo", "memory", "sqlite", "redis"]
    assert all(min(row.values()) > 0 for row in turns.values())
    assert list(streams) == ["model", "answer", "answer_with_facts", "not_streamed", "model_not_streamed"]
    for name in ("model", "answer", "answer_with_facts"):
        assert 0 < streams[name]["behind_model_ms"] < streams[name]["first_word_ms"] < streams[name]["whole_ms"]
    with redis_server.client() as client:
        assert client.keys("agent_state:local:ring:*")


def test_what_is_no_redis_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is started."""
    assert run(monkeypatch, "--store", "file.db") == 2
    assert "--store is a Redis URL" in capsys.readouterr().err
