"""The package that users install: which folders it lists, which data it carries, which names it takes."""

import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import maitred

ROOT = Path(__file__).resolve().parents[1]
NOT_PACKAGED = {"tests", "docs", "scripts", "build", "dist", "__pycache__"}
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LISTED = set(PYPROJECT["tool"]["setuptools"]["packages"])


def _package_folders(folder: Path = ROOT) -> Iterator[Path]:
    yield folder
    for child in sorted(folder.iterdir()):
        wanted = child.is_dir() and not child.name.startswith(".") and child.name not in NOT_PACKAGED
        if wanted and (child / "__init__.py").exists():
            yield from _package_folders(child)


def _import_name(folder: Path) -> str:
    return ".".join(("maitred", *folder.relative_to(ROOT).parts))


def _is_editable() -> bool:
    url = importlib.metadata.distribution("maitred").read_text("direct_url.json")
    return url is not None and bool(json.loads(url).get("dir_info", {}).get("editable"))


def test_every_folder_that_is_a_package_is_listed() -> None:
    """A new layer or sub package that pyproject.toml does not list would be missing from the wheel."""
    assert {_import_name(folder) for folder in _package_folders()} == LISTED


def test_no_module_hides_in_a_folder_without_init() -> None:
    """A folder of Python files without __init__.py is not a package, so its files would not be installed."""
    strays = [
        str(path.relative_to(ROOT))
        for folder in _package_folders()
        for child in folder.iterdir()
        if child.is_dir() and not child.name.startswith(".") and child.name not in NOT_PACKAGED
        for path in child.glob("*.py")
        if not (child / "__init__.py").exists()
    ]
    assert strays == []


def test_the_root_holds_no_other_module() -> None:
    """The checkout's root is the package itself: two Python files and no more."""
    assert sorted(path.name for path in ROOT.glob("*.py")) == ["__init__.py", "__main__.py"]


def test_every_data_file_is_installed() -> None:
    """Files beside the code (YAML, SQL, JSON, text) are in the installed package too."""
    installed = Path(maitred.__file__).parent
    data = [
        path.relative_to(ROOT)
        for folder in _package_folders()
        if folder != ROOT
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in {".yaml", ".sql", ".json", ".txt", ".lua", ".toml", ".jsonl"}
    ]
    assert [str(path) for path in data if not (installed / path).exists()] == []
    assert (installed / "py.typed").exists()


def test_tests_are_no_package() -> None:
    """With an __init__.py here pytest would climb to the root's and import the checkout as a package."""
    assert [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("__init__.py")] == []


def test_the_installed_package_is_under_test() -> None:
    """A plain install is imported from site-packages, never from the checkout."""
    if _is_editable():
        pytest.skip("editable install: the checkout is what is tested")
    assert Path(maitred.__file__).resolve().is_relative_to(Path(sys.prefix).resolve())


@pytest.mark.parametrize("layer", sorted(name.split(".")[1] for name in LISTED if name.count(".") == 1))
def test_no_layer_is_a_top_level_module(layer: str) -> None:
    """`import protocol` must not work: those names belong to other distributions."""
    spec = importlib.util.find_spec(layer)
    assert spec is None or (spec.origin is not None and not Path(spec.origin).is_relative_to(ROOT)), spec


def test_version_is_the_distributions() -> None:
    """`maitred.__version__` and the metadata say the same."""
    assert maitred.__version__ == importlib.metadata.version("maitred") == PYPROJECT["project"]["version"]


def test_what_else_lies_in_a_checkout_is_not_installed(tmp_path: Path) -> None:
    """Somebody's flow, data and database beside the package stay where they are; the layers come along, whole."""
    checkout, copied = tmp_path / "checkout", tmp_path / "copied"
    shutil.copytree(ROOT, checkout, ignore=_ignored)
    for stray in ("mine.py", "flow.yaml", "notes.txt", "maitred.db", "shop/flow.yaml", "shop/__init__.py"):
        (checkout / stray).parent.mkdir(exist_ok=True)
        (checkout / stray).write_text("x = 1")
    copy = f". '{ROOT}/scripts/venv.sh'; python='{sys.executable}'; copy_sources '{checkout}' '{copied}'"
    subprocess.run(["bash", "-c", copy], check=True, capture_output=True, timeout=60)
    layers = {name.split(".")[1] for name in LISTED if "." in name}
    files = {"pyproject.toml", "README.md", "LICENSE", "__init__.py", "__main__.py", "py.typed"}
    assert {path.name for path in copied.iterdir()} == layers | files
    assert (copied / "store" / "lua" / "begin.lua").exists()


def test_data_is_listed_package_by_package() -> None:
    """A pattern for all packages would take along whatever lies in one of them."""
    assert "*" not in PYPROJECT["tool"]["setuptools"]["package-data"]


def _ignored(folder: str, names: list[str]) -> set[str]:
    return {n for n in names if n.startswith(".") or n in NOT_PACKAGED or (Path(folder, n) / "pyvenv.cfg").exists()}
