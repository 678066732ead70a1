"""Desks, each with the tea shop behind it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from maitred.gateway.webhooks.channel import Channel
from maitred.gateway.webhooks.chatwoot import Chatwoot as ChatwootChannel
from maitred.gateway.webhooks.standard import StandardWebhooks
from maitred.gateway.webhooks.webhooks import Webhook
from maitred.gateway.webhooks.wechat import WeChat as WeChatChannel

from ..in_process import app_of, running, tea_flow
from .desks import SECRET, TOKEN, WHSEC, Chatwoot, Shop, WeChat, open_desk

SETTLE_S = 0.25
AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"


def served(channel: Channel, store: str, settle_s: float = SETTLE_S, **options: Any) -> Any:
    """The tea shop behind a channel, on a socket; a client for it."""
    hook = Webhook(channel, tenant="local", settle_s=settle_s)
    return running(app_of(tea_flow(), store, webhooks=[hook], **options))


def chatwoot_channel(desk: Chatwoot) -> ChatwootChannel:
    return ChatwootChannel(name="desk", secret=SECRET, account="1", api_base=desk.api.url, token=TOKEN)


@pytest.fixture
def chatwoot(tmp_path: Path) -> Iterator[tuple[Chatwoot, httpx2.Client]]:
    with open_desk(Chatwoot) as desk, served(chatwoot_channel(desk), str(tmp_path / "tea.db")) as client:
        desk.bot = f"{client.base_url}/webhooks/desk"
        desk.boxes = tmp_path / "tea.webhooks.db"
        yield desk, client


@pytest.fixture
def wechat(tmp_path: Path) -> Iterator[tuple[WeChat, httpx2.Client]]:
    with _wechat(tmp_path) as both:
        yield both


@pytest.fixture
def sealed_wechat(tmp_path: Path) -> Iterator[tuple[WeChat, httpx2.Client]]:
    """In safe mode."""
    with _wechat(tmp_path, AES_KEY) as both:
        yield both


@contextmanager
def _wechat(tmp_path: Path, aes_key: str = "") -> Iterator[tuple[WeChat, httpx2.Client]]:
    with open_desk(WeChat) as desk:
        desk.aes_key = aes_key
        channel = WeChatChannel(
            name="wx", secret=desk.token, app_id="wx1", app_secret="app-secret", aes_key=aes_key, api_base=desk.api.url
        )
        with served(channel, str(tmp_path / "tea.db")) as client:
            desk.bot = f"{client.base_url}/webhooks/wx"
            desk.boxes = tmp_path / "tea.webhooks.db"
            yield desk, client


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[tuple[Shop, httpx2.Client]]:
    with open_desk(Shop) as desk:
        channel = StandardWebhooks(name="shop", secret=WHSEC, callback_url=f"{desk.api.url}/replies")
        with served(channel, str(tmp_path / "tea.db")) as client:
            desk.bot = f"{client.base_url}/webhooks/shop"
            desk.boxes = tmp_path / "tea.webhooks.db"
            yield desk, client
