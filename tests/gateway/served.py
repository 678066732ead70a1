"""The service as a real process on a real socket, the `openai` client in front of it, and a proxy that loses replies."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import openai

SECRET = "sk-" + "a" * 32
OTHER_SECRET = "sk-" + "b" * 32
KEYS = f"webui:{SECRET},other@rival:{OTHER_SECRET}"


@dataclass
class Service:
    """A running `maitred serve`. `folder`: where its databases are."""

    process: subprocess.Popen[str]
    address: str
    folder: Path
    said: list[str] = field(default_factory=list)
    clients: list[openai.OpenAI] = field(default_factory=list)

    def openai(self, secret: str = SECRET, base: str | None = None, **options: Any) -> openai.OpenAI:
        """Closed when the service is stopped."""
        options.setdefault("max_retries", 0)
        client = openai.OpenAI(base_url=f"{base or self.address}/v1", api_key=secret, timeout=60, **options)
        self.clients.append(client)
        return client

    def http(self, secret: str = SECRET) -> httpx2.Client:
        return httpx2.Client(base_url=self.address, headers={"authorization": f"Bearer {secret}"}, timeout=60)

    def orders(self) -> int:
        """How many orders the example's shop has."""
        return self.count("maitred.shop.db", "SELECT count(*) FROM orders")

    def sessions(self) -> set[str]:
        with closing(sqlite3.connect(self.folder / "maitred.db")) as db:
            return {row[0] for row in db.execute("SELECT session_id FROM sessions WHERE snapshot IS NOT NULL")}

    def turns(self, session: str) -> int:
        """How many messages of customers stand in a session's log."""
        sql = f"SELECT count(*) FROM log WHERE kind='user_request' AND session_id LIKE '%:{session}'"
        return self.count("maitred.db", sql)

    def count(self, file: str, sql: str) -> int:
        with closing(sqlite3.connect(self.folder / file)) as db:
            return int(db.execute(sql).fetchone()[0])

    def stop(self, with_signal: int = signal.SIGTERM) -> int:
        while self.clients:
            self.clients.pop().close()
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()


Start = Callable[..., Service]


def start(folder: Path, *options: str, env: dict[str, str] | None = None) -> Service:
    """Start it and wait until it listens."""
    command = [sys.executable, "-m", "maitred", "serve", "--port", "0", *options]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAITRED_")}
    environment = {**kept, "MAITRED_API_KEYS": KEYS, **(env or {})}
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    said: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"listens on (\S+)", line):
            service = Service(process, found.group(1), folder, said)
            threading.Thread(target=said.extend, args=(process.stderr,), daemon=True).start()
            return service
    raise AssertionError(f"it did not start: {said}")


@dataclass
class LossyProxy:
    """Passes connections on; `lose` of the next replies are read in full and never delivered."""

    target: tuple[str, int]
    lose: int = 0
    lost: int = 0
    listening: socket.socket = field(init=False)

    def __post_init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        """One request a connection: what the client sends goes up, the reply comes down or is lost."""
        with client, socket.create_connection(self.target) as server:
            server.sendall(_with_close(_whole_request(client)))
            reply = b""
            while part := server.recv(65536):
                reply += part
            if self.lose:
                self.lose -= 1
                self.lost += 1
                return
            client.sendall(reply)


def _whole_request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(next((x.split(b":")[1] for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")), b"0"))
    while len(body) < length:
        body += client.recv(65536)
    return head + b"\r\n\r\n" + body


def _with_close(request: bytes) -> bytes:
    return re.sub(rb"(?i)connection: keep-alive", b"connection: close", request, count=1)


class Chat:
    """A client that keeps the whole history, as most do. `state`, `session`: what the last reply's headers said."""

    def __init__(self, client: openai.OpenAI, *, stream: bool = False, headers: dict[str, str] | None = None) -> None:
        self.client, self.stream, self.headers = client, stream, headers or {}
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "Be nice. It is Tuesday."}]
        self.state = self.session = ""

    def say(self, text: str, **headers: str) -> str:
        self.messages.append({"role": "user", "content": text})
        reply = self.ask(**headers)
        self.messages.append({"role": "assistant", "content": reply})
        return reply

    def ask(self, **headers: str) -> str:
        """Sends the messages as they are."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        raw = self.client.chat.completions.with_raw_response.create(
            model="presales",
            messages=self.messages,  # type: ignore[arg-type]
            stream=self.stream,
            extra_headers={**self.headers, **named},
        )
        self.state = raw.headers.get("x-maitred-state", "")
        self.session = raw.headers.get("x-maitred-session", "")
        parsed: Any = raw.parse()
        if not self.stream:
            return str(parsed.choices[0].message.content)
        return "".join(chunk.choices[0].delta.content or "" for chunk in parsed if chunk.choices)
