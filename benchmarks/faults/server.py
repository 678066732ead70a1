"""Server: a redis-server of the harness's own, on a socket in a folder, with an append-only file. It can be killed and started
again on what it left. Entered by `stores.py`; hurt by `aof.py` and `restarts.py`.
"""

import ctypes
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from ...protocol.errors import BadRequest, StoreUnavailable

_STARTS_WITHIN_S = 20.0
_FOLDER, _FILE = "appendonlydir", "appendonly.aof.1.incr.aof"


class Server:
    """`synced`: each command is on disk before its answer (appendfsync always), not within a second or so (everysec).
    `kept`: there is an append-only file.

    Raises BadRequest if there is no server on this machine.
    """

    def __init__(self, folder: Path, *, synced: bool, kept: bool = True) -> None:
        program = shutil.which("redis-server") or shutil.which("valkey-server")
        if program is None:
            raise BadRequest("no redis-server or valkey-server on the path (Debian: apt-get install redis-server)")
        self.socket = socket_of(folder)
        self._folder = folder
        self._command = (
            program, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(folder), "--save", "",
            "--maxmemory-policy", "noeviction", "--appendonly", "yes" if kept else "no", "--aof-load-truncated", "yes",
            "--appendfsync", "always" if synced else "everysec",
        )  # fmt: skip
        self.start()

    def start(self) -> None:
        """Returns when it answers, its data loaded."""
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, preexec_fn=_end_with_us
        )
        until = time.monotonic() + _STARTS_WITHIN_S
        while self._ask("PING") != b"+PONG\r\n":
            if self._process.poll() is not None or time.monotonic() > until:
                raise StoreUnavailable(f"{self._command[0]} does not start")
            time.sleep(0.005)

    def kill(self) -> None:
        """As a crash of the process does: what it wrote is the kernel's."""
        self._process.kill()
        self._process.wait()

    def sync_later(self) -> None:
        """From now on within a second or so."""
        self._ask("CONFIG SET appendfsync everysec")

    @property
    def synced(self) -> bool:
        """What the server itself says."""
        return b"always" in self._ask("CONFIG GET appendfsync")

    @property
    def log(self) -> Path:
        """The append-only file, but for the empty snapshot that it starts from."""
        return self._folder / _FOLDER / _FILE

    def copy_log(self, folder: Path, size: int) -> None:
        """What is left of the log of a power cut, put where a new server will find it."""
        shutil.copytree(self._folder / _FOLDER, folder / _FOLDER)
        with (folder / _FOLDER / _FILE).open("r+b") as file:
            file.truncate(size)

    def _ask(self, command: str) -> bytes:
        """The answer, empty if there is none."""
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(_STARTS_WITHIN_S)
                line.connect(str(self.socket))
                line.sendall(f"{command}\r\n".encode())
                return line.recv(1024)
        except OSError:
            return b""


def socket_of(folder: Path) -> Path:
    return folder / "redis.sock"


def _end_with_us() -> None:
    """In the server, before it starts: none outlives a bench that was killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
