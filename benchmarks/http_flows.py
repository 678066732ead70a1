"""The flows that `bench http` serves: the ring of `bench turn`, and the same with a fact to be checked in every reply."""

from ..statemachine.flow import Flow
from .turn import TURNS_A_SESSION, ring_flow


def ring() -> Flow:
    return ring_flow(TURNS_A_SESSION)


def ring_with_facts() -> Flow:
    return ring_flow(TURNS_A_SESSION, facts={"order_no": r"SO-?[0-9]{6}"})
