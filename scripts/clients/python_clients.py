"""The Python clients: openai-python and LangChain's ChatOpenAI, as their documentation shows them. A process of its own.

    python python_clients.py CLIENT BASE_URL KEY TRIES < PLANS

PLANS is a JSON list; each conversation that has ended is one line of JSON. The clients keep their own retries. When one gives
up, or a stream breaks off, the customer sends the same message again, up to TRIES times.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import openai
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

Said = tuple[str, Any]
"""The reply's words, and its headers."""
MODEL = "presales"
AT_ONCE = 5


def _headers(plan: dict[str, Any]) -> dict[str, str]:
    return {"X-Conversation-Id": plan["id"]} if plan["way"] == "named" else {}


def openai_chat(base: str, key: str, plan: dict[str, Any]) -> Callable[[str], Said]:
    client = openai.OpenAI(base_url=base, api_key=key, default_headers=_headers(plan))
    messages: list[Any] = []

    def say(text: str) -> Said:
        asked = [*messages, {"role": "user", "content": text}]
        raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=asked, stream=plan["stream"])
        parsed: Any = raw.parse()
        if plan["stream"]:
            choices = [chunk.choices[0] for chunk in parsed if chunk.choices]
            reply, finish = "".join(choice.delta.content or "" for choice in choices), choices[-1].finish_reason
        else:
            reply, finish = parsed.choices[0].message.content, parsed.choices[0].finish_reason
        if finish != "stop":
            raise EOFError(f"finish_reason {finish}")
        messages[:] = [*asked, {"role": "assistant", "content": reply}]
        return reply, raw.headers

    return say


def openai_responses(base: str, key: str, plan: dict[str, Any]) -> Callable[[str], Said]:
    client = openai.OpenAI(base_url=base, api_key=key, default_headers=_headers(plan))
    history: list[Any] = []
    previous: list[str] = []

    def say(text: str) -> Said:
        asked = [*history, {"role": "user", "content": text}]
        ways: dict[str, dict[str, Any]] = {
            "conversation": {"input": text, "conversation": plan["id"]},
            "previous": {"input": text, "previous_response_id": previous[-1] if previous else None},
        }
        fields = ways.get(plan["way"], {"input": asked})
        raw = client.responses.with_raw_response.create(model=MODEL, stream=plan["stream"], **fields)
        parsed: Any = raw.parse()
        if plan["stream"]:
            *_, last = parsed
            if last.type != "response.completed":
                raise EOFError(last.type)
            parsed = last.response
        history[:] = [*asked, *(item.model_dump() for item in parsed.output)]
        previous.append(parsed.id)
        return parsed.output_text, raw.headers

    return say


def _langchain(base: str, key: str, plan: dict[str, Any], **options: Any) -> Callable[[str], Said]:
    chat = ChatOpenAI(
        model=MODEL,
        base_url=base,
        api_key=key,  # type: ignore[arg-type]
        default_headers=_headers(plan),
        include_response_headers=True,
        **options,
    )
    messages: list[Any] = []

    def say(text: str) -> Said:
        asked = [*messages, HumanMessage(text)]
        sent = asked[-1:] if plan["way"] == "conversation" else asked
        if plan["stream"]:
            first, *rest = chat.stream(sent)
            reply: Any = sum(rest, first)
        else:
            reply = chat.invoke(sent)
        meta = reply.response_metadata
        if "stop" not in str(meta.get("finish_reason")) and meta.get("status") != "completed":
            raise EOFError("no end")
        messages[:] = [*asked, reply]
        return str(reply.text), meta["headers"]

    return say


def langchain_chat(base: str, key: str, plan: dict[str, Any]) -> Callable[[str], Said]:
    return _langchain(base, key, plan)


def langchain_responses(base: str, key: str, plan: dict[str, Any]) -> Callable[[str], Said]:
    named = {"extra_body": {"conversation": plan["id"]}} if plan["way"] == "conversation" else {}
    by_id = plan["way"] == "previous"
    return _langchain(base, key, plan, use_responses_api=True, use_previous_response_id=by_id, **named)


CLIENTS = {
    "openai-python chat": openai_chat,
    "openai-python responses": openai_responses,
    "langchain chat": langchain_chat,
    "langchain responses": langchain_responses,
}


def hold(say: Callable[[str], Said], plan: dict[str, Any], tries: int) -> dict[str, Any]:
    """One conversation."""
    again: Counter[str] = Counter()
    headers: Any = {}
    for text in plan["texts"]:
        while True:
            try:
                reply, headers = say(text)
            except Exception as error:
                again[type(error).__name__] += 1
                if again.total() > tries:
                    raise
            else:
                if not reply:
                    raise ValueError(f"{plan['id']}: no words in reply to {text!r}")
                break
    ended = {name: _header(headers, f"x-maitred-{name}") for name in ("session", "state")}
    return {"id": plan["id"], **ended, "again": again}


def _header(headers: Any, name: str) -> str:
    """LiteLLM passes it on under a longer name."""
    return str(headers.get(name) or headers.get(f"llm_provider-{name}") or "")


def main(client: str, base: str, key: str, tries: int) -> None:
    plans = json.load(sys.stdin)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        held = [pool.submit(hold, CLIENTS[client](base, key, plan), plan, tries) for plan in plans]
        for done in as_completed(held):
            print(json.dumps(done.result()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
