"""Flows by reference: files, folders, modules, functions; and one plain sentence for each way that can fail."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maitred.app.flow_loading import flow_findings, load_flow
from maitred.app.graph_svg import svg
from maitred.protocol.errors import BadRequest, FlowError
from maitred.statemachine.flow import Flow

YAML = """\
flow: small
initial: info
tools: [tools.py:find_plan]
steps:
  info:
    actions:
      - {name: finish, event: done}
      - name: find
        tool: find_plan
        parameters: {seats: {type: int}}
        on: {ok: done, error: done, unavailable: done}
    transitions:
      done: completed
"""
TOOLS = """\
from maitred.tools.tool import tool
import prices

@tool(effect="none")
def find_plan(seats: int) -> int:
    return prices.PRICE

def plain() -> None: ...
"""
FLOW = """\
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Step, Terminal

def build(event="done"):
    return Flow(name="small", states=["info"], initial="info", transitions={("info", "done"): Terminal.COMPLETED},
                steps={"info": Step(actions=(Action(name="finish", event=event),))})

flow = build()
NAME = "small"

def broken():
    return build("don")

def needs(argument):
    return flow

async def later():
    return flow

def number():
    return 5

def raises():
    return 1 / 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a flow in YAML, its tools and their neighbour, and a flow in Python. Imports are undone afterwards."""
    modules, path = dict(sys.modules), list(sys.path)
    shop = tmp_path / "shop"
    shop.mkdir()
    for name, text in {
        "flow.yaml": YAML,
        "tools.py": TOOLS,
        "prices.py": "PRICE = 39",
        "flow.py": FLOW,
    }.items():
        (shop / name).write_text(text, encoding="utf-8")
    yield shop
    assert sys.path == path
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


def test_a_yaml_file(folder: Path) -> None:
    """Its tools come from the file beside it, which may import its own neighbours."""
    flow = load_flow(str(folder / "flow.yaml"))
    assert flow.name == "small"
    assert flow.tools["find_plan"](3) == 39  # type: ignore[operator]  # a FunctionTool is still the function


def test_a_folder(folder: Path) -> None:
    """A folder stands for its flow.yaml."""
    assert load_flow(str(folder)).name == "small"


def test_a_path_with_a_byte_order_mark(folder: Path) -> None:
    """Windows editors write one."""
    (folder / "flow.yaml").write_text(YAML, encoding="utf-8-sig")
    assert load_flow(str(folder)).name == "small"


@pytest.mark.parametrize("attribute", ["flow", "build"])
def test_a_python_file(folder: Path, attribute: str) -> None:
    """A Flow, or a function without (needed) arguments that returns one."""
    assert load_flow(f"{folder}/flow.py:{attribute}").name == "small"


def test_a_module_of_the_working_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`module:name` looks where Python looks, then in the working folder."""
    (folder / "shop_of_a_test.py").write_text(FLOW)
    monkeypatch.chdir(folder)
    assert load_flow("shop_of_a_test:flow").name == "small"


def test_a_relative_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are relative to the working folder, tools to the flow's."""
    monkeypatch.chdir(folder.parent)
    assert load_flow("shop").tools
    assert load_flow("shop/flow.py:flow").name == "small"


def test_tools_of_a_module(folder: Path) -> None:
    """`package.module:name` in a YAML file; a module beside the file is found too."""
    (folder / "tools_of_a_test.py").write_text(TOOLS)
    (folder / "flow.yaml").write_text(YAML.replace("[tools.py:find_plan]", "{find_plan: tools_of_a_test:find_plan}"))
    assert load_flow(str(folder)).tools["find_plan"](3) == 39  # type: ignore[operator]  # a FunctionTool is still the function


def test_a_file_is_loaded_once(folder: Path) -> None:
    """Two references to one file give objects of one module."""
    (folder / "flow.yaml").write_text(
        YAML.replace("[tools.py:find_plan]", "{find_plan: tools.py:find_plan, again: tools.py:find_plan}")
    )
    assert load_flow(str(folder)).tools["find_plan"] is load_flow(str(folder / "flow.yaml")).tools["find_plan"]


def test_two_flows_with_files_of_the_same_names_do_not_mix(folder: Path, tmp_path: Path) -> None:
    """Neither their tools.py nor what those import."""
    other = tmp_path / "other"
    other.mkdir()
    for name, text in {"flow.yaml": YAML, "tools.py": TOOLS, "prices.py": "PRICE = 7"}.items():
        (other / name).write_text(text)
    first, second = load_flow(str(folder)), load_flow(str(other))
    assert [flow.tools["find_plan"](3) for flow in (first, second)] == [39, 7]  # type: ignore[operator]  # as above


def test_a_file_that_raised_can_be_loaded_again(folder: Path) -> None:
    """A half-loaded module is not kept."""
    (folder / "late.py").write_text("raise OSError('not yet')")
    with pytest.raises(FlowError, match=r"late\.py:1 raised OSError: not yet"):
        load_flow(f"{folder}/late.py:flow")
    (folder / "late.py").write_text(FLOW)
    assert load_flow(f"{folder}/late.py:flow").name == "small"


BAD_REFERENCES = [
    ("", "no flow ''"),
    (
        "shap",
        "no flow 'shap': give a YAML file, a folder with flow.yaml, module:name or file.py:name; did you mean 'shop'?",
    ),
    ("shop/flow.yml", "no file 'shop/flow.yml'; did you mean 'flow.yaml'?"),
    ("shop/none/flow.yaml", "no file 'shop/none/flow.yaml'"),
    ("empty", "the folder 'empty' has no flow.yaml; it has a.py, b.yaml"),
    ("shop/flow.py", "'shop/flow.py' names no flow in that file; write shop/flow.py:name, such as shop/flow.py:flow"),
    ("shop/flw.py:flow", "no file 'shop/flw.py' in "),
    ("shop/flow.py:flwo", "'shop/flow.py' has no 'flwo'; did you mean 'flow'?"),
    ("shop/flow.py:flow.nam", "'shop/flow.py' has no 'flow.nam'; did you mean 'name'?"),
    (
        "no_such_module:flow",
        "no module 'no_such_module': 'no_such_module' is not found; a file is written as no_such_module.py:name",
    ),
    ("maitred.no_such:flow", "no module 'maitred.no_such': 'maitred.no_such' is not found"),
    ("a b:flow", "'a b' is not the name of a module"),
    (":flow", "':flow' is no reference"),
    ("shop/flow.py:", "'shop/flow.py:' is no reference"),
    ("x" * 5000 + ".yaml", "is not a path: "),
    ("a\0b", "no flow "),
]


@pytest.mark.parametrize(("reference", "message"), BAD_REFERENCES)
@pytest.mark.parametrize("function", [load_flow, flow_findings])
def test_a_reference_to_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reference: str, message: str, function: object
) -> None:
    """BadRequest, with the nearest name where there is one."""
    empty = folder.parent / "empty"
    empty.mkdir()
    for name in ("a.py", "b.yaml", "c.txt"):
        (empty / name).touch()
    monkeypatch.chdir(folder.parent)
    assert callable(function)
    with pytest.raises(BadRequest) as raised:
        function(reference)
    assert message in str(raised.value)
    assert len(str(raised.value)) < 400


def test_a_tool_is_no_flow(folder: Path) -> None:
    """It is callable, but calling it is not what was meant."""
    with pytest.raises(FlowError, match="is a FunctionTool, not a Flow"):
        load_flow(f"{folder}/tools.py:find_plan")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("NAME", "is a str, not a Flow"),
        ("Flow", "is a type, not a Flow"),
        ("number", "is a int, not a Flow"),
        ("needs", "is a function that needs arguments (missing a required argument: 'argument')"),
        ("later", "is an async function"),
        ("raises", "flow.py:24 raised ZeroDivisionError: division by zero"),
    ],
)
def test_an_attribute_that_is_no_flow(folder: Path, attribute: str, message: str) -> None:
    """FlowError that says what it is instead."""
    with pytest.raises(FlowError) as raised:
        load_flow(f"{folder}/flow.py:{attribute}")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1\ny = z", "m.py:2 raised NameError: name 'z' is not defined"),
        ("def f(:", "m.py:1 raised SyntaxError: invalid syntax"),
        ("import no_such_thing", "m.py:1 raised ModuleNotFoundError: No module named 'no_such_thing'"),
        ("import sys\nsys.exit(3)", "m.py:2 raised SystemExit: 3"),
        ("import json\n\njson.loads('{')", "m.py:3 raised JSONDecodeError"),
        ("from prices import COST", "m.py:1 raised ImportError: cannot import name 'COST'"),
    ],
)
def test_a_module_that_raises(folder: Path, code: str, message: str) -> None:
    """FlowError with the line in the user's own file and what was raised."""
    (folder / "m.py").write_text(code)
    with pytest.raises(FlowError) as raised:
        load_flow(f"{folder}/m.py:flow")
    assert message in str(raised.value)


def test_findings_of_yaml_have_lines(folder: Path) -> None:
    """The same as the loader raises, with warnings and notes."""
    path = folder / "flow.yaml"
    path.write_text(YAML.replace("event: done", "event: don"))
    found = flow_findings(str(folder))
    expected = f"{path}:7: steps.info.actions[0].event: the map has no row (info, don); did you mean 'done'?"
    assert [str(finding) for finding in found] == [expected]
    with pytest.raises(FlowError) as raised:
        load_flow(str(folder))
    assert raised.value.findings == found


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("tools.py:find_pln", "'tools.py' has no 'find_pln'; did you mean 'find_plan'?"),
        ("tool.py:find_plan", "did you mean 'tools.py'?"),
        ("tools.py:plain", "'tools.py:plain' is a plain function, not a tool; put @tool(effect=...) on it"),
        ("prices.py:PRICE", "'prices.py:PRICE' is a int, not a tool"),
        ("find_plan", "'find_plan' is no reference; write file.py:name or package.module:name"),
        ("bad.py:x", "bad.py:1 raised ZeroDivisionError: division by zero"),
    ],
)
def test_findings_name_the_line_of_a_bad_tool_reference(folder: Path, reference: str, message: str) -> None:
    """The reference's line in the YAML file and what is wrong behind it."""
    (folder / "bad.py").write_text("1 / 0")
    (folder / "flow.yaml").write_text(YAML.replace("[tools.py:find_plan]", f"\n  find_plan: {reference}"))
    found = flow_findings(str(folder))
    assert len(found) == 1
    assert str(found[0]).startswith(f"{folder}/flow.yaml:4: tools.find_plan: ")
    assert message in str(found[0])


def test_findings_of_python(folder: Path) -> None:
    """No lines, but the same shape; a flow whose building fails gives what the building found."""
    assert flow_findings(f"{folder}/flow.py:flow") == ()
    found = flow_findings(f"{folder}/flow.py:broken")
    assert [finding.code for finding in found][:1] == ["unknown_event"]
    assert str(found[0]).startswith(f"{folder}/flow.py:broken: steps.info.actions[0]")
    with pytest.raises(FlowError, match="raised ZeroDivisionError"):
        flow_findings(f"{folder}/flow.py:raises")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = 1\nStep(confirm='buy')", "3: Step.confirm: there is no such argument; did you mean 'confirms'?"),
        (
            "Flow(name='tea', states=['a'],\n  initial='a', transitions={'a': 'b'})",
            "2: Flow.transitions: its keys are pairs (state, event); got 'a'",
        ),
        ("@tool(effect='none')\ndef f(a): pass", "2: tool 'f': parameter 'a' has no type"),
    ],
)
def test_findings_of_python_that_cannot_be_built_have_lines(folder: Path, code: str, found: str) -> None:
    """The line of the user's own file, as a finding; the same behind a tool reference of a YAML file."""
    (folder / "m.py").write_text(f"from maitred import Flow, Step, tool\n{code}")
    assert [str(finding) for finding in flow_findings(f"{folder}/m.py:flow")] == [f"m.py:{found}"]
    (folder / "flow.yaml").write_text(YAML.replace("[tools.py:find_plan]", "[m.py:find_plan]"))
    assert [str(finding) for finding in flow_findings(str(folder))] == [f"{folder}/flow.yaml:3: tools[0]: m.py:{found}"]


def test_a_file_that_is_not_utf8(folder: Path) -> None:
    """One finding with the line."""
    (folder / "flow.yaml").write_bytes(b"flow: a\ngreeting: \xff\xfe\n")
    with pytest.raises(FlowError, match=r"flow\.yaml:2: not UTF-8"):
        load_flow(str(folder))


def test_a_file_that_is_too_large(folder: Path) -> None:
    """Refused after a bounded read."""
    (folder / "flow.yaml").write_bytes(b"#" * 3_000_000)
    with pytest.raises(BadRequest, match="larger than a flow may be"):
        load_flow(str(folder))


def test_svg_without_its_library_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """mermaidx is optional."""
    monkeypatch.setitem(sys.modules, "mermaidx", None)
    flow = load_flow(str(folder))
    assert isinstance(flow, Flow)
    with pytest.raises(BadRequest, match=r"pip install 'maitred\[svg\]'"):
        svg(flow)
