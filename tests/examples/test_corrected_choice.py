"""A word that names a choice and elsewhere asks for a person ("客服"): a choice only where it corrects one just shown."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from maitred.examples.presales.flow import Presales, build_flow
from maitred.examples.presales.shop import Shop
from maitred.fallback.guards import guard
from maitred.protocol.decision import Exchange
from maitred.protocol.messages import UserRequest
from maitred.protocol.session import Session
from maitred.runtime.planning import guard_view, read_text
from maitred.statemachine.flow import Flow

NOW = datetime(2026, 11, 30, 2, tzinfo=UTC)
KNOWN: dict[str, Any] = {
    "company": "Acme", "seats": 9, "contact": "13810240005", "use": "sales", "budget": 1000, "term_months": 12,
    "recording": False, "recommend_plan": {"plan": "standard", "plan_name": "Standard", "reason": "suits sales calls"},
}  # fmt: skip
SHOWN = (
    "I recommend Standard: it suits sales calls; 9 seats. Shall we take this one?",
    "为您推荐标准版：适合销售外呼；9 席。就选这个吗？",
)


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    return build_flow(Shop(Path(tmp_path_factory.mktemp("shop")) / "shop.db", clock=lambda: NOW))


def guarded(flow: Flow, text: str, *, shown: str | None = None, agreed: bool = False, **changed: Any) -> str | None:
    """The guard's wish for a message at the recommended plan."""
    zh = not text.isascii()
    session = Session(
        session_id="s", flow="presales", flow_version="1", fingerprint="-",
        state=Presales.PLAN_RECOMMENDATION, agreed=agreed, lang="zh" if zh else "en", data={**KNOWN, **changed},
    )  # fmt: skip
    request = UserRequest(session_id="s", message_id="m", timestamp=NOW, text=text)
    history = (Exchange("hello", SHOWN[zh] if shown is None else shown),)
    wish = guard(guard_view(flow, session, session, request, read_text(flow, session, text, NOW.date()), history))
    return wish.name if wish else None


RIGHT = {"use": "support", "shown": "It suits customer service. 适合客户服务。"}
CORRECTIONS = (
    "恐怕这里不正确。帮客户解决问题的，客服|不对，客服|用途错了，客服|我更正一下，客服|弄错了，读者打来问书的，客服|不是外呼，客服|"
    "that is wrong, customer service|I must correct you, customer care|not right. Customer service.|"
    "there is a mistake, we help our readers, customer service|actually, customer service"
).split("|")


@pytest.mark.parametrize("text", CORRECTIONS)
def test_a_correction_of_what_was_shown_names_a_choice(flow: Flow, text: str) -> None:
    """The decider hears it."""
    assert guarded(flow, text) is None


@pytest.mark.parametrize("text", CORRECTIONS)
@pytest.mark.parametrize(
    "otherwise",
    [{"shown": ""}, {"shown": "Thank you."}, {"use": "support"}, RIGHT, {"agreed": True}],
    ids=["nothing shown", "other words", "nothing to correct", "shown right", "after the order"],
)
def test_elsewhere_the_same_words_ask_for_a_person(flow: Flow, text: str, otherwise: dict[str, Any]) -> None:
    """Where the bot did not just rest on another choice, or can no longer take one."""
    assert guarded(flow, text, **otherwise) == "ask_human"


@pytest.mark.parametrize(
    "text",
    "客服|客服！|客服在吗|人工客服|找客服|转客服|不对，人工客服|不对，找客服|错了错了，叫客服来|弄错了，客服在吗|不对，转人工|客户打不进来，客服！|算了，客服|"
    "customer service|customer service please|wrong, connect me to customer service|that is wrong, a human please|"
    "wrong! let me talk to customer service|agent|no, agent".split("|"),
)
def test_who_asks_for_a_person_gets_one(flow: Flow, text: str) -> None:
    """Right after the use was shown, too: bare, called for, or with a correction beside it."""
    assert guarded(flow, text) == "ask_human"
