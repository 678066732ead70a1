"""Runs the command line in this process, in an empty folder."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from maitred.cli.main import main


@dataclass
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("check", "shop")`, with `stdin=` for what is piped in."""
    monkeypatch.chdir(tmp_path)
    for name in ("DB", "MODEL", "BASE_URL", "MODEL_TIMEOUT", "MENU_SCHEMA", "API_KEY", "LOCAL"):
        monkeypatch.delenv(f"MAITRED_{name}", raising=False)

    def call(*arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["maitred", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return call
