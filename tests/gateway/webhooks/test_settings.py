"""`[[webhooks]]` of the settings file: what fits starts, what does not stops the start and says what was allowed."""

import re
from pathlib import Path

import pytest

from maitred.cli.serve_settings import read_settings, read_webhooks
from maitred.gateway.webhooks.chatwoot import Chatwoot
from maitred.protocol.errors import BadRequest

from .desks import WHSEC

DOCS = Path(__file__).parents[3] / "docs" / "webhooks.md"
GOOD = """
[[webhooks]]
name = "desk"
kind = "chatwoot"
account = 1
api_base = "https://chat.example.com/"
secret_env = "SECRET_OF_BOT"
token = "abc"
"""


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_BOT", "hush-hush")


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_becomes_a_webhook(tmp_path: Path) -> None:
    path = written(tmp_path, f'[serve]\nburst = 5\n{GOOD}settle_s = 0\ntenant = "acme"\nflow = "tea"\n')
    (webhook,) = read_webhooks(path, "tea")
    expected = Chatwoot(name="desk", secret="hush-hush", account="1", api_base="https://chat.example.com", token="abc")
    assert (webhook.channel, webhook.tenant, webhook.settle_s) == (expected, "acme", 0.0)
    assert read_settings(path)[0].burst == 5
    assert read_webhooks(None, "tea") == ()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            ('kind = "chatwoot"', 'kind = "chatwood"'),
            r"webhook 1: kind is chatwoot, standard, wechat.*'chatwood'.*chatwoot",
        ),
        (('name = "desk"', 'name = "a/b"'), "a name is 1 to 40 letters"),
        (('name = "desk"', ""), "a name is 1 to 40 letters"),
        (("account = 1", ""), "'account' is missing"),
        (("account = 1", "acount = 1"), "no setting 'acount'.*account"),
        (("account = 1", "account = true"), "account is a text"),
        (("SECRET_OF_BOT", "NOT_THERE"), "secret_env: the environment variable 'NOT_THERE' is not set"),
        (('"SECRET_OF_BOT"', "5"), "the environment variable 5 is not set"),
        (("https://chat.example.com/", "ftp://chat.example.com"), "api_base is http://HOST or https://HOST.*'ftp'"),
        (("https://chat.example.com/", "https://user:hush@chat.example.com"), "without a user"),
        (("https://chat.example.com/", "chat.example.com"), "api_base is http://HOST"),
        (('token = "abc"', 'token = ""'), "token is a text that is not empty"),
        (('token = "abc"', 'token = "abc"\nsettle_s = -1'), "settle_s is more than 0; got -1"),
        (('token = "abc"', 'token = "abc"\nburst = 1.5'), "burst is a number; got 1.5"),
        (('token = "abc"', 'token = "abc"\nflow = "coffee"'), "'flow' is 'coffee', and what is served is 'tea'"),
        (('kind = "chatwoot"', 'kind = "there.py:X"'), "no file 'there.py'"),
        (('kind = "chatwoot"', 'kind = "pathlib:Path"'), "'pathlib:Path' is no dataclass that is a Channel"),
        (("[[webhooks]]", "[webhooks]"), r"written as \[\[webhooks\]\] tables"),
    ],
)
def test_a_wrong_one_stops_the_start(tmp_path: Path, change: tuple[str, str], why: str) -> None:
    """It says where, and shows no secret."""
    path = written(tmp_path, GOOD.replace(*change))
    with pytest.raises(BadRequest, match=why) as caught:
        read_webhooks(path, "tea")
    assert "settings.toml" in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("def hear(", "def heer("), "'mine.py:Telegram': it needs the method hear"),
        (
            ("@dataclass(frozen=True)\n", ""),
            r"put @dataclass\(frozen=True\) above it, so that secret, token, api_base become its",
        ),
        (
            (", *, again: bool", ""),
            r"say is called as say\(self, posting, place, letter, \*, again\), and it does not take that",
        ),
        (("def hear(self, call: Call)", "def hear(self)"), r"hear is called as hear\(self, call\)"),
    ],
)
def test_an_unfinished_channel_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], why: str
) -> None:
    """The page's own channel with one mistake: it is told at the start and not when a customer writes."""
    (python,) = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert change[0] in python
    (tmp_path / "mine.py").write_text(python.replace(*change), encoding="utf-8")
    table = '[[webhooks]]\nname = "tg"\nkind = "mine.py:Telegram"\nsecret = "hush-hush"\ntoken = "x"\n'
    with pytest.raises(BadRequest, match=why):
        read_webhooks(written(tmp_path, table), "presales")


def test_every_table_of_the_documents_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = DOCS.read_text(encoding="utf-8")
    tables = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (python,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "telegram.py").write_text(python, encoding="utf-8")
    for variable in re.findall(r'_env = "(\w+)"', text):
        monkeypatch.setenv(variable, "k" * 43 if variable == "WECHAT_AES_KEY" else WHSEC)
    found = [read_webhooks(written(tmp_path, table), "presales")[0].channel.name for table in tables]
    assert found == ["desk", "wx", "shop", "telegram"]


def test_the_defaults_of_the_documents_are_those_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines that are commented out in the first table change nothing."""
    table = re.findall(r"^```toml\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[0]
    for variable in re.findall(r'_env = "(\w+)"', table):
        monkeypatch.setenv(variable, "x")
    said = read_webhooks(written(tmp_path, re.sub(r"^# (?=\w+ = )", "", table, flags=re.MULTILINE)), "presales")
    assert said == read_webhooks(written(tmp_path, table), "presales")
    assert "settle_s" in re.sub(r"^# (?=\w+ = )", "", table, flags=re.MULTILINE)
