"""What comes without a message of the customer's: its words are not lost with a worker, its question counts once it was shown."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from maitred import Action, Call, Deadline, Flow, Maitred, Migration, Outside, Step, Terminal, tool
from maitred.protocol.ports import Append
from maitred.store.sqlite import SqliteStore


class Dying(SqliteStore):
    """Its process is gone when it is to make the `nth` write."""

    nth = 0

    async def append(self, write: Append) -> None:
        self.nth -= 1
        if not self.nth:
            raise OSError("the process is gone")
        await super().append(write)


@tool(effect="none")
async def price() -> Mapping[str, int]:
    """What it costs today."""
    return {"yuan": 10}


WORDS = {"en": "It is here, {price.yuan} yuan. Keep it?", "zh": "到了，{price.yuan} 元，留下吗？"}


def parcel(version: str = "1", *migrations: Migration, note: str = "") -> Flow:
    """It comes, it is priced, and then the customer keeps it."""
    return Flow(
        name="parcel",
        version=version,
        states=["wait", "keep"],
        initial="wait",
        transitions={
            ("wait", "came"): "keep",
            ("keep", "kept"): Terminal.COMPLETED,
            ("keep", "late"): Terminal.ABANDONED,
        },
        steps={
            "wait": Step(say={"en": "It is on its way.", "zh": "在路上。"}, actions=(Action("ask", reply="Soon."),)),
            "keep": Step(
                say={key: f"{words}{note}" for key, words in WORDS.items()},
                on_enter=Call("price"),
                confirms="keep",
                actions=(Action("keep", event="kept", confirm=True),),
                deadline=Deadline(60, "late"),
            ),
        },
        tools=[price],
        outside=[Outside("came")],
        migrations=migrations,
    )


HERE = {"en": "It is here, 10 yuan. Keep it?", "zh": "到了，10 元，留下吗？"}
LANGS = pytest.mark.parametrize(("lang", "hello", "ok"), [("en", "hello", "ok"), ("zh", "你好", "好的")])


@LANGS
@pytest.mark.parametrize("back", [False, True], ids=["an event", "a human's return"])
async def test_its_words_are_there_though_a_worker_died_in_the_middle(
    tmp_path: Path, lang: str, hello: str, ok: str, back: bool
) -> None:
    """Behind the intent of the call on arrival; and so is its question, which the next yes answers."""
    db = str(tmp_path / "parcel.db")
    store = Dying(db)
    dying = Maitred(parcel(), store=store)
    await dying.say("s", hello)
    if back:
        await dying.post("s", "came", {}, key="k0")
        await dying.say("s", {"en": "a human please", "zh": "转人工"}[lang])

    async def happens(maitred: Maitred) -> str:
        reply = await (maitred.resume("s", key="k") if back else maitred.post("s", "came", {}, key="k"))
        return reply.text if reply else ""

    store.nth = 2
    with pytest.raises(OSError, match="gone"):
        await happens(dying)
    await store.close()
    async with Maitred(parcel(), store=db) as heir:
        assert await happens(heir) == HERE[lang]
        assert (await heir.say("s", ok)).state == "completed"
        assert (await heir.replay("s")).equal


@LANGS
async def test_a_question_that_came_without_words_is_asked_first(
    tmp_path: Path, lang: str, hello: str, ok: str
) -> None:
    """The timer brought the session under the next version, in which it is asked anew; nobody has read that."""
    now, db = [datetime(2026, 12, 1, tzinfo=UTC)], tmp_path / "parcel.db"
    async with Maitred(parcel(), store=db, clock=lambda: now[0]) as old:
        await old.say("s", hello)
        await old.post("s", "came", {}, key="k1")
    now[0] += timedelta(seconds=61)
    async with Maitred(parcel("2", Migration("1"), note=" (v2)"), store=db, clock=lambda: now[0]) as new:
        assert await new.tick() == ()
        assert (await new.session("s")).flow_version == "2"
        asked = await new.say("s", ok)
        assert (asked.state, asked.text) == ("keep", f"{HERE[lang]} (v2)")
        assert (await new.say("s", ok)).state == "completed"
        assert (await new.replay("s")).equal
