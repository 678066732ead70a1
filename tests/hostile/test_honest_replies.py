"""Honest words are left alone: what a good model writes in a session that holds the facts arrives as it was written."""

from datetime import datetime, timedelta
from itertools import chain, cycle, islice
from pathlib import Path
from random import Random

import pytest
from ruamel.yaml import YAML

from maitred import AgentDecision, DecisionRequest, Maitred
from maitred.decision.keyword import choose
from maitred.examples.presales.conversation import CONVERSATION
from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import SHOP_TZ, Shop
from maitred.protocol.texts import Lang

REPLIES = 250
MAY_BE_REPLACED = REPLIES // 100
TO_THE_ORDER = 11
"""Lines of the example's conversation that lead to an order awaiting payment."""
ANSWERS_IN_A_ROW = 3
"""More without progress, and code adds the menu to the reply."""
ANSWERS_A_SESSION = 12
SAY_PAID: dict[Lang, str] = {"zh": "付好了", "en": "I've paid"}
COMPANIES: dict[Lang, tuple[str, ...]] = {
    "zh": ("蓝海牙科", "上海三六零贸易有限公司", "一品鲜餐饮", "7天连锁酒店", "51信用卡", "四川九寨沟旅行社"),
    "en": ("Leeds Dental", "3M China", "Studio 54 Ltd", "Q2 Holdings", "SO Design 2000", "Forever 21"),
}


def sentences_of(lang: Lang) -> list[str]:
    """The sentences of the file as they were written."""
    text: str = YAML(typ="safe").load(Path(__file__).with_name("honest_replies.yaml"))[lang]
    return [line.replace("⏎", "\n") for line in text.splitlines()]


def honest_replies(lang: Lang, order: str, quote: str) -> list[str]:
    """Every sentence once, then those in which something varies again, with other names and numbers."""
    rng, sentences = Random(lang), sentences_of(lang)
    again = [sentence for sentence in sentences if "{" in sentence]
    chosen = islice(chain(sentences, cycle(again)), REPLIES)
    return [sentence.format(**_things(rng, lang), order=order, quote=quote) for sentence in chosen]


def _things(rng: Random, lang: Lang) -> dict[str, str]:
    day = datetime(2026, 12, 1, tzinfo=SHOP_TZ) + timedelta(days=rng.randrange(400))
    amount = rng.randrange(100, 5_000_000) / 100
    yuan = (f"{amount:,.2f} 元", f"{amount:.0f}元", f"¥{amount:,.2f}")
    in_words = f"{day.month} 月 {day.day} 日" if lang == "zh" else f"{day:%d %B %Y}"
    mobile = f"138{rng.randrange(10**8):08d}"
    return {
        "company": rng.choice(COMPANIES[lang]),
        "money": rng.choice(yuan if lang == "zh" else (f"CNY {amount:,.2f}", f"¥{amount:,.0f}")),
        "date": rng.choice((f"{day:%Y-%m-%d}", in_words, f"{day:%Y/%m/%d}", f"{day:%Y%m%d}")),
        "time": f"{rng.randrange(8, 21)}:{rng.choice(('00', '15', '30'))}",
        "phone": rng.choice((mobile, f"138 {mobile[3:7]} {mobile[7:]}", "+44 20 7946 0958", "021-62884455")),
        "seats": str(rng.randrange(1, 500)),
        "months": rng.choice(("三", "六", "十二", "24")) if lang == "zh" else str(rng.choice((3, 6, 12, 24))),
        "percent": f"{rng.choice((5, 10, 12.5, 15))}%",
        "version": f"{rng.randrange(1, 12)}.{rng.randrange(20)}.{rng.randrange(10)}",
    }


class HonestModel:
    """Leads the customer to an order; whatever is asked then, it says `words`."""

    name = "honest"
    words = ""

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        decision = choose(request)
        return (
            AgentDecision(action="answer", reply_text=self.words)
            if decision.action == "answer" and self.words
            else decision
        )


async def shown(lang: Lang, folder: Path) -> list[tuple[str, str]]:
    """Each honest reply, and what the customer read."""
    model, pairs = HonestModel(), []
    async with Maitred(build_flow(Shop(folder / "shop.db")), decider=model) as maitred:
        for at in range(0, REPLIES, ANSWERS_A_SESSION):
            session_id, model.words = f"s{at}", ""
            for line in CONVERSATION[lang][:TO_THE_ORDER]:
                await maitred.say(session_id, line)
            data = (await maitred.session(session_id)).data
            replies = honest_replies(lang, str(data["create_order"]["order_no"]), str(data["make_quote"]["quote_no"]))  # type: ignore[index,call-overload]
            for n, model.words in enumerate(replies[at : at + ANSWERS_A_SESSION], start=1):
                pairs.append(
                    (model.words, (await maitred.say(session_id, "请问" if lang == "zh" else "a question")).text)
                )
                if n % ANSWERS_IN_A_ROW == 0:
                    await maitred.say(session_id, SAY_PAID[lang])
    return pairs


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_honest_replies_arrive_as_they_were_written(lang: Lang, tmp_path: Path) -> None:
    """At least 99 of 100."""
    pairs = await shown(lang, tmp_path)
    replaced = [(written, read) for written, read in pairs if written.strip() != read]
    assert len(pairs) == REPLIES
    assert len(replaced) <= MAY_BE_REPLACED, replaced


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_replies_vary(lang: Lang) -> None:
    """At least 120 sentences of each language, and hardly two replies alike."""
    assert len(set(sentences_of(lang))) >= 120
    assert len(set(honest_replies(lang, "SO20261130-000001", "Q-20261130-0001"))) >= 200
