"""What costs time is loaded by those who use it."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("what", ["import maitred", "from maitred import Maitred, Flow, tool"])
def test_import_loads_no_client(what: str) -> None:
    """Neither that of a model nor that of Redis."""
    code = f"{what}\nimport sys\nprint(*{{'openai', 'instructor', 'redis', 'httpx2', 'tenacity'}} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == ""
