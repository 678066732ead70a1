"""Plans: which conversations a client holds, and in which ways. Values only; a plan goes to the client's process as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from maitred.examples.presales.conversation import CONVERSATION

Way = Literal["named", "nameless", "conversation", "previous"]
"""How a client says which conversation it is: the header X-Conversation-Id, or only its history; over Responses also the field
`conversation` or `previous_response_id`, with the last message alone."""

CHAT: Sequence[Way] = ("named", "nameless")
RESPONSES: Sequence[Way] = ("named", "nameless", "conversation", "previous")


@dataclass(frozen=True, slots=True)
class Client:
    """`program`: which of the two programs drives it."""

    name: str
    program: Literal["python", "node"]
    ways: Sequence[Way]


CLIENTS = (
    Client("openai-python chat", "python", CHAT),
    Client("openai-python responses", "python", RESPONSES),
    Client("langchain chat", "python", CHAT),
    Client("langchain responses", "python", RESPONSES),
    Client("openai-js chat", "node", CHAT),
    Client("openai-js responses", "node", RESPONSES),
    Client("ai-sdk compatible", "node", CHAT),
    Client("ai-sdk chat", "node", CHAT),
    Client("ai-sdk responses", "node", RESPONSES),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """One conversation. `phone` is in its texts and in no other's."""

    id: str
    texts: Sequence[str]
    phone: str
    way: Way
    stream: bool


def plans_of(client: Client, first: int, count: int | None = None) -> list[Plan]:
    """`count` conversations, which take the client's ways in turn; each way once if it is None."""
    ways = list(product(client.ways, (True, False)))
    made = []
    for n in range(len(ways) if count is None else count):
        way, stream = ways[n % len(ways)]
        phone = str(13800138000 + first + n)
        texts = [text.replace("13800138000", phone) for text in CONVERSATION["en"]]
        made.append(Plan(f"{client.name.replace(' ', '-')}-{first + n}", texts, phone, way, stream))
    return made
