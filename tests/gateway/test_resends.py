"""A message without an id, in a conversation with a name: is it a resend or a second "yes"?"""

import pytest

from maitred.gateway.identity import Chain
from maitred.gateway.resends import message_of, note_answered
from maitred.gateway.transcripts import MemoryTranscripts

A, B = Chain("", ("a",)), Chain("", ("b",))


class Session:
    """One session; messages are sent, and answered where that is said."""

    def __init__(self) -> None:
        self._index = MemoryTranscripts()

    async def send(self, chain: Chain, now: float, *, resent: bool = False, answered: bool = True) -> str:
        message = await message_of(self._index, "s", chain, resent=resent, resend_s=10.0, now=now)
        if answered:
            await note_answered(self._index, "s", message, now)
        return message


@pytest.fixture
async def session() -> Session:
    """In which A and B were said, and answered at 0."""
    session = Session()
    await session.send(A, 0.0)
    await session.send(B, 0.0)
    return session


@pytest.mark.parametrize(("now", "resent", "same"), [(9.0, False, True), (11.0, False, False), (999.0, True, True)])
async def test_the_same_text_is_a_resend_shortly_after_or_if_the_client_says_so(
    session: Session, now: float, resent: bool, same: bool
):
    """Else it is a second message of the same words."""
    first = await session.send(B, 0.0)
    assert (await session.send(B, now, resent=resent) == first) is same


async def test_what_is_not_answered_is_not_said_twice(session: Session):
    """However long its turn takes."""
    first = await session.send(A, 100.0, answered=False)
    assert await session.send(A, 999.0, answered=False) == first


async def test_the_time_counts_from_the_first_answer(session: Session):
    """A resend that is answered does not begin it anew."""
    first = await session.send(B, 0.0)
    assert await session.send(B, 9.0) == first
    assert await session.send(B, 12.0) != first


async def test_other_words_are_another_message(session: Session):
    """Even if the client says that it sends again."""
    assert await session.send(A, 1.0, resent=True) not in (await Session().send(A, 0.0), await session.send(B, 2.0))


async def test_all_that_was_ever_said_is_no_second_message():
    """A first message regenerated, an hour later."""
    session = Session()
    first = await session.send(A, 0.0)
    assert await session.send(A, 3600.0) == first


async def test_with_history_the_transcript_tells(session: Session):
    """The same words behind another reply are another message."""
    one, two = Chain("p", ("a",)), Chain("q", ("c",))
    assert await session.send(one, 0.0) == await session.send(one, 999.0) != await session.send(two, 0.0)
