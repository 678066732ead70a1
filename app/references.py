"""references: `file.py:name` and `package.module:name` -> object. Owns imports for users; nothing else imports their code.

A file is loaded once, under a module name made from its path, so that two `tools.py` never meet. While it loads, its folder is on
the import path, so that it may import its neighbours; afterwards the path is as it was. Called by `flow_loading.py`.
"""

import hashlib
import importlib
import importlib.util
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from ..protocol.errors import BadRequest, FlowError, WrongArguments
from ..statemachine.check import nearest
from ..statemachine.flow_readers import LocatedFinding
from ..tools.tool import FunctionTool


def resolve(reference: str, folder: Path) -> object:
    """The object that `reference` names; files are relative to `folder`. Raises BadRequest or FlowError."""
    place, colon, attribute = reference.rpartition(":")
    if not (colon and place and attribute):
        raise BadRequest(f"{reference!r} is no reference; write file.py:name or package.module:name")
    module = _from_file(folder / place, place) if place.endswith(".py") else _from_name(place, folder)
    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            public = (name for name in dir(found) if not name.startswith("_"))
            names = [name for name in public if not inspect.ismodule(getattr(found, name, None))]
            raise BadRequest(f"{place!r} has no {attribute!r}{nearest(part, names)}")
        found = getattr(found, part)
    return found


def called(found: object, reference: str, wanted: type) -> object:
    """What a function without arguments returns; anything else as it is."""
    if isinstance(found, (wanted, type, FunctionTool)) or not callable(found):
        return found
    function: Callable[[], object] = found
    if inspect.iscoroutinefunction(function):
        raise FlowError(f"{reference!r} is an async function; it must be an ordinary one")
    try:
        inspect.signature(function).bind()
    except TypeError as error:
        raise FlowError(f"{reference!r} is a function that needs arguments ({error}); it must take none") from error
    except ValueError:  # a builtin without a signature: calling it tells
        pass
    return _guarded(function, reference)


def _from_file(path: Path, shown: str) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise BadRequest(f"no file {shown!r} in {str(path.parent)!r}{nearest(path.name, near)}")
    name = f"_maitred_flow_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadRequest(f"{shown!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: dataclasses and annotations look their module up
    loader = spec.loader
    try:
        with _importable(path.parent, first=True):
            _guarded(lambda: loader.exec_module(module), shown)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _from_name(name: str, folder: Path) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise BadRequest(f"{name!r} is not the name of a module, nor a file that ends in .py")
    with _importable(folder.resolve(), first=False):
        found = _guarded(lambda: importlib.import_module(name), name)
    if not isinstance(found, ModuleType):
        raise BadRequest(f"{name!r} is a {type(found).__name__}, not a module")
    return found


def _guarded(run: Callable[[], object], shown: str) -> object:
    """Runs a user's code; whatever it raises becomes one sentence that says what and where."""
    try:
        return run()
    except FlowError as error:
        if error.findings:
            raise
        raise _placed(error, shown) from error
    except ModuleNotFoundError as error:
        if error.name and (shown == error.name or shown.startswith(f"{error.name}.")):
            message = f"no module {shown!r}: {error.name!r} is not found; a file is written as {shown}.py:name"
            raise BadRequest(message) from error
        raise FlowError(f"{_place(error, shown)} raised {type(error).__name__}: {error}") from error
    except (Exception, SystemExit) as error:  # any code of a user may run here
        raise FlowError(f"{_place(error, shown)} raised {type(error).__name__}: {error}") from error


def _placed(error: FlowError, shown: str) -> FlowError:
    """The same, with the line of the user's code that it is about."""
    file, _, line = _place(error, shown).rpartition(":")
    place = (file, int(line)) if file and line.isdigit() else (shown, None)
    faults = error.faults if isinstance(error, WrongArguments) else (("", str(error)),)
    part = error.part if isinstance(error, WrongArguments) else ""
    keys = [".".join(filter(None, (part, where))) for where, _ in faults]
    found = tuple(
        LocatedFinding("error", "bad_value", key, why, *place) for key, (_, why) in zip(keys, faults, strict=True)
    )
    return FlowError("\n".join(map(str, found)), found)


def _place(error: BaseException, shown: str) -> str:
    """The innermost line of the user's code: not ours, not Python's, not an installed package's."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno}"
    foreign = (
        "<",
        str(Path(__file__).parents[1]),
        *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")),
    )
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(foreign)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else shown


@contextmanager
def _importable(folder: Path, *, first: bool) -> Iterator[None]:
    """`folder` on the import path: in front, as Python does for a script's neighbours, or behind all that is installed."""
    _forget_strangers(folder)
    importlib.invalidate_caches()  # the files may be younger than the last import
    added = str(folder) not in sys.path
    if added:
        sys.path.insert(0 if first else len(sys.path), str(folder))
    try:
        yield
    finally:
        if added and str(folder) in sys.path:
            sys.path.remove(str(folder))


def _forget_strangers(folder: Path) -> None:
    """Neighbours of another flow, imported earlier under a name that this folder uses too: they must not pass for ours."""
    known = {str(Path(entry or ".").resolve()) for entry in sys.path}
    for name in [*(p.stem for p in folder.glob("*.py")), *(p.parent.name for p in folder.glob("*/__init__.py"))]:
        file = getattr(sys.modules.get(name), "__file__", None)
        if not file:
            continue
        root = Path(file).parent.parent if Path(file).name == "__init__.py" else Path(file).parent
        if root.resolve() != folder and str(root.resolve()) not in known:
            del sys.modules[name]
