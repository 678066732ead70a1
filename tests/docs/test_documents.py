"""Every example in README and docs runs; every link leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from maitred.statemachine.flow_file import findings_of

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "README.zh.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def blocks(language: str) -> list[tuple[Path, str]]:
    """Fenced blocks of a language, over all documents."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        found += [(path, body) for body in re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]
    return found


@pytest.mark.parametrize(
    ("path", "code"), blocks("python"), ids=lambda value: value.name if isinstance(value, Path) else ""
)
def test_python_examples_run(path, code, tmp_path):
    """As a program of their own; what the README says they print, they print."""
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    printed = re.search(
        re.escape(code) + r"```\n\nprints\n\n```text\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL
    )
    if printed:
        assert ran.stdout == printed.group(1)


@pytest.mark.parametrize(
    ("path", "text"), blocks("yaml"), ids=lambda value: value.name if isinstance(value, Path) else ""
)
def test_yaml_examples_are_clean_flows(path, text):
    """No error and no warning."""

    def no_tools(reference: str) -> object:
        raise LookupError(reference)

    assert [str(f) for f in findings_of(text, path.name, no_tools) if f.severity != "note"] == []


def test_there_are_examples():
    """The two tests above look at something."""
    assert len(blocks("python")) >= 2
    assert len(blocks("yaml")) >= 1


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_commands_of_the_readme_run(readme, tmp_path):
    """`maitred ...` as they stand, one after the other. What serves is tried in tests/gateway/test_readme.py."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    commands = [line[2:] for line in re.findall(r"^\$ maitred (?!serve).*$", text, re.MULTILINE)]
    assert len(commands) >= 4
    for command in commands:
        ran = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            input="green tea\n",
            check=False,
        )
        assert ran.returncode == 0, f"{command}: {ran.stderr}{ran.stdout}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    """Relative links name files that are there."""
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_files_named_in_the_architecture_exist():
    """`folder/file.py` in backticks is a file of ours."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(
        re.findall(r"`((?:protocol|statemachine|decision|fallback|runtime|store|tools|app|cli)/[\w/]+\.py)`", text)
    )
    assert len(named) > 15
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_functions_named_beside_a_file_are_in_it():
    """`folder/file.py` `function` in a walk leads to that function."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    pairs = re.findall(r"`(\w+/[\w/]+\.py)` `(\w+)`", text)
    assert len(pairs) > 10
    lost = [
        pair
        for pair in pairs
        if not re.search(rf"def {pair[1]}\b|class {pair[1]}\b", (ROOT / pair[0]).read_text(encoding="utf-8"))
    ]
    assert lost == []
