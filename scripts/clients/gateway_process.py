"""A gateway's own environment, and its process."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

_UP_S = 300


def environment(folder: Path, requirement: str) -> Path:
    """The `bin` of a virtual environment with it, made unless it is there. Wheels only: nothing is built or run to install it."""
    programs = folder / requirement.partition("=")[0].partition("[")[0] / "bin"
    if not (programs.parent / "installed").exists():
        print(f"installing {requirement}; this takes minutes", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", programs.parent], check=True)
        subprocess.run([programs / "pip", "install", "-qq", "--only-binary", ":all:", requirement], check=True)
        (programs.parent / "installed").touch()
    return programs


@contextmanager
def running(command: Sequence[str | Path], env: Mapping[str, str], healthy: str, log: Path) -> Iterator[None]:
    """Until it answers at `healthy`; stopped at the end."""
    with log.open("wb") as said:
        process = subprocess.Popen(command, cwd=log.parent, env={**os.environ, **env}, stdout=said, stderr=said)
    try:
        until = time.monotonic() + _UP_S
        while not _answers(healthy):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{command[0]} did not start:\n{log.read_text()[-3000:]}")
            time.sleep(0.5)
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
