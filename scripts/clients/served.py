"""A real `maitred serve`, with no special settings, in a folder of its own."""

import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from audit import TENANT

KEY = "sk-0123456789abcdef0123456789abcdef"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Its address. It is stopped, and its turns finished, at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAITRED_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "maitred", "serve", "--port", "0"],
        cwd=folder,
        env={**kept, "MAITRED_API_KEYS": f"{TENANT}:{KEY}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = _address(process, folder / "serve.log")
        with closing(sqlite3.connect(folder / "maitred.shop.db")) as shop, shop:
            shop.execute(
                "UPDATE stock SET available = 1000000"
            )  # the example's would be sold out after 60 conversations
        yield address
        process.terminate()
        if process.wait(60):
            raise SystemExit(f"maitred serve ended with {process.returncode}")
    finally:
        process.kill()


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    said = []
    assert process.stderr is not None  # noqa: S101  # it is a pipe
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"listens on (\S+)", line):
            threading.Thread(target=lambda: log.write_text("".join(process.stderr or ())), daemon=True).start()
            return found.group(1)
    raise SystemExit(f"maitred serve did not start: {''.join(said)}")
