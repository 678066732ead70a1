"""The example flow: from the first question to a paid and explained order, in seven states and `completed`."""

from enum import StrEnum

from ...statemachine.flow import Flow
from ...statemachine.parts import Action, Call, Deadline, Outside, Step, Terminal
from . import texts
from .faq import faq
from .shop import ORDER_NO, QUOTE_NO, Shop
from .slots import BUDGET, COMPANY, CONTACT, PLAN_WISH, RECORDING, SEATS, TERM, USE
from .tools import presales_tools


class Presales(StrEnum):
    """The seven states; the eighth node is Terminal.COMPLETED."""

    INFO_COLLECTION = "info_collection"
    DEMAND_ANALYSIS = "demand_analysis"
    PLAN_RECOMMENDATION = "plan_recommendation"
    PARAMETER_CONFIRMATION = "parameter_confirmation"
    ORDER_GENERATION = "order_generation"
    PAYMENT_GUIDANCE = "payment_guidance"
    AFTER_SALES = "after_sales"


S = Presales

TRANSITION_MAP = {
    (S.INFO_COLLECTION, "info_complete"): S.DEMAND_ANALYSIS,
    (S.DEMAND_ANALYSIS, "analysis_done"): S.PLAN_RECOMMENDATION,
    (S.PLAN_RECOMMENDATION, "accepted"): S.PARAMETER_CONFIRMATION,
    (S.PLAN_RECOMMENDATION, "no_plan"): Terminal.ESCALATED,
    (S.PARAMETER_CONFIRMATION, "params_confirmed"): S.ORDER_GENERATION,
    (S.PARAMETER_CONFIRMATION, "params_changed"): S.PARAMETER_CONFIRMATION,
    (S.PARAMETER_CONFIRMATION, "plan_reopened"): S.PLAN_RECOMMENDATION,
    (S.PARAMETER_CONFIRMATION, "quote_failed"): Terminal.ESCALATED,
    (S.ORDER_GENERATION, "order_created"): S.PAYMENT_GUIDANCE,
    (S.ORDER_GENERATION, "order_failed"): Terminal.ESCALATED,
    (S.PAYMENT_GUIDANCE, "payment_complete"): S.AFTER_SALES,
    (S.PAYMENT_GUIDANCE, "payment_overdue"): Terminal.ESCALATED,
    (S.PAYMENT_GUIDANCE, "order_cancelled"): Terminal.ABANDONED,
    (S.AFTER_SALES, "unpaid"): Terminal.ESCALATED,  # the callback was not for this order: the shop's books decide
    (S.AFTER_SALES, "closed"): Terminal.COMPLETED,
}

STEPS = {
    S.INFO_COLLECTION: Step(
        instruction=texts.INFO_INSTRUCTION,
        say="{ask}",
        collects={"company": COMPANY, "seats": SEATS, "contact": CONTACT},
        complete="info_complete",
    ),
    S.DEMAND_ANALYSIS: Step(
        instruction=texts.DEMAND_INSTRUCTION,
        say=texts.DEMAND_SAY,
        collects={"use": USE, "budget": BUDGET, "term_months": TERM, "recording": RECORDING},
        complete="analysis_done",
    ),
    S.PLAN_RECOMMENDATION: Step(
        instruction=texts.PLAN_INSTRUCTION,
        say=texts.PLAN_SAY,
        collects={"plan_wish": PLAN_WISH},
        on_enter=Call("recommend_plan", {"error": "no_plan", "unavailable": "no_plan"}),
        actions=(
            Action("accept_plan", texts.ACCEPT_LABEL, event="accepted", examples=texts.ACCEPT_EXAMPLES),
            Action(
                "other_plan",
                texts.OTHER_LABEL,
                tool="recommend_other",
                reply=texts.PLAN_SAY,
                examples=texts.OTHER_EXAMPLES,
            ),
            Action(
                "query_promotion",
                texts.PROMO_LABEL,
                tool="query_promotion",
                reply=texts.PROMO_REPLY,
                examples=texts.PROMO_EXAMPLES,
            ),
        ),
    ),
    S.PARAMETER_CONFIRMATION: Step(
        instruction=texts.PARAMS_INSTRUCTION,
        say=texts.PARAMS_SAY,
        collects={"company": COMPANY, "seats": SEATS, "contact": CONTACT, "term_months": TERM},
        complete="params_changed",
        on_enter=Call("make_quote", {"error": "quote_failed", "unavailable": "quote_failed"}),
        confirms="confirm_order",
        actions=(
            Action(
                "confirm_order",
                texts.CONFIRM_LABEL,
                event="params_confirmed",
                confirm=True,
                ask=texts.PARAMS_SAY,
                examples=texts.CONFIRM_EXAMPLES,
            ),
            Action("change_plan", texts.CHANGE_LABEL, event="plan_reopened", examples=texts.CHANGE_EXAMPLES),
        ),
    ),
    S.ORDER_GENERATION: Step(
        instruction=texts.ORDER_INSTRUCTION,
        on_enter=Call("create_order", {"ok": "order_created", "error": "order_failed", "unavailable": "order_failed"}),
    ),
    S.PAYMENT_GUIDANCE: Step(
        instruction=texts.PAY_INSTRUCTION,
        say=texts.PAY_SAY,
        deadline=Deadline(24 * 3600, "payment_overdue"),
        actions=(
            Action(
                "check_payment",
                texts.PAID_LABEL,
                tool="check_payment",
                reply=texts.PAID_REPLY,
                examples=texts.PAID_EXAMPLES,
            ),
            Action(
                "cancel_order",
                texts.CANCEL_LABEL,
                tool="cancel_order",
                on={"ok": "order_cancelled"},
                confirm=True,
                ask=texts.CANCEL_ASK,
                examples=texts.CANCEL_EXAMPLES,
            ),
        ),
    ),
    S.AFTER_SALES: Step(
        instruction=texts.AFTER_INSTRUCTION,
        say=texts.AFTER_SAY,
        on_enter=Call("after_sales_info", {"error": "unpaid", "unavailable": "unpaid"}),
        on_close="closed",
        actions=(
            Action(
                "explain_setup",
                texts.SETUP_LABEL,
                tool="after_sales_info",
                reply=texts.SETUP_REPLY,
                examples=texts.SETUP_EXAMPLES,
            ),
            Action("close", texts.CLOSE_LABEL, event="closed", examples=texts.CLOSE_EXAMPLES),
        ),
    ),
    Terminal.COMPLETED: Step(say=texts.COMPLETED_SAY),
}


def build_flow(shop: Shop) -> Flow:
    """The flow over one shop."""
    return Flow(
        name="presales",
        version="1",
        states=Presales,
        initial=Presales.INFO_COLLECTION,
        transitions=TRANSITION_MAP,
        steps=STEPS,
        tools=presales_tools(shop),
        outside=[Outside("payment_complete", money=True)],
        no_leave=[Presales.ORDER_GENERATION, Presales.PAYMENT_GUIDANCE],
        identity=texts.IDENTITY,
        greeting=texts.GREETING,
        facts={"order_no": ORDER_NO, "quote_no": QUOTE_NO},
        texts=texts.OVERRIDES,
        knowledge=faq,
    )
