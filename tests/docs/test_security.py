"""Each row of the threat table names tests, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| threat", "|---"))
]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_row_has_a_control_and_a_test_that_exists() -> None:
    """Or says plainly that it has none."""
    assert len(ROWS) >= 15
    for threat, control, tests in ROWS:
        named = TEST.findall(tests)
        assert control
        assert named or control.startswith("**Not covered"), threat
        for path, name in named:
            assert re.search(rf"def {name}\(", (ROOT / path).read_text(encoding="utf-8")), f"{threat}: {path}::{name}"
