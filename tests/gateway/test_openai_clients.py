"""The OpenAI surface as real clients use it: whole conversations, lost replies, background calls, regenerated and edited
messages."""

from uuid import uuid4

import openai
import pytest

from maitred.examples.presales.conversation import CONVERSATION

from .served import OTHER_SECRET, Chat, LossyProxy, Service

TO_THE_ORDER = CONVERSATION["en"][:11]


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_whole_conversation_completes(service: Service, lang: str, stream: bool, named: bool):
    """From the first hello to the goodbye, with one order and one session."""
    before, sessions = service.orders(), service.sessions()
    headers = {"X-Conversation-Id": uuid4().hex} if named else {}
    chat = Chat(service.openai(), stream=stream, headers=headers)
    for text in CONVERSATION[lang]:  # type: ignore[index]
        assert chat.say(text)
    assert chat.state == "completed"
    assert service.orders() == before + 1
    assert len(service.sessions() - sessions) == 1


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_a_lost_reply_is_sent_again_without_a_second_turn(service: Service, proxy: LossyProxy, named: bool):
    """Every reply behind the first is lost once; the client sends the message again by itself."""
    before = service.orders()
    headers = {"X-Conversation-Id": uuid4().hex} if named else {}
    chat = Chat(service.openai(base=proxy.address, max_retries=2), headers=headers)
    chat.say(TO_THE_ORDER[0])
    for text in TO_THE_ORDER[1:]:
        proxy.lose = 1
        chat.say(text)
    assert proxy.lost == len(TO_THE_ORDER) - 1
    assert chat.state == "payment_guidance"
    assert service.orders() == before + 1
    assert service.turns(chat.session) == len(TO_THE_ORDER)


def test_customers_who_begin_alike_share_no_session(service: Service):
    """Nor do they later, as long as they say the same."""
    one, two = Chat(service.openai()), Chat(service.openai())
    for text in ("hi", "We are Leeds Dental, 20 people"):
        assert one.say(text)
        assert two.say(text)
        assert one.session != two.session
    assert service.turns(one.session) == service.turns(two.session) == 2


def test_tenants_share_no_conversation(service: Service):
    """The same conversation id under two keys is two sessions."""
    headers = {"X-Conversation-Id": uuid4().hex}
    one, two = Chat(service.openai(), headers=headers), Chat(service.openai(OTHER_SECRET), headers=headers)
    one.say("We are Leeds Dental, 20 people")
    assert "company" in two.say("hi")
    assert one.session == two.session
    assert len([name for name in service.sessions() if name.endswith(one.session)]) == 2


def test_the_four_calls_of_open_webui_are_one_turn(service: Service):
    """The turn and three background calls, all under one chat id and one message id."""
    chat = Chat(service.openai(), stream=True, headers={"X-Conversation-Id": uuid4().hex, "X-Message-Id": "m1"})
    chat.say("We are Leeds Dental, 20 people", X_Task="")
    session = chat.session
    for task in ("follow_up_generation", "title_generation", "tags_generation"):
        background = Chat(chat.client, headers=chat.headers)
        background.messages = [{"role": "user", "content": f"We are 7 people: suggest {task}, as JSON"}]
        assert background.ask(X_Task=task).startswith("{")
        assert background.session == ""
    assert service.turns(session) == 1


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "### Task:\nGenerate a concise title, as JSON"}],
        [{"role": "user", "content": "Provide a concise, 5-word-or-less title for the conversation"}],
        [{"role": "user", "content": "Analyze this conversation and provide:\n1. a title"}],
        [
            {"role": "system", "content": "You are a professional conversation summarizer. Be brief."},
            {"role": "user", "content": "user: hi"},
        ],
    ],
    ids=["open-webui", "librechat", "librechat-2", "lobechat"],
)
def test_a_title_prompt_changes_nothing(service: Service, messages: list[dict[str, str]]):
    """Known by its words where no header tells."""
    sessions, id_ = service.sessions(), uuid4().hex
    chat = Chat(service.openai(), headers={"X-Conversation-Id": id_})
    chat.messages = list(messages)
    assert "presales" in chat.ask()
    assert service.sessions() == sessions


def test_the_task_model_takes_no_turn(service: Service):
    """`NAME-task` is for titles, whatever they look like."""
    sessions = service.sessions()
    done = service.openai().chat.completions.create(
        model="presales-task", messages=[{"role": "user", "content": "We are Leeds Dental, 20 people"}]
    )
    assert done.choices[0].message.content == "presales"
    assert service.sessions() == sessions


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_a_regenerated_reply_is_the_same(service: Service, named: bool):
    """The last message again, without the reply to it: no second turn."""
    chat = Chat(service.openai(), headers={"X-Conversation-Id": uuid4().hex} if named else {})
    chat.say("hi")
    reply = chat.say("We are Leeds Dental, 20 people")
    chat.messages.pop()
    assert chat.ask() == reply
    assert service.turns(chat.session) == 2


def test_an_edited_message_goes_on_in_a_branch(service: Service):
    """The branch knows what was said before, and not what was edited away; the trunk stays as it was, and both go on."""
    chat = Chat(service.openai())
    chat.say("hi")
    chat.say("We are Leeds Dental, 20 people")
    trunk = chat.session
    kept = list(chat.messages)
    chat.messages = [*kept[:-2], {"role": "user", "content": "We are Hull Bakery, 7 people"}]
    reply = chat.ask()
    branch = chat.session
    assert branch != trunk
    assert chat.ask() == reply  # regenerated: the same branch
    assert chat.session == branch
    chat.messages.append({"role": "assistant", "content": reply})
    chat.say("You can reach me at 13800138000")
    assert chat.session == branch
    with service.http() as http:
        seen = {name: http.get(f"/v1/sessions/{name}").json() for name in (trunk, branch)}
    assert [seen[name]["data"]["company"] for name in (trunk, branch)] == ["Leeds Dental", "Hull Bakery"]
    assert seen[branch]["turn"] == 3
    chat.messages = [*kept]
    chat.say("You can reach me at 13800138001")
    assert chat.session == trunk


def test_an_edited_message_behind_an_effect_is_told(service: Service):
    """An order cannot be edited away: the reply says what is done, and the session goes on where it is."""
    before = service.orders()
    chat = Chat(service.openai())
    for text in TO_THE_ORDER:
        chat.say(text)
    assert chat.state == "payment_guidance"
    session = chat.session
    chat.messages = [*chat.messages[:-2], {"role": "user", "content": "Make it 30 seats"}]
    reply = chat.ask()
    assert "already been done" in reply
    assert "order the quote" in reply
    chat.messages.append({"role": "assistant", "content": reply})
    chat.say("I've paid")
    assert chat.session == session
    assert service.orders() == before + 1
    assert service.turns(session) == len(TO_THE_ORDER) + 1


def test_two_messages_without_a_reply_between_are_both_heard(service: Service):
    """A client whose first try failed sends both: no branch."""
    chat = Chat(service.openai())
    chat.say("hi")
    first = chat.session
    chat.messages.append({"role": "user", "content": "We are Leeds Dental, 20 people"})
    chat.ask()
    chat.messages.append({"role": "user", "content": "You can reach me at 13800138000"})
    chat.ask()
    assert chat.session == first
    assert chat.state == "demand_analysis"


def test_a_client_without_history_may_say_yes_twice(service: Service):
    """Only the customer's words and a conversation id: at once it is a resend, and where the client says so."""
    headers = {"X-Conversation-Id": uuid4().hex}

    def say(text: str, **more: str) -> str:
        chat = Chat(service.openai(), headers=headers)
        chat.messages = [{"role": "user", "content": text}]
        chat.ask(**more)
        return chat.session

    say("We are Leeds Dental, 20 people")
    session = say("20 people")
    assert service.turns(session) == 2
    say("20 people")
    say("20 people", x_stainless_retry_count="1")
    assert service.turns(session) == 2
    say("You can reach me at 13800138000")
    say("20 people")
    assert service.turns(session) == 4


def test_a_message_id_decides(service: Service):
    """The same id is the same message; another id, though the words are the same, another; other words under it are refused."""
    chat = Chat(service.openai(), headers={"X-Conversation-Id": uuid4().hex})
    chat.messages = [{"role": "user", "content": "20 people"}]
    for id_ in ("m1", "m1", "m2"):
        chat.ask(X_Message_Id=id_)
    assert service.turns(chat.session) == 2
    chat.messages = [{"role": "user", "content": "30 people"}]
    with pytest.raises(openai.BadRequestError) as refused:
        chat.ask(X_Message_Id="m2")
    assert refused.value.code == "request_conflict"


def test_models_are_the_flow(service: Service):
    """What is listed is served, and no other: the flow's name, and the one that any service has."""
    client = service.openai()
    names = [model.id for model in client.models.list()]
    assert names == ["presales", "maitred"]
    for name in names:
        assert client.models.retrieve(name).id == name
        assert client.chat.completions.create(model=name, messages=[{"role": "user", "content": "hi"}]).model == name
    with pytest.raises(openai.NotFoundError) as unknown:
        client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "hi"}])
    assert unknown.value.code == "model_not_found"


def test_the_stream_has_the_form_that_clients_need(service: Service):
    """Role, words, an empty delta that finishes, the usage if it was asked for."""
    stream = service.openai().chat.completions.create(
        model="presales",
        messages=[{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert not chunks[-2].choices[0].delta.content
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 0  # the keyword decider asks no model
    assert len({chunk.id for chunk in chunks}) == 1


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "system", "content": "secret words"}]}, None),
        ({"messages": "secret words"}, "messages"),
        ({"messages": [{"role": "user", "content": {"secret words": 1}}]}, "messages.0.content.str"),
        ({"messages": [{"role": "user", "content": "hi"}], "n": 2}, None),
    ],
)
def test_a_wrong_request_is_refused_in_openais_form(service: Service, body: dict[str, object], param: str | None):
    """400, which no client sends again; what was sent is not repeated."""
    with service.http() as http:
        answer = http.post("/v1/chat/completions", json={"model": "presales", **body})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert "secret" not in answer.text


def test_what_other_clients_send_is_taken(service: Service):
    """Tools, unknown fields, several system messages, pictures: answered in words, never with a tool call."""
    with service.http() as http:
        answer = http.post(
            "/v1/chat/completions",
            json={
                "model": "presales",
                "messages": [
                    {"role": "developer", "content": "x"},
                    {"role": "system", "content": "y"},
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "We are Leeds Dental"},
                            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                        ],
                    },
                ],
                "tools": [{"type": "function", "function": {"name": "web", "parameters": {}}}],
                "stop": ["x"],
                "max_completion_tokens": 5,
                "whatever": {"a": [1]},
            },
        )
    choice = answer.json()["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert "cannot read pictures" in choice["message"]["content"]
    assert "tool_calls" not in choice["message"]
