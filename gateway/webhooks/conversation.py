"""Conversation: the inbox and the outbox of one conversation as one value, and the steps that lead from one to the next. Pure.

Each function takes the conversation and the time and returns the next one, or None if nothing changes. `boxes.py` makes each
step one atomic write, so what is promised is promised here: a message is taken once, messages are answered in their order, a
batch that was claimed stays the same batch for whoever takes it over, and only who holds the newest fence may end it.
"""

from pydantic import BaseModel, ConfigDict

from .words import Control, Entry, Letter, Place, digest

SEEN = 500
"""So many message ids are remembered; channels resend within minutes, and signatures are refused after five."""
WAITING = 100
LONGEST = 3
"""Messages of a customer who goes on writing are waited for this many settle times."""


class Hold(BaseModel):
    """A worker's right to one of the boxes, until then. A newer fence makes it void."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    until: float = 0.0
    fence: int = 0


class Conversation(BaseModel):
    """Times are seconds since the epoch, by the clock of the store, but for `control_at`: the channel's.

    Inbox. `entries`: customer's messages that wait, in the order they came, with when; the first `batch` of them are claimed.
    `ready_at`: when the others have settled. `look_at`: when to look into the session's log for words. `looking`: it is claimed.
    `tries`, `retry_at`: of the claimed. `back`: the message by which a human gave the conversation back; empty once that is done.

    Outbox. `letters` wait, in their order. `sends`, `send_at`: how often the first was tried, and when it is next.
    `cursor`: so many records of the session's log are turned into letters; None before the first look.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: Place
    seen: tuple[str, ...] = ()
    control: Control | None = None
    control_at: float = 0.0
    back: str = ""
    entries: tuple[tuple[float, Entry], ...] = ()
    batch: int = 0
    ready_at: float = 0.0
    look_at: float | None = None
    looking: bool = False
    tries: int = 0
    retry_at: float = 0.0
    inbox: Hold = Hold()
    cursor: int | None = None
    letters: tuple[Letter, ...] = ()
    sends: int = 0
    send_at: float = 0.0
    outbox: Hold = Hold()

    @property
    def is_full(self) -> bool:
        return len(self.entries) >= WAITING


def due_at(c: Conversation) -> float | None:
    """When somebody must look at the conversation; None if nothing waits."""
    times = []
    if c.batch or c.looking:
        times.append(max(c.inbox.until, c.retry_at))
    elif c.entries:
        times.append(max(c.inbox.until, c.ready_at))
    if c.look_at is not None:
        times.append(max(c.inbox.until, c.look_at))
    if c.letters:
        times.append(max(c.outbox.until, c.send_at))
    return min(times, default=None)


# --- the inbox -----------------------------------------------------------------------------------------------------------


def received(c: Conversation, entry: Entry, now: float, settle_s: float) -> Conversation | None:
    """Take in what came; None if it came before."""
    if entry.message_id in c.seen:
        return None
    after = _with_control(_with_echo(c, entry, now), entry, now)
    change: dict[str, object] = {"seen": (*c.seen, entry.message_id)[-SEEN:]}
    if entry.sender_kind == "customer" and (entry.text.strip() or entry.attachments):
        entries = (*c.entries, (now, entry))
        first = entries[c.batch][0]
        change |= {"entries": entries, "ready_at": min(now + settle_s, first + LONGEST * settle_s)}
    return after.model_copy(update=change)


def _with_echo(c: Conversation, entry: Entry, now: float) -> Conversation:
    """Our own letter came back: it has arrived, even if nobody lived to see the answer to it."""
    if not (entry.sender_kind == "bot" and c.letters and entry.echo and c.letters[0].key == entry.echo):
        return c
    return _without_first_letter(c, now)


def _with_control(c: Conversation, entry: Entry, now: float) -> Conversation:
    """Who has the conversation, if this says so and is newer than what is known."""
    control: Control | None = "human" if entry.sender_kind == "human" else entry.control
    if control is None or (c.control is not None and entry.ts <= c.control_at):
        return c
    hands_off = any(letter.kind == "hand_off" for letter in c.letters)
    if control == "bot" and (hands_off or entry.sender_kind == "bot"):
        return c  # the channel does not know yet; our own words come back with what was so when they were sent
    change: dict[str, object] = {"control": control, "control_at": entry.ts}
    if control == "bot" and c.control in ("human", "closed"):
        change |= {"back": entry.message_id, "look_at": now}
    elif control != "bot":
        change["back"] = ""
    if entry.sender_kind == "human" and entry.control == "bot" and not hands_off:
        # Somebody writes without having taken the conversation: let the channel know that it is theirs.
        letter = Letter(key=digest("taken", c.place.model_dump_json(), entry.message_id), kind="hand_off", made_at=now)
        change["letters"] = (*c.letters, letter)
    return c.model_copy(update=change)


def looked_for(c: Conversation, at: float) -> Conversation:
    """Words may stand in the session's log from then on."""
    return c.model_copy(update={"look_at": at})


def claimed(c: Conversation, now: float, lease_s: float) -> Conversation | None:
    """Take what is due: a batch that was claimed before as it was, else all messages that wait. None if nothing is."""
    if now < max(c.inbox.until, c.retry_at):
        return None
    looks = c.look_at is not None and c.look_at <= now
    batch = c.batch
    if not batch and not c.looking:
        batch = len(c.entries) if c.entries and c.ready_at <= now else 0
    if not (batch or looks or c.looking):
        return None
    return c.model_copy(
        update={
            "batch": batch,
            "looking": c.looking or looks,
            "look_at": None if looks else c.look_at,
            "tries": c.tries + 1,
            "inbox": Hold(until=now + lease_s, fence=c.inbox.fence + 1),
        }
    )


def renewed(c: Conversation, fence: int, until: float) -> Conversation | None:
    """None if the claim is void."""
    return c.model_copy(update={"inbox": Hold(until=until, fence=fence)}) if c.inbox.fence == fence else None


def counted_from(c: Conversation, fence: int, cursor: int) -> Conversation | None:
    """The first look: what stands in the log before it was said elsewhere. None if the claim is void or it is not the first."""
    return c.model_copy(update={"cursor": cursor}) if c.inbox.fence == fence and c.cursor is None else None


def finished(
    c: Conversation, claim: Conversation, now: float, cursor: int | None, letters: tuple[Letter, ...]
) -> Conversation | None:
    """The claimed is done: its letters wait in the outbox, in the same step. None if the claim is void."""
    if c.inbox.fence != claim.inbox.fence:
        return None
    return c.model_copy(
        update={
            "entries": c.entries[claim.batch :],
            "batch": 0,
            "looking": False,
            "tries": 0,
            "retry_at": 0.0,
            "back": "" if c.back == claim.back else c.back,
            "inbox": Hold(fence=claim.inbox.fence),
            "cursor": cursor,
            "letters": (*c.letters, *letters),
        }
    )


def put_back(c: Conversation, fence: int, at: float) -> Conversation | None:
    """The claimed could not be done; again from then on."""
    return c.model_copy(update={"inbox": Hold(fence=fence), "retry_at": at}) if c.inbox.fence == fence else None


# --- the outbox ----------------------------------------------------------------------------------------------------------


def taken(c: Conversation, now: float, lease_s: float) -> Conversation | None:
    """Take the first letter to send it; None if there is none or its time has not come."""
    if not c.letters or now < max(c.outbox.until, c.send_at):
        return None
    return c.model_copy(update={"sends": c.sends + 1, "outbox": Hold(until=now + lease_s, fence=c.outbox.fence + 1)})


def sent(c: Conversation, taking: Conversation, now: float) -> Conversation | None:
    """The letter that was taken has arrived. None if the right to it is void."""
    if c.outbox.fence != taking.outbox.fence or not c.letters or c.letters[0].key != taking.letters[0].key:
        return None
    after = _without_first_letter(c, now)
    if taking.letters[0].kind == "hand_off" and c.control is not None:
        return after.model_copy(update={"control": "human", "control_at": max(now, c.control_at)})
    return after


def dropped(c: Conversation, taking: Conversation, now: float, control: Control | None = None) -> Conversation | None:
    """The letter that was taken will not be sent. `control`: what the channel just said of the conversation."""
    if c.outbox.fence != taking.outbox.fence or not c.letters or c.letters[0].key != taking.letters[0].key:
        return None
    after = _without_first_letter(c, now)
    return after.model_copy(update={"control": control, "control_at": max(now, c.control_at)}) if control else after


def delayed(c: Conversation, fence: int, at: float) -> Conversation | None:
    """It could not be sent; again from then on."""
    return c.model_copy(update={"outbox": Hold(fence=fence), "send_at": at}) if c.outbox.fence == fence else None


def _without_first_letter(c: Conversation, now: float) -> Conversation:
    return c.model_copy(
        update={"letters": c.letters[1:], "sends": 0, "send_at": now, "outbox": Hold(fence=c.outbox.fence)}
    )
