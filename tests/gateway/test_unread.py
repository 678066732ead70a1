"""Words that answered no message (to an event, a deadline, a human's return) are shown by some channels and by others never."""

import httpx2
import pytest

from maitred import Action, Flow, Maitred, Outside, Step, Terminal
from maitred.gateway.app import create_app

from .in_process import running

QUESTION = {"en": "Your tea is here. Keep it? (yes / no)", "zh": "茶到了，留下吗？（是 / 否）"}


def parcel() -> Flow:
    """It comes, then the customer keeps it."""
    return Flow(
        name="parcel",
        states=["wait", "keep"],
        initial="wait",
        transitions={("wait", "came"): "keep", ("keep", "kept"): Terminal.COMPLETED},
        steps={
            "wait": Step(say={"en": "It is on its way.", "zh": "在路上。"}, actions=(Action("ask", reply="Soon."),)),
            "keep": Step(say=QUESTION, confirms="keep", actions=(Action("keep", event="kept", confirm=True),)),
        },
        outside=[Outside("came")],
    )


class Chat:
    """One conversation, by the name that both surfaces know it by."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client
        self._said: list[dict[str, str]] = []

    def chats(self, text: str) -> tuple[str, str]:
        self._said.append({"role": "user", "content": text})
        body = {"model": "parcel", "messages": self._said}
        answer = self._client.post("/v1/chat/completions", json=body, headers={"X-Conversation-Id": "c-1"})
        self._said.append(answer.json()["choices"][0]["message"])
        return self._said[-1]["content"], self.state

    def shows(self, words: str) -> None:
        """The client puts them in front of the customer by itself."""
        self._said.append({"role": "assistant", "content": words})

    def posts(self, text: str) -> tuple[str, str]:
        answer = self._client.post("/v1/sessions/c-1/messages", json={"text": text}).json()
        return answer["text"], self.state

    def happens(self, what: str, **body: str) -> str:
        return self._client.post(f"/v1/sessions/c-1/{what}", json={**body, "key": what}).json()["reply"]["text"]

    @property
    def state(self) -> str:
        return str(self._client.get("/v1/sessions/c-1").json()["state"])


@pytest.mark.parametrize(("lang", "hello", "ok"), [("en", "hello", "ok"), ("zh", "你好", "好的")])
@pytest.mark.parametrize("human", [False, True], ids=["an event", "a human's return"])
def test_on_a_chat_a_yes_is_none_to_a_question_that_it_never_showed(
    lang: str, hello: str, ok: str, human: bool
) -> None:
    """It was meant for something else, for the human perhaps; now it is shown, and the next yes is one."""
    with running(create_app(Maitred(parcel()))) as client:
        chat = Chat(client)
        chat.chats(hello)
        asked = chat.happens("events", event="came")
        if human:
            assert chat.chats({"en": "I want to speak to a human", "zh": "转人工"}[lang])[1] == "escalated"
            asked = chat.happens("resume")
        assert asked == QUESTION[lang]
        assert chat.chats(ok) == (QUESTION[lang], "keep")
        assert chat.chats(ok)[1] == "completed"


def test_whatever_else_is_written_first_is_no_answer_to_it_either() -> None:
    """And is not blamed for being none."""
    with running(create_app(Maitred(parcel()))) as client:
        chat = Chat(client)
        chat.chats("hello")
        chat.happens("events", event="came")
        assert chat.chats("where is it?") == (QUESTION["en"], "keep")
        assert chat.chats("hm")[0].startswith("Please answer yes or no")


@pytest.mark.parametrize(("lang", "texts"), [("en", ("hello", "is it here?")), ("zh", ("你好", "到了吗？"))])
def test_what_a_chat_could_not_show_comes_with_the_next_answer(lang: str, texts: tuple[str, str]) -> None:
    """Once; also in front of the next episode's first words."""
    gone = {"en": "Your tea was left at the door.", "zh": "茶放在门口了。"}
    flow = Flow(
        name="parcel",
        states=["wait"],
        initial="wait",
        transitions={("wait", "came"): Terminal.COMPLETED},
        steps={
            "wait": Step(say={"en": "It is on its way.", "zh": "在路上。"}, actions=(Action("ask", reply="Soon."),)),
            Terminal.COMPLETED: Step(say=gone),
        },
        outside=[Outside("came")],
    )
    with running(create_app(Maitred(flow))) as client:
        chat = Chat(client)
        first = chat.chats(texts[0])[0]
        assert chat.happens("events", event="came") == gone[lang]
        assert chat.chats(texts[1]) == (f"{gone[lang]}\n{first}", "wait")
        assert gone[lang] not in chat.chats(texts[0])[0]


def test_where_they_are_shown_it_is_one() -> None:
    """Who posts a message by the native surface has been given the words of the event; and some clients put them into a chat."""
    for posts in (True, False):
        with running(create_app(Maitred(parcel()))) as client:
            chat = Chat(client)
            say = chat.posts if posts else chat.chats
            say("hello")
            chat.shows(chat.happens("events", event="came"))
            assert say("ok")[1] == "completed"
