"""flow_loading: a reference on a command line -> Flow. Owns file access and imports for flows; knows no YAML and no rule.

References: a YAML file, a folder that holds `flow.yaml`, `package.module:attribute` or `file.py:attribute`; the attribute is a
Flow or a function without arguments that returns one. Inside a YAML file tools are `tools.py:name` (from the file's folder) or
`package.module:name`. **A flow is code: loading one runs the Python files that it names.** Called by `cli/` and by applications.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..protocol.errors import BadRequest, FlowError
from ..statemachine.check import Finding, check, nearest
from ..statemachine.flow import Flow
from ..statemachine.flow_file import findings_of, parse_flow
from ..statemachine.flow_readers import LocatedFinding
from ..statemachine.yaml_lines import MAX_CHARS
from .references import called, resolve

FLOW_FILE: Final = "flow.yaml"
_YAML: Final = (".yaml", ".yml")


def load_flow(ref: str) -> Flow:
    """The flow at `ref`. Raises BadRequest if there is no such thing, FlowError with findings if there is and it is wrong."""
    path = _yaml_path(ref)
    if path is not None:
        return parse_flow(_read(path), str(path), _resolver(path.parent))
    return _from_python(ref)


def flow_findings(ref: str) -> tuple[LocatedFinding, ...]:
    """Everything that is wrong with the flow at `ref`, errors first: with lines for YAML, without for Python.

    Raises BadRequest if there is no such thing, FlowError without findings if its Python code raises.
    """
    path = _yaml_path(ref)
    if path is not None:
        return findings_of(_read(path), str(path), _resolver(path.parent))
    try:
        found: tuple[object, ...] = check(_from_python(ref))
    except FlowError as error:
        if not error.findings:
            raise
        found = error.findings
    return tuple(_located(finding, ref) for finding in found)


def _located(finding: object, ref: str) -> LocatedFinding:
    if isinstance(finding, Finding):
        return LocatedFinding(finding.severity, finding.code, finding.where, finding.message, ref)
    return (
        finding if isinstance(finding, LocatedFinding) else LocatedFinding("error", "flow_error", "", str(finding), ref)
    )


def _resolver(folder: Path) -> Callable[[str], object]:
    return lambda reference: resolve(reference, folder)


def _yaml_path(ref: str) -> Path | None:
    """The YAML file that `ref` means; None if it means Python."""
    try:
        return _checked_path(ref)
    except BadRequest:
        raise
    except (OSError, ValueError) as error:  # a name that no file system takes: too long, a zero byte
        raise BadRequest(f"{ref[:100]!r} is not a path: {getattr(error, 'strerror', None) or error}") from error


def _checked_path(ref: str) -> Path | None:
    path = Path(ref)
    if ref and path.is_dir():
        return _in_folder(path)
    if path.suffix in _YAML:
        if path.is_file():
            return path
        raise BadRequest(f"no file {ref!r}{_near(path)}")
    if ":" in ref:
        return None
    if path.suffix == ".py":
        raise BadRequest(f"{ref!r} names no flow in that file; write {ref}:name, such as {ref}:flow")
    raise BadRequest(
        f"no flow {ref!r}: give a YAML file, a folder with {FLOW_FILE}, module:name or file.py:name{_near(path)}"
    )


def _in_folder(folder: Path) -> Path:
    path = folder / FLOW_FILE
    if path.is_file():
        return path
    others = sorted(p.name for p in folder.iterdir() if p.suffix in (*_YAML, ".py"))
    hint = f"; it has {', '.join(others[:10])}" if others else ""
    raise BadRequest(f"the folder {str(folder)!r} has no {FLOW_FILE}{hint}")


def _near(path: Path) -> str:
    """What stands in the same folder under a similar name."""
    folder = path.parent
    names = (
        [p.name for p in folder.iterdir() if p.suffix in _YAML or (p / FLOW_FILE).is_file()] if folder.is_dir() else []
    )
    return nearest(path.name, names) if 0 < len(names) <= 20 else ""


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CHARS * 4 + 1)  # UTF-8 takes 4 bytes a character at most
    except OSError as error:
        raise BadRequest(f"{str(path)!r} cannot be read: {error.strerror}") from error
    if len(data) > MAX_CHARS * 4:
        raise BadRequest(f"{str(path)!r} is larger than a flow may be ({MAX_CHARS:,} characters)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        finding = LocatedFinding("error", "not_readable", "", "not UTF-8; save the file as UTF-8", str(path), line)
        raise FlowError(str(finding), (finding,)) from error


def _from_python(ref: str) -> Flow:
    found = called(resolve(ref, Path()), ref, Flow)
    if isinstance(found, Flow):
        return found
    raise FlowError(
        f"{ref!r} is a {type(found).__name__}, not a Flow, nor a function without arguments that returns one"
    )
