"""Which conversation is it? Pure rules: headers before body, nothing that names a person or a cache, no first message alone."""

import pytest

from maitred.gateway.identity import (
    Said,
    after_reply,
    chain_behind,
    chain_of,
    conversation_of,
    derived_session,
    is_derived,
    public_name,
    session_id,
    session_shown,
)
from maitred.gateway.settings import CONVERSATION_HEADERS
from maitred.protocol.errors import BadRequest
from maitred.protocol.ids import check_id

U, A = "user", "assistant"


def said(*texts: str) -> list[Said]:
    return [Said(U if n % 2 == 0 else A, text) for n, text in enumerate(texts)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("headers", "body", "name"),
    [
        ({"x-conversation-id": "a", "x-openwebui-chat-id": "b"}, {"conversation_id": "c"}, "a"),
        ({"x-conversation-id": " ", "x-openwebui-chat-id": "b"}, {}, "b"),
        ({"x-litellm-session-id": "a"}, {}, "a"),
        ({"x-shop-session-id": "a"}, {}, "a"),
        ({"x-session-idea": "a", "session-id": "b"}, {}, None),
        ({}, {"conversation": "a"}, "a"),
        ({}, {"conversation": {"id": "a"}}, "a"),
        ({}, {"metadata": {"conversation_id": "a"}}, "a"),
        ({}, {"conversation_id": "a"}, "a"),
        ({}, {"conversation_id": None, "metadata": "x", "conversation": []}, None),
        ({}, {"conversation_id": 7}, "7"),
        ({}, {"metadata": {"conversation_id": 0}}, "0"),
        ({}, {"user": "a", "safety_identifier": "b", "prompt_cache_key": "c"}, None),
    ],
)
def test_the_first_name_that_is_there_counts(headers: dict[str, str], body: dict[str, object], name: str | None):
    """Empty is absent; what names a person or a cache is no name."""
    assert conversation_of(headers, body, CONVERSATION_HEADERS, ()) == name


def test_an_operator_may_say_that_a_field_names_a_conversation():
    """And that no header does."""
    body = {"user": "a"}
    assert conversation_of({"x-conversation-id": "b"}, body, (), ("user",)) == "a"


def test_the_chain_ends_with_the_customers_last_message():
    """What stands behind it is not read; a regenerated reply has the key of the first."""
    assert chain_of(said("hi", "hello", "5")) == chain_of(said("hi", "hello", "5", "Five."))


def test_the_next_message_stands_behind_the_reply():
    """As the reply was sent, whatever a client did to its white space."""
    first = chain_of(said("hi"))
    assert first.before == ""
    point = after_reply(first.key, "hello,  you\n")
    assert chain_of(said("hi", " hello, you", "5")).before == point
    assert chain_of(said("hi", "hello, You", "5")).before != point


def test_every_message_since_the_last_reply_is_a_step():
    """A reply that failed leaves none."""
    two = chain_of([Said(U, "hi"), Said(A, "hello"), Said(U, "5"), Said(A, ""), Said(U, "6")])
    one = chain_of(said("hi", "hello", "5"))
    assert two.before == one.before
    assert two.asked[0] == one.key
    assert two.key != one.key


def test_texts_do_not_run_into_each_other():
    """Another split of the same letters is another transcript."""
    assert chain_of([Said(U, "a"), Said(U, "b c")]).key != chain_of([Said(U, "a b"), Said(U, "c")]).key
    assert chain_of([Said(U, "x"), Said(U, "y")]).key != chain_of([Said(U, "x user y")]).key


def test_no_customer_no_chain():
    """A transcript of replies asks nothing."""
    with pytest.raises(BadRequest):
        chain_of([Said(A, "hello")])


@pytest.mark.parametrize("name", ["a", "a b", "{x}", "客户 7", "x" * 500, "../../etc", "a:b:c", "a\nb"])
def test_any_name_makes_a_legal_id(name: str):
    """What cannot stand in an id is hashed, and the name that is shown leads to the same session."""
    id_ = session_id("acme", "茶 flow", name)
    assert check_id(id_) == id_
    assert session_id("acme", "茶 flow", public_name(id_)) == id_


def test_names_do_not_meet_across_tenants_and_flows():
    """Nor may a name of one look like another's."""
    ids = {session_id(*parts) for parts in [("a", "b", "c"), ("a", "b:c", "d"), ("a", "b", "c:d"), ("b", "a", "c")]}
    assert len(ids) == 4


def test_only_what_nobody_named_is_derived():
    """A name that looks so is another session than the derived one, and no derived one."""
    derived = derived_session("a", "b", "seed")
    assert is_derived(derived)
    for name in ("derived-1", public_name(derived)):
        named = session_id("a", "b", name)
        assert not is_derived(named)
        assert named != derived
    assert session_shown("a", "b", public_name(derived)) == derived
    assert not is_derived(session_id("derived-a", "derived-b", "x"))


def test_a_reply_that_is_named_takes_the_place_of_its_transcript():
    """The same words behind another reply are another message."""
    one, two = chain_behind("reply-1", ["a", "b"]), chain_behind("reply-2", ["a", "b"])
    assert one.before == "reply-1"
    assert len(one.asked) == 2
    assert set(one.asked).isdisjoint(two.asked)
    with pytest.raises(BadRequest):
        chain_behind("reply-1", [])


@pytest.mark.parametrize("body", [{"conversation_id": 7.5}, {"conversation_id": True}, {"conversation": ["a"]}])
def test_a_name_of_the_wrong_type_is_not_taken_for_none(body: dict[str, object]) -> None:
    """Another conversation would begin, and nobody would know."""
    with pytest.raises(BadRequest, match="string or a whole number"):
        conversation_of({}, body, (), ())
