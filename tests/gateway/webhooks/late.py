"""A flow that asks again when a customer is silent for a second."""

from typing import Any

from maitred.protocol.slots import Slot
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Deadline, Step, Terminal


def late_flow() -> Flow:
    tins: dict[str, Any] = {"collects": {"tins": Slot("int", read="number", ask="How many?")}, "complete": "known"}
    return Flow(
        name="tea",
        states=("tins", "late"),
        initial="tins",
        transitions={
            ("tins", "known"): Terminal.COMPLETED,
            ("tins", "overdue"): "late",
            ("late", "known"): Terminal.COMPLETED,
        },
        steps={
            "tins": Step(**tins, deadline=Deadline(after_s=1, event="overdue")),
            "late": Step(**tins, say="Are you still there?"),
        },
    )
