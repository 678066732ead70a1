"""Outbox: letters of a conversation go to its channel, one after the other, until they have arrived.

A letter is sent at least once. Whether a second time can be avoided when a process dies between the sending and the writing down
is up to the receiver: the key is handed over. Just before sending it is looked once more whether a human has the conversation.
"""

import asyncio
import logging
import random
from collections.abc import Mapping

from .boxes import Boxes
from .channel import Channel
from .conversation import Conversation, delayed, dropped, sent, taken
from .posting import TIMEOUT_S, Posting, Unsent
from .receivers import Receivers
from .words import Control

logger = logging.getLogger("maitred.gateway")

_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 300.0
SEND_LEASE_S = 4 * TIMEOUT_S
GIVE_UP_S = 86_400.0
_OF_THE_LEASE = 0.75
"""Sending ends by then, whatever a channel does: later another process may have the letter."""


class Outbox:
    """`lease_s`: longer than looking and sending take together. `give_up_s`: a letter that is older is not sent any more."""

    def __init__(
        self,
        boxes: Boxes,
        channels: Mapping[str, Channel],
        posting: Posting,
        lease_s: float,
        give_up_s: float = GIVE_UP_S,
    ) -> None:
        self._boxes, self._channels, self._posting = boxes, channels, posting
        self._lease_s, self._give_up_s = lease_s, give_up_s
        self.receivers = Receivers()

    async def send(self, session: str) -> bool:
        """Try the first letter of one conversation; False if none is due, or its receiver hangs."""
        ages: list[float] = []

        def take(c: Conversation | None, now: float) -> Conversation | None:
            after = taken(c, now, self._lease_s) if c else None
            ages.append(now - after.letters[0].made_at if after else 0.0)
            return after

        taking = await self._boxes.change(session, take)
        if taking is None:
            return False
        if ages[-1] > self._give_up_s:
            await self._drop(session, taking, "it is too old", logging.ERROR)
            return True
        if not self.receivers.admits(taking.place.channel):
            await self._delay(session, taking, _pause_s(taking.sends))
            return False
        try:
            await self._sent(session, taking)
        except Unsent as error:
            await self._failed(session, taking, error)
        except Exception as error:
            logger.exception("a letter to %s failed", session)
            await self._failed(session, taking, Unsent(type(error).__name__, again=True))
        return True

    async def _sent(self, session: str, taking: Conversation) -> None:
        known = taking.control == "human"
        if await self._told(taking) == "human":
            control: Control | None = None if known else "human"
            await self._drop(session, taking, "a human has the conversation", logging.WARNING, control)
            return
        await self._boxes.change(session, lambda c, now: sent(c, taking, now) if c else None)

    async def _told(self, taking: Conversation) -> Control | None:
        """Send it, unless a human has the conversation: then that is what comes back. Raises Unsent and what a channel raises."""
        letter, place = taking.letters[0], taking.place
        channel = self._channels.get(place.channel)
        if channel is None:
            raise Unsent(f"there is no webhook {place.channel!r} any more", again=True)
        try:
            with self.receivers.trying(place.channel):
                async with asyncio.timeout(self._lease_s * _OF_THE_LEASE):
                    if letter.kind == "hand_off":
                        await channel.hand_off(self._posting, place, letter)
                        return None
                    if taking.control == "human" or await channel.control(self._posting, place) == "human":
                        return "human"
                    await channel.say(self._posting, place, letter, again=taking.sends > 1)
        except TimeoutError:
            raise Unsent("the channel took too long", again=True) from None
        return None

    async def _drop(
        self, session: str, taking: Conversation, why: str, level: int, control: Control | None = None
    ) -> None:
        logger.log(level, "a letter to %s is not sent: %s", session, why)
        await self._boxes.change(session, lambda c, now: dropped(c, taking, now, control) if c else None)

    async def _failed(self, session: str, taking: Conversation, error: Unsent) -> None:
        if not error.again:
            await self._drop(session, taking, f"it is refused for good: {error}", logging.ERROR)
            return
        logger.warning("a letter to %s did not arrive, attempt %d: %s", session, taking.sends, error)
        await self._delay(session, taking, max(_pause_s(taking.sends), error.after_s))

    async def _delay(self, session: str, taking: Conversation, wait_s: float) -> None:
        fence = taking.outbox.fence
        await self._boxes.change(session, lambda c, now: delayed(c, fence, now + wait_s) if c else None)


def _pause_s(sends: int) -> float:
    """Before the next attempt, after so many."""
    return min(_FIRST_WAIT_S * 2.0 ** min(sends - 1, 20), _LONGEST_WAIT_S) * random.uniform(0.8, 1.2)
