"""Open WebUI without a browser: its settings and its chats over its own API, called as its page calls it."""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx2

HEADERS = {"X-Conversation-Id": "{{CHAT_ID}}", "X-Message-Id": "{{USER_MESSAGE_ID}}", "X-Task": "{{TASK}}"}
"""As docs/gateway.md tells its operator."""
TASKS = ("follow_up_generation", "title_generation", "tags_generation")
_ANSWER_S = 60


class OpenWebUi:
    """`settle`: told how many calls must have come through before the next message may go."""

    def __init__(self, address: str, settle: Callable[[int], None]) -> None:
        self._http, self._settle = httpx2.Client(base_url=address, timeout=60), settle
        token = self._post("/api/v1/auths/signin", {"email": "", "password": ""})["token"]
        self._http.headers["authorization"] = f"Bearer {token}"
        self.chat, self._parent, self._messages = "", None, list[dict[str, Any]]()
        self._calls = 0

    def connect(self, base: str, key: str) -> list[str]:
        """Adds the connection; the models that it shows then."""
        self._post(
            "/openai/config/update",
            {
                "ENABLE_OPENAI_API": True,
                "OPENAI_API_BASE_URLS": [base],
                "OPENAI_API_KEYS": [key],
                "OPENAI_API_CONFIGS": {"0": {"enable": True, "headers": HEADERS}},
            },
        )
        return [model["id"] for model in self._http.get("/api/models").raise_for_status().json()["data"]]

    def say(self, text: str, model: str) -> str:
        """One message of a chat and the three calls that come with it; the words that the page would show."""
        asked, answer = str(uuid4()), str(uuid4())
        self._messages.append({"role": "user", "content": text})
        said = {"id": asked, "parentId": self._parent, "childrenIds": [], "role": "user", "content": text}
        told = self._post(
            "/api/chat/completions",
            {
                "stream": True,
                "model": model,
                "messages": self._messages,
                "session_id": "page",
                **({"chat_id": self.chat} if self.chat else {}),
                "parent_id": self._parent,
                "user_message": {**said, "timestamp": int(time.time()), "models": [model]},
                "message_ids": [{"model_id": model, "message_id": answer}],
                "background_tasks": dict.fromkeys(TASKS, True),
            },
        )
        self.chat = self.chat or told["chat_id"]
        reply = self._reply(answer)
        self._calls += 1 + len(TASKS)
        self._settle(self._calls)
        self._parent = answer
        self._messages.append({"role": "assistant", "content": reply})
        return reply

    def title(self) -> str:
        return str(self._http.get(f"/api/v1/chats/{self.chat}").json()["title"])

    def _reply(self, message: str) -> str:
        until = time.monotonic() + _ANSWER_S
        while time.monotonic() < until:
            chat = self._http.get(f"/api/v1/chats/{self.chat}").raise_for_status().json()["chat"]
            found = chat["history"]["messages"].get(message, {})
            if found.get("error"):
                raise SystemExit(f"Open WebUI shows an error: {found['error']}")
            if found.get("done") and found.get("content"):
                return str(found["content"])
            time.sleep(0.1)
        raise SystemExit(f"Open WebUI showed no reply within {_ANSWER_S} s")

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._http.post(path, json=body).raise_for_status().json()
