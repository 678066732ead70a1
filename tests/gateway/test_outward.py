"""The service calls nobody because a stranger said so."""

import socket
from typing import Any

from .in_process import app_of, chat_body, running, tea_flow


def test_addresses_in_a_request_are_not_called():
    """Neither an image's, nor one in the text, in the background or in a field that nobody reads."""
    with socket.create_server(("127.0.0.1", 0)) as trap, running(app_of(tea_flow())) as client:
        url = f"http://127.0.0.1:{trap.getsockname()[1]}/x"
        parts: list[dict[str, Any]] = [
            {"type": "text", "text": f"5 {url}"},
            {"type": "image_url", "image_url": {"url": url}},
        ]
        body = {**chat_body("x"), "messages": [{"role": "user", "content": parts}], "callback_url": url, "user": url}
        assert client.post("/v1/chat/completions", json=body, headers={"x-conversation-id": url}).status_code == 200
        posted = {"text": url, "meta": {"webhook": url}, "attachments": [{"kind": "image"}]}
        assert client.post("/v1/sessions/1/messages", json=posted).status_code == 200
        trap.settimeout(0.3)
        called = True
        try:
            trap.accept()
        except TimeoutError:
            called = False
        assert not called
