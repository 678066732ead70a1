"""60 conversations written by people who had not seen the code, played as they stand.

`wordings.yaml` was written first and shaped the general rules; of `wordings_2.yaml`, which came after them, 11 of 20 passed at
first contact; of `wordings_3.yaml`, the demo's conversation in 20 other wordings, 19 (the one that did not asked for a verb).
Those that still fail are listed with the kind of thing that is not understood; when one passes, take it off the list.
"""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from maitred import Maitred
from maitred.examples.presales.world import World

NOT_UNDERSTOOD = {
    "en-hurried-boss-logistics": "'Order confirmed, send me the link.': a wish beside the order; asked again",
    "en-elderly-clock-repairs": "the use of the phones in a subordinate clause",
    "en-aussie-plumbers-facts-ahead": "a company named only in answer to another question",
    "en_rocket_solar": "'Rocket Solar's the name'",
}


def conversations() -> list[Any]:
    """All of them, the known misses marked: a pass of one of these fails the run, so that the list stays true."""
    here = Path(__file__).parent
    found = []
    for name in ("wordings.yaml", "wordings_2.yaml", "wordings_3.yaml"):
        for talk in YAML(typ="safe").load((here / name).read_text(encoding="utf-8")):
            reason = NOT_UNDERSTOOD.get(talk["name"])
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            found.append(pytest.param(talk["messages"], id=talk["name"], marks=marks))
    return found


def test_most_are_understood() -> None:
    """The misses are few, and none is in the conversation of the demo in other words."""
    assert len(conversations()) == 60
    assert len(NOT_UNDERSTOOD) <= 4


@pytest.mark.parametrize("messages", conversations())
async def test_a_conversation_in_other_words_reaches_completed(messages: list[str]) -> None:
    """With one order in the shop, and a log that replays equal."""
    world, state = World(), ""
    async with Maitred(world.flow) as maitred:
        for message in messages:
            reply = await maitred.say("customer", message)
            outside = await world.after_turn(maitred, reply, state)
            state = outside[-1].state if outside else reply.state
        assert state == "completed"
        assert len(world.shop.orders()) == 1
        assert (await maitred.replay("customer")).equal
