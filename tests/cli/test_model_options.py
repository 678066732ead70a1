"""The options that name a model: which go together, what a wrong file says. No model is loaded here."""

import sys
from pathlib import Path

import pytest

from maitred.cli.model_options import ModelChoice


@pytest.mark.parametrize("command", ["demo", "chat"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--local", "nowhere.gguf"), "'nowhere.gguf' cannot be read: No such file or directory"),
        (("--local", "."), "'.' cannot be read: Is a directory"),
        (("--local", "text.gguf"), "'text.gguf' is not a GGUF file"),
        (("--local", "model.gguf"), "pip install 'maitred[local]'"),
        (("--local", "model.gguf", "--model", "m"), "give either it, or --model with --base-url"),
        (("--local", "model.gguf", "--base-url", "http://x/v1"), "give either it, or --model with --base-url"),
        (("--local", "model.gguf", "--model-extra", "{}"), "--model-extra (MAITRED_MODEL_EXTRA) is for --model"),
        (("--local-threads", "2"), "need --local"),
        (("--local-logs",), "need --local"),
    ],
)
def test_what_cannot_be_right_is_one_line_and_exit_code_2(run, monkeypatch, command, arguments, said):
    """Nothing is played; where xllamacpp is installed too, it is not found here."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    Path("text.gguf").write_text("hello", encoding="utf-8")
    Path("model.gguf").write_bytes(b"GGUF")
    ran = run(command, *arguments, stdin="hello\n")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert ran.err.startswith("error bad_request: ")
    assert said in ran.err


def test_a_variable_of_the_environment_contradicts_too(run, monkeypatch):
    """And is named, since it is not seen on the command line."""
    monkeypatch.setenv("MAITRED_MODEL", "m")
    ran = run("demo", "--local", "model.gguf")
    assert ran.code == 2
    assert "MAITRED_MODEL" in ran.err


def test_an_address_of_the_environment_alone_contradicts_nothing(run, monkeypatch):
    """It may be there for other times: the file is what is looked at."""
    monkeypatch.setenv("MAITRED_BASE_URL", "http://127.0.0.1:1/v1")
    ran = run("demo", "--local", "nowhere.gguf")
    assert "'nowhere.gguf' cannot be read" in ran.err


@pytest.mark.parametrize("command", ["demo", "chat"])
def test_the_help_explains_the_options(run, monkeypatch, command):
    """What to install, and what a default is where it depends."""
    monkeypatch.setenv("COLUMNS", "200")
    shown = run(command, "--help").out
    for part in (
        "--local ",
        "--local-threads",
        "--local-logs",
        "maitred[local]",
        "30, or 120 with --local",
        "--no-menu-schema",
    ):
        assert part in shown


def test_a_choice_is_shown_by_the_name_of_its_model():
    """A file's without folder and ending."""
    assert ModelChoice().shown is None
    assert ModelChoice("m", "http://x/v1").shown == "m"
    assert ModelChoice(local=Path("models/m15.q4.gguf")).shown == "m15.q4"
