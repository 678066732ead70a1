"""The layer table: the contracts hold on the installed package, and each catches a planted violation.

import-linter sees imports only. What it cannot see is checked here by reading the core's syntax trees: third-party
imports outside the allow-list, calls that read the clock, the outside world or randomness, `Any` in a signature.
"""

import ast
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

import maitred

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = Path(maitred.__file__).resolve().parent
LINT_IMPORTS = Path(sysconfig.get_path("scripts")) / "lint-imports"

CORE = ("protocol", "statemachine", "decision", "fallback")
EDGE_IN_CORE = "decision/client/"
# The pure libraries that the core may use, beside the standard library.
PURE_LIBRARIES = {"pydantic", "pydantic_core", "rfc8785", "annotated_types", "typing_extensions", "ruamel"}
IMPURE_CALLS = {"now", "utcnow", "today", "open", "print", "input", "breakpoint", "exec", "eval", "__import__"}


def _copy_package(target: Path) -> Path:
    skipped = {"tests", "docs", "scripts", "build", "dist", "__pycache__"}

    def ignore(folder: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name.startswith(".")
            or name in skipped
            or name.endswith(".egg-info")
            or Path(folder, name, "pyvenv.cfg").exists()
        }

    return Path(shutil.copytree(INSTALLED, target / "maitred", ignore=ignore))


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts on the copy in `folder`: lint-imports puts its working folder first on the path."""
    command = [sys.executable, str(LINT_IMPORTS), "--no-cache", "--no-logo", str(ROOT / "pyproject.toml")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_the_contracts_hold(tmp_path: Path) -> None:
    """The package as it is breaks no contract."""
    _copy_package(tmp_path)
    result = _lint(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("where", "line", "contract"),
    [
        ("protocol", "from ..statemachine import anything", "Each layer imports"),
        ("statemachine", "from ..decision import anything", "Each layer imports"),
        ("fallback", "from maitred.statemachine import anything", "Each layer imports"),
        ("statemachine", "from ..store import anything", "Each layer imports"),
        ("runtime", "from ..store import anything", "Each layer imports"),
        ("tools", "from ..app import anything", "Each layer imports"),
        ("examples", "from ..benchmarks import anything", "Each layer imports"),
        ("app", "from ..cli import anything", "Each layer imports"),
        ("statemachine", "from time import monotonic", "The core does no I/O"),
        ("decision", "import os.path", "The core does no I/O"),
        ("fallback", "def f():\n    import random", "The core does no I/O"),
        ("protocol", "import ruamel.yaml", "protocol/ needs nothing"),
        ("runtime", "from openai import AsyncOpenAI", "Only decision/client/"),
        ("app", "import rich.table", "Only cli/ draws"),
    ],
)
def test_a_planted_violation_is_caught(tmp_path: Path, where: str, line: str, contract: str) -> None:
    """Each contract can fail: the planted import is named in the report."""
    package = _copy_package(tmp_path)
    (package / where / "planted.py").write_text(line + "\n", encoding="utf-8")
    result = _lint(tmp_path)
    broken = [text for text in result.stdout.splitlines() if "BROKEN" in text]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(contract in text for text in broken), result.stdout
    assert f"maitred.{where}.planted" in result.stdout


def test_an_unlisted_layer_is_caught(tmp_path: Path) -> None:
    """A new top-level folder must be placed in the table before it can land."""
    package = _copy_package(tmp_path)
    (package / "helpers").mkdir()
    (package / "helpers" / "__init__.py").write_text("", encoding="utf-8")
    assert _lint(tmp_path).returncode == 1


def _core_trees() -> Iterator[tuple[str, ast.Module]]:
    for layer in CORE:
        for path in sorted((INSTALLED / layer).rglob("*.py")):
            name = path.relative_to(INSTALLED).as_posix()
            if not name.startswith(EDGE_IN_CORE):
                yield name, ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _absolute_imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.split(".")[0]


def test_the_core_uses_only_listed_libraries() -> None:
    """An allow-list: a library that nobody thought of forbidding is found too."""
    allowed = set(sys.stdlib_module_names) | PURE_LIBRARIES
    found = [
        f"{n}:{line}: {top}" for n, tree in _core_trees() for line, top in _absolute_imports(tree) if top not in allowed
    ]
    assert found == []


def _called_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        # `.open()`, `.eval()` and so on of an object are somebody's method; of these only the clock's count.
        return call.func.attr if call.func.attr in {"now", "utcnow", "today"} else ""
    return call.func.id if isinstance(call.func, ast.Name) else ""


def test_the_core_calls_nothing_impure() -> None:
    """`datetime` is a type in the core; its clock, files and the terminal are not called there."""
    found = [
        f"{name}:{node.lineno}: {_called_name(node)}()"
        for name, tree in _core_trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called_name(node) in IMPURE_CALLS
    ]
    assert found == []


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    yield from (argument.annotation for argument in every if argument is not None and argument.annotation is not None)
    if node.returns is not None:
        yield node.returns


def test_core_signatures_hold_no_any() -> None:
    """What goes into and comes out of the core has a type (JSON values have one in protocol/)."""
    found = [
        f"{name}:{node.lineno}: {node.name}"
        for name, tree in _core_trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for annotation in _signature(node)
        for part in ast.walk(annotation)
        if isinstance(part, ast.Name) and part.id == "Any"
    ]
    assert found == []
