"""Outbox: letters of a conversation go to its channel, one after the other, until they have arrived.

A letter is sent at least once. Whether a second time can be avoided when a process dies between the sending and the writing down
is up to the receiver: the key is handed over. Just before sending it is looked once more whether a human has the conversation.
"""

import logging
import random
from collections.abc import Mapping

from .boxes import Boxes
from .channel import Channel
from .conversation import Conversation, delayed, dropped, sent, taken
from .posting import TIMEOUT_S, Posting, Unsent
from .words import Control

logger = logging.getLogger("maitred.gateway")

_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 300.0
SEND_LEASE_S = 4 * TIMEOUT_S
GIVE_UP_S = 86_400.0


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

    async def send(self, session: str) -> bool:
        """Try the first letter of one conversation; False if none is due."""
        ages: list[float] = []

        def take(c: Conversation | None, now: float) -> Conversation | None:
            after = taken(c, now, self._lease_s) if c else None
            ages.append(now - after.letters[0].made_at if after else 0.0)
            return after

        taking = await self._boxes.change(session, take)
        if taking is None:
            return False
        if ages[-1] > self._give_up_s:
            await self._drop(session, taking, "it is too old")
            return True
        try:
            await self._sent(session, taking)
        except Unsent as error:
            await self._failed(session, taking, error)
        except Exception as error:
            logger.exception("a letter to %s failed", session)
            await self._failed(session, taking, Unsent(type(error).__name__, again=True))
        return True

    async def _sent(self, session: str, taking: Conversation) -> None:
        letter, place = taking.letters[0], taking.place
        channel = self._channels.get(place.channel)
        if channel is None:
            raise Unsent(f"there is no webhook {place.channel!r} any more", again=True)
        if letter.kind == "hand_off":
            await channel.hand_off(self._posting, place, letter)
        else:
            known = taking.control == "human"
            if known or await channel.control(self._posting, place) == "human":
                await self._drop(session, taking, "a human has the conversation", None if known else "human")
                return
            await channel.say(self._posting, place, letter, again=taking.sends > 1)
        await self._boxes.change(session, lambda c, now: sent(c, taking, now) if c else None)

    async def _drop(self, session: str, taking: Conversation, why: str, control: Control | None = None) -> None:
        logger.warning("a letter to %s is not sent: %s", session, why)
        await self._boxes.change(session, lambda c, now: dropped(c, taking, now, control) if c else None)

    async def _failed(self, session: str, taking: Conversation, error: Unsent) -> None:
        if not error.again:
            await self._drop(session, taking, str(error))
            return
        wait_s = min(_FIRST_WAIT_S * 2.0 ** (taking.sends - 1), _LONGEST_WAIT_S) * random.uniform(0.8, 1.2)
        wait_s = max(wait_s, error.after_s)
        logger.warning("a letter to %s did not arrive, attempt %d: %s", session, taking.sends, error)
        fence = taking.outbox.fence
        await self._boxes.change(session, lambda c, now: delayed(c, fence, now + wait_s) if c else None)
