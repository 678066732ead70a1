"""`/v1/responses` as openai-python uses it: whole conversations in every way that names them, repeats, branches, and what is read
again."""

import asyncio
import json
import threading
from itertools import pairwise
from typing import Any
from uuid import uuid4

import openai
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maitred.app.maitred import Maitred
from maitred.decision.keyword import KeywordDecider
from maitred.examples.presales.conversation import CONVERSATION
from maitred.gateway.app import create_app
from maitred.gateway.responses_shapes import ResponsesRequest
from maitred.gateway.settings import GatewaySettings
from maitred.protocol.decision import AgentDecision, Answered, DecisionRequest
from maitred.protocol.usage import Attempt, Usage

from .in_process import FailsAtTheEnd, app_of, running, tea_flow
from .served import OTHER_SECRET, Chat, LossyProxy, Service
from .talk import WAYS, Talk, Way

TO_THE_ORDER = CONVERSATION["en"][:11]
COMPANY = "We are Leeds Dental, 20 people"


def said(**fields: Any) -> dict[str, Any]:
    return {"model": "presales", "input": "hi", **fields}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_a_whole_conversation_completes(service: Service, way: Way, stream: bool):
    """From the first hello to the goodbye, with one order and one session, whatever the client goes on by."""
    before, sessions = service.orders(), service.sessions()
    talk = Talk(service.openai(), way, stream=stream)
    for text in CONVERSATION["en"]:
        assert talk.say(text)
    assert talk.state == "completed"
    assert service.orders() == before + 1
    assert len(service.sessions() - sessions) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_reply_is_sent_again_without_a_second_turn(service: Service, proxy: LossyProxy, way: Way):
    """The client sends the message again by itself."""
    before = service.orders()
    talk = Talk(service.openai(base=proxy.address, max_retries=2), way)
    for n, text in enumerate(TO_THE_ORDER):
        proxy.lose = int(n in (1, 6, 10))  # company and seats, plain words, the order
        talk.say(text)
    assert proxy.lost == 3
    assert talk.state == "payment_guidance"
    assert service.orders() == before + 1
    assert service.turns(talk.session) == len(TO_THE_ORDER)


@pytest.mark.parametrize("way", ["previous", "items", "text", "references"])
def test_customers_who_begin_alike_share_no_session(service: Service, way: Way):
    """Nor do they later, as long as they say the same."""
    one, two = Talk(service.openai(), way), Talk(service.openai(), way)
    for text in ("hi", COMPANY):
        assert one.say(text)
        assert two.say(text)
        assert one.session != two.session
    assert service.turns(one.session) == service.turns(two.session) == 2


def test_a_repeat_is_the_same_response(service: Service):
    """By its id, its words and its time; the session has one turn more, not two."""
    client = service.openai()
    first = client.responses.create(**said())
    once, again = (client.responses.create(**said(input=COMPANY, previous_response_id=first.id)) for _ in range(2))
    assert once == again
    assert once.id != first.id


def test_the_stream_has_the_form_that_clients_need(service: Service):
    """Every part is added, filled and done, in order; the numbers have no gap; what is put together is the whole response."""
    *events, last = service.openai().responses.create(**said(stream=True))
    kinds = [event.type for event in events]
    deltas = [event for event in events if event.type == "response.output_text.delta"]
    assert kinds == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        *["response.output_text.delta"] * len(deltas),
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
    ]
    assert last.type == "response.completed"
    assert len(deltas) > 1
    assert "".join(delta.delta for delta in deltas) == last.response.output_text
    assert all(later.sequence_number == event.sequence_number + 1 for event, later in pairwise([*events, last]))
    assert {delta.item_id for delta in deltas} == {last.response.output[0].id}
    assert events[0].type == "response.created"
    assert events[0].response.id == last.response.id
    assert last.response.usage is not None
    assert last.response.usage.total_tokens == 0  # the keyword decider asks no model


def test_the_stream_helper_of_the_client_puts_it_together(service: Service):
    """`responses.stream` checks more than the plain iterator does."""
    with service.openai().responses.stream(model="presales", input="hi") as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert kinds[-1] == "response.completed"
    assert final.output_text.startswith("Hello")


def test_a_failure_in_mid_stream_is_an_event():
    """Once the stream is open there is no status any more; the client raises what it is told."""
    entered, go = threading.Event(), threading.Event()

    class Slow(KeywordDecider):
        async def decide(self, request: DecisionRequest) -> AgentDecision:
            entered.set()
            await asyncio.to_thread(go.wait, 20)
            return await super().decide(request)

    store = FailsAtTheEnd()
    app = create_app(Maitred(tea_flow(), store=store, decider=Slow()), settings=GatewaySettings(ping_s=0.05))
    with running(app) as http:
        store.fails = 1
        with openai.OpenAI(base_url=f"{http.base_url}/v1", api_key="x", max_retries=0) as client:
            stream = client.responses.create(model="tea", input="what is tea?", conversation="1", stream=True)
            assert entered.wait(20)
            go.set()
            with pytest.raises(openai.APIError, match="cannot reach its store") as told:
                list(stream)
            assert told.value.code == "store_unavailable"
            retried = client.responses.create(model="tea", input="what is tea?", conversation="1")
            assert retried.output_text


def test_usage_is_the_sum_of_the_turn():
    """Also when it is read again."""

    class Counted:
        name = "counted"

        async def decide(self, request: DecisionRequest) -> Answered:
            return Answered(AgentDecision(action="answer", reply_text="Tea."), (Attempt(0.1, "ok", Usage(100, 60, 7)),))

    with running(create_app(Maitred(tea_flow(), decider=Counted()))) as client:
        made = client.post("/v1/responses", json={"model": "tea", "input": "what is tea?", "conversation": "1"}).json()
        read = client.get(f"/v1/responses/{made['id']}").json()
        assert made["usage"] == read["usage"]
        assert made["usage"] == {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 107,
        }


TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(
    ["user", "assistant", "message", "item_reference", "msg_x"]
)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([*ResponsesRequest.model_fields, "metadata", "conversation_id", "messages", "n", "user"])
ITEMS = st.lists(st.dictionaries(st.sampled_from(["type", "role", "content", "id"]), JSONS, max_size=4), max_size=3)


def test_no_request_breaks_the_service():
    """Whatever stands in its fields, and also if it is taken: what is echoed can be sent."""
    statuses = set()
    with running(app_of(tea_flow(), settings=GatewaySettings(rate_per_s=1e6, burst=1_000_000))) as client:

        @settings(max_examples=150, deadline=None, database=None)
        @example({"instructions": "\ud800", "metadata": {"\ud800": "\udfff", "a": float("nan")}}, None, True)
        @example({"conversation": {"id": "\ud800", "b": float("inf")}}, None, False)
        @example({"conversation_id": "c", "previous_response_id": "\ud800"}, None, False)
        @given(st.dictionaries(FIELDS, JSONS, max_size=3), st.none() | ITEMS, st.booleans())
        def send(fields: dict[str, Any], items: list[dict[str, Any]] | None, stream: bool) -> None:
            body = {"input": "5" if items is None else items, "stream": stream, **fields, "model": "tea"}
            sent = client.post("/v1/responses", content=json.dumps(body), headers={"content-type": "application/json"})
            statuses.add(sent.status_code)
            assert sent.status_code in (200, 400), sent.text
            for line in sent.text.splitlines():
                if line.startswith(("{", "data: ")):
                    json.loads(line.removeprefix("data: "), parse_constant=pytest.fail)

        send()
    assert statuses == {200, 400}


@pytest.fixture
def trunk(service: Service) -> tuple[openai.OpenAI, str, str]:
    """A client, and the ids of its first two responses."""
    client = service.openai()
    first = client.responses.create(**said())
    second = client.responses.create(**said(input=COMPANY, previous_response_id=first.id))
    return client, first.id, second.id


def test_an_older_response_is_a_branch(service: Service, trunk: tuple[openai.OpenAI, str, str]):
    """It knows what came before and not what came after; both go on."""
    client, first, second = trunk
    talk, branch = Talk(client, "previous"), Talk(client, "previous")
    talk.previous, branch.previous = second, first
    branch.say("We are Hull Bakery, 7 people")
    for each in (talk, branch):
        each.say("You can reach me at 13800138000")
    assert talk.session != branch.session
    with service.http() as http:
        seen = [http.get(f"/v1/sessions/{each.session}").json() for each in (talk, branch)]
    assert [one["data"]["company"] for one in seen] == ["Leeds Dental", "Hull Bakery"]
    assert [one["turn"] for one in seen] == [3, 3]


def test_an_older_response_of_a_named_conversation_is_a_branch_too(service: Service):
    """Never a silent turn of the conversation, whose later messages came under its name."""
    named = Talk(service.openai(), "conversation")
    named.say("hi")
    older = named.previous
    named.say(COMPANY)
    branch, head = Talk(named.client, "previous"), Talk(named.client, "previous")
    branch.previous, head.previous = older, named.previous
    branch.say("We are Hull Bakery, 7 people")
    assert branch.session != named.session
    head.say("You can reach me at 13800138000")
    assert head.session == named.session
    assert service.turns(named.session) == 3


def test_an_older_response_behind_an_effect_is_told(service: Service):
    """An order cannot be gone back behind: the response says what is done, and the session goes on from there."""
    before = service.orders()
    talk = Talk(service.openai(), "previous")
    for text in TO_THE_ORDER[:-1]:
        talk.say(text)
    older, session = talk.previous, talk.session
    talk.say(TO_THE_ORDER[-1])
    talk.previous = older
    assert "already been done" in talk.say("Make it 30 seats")
    with pytest.raises(openai.NotFoundError):  # these words are no reply of the session
        talk.client.responses.retrieve(talk.previous or "")
    talk.say("I've paid")
    assert talk.session == session
    assert service.orders() == before + 1
    assert service.turns(session) == len(TO_THE_ORDER) + 1


def test_what_is_stored_is_read_again(service: Service):
    """As it was given, the mark of a nameless conversation with it."""
    client = service.openai()
    first = client.responses.create(**said())
    second = client.responses.create(**said(input=COMPANY, previous_response_id=first.id))
    for response in (first, second):
        read = client.responses.retrieve(response.id)
        assert (read.output_text, read.created_at) == (response.output_text, response.created_at)
    assert "(Conversation #" in first.output_text


def test_what_is_not_to_be_stored_is_not(service: Service):
    """It is neither read nor gone on from by its id; the history still leads on."""
    client, history = service.openai(), [{"role": "user", "content": "hi"}]
    first = client.responses.create(**said(input=history, store=False))
    assert first.store is False
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)
    with pytest.raises(openai.BadRequestError):
        client.responses.create(**said(previous_response_id=first.id))
    history += [first.output[0].model_dump(), {"role": "user", "content": COMPANY}]
    assert "reach you" in client.responses.create(**said(input=history, store=False)).output_text


def test_another_tenants_response_is_as_if_unknown(service: Service):
    """In every place where an id may stand, and word for word like one that never was."""
    mine, rival = service.openai(), service.openai(OTHER_SECRET)
    known = mine.responses.create(**said(input=COMPANY)).id
    sessions = service.sessions()
    message = known.replace("resp_", "msg_")
    for id_, item in ((known, message), ("resp_" + "0" * 24, "msg_" + "0" * 24)):
        with pytest.raises(openai.BadRequestError, match=f"{id_}.* not found") as refused:
            rival.responses.create(**said(previous_response_id=id_))
        assert (refused.value.code, refused.value.param) == ("previous_response_not_found", "previous_response_id")
        with pytest.raises(openai.NotFoundError, match=f"{id_}.* not found"):
            rival.responses.retrieve(id_)
        with pytest.raises(openai.BadRequestError, match=f"{item}.* not found"):
            rival.responses.create(
                **said(input=[{"type": "item_reference", "id": item}, {"role": "user", "content": "x"}])
            )
    assert service.sessions() == sessions


def test_a_reference_to_our_message_is_enough(service: Service):
    """So the AI SDK writes its history: only the customer's words, and ids."""
    client = service.openai()
    first = client.responses.create(**said())
    reference = {"type": "item_reference", "id": first.output[0].id}
    asked = [{"role": "user", "content": "hi"}, reference, {"role": "user", "content": COMPANY}]
    second = client.responses.create(**said(input=asked))
    assert second.id == client.responses.create(**said(input=COMPANY, previous_response_id=first.id)).id


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"background": True}, "background"),
        ({"prompt": {"id": "secret"}}, "prompt"),
        ({"text": {"format": {"type": "json_schema", "name": "secret", "schema": {}}}}, "text.format"),
        ({"conversation": "a", "previous_response_id": "resp_secret"}, "previous_response_id"),
        ({"input": []}, "input.str"),
        ({"input": [{"role": "system", "content": "secret"}]}, None),
        ({"input": {"secret": 1}}, "input.str"),
        ({"input": [{"role": "user", "content": {"secret": 1}}]}, None),
        ({"conversation": ["secret"]}, "conversation.str"),
        ({"previous_response_id": 7}, "previous_response_id"),
    ],
)
def test_a_wrong_request_is_refused_in_openais_form(service: Service, fields: dict[str, Any], param: str | None):
    """400, which no client sends again; what was sent is not repeated, and no session begins."""
    sessions = service.sessions()
    with service.http() as http:
        answer = http.post("/v1/responses", json=said(**fields))
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert param is None or error["param"] == param
    assert "secret" not in answer.text
    assert service.sessions() == sessions


def test_what_is_not_served_is_told(service: Service):
    """Another model; a response removed, or streamed again."""
    client = service.openai()
    with pytest.raises(openai.NotFoundError) as unknown:
        client.responses.create(**said(model="gpt-5"))
    assert unknown.value.code == "model_not_found"
    id_ = client.responses.create(**said()).id
    with pytest.raises(openai.BadRequestError, match="sessions purge"):
        client.responses.delete(id_)
    with pytest.raises(openai.BadRequestError, match="read whole"):
        client.responses.retrieve(id_, stream=True)


def test_what_other_clients_send_is_taken(service: Service):
    """Tools, calls, reasoning, pictures, unknown fields: answered in words, never with a call."""
    asked = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"role": "developer", "content": "x"},
        {"type": "function_call", "call_id": "c", "name": "web", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "y"},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "We are Leeds Dental"},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
            ],
        },
    ]
    tools = [{"type": "function", "name": "web", "parameters": {}}]
    beside = {"instructions": "Be brief.", "metadata": {"a": "b"}, "max_output_tokens": 5, "whatever": [1], "n": 9}
    with service.http() as http:
        answer = http.post("/v1/responses", json=said(input=asked, tools=tools, **beside)).json()
    assert [item["type"] for item in answer["output"]] == ["message"]
    assert "cannot read pictures" in answer["output"][0]["content"][0]["text"]
    assert (answer["instructions"], answer["metadata"], answer["tools"]) == ("Be brief.", {"a": "b"}, [])


def test_a_title_is_no_turn(service: Service):
    """Asked here like there; nothing is kept under its id."""
    client, sessions = service.openai(), service.sessions()
    prompt = "### Task:\nGenerate a concise title, as JSON"
    titled = client.responses.create(**said(input=prompt, conversation=uuid4().hex))
    assert "presales" in titled.output_text
    assert service.sessions() == sessions
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(titled.id)


def test_both_surfaces_lead_to_one_conversation(service: Service):
    """By its name, or by what was said so far."""
    name = uuid4().hex
    talk = Talk(service.openai(), "conversation", name=name)
    talk.say("hi")
    chat = Chat(service.openai(), headers={"X-Conversation-Id": name})
    chat.say(COMPANY)
    assert chat.session == talk.session
    assert service.turns(chat.session) == 2
    nameless = Talk(service.openai(), "text")
    nameless.say("hi")
    chat = Chat(service.openai())
    chat.messages += nameless.history
    chat.say(COMPANY)
    assert chat.session == nameless.session
