"""The programs that `bench http` starts: the service, the model's server, the echo; each on a port of its own. Linux only, for a
program's CPU time is read from /proc.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ..protocol.errors import InternalError

# The limits of one tenant are not what is measured.
_SETTINGS = "[serve]\nrate_per_s = 1e9\nburst = 1000000000\n"


@dataclass(frozen=True, slots=True)
class Running:
    """A program that listens."""

    pid: int
    port: int

    @property
    def cpu_s(self) -> float:
        """What it has used so far, in hundredths of a second."""
        behind_name = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(behind_name[11]) + int(behind_name[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def service(store: str, flow: str, *options: str) -> Iterator[Running]:
    """`maitred serve`; `flow`: a function of `http_flows.py`."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.toml"
        settings.write_text(_SETTINGS)
        place = store if store == ":memory:" or "://" in store else str(Path(folder) / store)
        command = ["-m", "maitred", "serve", "--port", "0", "--store", place, "--settings", str(settings)]
        with program([*command, "--flow", f"maitred.benchmarks.http_flows:{flow}", *options]) as running:
            yield running


@contextmanager
def program(arguments: Sequence[str]) -> Iterator[Running]:
    """Python with these arguments, until the block ends. It must say where it listens."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAITRED_", "OPENAI_"))}
    # Into a file, as a service's log goes: a pipe that nobody empties would stop it.
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [sys.executable, *arguments], env=environment, stdout=said, stderr=subprocess.STDOUT, text=True
        )
        try:
            yield Running(process.pid, _port(process, said, arguments))
        finally:
            process.terminate()
            process.wait()


def _port(process: "subprocess.Popen[str]", said: TextIO, arguments: Sequence[str]) -> int:
    while True:
        has_ended = process.poll() is not None
        said.seek(0)
        text = said.read()
        if found := re.search(r"listens on http://127\.0\.0\.1:(\d+)", text):
            return int(found[1])
        if has_ended:
            raise InternalError(f"{' '.join(arguments[:4])} did not start: {text[-500:]}")
        time.sleep(0.02)
