"""Tools of the example: thin, typed doors to the shop. Who asks, and under which key, comes from code."""

from collections.abc import Iterable
from typing import Any

from ...tools.tool import FunctionTool, ToolError, tool
from .shop import Shop, ShopError

WHO = {"lang": "session.lang", "customer_id": "session.id"}
ON_OFFER = "data.recommend_plan.plan"
NO_PROMOTION = {"zh": "目前没有适用的优惠", "en": "there is no promotion for this at the moment"}


def presales_tools(shop: Shop) -> Iterable[FunctionTool]:
    """The tools over one shop. A refusal of the shop is the outcome `error`; `recommend_plan` and the like only read."""

    def asked(answer: Any, *args: Any) -> dict[str, Any]:
        try:
            return dict(answer(*args))
        except ShopError as refusal:
            raise ToolError(str(refusal)) from refusal

    @tool(effect="none", bind={"lang": "session.lang"}, summary="best plan for use, seats and budget")
    def recommend_plan(
        use: str, seats: int, budget: float, recording: bool, lang: str, plan_wish: str = ""
    ) -> dict[str, Any]:
        return asked(shop.recommend_plan, use, seats, budget, recording, lang, "", plan_wish)

    @tool(
        effect="none",
        bind={"lang": "session.lang", "shown": ON_OFFER},
        saves="recommend_plan",
        summary="another plan than that",
    )
    def recommend_other(use: str, seats: int, budget: float, recording: bool, lang: str, shown: str) -> dict[str, Any]:
        return asked(shop.recommend_plan, use, seats, budget, recording, lang, shown)

    @tool(effect="none", bind={"lang": "session.lang", "plan": ON_OFFER}, summary="promotion for the plan on offer")
    def query_promotion(plan: str, seats: int, term_months: int, lang: str) -> dict[str, Any]:
        found = asked(shop.query_promotion, plan, seats, term_months, lang)
        return found if found["found"] else {**found, "description": NO_PROMOTION[lang]}

    @tool(effect="idempotent", bind={**WHO, "plan": ON_OFFER, "key": "call.key"}, summary="binding quote")
    def make_quote(
        key: str, plan: str, seats: int, term_months: int, company: str, contact: str, customer_id: str, lang: str
    ) -> dict[str, Any]:
        return asked(shop.make_quote, key, plan, seats, term_months, company, contact, customer_id, lang)

    @tool(
        effect="idempotent",
        bind={**WHO, "key": "call.key", "quote_no": "data.make_quote.quote_no"},
        summary="order the quote",
    )
    def create_order(key: str, quote_no: str, customer_id: str, lang: str) -> dict[str, Any]:
        return asked(shop.create_order, key, quote_no, customer_id, lang)

    @tool(
        effect="idempotent",
        bind={**WHO, "order_no": "data.create_order.order_no"},
        summary="note that the customer says it is paid",
    )
    def check_payment(order_no: str, customer_id: str, lang: str) -> dict[str, Any]:
        return asked(shop.claim_paid, order_no, customer_id, lang)

    @tool(
        effect="idempotent", bind={**WHO, "order_no": "data.create_order.order_no"}, summary="cancel the unpaid order"
    )
    def cancel_order(order_no: str, customer_id: str, lang: str) -> dict[str, Any]:
        return asked(shop.cancel_order, order_no, customer_id, lang)

    @tool(
        effect="none", bind={**WHO, "order_no": "data.create_order.order_no"}, summary="set-up date, hotline, next step"
    )
    def after_sales_info(order_no: str, customer_id: str, lang: str) -> dict[str, Any]:
        return asked(shop.after_sales_info, order_no, customer_id, lang)

    return (
        recommend_plan,
        recommend_other,
        query_promotion,
        make_quote,
        create_order,
        check_payment,
        cancel_order,
        after_sales_info,
    )
