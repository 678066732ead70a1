"""What the example sells and says: plans, stock, promotions, the words around them and how money looks.

Owns the seed data and the customer texts of the shop. No database, no clock: `schema.py` writes the seed once, and prices
are read back from the database, never from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...protocol.texts import Lang

Use = Literal["sales", "support", "internal"]
CURRENCY = "CNY"


@dataclass(frozen=True, slots=True)
class Plan:
    """A product. Price per seat and month; stock in licences (seats); `fits`: use -> 1 (it works) to 3 (made for it)."""

    id: str
    name: Mapping[Lang, str]
    pitch: Mapping[Lang, str]
    price_cents: int
    recording: bool
    stock: int
    setup_days: int
    fits: Mapping[Use, int]


@dataclass(frozen=True, slots=True)
class Promotion:
    """A discount. `plan` None: every plan. Dates are ISO, inclusive; None: open."""

    code: str
    description: Mapping[Lang, str]
    percent: int
    plan: str | None = None
    min_seats: int = 1
    min_term_months: int = 1
    valid_from: str | None = None
    valid_until: str | None = None


PLANS = (
    Plan(
        id="basic",
        name={"zh": "基础版", "en": "Basic"},
        pitch={"zh": "分机互拨、呼叫转接和语音信箱", "en": "extensions, call forwarding and voicemail"},
        price_cents=39_00,
        recording=False,
        stock=2000,
        setup_days=1,
        fits={"internal": 3, "sales": 1, "support": 1},
    ),
    Plan(
        id="standard",
        name={"zh": "标准版", "en": "Standard"},
        pitch={"zh": "通话录音、语音导航和通话报表", "en": "call recording, voice menus and call reports"},
        price_cents=69_00,
        recording=True,
        stock=1000,
        setup_days=2,
        fits={"internal": 2, "sales": 2, "support": 2},
    ),
    Plan(
        id="pro",
        name={"zh": "专业版", "en": "Pro"},
        pitch={
            "zh": "录音质检、外呼任务、排队和客户系统对接",
            "en": "recording with QA, dial lists, queues, CRM links",
        },
        price_cents=119_00,
        recording=True,
        stock=500,
        setup_days=3,
        fits={"sales": 3, "support": 3},
    ),
    Plan(
        id="flagship",
        name={"zh": "旗舰版", "en": "Flagship"},
        pitch={"zh": "专属线路、双机房容灾和专人驻场", "en": "dedicated lines, two sites and an engineer on site"},
        price_cents=199_00,
        recording=True,
        stock=60,
        setup_days=5,
        fits={"sales": 1, "support": 2},
    ),
)

PROMOTIONS = (
    Promotion(
        code="YEAR10",
        description={"zh": "签约满 12 个月，享 9 折", "en": "10% off for 12 months or more"},
        percent=10,
        min_term_months=12,
    ),
    Promotion(
        code="TEAM15",
        description={
            "zh": "专业版 20 席起且签约满 12 个月，享 85 折",
            "en": "15% off Pro for 20 seats or more and 12 months or more",
        },
        percent=15,
        plan="pro",
        min_seats=20,
        min_term_months=12,
    ),
    Promotion(  # over: stays in the table so that a query has to look at the date
        code="LAUNCH30",
        description={"zh": "开业优惠，享 7 折", "en": "30% off for the opening"},
        percent=30,
        valid_from="2025-01-01",
        valid_until="2025-12-31",
    ),
)

USES: Mapping[Use, Mapping[Lang, str]] = {
    "sales": {"zh": "销售外呼", "en": "sales calls"},
    "support": {"zh": "客户服务", "en": "customer support"},
    "internal": {"zh": "内部通话", "en": "internal calls"},
}
REASON_FITS: Mapping[Lang, str] = {
    "zh": "适合{use}，含{pitch}；{seats} 席每月 {monthly_total}，在预算 {budget} 以内",
    "en": "suits {use}, with {pitch}; {seats} seats cost {monthly_total} a month, within your budget of {budget}",
}
REASON_OVER: Mapping[Lang, str] = {
    "zh": "适合{use}，含{pitch}；但 {seats} 席每月 {monthly_total}，超出预算 {budget}",
    "en": "suits {use}, with {pitch}; but {seats} seats cost {monthly_total} a month, over your budget of {budget}",
}
BREAKDOWN: Mapping[Lang, str] = {
    "zh": "{price} × {seats} 席 × {term_months} 个月 = {subtotal}，优惠 {discount}",
    "en": "{price} x {seats} seats x {term_months} months = {subtotal}, discount {discount}",
}
HOTLINE = "400-000-0100"
SERVICE_HOURS: Mapping[Lang, str] = {"zh": "每天 9:00-21:00", "en": "9:00-21:00 every day"}
NEXT_STEP: Mapping[Lang, str] = {
    "zh": "工程师会在开通日前联系您，确认号码和分机表",
    "en": "an engineer calls you before the set-up date to confirm numbers and extensions",
}


def money(cents: int, lang: Lang) -> str:
    """Cents as a customer reads them: `1,234.00 元` or `CNY 1,234.00`."""
    amount = f"{cents // 100:,}.{cents % 100:02d}"
    return f"{amount} 元" if lang == "zh" else f"{CURRENCY} {amount}"
