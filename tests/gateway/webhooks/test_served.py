"""Webhooks of a real `maitred serve`, set up as the README says; and the rights that Redis must give."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from maitred.gateway.webhooks.boxes_redis import RedisBoxes
from maitred.store.redis import RedisStore

from ..conftest import serve  # noqa: F401  # the fixture
from ..served import Start
from .desks import SECRET, TOKEN, Chatwoot, open_desk, until
from .test_boxes import took

ROOT = Path(__file__).parents[3]


def test_the_chatwoot_of_the_readme(serve: Start, tmp_path: Path) -> None:  # noqa: F811
    """The table as it stands there, with this Chatwoot's address; the example answers, and stops when told."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    with open_desk(Chatwoot) as desk:
        (tmp_path / "settings.toml").write_text(re.sub(r'api_base = ".*"', f'api_base = "{desk.api.url}"', table))
        service = serve("--settings", "settings.toml", env={"CHATWOOT_SECRET": SECRET, "CHATWOOT_TOKEN": TOKEN})
        desk.bot = f"{service.address}/webhooks/desk"
        assert desk.customer(3, "Hello, we are Acme Ltd, 20 people") == 200
        (reply,) = until(lambda: desk.said(3), "the reply")
        assert "phone" in reply
        desk.customer(3, "I want to talk to a human")
        until(lambda: desk.statuses[3] == "open", "the hand-off")
        assert service.stop() == 0
        said = "".join(service.said)
        assert "/webhooks/desk" in said
        for hidden in (SECRET, TOKEN, "Acme"):
            assert hidden not in said


def test_a_settings_file_that_is_wrong_stops_the_start(tmp_path: Path) -> None:
    from ..test_serve import refused

    (tmp_path / "settings.toml").write_text('[[webhooks]]\nname = "x"\nkind = "slack"\n')
    assert "webhook 1: kind is chatwoot, standard, wechat" in refused(tmp_path, "--settings", "settings.toml")


async def test_the_user_of_the_documentation_may_do_all_that_is_needed(new_redis_server: Callable[..., Any]) -> None:
    """docs/redis.md has the rights."""
    server = new_redis_server(*"--user default off --user admin on >root ~* +@all".split())
    admin = server.client_as("admin", "root")
    found = re.search(r"^ACL SETUSER (.+)$", (ROOT / "docs" / "redis.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    admin.execute_command("ACL SETUSER", *found[1].split())
    store = RedisStore(f"redis://maitred:change-me@127.0.0.1:{server.port}")
    boxes = RedisBoxes(store)
    await boxes.change("s1", took("m1"))
    await boxes.change("s1", took("m2"))
    assert await boxes.waiting() == ("s1",)
    await boxes.change("s1", lambda c, now: c.model_copy(update={"entries": ()}) if c else None)
    assert await boxes.waiting() == ()
    await store.close()
    admin.close()
