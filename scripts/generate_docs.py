"""Writes the generated parts of docs/ from the code; `--check` fails if a file differs from what the code says.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`. Run by `scripts/check`, on the installed package.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import prompt_parts

from maitred.examples.presales.world import presales
from maitred.fallback.guards import GUARDS
from maitred.protocol.limits import Limits
from maitred.protocol.texts import SENTENCES
from maitred.runtime.lifecycle import NEXT
from maitred.statemachine.machine import WISHES
from maitred.statemachine.render import mermaid
from maitred.statemachine.rows import built_in_rows

ROOT = Path(__file__).parent.parent
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _lifecycle() -> str:
    return _table(("phase", "signal", "next"), [(phase, signal, follows) for (phase, signal), follows in NEXT.items()])


def _wishes() -> str:
    who: dict[str, list[str]] = {}
    for name, actor in WISHES:
        who.setdefault(name, []).append(actor.value)
    return _table(("wish", "who may wish it"), [(f"`{name}`", ", ".join(actors)) for name, actors in who.items()])


def _guards() -> str:
    rows = []
    for i, rule in enumerate(GUARDS, start=1):
        rows.append((str(i), f"`{rule.__name__}`", " ".join((rule.__doc__ or "").split())))
    return _table(("", "guard, a file in `fallback/guards/`", "rule"), rows)


def _rows() -> str:
    rows = []
    for (state, event), row in built_in_rows(["(any state)"], frozenset()).items():
        rows.append((state, f"`{event}`", row[0].target))
    return _table(("state", "event", "target"), rows)


def _limits() -> str:
    defaults = Limits()
    return _table(
        ("limit", "default"), [(f"`{name}`", f"{getattr(defaults, name):g}") for name in Limits.__dataclass_fields__]
    )


def _sentences() -> str:
    rows = [(f"`{key}`", text["en"], text["zh"]) for key, text in SENTENCES.items()]
    return _table(("key", "English", "Chinese"), rows)


def _example() -> str:
    flow = presales()
    rows = [
        (state, f"`{event}`", " / ".join(when.target for when in row))
        for (state, event), row in flow.transitions.items()
    ]
    return f"{_table(('state', 'event', 'target'), rows)}\n```mermaid\n{mermaid(flow)}```\n"


PARTS: dict[str, Callable[[], str]] = {
    "lifecycle": _lifecycle,
    "wishes": _wishes,
    "guards": _guards,
    "rows": _rows,
    "limits": _limits,
    "sentences": _sentences,
    "example": _example,
    **prompt_parts.PARTS,
}


def main() -> int:
    """Write the files, or name those that differ."""
    check = "--check" in sys.argv[1:]
    stale = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        fresh = _PART.sub(lambda m: m.group(1) + PARTS[m.group(2)]() + m.group(3), text)
        if fresh != text:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(fresh, encoding="utf-8")
    for name in stale:
        print(f"{name}: {'differs from the code; run scripts/check --fix' if check else 'written'}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
